//! `skilltree mcp` and the clients of others: the official inspector's command line, the SDKs for Python and
//! JavaScript, the conformance suite. They are in the folder that SKILLTREE_RUNTIMES names.
#![cfg(unix)]

use crate::common;

use crate::program::BINARY;
use common::runtimes::runtime;
use common::{TempDir, Tree};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const FILES: &[(&str, &str)] = &[
    (
        "/project/.agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads forms.\nargument-hint: FILE\n---\nRead them.\n",
    ),
    ("/project/.agents/skills/pdf/references/forms.md", "Forms have fields.\n"),
    (
        "/project/.agents/skills/secret/SKILL.md",
        "---\nname: secret\ndescription: For users.\ndisable-model-invocation: true\n---\nHush.\n",
    ),
    (
        "/home/.agents/skills/typed/SKILL.md",
        "---\nname: typed\ndescription: Has every type.\ncount: 3\nshare: 0.5\non: true\nnone: ~\nlist: [1, a, {b: c}]\nmetadata:\n  text: \"3\"\n---\nTyped.\n",
    ),
    // One of the clients would refuse a list with this skill as a whole, so it is not served.
    (
        "/home/.agents/skills/odd/SKILL.md",
        "---\nname: odd\ndescription: Has a number.\nmetadata:\n  version: 1.0\n---\nOdd.\n",
    ),
];

fn place() -> TempDir {
    Tree::default().files(FILES).folder()
}

/// The words that start the server.
fn server(place: &TempDir) -> Vec<String> {
    let path = |name: &str| place.path().join(name).to_string_lossy().into_owned();
    [BINARY, "mcp", "--project", &path("project"), "--home", &path("home")].map(str::to_owned).to_vec()
}

/// A program that may write into a home of its own.
fn command(program: &Path, place: &TempDir) -> Command {
    let mut command = Command::new(program);
    command.env("HOME", place.path().join("own")).stdin(Stdio::null());
    if let Some(folder) = program.parent() {
        // What the packages' programs say of themselves is `env node`.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [folder.to_owned()].into_iter().chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).expect("a PATH"));
    }
    command
}

#[track_caller]
fn json_of(case: &str, output: &Output) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{case}: {:?}\n{out}{err}", output.status.code());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{case}: {error}\n{out}{err}"))
}

fn fixture(name: &str) -> PathBuf {
    crate::common::root().join("tests/cli/mcp").join(name)
}

/// What every SDK sees of the server.
#[track_caller]
fn check(case: &str, seen: &Value, unknown: i32) {
    assert_eq!(seen["server"], json!("skilltree"), "{case}");
    assert_eq!(seen["tools"], json!(["activate_skill", "find_skills", "read_skill_file", "reattach_skills"]), "{case}");
    let loaded = seen["loaded"].as_str().unwrap_or_default();
    assert!(loaded.starts_with("<skill_content name=\"pdf\">\nRead them.\n"), "{case}: {loaded}");
    assert_eq!(seen["key"], json!("pdf"), "{case}");
    assert_eq!(seen["refused"], json!([true, "the skill `secret` is hidden from the model"]), "{case}");
    assert_eq!(seen["prompts"], json!(["odd", "typed", "pdf", "secret", "reattach-skills"]), "{case}");
    assert!(seen["prompt"].as_str().unwrap_or_default().ends_with("\n\nARGUMENTS: x.pdf"), "{case}");
    let resources = json!(["skill://home-agents/typed/SKILL.md", "skill://project-agents/pdf/SKILL.md"]);
    assert_eq!(seen["resources"], resources, "{case}");
    assert_eq!(seen["templates"], json!(["skill://{+path}"]), "{case}");
    assert_eq!(seen["read"], json!("Forms have fields.\n"), "{case}");
    assert_eq!(seen["unknown"], json!(unknown), "{case}");
}

#[test]
fn the_sdk_for_python() {
    let Some(python) = runtime("python") else { return };
    let place = place();
    for (mode, version, unknown) in [("legacy", "2025-11-25", -32002), ("auto", "2026-07-28", -32602)] {
        let mut command = command(&python, &place);
        let seen = command.arg(fixture("client.py")).arg(mode).args(server(&place)).output().expect("python starts");
        let seen = json_of(mode, &seen);
        check(mode, &seen, unknown);
        assert_eq!(seen["version"], json!(version), "{mode}");
    }
}

