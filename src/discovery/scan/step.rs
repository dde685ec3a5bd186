//! Decides what a scan does with each entry of one directory: which files to read, which folders to enter, which
//! entries to report. Looks at names and kinds alone, never at what is in a file. Collects the files in the
//! conventional folders of skills (`scripts/`, `references/`, `assets/`) too, so that these folders need not be listed
//! again. Where the walk cannot tell for certain which files there are, the answer is `None` and the caller lists the
//! folder: a folder with symlinks in it, one that another walk has been through, a very large one.

pub(crate) use crate::discovery::manifest::SKILL_FILE;

use super::cache::ScannedEntry;
use crate::dialect::{Permitted, Reading, ScanRule};
use crate::discovery::manifest::{is_nearly_skill_file, is_skill_file};
use crate::fs::{Action, Entry, FileKind, Step};
use crate::model::skill::{RESOURCE_FOLDERS, ResourceList, ResourceNames};
use crate::path::FsPath;
use std::collections::HashMap;

/// The prefix of the temporary names under which this program writes files and folders before it renames them into
/// place. An interrupted run leaves them behind, incomplete.
pub(crate) const OWN_PREFIX: &str = ".skilltree-";

/// The folders that no dialect enters whose document does not say which folders it enters: they hold no skills, only many
/// files (rule 3.2).
const NEVER_ENTERED: &[&str] = &[".git", ".hg", ".svn", "node_modules"];

/// Whether a folder of this name holds no skills: by its nature (rule 3.2), or because it is one of this program's own.
pub(crate) fn is_never_entered(name: &str) -> bool {
    NEVER_ENTERED.contains(&name) || name.starts_with(OWN_PREFIX)
}

/// The same on a file system that ignores letter case.
pub(crate) fn is_never_entered_in_any_case(name: &str) -> bool {
    let is_own = name.get(..OWN_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(OWN_PREFIX));
    is_own || NEVER_ENTERED.iter().any(|never| never.eq_ignore_ascii_case(name))
}

/// Whether a scan by this rule never enters a folder of this name (rule 3.2).
pub(crate) fn is_skipped(rule: &ScanRule, name: &str) -> bool {
    let is_hidden = rule.hidden == Permitted::No && name.starts_with('.');
    is_hidden
        || name.starts_with(OWN_PREFIX)
        || rule.skipped.iter().any(|skipped| skipped == name)
        || skipped_part(rule, name).is_some()
}

/// The part of a name because of which a folder is never entered, if it has one.
pub(crate) fn skipped_part<'r>(rule: &'r ScanRule, name: &str) -> Option<&'r str> {
    rule.skipped_parts.iter().map(|part| &**part).find(|part| name.contains(part))
}

/// Whether a scan by this rule never enters a folder of this name directly below the root of a source.
pub(crate) fn is_reserved(rule: &ScanRule, name: &str) -> bool {
    rule.reserved.iter().any(|reserved| reserved.eq_ignore_ascii_case(name))
}

pub(super) enum EntryClass {
    /// A SKILL.md, of whatever kind, in whatever letter case.
    Skill,
    /// A file whose name is nearly SKILL.md.
    NearlySkill,
    /// An archive with a skill, directly in a source.
    Archive,
    /// A folder that is never entered.
    NeverEntered,
    /// A folder whose name the skill system reserves.
    Reserved,
    /// A folder whose name is not UTF-8.
    NotUtf8,
    /// A symlink to a folder.
    LinkToDir,
    /// A broken symlink.
    BrokenLink,
    /// Anything else.
    Other,
}

/// Classifies an entry of a directory that lies `level` folders below the root of its source.
pub(super) fn classify_at(rule: &ScanRule, level: usize, entry: &Entry) -> EntryClass {
    match entry.kind {
        FileKind::Dir if level == 0 && is_reserved(rule, &entry.name) => EntryClass::Reserved,
        FileKind::File if level == 0 && is_packed(&entry.name) && !entry.is_lossy => EntryClass::Archive,
        _ => classify(rule, entry),
    }
}

/// Whether a file is a packed skill, by its name (rule 21.1).
fn is_packed(name: &str) -> bool {
    name.ends_with(".skill")
}

