//! The real binary, on small trees: exit codes, JSON shapes, and what goes to which output.

use crate::common;
#[cfg(unix)]
mod machine;

use crate::program::{Place, error_code, field, holds, names, said, texts};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// A home, a project and two more sources, made new for each test.
const FILES: &[(&str, &str)] = &[
    ("home/.agents/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: The one at home.\n---\nHome.\n"),
    (
        "project/.agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads forms.\nallowed-tools: Read\n---\nRead them.\n",
    ),
    ("project/.agents/skills/pdf/scripts/fill.py", "print()\n"),
    ("project/.agents/skills/pdf/forms/SKILL.md", "---\nname: forms\ndescription: Fills forms.\n---\nFill them.\n"),
    (
        "project/.claude/skills/secret/SKILL.md",
        "---\nname: secret\ndescription: For users.\ndisable-model-invocation: true\n---\nHush.\n",
    ),
    ("project/.claude/skills/lost/SKILL.md", "---\nname: lost\n---\nNo description.\n"),
    ("project/.claude/skills/mended/SKILL.md", "---\nname: mended\ndescription: Use when: always\n---\nBody.\n"),
    ("project/.sven/skills/sven/SKILL.md", "---\ndescription: The tool itself.\n---\nAbout.\n"),
    ("project/.sven/skills/sven/plan/SKILL.md", "---\ndescription: Makes plans.\n---\nPlan.\n"),
    ("extra/one/SKILL.md", "---\nname: one\ndescription: The first.\n---\nOne.\n"),
    ("more/two/SKILL.md", "---\nname: two\ndescription: The second.\n---\nTwo.\n"),
];

impl Place {
    /// A folder with the usual files and these.
    fn usual(more: &[(&str, &str)]) -> Place {
        Place::of(Tree::default().files(FILES.iter().chain(more)))
    }

    /// The fields that a JSON document must have; it may have more, but an error only where one is expected.
    #[track_caller]
    fn shape(&self, case: &str, words: &[&str], code: i32, expect: &[&str]) {
        let (got, json) = self.json(words);
        let mut names = names(&json);
        names.retain(|name| expect.contains(name) || *name == "error");
        assert_eq!((got, names), (Some(code), expect.to_vec()), "{case}");
    }
}

