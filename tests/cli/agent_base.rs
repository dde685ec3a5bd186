//! The real binary on skills with triggers: the options and commands that choose by what the user says.

use crate::common;

use crate::program::{Place, error_code, field, texts};
use pretty_assertions::assert_eq;
use skilltree::Json;

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

fn place() -> Place {
    Place::of(common::tree(TREE)).first(&["--dialect", "agent-base"])
}

/// The JSON, to the letter; of a key in `error`, its code alone.
#[track_caller]
fn json(place: &Place, case: &str, words: &[&str], code: i32, expect: &str) {
    let (got, json) = place.json(words);
    let json = match error_code(&json) {
        Some(code) => Json::map([("error", Json::from(code))]),
        None => json,
    };
    assert_eq!((got, json.to_string().as_str()), (Some(code), expect), "{case}");
}

const TEA: &str = "## Relevant Skill Documentation\n\n### tea\n\nBoil water.\n";

#[test]
fn answers_in_text() {
    let t = place();
    t.exact("a match", &["match", "Brew it"], 0, TEA, "");
    t.exact("none", &["match", "-hi"], 0, "[2 skills available]\n", "");
    t.exact("rule 10.1: nothing loaded", &["match", "brew", "--only-roots"], 0, "", "no skills found");
    t.exact("a query", &["prompt", "--query", "brew"], 0, TEA, "");
    t.exact("a query without a match", &["prompt", "--query", "-x"], 0, "[2 skills available]\n", "");
    t.exact("loading one", &["load", "tea", "--as", "model"], 0, TEA, "");
    t.exact("rule 9.5: asleep", &["load", "asleep"], 1, "", "the skill `asleep` is disabled");
    let awake = "## Relevant Skill Documentation\n\n### asleep\n\nWake up.\n";
    t.exact("rule 9.5: woken", &["load", "asleep", "--enable", "asleep"], 0, awake, "");
    t.exact("rule 9.5: on beats off", &["load", "asleep", "--disable", "asleep", "--enable", "asleep"], 0, awake, "");
    t.exact("another bundle", &["load", "asleep", "--bundled", "../ship"], 1, "", "there is no skill `asleep`");
    t.exact(
        "rule 14.1: the text of a user is not lost",
        &["invoke", "/tea"],
        1,
        "/tea\n",
        "note: `/tea` is not a command, so the line is an ordinary message: `agent-base` has no commands\n",
    );
    t.exact("rule 1.5: no commands to list", &["complete"], 2, "", "the dialect `agent-base` has no slash commands");
    t.check("a finding", &["list"], 0, &["bundled"], &["pattern-invalid"]);
    t.check("the table", &["dialect", "agent-base"], 0, &["list_questions:"], &[]);
}

#[test]
fn answers_in_json() {
    let t = place();
    let tea = r###"{"tier":3,"keys":["tea"],"text":"## Relevant Skill Documentation\n\n### tea\n\nBoil water."}"###;
    json(&t, "tier 3", &["match", "brew"], 0, tea);
    json(&t, "tier 1", &["match", "x"], 0, r#"{"tier":1,"keys":[],"text":"[2 skills available]"}"#);
    json(&t, "tier 0", &["match", "x", "--only-roots"], 0, r#"{"tier":0,"keys":[],"text":""}"#);
    let two = ["match", "two parcels, brew", "--bundled", "../ship", "--max", "1"];
    json(&t, "--max", &two, 0, tea);
    json(&t, "--max 0", &["match", "brew", "--max", "0"], 2, r#"{"error":"usage"}"#);
    let keys = |words: &[&str]| field(&t.json(words).1, "keys");
    let parcels = ["match", "tea for shipped parcels", "--bundled", "../ship"];
    assert_eq!(keys(&parcels), r#"["shipped","tea"]"#, "by name both, in the catalog's order");
    let recent = [&parcels[..], &["--recent", "tea", "--recent", "shipped"]].concat();
    assert_eq!(keys(&recent), r#"["tea","shipped"]"#, "--recent, the latest first");
    assert_eq!(keys(&["match", "list skills"]), r#"["broken","tea"]"#, "tier 2 shows all");
    json(&t, "no load tool", &["tool"], 2, r#"{"error":"not-in-dialect"}"#);
    json(&t, "rule 9.5: asleep", &["state"], 0, r#"{"states":{"asleep":"off","broken":"full","tea":"full"}}"#);
    json(&t, "rule 1.5: no commands to list", &["complete"], 2, r#"{"error":"not-in-dialect"}"#);
    json(&t, "rule 14.1: an ordinary message", &["invoke", "/tea"], 1, r#"{"error":"ordinary-message"}"#);
    let (code, call) = t.json(&["call", r#"{"name": "tea"}"#]);
    assert_eq!((code, error_code(&call)), (Some(2), Some("not-in-dialect")), "{call}");
    let (_, list) = t.json(&["list"]);
    assert!(texts(&list, "skills", "brief_description").contains(&"Makes tea"), "always there: {list}");
    assert!(texts(&list, "skills", "state").contains(&"disable"), "the one asleep says so: {list}");
}

/// Users type no commands in this dialect, so nothing is for them.
#[test]
fn whom_a_list_names() {
    let t = place();
    let list = t.say(&["list"]);
    let whom = |row: &str| row.split_whitespace().nth(2).map(str::to_owned);
    let whom: Vec<String> = list.out.lines().skip(1).filter_map(whom).collect();
    assert_eq!(whom, ["off", "model", "model"], "{}", list.out);
    let claude = t.say(&["--dialect", "claude", "--only-roots", "--root", ".agent/skills", "list"]);
    assert!(claude.out.contains("model+user"), "{}", claude.out);
}

#[test]
fn recent_skills_are_skills() {
    let t = place();
    let refused = ["there is no skill `te`; did you mean `tea`?"];
    t.check("of no skill", &["match", "brew", "--recent", "te"], 1, &[], &refused);
    t.check("one of two", &["match", "brew", "--recent", "tea", "--recent", "coffee"], 1, &[], &["`coffee`"]);
    let (code, json) = t.json(&["match", "brew", "--recent", "te"]);
    assert_eq!((code, error_code(&json)), (Some(1), Some("unknown")));
    t.check("of a skill", &["match", "brew", "--recent", "tea"], 0, &["Boil water."], &[]);
    t.check("no triggers at all", &["--dialect", "claude", "match", "x", "--recent", "te"], 2, &[], &["has no"]);
}
