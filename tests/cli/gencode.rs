//! The real binary with the dialect that has states: what it answers, what it writes, and what it never writes over.

use crate::common;

use crate::program::{Place, error_code, field, said};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::fs;
use std::process::Stdio;

const FILES: &[(&str, &str)] = &[
    (
        "/home/.gen/skills/commit/SKILL.md",
        "---\nname: commit\nnamespace: git\ndescription: Commits.\nallowed-tools: Bash\n---\nCommit it.\n",
    ),
    ("/home/.gen/skills/commit/scripts/a.sh", "true\n"),
    ("/project/.gen/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n"),
];

impl Place {
    fn gencode(more: &[(&str, &str)]) -> Place {
        Place::of(Tree::default().files(FILES.iter().chain(more))).first(&["--dialect", "gencode"])
    }

    /// The states that `state … --json` gives, and the code of its error.
    #[track_caller]
    fn states(&self, case: &str, words: &[&str], code: i32, expect: &[(&str, &str)], error: Option<&str>) {
        let (got, json) = self.json(&[&["state"], words].concat());
        let Some(Json::Map(states)) = json.get("states") else { panic!("{case}: {json}") };
        let states: Vec<_> = states.iter().map(|(key, state)| (key.as_str(), state.as_text().unwrap())).collect();
        assert_eq!((got, states, error_code(&json)), (Some(code), expect.to_vec(), error), "{case}");
    }