#[test]
fn the_sdks_for_javascript() {
    let Some(node) = runtime("node") else { return };
    let place = place();
    for (package, mode, unknown) in
        // The newer one gives the newer code to an error that has the URI.
        [("sdk", "legacy", -32002), ("client", "legacy", -32602), ("client", "auto", -32602)]
    {
        let case = format!("{package}, {mode}");
        let mut command = command(&node, &place);
        command.arg(fixture("client.mjs")).args([package, mode]).args(server(&place));
        let seen = json_of(&case, &command.output().expect("node starts"));
        check(&case, &seen, unknown);
        if package == "client" {
            let skills = &seen["skills"];
            assert_eq!(skills["listed"].as_array().map(Vec::len), Some(2), "{case}: {skills}");
            assert_eq!((&skills["supported"], &skills["invalid"]), (&json!(true), &json!([])), "{case}");
            assert_eq!((&skills["verified"], &skills["other"]), (&json!(true), &json!(true)), "{case}");
            assert_eq!(skills["folder"], json!(["pdf", "references"]), "{case}");
        }
    }
}

#[test]
fn the_inspector() {
    let Some(inspector) = runtime("mcp-inspector") else { return };
    let place = place();
    let pdf = "skill://project-agents/pdf";
    let read = format!("{pdf}/references/forms.md");
    let own = format!("{pdf}/SKILL.md");
    let ask = |words: &[&str]| {
        let mut command = command(&inspector, &place);
        command.arg("--cli").args(words).arg("--").args(server(&place)).output().expect("the inspector starts")
    };
    let at = |words: &[&str], pointer: &str| {
        let answer = json_of(&words.join(" "), &ask(words));
        answer.pointer(pointer).cloned().unwrap_or_else(|| panic!("{words:?}: {answer}"))
    };
    assert_eq!(at(&["--method", "tools/list", "--strict"], "/tools/1/name"), json!("find_skills"));
    let load = ["--method", "tools/call", "--tool-name", "activate_skill", "--tool-arg", "name=pdf"];
    assert_eq!(at(&load, "/_meta/skilltree~1answer/key"), json!("pdf"));
    let forms = r#"{"skill":"pdf","path":"references/forms.md","offset":6}"#;
    let part = ["--method", "tools/call", "--tool-name", "read_skill_file", "--tool-args-json", forms];
    assert_eq!(at(&part, "/content/0/text"), json!("have fields.\n"));
    assert_eq!(at(&["--method", "prompts/list"], "/prompts/2/name"), json!("pdf"));
    let prompt = ["--method", "prompts/get", "--prompt-name", "pdf", "--prompt-args", "arguments=x"];
    let text = at(&prompt, "/messages/0/content/text");
    assert!(text.as_str().unwrap_or_default().ends_with("ARGUMENTS: x"), "{text}");
    assert_eq!(at(&["--method", "resources/list"], "/resources/1/uri"), json!(own));
    assert_eq!(at(&["--method", "resources/templates/list"], "/resourceTemplates/0/name"), json!("skill-file"));
    assert_eq!(at(&["--method", "resources/read", "--uri", &read], "/contents/0/text"), json!("Forms have fields.\n"));
    let folder = ["--method", "resources/directory/read", "--uri", pdf];
    assert_eq!(at(&folder, "/resources/1/mimeType"), json!("inode/directory"));
    assert_eq!(at(&["--method", "skills/list"], "/skills/1/uri"), json!(own));
    assert_eq!(at(&["--method", "skills/get", "--uri", &own], "/skill/frontmatter/argument-hint"), json!("FILE"));
    // Digests, sizes and frontmatters of all skills, by the inspector's own YAML: one report a line.
    let verified = ask(&["--method", "skills/list", "--verify", "--require-digests"]);
    let out = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success(), "{out}{}", String::from_utf8_lossy(&verified.stderr));
    let reports: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(reports.len(), 2, "{out}");
    for report in reports {
        let found = (&report["ok"], &report["conformance"], &report["frontmatter"]);
        assert_eq!(found, (&json!(true), &json!([]), &json!([])), "{report}");
    }
    let unknown = ask(&["--method", "resources/read", "--uri", "skill://x/y"]);
    assert!(!unknown.status.success(), "what is not served is an error");
}

