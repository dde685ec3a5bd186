//! The real binary on skills with triggers: the options and commands that choose by what the user says.
#![cfg(feature = "cli")]

mod common;

use common::TempDir;
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::process::{Command, Stdio};

const TREE: &str = "
//- /project/.agent/skills/tea/SKILL.md
---
name: tea
description: Makes tea. Any kind.
triggers: {keywords: [brew]}
---
Boil water.
//- /project/src/_bundled_skills/asleep/SKILL.md
---
name: asleep
description: Waits.
default_enabled: false
---
Wake up.
//- /ship/shipped/SKILL.md
---
name: shipped
description: Comes along.
triggers: {patterns: ['parcels?']}
---
Unpack.
//- /home/.agent/skills/broken/SKILL.md
---
name: broken
description: Has a broken pattern.
triggers: {patterns: ['(']}
---
";

struct Place(TempDir);

impl Place {
    fn say(&self, words: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skilltree"));
        command.args(words).args(["--dialect", "agent-base"]).current_dir(self.0.path().join("project")).env_clear();
        command.env("HOME", self.0.path().join("home")).env("USERPROFILE", self.0.path().join("home"));
        let done = command.stdin(Stdio::null()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
    }

    /// Standard output, to the byte.
    #[track_caller]
    fn check(&self, case: &str, words: &[&str], code: i32, out: &str) {
        let (got, said, err) = self.say(words);
        assert_eq!((got, said.as_str()), (code, out), "{case}: {err}");
    }

    /// Standard output as JSON; of a key in `error`, its code alone.
    #[track_caller]
    fn json(&self, case: &str, words: &[&str], code: i32, expect: &str) {
        let (got, said, err) = self.say(&[words, &["--json"]].concat());
        let json = Json::parse(&said).unwrap_or_else(|error| panic!("{case}: {error}: {said}{err}"));
        let json = match json.get("error").and_then(|error| error.get("code")) {
            Some(code) => Json::map([("error", code.clone())]),
            None => json,
        };
        assert_eq!((got, json.to_string().as_str()), (code, expect), "{case}: {err}");
    }
}

fn place() -> Place {
    Place(common::tree(TREE).folder())
}

const TEA: &str = "## Relevant Skill Documentation\n\n### tea\n\nBoil water.\n";

#[test]
fn answers_in_text() {
    let t = place();
    t.check("a match", &["match", "Brew it"], 0, TEA);
    t.check("none", &["match", "-hi"], 0, "[2 skills available]\n");
    t.check("36 nothing loaded", &["match", "brew", "--only-roots"], 0, "");
    t.check("a query", &["prompt", "--query", "brew"], 0, TEA);
    t.check("a query without a match", &["prompt", "--query", "-x"], 0, "[2 skills available]\n");
    t.check("loading one", &["load", "tea", "--as", "model"], 0, TEA);
    t.check("20 asleep", &["load", "asleep"], 1, "");
    let awake = "## Relevant Skill Documentation\n\n### asleep\n\nWake up.\n";
    t.check("20 woken", &["load", "asleep", "--enable", "asleep"], 0, awake);
    t.check("20 on beats off", &["load", "asleep", "--disable", "asleep", "--enable", "asleep"], 0, awake);
    t.check("another bundle", &["load", "asleep", "--bundled", "../ship"], 1, "");
    t.check("no slash commands", &["invoke", "/tea"], 1, "/tea\n");
    t.check("nothing to complete", &["complete"], 0, "");
    let (_, said, err) = t.say(&["list"]);
    assert!(said.contains("bundled") && err.contains("pattern-invalid"), "{said}{err}");
    let (code, said, _) = t.say(&["dialect", "agent-base"]);
    assert!(code == 0 && said.contains("list_questions:"), "{said}");
}

#[test]
fn answers_in_json() {
    let t = place();
    let tea = r###"{"tier":3,"keys":["tea"],"text":"## Relevant Skill Documentation\n\n### tea\n\nBoil water."}"###;
    t.json("tier 3", &["match", "brew"], 0, tea);
    t.json("tier 1", &["match", "x"], 0, r#"{"tier":1,"keys":[],"text":"[2 skills available]"}"#);
    t.json("tier 0", &["match", "x", "--only-roots"], 0, r#"{"tier":0,"keys":[],"text":""}"#);
    let two = ["match", "two parcels, brew", "--bundled", "../ship", "--max", "1"];
    t.json("--max", &two, 0, tea);
    let keys = |words: &[&str]| {
        let (_, said, _) = t.say(&[words, &["--json"]].concat());
        Json::parse(&said).unwrap().get("keys").map(ToString::to_string)
    };
    let parcels = ["match", "tea for shipped parcels", "--bundled", "../ship"];
    assert_eq!(keys(&parcels).as_deref(), Some(r#"["shipped","tea"]"#), "by name both, in the catalog's order");
    let recent = [&parcels[..], &["--recent", "tea", "--recent", "shipped"]].concat();
    assert_eq!(keys(&recent).as_deref(), Some(r#"["tea","shipped"]"#), "--recent, the latest first");
    assert_eq!(keys(&["match", "list skills"]).as_deref(), Some(r#"["broken","tea"]"#), "tier 2 shows all");
    t.json("no load tool", &["tool"], 2, r#"{"error":"not-in-dialect"}"#);
    t.json("no states", &["state"], 2, r#"{"error":"not-in-dialect"}"#);
    t.json("an ordinary message", &["invoke", "/tea"], 1, r#"{"error":"ordinary-message"}"#);
    let (code, said, _) = t.say(&["call", r#"{"name": "tea"}"#, "--json"]);
    assert!(code == 2 && said.contains("not-in-dialect"), "{said}");
    let (_, said, _) = t.say(&["list", "--json"]);
    assert!(said.contains(r#""brief_description": "Makes tea""#), "always there: {said}");
    assert!(said.contains(r#""state": "disable""#), "the one asleep says so: {said}");
}
