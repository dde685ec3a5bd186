//! The real binary: what a project's skill asks for is dropped, granted once approved, and dropped again at any
//! change. Where approvals are kept, and where not.
#![cfg(unix)]

use crate::common;

use crate::program::{PATH, Place, error_code, field, names, said};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::{Digest, Json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// The folder of the project's skill.
const TEA: &str = "project/.agents/skills/tea";
const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\nallowed-tools: Read\n---\nBoil water.\n";
const STORE: &str = "home/.local/state/skilltree/approved.json";

impl Place {
    fn unapproved() -> Place {
        let tree = Tree::default()
            .with(&format!("/{TEA}/SKILL.md"), SKILL)
            .with(&format!("/{TEA}/scripts/boil.sh"), "#!/bin/sh\necho boiled\n")
            .with(&format!("/{TEA}/node_modules/kettle/index.js"), "")
            .with(&format!("/{TEA}/notes.md"), "Notes.\n")
            .with_link(&format!("/{TEA}/same.md"), "notes.md")
            .with("/home/.agents/skills/milk/SKILL.md", SKILL.replace("tea", "milk"));
        Place::of(tree).env("PATH", PATH)
    }

    #[track_caller]
    fn approve_tea(&self) {
        let said = self.say(&["approve", "tea"]);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        self.granted("approved", true);
    }

    /// Whether the skill is granted its tool, and its script is run.
    #[track_caller]
    fn granted(&self, case: &str, expect: bool) {
        granted(case, &mut self.command(&["load", "tea", "--as", "model", "--json"]), expect);
        let ran = self.say(&["run", "tea", "boil.sh"]);
        assert_eq!((ran.code, ran.out.as_str()), if expect { (Some(0), "boiled\n") } else { (Some(2), "") }, "{case}");
    }
}

#[track_caller]
fn granted(case: &str, command: &mut Command, expect: bool) {
    let said = said(command);
    let tools = if expect { r#"["Read"]"# } else { "[]" };
    assert_eq!(field(&said.json(), "tools"), tools, "{case}: {}{}", said.out, said.err);
}

#[test]
fn a_grant_is_dropped_until_it_is_approved() {
    let place = Place::unapproved();
    place.granted("at first", false);
    let said = place.say(&["load", "tea", "--as", "model", "--json"]);
    assert!(said.out.contains("`skilltree approve tea`") && said.out.contains("--trust"), "{}", said.out);
    let said = place.say(&["run", "tea", "boil.sh"]);
    assert!(said.err.contains("`skilltree approve tea`") && said.err.contains("--trust"), "{}", said.err);
    granted("trusted", &mut place.command(&["load", "tea", "--as", "model", "--json", "--trust"]), true);

    let shown = place.say(&["approve", "tea", "--dry-run"]);
    assert_eq!((shown.code, shown.err.as_str()), (Some(0), ""));
    place.granted("after a dry run", false);
    assert!(!place.at(STORE).exists());

    let done = place.say(&["approve", "tea"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert_eq!(done.out, shown.out.replace("would approve", "approved"));
    assert!(done.out.ends_with("\n\n+ description: Makes tea.\n+ tool: Read\n"), "{}", done.out);
    let notes = place.at(&format!("{TEA}/notes.md"));
    let rows: Vec<&str> = done.out.lines().collect();
    assert_eq!(rows[0], format!("approved tea ({})", place.named(&format!("{TEA}/SKILL.md"))));
    assert!(Digest::parse(rows[1]).is_some(), "{}", done.out);
    for row in [
        format!("7       same.md -> {}", notes.display()),
        "22      scripts/boil.sh".to_owned(),
        "folder  node_modules/kettle".to_owned(),
    ] {
        assert!(rows.contains(&row.as_str()), "{row} in {}", done.out);
    }
    place.granted("approved", true);

    let said = place.say(&["approve", "tea", "--revoke", "--dry-run"]);
    assert_eq!((said.code, said.out.starts_with("would no longer approve tea")), (Some(0), true), "{}", said.out);
    place.granted("after a dry run", true);
    let said = place.say(&["approve", "tea", "--revoke"]);
    assert_eq!((said.code, said.out.starts_with("no longer approved: tea")), (Some(0), true), "{}", said.out);
    place.granted("revoked", false);
    let said = place.say(&["approve", "tea", "--revoke"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(0), "", "note: `tea` is not approved\n"));
}

#[test]
fn what_has_changed_is_shown() {
    let place = Place::unapproved();
    place.approve_tea();
    let said = place.say(&["approve", "tea"]);
    assert!(said.out.ends_with("\n\nnothing has changed since the last approval\n"), "{}", said.out);
    let text = SKILL.replace("Makes tea.", "Makes coffee.").replace("Read", "Read Write");
    fs::write(place.at(TEA).join("SKILL.md"), text).unwrap();
    fs::write(place.at(TEA).join("scripts/send.sh"), "curl https://kettle.example/\u{200b}\n").unwrap();
    let (_, json) = place.json(&["approve", "tea", "--dry-run"]);
    assert_eq!(json.get("first"), Some(&Json::Bool(false)));
    let Some(Json::List(changes)) = json.get("changes") else { panic!("{json}") };
    assert_eq!(changes[0].to_string(), r#"{"what":"description","change":"gone","text":"Makes tea."}"#);
    let said = place.say(&["approve", "tea"]);
    let expect = "\n\nchanged since the last approval:\n- description: Makes tea.\n+ description: Makes coffee.\n\
                  + tool: Write\n+ host: kettle.example\n~ file: SKILL.md\n+ file: scripts/send.sh\n";
    assert!(said.out.ends_with(expect), "{}", said.out);
    assert!(said.err.contains("hidden-characters"), "{}", said.err);
}

#[test]
fn any_change_takes_it_back() {
    type Edit = fn(&Path);
    let edits: &[(&str, Edit, &str)] = &[
        (
            "an edit",
            |dir| fs::write(dir.join("scripts/boil.sh"), "#!/bin/sh\necho else\n").unwrap(),
            "`scripts/boil.sh` has changed",
        ),
        (
            "an edit of the text",
            |dir| fs::write(dir.join("SKILL.md"), SKILL.replace("Boil", "Spill")).unwrap(),
            "`SKILL.md` has changed",
        ),
        ("a new file", |dir| fs::write(dir.join("scripts/new.sh"), "").unwrap(), "`scripts/new.sh` is new"),
        (
            "a file gone",
            |dir| fs::remove_file(dir.join("notes.md")).unwrap(),
            "`same.md` has changed, and one more differs",
        ),
        (
            "a file renamed",
            |dir| fs::rename(dir.join("notes.md"), dir.join("n.md")).unwrap(),
            "`same.md` has changed, and 2 more differ",
        ),
        (
            "a module",
            |dir| fs::write(dir.join("node_modules/kettle/index.js"), "x").unwrap(),
            "`node_modules/kettle/index.js` has changed",
        ),
        (
            "a link led elsewhere",
            |dir| {
                fs::remove_file(dir.join("same.md")).unwrap();
                symlink("SKILL.md", dir.join("same.md")).unwrap();
            },
            "`same.md` has changed",
        ),
        (
            "a link in place of what it leads to",
            |dir| {
                fs::rename(dir.join("scripts/boil.sh"), dir.join("../boil.sh")).unwrap();
                symlink("../../boil.sh", dir.join("scripts/boil.sh")).unwrap();
            },
            "`scripts/boil.sh` has changed",
        ),
        ("a name that is not UTF-8", |dir| fs::write(dir.join(odd_name()), "").unwrap(), "its name is not UTF-8"),
    ];
    for (case, edit, expect) in edits {
        let place = Place::unapproved();
        place.approve_tea();
        edit(&place.at(TEA));
        granted(case, &mut place.command(&["load", "tea", "--as", "model", "--json"]), false);
        for words in [&["load", "tea", "--as", "model"][..], &["run", "tea", "boil.sh"]] {
            let said = place.say(words);
            assert!(
                said.err.contains("its approval is no longer valid: ") && said.err.contains(expect),
                "{case}: {}",
                said.err
            );
        }
    }
}

fn odd_name() -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(vec![b'a', 0xff])
}

#[test]
fn as_it_was_it_counts_again_and_elsewhere_never() {
    let place = Place::unapproved();
    place.approve_tea();
    let script = place.at(&format!("{TEA}/scripts/boil.sh"));
    let text = fs::read(&script).unwrap();
    fs::write(&script, "x").unwrap();
    granted("changed", &mut place.command(&["load", "tea", "--as", "model", "--json"]), false);
    fs::write(&script, text).unwrap();
    place.granted("as it was", true);
    // What a file holds counts, not who may run it: scripts are given to their interpreter.
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    place.granted("another mode", true);
    fs::rename(place.at(TEA), place.at("project/.agents/skills/green")).unwrap();
    place.granted("another folder", false);
    fs::rename(place.at("project/.agents/skills/green"), place.at("project/tea")).unwrap();
    symlink("../../tea", place.at(TEA)).unwrap();
    place.granted("another folder, by a link", false);
    place.approve_tea();
}

#[test]
fn as_json() {
    let place = Place::unapproved();
    let (_, json) = place.json(&["approve", "tea"]);
    assert_eq!(
        names(&json),
        ["key", "path", "digest", "files", "others", "first", "changes", "approved", "store", "findings"]
    );
    let text = |name: &str| json.get(name).and_then(Json::as_text).unwrap().to_owned();
    assert_eq!(text("key"), "tea");
    assert_eq!(text("store"), place.named(STORE));
    assert_eq!(json.get("approved"), Some(&Json::Bool(true)));
    let Some(Json::List(files)) = json.get("files") else { panic!("{json}") };
    let first = format!(r#"{{"name":"SKILL.md","digest":"{}","size":{}}}"#, Digest::of(SKILL.as_bytes()), SKILL.len());
    assert_eq!(files[0].to_string(), first);
    for (case, words, expect) in [
        ("a dry run of what is approved", &["approve", "tea", "--dry-run"][..], true),
        ("a dry run of taking it back", &["approve", "tea", "--revoke", "--dry-run"], true),
        ("taken back", &["approve", "tea", "--revoke"], false),
        ("taken back twice", &["approve", "tea", "--revoke"], false),
        ("a dry run of what is not approved", &["approve", "tea", "--dry-run"], false),
    ] {
        let (_, json) = place.json(words);
        assert_eq!(json.get("approved"), Some(&Json::Bool(expect)), "{case}");
    }
    let (code, json) = place.json(&["approve", "te"]);
    assert_eq!((code, error_code(&json)), (Some(1), Some("unknown")));
}

#[test]
fn a_skill_that_is_trusted_anyway() {
    let note = |key: &str| format!("note: `{key}` is trusted without approval, because of where it is\n");
    let place = Place::unapproved();
    let said = place.say(&["approve", "milk"]);
    assert_eq!((said.code, said.out.starts_with("approved milk"), said.err), (Some(0), true, note("milk")));

    for (dialect, dir, key) in [
        ("agent-base", "src/_bundled_skills", "shipped"),
        ("pegasus", "skills", "shipped"),
        ("daycare", "packages/daycare/sources/skills", "core:shipped"),
    ] {
        let place = Place::unapproved();
        let dir = place.at("project").join(dir).join("shipped");
        fs::create_dir_all(dir.join("scripts")).unwrap();
        fs::write(dir.join("SKILL.md"), SKILL.replace("tea", "shipped")).unwrap();
        fs::write(dir.join("scripts/x.sh"), "echo x\n").unwrap();
        let say = |words: &[&str]| place.say(&[&["--dialect", dialect], words].concat());
        let bundled = dir.parent().unwrap().to_str().unwrap();
        let refused = say(&["run", "shipped", "x.sh"]);
        let help = format!("`--bundled {bundled}` declares this folder as the agent's own skills");
        assert_eq!((refused.code, refused.err.contains(&help)), (Some(2), true), "{dialect}: {}", refused.err);
        assert_eq!(say(&["--bundled", bundled, "run", "shipped", "x.sh"]).out, "x\n", "{dialect}");
        let said = say(&["approve", "shipped"]);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{dialect}");
        assert_eq!(say(&["run", "shipped", "x.sh"]).out, "x\n", "{dialect}");
        assert_eq!(say(&["approve", "shipped", "--bundled", bundled]).err, note(key), "{dialect}");
    }
}

/// A file outside counts with its bytes, as a script finds it through the link.
#[test]
fn what_a_link_leads_to_outside() {
    let place = Place::unapproved();
    fs::write(place.at("project/shared.sh"), "x").unwrap();
    symlink("../../../../shared.sh", place.at(&format!("{TEA}/scripts/shared.sh"))).unwrap();
    let said = place.say(&["approve", "tea"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let row = format!("1       scripts/shared.sh -> {}", place.named("project/shared.sh"));
    assert!(said.out.lines().any(|line| line == row), "{}", said.out);
    place.granted("approved", true);
    fs::write(place.at("project/shared.sh"), "y").unwrap();
    place.granted("changed outside", false);
    let said = place.say(&["run", "tea", "boil.sh"]);
    assert!(said.err.contains("its approval is no longer valid: `scripts/shared.sh` has changed"), "{}", said.err);
    fs::write(place.at("project/shared.sh"), "x").unwrap();
    place.granted("as it was", true);

    fs::create_dir(place.at("project/shared")).unwrap();
    symlink("../../../shared", place.at(&format!("{TEA}/shared"))).unwrap();
    place.granted("a link to a folder", false);
    let (link, folder) = (place.at(&format!("{TEA}/shared")), place.at("project/shared"));
    for words in [&["approve", "tea"][..], &["approve", "tea", "--dry-run"]] {
        let said = place.say(words);
        assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{words:?}");
        for part in [link.to_str().unwrap(), folder.to_str().unwrap(), "copy the folder into", "`--trust`"] {
            assert!(said.err.contains(part), "{words:?}: {part} in {}", said.err);
        }
    }
}

/// The note about commands says what has to come before the command that runs them.
#[test]
fn commands_of_a_skill_that_is_not_approved() {
    let now = "---\nname: now\ndescription: Says when it is.\n---\n!`date`\n";
    let place = Place::of(Tree::default().with("/project/.claude/skills/now/SKILL.md", now)).env("PATH", PATH);
    let place = place.last(&["--dialect", "claude"]);
    let runs = "`skilltree invoke --run /now --dialect claude` runs what is to be run";
    let approve = ", once the skill is approved with `skilltree approve now --dialect claude`\n";
    place.check("at first", &["load", "now"], 0, &["!`date`"], &[&format!("{runs}{approve}")]);
    place.check("approved", &["approve", "now"], 0, &["approved now"], &[]);
    place.check("then", &["load", "now"], 0, &["!`date`"], &[&format!("{runs}\n")]);
}

#[test]
fn a_corrupt_store_approves_nothing_and_stays() {
    let place = Place::unapproved();
    place.approve_tea();
    let store = fs::read_to_string(place.at(STORE)).unwrap();
    let newer = store.replace("\"version\": 1", "\"version\": 2");
    for (case, text, why) in [("corrupt", "{", "is corrupt"), ("newer", newer.as_str(), "has version 2, newer than 1")]
    {
        fs::write(place.at(STORE), text).unwrap();
        place.granted(case, false);
        for words in [&["approve", "tea"][..], &["approve", "tea", "--revoke"], &["approve", "tea", "--dry-run"]] {
            let said = place.say(words);
            assert_eq!(said.code, Some(1), "{case}: {words:?}");
            for part in [why, "is not overwritten", "move it away"] {
                assert!(said.err.contains(part), "{case}: {words:?}: {}", said.err);
            }
        }
        for words in [&["run", "tea", "boil.sh"][..], &["load", "tea", "--as", "model"]] {
            let said = place.say(words);
            assert_eq!(said.err.matches(why).count(), 1, "{case}: {words:?}: {}", said.err);
            let first =
                if case == "newer" { "needs a newer version of skilltree" } else { "fixed or moved away first" };
            assert!(said.err.contains(first), "{case}: {words:?}: {}", said.err);
            assert!(said.err.contains(place.at(STORE).to_str().unwrap()), "{case}: {words:?}: {}", said.err);
        }
        assert_eq!(fs::read_to_string(place.at(STORE)).unwrap(), text, "{case}");
    }
}

#[test]
fn what_is_no_skill_any_more_is_revoked() {
    type Edit = fn(&Path);
    let edits: &[(&str, Edit)] = &[
        ("gone", |dir| fs::rename(dir, dir.with_file_name("../away")).unwrap()),
        ("broken", |dir| fs::write(dir.join("SKILL.md"), "---\nname: tea\n---\n").unwrap()),
        ("another name", |dir| {
            fs::write(dir.join("SKILL.md"), SKILL.replace("name: tea", "name: green")).unwrap();
        }),
        ("without its file", |dir| fs::remove_file(dir.join("SKILL.md")).unwrap()),
        ("shadowed", |dir| {
            let above = dir.join("../../../../home/.agents/skills/tea");
            fs::create_dir_all(&above).unwrap();
            fs::rename(dir.join("SKILL.md"), above.join("SKILL.md")).unwrap();
        }),
    ];
    for (case, edit) in edits {
        let place = Place::unapproved();
        place.approve_tea();
        edit(&place.at(TEA));
        let file = place.at(&format!("{TEA}/SKILL.md"));
        let line = format!("tea ({})\n", file.display());
        let said = place.say(&["approve", "tea", "--revoke", "--dry-run"]);
        assert_eq!((said.code, said.out), (Some(0), format!("would no longer approve {line}")), "{case}: {}", said.err);
        let said = place.say(&["approve", "tea", "--revoke"]);
        assert_eq!((said.code, said.out), (Some(0), format!("no longer approved: {line}")), "{case}: {}", said.err);
        assert!(!fs::read_to_string(place.at(STORE)).unwrap().contains(TEA), "{case}");
    }
    let place = Place::unapproved();
    fs::write(
        place.at(&format!("{TEA}/SKILL.md")),
        SKILL.replace("---\nBoil", "sven:\n  requires_env: [KETTLE]\n---\nBoil"),
    )
    .unwrap();
    let sven = |words: &[&str]| place.command(&[&["--dialect", "sven"], words].concat());
    assert_eq!(said(sven(&["approve", "tea"]).env("KETTLE", "on")).code, Some(0));
    let unmet = said(&mut sven(&["approve", "tea", "--revoke", "--json"]));
    let json = Json::parse(&unmet.out).unwrap();
    assert_eq!((unmet.code, json.get("approved")), (Some(0), Some(&Json::Bool(false))), "{}", unmet.err);
    granted("unmet, revoked", place.command(&["load", "tea", "--as", "model", "--json"]).env("KETTLE", "on"), false);
}

#[test]
fn which_approval_is_revoked() {
    let place = Place::unapproved();
    place.approve_tea();
    let other = place.at("project/.claude/skills");
    fs::create_dir_all(&other).unwrap();
    fs::rename(place.at(TEA), other.join("tea")).unwrap();
    place.approve_tea();
    fs::rename(other.join("tea"), place.at("away")).unwrap();
    let store = || fs::read_to_string(place.at(STORE)).unwrap();
    let (before, files) = (store(), [place.at(&format!("{TEA}/SKILL.md")), other.join("tea/SKILL.md")]);

    let said = place.say(&["approve", "tea", "--revoke"]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{}", said.err);
    assert!(files.iter().all(|file| said.err.contains(file.to_str().unwrap())), "{}", said.err);
    fs::create_dir(place.at("elsewhere")).unwrap();
    let elsewhere = place.say(&["approve", "tea", "--revoke", "--project", place.at("elsewhere").to_str().unwrap()]);
    assert_eq!(elsewhere.code, Some(1), "{}", elsewhere.out);
    let typed = place.say(&["approve", "te", "--revoke"]);
    assert_eq!(typed.code, Some(1), "{}", typed.out);
    assert_eq!(store(), before);

    let said = place.say(&["approve", files[0].to_str().unwrap(), "--revoke"]);
    assert_eq!(said.out, format!("no longer approved: tea ({})\n", files[0].display()), "{}", said.err);
    assert!(!store().contains(TEA) && store().contains(".claude"), "{}", store());
    let said = place.say(&["approve", ".claude/skills/tea", "--revoke"]);
    assert_eq!(said.out, format!("no longer approved: tea ({})\n", files[1].display()), "{}", said.err);
    assert!(!store().contains(".claude"), "{}", store());
}

/// What was seen and not taken is no typing error.
#[test]
fn what_became_of_it_is_told_by_why() {
    let place = Place::unapproved();
    let broken = place.at("project/.agents/skills/broken");
    fs::create_dir_all(&broken).unwrap();
    fs::write(broken.join("SKILL.md"), "---\nname: broken\n---\n").unwrap();
    for words in
        [&["load"][..], &["run"], &["approve"], &["approve", "--revoke"], &["toolset", "list"], &["toolset", "call"]]
    {
        let more: &[&str] = match words {
            ["run"] => &["x.sh"],
            ["toolset", "call"] => &["boil", "{}"],
            _ => &[],
        };
        let about = |key: &str| place.say(&[words, &[key], more].concat());
        let (seen, unseen) = (about("broken"), about("brokn"));
        let help = "help: `skilltree why broken` explains why\n";
        assert!(seen.err.contains("there is no skill `broken`") && seen.err.ends_with(help), "{words:?}: {}", seen.err);
        assert_ne!(seen.code, Some(0), "{words:?}");
        assert!(!unseen.err.contains("help"), "{words:?}: {}", unseen.err);
        // What is not approved is found by its path, too.
        let skill = place.named("project/.agents/skills/tea");
        for path in [".agents/skills/tea", ".agents/skills/tea/SKILL.md", &skill]
            .iter()
            .filter(|_| words.len() < 2 || words[1] != "--revoke")
        {
            let by_path = about(path);
            let key = format!("there is no skill `{path}`\nhelp: the key of this skill is `tea`\n");
            assert!(by_path.err.ends_with(&key), "{words:?}: {}", by_path.err);
            assert_eq!(by_path.code, seen.code, "{words:?}");
        }
    }
}

/// One's own skill, reached through the project: the file is in the folder that the home source reads.
#[test]
fn ones_own_skills_by_another_way() {
    let check = |case: &str, place: &Place, more: &[&str], expect: bool| {
        granted(case, &mut place.command(&[&["load", "milk", "--as", "model", "--json"], more].concat()), expect);
    };

    let place = Place::unapproved();
    let home = place.at("home").display().to_string();
    check("in the home directory", &place, &["--project", &home], true);
    symlink(place.at(TEA), place.at("home/.agents/skills/tea")).unwrap();
    let tea = ["load", "tea", "--as", "model", "--json", "--project", &home];
    granted("a link from there to elsewhere, in the home directory", &mut place.command(&tea), true);

    let place = Place::unapproved();
    symlink(place.at("home/.agents/skills/milk"), place.at("project/.agents/skills/milk")).unwrap();
    check("a link to it", &place, &[], true);
    let said = place.say(&["approve", "milk"]);
    assert_eq!(said.err, "note: `milk` is trusted without approval, because of where it is\n");

    let place = Place::unapproved();
    fs::remove_dir_all(place.at("project/.agents/skills")).unwrap();
    symlink(place.at("home/.agents/skills"), place.at("project/.agents/skills")).unwrap();
    check("a link to all of them", &place, &[], true);

    let place = Place::unapproved();
    fs::create_dir_all(place.at("project/.agents/skills/milk/scripts")).unwrap();
    symlink(place.at("home/.agents/skills/milk/SKILL.md"), place.at("project/.agents/skills/milk/SKILL.md")).unwrap();
    check("a link to its file alone, in a folder of the project's", &place, &[], false);

    let place = Place::unapproved();
    fs::create_dir_all(place.at("home/notes/milk")).unwrap();
    fs::write(place.at("home/notes/milk/SKILL.md"), SKILL.replace("tea", "milk")).unwrap();
    symlink(place.at("home/notes/milk"), place.at("project/.agents/skills/milk")).unwrap();
    check("a link to elsewhere in the home directory is not followed", &place, &[], true);
    check("it is by option, and is the project's", &place, &["--follow-links-out"], false);

    let place = Place::unapproved();
    symlink(place.at(TEA), place.at("home/.agents/skills/tea")).unwrap();
    place.granted("a link from there to the project's", false);

    for folder in [".claude/skills", "tools"] {
        let place = Place::unapproved();
        let (real, link) = (place.at("project").join(folder).join("tea"), place.at("home/.claude/skills/tea"));
        fs::create_dir_all(real.parent().unwrap()).unwrap();
        fs::rename(place.at("project/.agents/skills/tea"), real).unwrap();
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(place.at("project").join(folder).join("tea"), link).unwrap();
        place.granted(folder, false);
        let said = place.say(&["--dialect", "claude", "run", "tea", "boil.sh"]);
        assert_eq!(said.out, "", "{folder}: {}", said.err);
    }

    let place = Place::unapproved();
    fs::remove_dir_all(place.at("home/.agents")).unwrap();
    symlink(place.at("project/.agents"), place.at("home/.agents")).unwrap();
    place.granted("a link from there to all of the project's", false);

    let place = Place::unapproved();
    fs::rename(place.at("project/.agents/skills"), place.at("project/lib")).unwrap();
    fs::remove_dir_all(place.at("home/.agents")).unwrap();
    fs::create_dir_all(place.at("home/.agents")).unwrap();
    symlink(place.at("project/lib"), place.at("home/.agents/skills")).unwrap();
    place.granted("a link from there to what no source of the project finds", false);
    assert_eq!(place.say(&["approve", "tea"]).code, Some(0));
    place.granted("and is approved", true);

    for (case, more, expect) in
        [("a folder that is named", &["--config", "far"][..], true), ("the project's", &[], false)]
    {
        let place = Place::unapproved();
        let folder = if expect { "far/skills" } else { ".daycare/skills" };
        fs::create_dir_all(place.at("project").join(folder).parent().unwrap()).unwrap();
        fs::rename(place.at("project/.agents/skills"), place.at("project").join(folder)).unwrap();
        let said = place.say(&[more, &["--dialect", "daycare", "run", "tea", "boil.sh"]].concat());
        assert_eq!(said.out, if expect { "boiled\n" } else { "" }, "{case}: {}", said.err);
    }

    // What a repository among the own skills holds is found with them, as deep as the home source is read.
    for (dialect, expect) in [("agentskills", true), ("claude", false)] {
        let place = Place::unapproved();
        let repository = place.at("home/.claude/skills/repository");
        fs::create_dir_all(repository.join(".claude/skills/milk")).unwrap();
        fs::write(repository.join(".claude/skills/milk/SKILL.md"), SKILL.replace("tea", "milk")).unwrap();
        let more = ["--dialect", dialect, "--project", repository.to_str().unwrap()];
        check(dialect, &place, &more, expect);
    }

    let place = Place::unapproved();
    let inside = place.at("project/sub");
    fs::rename(place.at("home"), &inside).unwrap();
    symlink("../../sub/.agents/skills/milk", place.at("project/.agents/skills/milk")).unwrap();
    check("a home that comes with the project", &place, &["--home", inside.to_str().unwrap()], false);
}

#[test]
fn where_approvals_are_kept() {
    let place = Place::unapproved();
    let with = |words: &[&str], state: &Path| said(place.command(words).env("XDG_STATE_HOME", state));
    assert_eq!(with(&["approve", "tea"], &place.at("state")).code, Some(0));
    assert!(place.at("state/skilltree/approved.json").exists());
    let load = ["load", "tea", "--as", "model", "--json"];
    granted("by the variable", place.command(&load).env("XDG_STATE_HOME", place.at("state")), true);
    granted("without it", &mut place.command(&load), false);
    let relative = with(&["approve", "tea", "--json"], Path::new("state"));
    assert!(relative.out.contains(STORE), "a relative variable counts for nothing: {}", relative.out);
    let other = place.named("other");
    let elsewhere = place.say(&["approve", "tea", "--json", "--home", &other]);
    assert!(elsewhere.out.contains("/other/.local/state/skilltree/approved.json"), "{}", elsewhere.out);
    let none = said(place.command(&["approve", "tea"]).env_remove("HOME").env_remove("USERPROFILE"));
    assert_eq!(none.code, Some(2), "{}", none.err);
    assert!(none.err.contains("approvals cannot be stored"), "{}", none.err);
}

/// A project that brings along a store in which its own skill is approved.
#[test]
fn a_project_does_not_approve_itself() {
    let place = Place::unapproved();
    place.approve_tea();
    let store = fs::read(place.at(STORE)).unwrap();
    fs::remove_file(place.at(STORE)).unwrap();
    let inside = place.at("project/sub/.local/state/skilltree");
    fs::create_dir_all(&inside).unwrap();
    fs::write(inside.join("approved.json"), &store).unwrap();
    symlink(place.at("project/sub"), place.at("linked")).unwrap();
    fs::create_dir_all(place.at("state")).unwrap();
    symlink(&inside, place.at("state/skilltree")).unwrap();
    fs::create_dir_all(place.at("file/skilltree")).unwrap();
    symlink(inside.join("approved.json"), place.at("file/skilltree/approved.json")).unwrap();
    symlink(place.at("project"), place.at("also")).unwrap();
    let home = |dir: &str| vec!["--home".to_owned(), place.named(dir)];
    let cases: [(&str, Vec<String>, &str); 5] = [
        ("a home in the project", home("project/sub"), ""),
        ("a home in the project, by a link", home("linked"), ""),
        ("a state folder that a link leads there", Vec::new(), "state"),
        ("a store that a link leads there", Vec::new(), "file"),
        ("the project as home", home("project"), ""),
    ];
    for (case, words, state) in cases {
        let command = |more: &[&str]| {
            let mut command = place.command(more);
            command.args(&words);
            if !state.is_empty() {
                command.env("XDG_STATE_HOME", place.at(state));
            }
            command
        };
        granted(case, &mut command(&["load", "tea", "--as", "model", "--json"]), false);
        let said = said(&mut command(&["approve", "tea"]));
        assert_eq!(said.code, Some(2), "{case}: {}", said.err);
        assert!(said.err.contains("must not approve itself"), "{case}: {}", said.err);
    }
    let also = place.named("also");
    let said = place.say(&["approve", "tea", "--project", &also, "--home", &place.named("project/sub")]);
    assert_eq!(said.code, Some(2), "a project by a link: {}", said.err);
}

/// A skill in the home directory that no home source reads.
#[test]
fn a_project_that_is_the_home_keeps_approvals_there() {
    let place = Place::unapproved();
    fs::create_dir_all(place.at("project/data/skills")).unwrap();
    fs::rename(place.at(TEA), place.at("project/data/skills/tea")).unwrap();
    let at_home = |words: &[&str]| {
        said(place.command(&[&["--dialect", "pegasus"], words].concat()).env("HOME", place.at("project")))
    };
    let run = ["run", "tea", "boil.sh"];
    assert_eq!(at_home(&run).code, Some(2));
    let said = at_home(&["approve", "tea"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    assert_eq!(at_home(&run).out, "boiled\n");
}
