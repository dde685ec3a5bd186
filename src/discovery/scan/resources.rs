//! Collects the files in the conventional folders of skills (`scripts/`, `references/`, `assets/`) from the walk that
//! finds the skills, so that these folders need not be listed again. Where the walk cannot tell for certain which files
//! there are, the answer is `None` and the caller lists the folder: a folder with symlinks in it, one that another walk
//! has been through, a very large one.

use super::cache::ScannedEntry;
use super::step::holds_skill;
use crate::discovery::manifest::is_skill_file;
use crate::fs::{Entry, FileKind};
use crate::model::skill::{RESOURCE_FOLDERS, ResourceList, ResourceNames};
use crate::path::FsPath;
use std::collections::HashMap;

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
    /// How many more files are reported.
    files_left: usize,
}

impl ResourceFilter {
    /// Reports nothing, as nobody asked for resources.
    pub(super) const NONE: ResourceFilter = ResourceFilter { folders: false, files_left: 0 };

    /// The filter for a directory of this name with these entries.
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
