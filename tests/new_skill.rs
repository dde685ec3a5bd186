//! New skills: strict checks of each dialect find nothing in them, and the command writes them and nothing else.

use crate::common::property;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use skilltree::answers::{NewFolder, NewSkillRequest, new_skill};
use skilltree::dialect::{Markup, NAMES};
use skilltree::{Code, FsPath, MemFs, Places, Severity, World, check, dialect, discover};

const ALL: [NewFolder; 3] = [NewFolder::Scripts, NewFolder::References, NewFolder::Assets];

fn ask(name: &str, description: &str, with: &[NewFolder]) -> NewSkillRequest {
    NewSkillRequest { name: name.into(), description: description.into(), with: with.into() }
}

#[test]
fn each_dialect_takes_it() {
    for name in NAMES {
        let dialect = dialect(name).expect("a dialect");
        for with in [&[][..], &ALL] {
            let made =
                new_skill(&dialect, &ask("brew-tea", "", with)).unwrap_or_else(|found| panic!("{name}: {found:?}"));
            assert_eq!(made.files.len(), 1 + with.len(), "{name}");
            let mut fs = MemFs::new();
            for (file, text) in &made.files {
                fs.file(&format!("/s/brew-tea/{file}"), text.as_bytes());
            }
            let root = FsPath::new("/s").expect("a path");
            let places = Places { roots: vec![root.clone()], only_roots: true, ..Places::default() };
            let world = World::new(&fs, &places, &());
            let catalog = discover(&world, &dialect);
            assert_eq!(catalog.find_any("brew-tea").map(|skill| skill.name.as_str()), Ok("brew-tea"), "{name}");
            let strict = skilltree::CheckRequest { strict: true };
            let found = check(&world, &dialect, &[root], &strict).expect("it is there");
            let codes: Vec<(Severity, Code)> = found.iter().map(|one| (one.severity, one.code)).collect();
            let open = [Code::DescriptionPlaceholder, Code::BodyPlaceholder].map(|code| (Severity::Note, code));
            assert_eq!(codes, open, "{name}: until it is described and written");
        }
    }
}

#[test]
fn the_texts() {
    let made = new_skill(&dialect("agentskills").expect("it"), &ask("brew-tea", " Brews tea:\nhot. ", &ALL));
    let [(name, text), others @ ..] = &made.expect("a skill").files[..] else { panic!("no files") };
    assert_eq!(name, "SKILL.md");
    assert_eq!(
        text,
        "---\nname: brew-tea\ndescription: \"Brews tea: hot.\"\n---\n\n# Brew tea\n\n\
         TODO Write the instructions for the agent here.\n\nRun `scripts/run.sh`.\n\n\
         For details, read [the reference](references/reference.md).\n\nUse `assets/template.txt` for the result.\n"
    );
    let names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["scripts/run.sh", "references/reference.md", "assets/template.txt"]);
}

#[test]
fn a_folder_that_is_asked_for_twice_is_made_once() {
    let twice = [NewFolder::Assets, NewFolder::Scripts, NewFolder::Assets];
    let dialect = dialect("agentskills").expect("it");
    assert_eq!(new_skill(&dialect, &ask("tea", "", &twice)), new_skill(&dialect, &ask("tea", "", &twice[..2])));
}

#[test]
fn names_that_are_refused() {
    for (name, part) in [("Brew Tea", "lower"), ("a/b", "name"), ("..", "name"), ("", "name"), ("a--b", "--")] {
        let found = new_skill(&dialect("agentskills").expect("it"), &ask(name, "", &[])).expect_err(name);
        assert!(found.iter().any(|finding| finding.message.contains(part)), "{name}: {found:?}");
    }
}