#[test]
fn answers_in_text() {
    let t = Place::usual(&[]);
    let shown = ["KEY", "SOURCE", "FOR", "DESCRIPTION", "SHADOWED", "pdf", "shadowed by"];
    t.check("a table", &["list"], 0, &shown, &["error[description-missing]", "`skilltree check` shows them"]);
    t.check("who may use it", &["list"], 0, &["secret", "project-claude", "user ", "For users."], &[]);
    t.check("a tree", &["tree"], 0, &["\npdf", "\n  forms"], &["1 error"]);
    t.check("a prompt", &["prompt"], 0, &["<available_skills>", "</available_skills>\n"], &[]);
    t.check("an empty prompt says nothing", &["prompt", "--only-roots"], 0, &[], &[]);
    t.check("a load", &["load", "pdf"], 0, &["<skill_content name=\"pdf\">", "Read them.", "</skill_content>\n"], &[]);
    t.check("a grant needs trust (21)", &["load", "pdf"], 0, &["Read them."], &["untrusted-grant"]);
    t.check("a key that is near", &["load", "pfd"], 1, &[], &["error: there is no skill `pfd`", "`pdf`"]);
    let skipped = ["error: there is no skill `lost`", "`skilltree why lost`"];
    t.check("a load of what was skipped (16)", &["load", "lost"], 1, &[], &skipped);
    t.check("a load that is refused (18)", &["load", "secret", "--as", "model"], 1, &[], &["error: "]);
    t.check("the same for the user", &["load", "secret"], 0, &["Hush."], &[]);
    t.check("no arguments", &["load", "secret", "--args", "-x"], 0, &["Hush."], &["note: `--args` is ignored"]);
    t.check("a key with a hyphen first", &["load", "-x"], 1, &[], &["there is no skill `-x`"]);
    t.check("keys that are paths", &["load", "sven/plan", "--dialect", "sven"], 0, &["Plan."], &[]);
    t.check("a tool", &["tool"], 0, &["\"activate_skill\"", "\"input_schema\"", "\"pdf\""], &[]);
    t.check("no tool (48)", &["tool", "--only-roots"], 1, &["\"no-skills\""], &["error: "]);
    t.check("a stub", &["tool", "--stub", "python"], 0, &["def activate_skill(name):", "\"call\", \"--\""], &[]);
    t.check("a call", &["call", "{\"name\": \"pdf\"}"], 0, &["Read them."], &[]);
    let mistyped = "unknown argument `nmae`; did you mean `name`? The only argument is `name`";
    t.check("a call with another argument", &["call", "{\"nmae\": \"pdf\"}"], 1, &[], &[mistyped]);
    t.check("a call that is no JSON", &["call", "-1"], 1, &[], &["error: "]);
    t.check("a command", &["invoke", "/pdf a b"], 0, &["Read them.", "ARGUMENTS: a b\n"], &[]);
    t.check("an ordinary message", &["invoke", "hello /pdf"], 1, &["hello /pdf\n"], &[]);
    t.check("a message with a hyphen first", &["invoke", "-x"], 1, &["-x\n"], &[]);
    let is_none = |name: &str, reason: &str| {
        format!("note: `/{name}` is not a command, so the line is an ordinary message: {reason}")
    };
    let reserved = is_none("pdf", "`--reserved` reserves it for the host\n");
    t.exact("a reserved command (31)", &["invoke", "/pdf", "--reserved", "pdf"], 1, "/pdf\n", &reserved);
    let near = is_none("pfd", "there is no skill `pfd`; did you mean `pdf`?\n");
    t.check("an unknown command", &["invoke", "/pfd x"], 1, &["/pfd x\n"], &[&near]);
    let off = is_none("pdf", "the skill `pdf` is disabled; `--enable pdf` before the command switches it on\n");
    t.exact("one that is switched off", &["invoke", "/pdf", "--disable", "pdf"], 1, "/pdf\n", &off);
    let none = is_none("pdf", "`agent-base` has no commands\n");
    t.check("no commands at all", &["invoke", "/pdf", "--dialect", "agent-base"], 1, &["/pdf\n"], &[&none]);
    t.exact("a path", &["invoke", "/ x"], 1, "/ x\n", "");
    t.check("what may be typed", &["complete", "PD"], 0, &["/pdf", "Reads forms."], &[]);
    t.check("what may be typed, with the slash", &["complete", "/pd"], 0, &["/pdf"], &[]);
    t.check("no column without a hint", &["complete", "pd"], 0, &["/pdf  Reads forms.\n"], &[]);
    t.check("nothing to type", &["complete", "-z"], 0, &[], &[]);
    t.check("why, by key", &["why", "pdf"], 0, &["in-use"], &[]);
    t.check("why, skipped", &["why", "lost"], 0, &["lost", "SKILL.md: skipped [description-missing]"], &[]);
    t.check("why, hidden", &["why", "secret"], 0, &["hidden"], &[]);
    t.check("why, by a relative path", &["why", ".claude/skills/lost/SKILL.md"], 0, &["skipped"], &[]);
    t.check("why, never seen", &["why", "--", "-z"], 1, &[], &["error: no skill or file `-z` was found"]);
}