    /// What lies in a folder, by name.
    fn names(&self, dir: &str) -> Vec<String> {
        let entries = fs::read_dir(self.at(dir)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

const USER: &str = "home/.gen/skills.json";
const PROJECT: &str = "project/.gen/skills.json";

#[test]
fn states_in_text() {
    let t = Place::gencode(&[]);
    let rows = ["KEY", "STATE", "BY", "◐", "git:commit", "enable", "default", "Commits.", "◐", "tea", "enable"];
    t.check("all", &["state"], 0, &rows, &[]);
    t.check("one", &["state", "commit"], 0, &["◐ git:commit enable\n"], &[]);
    t.check("a change", &["state", "commit", "active"], 0, &["● git:commit active\n"], &[]);
    t.check("the change stays", &["state"], 0, &["●", "git:commit", "active", "project", "◐", "tea"], &[]);
    t.check("round", &["state", "git:commit", "next"], 0, &["○ git:commit disable\n"], &[]);
    t.check("round again", &["state", "git:commit", "next"], 0, &["◐ git:commit enable\n"], &[]);
    let overruled = ["note: the state of `git:commit` comes from the project's store"];
    t.check("overruled", &["state", "git:commit", "active", "--user-level"], 0, &["◐ git:commit enable\n"], &overruled);
    let home = ["state", "tea", "disable", "--user-level", "--home", "."];
    Place::gencode(&[]).exact("one store for both", &home, 0, "○ tea disable\n", "");
    t.check("not overruled", &["state", "tea", "active", "--user-level"], 0, &["● tea active\n"], &[]);
    t.check("unknown", &["state", "tee", "active"], 1, &[], &["error: there is no skill `tee`; did you mean `tea`?"]);
    t.check("no state", &["state", "tea", "sometimes"], 2, &[], &["sometimes"]);
    t.check("no skills", &["state", "--only-roots"], 0, &[], &["no skills found"]);
    for (word, expected) in [("off", "○ tea disable\n"), ("on", "● tea active\n"), ("user-only", "◐ tea enable\n")]
    {
        t.check("a word of other dialects", &["state", "tea", word], 0, &[expected], &[]);
    }
    let words = ["error: `pinned` is not a state of the dialect `gencode`", "`active`, `next`, `full`, `user-only`"];
    t.check("one that has no meaning here", &["state", "tea", "pinned"], 2, &[], &words);
    t.check("two levels", &["state", "tea", "next", "--user-level", "--project-level"], 2, &[], &["cannot be used"]);
    t.check("the level that is usual", &["state", "tea", "enable", "--project-level"], 0, &["◐ tea enable\n"], &[]);
    t.check("no home", &["state", "tea", "next", "--user-level", "--home", ""], 2, &[], &["--home"]);
    let mut homeless = t.command(&["state", "tea", "next", "--user-level"]);
    let said = said(homeless.env_remove("HOME").env_remove("USERPROFILE"));
    assert_eq!(said.code, Some(2), "no home in the environment");
}

/// A choice and an option count beside the state, and `state` names what is in force (rules 9.4 and 9.9).
#[test]
fn choices_beside_states() {
    const CHOICES: &str = "/config/skilltree.yaml";
    let active = (format!("/{PROJECT}"), "{\"skills\": {\"tea\": \"active\"}}");
    let with = |path: &str, text: &str| Place::gencode(&[(&active.0, active.1), (path, text)]);
    for (path, word, row, model) in [
        (CHOICES, "off", "○ tea disable", 1),
        (CHOICES, "user-only", "◐ tea user-only", 1),
        (CHOICES, "name-only", "● tea name-only", 0),
        (CHOICES, "pinned", "● tea pinned", 0),
        ("/project/.skilltree/skilltree.yaml", "off", "○ tea disable", 1),
    ] {
        let t = with(path, &format!("skills:\n  tea: {word}\n"));
        let shown = row.rsplit(' ').next().unwrap();
        t.check(word, &["state"], 0, &[&row[..3], "tea", shown, "skilltree.yaml:2", "Makes tea."], &[]);
        let note = format!("note: `tea` is `{shown}`, as decided by: ");
        t.check(word, &["state", "tea", "active"], 0, &[&format!("{row}\n")], &[&note, "skilltree.yaml:2"]);
        let said = t.say(&["load", "tea", "--as", "model"]);
        assert_eq!(said.code, Some(model), "{word}: {}", said.err);
    }
    let off = with(CHOICES, "skills:\n  tea: off\n");
    let remedy = "`--enable tea` before the command switches it on";
    off.check("a choice disables", &["load", "tea"], 1, &[], &["is disabled", remedy]);
    off.check("why", &["why", "tea"], 0, &["set to `off` by the entry `tea`", remedy], &[]);
    off.check("the option beats it", &["load", "tea", "--enable", "tea"], 0, &["Boil water."], &[]);
    let full = with(CHOICES, "skills:\n  tea: full\n");
    full.check("a choice that changes nothing", &["state"], 0, &["●", "tea", "active", "project"], &[]);
    full.exact("the state counts", &["state", "tea", "enable"], 0, "◐ tea enable\n", "");
    let unknown = with(CHOICES, "skills:\n  tea: of\n");
    unknown.check("a word that is not known", &["state"], 0, &["tea", "disable"], &["warning[state-unknown]"]);
    let twice = with(CHOICES, "skills:\n  tea: full\n  tea: full\n");
    twice.check("an entry that is there twice", &["state"], 0, &["tea", "disable"], &["[duplicate-key]"]);
    let t = Place::gencode(&[]);
    t.check("an option", &["state", "--disable", "tea"], 0, &["○", "tea", "disable", "--disable"], &[]);
}

/// The store is read again after a change.
#[test]
fn a_change_that_mends_the_store() {
    let t = Place::gencode(&[("/project/.gen/skills.json", "{\"skills\": {\"tea\": \"sometimes\"}}")]);
    t.check("before", &["state", "tea"], 0, &["tea"], &["warning[state-unknown]"]);
    t.exact("mended", &["state", "tea", "active"], 0, "● tea active\n", "");
}

/// The error is shown, although more warnings than are shown come before it.
#[test]
fn errors_come_before_many_warnings() {
    let names: Vec<String> = (0..25).map(|n| format!("k{n}")).collect();
    let skill = |name: &String| {
        (format!("/home/.gen/skills/{name}/SKILL.md"), format!("---\nname: {name}\ndescription: D.\n---\n"))
    };
    let states: Vec<String> = names.iter().map(|name| format!("\"{name}\": \"on\"")).collect();
    let store = format!("{{\"skills\": {{{}}}}}", states.join(","));
    let mut files: Vec<(String, String)> = names.iter().map(skill).collect();
    files.extend([(USER, store.as_str()), (PROJECT, "{")].map(|(path, text)| (format!("/{path}"), text.to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let said = Place::gencode(&files).say(&["state"]);
    assert_eq!((said.err.matches("error[store-corrupt]").count(), said.err.lines().count()), (1, 21), "{}", said.err);
}

#[test]
fn states_in_json() {
    let t = Place::gencode(&[]);
    let both = |commit: &'static str, tea: &'static str| [("git:commit", commit), ("tea", tea)];
    t.states("all", &[], 0, &both("enable", "enable"), None);
    t.states("one: all the same", &["tea"], 0, &both("enable", "enable"), None);
    t.states("a change", &["tea", "active"], 0, &both("enable", "active"), None);
    assert_eq!(t.read(PROJECT).unwrap(), "{\n  \"skills\": {\n    \"tea\": \"active\"\n  }\n}", "the project's store");
    assert_eq!(t.read(USER), None, "not the user's");
    t.states("a second one", &["commit", "disable"], 0, &both("disable", "active"), None);
    t.states("the user's", &["tea", "disable", "--user-level"], 0, &both("disable", "active"), None);
    assert_eq!(t.read(USER).unwrap(), "{\n  \"skills\": {\n    \"tea\": \"disable\"\n  }\n}", "the user's store");
    t.states("unknown", &["tee", "active"], 1, &both("disable", "active"), Some("unknown"));
    assert_eq!(t.names("project/.gen"), ["skills", "skills.json"], "nothing else is left");
    let (code, json) = t.json(&["state", "--dialect", "sven"]);
    assert_eq!((code, error_code(&json)), (Some(0), None), "a dialect without states of its own");
}

#[test]
fn what_is_never_written_over() {
    for (case, text) in [("no JSON", "{\"skills\": {\"tea\": \"active\""), ("empty", ""), ("no skills", "{}")] {
        let t = Place::gencode(&[("/project/.gen/skills.json", text)]);
        let both = [("git:commit", "enable"), ("tea", "enable")];
        t.states(case, &["tea", "active"], 1, &both, Some("store-corrupt"));
        assert_eq!(t.read(PROJECT).as_deref(), Some(text), "{case}");
        t.check(case, &["list"], 0, &["tea"], &["error[store-corrupt]"]);
        t.states(case, &["tea", "active", "--user-level"], 0, &[("git:commit", "enable"), ("tea", "active")], None);
    }
    let t = Place::gencode(&[("/project/.gen/skills.json/inside", "A folder.")]);
    t.check("a folder", &["state", "tea", "active"], 1, &[], &["is corrupt and is not overwritten"]);
    assert_eq!(t.names("project/.gen/skills.json"), ["inside"], "a folder");
}

/// Many at once: each either made its change or says that it did not.
#[test]
fn no_change_is_lost() {
    let skills: Vec<(String, String)> = (0..12)
        .map(|n| (format!("/project/.gen/skills/s{n}/SKILL.md"), format!("---\nname: s{n}\n---\nBody.\n")))
        .collect();
    let skills: Vec<(&str, &str)> = skills.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let t = Place::gencode(&skills);
    let children: Vec<_> = (0..12)
        .map(|n| {
            let mut command = t.command(&["state", &format!("s{n}"), "active"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut made = Vec::new();
    for (n, child) in children.into_iter().enumerate() {
        let done = child.wait_with_output().unwrap();
        match done.status.code() {
            Some(0) => made.push(format!("s{n}")),
            code => {
                let error = String::from_utf8(done.stderr).unwrap();
                assert!(code == Some(1) && error.contains("has changed since it was read"), "{code:?} {error}");
            }
        }
    }
    made.sort();
    let json = Json::parse(&t.read(PROJECT).unwrap()).unwrap();
    let Some(Json::Map(states)) = json.get("skills") else { panic!("{json}") };
    assert_eq!(states.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>(), made, "what was said is what is there");
    assert!(!made.is_empty(), "somebody was first");
    assert_eq!(t.names("project/.gen"), ["skills", "skills.json"], "nothing else is left");
}

#[cfg(unix)]
#[test]
fn links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let t =
        Place::gencode(&[("/dotfiles/states.json", "{\"skills\": {}}"), ("/outside/states.json", "{\"skills\": {}}")]);
    let at = |path: &str| t.at(path);
    fs::set_permissions(at("dotfiles/states.json"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink(at("dotfiles/states.json"), at(USER)).unwrap();
    t.check("the user's link is followed", &["state", "tea", "active", "--user-level"], 0, &["● tea"], &[]);
    assert!(at(USER).is_symlink() && t.read("dotfiles/states.json").unwrap().contains("active"), "it stays a link");
    let mode = fs::metadata(at("dotfiles/states.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "who may read it stays");
    symlink(at("outside/states.json"), at(PROJECT)).unwrap();
    t.check("a link out of the project", &["state", "tea", "disable"], 2, &[], &["leads outside its folder"]);
    assert_eq!(t.read("outside/states.json").unwrap(), "{\"skills\": {}}", "a link out of the project");
}

#[test]
fn the_other_commands() {
    let t = Place::gencode(&[("/home/.gen/skills.json", "{\"skills\": {\"git:commit\": \"active\"}}")]);
    t.check("a prompt", &["prompt"], 0, &["# Available Skills\n\n", "- **git:commit**: Commits. [1 script]\n"], &[]);
    let none = ["note: 2 enabled, none active"];
    t.check("an empty prompt", &["prompt", "--home", "../home/.gen", "--root", "../home/.gen/skills"], 0, &[], &none);
    t.check("arguments", &["load", "commit", "--args", "-m x"], 0, &["User arguments: -m x\n\nAvailable scripts"], &[]);
    t.check("a call", &["call", "{\"skill\": \"commit\"}"], 0, &["<skill-invocation name=\"git:commit\">\n"], &[]);
    t.check(
        "not active",
        &["call", "{\"skill\": \"tea\"}"],
        1,
        &[],
        &["`skilltree state tea active --dialect gencode`"],
    );
    t.exact("the metadata", &["prompt", "--metadata"], 0, "# Available Skills\n\n- **git:commit**: Commits.\n", "");
    t.check("metadata of none", &["prompt", "--metadata", "--disable", "git:commit"], 0, &[], &["none active"]);
    let refused = ["`--receipt` cannot be used with `prompt --metadata`"];
    t.check("no receipt of it", &["--receipt", "r.json", "prompt", "--metadata"], 2, &[], &refused);
    assert!(!t.at("project/r.json").exists());
    let other = ["--dialect", "sven", "prompt", "--metadata"];
    t.check("no such form", &other, 2, &[], &["the dialect `sven` has no prompt with metadata only"]);
    t.check("a command", &["invoke", "/commit now"], 0, &["User arguments: now"], &[]);
    t.check("completion", &["complete", "com"], 0, &["/git:commit", "Commits."], &[]);
    t.check("a stub", &["tool", "--stub", "python"], 0, &["def Skill(skill, args = None):"], &[]);
    let table = ["claude-user", "~/.claude/plugins/*/skills", "gen-project", ".gen/skills.json"];
    t.check("the table", &["dialect", "gencode"], 0, &table, &[]);
    let proof = ["evidence: run\n", "note: OpenCode 1.18.33, "];
    t.check("how a table was proven", &["dialect", "opencode"], 0, &proof, &[]);
    let (_, call) = t.json(&["call", "{\"skill\": \"commit\"}"]);
    assert_eq!(field(&call, "tools"), "[\"Bash\"]", "rule 16.3: the tools come with the message");
    let loaded = "\"⚡Skill(git:commit)\\n  ⎿  Loaded: git:commit [1 script]\"";
    assert_eq!(field(&call, "view"), loaded, "what a user sees");
    let (_, load) = t.json(&["load", "commit"]);
    assert_eq!(field(&load, "view"), loaded, "of a load too");
    for (key, view) in [
        ("unknown-skill", "⚡Skill(unknown-skill)\\n  ✗  Skill not found: unknown-skill"),
        ("off", "⚡Skill(off)\\n  ✗  Skill is disabled: off"),
    ] {
        let off = [("/project/.gen/skills/off/SKILL.md", "---\nname: off\ndescription: D\n---\nB.\n")];
        let call = ["call", &format!("{{\"skill\": \"{key}\"}}"), "--disable", "off"];
        let (code, call) = Place::gencode(&off).json(&call);
        assert_eq!((code, field(&call, "view")), (Some(1), format!("\"{view}\"")), "of a refusal");
    }
    let (_, tool) = t.json(&["tool"]);
    assert!(tool.get("parameters").is_some_and(|schema| Some(schema) == tool.get("input_schema")), "{tool}");
    let (_, tool) = t.json(&["--dialect", "claude", "--root", "../home/.gen/skills", "tool"]);
    assert_eq!(tool.get("parameters"), None, "the documents of this system call it so");
    let (_, prompt) = t.json(&["prompt"]);
    assert!(prompt.get("note").is_none(), "no note where skills are shown: {prompt}");
}
