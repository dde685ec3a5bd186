//! New skills: strict checks of each dialect find nothing in them, and the command writes them and nothing else.

use crate::common::property;

use crate::parts::part;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use skilltree::author::{NewFolder, NewSkill, NewSkillRequest};
use skilltree::dialect::NAMES;
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
                NewSkill::of(&dialect, &ask("brew-tea", "", with)).unwrap_or_else(|found| panic!("{name}: {found:?}"));
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
    let made = NewSkill::of(&dialect("agentskills").expect("it"), &ask("brew-tea", " Brews tea:\nhot. ", &ALL));
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
    assert_eq!(NewSkill::of(&dialect, &ask("tea", "", &twice)), NewSkill::of(&dialect, &ask("tea", "", &twice[..2])));
}

#[test]
fn names_that_are_refused() {
    for (name, part) in [("Brew Tea", "lower"), ("a/b", "name"), ("..", "name"), ("", "name"), ("a--b", "--")] {
        let found = NewSkill::of(&dialect("agentskills").expect("it"), &ask(name, "", &[])).expect_err(name);
        assert!(found.iter().any(|finding| finding.message.contains(part)), "{name}: {found:?}");
    }
    for (name, folder) in [
        ("agentskills", ".git"),
        ("agentskills", "node_modules"),
        ("gemini", ".foo"),
        ("kilo", ".foo"),
        ("opencode", ".foo"),
    ] {
        for description in ["", "Brews tea."] {
            let found = NewSkill::of(&dialect(name).expect("it"), &ask(folder, description, &[])).expect_err(folder);
            let codes: Vec<Code> = found.iter().map(|finding| finding.code).collect();
            assert!(codes.contains(&Code::NotEntered), "{name}: {folder}: {found:?}");
        }
    }
}

/// Whatever the name and the description are: the skill is refused, or it has them.
#[test]
fn what_is_written_is_read() {
    let names = "[a-z]{1,3}|yes|null|\\.[a-z]{1,3}|node_modules|[ -~]{0,9}|\\PC{1,5}";
    let descriptions = "|[ -~]{0,40}|(\\PC|\n){1,30}";
    property::check(
        "what_is_written_is_read",
        256,
        (names, descriptions, 0..NAMES.len()),
        |(name, description, which)| {
            let dialect = dialect(NAMES[which]).expect("a dialect");
            if let Ok(made) = NewSkill::of(&dialect, &ask(&name, &description, &[])) {
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
                let is_whole = part(&dialect, "header.markup").text() == "kept" || !expect.contains('<');
                if !expect.is_empty() && expect.is_ascii() && is_whole {
                    prop_assert_eq!(skills[0].description(), expect);
                }
            }
            Ok(())
        },
    );
}