#[test]
fn switches_and_tables() {
    let t = Place::usual(&[]);
    t.check("switched off", &["list", "--disable", "pdf"], 0, &["pdf", "project-agents", "off"], &[]);
    let quiet = [
        ("project/.agents/skills/quiet/SKILL.md", "---\nname: quiet\ndescription: Quiet.\n---\nText.\n"),
        ("project/.agents/skills/quiet/agents/openai.yaml", "policy:\n  allow_implicit_invocation: false\n"),
    ];
    let list = ["list", "--dialect", "codex"];
    Place::usual(&quiet).check(
        "for the user, without commands",
        &list,
        0,
        &["quiet", "repo-agents  user ", "Quiet."],
        &[],
    );
    t.check("refused when off", &["load", "pdf", "--disable", "pdf"], 1, &[], &["is disabled"]);
    t.check("on beats off (20)", &["load", "pdf", "--disable=pdf", "--enable=pdf"], 0, &["Read them."], &[]);
    let deep = ("project/.sven/skills/sven/plan/deep/SKILL.md", "---\ndescription: Deeper.\n---\nDeep.\n");
    let nested = Place::usual(&[deep]);
    let shown = ["\nsven ", "\n  sven/plan ", "\nsven/plan/deep "];
    let off = ["--dialect=sven", "--disable=sven/plan"];
    nested.check("one that is off stands in the tree", &[&["tree"], &off[..]].concat(), 0, &shown, &[]);
    let child = ["<sub_skill command=\"sven/plan/deep\""];
    nested.check("a child of its own", &["load", "sven/plan", "--dialect=sven"], 0, &child, &[]);
    t.check("no triggers", &["match", "-hi"], 2, &[], &["the dialect `agentskills` has no "]);
    t.check("a word of other dialects", &["state", "pdf", "active", "--dialect", "sven"], 0, &["pdf full\n"], &[]);
    t.check("no activation", &["sync", "--to", "x"], 2, &[], &["has no "]);
    t.check("dialects", &["dialect"], 0, &["agentskills", "sven"], &[]);
    t.check("one dialect", &["dialect", "sven"], 0, &["name: sven"], &[]);
    t.check("an unknown dialect", &["list", "--dialect", "latin"], 2, &[], &["`latin`", "`agentskills`", "`sven`"]);
    t.check("an unknown table", &["dialect", "latin"], 2, &[], &["`latin`", "`sven`"]);
    t.check("an unknown profile", &["check", "--profile", "latin"], 2, &[], &["`latin`", "`sven`"]);
    let unused =
        ["list", "--bundled", "b", "--config", "c", "--user", "u", "--active", "a", "--mount", "/m", "--register=p=x"];
    t.check("options of other dialects", &unused, 0, &["pdf"], &[]);
}

#[test]
fn usage() {
    let t = Place::usual(&[]);
    t.check("a version", &["version"], 0, &["skilltree "], &[]);
    t.check("a version, as an option", &["--version"], 0, &["skilltree "], &[]);
    t.check("help", &["help"], 0, &["Usage", "list", "--dialect", "Examples"], &[]);
    t.check("help for one", &["check", "--help"], 0, &["--strict", "--root", "Example"], &[]);
    t.check("completions", &["completions", "bash"], 0, &["skilltree"], &[]);
    t.check("no command", &[], 0, &["CLIENT", "SEEN", "Next: `skilltree "], &[]);
    t.check("no such command", &["bogus"], 2, &[], &["bogus"]);
    t.check("a number that is none", &["prompt", "--budget", "x"], 2, &[], &["--budget"]);
    t.check("a root that is missing", &["list", "--root", "nope"], 2, &[], &["error: the root `", "does not exist"]);
    t.check("a project that is missing", &["list", "--project", "nope"], 2, &[], &["the project `"]);
    let file = ".claude/skills/lost/SKILL.md";
    t.check("a project that is a file", &["list", "--project", file], 2, &[], &["is not a directory"]);
    t.check("a root that is a file", &["--root", file, "list"], 2, &[], &["is not a directory"]);
    t.check("a home that is missing", &["list", "--home", "nope"], 0, &["pdf"], &[]);
    t.check("a registration that is none", &["list", "--register", "x"], 2, &[], &["ID=PATH"]);
    for option in ["--bundled", "--config", "--user", "--active"] {
        let what = format!("the `{option}` folder `");
        let found = ["warning[source-unreadable]", &what, "/project/nope` does not exist"];
        t.check("a folder that is missing", &["check", option, "nope"], 1, &found, &[]);
        t.check("one that is there", &["list", option, "."], 0, &["pdf"], &[]);
        assert!(!t.say(&["list", option, "."]).err.contains("source"), "{option}");
    }
    t.check("a mount without a root", &["list", "--mount", "/x"], 2, &[], &["--mount needs --active"]);
}

#[test]
fn checks() {
    let t = Place::usual(&[]);
    let fixed = "3 + description: \"Use when: always\"";
    let shown = ["[yaml-repaired]", "SKILL.md:3:", "3 | description: Use when: always", "^", fixed];
    t.check("a line, a caret and a fix", &["check", ".claude/skills/mended"], 0, &shown, &[]);
    let lost = ["error[description-missing]", "1 error"];
    t.check("a skill that is lost", &["check", ".claude/skills/lost/SKILL.md"], 1, &lost, &[]);
    t.check("a tree", &["check", ".claude"], 1, &["yaml-repaired", "1 error"], &[]);
    t.check("every source", &["check"], 1, &["description-missing"], &[]);
    t.check("nothing found", &["check", "../extra"], 0, &["no findings\n"], &[]);
    t.check("another profile", &["check", "../extra", "--profile", "sven"], 0, &["no findings\n"], &[]);
}

