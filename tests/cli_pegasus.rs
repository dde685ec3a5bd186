//! The real binary, for skills that take arguments, run apart, or want commands run first.
#![cfg(feature = "cli")]

use crate::common;

use common::Tree;
use common::program::Place;

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
    ("/home/.claude/skills/secret/SKILL.md", "---\ndescription: S\nuser-invocable: false\n---\n!`true` !`date`\n"),
    ("/home/.claude/skills/var/SKILL.md", "---\ndescription: V\n---\n${CLAUDE_SESSION_ID} $0\n"),
    (
        "/project/.claude/skills/fork/SKILL.md",
        "---\ndescription: F\ncontext: fork\nbackground: no\neffort: low\ndisallowed-tools: Write\nallowed-tools: Read\n---\nGo.\n",
    ),
];

fn place() -> Place {
    Place::of(Tree::default().files(FILES)).env("CLAUDE_SESSION_ID", "seven")
}

#[test]
fn arguments() {
    let t = place();
    let p = ["--dialect", "pegasus"];
    let p = |words: &[&'static str]| [&p, words].concat();
    t.exact(
        "rule 13.2: load with arguments",
        &p(&["load", "look", "--args", "a b"]),
        0,
        "At a.\n\nARGUMENTS: a b\n",
        "",
    );
    t.exact("rule 13.2: load with none", &p(&["load", "look"]), 0, "At $0.\n", "");
    t.exact(
        "rule 13.2: arguments like options",
        &p(&["load", "look", "--args", "-x"]),
        0,
        "At -x.\n\nARGUMENTS: -x\n",
        "",
    );
    t.exact("rule 14.6: a message", &p(&["invoke", "/look a b"]), 0, "[Skill: look]\n\nAt a.\n\nARGUMENTS: a b\n", "");
    t.exact("rule 13.2: a call", &p(&["call", r#"{"skill":"look","args":"a"}"#]), 0, "At a.\n\nARGUMENTS: a\n", "");
    t.exact(
        "rule 14.1: not for the user",
        &p(&["invoke", "/mine x"]),
        1,
        "/mine x\n",
        "note: `/mine` is no command, so the line is an ordinary message: the skill `mine` is hidden from the user\n",
    );
    t.exact("rule 9.1: not for the model", &p(&["call", r#"{"skill":"hidden"}"#]), 1, "", "hidden from the model");
    t.exact(
        "a wording",
        &p(&["call", r#"{"skill":"lock"}"#]),
        1,
        "",
        r#"Skill "lock" not found; did you mean `look`?"#,
    );
    t.exact("bundled", &p(&["--bundled", "../bundled", "load", "tea"]), 0, "Tea.\n", "");
    t.exact("no states of its own", &p(&["state", "look", "next"]), 2, "", "is no state in the dialect");
    t.exact("a row", &p(&["complete", "lo"]), 0, "/look  [at]  Looks.\n", "");
    let call = p(&["call", r#"{"skill":"look","args":"a"}"#]);
    t.fields(
        "rule 13.7: a call",
        &call,
        0,
        &[("ok", "true"), ("kind", "\"inline\""), ("tools", "[\"read_file\"]"), ("model", "\"large\"")],
    );
    t.fields("a refusal", &p(&["call", r#"{"skill":"lock"}"#]), 1, &[("ok", "false"), ("error.code", "\"unknown\"")]);
    t.exact("rule 13.6: a host's variable", &["--dialect", "claude", "load", "var", "--args", "x"], 0, "seven x\n", "");
}

#[test]
fn forks_and_commands() {
    let t = place();
    t.exact(
        "rule 16.4: the task",
        &["--dialect", "pegasus", "invoke", "/apart x"],
        0,
        "At x.\n",
        "a separate agent (`general`)",
    );
    let fork =
        [("kind", "\"fork\""), ("text", "\"At x.\""), ("agent", "\"general\""), ("model", "null"), ("tools", "null")];
    t.fields("rule 16.4: the decision", &["--dialect", "pegasus", "invoke", "/apart x"], 0, &fork);
    let more = [("permissions", "[]"), ("granted_by", "\"apart Skill\""), ("background", "-")];
    t.fields("rule 16.6: and its grants", &["--dialect", "pegasus", "invoke", "/apart x"], 0, &more);
    let fork = [("effort", "\"low\""), ("background", "false"), ("disallowed_tools", "[\"Write\"]"), ("tools", "[]")];
    t.fields("rule 16.4: a fork with more", &["--dialect", "claude", "invoke", "/fork"], 0, &fork);
    t.fields(
        "rule 16.2: granted",
        &["--dialect", "claude", "--trust", "invoke", "/fork"],
        0,
        &[("tools", "[\"Read\"]")],
    );
    let now = ["--dialect", "claude", "invoke", "/now tea"];
    t.exact("rule 13.7: in text", &now, 0, "date +%s\n", "these commands to run first");
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
    t.fields("rule 13.7: as data", &now, 0, &pending);
    let load = ["--dialect", "claude", "load", "now"];
    let runs = "note[commands-pending]: the text contains a command that is to run first; none has been run; \
        `skilltree invoke --run /now --dialect claude` runs what is to be run\n";
    t.exact("rule 13.7: as written, and what runs it", &load, 0, "Say .\n\n!`date +%s`\n\nEnd.\n", runs);
    let given = [&load[..], &["--args", "it's tea"]].concat();
    t.exact(
        "with the arguments",
        &given,
        0,
        "Say it's.\n\n!`date +%s`\n\nEnd.\n",
        r"`skilltree invoke --run '/now it'\''s tea' --dialect claude`",
    );
    let expect =
        [("findings.0.code", "\"commands-pending\""), ("findings.0.severity", "\"note\""), ("findings.1", "-")];
    t.fields("rule 13.7: as data", &given, 0, &expect);
    let secret = ["--dialect", "claude", "load", "secret", "--as", "model", "--args", "x"];
    let runs = r#"`skilltree call --run '{"skill":"secret","args":"x"}' --dialect claude` runs"#;
    t.exact("rule 13.7: one that no user invokes", &secret, 0, "!`true` !`date`\n\nARGUMENTS: x\n", runs);
    let said = t.say(&["--json", "--dialect", "claude", "invoke", "/now tea"]).out;
    assert!(!said.contains("commands-pending"), "what is to be run first is told as such: {said}");
    t.exact("no commands in this dialect", &["--dialect", "pegasus", "load", "look"], 0, "At $0.\n", "");
}

#[test]
fn what_a_forked_skill_takes() {
    let t = place();
    let apart = ["--dialect", "pegasus", "load", "apart"];
    t.exact("a note", &apart, 0, "At .\n", "`--args TEXT`");
    t.exact("none with arguments", &[&apart[..], &["--args", "x"]].concat(), 0, "At x.\n", "");
    t.exact("in claude", &["--dialect", "claude", "load", "fork", "--trust"], 0, "Go.\n", "`--args TEXT`");
}
