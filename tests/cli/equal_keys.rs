//! Skills with one key, in dialects that keep them all: each is named by the path of its SKILL.md.

use crate::common::Tree;
use crate::program::{Place, field, holds};
use pretty_assertions::assert_eq;

/// Two projects' folders with a skill `tea` each, which has a script.
fn place() -> Place {
    let tree = ["home/.agents", "project/.agents", "project/.codex"].iter().fold(Tree::default(), |tree, folder| {
        let skill = format!("/{folder}/skills/tea");
        let text = format!("---\nname: tea\ndescription: From {folder}.\n---\nIt is from {folder}.\n");
        tree.with(&format!("{skill}/SKILL.md"), text).with(&format!("{skill}/scripts/x.sh"), "echo hi\n")
    });
    Place::of(tree).last(&["--dialect", "codex"])
}

const SKILL: &str = "project/.agents/skills/tea/SKILL.md";

#[test]
fn each_is_named_by_its_path() {
    let place = place();
    let path = place.named(SKILL);
    let path = path.as_str();
    place.check("the key", &["load", "tea"], 1, &[], &["`tea` is ambiguous", path]);

    place.check(
        "its path as a choice",
        &["list", "--disable", path],
        0,
        &["tea", "model"],
        &["there is no skill with the key `", "` to enable or disable"],
    );

    let words = ["run", "--dialect", "codex", path, "x.sh"];
    let said = crate::program::said(&mut place.bare(&words));
    assert_eq!(said.code, Some(2), "{}", said.err);
    let approve = format!("`skilltree approve {path} --dialect codex`");
    holds("the suggested command", &said.err, &["until it is approved with ", &approve]);
    let said = place.pasted(approve.trim_matches('`'));
    assert_eq!(said.code, Some(0), "{}", said.err);
    let said = crate::program::said(&mut place.bare(&words));
    assert!(!said.err.contains("until it is approved"), "{}", said.err);

    place.check("packed", &["pack", path, "-o", "../tea.skill"], 0, &["packed tea into "], &[]);

    // A choice is of the key, so all of them have it.
    place.check("switched off", &["state", path, "off"], 0, &["tea off\n"], &["so all 3 skills `tea` have it"]);
    place.check("all are", &["load", path], 1, &[], &["disabled"]);
    place.check("switched on", &["state", path, "on"], 0, &["tea full\n"], &[]);
}

/// One that is switched off by its path is not said to be offered because another one is.
#[test]
fn each_has_a_state() {
    let place = place();
    let (one, other) = (place.named(SKILL), place.named("project/.codex/skills/tea/SKILL.md"));
    let off = place.at(SKILL).display().to_string();
    place.write("home/.codex/config.toml", &format!("[[skills.config]]\npath = {off:?}\nenabled = false\n"));
    for (path, word) in [(&one, "off"), (&other, "full")] {
        let (_, json) = place.json(&["state", path]);
        let told = ["state", "states.tea"].map(|name| field(&json, name));
        assert_eq!(told, [format!("\"{word}\""), "\"off\"".to_owned()], "{path}");
    }
}

#[test]
fn each_is_put_back_into_a_session() {
    let place = place();
    let (one, other) = (place.named(SKILL), place.named("project/.codex/skills/tea/SKILL.md"));
    for path in [&one, &other, &one] {
        assert_eq!(place.say(&["load", path, "--session", "s.json"]).code, Some(0));
    }
    let back = place.say(&["session", "s.json", "reattach"]);
    assert_eq!((back.code, back.err.as_str()), (Some(0), ""), "{}", back.out);
    holds("both, the newest first", &back.out, &["It is from project/.agents.", "It is from project/.codex."]);
    assert_eq!(back.out.matches("It is from").count(), 2, "{}", back.out);
    let (_, json) = place.json(&["session", "s.json"]);
    assert_eq!(field(&json, "events.4.event"), "\"shown\"");
    // Where the path is gone, nothing tells which one was meant.
    std::fs::remove_dir_all(place.at("project/.codex")).unwrap();
    let back = place.say(&["session", "s.json", "reattach"]);
    holds("the one that is there", &back.out, &["It is from project/.agents."]);
    holds("the other", &back.err, &["`tea` is not restored: `tea` is ambiguous"]);
}