/// What the scenarios of the conformance suite ask for, in a dialect that has toolsets besides all else.
const FIXTURES: &[(&str, &str)] = &[
    (
        "/dialect.yaml",
        "name: conformance\nabout: all that there is\nextends: agentskills\nfields:\n  \
         - {path: name, role: name, necessity: required}\n  \
         - {path: description, role: description, necessity: required}\n  \
         - {path: toolsets, role: toolsets}\n",
    ),
    (
        "/home/.agents/skills/kit/SKILL.md",
        "---\nname: kit\ndescription: Has tools.\ntoolsets: [\"toolsets/index:TOOLS\"]\n---\nUse them.\n",
    ),
    ("/home/.agents/skills/kit/toolsets/index.py", include_str!("mcp/conformance.py")),
    ("/home/.agents/skills/kit/notes.txt", "123\n"),
];

/// What the suite asks for by other names.
const NAMES: &str = r#"{
    "arg1": "arguments",
    "test_prompt_with_arguments": "pdf",
    "test_simple_prompt": "pdf",
    "test://static-binary": "skill://home-agents/kit/logo.png",
    "test://static-text": "skill://home-agents/kit/notes.txt",
    "test://template/123/data": "skill://home-agents/kit/notes.txt"
}"#;

/// Each scenario in the newest revision that it is for, then those of the newest revision again that are for older ones
/// too. `conformance.yml` lists what does not concern the server.
#[test]
fn the_conformance_suite() {
    let (Some(node), Some(conformance)) = (runtime("node"), runtime("conformance")) else { return };
    let Some(python) = runtime("python") else { return };
    let place = Tree::default().files(FILES).files(FIXTURES).folder();
    std::fs::write(place.path().join("home/.agents/skills/kit/logo.png"), [0x89, b'P', 0, 0xff]).expect("a file");
    let mut bridge = command(&node, &place);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [python.parent().expect("a folder").to_owned()].into_iter().chain(std::env::split_paths(&path));
    bridge.env("PATH", std::env::join_paths(folders).expect("a PATH"));
    bridge.arg(fixture("bridge.mjs")).arg(NAMES).args(server(&place)).arg("--dialect");
    bridge.arg(place.path().join("dialect.yaml")).arg("--allow-run").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut bridge = bridge.spawn().expect("the bridge starts");
    let mut port = String::new();
    BufReader::new(bridge.stdout.take().expect("a pipe")).read_line(&mut port).expect("the bridge says its port");
    let url = format!("http://127.0.0.1:{}/mcp", port.trim());
    let runs = [&[][..], &["--spec-version", "2026-07-28"]].map(|revision| {
        let mut suite = command(&conformance, &place);
        suite.args(["server", "--suite", "all", "--url", &url, "--expected-failures"]).arg(fixture("conformance.yml"));
        suite.args(revision).arg("--output-dir").arg(place.path().join("results"));
        suite.output().expect("the suite starts")
    });
    // The bridge ends with its input, and the servers with theirs.
    drop(bridge.stdin.take());
    bridge.wait().expect("the bridge ends");
    let summaries = runs.map(|run| {
        let out = String::from_utf8_lossy(&run.stdout);
        let summary = out.find("=== SUMMARY").map_or(&*out, |at| &out[at..]).to_owned();
        assert!(run.status.success(), "{summary}{}", String::from_utf8_lossy(&run.stderr));
        summary
    });
    for name in include_str!("mcp/conformance.yml").lines().filter_map(|line| line.strip_prefix("  - ")) {
        let failed = format!("  ~ {name}\n");
        assert!(summaries[0].contains(&failed), "the suite has no scenario or check `{name}`: {}", summaries[0]);
    }
    let skills = summaries[0].lines().filter(|line| line.contains("✓ sep-2640-skills-")).count();
    assert_eq!(skills, 3, "those of the Skills extension: {}", summaries[0]);
}