/// Whatever the name and the description are: the skill is refused, or it has them.
#[test]
fn what_is_written_is_read() {
    let names = "[a-z]{1,3}|yes|null|[ -~]{0,9}|\\PC{1,5}";
    let descriptions = "[ -~]{0,40}|(\\PC|\n){1,30}";
    property::check(
        "what_is_written_is_read",
        256,
        (names, descriptions, 0..NAMES.len()),
        |(name, description, which)| {
            let dialect = dialect(NAMES[which]).expect("a dialect");
            if let Ok(made) = new_skill(&dialect, &ask(&name, &description, &[])) {
                let mut fs = MemFs::new();
                let path =
                    FsPath::new("/s").and_then(|root| root.child(&name)).and_then(|folder| folder.child("SKILL.md"));
                fs.file(path.expect("a path").as_str(), made.files[0].1.as_bytes());
                let places =
                    Places { roots: vec![FsPath::new("/s").expect("a path")], only_roots: true, ..Places::default() };
                let catalog = discover(&World::new(&fs, &places, &()), &dialect);
                let skills = catalog.skills();
                prop_assert_eq!(skills.len(), 1, "{:?} {:?}", made, catalog.findings());
                let expect = description.split_whitespace().collect::<Vec<_>>().join(" ");
                let is_whole = dialect.header.markup == Markup::Kept || !expect.contains('<');
                if !expect.is_empty() && expect.is_ascii() && is_whole {
                    prop_assert_eq!(skills[0].description(), expect);
                }
            }
            Ok(())
        },
    );
}

#[cfg(feature = "cli")]
mod command {
    use crate::common::Tree;
    use crate::common::program::Place;
    use pretty_assertions::assert_eq;
    use skilltree::dialect::NAMES;

    #[test]
    fn it_is_written_once() {
        let place = Place::of(Tree::default().with_dir("/project/.claude"));
        let made =
            place.say(&["new", "brew-tea", "--dir", &place.named("/project/.claude/skills"), "--with", "scripts"]);
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
        place.check("again", again, 2, &[], &["exists already and is not overwritten", "--dir"]);
        assert_eq!(place.read("/project/.claude/skills/brew-tea/SKILL.md"), Some(text));
    }

    #[test]
    fn it_is_written_where_the_dialect_finds_it() {
        let folders = [
            ("agentskills", ".agents/skills"),
            ("sven", ".sven/skills"),
            ("agent-base", ".agent/skills"),
            ("gencode", ".gen/skills"),
            ("pegasus", "data/skills"),
            ("daycare", ".daycare/skills"),
            ("claude", ".claude/skills"),
            ("codex", ".codex/skills"),
            ("opencode", ".opencode/skills"),
            ("goose", ".agents/skills"),
            ("gemini", ".agents/skills"),
            ("copilot", ".agents/skills"),
            ("cursor", ".cursor/skills"),
        ];
        assert_eq!(folders.map(|(name, _)| name).as_slice(), NAMES);
        for (dialect, folder) in folders {
            let place = Place::of(Tree::default().with_dir("/project"));
            let made = place.say(&["--dialect", dialect, "new", "tea"]);
            assert_eq!((made.code, made.err.lines().count()), (Some(0), 1), "{dialect}: {}", made.err);
            assert_eq!(made.out.trim_end(), place.named(&format!("/project/{folder}/tea")), "{dialect}");
            place.check(dialect, &["--dialect", dialect, "list"], 0, &["tea"], &[]);
            place.check(
                dialect,
                &["--dialect", dialect, "check"],
                0,
                &["description-placeholder", "body-placeholder", "2 notes\n"],
                &[],
            );
        }
    }

    #[test]
    fn a_folder_that_is_not_searched_is_said_so() {
        let place = Place::of(Tree::default().with_dir("/project"));
        let said = ["does not search this folder", "`skilltree list --root drafts`"];
        place.check("elsewhere", &["new", "tea", "--dir", "drafts"], 0, &["/project/drafts/tea\n"], &said);
        place.check("by the suggested command", &["list", "--root", "drafts"], 0, &["tea"], &[]);
        place.check("--root", &["new", "tea", "--root", "drafts"], 2, &[], &["exists already"]);
    }

    #[test]
    fn json_and_refusals() {
        let place = Place::of(Tree::default().with_dir("/project").with("/project/file", "x"));
        let (code, json) = place.json(&["new", "tea", "--dir", &place.named("/project")]);
        assert_eq!(code, Some(0));
        assert_eq!(crate::common::program::field(&json, "path"), format!("\"{}\"", place.named("/project/tea")));
        place.check("a bad name", &["new", "Bad Name"], 2, &[], &["the skill was not created", "`Bad Name`"]);
        place.check(
            "in a file",
            &["new", "x", "--dir", &place.named("/project/file")],
            2,
            &[],
            &["could not be written"],
        );
        place.check("an unknown folder", &["new", "x", "--with", "libs"], 2, &[], &["libs", "scripts"]);
        assert_eq!(place.read("/project/x/SKILL.md"), None);
    }
}