/// Like [`classify_at`], but without the names that are special directly below the root of a source.
fn classify(rule: &ScanRule, entry: &Entry) -> EntryClass {
    // A folder counts as a SKILL.md only under the exact name: a folder `skill.md` is an ordinary folder.
    let is_skill = entry.name == SKILL_FILE || (is_skill_file(&entry.name) && entry.kind != FileKind::Dir);
    match entry.kind {
        _ if is_skill && !entry.is_lossy => EntryClass::Skill,
        FileKind::Dir if entry.is_lossy => EntryClass::NotUtf8,
        FileKind::Dir if is_skipped(rule, &entry.name) => EntryClass::NeverEntered,
        FileKind::Dir if entry.is_symlink => EntryClass::LinkToDir,
        FileKind::Broken => EntryClass::BrokenLink,
        FileKind::File if !entry.is_lossy && is_nearly_skill_file(&entry.name) => EntryClass::NearlySkill,
        FileKind::File | FileKind::Dir | FileKind::Other => EntryClass::Other,
    }
}

/// Whether a scan by any rule may enter, read or report an entry.
pub(super) fn may_matter(entry: &Entry) -> bool {
    let is_named_so = is_skill_file(&entry.name) || is_nearly_skill_file(&entry.name) || is_packed(&entry.name);
    entry.is_symlink || matches!(entry.kind, FileKind::Dir | FileKind::Broken) || is_named_so
}

/// Whether a SKILL.md is read in a directory that lies `level` folders below the root of its source.
pub(super) fn reads_skill_at(rule: &ScanRule, level: usize) -> bool {
    match (level, rule.depth) {
        (0, _) => rule.root == Permitted::Yes,
        (level, Some(depth)) => level <= depth,
        (_, None) => true,
    }
}

/// Whether the folders in such a directory are entered: one level more than a SKILL.md is read at, so that a SKILL.md
/// that lies too deep is reported. `is_closed` says whether a SKILL.md in the directory itself keeps the scan out of them.
pub(super) fn enters_folders_at(rule: &ScanRule, level: usize, is_closed: bool) -> bool {
    rule.depth.is_none_or(|depth| level <= depth) && !is_closed
}

/// Whether a SKILL.md of this name keeps a scan out of the folders beside it where skills do not lie in skills. For a client
/// that reads files as they are, one in another letter case is none.
pub(crate) fn may_close(reading: Reading, name: &str) -> bool {
    reading == Reading::Repaired || name == SKILL_FILE
}

/// Appends to `steps` what to do with the entries of a directory that lies `level` folders below the root of its
/// source. `is_known` says which folders in it were walked already.
pub(super) fn steps(
    (rule, reading): (&ScanRule, Reading),
    level: usize,
    entries: &[Entry],
    is_known: &dyn Fn(&str) -> bool,
    mut resources: ResourceFilter,
    steps: &mut Vec<Step>,
) {
    let reads_skill = reads_skill_at(rule, level);
    let skill = if reads_skill { skill_file_index(entries.iter()) } else { None };
    let is_closed = rule.nested == Permitted::No && skill.is_some_and(|skill| may_close(reading, &entries[skill].name));
    let enters = enters_folders_at(rule, level, is_closed);
    let is_ignored = |entry: &Entry| entry.is_symlink && rule.linked_files == Permitted::No;
    let notes_resource_folders = resources.folders && skill.is_some();
    for (n, entry) in entries.iter().enumerate() {
        let act = match classify_at(rule, level, entry) {
            // Folders below the limit of depth are not entered, but the catalog knows that they are there.
            EntryClass::NeverEntered | EntryClass::Reserved | EntryClass::Other
                if !enters && is_plain_folder(entry) =>
            {
                Some(Action::Report)
            }
            EntryClass::Skill if skill == Some(n) && !is_ignored(entry) => Some(Action::Read),
            EntryClass::Skill => Some(Action::Report),
            // A name that is nearly right matters only where no SKILL.md is read.
            EntryClass::NearlySkill if reads_skill && skill.is_none() => Some(Action::Report),
            EntryClass::Archive if skill.is_none() => Some(Action::Report),
            EntryClass::NeverEntered
            | EntryClass::Reserved
            | EntryClass::NotUtf8
            | EntryClass::LinkToDir
            | EntryClass::BrokenLink
                if enters =>
            {
                Some(Action::Report)
            }
            EntryClass::Other if entry.kind == FileKind::Dir && enters && !is_known(&entry.name) => Some(Action::Enter),
            EntryClass::Other if entry.kind == FileKind::Dir && notes_resource_folders => {
                is_resource_folder(&entry.name).then_some(Action::Report)
            }
            EntryClass::Other | EntryClass::NearlySkill | EntryClass::Archive | EntryClass::BrokenLink => {
                resources.takes(entry).then_some(Action::Report)
            }
            EntryClass::NeverEntered | EntryClass::Reserved | EntryClass::NotUtf8 | EntryClass::LinkToDir => None,
        };
        steps.extend(act.map(|act| Step { entry: n, action: act }));
        // A folder named SKILL.md is reported, and entered like any other folder.
        if entry.kind == FileKind::Dir && entry.name == SKILL_FILE && enters && !entry.is_lossy && !entry.is_symlink {
            steps.push(Step { entry: n, action: Action::Enter });
        }
    }
}

