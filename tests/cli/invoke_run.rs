//! The real binary carrying invocations out: forks at an agent of the user's, and commands that are run first.
#![cfg(unix)]

use crate::common;

use crate::program::{PATH, Place, error_code, field, said};
use common::Tree;
use common::living::{gone, left_in};
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::fs;
use std::process::{Command, Stdio};

const FILES: &[(&str, &str)] = &[
    (
        "/project/skills/code-review/SKILL.md",
        "---\ndescription: Reviews.\ncontext: fork\nallowed-tools: read_file\n---\nReview code changes for $ARGUMENTS:\n",
    ),
    ("/project/skills/tea/SKILL.md", "---\ndescription: Tea.\n---\nBoil $0.\n"),
    (
        "/home/.claude/skills/now/SKILL.md",
        "---\ndescription: Now.\narguments: [what]\n---\nSay $what.\n\n!`pwd; echo \"[$0][$what]\"` !`echo no >&2; test a = b`\n",
    ),
    ("/home/.claude/skills/fails/SKILL.md", "---\ndescription: D\n---\n!`exit 3`\n"),
    (
        "/project/.daycare/skills/theirs/SKILL.md",
        "---\nname: theirs\ndescription: D.\nsandbox: true\npermissions: ['@network']\n---\nBox.\n",
    ),
    (
        "/project/packages/daycare/sources/skills/core/SKILL.md",
        "---\nname: core\ndescription: D.\nsandbox: true\npermissions: ['@network']\n---\nCore.\n",
    ),
    ("/project/.claude/skills/theirs/SKILL.md", "---\ndescription: D\n---\n$0 !`touch ran`\n"),
    ("/project/.claude/skills/apart/SKILL.md", "---\ndescription: D\ncontext: fork\nallowed-tools: Bash\n---\nGo.\n"),
    (
        "/home/.claude/skills/both/SKILL.md",
        "---\ndescription: D\ncontext: fork\nbackground: true\n---\nOn !`touch ran; echo main`.\n",
    ),
    (
        "/shipped/box/SKILL.md",
        "---\nname: box\ndescription: Box.\nsandbox: true\npermissions: ['@network', '@read:/no/such/dir']\n---\nBox.\n",
    ),
];

impl Place {
    fn claude() -> Place {
        place().first(&["--dialect", "claude"])
    }

    fn pegasus() -> Place {
        place().first(&["--dialect", "pegasus", "--bundled", "skills"])
    }

    /// A field of what the agent is told that it may use; `-` where it is not there.
    #[track_caller]
    fn told(&self, words: &[&str], name: &str) -> String {
        let said = self.say(&[words, &[&sh("printf %s \"$SKILLTREE_FORK\"")]].concat());
        field(&said.json(), name)
    }
}

/// A place in which what is decided is carried out.
fn place() -> Place {
    Place::of(Tree::default().files(FILES)).last(&["--run"]).env("PATH", PATH).env("SECRET", "told")
}

/// A shell as the agent.
fn sh(script: &str) -> String {
    format!("--agent-command=sh -c '{script}'")
}

