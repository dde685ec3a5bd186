//! The files in the conventional folders of skills, out of the walk that finds the skills, so that nobody has to list
//! these folders again. What the walk cannot tell for certain is left to those who ask: a folder with links in it, one
//! that another walk has been through, one that is very large.

use super::cache::Taken;
use super::step::holds_skill;
use crate::discovery::manifest::is_skill_file;
use crate::fs::{Entry, FileKind};
use crate::model::skill::{RESOURCE_FOLDERS, ResourceList, ResourceNames};
use crate::path::FsPath;
use std::collections::HashMap;

/// How many files of one folder are kept. It may belong to no skill, and hold a million of them.
const MAX_FILES: usize = 1_000;

/// Whether the files in a folder of this name are resources, if a skill stands in the folder above.
pub(super) fn is_resource_folder(name: &str) -> bool {
    RESOURCE_FOLDERS.contains(&name)
}

/// Which resources a walk notes in one directory.
pub(super) struct Noting {
    /// Folders of resources that it does not enter.
    pub(super) folders: bool,
    /// How many files.
    files_left: usize,
}

impl Noting {
    /// Nothing: nobody asked for resources.
    pub(super) const NOTHING: Noting = Noting { folders: false, files_left: 0 };

    /// Those in a directory of this name.
    pub(super) fn of(name: &str, entries: &[Entry]) -> Noting {
        let has_files = is_resource_folder(name) && !holds_skill(entries);
        // With one more than is kept it is known that there are too many.
        Noting { folders: true, files_left: if has_files { MAX_FILES + 1 } else { 0 } }
    }

    /// Whether an entry is noted as a file, or as a link of which only a look can tell whether it leads to one: what
    /// leads nowhere in the view of a folder alone may lead through others.
    pub(super) fn takes(&mut self, entry: &Entry) -> bool {
        let is_file = entry.kind == FileKind::File || (entry.link && entry.kind == FileKind::Missing);
        let is_taken = is_file && !entry.lossy && self.files_left > 0;
        self.files_left -= usize::from(is_taken);
        is_taken
    }
}

/// What walks saw of the folders for resources: the names of the files in them, by the real path of the folder that
/// they stand in, where a skill may stand too; none where the names are not all known.
#[derive(Default)]
pub(super) struct ResourceFolders(HashMap<FsPath, Option<ResourceList>>);

impl ResourceFolders {
    /// A folder that was listed, and what was noted in it.
    pub(super) fn listed(&mut self, real: &FsPath, noted: &[Taken]) {
        let is_skill = |(entry, _): &Taken| is_skill_file(&entry.name) && entry.kind == FileKind::File;
        let is_file = |(entry, _): &&Taken| entry.kind == FileKind::File && !entry.lossy;
        let is_certain = |(entry, _): &Taken| !entry.link || entry.kind == FileKind::Dir;
        let files = || noted.iter().filter(is_file).map(|(entry, _)| entry.name.as_str());
        let Some(above) = real.parent().filter(|_| !noted.iter().any(is_skill)) else { return };
        if MAX_FILES < files().count() || !noted.iter().all(is_certain) {
            self.0.insert(above, None);
        } else if let Some(list) = self.0.entry(above).or_insert(Some(ResourceList::default())) {
            list.add(real.name(), files());
        }
    }

    /// A folder that is there, and was not listed.
    pub(super) fn unlisted(&mut self, real: &FsPath) {
        self.0.extend(real.parent().map(|above| (above, None)));
    }

    /// The names of the files in the folders of the skill that stands in this real folder, once; none where they are
    /// not known.
    pub(super) fn of_skill(&mut self, real: &FsPath) -> Option<ResourceNames> {
        // What no walk came by is not there, or cannot be listed.
        self.0.remove(real).unwrap_or_else(|| Some(ResourceList::default())).map(ResourceList::done)
    }
}
