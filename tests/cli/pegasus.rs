//! The real binary, for skills that take arguments, run apart, or want commands run first.

use crate::common;

use crate::program::{Place, field};
use common::Tree;
use skilltree::Json;

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

/// A line with the name of a command of the client never reaches a skill (rule 14.2), which a host may load for the user all the same.
#[test]
fn skills_with_the_name_of_a_command_of_the_client() {
    let skill = |flag: &str| format!("---\ndescription: D\n{flag}---\nText.\n");
    let hidden = skill("disable-model-invocation: true\n");
    let tree =
        Tree::default().with("/project/skills/help/SKILL.md", skill("")).with("/project/skills/clear/SKILL.md", hidden);
    let t = Place::of(tree);
    let p = |words: &[&'static str]| [&["--dialect", "pegasus"], words].concat();
    let rows = "KEY    SOURCE   FOR    DESCRIPTION\nclear  builtin  off    D\nhelp   builtin  model  D\n";
    t.check("listed", &p(&["list"]), 0, &[rows], &["warning[unreachable]"]);
    t.exact("loaded", &p(&["load", "clear"]), 0, "Text.\n", "");
    t.check(
        "explained",
        &p(&["why", "clear"]),
        0,
        &["`/clear` is a command of pegasus itself", "rename the skill"],
        &[],
    );
    t.check("reported", &p(&["check", "--strict"]), 0, &["warning[unreachable]"], &[]);
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
        "note: `/mine` is not a command, so the line is an ordinary message: the skill `mine` is hidden from the user\n",
    );
    t.exact("rule 9.1: not for the model", &p(&["call", r#"{"skill":"hidden"}"#]), 1, "", "hidden from the model");
    t.exact(
        "a wording",
        &p(&["call", r#"{"skill":"lock"}"#]),
        1,
        "",
        "error: Skill \"lock\" not found\nhelp: did you mean `look`?\n",
    );
    t.exact("bundled", &p(&["--bundled", "../bundled", "load", "tea"]), 0, "Tea.\n", "");
    t.exact("no states of its own", &p(&["state", "look", "on"]), 0, "look full\n", "");
    t.exact("a row", &p(&["complete", "lo"]), 0, "/look  [at]  Looks.\n", "");
    let call = p(&["call", r#"{"skill":"look","args":"a"}"#]);
    t.fields(
        "rule 13.7: a call",
        &call,
        0,
        &[("ok", "true"), ("kind", "\"inline\""), ("tools", "[\"read_file\"]"), ("model", "\"large\"")],
    );
    let refusal = [
        ("ok", "false"),
        ("error.code", "\"unknown\""),
        ("error.message", r#""Skill \"lock\" not found""#),
        ("error.near", "[\"look\"]"),
    ];
    t.fields("rule 15.6: a refusal", &p(&["call", r#"{"skill":"lock"}"#]), 1, &refusal);
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
    let fork = [
        ("kind", "\"fork\""),
        ("text", "\"At x.\""),
        ("agent", "\"general\""),
        ("model", "\"default\""),
        ("tools", "null"),
    ];
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

/// The load tool answers with the task, and with what the agent says if it waits for it.
#[test]
fn a_call_that_starts_a_task() {
    let t = place().env("PATH", crate::program::PATH);
    let call = |words: &[&'static str]| {
        [&["--dialect", "pegasus"], words, &["call", r#"{"skill":"apart","args":"x"}"#]].concat()
    };
    let said = t.say(&call(&[]));
    let answer = Json::parse(&said.out).expect("one document");
    let names = |json: &Json| match json {
        Json::Map(fields) => fields.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(),
        other => panic!("{other}"),
    };
    assert_eq!((said.code, names(&answer)), (Some(0), vec!["taskId".to_owned(), "status".to_owned()]), "{}", said.out);
    assert_eq!(field(&answer, "status"), "\"spawned\"");
    assert!(said.err.contains("this is a task for a separate agent (`general`)"), "{}", said.err);
    let id = field(&answer, "taskId");
    assert_eq!(t.say(&call(&[])).out, said.out, "the same task has the same name");
    let spawned =
        [("ok", "true"), ("kind", "\"fork\""), ("taskId", &*id), ("status", "\"spawned\""), ("text", "\"At x.\"")];
    t.fields("rule 16.4: as data", &call(&[]), 0, &spawned);

    let run =
        |agent: &'static str, trust: &[&'static str]| [&call(trust)[..], &["--run", "--agent-command", agent]].concat();
    t.fields(
        "rule 16.4: nothing that is not trusted is started",
        &run("cat", &[]),
        1,
        &[("ok", "false"), ("status", "\"refused\""), ("error.code", "\"untrusted\"")],
    );
    let said = t.say(&run("sed 's/At/Was at/'", &["--trust"]));
    let answer = Json::parse(&said.out).expect("one document");
    assert_eq!((said.code, names(&answer).join(" ")), (Some(0), "taskId status result".to_owned()), "{}", said.err);
    assert_eq!((field(&answer, "status"), field(&answer, "result")), ("\"done\"".into(), "\"Was at x.\"".into()));
    assert_ne!(field(&answer, "taskId"), id, "the name that the host has given it");
    let done = [("ok", "true"), ("status", "\"done\""), ("result", "\"At x.\""), ("task.status", "\"done\"")];
    t.fields("rule 16.4: as data", &run("cat", &["--trust"]), 0, &done);
    let failed = run("sh -c 'echo no; exit 3'", &["--trust"]);
    t.exact(
        "rule 16.4: a text",
        &[&["--dialect", "pegasus", "--trust"][..], &["invoke", "/apart x", "--run", "--agent-command", "cat"]]
            .concat(),
        0,
        "At x.",
        "",
    );
    let fields =
        [("ok", "false"), ("status", "\"failed\""), ("result", "\"no\\n\""), ("error.code", "\"agent-failed\"")];
    t.fields("rule 16.4: an agent that fails", &failed, 1, &fields);
}

/// `/help` and the like are the client's.
#[test]
fn commands_of_the_client() {
    let skill = |name: &str| (format!("/project/skills/{name}/SKILL.md"), "---\ndescription: D\n---\nB.\n");
    let own = ["help", "exit", "clear", "helper"].map(skill);
    let t = Place::of(Tree::default().files(&own.each_ref().map(|(path, text)| (path.as_str(), *text))));
    let t = t.first(&["--dialect", "pegasus"]);
    t.exact("rule 14.2: none is offered", &["complete", ""], 0, "/helper  D\n", "");
    for name in ["help", "exit", "clear"] {
        let line = format!("/{name} me");
        let told = "`pegasus` has a command of its own of this name".to_string();
        t.exact("rule 14.2: none is reached", &["invoke", &line], 1, &format!("{line}\n"), &told);
        let call = format!(r#"{{"skill":"{name}"}}"#);
        t.exact("the model may have it", &["call", &call], 0, "B.\n", "");
    }
}

#[test]
fn lists_and_budgets() {
    let long = format!("---\ndescription: {}\n---\nB.\n", "x".repeat(200));
    let t = Place::of(Tree::default().files(&[
        ("/project/skills/a/SKILL.md", "---\ndescription: A\n---\nB.\n"),
        ("/project/skills/b/SKILL.md", &long),
        ("/project/skills/c/SKILL.md", "---\ndescription: C\ncontext: fork\nagent: explore\nmodel: large\n---\nB.\n"),
    ]));
    let t = t.first(&["--dialect", "pegasus"]);
    let (_, list) = t.json(&["list"]);
    assert_eq!(crate::program::texts(&list, "skills", "context"), ["inline", "inline", "fork"]);
    assert_eq!(crate::program::texts(&list, "skills", "agent"), ["general", "general", "explore"]);
    assert_eq!(crate::program::texts(&list, "skills", "model_name"), ["default", "default", "large"]);
    let listed = "Available skills:\n- a: A\n- c: C\n\nUse the use_skill tool to invoke a skill when relevant.\n";
    let told = "note: 1 of 3 skills is left out of the prompt to fit its budget: `b`; use a larger `--budget`";
    t.exact("rule 11.3: one that is too long", &["prompt", "--budget", "60"], 0, listed, told);
}

#[test]
fn what_a_forked_skill_takes() {
    let t = place();
    let apart = ["--dialect", "pegasus", "load", "apart"];
    t.exact("a note", &apart, 0, "At .\n", "`--args TEXT`");
    t.exact("none with arguments", &[&apart[..], &["--args", "x"]].concat(), 0, "At x.\n", "");
    t.exact("in claude", &["--dialect", "claude", "load", "fork", "--trust"], 0, "Go.\n", "`--args TEXT`");
}