#[test]
fn a_fork_is_given_to_the_agent() {
    let t = Place::pegasus();
    let (cat, review) = ("--agent-command=cat", "/code-review 42");
    let text = "Review code changes for 42:";
    t.exact("rule 16.4: the task", &["invoke", review, &sh("cat; echo seen >&2")], 0, text, "seen\n");
    let expect = [
        ("kind", "\"fork\""),
        ("key", "\"code-review\""),
        ("text", "\"Review code changes for 42:\""),
        ("agent", "\"general\""),
        ("task.status", "\"done\""),
        ("task.code", "0"),
        ("task.output", "\"Review code changes for 42:\""),
        ("task.errors", "\"\""),
        ("task.cut", "false"),
        ("task.timed_out", "false"),
        ("ran", "-"),
        ("error", "-"),
    ];
    t.fields("rule 16.4: as data", &["invoke", review, cat], 0, &expect);
    let call = ["call", r#"{"skill":"code-review","args":"7"}"#, cat];
    let document = t.say(&call).json();
    let answer = ["status", "result"].map(|field| document.get(field).and_then(Json::as_text));
    assert_eq!(answer, [Some("done"), Some("Review code changes for 7:")], "rule 16.4: a call");
    let expect = [("ok", "true"), ("kind", "\"fork\""), ("task.output", "\"Review code changes for 7:\"")];
    t.fields("rule 16.4: a call as data", &call, 0, &expect);
    let expect = format!("told {}\n", t.named("project"));
    let place = sh("printf %s \"$SECRET \"; pwd");
    t.exact("the user's own environment, the project's folder", &["invoke", review, &place], 0, &expect, "");
    let terms = ["key", "tools", "granted_by", "text", "permissions"].map(|field| t.told(&["invoke", review], field));
    assert_eq!(terms, ["\"code-review\"", "[\"read_file\"]", "\"code-review Skill\"", "-", "[]"]);
    t.exact("no fork", &["invoke", "/tea green", cat], 0, "[Skill: tea]\n\nBoil green.\n\nARGUMENTS: green\n", "");
    t.exact("no command", &["invoke", "just text", cat], 1, "just text\n", "");
}

#[test]
fn agents_that_fail() {
    let t = Place::pegasus();
    let review = |agent: String| ["invoke".to_owned(), "/code-review 42".to_owned(), agent];
    let check = |case: &str, agent: String, code: i32, out: &str, err: &str| {
        let words = review(agent);
        t.exact(case, &words.each_ref().map(String::as_str), code, out, err);
    };
    let failed = "error: the agent failed with exit code 7\n";
    check("its own failure", sh("echo half; exit 7"), 1, "half\n", failed);
    check("its errors stay", sh("echo why >&2; exit 7"), 1, "", "why\n");
    check("it is not there", "--agent-command=no-such-agent -p".to_owned(), 2, "", "`no-such-agent`");
    check("nothing", "--agent-command= ".to_owned(), 2, "", "does not name a program");
    check("a relative path", "--agent-command=./agent".to_owned(), 2, "", "absolute path");
    t.exact("no agent", &["invoke", "/code-review 42"], 2, "", "--agent-command COMMAND");
    let expect = [("kind", "\"fork\""), ("error.code", "\"no-agent\""), ("task", "-")];
    t.fields("no agent, as data", &["invoke", "/code-review 42"], 2, &expect);

    let json = |case: &str, agent: String, more: &[&str], code: i32, expect: &[(&str, &str)]| {
        let words = review(agent);
        t.fields(case, &[&words.each_ref().map(String::as_str)[..], more].concat(), code, expect);
    };
    let expect = [
        ("task.status", "\"failed\""),
        ("task.code", "7"),
        ("task.output", "\"half\\n\""),
        ("error.code", "\"agent-failed\""),
    ];
    json("its own failure, as data", sh("echo half; exit 7"), &[], 1, &expect);
    let expect = [
        ("task.status", "\"timed-out\""),
        ("task.code", "124"),
        ("task.timed_out", "true"),
        ("task.output", "\"half\\n\""),
        ("error.code", "\"agent-timed-out\""),
    ];
    let hangs = sh("trap \"\" TERM; sleep 300 & echo $! > pid; echo half; wait");
    json("it hangs", hangs, &["--timeout=0.5"], 1, &expect);
    gone("its child", &left_in(&t.at("project/pid")));
    let forever = sh("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done");
    let told = t.say(&["invoke", "/code-review 42", &forever, "--timeout=1"]);
    assert_eq!(told.code, Some(1));
    assert!(told.out.len() <= 1_048_576 && told.err.contains("`--timeout` allows more"), "{}", told.err);
    let cut = sh("head -c 1500000 /dev/zero");
    let told = t.say(&["invoke", "/code-review 42", &cut]);
    assert_eq!((told.code, told.out.len()), (Some(0), 1_048_576));
    assert!(told.err.contains("more than 1048576 bytes"), "{}", told.err);
    let mut usage = t.bare(&["--dialect", "pegasus", "invoke", "/code-review 42", "--agent-command=cat"]);
    assert_eq!(said(&mut usage).code, Some(2), "an agent without --run");
}

#[test]
fn commands_are_run_first() {
    let t = Place::claude();
    let now = ["invoke", "/now 'a b; touch x'"];
    let project = t.named("project");
    let text = format!("Say a b; touch x.\n\n{project}\n[a b; touch x][a b; touch x] no\n");
    t.exact("rule 13.7: in the project, with arguments", &now, 0, &text, "");
    assert!(!t.at("project/x").exists());
    let expect = [
        ("kind", "\"inline\""),
        ("ran.0.code", "0"),
        ("ran.0.errors", "\"\""),
        ("ran.1.command", "\"echo no >&2; test a = b\""),
        ("ran.1.code", "1"),
        ("ran.1.output", "\"no\\n\""),
        ("ran.1.errors", "\"\""),
        ("ran.1.cut", "false"),
        ("ran.1.timed_out", "false"),
        ("ran.2", "-"),
        ("commands", "-"),
    ];
    t.fields("rule 13.7: as data", &now, 0, &expect);
    let call = ["call", r#"{"skill":"now","args":"$(touch x)"}"#];
    t.fields("rule 13.7: called by a model", &call, 0, &[("ok", "true"), ("kind", "\"inline\""), ("ran.1.code", "1")]);
    assert!(!t.at("project/x").exists());

    t.exact("rule 13.8: one that fails", &["invoke", "/fails"], 1, "", "`exit 3` failed with exit code 3");
    let expect = [("kind", "\"pending\""), ("error.code", "\"command-failed\""), ("ran", "-")];
    t.fields("rule 13.8: one that fails, as data", &["invoke", "/fails"], 1, &expect);
    t.exact("rule 19.1: not trusted", &["invoke", "/theirs x"], 1, "", "--trust");
    let expect = [("kind", "\"pending\""), ("error.code", "\"untrusted\""), ("ran", "-")];
    t.fields("rule 19.1: not trusted, as data", &["invoke", "/theirs x"], 1, &expect);
    assert!(!t.at("project/ran").exists(), "nothing of it was run");
    let call = ["call", r#"{"skill":"theirs"}"#];
    t.fields("rule 19.1: a call of it is no", &call, 1, &[("ok", "false"), ("error.code", "\"untrusted\"")]);
    t.exact("rule 19.1: trusted", &["--trust", "invoke", "/theirs x"], 0, "x \n", "");
    assert!(t.at("project/ran").exists());
}

#[test]
fn commands_then_a_fork() {
    let t = Place::claude();
    let both = ["invoke", "/both", "--agent-command=cat"];
    t.exact("no agent", &both[..2], 2, "", "--agent-command COMMAND");
    t.exact("a bad one", &["invoke", "/both", "--agent-command=no-such-agent"], 2, "", "`no-such-agent`");
    assert!(!t.at("project/ran").exists(), "no command is run for nothing");
    t.exact("both, and waited for", &both, 0, "On main.", "");
    let expect = [
        ("kind", "\"fork\""),
        ("background", "true"),
        ("text", "\"On main.\""),
        ("ran.0.code", "0"),
        ("task.output", "\"On main.\""),
    ];
    t.fields("both, as data", &both, 0, &expect);
}

#[test]
fn what_the_agent_may_use() {
    let t = Place::claude();
    assert_eq!(t.told(&["invoke", "/apart", "--trust"], "tools"), "[\"Bash\"]", "rule 16.2: a trusted one grants");

    let t = place().first(&["--dialect", "daycare", "--bundled", "../shipped"]);
    let call = ["call", r#"{"name":"box","prompt":"Say hello."}"#];
    let held = ["--permission=@network", "--permission=@read:/no"];
    let all = [&call[..], &held].concat();
    let permissions = t.told(&all, "permissions");
    assert_eq!(permissions, "[\"@network\",\"@read:/no/such/dir\"]", "rule 16.6: held");
    assert_eq!(t.told(&all, "granted_by"), "\"box Skill\"");
    let theirs = ["call", r#"{"name":"theirs","prompt":"Say hello."}"#, "--permission=@network"];
    let apart = [("permissions", "[]"), ("declared", "[\"@network\"]")];
    t.fields("rule 16.6: what is granted, and what is asked for", &theirs, 1, &apart);
    let trusted = [&theirs[..], &["--trust"]].concat();
    assert_eq!(t.told(&trusted, "permissions"), "[\"@network\"]", "rule 19.1: a trusted one's is");
    let said = t.say(&["call", r#"{"name":"box","prompt":"Say hello."}"#, "--agent-command=cat", held[0], held[1]]);
    assert!(said.out.contains("Box.") && said.out.ends_with("## Task\nSay hello."), "{}", said.out);
    let refused = "Cannot attach permission '@read:/no/such/dir' - you don't have it.";
    let some = [&call[..], &held[..1]].concat();
    t.exact("rule 16.6: not held", &some, 1, "", refused);
    t.fields("rule 16.6: not held, as data", &some, 1, &[("ok", "false"), ("error.code", "\"permission-not-held\"")]);
}

/// What comes with the project is given to no agent before it is approved, as no script of it is run.
#[test]
fn a_fork_that_is_not_trusted() {
    let t = Place::claude();
    let agent = sh("cat; touch ran");
    let apart = ["invoke", "/apart", agent.as_str()];
    t.exact("refused", &apart, 1, "", "`skilltree approve apart --dialect claude`, or use `--trust`");
    let expect = [("kind", "\"fork\""), ("error.code", "\"untrusted\""), ("task", "-"), ("text", "\"Go.\"")];
    t.fields("refused, as data", &apart, 1, &expect);
    t.exact("without an agent too", &apart[..2], 1, "", "`skilltree approve apart --dialect claude`");
    let call = ["call", r#"{"skill":"apart"}"#, agent.as_str()];
    t.fields("a call of it", &call, 1, &[("ok", "false"), ("error.code", "\"untrusted\""), ("task", "-")]);
    let (_, json) = t.json(&call);
    let view = format!("\"⚡Skill(apart)\\n  ✗  {}", field(&json, "error.message").trim_start_matches('"'));
    assert_eq!(field(&json, "view"), view, "what a user sees");
    assert!(!t.at("project/ran").exists(), "nothing was started");
    t.exact("trusted", &[&apart[..], &["--trust"]].concat(), 0, "Go.", "");
    let approve = |words: &[&str]| said(&mut t.bare(&[&["--dialect", "claude", "approve", "apart"], words].concat()));
    assert_eq!(approve(&[]).code, Some(0));
    t.exact("approved", &apart, 0, "Go.", "");
    fs::write(t.at("project/.claude/skills/apart/more.md"), "More.").unwrap();
    t.exact("approved as something else", &apart, 1, "", "its approval is no longer valid");
    let shown = said(&mut t.bare(&["--dialect", "claude", "invoke", "/apart"]));
    assert!(shown.code == Some(0) && shown.err.contains("its approval is no longer valid"), "{}", shown.err);

    let t = place().first(&["--dialect", "pegasus"]);
    let own = "`--bundled ";
    t.exact(
        "the agent's own, where nobody says that they are",
        &["invoke", "/code-review 1", "--agent-command=cat"],
        1,
        "",
        own,
    );
    let t = place().first(&["--dialect", "daycare", "--permission=@network"]);
    let core = ["call", r#"{"name":"core","prompt":"Say hello."}"#, "--agent-command=cat"];
    t.exact("a core skill", &core, 1, "", own);
    let told = said(&mut t.bare(&["--dialect", "daycare", "--permission=@network", core[0], core[1]]));
    assert!(told.err.contains("warning[untrusted-grant]") && told.err.contains(own), "what it asks for: {}", told.err);
    let named = [&core[..], &["--bundled=packages/daycare/sources/skills"]].concat();
    assert!(t.say(&named).out.contains("Core."), "named");
}

/// A signal to the binary ends the agent and what it has started.
#[test]
fn stopped_by_the_user() {
    for signal in ["INT", "TERM", "HUP"] {
        let t = Place::pegasus();
        let agent = sh("sleep 300 & echo $! > pid; echo half; wait");
        let words = ["invoke", "/code-review 42", "--json", &agent];
        let child = t.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = left_in(&t.at("project/pid"));
        let told = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(told.success());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(130), "{signal}");
        gone(signal, &pid);
        let json = Json::parse(&String::from_utf8_lossy(&done.stdout)).expect("JSON all the same");
        let status = json.get("task").and_then(|task| task.get("status")?.as_text());
        assert_eq!((status, error_code(&json)), (Some("stopped"), Some("stopped")), "{json}");
    }
}
