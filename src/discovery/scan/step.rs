//! The rule of a scan, pure: what to do with each entry of one listing. It knows names and kinds, no contents.

use super::resources::{Noting, is_resource_folder};
use crate::dialect::{RootSkill, ScanRule};
use crate::fs::{Action, Entry, FileKind, Step};

pub(crate) use crate::discovery::manifest::SKILL_FILE;
use crate::discovery::manifest::{is_nearly_skill_file, is_skill_file};

/// Folders that hold no skills, only many files (decisions 9).
const NEVER_ENTERED: &[&str] = &[".git", ".hg", ".svn", "node_modules"];

/// What the names begin with under which files and folders are made before they take their place. A run that is ended
/// before its time leaves them behind, and what is in them is half a skill.
pub(crate) const OWN_PREFIX: &str = ".skilltree-";

/// Whether no scan enters a folder, by its name.
pub(crate) fn is_never_entered(name: &str) -> bool {
    NEVER_ENTERED.contains(&name) || name.starts_with(OWN_PREFIX)
}

/// What an entry is to a scan.
pub(super) enum Sort {
    /// A SKILL.md, of whatever kind, in whatever letter case.
    Skill,
    /// A file whose name is nearly SKILL.md.
    Nearly,
    /// A folder that is never entered.
    NeverEntered,
    /// A folder that the system keeps for itself.
    Reserved,
    /// A folder whose name cannot be a path.
    NotUtf8,
    /// A link to a folder.
    LinkToDir,
    /// A link to nothing.
    Dangling,
    /// Anything else.
    Rest,
}

/// What an entry is to a scan by this rule, in a directory so many levels below the source's root.
pub(super) fn sort_at(rule: &ScanRule, level: usize, entry: &Entry) -> Sort {
    let is_named = |name: &str| name.eq_ignore_ascii_case(&entry.name);
    match level == 0 && entry.kind == FileKind::Dir && rule.reserved.iter().any(|name| is_named(name)) {
        true => Sort::Reserved,
        false => sort(entry),
    }
}

/// The same wherever it stands.
pub(super) fn sort(entry: &Entry) -> Sort {
    // In another letter case only what could be read is one: a folder `skill.md` is a folder.
    let is_skill = entry.name == SKILL_FILE || (is_skill_file(&entry.name) && entry.kind != FileKind::Dir);
    match entry.kind {
        _ if is_skill && !entry.lossy => Sort::Skill,
        FileKind::Dir if entry.lossy => Sort::NotUtf8,
        FileKind::Dir if is_never_entered(&entry.name) => Sort::NeverEntered,
        FileKind::Dir if entry.link => Sort::LinkToDir,
        FileKind::Missing => Sort::Dangling,
        FileKind::File if !entry.lossy && is_nearly_skill_file(&entry.name) => Sort::Nearly,
        FileKind::File | FileKind::Dir | FileKind::Other => Sort::Rest,
    }
}

/// Whether a SKILL.md is read in a directory so many levels below the source's root.
pub(super) fn is_taken(rule: &ScanRule, level: usize) -> bool {
    match (level, rule.depth) {
        (0, _) => rule.root == RootSkill::Taken,
        (level, Some(depth)) => level <= depth,
        (_, None) => true,
    }
}

/// Whether the folders in such a directory are entered. One level further than a SKILL.md is read is looked at, so
/// that one there is not lost without a word.
pub(super) fn is_entered(rule: &ScanRule, level: usize) -> bool {
    rule.depth.is_none_or(|depth| level <= depth)
}

/// What to do with the entries of a directory so many levels below the source's root. `is_known` says which
/// child directories were walked already. Adds to `steps`.
pub(super) fn steps(
    rule: &ScanRule,
    level: usize,
    entries: &[Entry],
    is_known: &dyn Fn(&str) -> bool,
    mut resources: Noting,
    steps: &mut Vec<Step>,
) {
    let is_taken = is_taken(rule, level);
    let enters = is_entered(rule, level);
    let taken = if is_taken { the_skill_file(entries) } else { None };
    let notes_folders = resources.folders && taken.is_some();
    for (n, entry) in entries.iter().enumerate() {
        let act = match sort_at(rule, level, entry) {
            Sort::Skill if taken == Some(n) => Some(Action::Read),
            Sort::Skill => Some(Action::Note),
            // It is missed only where no SKILL.md is read.
            Sort::Nearly if is_taken && taken.is_none() => Some(Action::Note),
            Sort::NeverEntered | Sort::Reserved | Sort::NotUtf8 | Sort::LinkToDir if enters => Some(Action::Note),
            Sort::Dangling if enters => Some(Action::Note),
            Sort::Rest if entry.kind == FileKind::Dir && enters && !is_known(&entry.name) => Some(Action::Enter),
            Sort::Rest if entry.kind == FileKind::Dir && notes_folders => {
                is_resource_folder(&entry.name).then_some(Action::Note)
            }
            Sort::Rest | Sort::Nearly | Sort::Dangling => resources.takes(entry).then_some(Action::Note),
            Sort::NeverEntered | Sort::Reserved | Sort::NotUtf8 | Sort::LinkToDir => None,
        };
        steps.extend(act.map(|act| Step { entry: n, act }));
        // A folder named SKILL.md is still a folder.
        if entry.kind == FileKind::Dir && entry.name == SKILL_FILE && enters && !entry.lossy && !entry.link {
            steps.push(Step { entry: n, act: Action::Enter });
        }
    }
}

/// Whether a folder holds a SKILL.md, so that what is in it belongs to that skill.
pub(crate) fn holds_skill(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| is_skill_file(&entry.name) && entry.kind == FileKind::File)
}

/// The exact name, whatever it is, else the first regular file in another letter case (decisions 11).
pub(super) fn the_skill_file(entries: &[Entry]) -> Option<usize> {
    let is_file = |entry: &Entry| entry.kind == FileKind::File && !entry.lossy;
    match entries.iter().position(|entry| entry.name == SKILL_FILE) {
        Some(exact) => is_file(&entries[exact]).then_some(exact),
        None => entries.iter().position(|entry| is_skill_file(&entry.name) && is_file(entry)),
    }
}