#[test]
fn carets_mark_all_that_is_wrong() {
    let check = |case: &str, lines: &str, expect: &[&str]| {
        let text = format!("---\nname: odd\ndescription: D\n{lines}\n---\n");
        let t = Place::usual(&[("extra/odd/SKILL.md", &text)]);
        holds(case, &t.say(&["check", "../extra/odd", "--dialect", "daycare"]).out, expect);
    };
    let colon = ["SKILL.md:4:18\n", "\n4 | license: Use when: now\n  |                  ^^\n"];
    check("a colon that is not quoted", "license: Use when: now", &colon);
    let wide = ["SKILL.md:4:12\n", "\n4 | license: 茶道: 始\n  |              ^^\n"];
    check("wide characters take two columns", "license: 茶道: 始", &wide);
    let tab = ["SKILL.md:5:4\n", "\n5 | -     \"!odd\"\n  |       ^^^^^^\n"];
    check("a tab takes four", "permissions:\n-\t \"!odd\"", &tab);
    let item =
        ["SKILL.md:4:27\n", "\n4 | permissions: [\"@network\", \"!odd\"]\n  |                           ^^^^^^\n"];
    check("an item of a list", "permissions: [\"@network\", \"!odd\"]", &item);
    let further = ["SKILL.md:4:10\n", "\n4 | sandbox: [yes,\n  |          ^^^^^\n"];
    check("what goes on below", "sandbox: [yes,\n  no]", &further);
}

#[test]
fn answers_in_json() {
    let t = Place::usual(&[]);
    t.shape("list", &["list"], 0, &["dialect", "skills", "shadowed", "findings"]);
    t.shape("tree", &["tree"], 0, &["dialect", "skills", "shadowed", "findings"]);
    let prompt = ["text", "guidance", "list", "shown", "shortened", "left_out", "cost", "budget"];
    t.shape("prompt", &["prompt", "--budget", "300"], 0, &prompt);
    t.shape("an empty prompt", &["prompt", "--only-roots"], 0, &prompt);
    t.shape("load", &["load", "pdf"], 0, &["key", "text", "files", "children", "findings"]);
    t.shape("load, unknown", &["load", "nope"], 1, &["error"]);
    t.shape("tool", &["tool"], 0, &["name", "description", "input_schema"]);
    t.shape("no tool", &["tool", "--only-roots"], 1, &["error"]);
    t.shape("call, refused", &["call", "{\"name\": \"secret\"}"], 1, &["ok", "error"]);
    t.shape("call, no JSON", &["call", "{"], 1, &["ok", "error"]);
    t.shape("invoke, a message", &["invoke", "hello"], 1, &["kind", "text", "error"]);
    t.shape("complete", &["complete", "p"], 0, &["commands"]);
    t.shape("match", &["match", "x"], 2, &["error"]);
    t.shape("why", &["why", "pdf"], 0, &["asked", "outcomes"]);
    t.shape("matrix", &["matrix"], 0, &["dialects", "rows"]);
    t.shape("matrix, no such dialect", &["matrix", "--dialects", "latin"], 2, &["error"]);
    t.shape("why, never seen", &["why", "zzz"], 1, &["asked", "outcomes", "error"]);
    t.shape("check, passed", &["check", "../extra"], 0, &["findings"]);
    t.shape("check, failed", &["check"], 1, &["findings", "error"]);
    t.shape("check, no path", &["check", "nope"], 2, &["error"]);
    t.shape("state", &["state"], 0, &["states"]);
    t.shape("state, refused", &["state", "pdf", "full", "--project-level"], 1, &["states", "error"]);
    t.shape("dialects", &["dialect"], 0, &["dialects", "files"]);
    t.shape("version", &["version"], 0, &["version"]);
    t.shape("no command", &[], 0, &["clients", "findings", "nested"]);
}

