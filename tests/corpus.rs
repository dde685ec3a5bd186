//! Real-world skills, from the folder that `SKILLTREE_CORPUS` names: one folder a repository. Nothing of it is
//! copied here. Every SKILL.md is accounted for, the oddest give what their authors meant, and the share of
//! files that load is held. Without the variable there is nothing to test, and the tests say so.
#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "a share that is held is also said")]

use crate::common;
use crate::parts::part;

use common::Machine;
use common::skip::real_data;
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;
use skilltree::{Caller, Catalog, FsPath, Json, LoadRequest, OsFs, Places, Skill, World, dialect, discover, load};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// How many of a thousand SKILL.md files are in use or shadowed, at the least.
const LOADED_PER_MILLE: &[(&str, usize)] =
    &[("agentskills", 971), ("sven", 971), ("daycare", 969), ("pegasus", 1000), ("claude", 1000)];

fn corpus() -> Option<PathBuf> {
    real_data("SKILLTREE_CORPUS", "corpus")
}

/// The repositories, sorted.
fn repositories(corpus: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(corpus)
        .expect("the corpus can be listed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

/// Every file named SKILL.md in any case below a folder, by a walk of its own that follows no links.
fn skill_files(root: &Path) -> BTreeSet<String> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(&dir).expect("a folder can be listed") {
            let path = entry.expect("an entry").path();
            let kind = fs::symlink_metadata(&path).expect("an entry has a kind");
            if kind.is_dir() {
                waiting.push(path);
            } else if path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md")) {
                found.insert(path.to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// The catalog of one folder; where a dialect looks at one level, that of every folder in it that holds skills.
fn catalog_of(fs: &OsFs, root: &Path, name: &str) -> (Catalog, Places) {
    let dialect = dialect(name).unwrap_or_else(|| panic!("no dialect {name}"));
    let roots: BTreeSet<PathBuf> = match dialect.scan_depth() {
        None => [root.to_owned()].into(),
        Some(_) => {
            skill_files(root).iter().filter_map(|file| Some(Path::new(file).ancestors().nth(2)?.to_owned())).collect()
        }
    };
    let roots = roots.iter().map(|root| common::path(&root.to_string_lossy())).collect();
    let places = Places { roots, only_roots: true, ..Places::default() };
    let catalog = discover(&World::new(fs, &places, &anything()), &dialect);
    (catalog, places)
}

/// The machine has what the corpus asks for, as far as it is named here; nothing is trusted.
fn anything() -> Machine {
    Machine::default()
}

/// The paths that a catalog speaks of: winners, shadowed ones, findings and notes.
fn accounted(catalog: &Catalog) -> BTreeSet<&FsPath> {
    let skills = catalog.skills().iter().map(|skill| &skill.path);
    let shadowed = catalog.shadowed().iter().map(|lost| &lost.skill.path);
    let found = catalog.findings().iter().map(|finding| &finding.path);
    skills.chain(shadowed).chain(found).chain(catalog.seen().map(|seen| seen.path)).collect()
}

#[test]
fn every_file_is_accounted_for() {
    let Some(corpus) = corpus() else { return };
    let fs = OsFs::new();
    for name in NAMES {
        let (mut files, mut taken, mut lost) = (0, 0, Vec::new());
        for repository in repositories(&corpus) {
            let (catalog, places) = catalog_of(&fs, &repository, name);
            let known = accounted(&catalog);
            let mut on_disk = skill_files(&repository);
            // a table of so many levels looks one further, and no deeper
            if let Some(depth) = catalog.dialect().scan_depth() {
                let root = common::path(&repository.to_string_lossy()).depth();
                on_disk.retain(|file| common::path(file).depth() <= root + depth + 2);
            }
            // nor does one that searches no folder of a skill look into it
            if part(catalog.dialect(), "scan.nested").text() == "no" {
                let folders: Vec<_> = on_disk.iter().filter_map(|file| common::path(file).parent()).collect();
                let is_within = |file: &FsPath, folder: &FsPath| {
                    file.parent().and_then(|own| own.parent()).is_some_and(|above| above.starts_with(folder))
                };
                on_disk.retain(|file| !folders.iter().any(|folder| is_within(&common::path(file), folder)));
            }
            files += on_disk.len();
            // a note about a folder that is never entered accounts for what lies in it
            let is_known = |file: &&String| {
                let path = common::path(file);
                known.contains(&path) || known.iter().any(|known| known.name() != "SKILL.md" && path.starts_with(known))
            };
            lost.extend(on_disk.iter().filter(|file| !is_known(file)).cloned());
            taken += catalog.skills().len() + catalog.shadowed().len();
            for skill in catalog.skills() {
                loads(&World::new(&fs, &places, &anything()), &catalog, skill);
            }
        }
        assert_eq!(lost, Vec::<String>::new(), "{name}: files of which nothing is said");
        assert!(files > 0, "the corpus holds skills");
        let share = taken * 1000 / files;
        println!("{name}: {taken} of {files} files are skills, {share} of a thousand");
        let held = LOADED_PER_MILLE.iter().find(|(held, _)| held == name).map_or(0, |(_, share)| *share);
        assert!(share >= held, "{name}: {share} of a thousand load, held are {held}");
    }
}

/// What discovery took loads, for one who may.
fn loads(world: &World<'_>, catalog: &Catalog, skill: &Skill) {
    let caller = if skill.is_for(Caller::User) { Caller::User } else { Caller::Model };
    if !skill.is_for(caller) {
        return;
    }
    // One that runs apart is told what to do.
    let ask = LoadRequest { args: "the task".to_owned(), ..LoadRequest::new(caller) };
    let loaded = load(world, catalog, skill, &ask);
    let loaded = loaded.unwrap_or_else(|error| panic!("{}: {error}", skill.path));
    assert!(!loaded.text.is_empty() || loaded.body.is_empty(), "{}", skill.path);
}

#[test]
fn odd_files_say_what_their_authors_meant() {
    let Some(corpus) = corpus() else { return };
    let expected = fs::read_to_string(corpus.join("EXPECTED.json")).expect("the corpus says what it expects");
    let Ok(Json::List(expected)) = Json::parse(&expected) else { panic!("EXPECTED.json is a list") };
    assert!(!expected.is_empty());
    let fs = OsFs::new();
    let mut wrong = Vec::new();
    for case in &expected {
        let text = |key: &str| case.get(key).and_then(Json::as_text);
        let file = corpus.join(text("file").expect("a case names its file"));
        let root = file.parent().and_then(Path::parent).expect("a skill lies in a folder");
        let (catalog, _) = catalog_of(&fs, root, "agentskills");
        let path = common::path(&file.to_string_lossy());
        let shadowed = catalog.shadowed().iter().map(|lost| &lost.skill);
        let Some(skill) = catalog.skills().iter().chain(shadowed).find(|skill| skill.path == path) else {
            wrong.push(format!("{path}: no skill"));
            continue;
        };
        let start = text("expected_description_start").unwrap_or("");
        if Some(skill.name.as_str()) != text("expected_name") {
            wrong.push(format!("{path}: the name is `{}`", skill.name));
        }
        if !skill.description().starts_with(start) {
            wrong.push(format!("{path}: the description is `{}`", skill.description()));
        }
        if skill.frontmatter.run().argument_hint.as_deref() != text("expected_argument_hint") {
            wrong.push(format!("{path}: the hint is {:?}", skill.frontmatter.run().argument_hint));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