/// Whether an entry is a folder, and no symlink to one, that a walk can enter.
pub(crate) fn is_plain_folder(entry: &Entry) -> bool {
    entry.kind == FileKind::Dir && !entry.is_symlink && !entry.is_lossy
}

/// Whether a folder holds a SKILL.md, so that its contents belong to that skill.
pub(crate) fn holds_skill(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| is_skill_file(&entry.name) && entry.kind == FileKind::File)
}

/// The index of the file that is read as the SKILL.md: the one of exactly this name, which must be a regular file, or
/// else the first regular file of this name in another letter case (rule 3.10).
pub(crate) fn skill_file_index<'e>(entries: impl Iterator<Item = &'e Entry> + Clone) -> Option<usize> {
    let is_file = |entry: &Entry| entry.kind == FileKind::File && !entry.is_lossy;
    match entries.clone().enumerate().find(|(_, entry)| entry.name == SKILL_FILE) {
        Some((exact, entry)) => is_file(entry).then_some(exact),
        None => entries.clone().position(|entry| is_skill_file(&entry.name) && is_file(entry)),
    }
}

/// How many files of one folder are remembered. The folder may belong to no skill, and hold a million files.
const MAX_FILES: usize = 1_000;

/// Whether the files in a folder of this name are resources if its parent folder holds a skill.
pub(super) fn is_resource_folder(name: &str) -> bool {
    RESOURCE_FOLDERS.contains(&name)
}

/// Which entries of one directory a walk reports because they are resources.
pub(super) struct ResourceFilter {
    /// Whether resource folders are reported that the walk does not enter.
    pub(super) folders: bool,
    files_left: usize,
}

impl ResourceFilter {
    /// Reports nothing, as nobody asked for resources.
    pub(super) const NONE: ResourceFilter = ResourceFilter { folders: false, files_left: 0 };

    pub(super) fn for_dir(name: &str, entries: &[Entry]) -> ResourceFilter {
        let has_files = is_resource_folder(name) && !holds_skill(entries);
        // One file more than is remembered shows that there are too many.
        ResourceFilter { folders: true, files_left: if has_files { MAX_FILES + 1 } else { 0 } }
    }

    /// Whether an entry is reported: a file, or a broken symlink. A symlink that seems broken in a view of this folder
    /// alone may lead to a file in another view.
    pub(super) fn takes(&mut self, entry: &Entry) -> bool {
        let is_file = entry.kind == FileKind::File || (entry.is_symlink && entry.kind == FileKind::Broken);
        let is_taken = is_file && !entry.is_lossy && self.files_left > 0;
        self.files_left -= usize::from(is_taken);
        is_taken
    }
}

/// The names of the files in resource folders, by the real path of the folder that holds the resource folders and may
/// hold a skill; `None` if not all names are known.
#[derive(Default)]
pub(super) struct ResourceFolders(HashMap<FsPath, Option<ResourceList>>);

impl ResourceFolders {
    /// Adds a resource folder that was listed, with its reported entries.
    pub(super) fn add(&mut self, real: &FsPath, entries: &[ScannedEntry]) {
        let is_skill = |(entry, _): &ScannedEntry| is_skill_file(&entry.name) && entry.kind == FileKind::File;
        let is_file = |(entry, _): &&ScannedEntry| entry.kind == FileKind::File && !entry.is_lossy;
        let is_certain = |(entry, _): &ScannedEntry| !entry.is_symlink || entry.kind == FileKind::Dir;
        let files = || entries.iter().filter(is_file).map(|(entry, _)| entry.name.as_str());
        let Some(above) = real.parent().filter(|_| !entries.iter().any(is_skill)) else { return };
        if MAX_FILES < files().count() || !entries.iter().all(is_certain) {
            self.0.insert(above, None);
        } else if let Some(list) = self.0.entry(above).or_insert(Some(ResourceList::default())) {
            list.add(real.name(), files());
        }
    }

    /// Records that a resource folder exists and was not listed.
    pub(super) fn add_unlisted(&mut self, real: &FsPath) {
        self.0.extend(real.parent().map(|above| (above, None)));
    }

    /// Takes out the names of the resources of the skill in this real folder; `None` if not all are known.
    pub(super) fn take_names(&mut self, real: &FsPath) -> Option<ResourceNames> {
        // A folder that no walk has seen does not exist, or cannot be listed.
        self.0.remove(real).unwrap_or_else(|| Some(ResourceList::default())).map(ResourceList::done)
    }
}
