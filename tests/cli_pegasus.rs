//! The real binary, for skills that take arguments, run apart, or want commands run first.
#![cfg(feature = "cli")]

mod common;

use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::process::{Command, Output, Stdio};

const FILES: &[(&str, &str)] = &[
    (
        "/project/skills/look/SKILL.md",
        "---\ndescription: Looks.\nargument-hint: \"[at]\"\nallowed-tools: read_file\nmodel: large\n---\nAt $0.\n",
    ),
    ("/project/skills/apart/SKILL.md", "---\ndescription: Apart.\ncontext: fork\n---\nAt $ARGUMENTS.\n"),
    ("/project/skills/hidden/SKILL.md", "---\ndescription: D\ndisable-model-invocation: true\n---\nHush.\n"),
    ("/project/data/skills/mine/SKILL.md", "---\ndescription: Mine.\nuser-invocable: false\n---\nMine.\n"),
    ("/bundled/tea/SKILL.md", "---\ndescription: Ships.\n---\nTea.\n"),
    (
        "/home/.claude/skills/now/SKILL.md",
        "---\ndescription: Now.\nshell: bash\narguments: what\n---\nSay $what.\n\n!`date +%s`\n\nEnd.\n",
    ),
    ("/home/.claude/skills/var/SKILL.md", "---\ndescription: V\n---\n${CLAUDE_SESSION_ID} $0\n"),
    (
        "/project/.claude/skills/fork/SKILL.md",
        "---\ndescription: F\ncontext: fork\nbackground: no\neffort: low\ndisallowed-tools: Write\nallowed-tools: Read\n---\nGo.\n",
    ),
];

fn say(words: &[&str]) -> Output {
    let folder = FILES.iter().fold(Tree::default(), |tree, (path, text)| tree.with(path, *text)).folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_skilltree"));
    command.args(words).current_dir(folder.path().join("project")).env_clear();
    command.env("HOME", folder.path().join("home")).env("CLAUDE_SESSION_ID", "seven").stdin(Stdio::null());
    command.output().expect("the binary runs")
}

/// What a command says in text: all of standard output, and a part of standard error.
#[track_caller]
fn check(case: &str, words: &[&str], code: i32, out: &str, err: &str) {
    let said = say(words);
    let (got, told) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert_eq!((said.status.code(), got.as_ref()), (Some(code), out), "{case}: {told}");
    assert!(if err.is_empty() { told.is_empty() } else { told.contains(err) }, "{case}: {told}");
}

/// Fields of a JSON document, by paths with dots; what is not there is `-`.
#[track_caller]
fn json(case: &str, words: &[&str], code: i32, expect: &[(&str, &str)]) {
    let said = say(&[words, &["--json"]].concat());
    assert_eq!(said.status.code(), Some(code), "{case}");
    let json = Json::parse(&String::from_utf8_lossy(&said.stdout)).expect("one JSON document");
    for (path, value) in expect {
        let found = path.split('.').try_fold(&json, |json, name| json.get(name));
        assert_eq!(found.map_or_else(|| "-".to_owned(), Json::to_string), *value, "{case}: {path}");
    }
}

#[test]
fn arguments() {
    let p = ["--dialect", "pegasus"];
    let p = |words: &[&'static str]| [&p, words].concat();
    check("33 load with arguments", &p(&["load", "look", "--args", "a b"]), 0, "At a.\n\nARGUMENTS: a b\n", "");
    check("33 load with none", &p(&["load", "look"]), 0, "At $0.\n", "");
    check("33 arguments like options", &p(&["load", "look", "--args", "-x"]), 0, "At -x.\n\nARGUMENTS: -x\n", "");
    check("33 a message", &p(&["invoke", "/look a b"]), 0, "[Skill: look]\n\nAt a.\n\nARGUMENTS: a b\n", "");
    check("33 a call", &p(&["call", r#"{"skill":"look","args":"a"}"#]), 0, "At a.\n\nARGUMENTS: a\n", "");
    check("31 not for the user", &p(&["invoke", "/mine x"]), 1, "/mine x\n", "");
    check("18 not for the model", &p(&["call", r#"{"skill":"hidden"}"#]), 1, "", "hidden from the model");
    check("a wording", &p(&["call", r#"{"skill":"lock"}"#]), 1, "", r#"Skill "lock" not found; did you mean `look`?"#);
    check("bundled", &p(&["--bundled", "../bundled", "load", "tea"]), 0, "Tea.\n", "");
    check("no states here", &p(&["state"]), 2, "", "has no states");
    check("a row", &p(&["complete", "lo"]), 0, "/look  [at]  Looks.\n", "");
    let call = p(&["call", r#"{"skill":"look","args":"a"}"#]);
    json(
        "35 a call",
        &call,
        0,
        &[("ok", "true"), ("kind", "\"inline\""), ("tools", "[\"read_file\"]"), ("model", "\"large\"")],
    );
    json("a refusal", &p(&["call", r#"{"skill":"lock"}"#]), 1, &[("ok", "false"), ("error.code", "\"unknown\"")]);
    check("33 a host's variable", &["--dialect", "claude", "load", "var", "--args", "x"], 0, "seven x\n", "");
}

#[test]
fn forks_and_commands() {
    check(
        "34 the task",
        &["--dialect", "pegasus", "invoke", "/apart x"],
        0,
        "At x.\n",
        "an agent of its own (`general`)",
    );
    let fork =
        [("kind", "\"fork\""), ("text", "\"At x.\""), ("agent", "\"general\""), ("model", "null"), ("tools", "null")];
    json("34 the decision", &["--dialect", "pegasus", "invoke", "/apart x"], 0, &fork);
    let more = [("permissions", "[]"), ("granted_by", "\"apart Skill\""), ("background", "-")];
    json("34 and its grants", &["--dialect", "pegasus", "invoke", "/apart x"], 0, &more);
    let fork = [("effort", "\"low\""), ("background", "false"), ("disallowed_tools", "[\"Write\"]"), ("tools", "[]")];
    json("34 a fork with more", &["--dialect", "claude", "invoke", "/fork"], 0, &fork);
    json("21 granted", &["--dialect", "claude", "--trust", "invoke", "/fork"], 0, &[("tools", "[\"Read\"]")]);
    let now = ["--dialect", "claude", "invoke", "/now tea"];
    check("35 in text", &now, 0, "date +%s\n", "these commands run first");
    let pending = [
        ("kind", "\"pending\""),
        ("key", "\"now\""),
        ("commands", "[\"date +%s\"]"),
        ("words", "[\"tea\"]"),
        ("pieces", "[\"Say tea.\\n\\n\",\"\\n\\nEnd.\"]"),
        ("variables.ARGUMENTS", "\"tea\""),
        ("shell", "\"bash\""),
        ("trusted", "true"),
        ("then.kind", "\"inline\""),
    ];
    json("35 as data", &now, 0, &pending);
    check("35 as written", &["--dialect", "claude", "load", "now"], 0, "Say .\n\n!`date +%s`\n\nEnd.\n", "");
}
