//! The law that a lean world differs from a full one only where a finding says so, and offers nothing that a full one
//! withholds: over odd files in every dialect and both ways of reading, with and without files of clients beside them.

use super::{dialects, one_answer, places};
use crate::common::{Machine, Tree, path, property};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use skilltree::discovery::FileStatus;
use skilltree::{Caller, Catalog, Code, Diagnostic, FsPath, Skill, World, discover};
use std::collections::BTreeSet;

/// Files that clients and their users keep beside skills.
const BESIDE: &[(&str, &str)] = &[
    ("/home/.claude/settings.json", r#"{"skillOverrides": {"tea": "off"}}"#),
    ("/project/.claude/settings.json", r#"{"permissions": {"deny": ["Skill(a)"]}}"#),
    ("/home/.codex/config.toml", "[[skills.config]]\nname = \"tea\"\nenabled = false\n"),
    ("/home/.gemini/settings.json", r#"{"skills": {"disabled": ["tea"]}}"#),
    ("/home/.config/opencode/opencode.json", r#"{"permission": {"skill": {"tea": "deny"}}}"#),
    ("/home/.gen/skills.json", r#"{"skills": {"tea": "disable"}}"#),
    ("/project/.gen/skills.json", r#"{"skills": {"a": "active"}}"#),
    ("/home/skilltree.yaml", "skills:\n  tea: off\n"),
    ("/project/.skilltree/skilltree.yaml", "skills:\n  t*: name-only\n"),
    ("/home/.claude/plugins/p/skills/tea/SKILL.md", "---\nname: tea\ndescription: Another.\n---\n"),
];

/// What happened to a file: the name of its status, its key, and the skill. Whether the client itself reads a file that is not
/// valid is not known in a lean world, and is left out.
fn fate(catalog: &Catalog, file: &FsPath) -> Option<(&'static str, String, Option<Skill>)> {
    let seen = catalog.seen().find(|seen| seen.path == file)?;
    let key = seen.key.unwrap_or_default().to_owned();
    Some(match seen.status {
        FileStatus::InUse(skill) => ("in use", key, Some(unmarked(skill))),
        FileStatus::Shadowed(shadowed) => ("shadowed", key, Some(unmarked(&shadowed.skill))),
        FileStatus::Skipped(code) => (code.as_str(), key, None),
        other => panic!("{other:?}"),
    })
}

fn unmarked(skill: &Skill) -> Skill {
    let mut skill = skill.clone();
    skill.repaired = false;
    skill
}

/// The findings of one catalog that the other has not.
fn of_one<'c>(one: &'c Catalog, other: &Catalog) -> Vec<&'c Diagnostic> {
    one.findings().iter().filter(|finding| !other.findings().contains(finding)).collect()
}

#[test]
fn a_lean_world_differs_only_where_a_finding_says_so() {
    let beside = vec(select(BESIDE), 0..3);
    let trees = (one_answer::odd_tree(), prop_oneof![2 => Just(Vec::new()), 1 => beside]);
    property::check("laws::lean::differs_only_where_a_finding_says_so", one_answer::CASES, trees, |(tree, beside)| {
        let tree: Tree = beside.iter().fold(tree.clone(), |tree, (at, text)| tree.with(at, *text));
        let (fs, mut places, machine) = (tree.mem(), places(), Machine::default());
        places.user_choices = Some(path("/home/skilltree.yaml"));
        places.project_choices = vec![path("/project/.skilltree/skilltree.yaml")];
        for reading in one_answer::READINGS {
            for dialect in dialects() {
                let full = discover(&World::new(&fs, &places, &machine).with_reading(reading), &dialect);
                let lean = discover(&World::lean(&fs, &places, &machine).with_reading(reading), &dialect);
                agree(&format!("{}, {reading:?}", dialect.name()), &full, &lean)?;
            }
        }
        Ok(())
    });
}

fn agree(case: &str, full: &Catalog, lean: &Catalog) -> Result<(), TestCaseError> {
    let told: BTreeSet<&FsPath> = of_one(lean, full).iter().map(|finding| &finding.path).collect();
    // A file beside the skills is about all of them.
    let is_beside = |finding: &&Diagnostic| finding.code == Code::NotRead && finding.at.is_none();
    let is_told_of_all = lean.findings().iter().any(|finding| is_beside(&finding));
    let files: BTreeSet<&FsPath> = full.seen().chain(lean.seen()).map(|seen| seen.path).collect();
    // The keys of the files of which something is told: others with these keys are used instead, or are not.
    let told_keys: BTreeSet<String> =
        told.iter().flat_map(|file| [fate(full, file), fate(lean, file)]).flatten().map(|(_, key, _)| key).collect();
    for file in files {
        let (in_full, in_lean) = (fate(full, file), fate(lean, file));
        if let (Some((_, _, Some(full))), Some((_, _, Some(lean)))) = (&in_full, &in_lean) {
            for caller in [Caller::Model, Caller::User] {
                prop_assert!(full.is_for(caller) || !lean.is_for(caller), "{case}: {file} is offered to {caller:?}");
            }
        }
        let is_of_told_key = |fate: &Option<(_, String, _)>| fate.as_ref().is_some_and(|it| told_keys.contains(&it.1));
        if is_told_of_all || told.contains(file) || is_of_told_key(&in_full) || is_of_told_key(&in_lean) {
            continue;
        }
        prop_assert_eq!(&in_full, &in_lean, "{}: {}", case, file);
    }
    let all: Vec<&Diagnostic> = of_one(full, lean);
    let is_silent = |finding: &&&Diagnostic| !is_told_of_all && !told.contains(&finding.path);
    let silent: Vec<_> = all.iter().filter(is_silent).filter(|finding| finding.code != Code::LowerInUse).collect();
    prop_assert!(silent.is_empty(), "{case}: {silent:?}");
    Ok(())
}
