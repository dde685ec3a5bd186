//! The command `new`.

use crate::common::Tree;
use crate::program::Place;
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;

#[test]
fn it_is_written_once() {
    let place = Place::of(Tree::default().with_dir("/project/.claude"));
    let made = place.say(&["new", "brew-tea", "--dir", &place.named("/project/.claude/skills"), "--with", "scripts"]);
    let next = "note: write its description and its text in `.claude/skills/brew-tea/SKILL.md`; then `skilltree \
                check .claude/skills/brew-tea` checks it\n";
    assert_eq!((made.code, made.err.as_str()), (Some(0), next));
    assert_eq!(made.out.trim_end(), place.named("/project/.claude/skills/brew-tea"));
    let text = place.read("/project/.claude/skills/brew-tea/SKILL.md").expect("it is there");
    assert!(text.starts_with("---\nname: brew-tea\n"), "{text}");
    assert!(place.read("/project/.claude/skills/brew-tea/scripts/run.sh").is_some());
    place.check("strict", &["check", "--strict", made.out.trim_end()], 0, &["2 notes\n"], &[]);
    place.check("listed", &["list"], 0, &["brew-tea"], &[]);
    let again = &["new", "brew-tea", "--dir", &place.named("/project/.claude/skills"), "--description", "Other."];
    place.check("again", again, 1, &[], &["exists already and is not overwritten", "--dir"]);
    assert_eq!(place.read("/project/.claude/skills/brew-tea/SKILL.md"), Some(text));
}

#[test]
fn it_is_written_where_the_dialect_finds_it() {
    let folders = [
        ("agentskills", ".agents/skills"),
        ("claude", ".claude/skills"),
        ("codex", ".codex/skills"),
        ("opencode", ".opencode/skills"),
        ("goose", ".agents/skills"),
        ("gemini", ".agents/skills"),
        ("copilot", ".agents/skills"),
        ("cursor", ".cursor/skills"),
        ("copilot-cli", ".github/skills"),
        ("qwen", ".qwen/skills"),
        ("kilo", ".kilo/skills"),
        ("pi", ".pi/skills"),
        ("cline", ".agents/skills"),
        ("continue", ".continue/skills"),
        ("droid", ".factory/skills"),
        ("kimi", ".kimi-code/skills"),
        ("vibe", ".vibe/skills"),
        ("openclaw", "skills"),
        ("hermes", "/home/.hermes/skills"),
        ("zed", ".agents/skills"),
        ("crush", ".cursor/skills"),
        ("sven", ".sven/skills"),
        ("agent-base", ".agent/skills"),
        ("gencode", ".gen/skills"),
        ("pegasus", "data/skills"),
        ("daycare", ".daycare/skills"),
    ];
    assert_eq!(folders.map(|(name, _)| name).as_slice(), NAMES);
    for (dialect, folder) in folders {
        let place = Place::of(Tree::default().with_dir("/project"));
        let made = place.say(&["--dialect", dialect, "new", "tea"]);
        assert_eq!((made.code, made.err.lines().count()), (Some(0), 1), "{dialect}: {}", made.err);
        let of_project = if folder.starts_with('/') { "" } else { "/project/" };
        assert_eq!(made.out.trim_end(), place.named(&format!("{of_project}{folder}/tea")), "{dialect}");
        place.check(dialect, &["--dialect", dialect, "list"], 0, &["tea"], &[]);
        let notes = ["description-placeholder", "body-placeholder", "2 notes\n"];
        place.check(dialect, &["--dialect", dialect, "check"], 0, &notes, &[]);
    }
}

#[test]
fn a_folder_that_is_not_searched_is_said_so() {
    let place = Place::of(Tree::default().with_dir("/project"));
    let said = ["does not search this folder", "`skilltree list --root drafts`"];
    place.check("elsewhere", &["new", "tea", "--dir", "drafts"], 0, &["/project/drafts/tea\n"], &said);
    place.check("by the suggested command", &["list", "--root", "drafts"], 0, &["tea"], &[]);
    place.check("--root", &["new", "tea", "--root", "drafts"], 1, &[], &["exists already"]);
}

#[test]
fn json_and_refusals() {
    let place = Place::of(Tree::default().with_dir("/project").with("/project/file", "x"));
    let (code, json) = place.json(&["new", "tea", "--dir", &place.named("/project")]);
    assert_eq!(code, Some(0));
    assert_eq!(crate::program::field(&json, "path"), format!("\"{}\"", place.named("/project/tea")));
    place.check("a bad name", &["new", "Bad Name"], 2, &[], &["the skill was not created", "`Bad Name`"]);
    assert!(!place.say(&["new", "Bad Name"]).err.contains("placeholder"), "what is left open is no reason");
    place.check(
        "a folder that is not searched",
        &["new", ".git", "-d", "."],
        2,
        &[],
        &["the skill was not created", ".git"],
    );
    assert_eq!(place.read("/project/.git/SKILL.md"), None);
    place.check("in a file", &["new", "x", "--dir", &place.named("/project/file")], 2, &[], &["could not be written"]);
    place.check("an unknown folder", &["new", "x", "--with", "libs"], 2, &[], &["libs", "scripts"]);
    assert_eq!(place.read("/project/x/SKILL.md"), None);
}