#[test]
fn values_in_json() {
    let place = Place::usual(&[]);
    let (_, list) = place.json(&["list"]);
    assert_eq!(list.get("dialect").and_then(Json::as_text), Some("agentskills"));
    assert_eq!(texts(&list, "shadowed", "key"), ["pdf"]);
    for path in texts(&list, "skills", "path").into_iter().chain(texts(&list, "shadowed", "by")) {
        assert!(Path::new(path).is_absolute() && Path::new(path).exists(), "{path}");
    }
    assert!(texts(&list, "findings", "code").contains(&"description-missing"), "{list}");

    let (_, call) = place.json(&["call", "{\"name\": \"pdf\"}"]);
    assert_eq!(call.get("ok"), Some(&Json::Bool(true)));
    assert_eq!(call.get("kind").and_then(Json::as_text), Some("inline"));

    let text = place.say(&["prompt"]).out;
    let (_, prompt) = place.json(&["prompt"]);
    assert_eq!(prompt.get("text").and_then(Json::as_text).map(|text| format!("{text}\n")), Some(text), "to the byte");
}

#[test]
fn error_codes() {
    let place = Place::usual(&[]);
    let check = |words: &[&str], code: &str| {
        assert_eq!(error_code(&place.say(words).json()), Some(code), "{words:?}");
    };
    check(&["load", "nope", "--json"], "unknown");
    check(&["load", "secret", "--as", "model", "--json"], "not-for-model");
    check(&["load", "pdf", "--disable", "pdf", "--json"], "disabled");
    check(&["match", "x", "--json"], "not-in-dialect");
    check(&["list", "--root", "x", "--json"], "no-directory");
    check(&["list", "--dialect", "x", "--json"], "unknown-dialect");
    check(&["--json", "bogus"], "usage");
    check(&["load", "--json"], "usage");
    check(&["list", "--json", "--mount", "x"], "usage");
    let near = place.say(&["--json", "list", "--dialec", "x"]).json();
    holds("the nearest option", &field(&near, "error.help"), &["--dialect"]);
    check(&["check", "--json"], "check-failed");
    check(&["invoke", "hello", "--json"], "ordinary-message");
}

#[test]
fn options_stand_before_and_after() {
    let place = Place::usual(&[]);
    let check = |case: &str, words: &[&str], expect: &[&str]| {
        let said = place.say(words);
        assert_eq!((said.code, texts(&said.json(), "skills", "key")), (Some(0), expect.to_vec()), "{case}");
    };
    check("before", &["--json", "--only-roots", "--root", "../extra", "list"], &["one"]);
    check("after", &["list", "--json", "--only-roots", "--root", "../extra"], &["one"]);
    let both = ["--root", "../extra", "--only-roots", "list", "--root", "../more", "--json"];
    check("lists are joined", &both, &["one", "two"]);
    let one_side = ["list", "--root", "../extra", "--root=../more", "--only-roots", "--json"];
    check("several on one side", &one_side, &["one", "two"]);
    let later = ["--dialect", "latin", "--json", "--only-roots", "list", "--dialect", "agentskills"];
    check("the later one counts", &later, &[]);
    check("also on one side", &["list", "--dialect=x", "--dialect=sven", "--json", "--only-roots"], &[]);
}

#[test]
fn the_home_may_be_absent() {
    let own = ("home/.agents/skills/own/SKILL.md", "---\nname: own\ndescription: Mine.\n---\n");
    let place = Place::usual(&[own]);
    let check = |case: &str, command: &mut Command, expect: bool| {
        let said = said(command);
        let seen = texts(&said.json(), "skills", "key").contains(&"own");
        assert_eq!((said.code, seen), (Some(0), expect), "{case}: {}", said.err);
    };
    let words = ["list", "--json"];
    check("from the environment", &mut place.command(&words), true);
    check("unset", place.command(&words).env_remove("HOME").env_remove("USERPROFILE"), false);
    check("empty", place.command(&words).env("HOME", "").env("USERPROFILE", ""), false);
    check("given", place.command(&["list", "--json", "--home", "../home"]).env_remove("HOME"), true);
}

