//! The real binary on skills with toolsets: what is listed, what a call says, and what is refused.
#![cfg(unix)]

use crate::common;

use crate::program::{PATH, Place, error_code, said, texts};
use common::Tree;
use common::runtimes::runtime;
use pretty_assertions::assert_eq;
use skilltree::Json;
use skilltree::host::Programs;
use std::path::Path;

const TOOLS: &str = r#"
import json, sys

def greet(name: str, times: int = 1) -> str:
    """Greets somebody, in words."""
    return " ".join([f"Hello, {name}!"] * times)

def report(ctx):
    """Says all that a tool may say."""
    return {"title": "Done", "metadata": {"key": ctx["skill"]["key"]}, "output": "Said\x1b[31m."}

def fails():
    raise ValueError("no luck")

def hangs():
    while True:
        pass

MyToolset = [greet, report, fails, hangs]
"#;

const FILES: &[(&str, &str)] = &[
    ("good/toolsets/index.py", TOOLS),
    (
        "good/SKILL.md",
        "---\nname: good\ndescription: Good.\ntoolsets: [\"toolsets/index:MyToolset\", \"gone:X\"]\n---\n",
    ),
    ("bad/t.py", "print('before')\nraise ValueError('bad luck')"),
    ("bad/SKILL.md", "---\nname: bad\ndescription: Bad.\ntoolsets: [\"t:X\"]\n---\n"),
    ("lost/SKILL.md", "---\nname: lost\ndescription: Lost.\ntoolsets: [\"t:X\"]\n---\n"),
    ("typed/t.ts", "export const X = { one: (args: { a: string }) => `got ${args.a}` };"),
    ("typed/SKILL.md", "---\nname: typed\ndescription: Typed.\ntoolsets: [\"t:X\"]\n---\n"),
    ("worse/SKILL.md", "---\nname: worse\ndescription: Worse.\ntoolsets: [\"t:X\", \"gone:X\", \"u:X\"]\n---\n"),
    ("worse/t.py", "raise ValueError('bad luck')"),
    ("worse/u.py", "raise ValueError('no luck')"),
    ("gone/SKILL.md", "---\nname: gone\ndescription: Gone.\ntoolsets: [\"t:X\", \"u:X\"]\n---\n"),
    ("none/SKILL.md", "---\nname: none\ndescription: None.\n---\n"),
];

impl Place {
    /// A project with the skills, and a PATH with this program in front.
    fn with(program: &str, file: &Path) -> Place {
        let at = |path: &str| format!("/project/.agent/skills/{path}");
        let tree = FILES.iter().fold(Tree::default(), |tree, (path, text)| tree.with(&at(path), *text));
        let place = Place::of(tree.with_dir("/bin")).first(&["--dialect", "agent-base", "toolset"]);
        let bin = place.at("bin");
        std::os::unix::fs::symlink(file, bin.join(program)).unwrap();
        place.env("PATH", format!("{}:{PATH}", bin.display()))
    }

    fn python() -> Option<Place> {
        let python = Programs::of_environment().find("python3").or_else(|| runtime("python"))?;
        Some(Place::with("python3", &python))
    }

    /// Exit code, and the code of the error.
    #[track_caller]
    fn refuses(&self, case: &str, words: &[&str], exit: i32, code: &str) {
        let (got, json) = self.json(words);
        assert_eq!((got, error_code(&json)), (Some(exit), Some(code)), "{case}: {json}");
        let ok = (words[0] == "call").then_some(&Json::Bool(false));
        assert_eq!(json.get("ok"), ok, "{case}: {json}");
    }
}

#[test]
fn what_is_listed() {
    let Some(place) = Place::python() else { return };
    let table = "\
TOOL    DESCRIPTION
greet   Greets somebody, in words.
report  Says all that a tool may say.
fails
hangs
";
    let missing = "SKILL.md: error[toolset-missing]: the toolset `gone:X` does not exist";
    place.exact("a table", &["list", "good", "--trust"], 0, table, missing);
    let (code, json) = place.json(&["list", "good", "--trust"]);
    let Some(Json::List(tools)) = json.get("tools") else { panic!("{json}") };
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"},"times":{"type":"integer","default":1}},"required":["name"],"additionalProperties":false}"#;
    let first = format!(
        r#"{{"name":"greet","description":"Greets somebody, in words.","input_schema":{schema},"toolset":"toolsets/index:MyToolset","key":"good"}}"#
    );
    assert_eq!((code, tools.len(), tools[0].to_string()), (Some(0), 4, first));
    assert_eq!(texts(&json, "findings", "code").first(), Some(&"toolset-missing"));

    place.refuses("one that cannot be loaded", &["list", "bad", "--trust"], 1, "toolset-failed");
    place.check("and why", &["list", "bad", "--trust"], 1, &[], &["error: ", "ValueError: bad luck", "before"]);
    place.refuses("one that is not there", &["list", "lost", "--trust"], 1, "toolset-missing");
    place.refuses("none at all", &["list", "none", "--trust"], 1, "no-toolsets");
    place.exact("which is said", &["list", "none"], 1, "", "the skill `none` has no toolsets");
    place.refuses("not trusted", &["list", "good"], 1, "untrusted");
    place.refuses("unknown", &["list", "goood", "--trust"], 1, "unknown");
}

