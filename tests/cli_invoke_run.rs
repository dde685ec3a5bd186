//! The real binary carrying invocations out: forks at an agent of the user's, and commands that are run first.
#![cfg(all(feature = "cli", unix))]

mod common;

use common::living::{gone, left_in};
use common::{TempDir, Tree};
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::process::{Command, Output, Stdio};

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

struct Place(TempDir);

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Place {
        Place(FILES.iter().fold(Tree::default(), |tree, (path, text)| tree.with(path, *text)).folder())
    }

    fn command(&self, dialect: &str, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skilltree"));
        let shipped: &[&str] = if dialect == "daycare" { &["--bundled", "../shipped"] } else { &[] };
        command.args(["--dialect", dialect]).args(shipped).args(words);
        command.current_dir(self.0.path().join("project")).env_clear().stdin(Stdio::null());
        command.env("HOME", self.0.path().join("home")).env("PATH", "/usr/bin:/bin").env("SECRET", "told");
        command
    }

    /// What a command with `--run` says.
    fn say(&self, dialect: &str, words: &[&str]) -> Said {
        let Output { status, stdout, stderr } =
            self.command(dialect, &[words, &["--run"]].concat()).output().expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Said { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// In text: the code, standard output to the byte, and a part of standard error; it is empty for none.
    #[track_caller]
    fn check(&self, case: &str, dialect: &str, words: &[&str], code: i32, out: &str, err: &str) {
        let said = self.say(dialect, words);
        assert_eq!((said.code, said.out.as_str()), (Some(code), out), "{case}: {}", said.err);
        assert!(if err.is_empty() { said.err.is_empty() } else { said.err.contains(err) }, "{case}: {}", said.err);
    }

    /// Fields of the JSON, by paths with dots; what is not there is `-`.
    #[track_caller]
    fn json(&self, case: &str, dialect: &str, words: &[&str], code: i32, expect: &[(&str, &str)]) {
        let said = self.say(dialect, &[words, &["--json"]].concat());
        assert_eq!(said.code, Some(code), "{case}: {}", said.err);
        let json = Json::parse(&said.out).unwrap_or_else(|error| panic!("{case}: {error}: {}", said.out));
        for (path, value) in expect {
            let found = path.split('.').try_fold(&json, |json, name| match (json, name.parse::<usize>()) {
                (Json::List(items), Ok(n)) => items.get(n),
                _ => json.get(name),
            });
            assert_eq!(found.map_or_else(|| "-".to_owned(), Json::to_string), *value, "{case}: {path} in {json}");
        }
    }

    /// A field of what the agent is told that it may use; `-` where it is not there.
    #[track_caller]
    fn told(&self, dialect: &str, words: &[&str], field: &str) -> String {
        let said = self.say(dialect, &[words, &[&sh("printf %s \"$SKILLTREE_FORK\"")]].concat());
        let terms = Json::parse(&said.out).unwrap_or_else(|error| panic!("{words:?}: {error}: {}", said.err));
        terms.get(field).map_or_else(|| "-".to_owned(), Json::to_string)
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.0.path().join(path)
    }
}

/// A shell as the agent.
fn sh(script: &str) -> String {
    format!("--agent-command=sh -c '{script}'")
}

#[test]
fn a_fork_is_given_to_the_agent() {
    let t = Place::new();
    let (cat, review) = ("--agent-command=cat", "/code-review 42");
    let text = "Review code changes for 42:";
    t.check("34 the task", "pegasus", &["invoke", review, &sh("cat; echo seen >&2")], 0, text, "seen\n");
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
    t.json("34 as data", "pegasus", &["invoke", review, cat], 0, &expect);
    let call = ["call", r#"{"skill":"code-review","args":"7"}"#, cat];
    t.check("34 a call", "pegasus", &call, 0, "Review code changes for 7:", "");
    let expect = [("ok", "true"), ("kind", "\"fork\""), ("task.output", "\"Review code changes for 7:\"")];
    t.json("34 a call as data", "pegasus", &call, 0, &expect);
    let expect = format!("told {}\n", t.at("project").display());
    let place = sh("printf %s \"$SECRET \"; pwd");
    t.check("the user's own environment, the project's folder", "pegasus", &["invoke", review, &place], 0, &expect, "");
    let terms = ["key", "tools", "granted_by", "text", "permissions"]
        .map(|field| t.told("pegasus", &["invoke", review], field));
    assert_eq!(terms, ["\"code-review\"", "[\"read_file\"]", "\"code-review Skill\"", "-", "[]"]);
    t.check(
        "no fork",
        "pegasus",
        &["invoke", "/tea green", cat],
        0,
        "[Skill: tea]\n\nBoil green.\n\nARGUMENTS: green\n",
        "",
    );
    t.check("no command", "pegasus", &["invoke", "just text", cat], 1, "just text\n", "");
}

#[test]
fn agents_that_fail() {
    let t = Place::new();
    let review = |agent: String| ["invoke".to_owned(), "/code-review 42".to_owned(), agent];
    let check = |case: &str, agent: String, code: i32, out: &str, err: &str| {
        let words = review(agent);
        t.check(case, "pegasus", &words.each_ref().map(String::as_str), code, out, err);
    };
    let failed = "error: the agent failed with exit code 7\n";
    check("its own failure", sh("echo half; exit 7"), 1, "half\n", failed);
    check("its errors stay", sh("echo why >&2; exit 7"), 1, "", "why\n");
    check("it is not there", "--agent-command=no-such-agent -p".to_owned(), 2, "", "`no-such-agent`");
    check("nothing", "--agent-command= ".to_owned(), 2, "", "names no program");
    check("a relative path", "--agent-command=./agent".to_owned(), 2, "", "absolute path");
    t.check("no agent", "pegasus", &["invoke", "/code-review 42"], 2, "", "--agent-command COMMAND");
    let expect = [("kind", "\"fork\""), ("error.code", "\"no-agent\""), ("task", "-")];
    t.json("no agent, as data", "pegasus", &["invoke", "/code-review 42"], 2, &expect);

    let json = |case: &str, agent: String, more: &[&str], code: i32, expect: &[(&str, &str)]| {
        let words = review(agent);
        t.json(case, "pegasus", &[&words.each_ref().map(String::as_str)[..], more].concat(), code, expect);
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
    let hangs = sh("trap \"\" TERM; sleep 60 & echo $! > pid; echo half; wait");
    json("it hangs", hangs, &["--timeout=0.5"], 1, &expect);
    gone("its child", &left_in(&t.at("project/pid")));
    let forever = sh("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done");
    let said = t.say("pegasus", &["invoke", "/code-review 42", &forever, "--timeout=1"]);
    assert_eq!(said.code, Some(1));
    assert!(said.out.len() <= 1_048_576 && said.err.contains("`--timeout` gives it more"), "{}", said.err);
    let cut = sh("head -c 1500000 /dev/zero");
    let said = t.say("pegasus", &["invoke", "/code-review 42", &cut]);
    assert_eq!((said.code, said.out.len()), (Some(0), 1_048_576));
    assert!(said.err.contains("more than 1048576 bytes"), "{}", said.err);
    let usage = t.command("pegasus", &["invoke", "/code-review 42", "--agent-command=cat"]).output().unwrap();
    assert_eq!(usage.status.code(), Some(2), "an agent without --run");
}

#[test]
fn commands_are_run_first() {
    let t = Place::new();
    let now = ["invoke", "/now 'a b; touch x'"];
    let project = t.at("project").display().to_string();
    let text = format!("Say a b; touch x.\n\n{project}\n[a b; touch x][a b; touch x] no\n");
    t.check("35 in the project, with arguments", "claude", &now, 0, &text, "");
    assert!(!t.at("project/x").exists());
    let expect = [
        ("kind", "\"inline\""),
        ("ran.0.code", "0"),
        ("ran.0.errors", "\"\""),
        ("ran.1.command", "\"echo no >&2; test a = b\""),
        ("ran.1.code", "1"),
        ("ran.1.errors", "\"no\\n\""),
        ("ran.1.cut", "false"),
        ("ran.1.timed_out", "false"),
        ("ran.2", "-"),
        ("commands", "-"),
    ];
    t.json("35 as data", "claude", &now, 0, &expect);
    let call = ["call", r#"{"skill":"now","args":"$(touch x)"}"#];
    t.json("35 called by a model", "claude", &call, 0, &[("ok", "true"), ("kind", "\"inline\""), ("ran.1.code", "1")]);
    assert!(!t.at("project/x").exists());

    t.check("35 one that fails", "claude", &["invoke", "/fails"], 1, "", "`exit 3` failed with exit code 3");
    let expect = [("kind", "\"pending\""), ("error.code", "\"command-failed\""), ("ran", "-")];
    t.json("35 one that fails, as data", "claude", &["invoke", "/fails"], 1, &expect);
    t.check("21 not trusted", "claude", &["invoke", "/theirs x"], 1, "", "--trust");
    let expect = [("kind", "\"pending\""), ("error.code", "\"untrusted\""), ("ran", "-")];
    t.json("21 not trusted, as data", "claude", &["invoke", "/theirs x"], 1, &expect);
    assert!(!t.at("project/ran").exists(), "nothing of it was run");
    let call = ["call", r#"{"skill":"theirs"}"#];
    t.json("21 a call of it is no", "claude", &call, 1, &[("ok", "false"), ("error.code", "\"untrusted\"")]);
    t.check("21 trusted", "claude", &["--trust", "invoke", "/theirs x"], 0, "x \n", "");
    assert!(t.at("project/ran").exists());
}

#[test]
fn commands_then_a_fork() {
    let t = Place::new();
    let both = ["invoke", "/both", "--agent-command=cat"];
    t.check("no agent", "claude", &both[..2], 2, "", "--agent-command COMMAND");
    t.check("a bad one", "claude", &["invoke", "/both", "--agent-command=no-such-agent"], 2, "", "`no-such-agent`");
    assert!(!t.at("project/ran").exists(), "no command is run for nothing");
    t.check("both, and waited for", "claude", &both, 0, "On main.", "");
    let expect = [
        ("kind", "\"fork\""),
        ("background", "true"),
        ("text", "\"On main.\""),
        ("ran.0.code", "0"),
        ("task.output", "\"On main.\""),
    ];
    t.json("both, as data", "claude", &both, 0, &expect);
}

#[test]
fn what_the_agent_may_use() {
    let t = Place::new();
    let apart = ["invoke", "/apart"];
    assert_eq!(t.told("claude", &apart, "tools"), "[]", "21 an untrusted skill forks, and grants nothing");
    assert_eq!(
        t.told("claude", &[&apart[..], &["--trust"]].concat(), "tools"),
        "[\"Bash\"]",
        "21 a trusted one grants"
    );

    let call = ["call", r#"{"name":"box","prompt":"Say hello."}"#];
    let held = ["--permission=@network", "--permission=@read:/no"];
    let all = [&call[..], &held].concat();
    let permissions = t.told("daycare", &all, "permissions");
    assert_eq!(permissions, "[\"@network\",\"@read:/no/such/dir\"]", "34 held");
    assert_eq!(t.told("daycare", &all, "granted_by"), "\"box Skill\"");
    let theirs = ["call", r#"{"name":"theirs","prompt":"Say hello."}"#, "--permission=@network"];
    assert_eq!(t.told("daycare", &theirs, "permissions"), "[]", "21 an untrusted skill's fork is given none");
    let trusted = [&theirs[..], &["--trust"]].concat();
    assert_eq!(t.told("daycare", &trusted, "permissions"), "[\"@network\"]", "21 a trusted one's is");
    let expect = [("findings.0.code", "\"untrusted-grant\""), ("permissions", "[\"@network\"]"), ("ok", "true")];
    let theirs = [&theirs[..], &["--agent-command=cat"]].concat();
    t.json("21 it is told", "daycare", &theirs, 0, &[&expect[..], &[("task.status", "\"done\"")]].concat());
    let said =
        t.say("daycare", &["call", r#"{"name":"box","prompt":"Say hello."}"#, "--agent-command=cat", held[0], held[1]]);
    assert!(said.out.contains("Box.") && said.out.ends_with("## Task\nSay hello."), "{}", said.out);
    let refused = "Cannot attach permission '@read:/no/such/dir' - you don't have it.";
    let some = [&call[..], &held[..1]].concat();
    t.check("34 not held", "daycare", &some, 1, "", refused);
    t.json("34 not held, as data", "daycare", &some, 1, &[("ok", "false"), ("error.code", "\"permission-not-held\"")]);
}

/// A signal to the binary ends the agent and what it has started.
#[test]
fn stopped_by_the_user() {
    for signal in ["INT", "TERM", "HUP"] {
        let t = Place::new();
        let agent = sh("sleep 60 & echo $! > pid; echo half; wait");
        let words = ["invoke", "/code-review 42", "--run", "--json", &agent];
        let child = t.command("pegasus", &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = left_in(&t.at("project/pid"));
        let told = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        assert!(told.success());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(130), "{signal}");
        gone(signal, &pid);
        let json = Json::parse(&String::from_utf8_lossy(&done.stdout)).expect("JSON all the same");
        let status = json.get("task").and_then(|task| task.get("status")?.as_text());
        let code = json.get("error").and_then(|error| error.get("code")?.as_text());
        assert_eq!((status, code), (Some("stopped"), Some("stopped")), "{json}");
    }
}