#[cfg(unix)]
#[test]
fn nothing_hostile_reaches_a_terminal() {
    let skill =
        "---\nname: evil\ndescription: \"red \\e[31m and \\u202E back\\nnext\"\n---\nBody \u{1b}[31m \u{9b}31m.\n";
    let place = Place::usual(&[("project/.claude/skills/a\u{1b}[2Jb\n\u{202e}/SKILL.md", skill)]);
    for words in [
        &["list"][..],
        &["tree"],
        &["check"],
        &["why", "evil"],
        &["list", "--dialect", "sven"],
        &["tree", "--dialect", "sven"],
        &["complete", ""],
        &["load", "no\u{1b}[2J"],
        &["load", "evil", "--json"],
    ] {
        let said = place.say(words);
        for output in [&said.out, &said.err] {
            let raw = output.find(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}');
            assert_eq!(raw.and_then(|at| output.get(at..)), None, "{words:?}");
        }
    }
    let keys = place.say(&["list", "--dialect", "sven"]).out;
    holds("keys are escaped (24)", &keys, &["a\\u{1b}[2Jb\\u{a}\\u{202e}"]);
    holds("paths are escaped", &place.say(&["check"]).out, &["\\u{1b}[2Jb"]);
}

#[test]
fn colours_are_asked_for() {
    let place = Place::usual(&[]);
    let check = |case: &str, command: &mut Command, expect: bool| {
        let said = said(command);
        assert_eq!((said.out.contains('\u{1b}'), said.err.contains('\u{1b}')), (expect, expect), "{case}");
    };
    check("no terminal", &mut place.command(&["list"]), false);
    check("always", &mut place.command(&["list", "--color", "always"]), true);
    check("never", &mut place.command(&["--color=never", "list"]), false);
    check("NO_COLOR", place.command(&["list"]).env("NO_COLOR", "1"), false);
    check("asked for beats NO_COLOR", place.command(&["--color", "always", "list"]).env("NO_COLOR", "1"), true);
    let usage = said(&mut place.command(&["bogus", "--color", "always"]));
    assert!(usage.err.contains('\u{1b}') && usage.out.is_empty(), "usage, too");
    let json = said(&mut place.command(&["list", "--json", "--color", "always"]));
    assert!(!json.out.contains('\u{1b}'), "JSON has none");
}

#[test]
fn a_broken_pipe_is_success() {
    let place = Place::usual(&[]);
    for words in [&["list"][..], &["dialect", "sven"], &["check"], &["load", "pdf"], &["help"], &["--json", "list"]] {
        // A pipe whose reader is gone: the input of a child that has ended without reading.
        let mut reader = place.command(&["version"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let pipe = reader.stdin.take().unwrap();
        reader.wait().unwrap();
        let status = place.command(words).stdout(pipe).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(0), "{words:?}");
    }
    // More than a pipe holds, whose reader goes while it is written.
    let skill =
        |number: usize| (format!("more/{number}/SKILL.md"), format!("---\ndescription: {}\n---\n", "x".repeat(900)));
    let skills: Vec<_> = (0..300).map(skill).collect();
    let skills: Vec<_> = skills.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let place = Place::usual(&skills);
    for words in [["--json", "list", "--root", "../more"], ["--json", "tree", "--root", "../more"]] {
        let mut child = place.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut some = [0; 1_000];
        child.stdout.take().unwrap().read_exact(&mut some).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{words:?}");
        #[cfg(target_os = "linux")]
        {
            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = place.command(&words).stdout(full).stderr(Stdio::piped()).output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{words:?}: no room");
            assert!(errors.starts_with("error: standard output: "), "{words:?}: {errors}");
        }
    }
}

#[test]
fn the_environment_names_the_usual_dialect() {
    let t = Place::usual(&[]).env("SKILLTREE_DIALECT", "sven");
    t.fields("a variable", &["list"], 0, &[("dialect", "\"sven\"")]);
    t.fields("an option beats it", &["list", "--dialect", "claude"], 0, &[("dialect", "\"claude\"")]);
    t.check("a stub names it", &["tool", "--stub", "python"], 0, &["--dialect=sven"], &[]);
    let empty = Place::usual(&[]).env("SKILLTREE_DIALECT", "");
    empty.fields("an empty one is none", &["list"], 0, &[("dialect", "\"agentskills\"")]);
    let wrong = Place::usual(&[]).env("SKILLTREE_DIALECT", "x");
    wrong.check("one that is none", &["list"], 2, &[], &["unknown dialect `x`", "help:", "SKILLTREE_DIALECT"]);
}