#[test]
fn every_failure_is_told() {
    let Some(place) = Place::python() else { return };
    for (key, codes, message) in [
        (
            "worse",
            &["toolset-missing", "toolset-failed", "toolset-failed"] as &[_],
            "none of the 3 toolsets of the skill `worse`",
        ),
        ("gone", &["toolset-missing", "toolset-missing"], "none of the 2 toolsets of the skill `gone`"),
        ("bad", &["toolset-failed"], "the toolset `t:X` of the skill `bad` failed"),
        ("lost", &["toolset-missing"], "the toolset `t:X` does not exist"),
    ] {
        let list = ["list", key, "--trust"];
        let (code, json) = place.json(&list);
        let Some(Json::List(findings)) = json.get("findings") else { panic!("{key}: {json}") };
        let mut found: Vec<_> = findings.iter().filter_map(|found| found.get("code")?.as_text()).collect();
        found.sort_by_key(|code| *code != "toolset-missing");
        assert_eq!((code, found, json.get("tools")), (Some(1), codes.to_vec(), Some(&Json::List(vec![]))), "{json}");
        let told = json.get("error").and_then(|error| error.get("message")?.as_text()).unwrap_or_default();
        assert!(told.starts_with(message), "{key}: {told}");
        place.check(key, &list, 1, &[], &[message]);
    }
    let each = ["`gone:X` does not exist", "ValueError: bad luck", "ValueError: no luck", "error: none of the 3"];
    place.check("each on standard error", &["list", "worse", "--trust"], 1, &[], &each);
    let said = place.say(&["list", "bad", "--trust"]).err;
    assert_eq!(said.matches("ValueError: bad luck").count(), 1, "{said}");
}

#[test]
fn what_a_call_says() {
    let Some(place) = Place::python() else { return };
    let call = |tool, json| ["call", "good", tool, json, "--trust"];
    let twice = r#"{"name": "Ada", "times": 2}"#;
    place.exact("the output", &call("greet", twice), 0, "Hello, Ada! Hello, Ada!\n", "");
    place.exact("to the byte, in a pipe", &call("report", "{}"), 0, "Said\x1b[31m.\n", "");
    let (code, json) = place.json(&call("report", "{}"));
    let result = r#"{"ok":true,"result":{"title":"Done","metadata":{"key":"good"},"output":"Said\u001b[31m."}}"#;
    assert_eq!((code, json.to_string().as_str()), (Some(0), result));

    place.refuses("a tool that fails", &call("fails", "{}"), 1, "tool-failed");
    place.exact("and why", &call("fails", "{}"), 1, "", "error: the tool `fails` failed: ValueError: no luck");
    place.refuses("wrong arguments", &call("greet", "{}"), 1, "bad-arguments");
    place.refuses("no JSON", &call("greet", "{"), 1, "bad-arguments");
    place.refuses("no object", &call("greet", "-1"), 1, "bad-arguments");
    place.refuses("no such tool", &call("gret", "{}"), 1, "tool-unknown");
    place.exact("what is near", &call("gret", "{}"), 1, "", "unknown tool `gret`; did you mean `greet`?");
    place.refuses("no such skill", &["call", "goood", "greet", "{}"], 1, "unknown");
    place.refuses("not trusted", &["call", "good", "greet", "{}"], 1, "untrusted");
    place.refuses("none at all", &["call", "none", "greet", "{}", "--trust"], 1, "no-toolsets");
    let late = ["call", "--timeout", "1.5", "good", "hangs", "{}", "--trust"];
    place.refuses("too long", &late, 1, "timed-out");
    place.exact("how long", &late, 1, "", "gave no answer within 1.5 s");
}

#[test]
fn in_typescript() {
    for name in ["bun", "deno", "node"] {
        let Some(program) = runtime(name) else { return };
        let place = Place::with(name, &program);
        let call = ["call", "typed", "one", r#"{"a": "b"}"#, "--trust"];
        place.exact(name, &call, 0, "got b\n", "");
    }
}

#[test]
fn nothing_to_run_it() {
    let place = Place::with("nothing", "/bin/sh".as_ref());
    let mut command = place.command(&["--trust", "list", "typed", "--json"]);
    let said = said(command.env("PATH", place.at("bin")));
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    assert_eq!(error_code(&said.json()), Some("program-missing"));
    assert!(said.err.contains("`bun` or `deno` or `node"), "{}", said.err);
}

#[test]
fn words_that_are_wrong() {
    let place = Place::with("nothing", "/bin/sh".as_ref());
    for words in [&["list"] as &[&str], &["call", "good", "greet"], &["list", "good", "--timeout", "0"], &[]] {
        assert_eq!(place.say(words).code, Some(2), "{words:?}");
    }
}
