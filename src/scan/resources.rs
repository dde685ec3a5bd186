//! The files in the conventional folders of skills, out of the walk that finds the skills, so that nobody has to list
//! these folders again. What the walk cannot tell for certain is left to those who ask: a folder with links in it, one
//! that another walk has been through, one that is very large.

use super::memory::Taken;
use super::step::holds_skill;
use crate::fs::{Entry, Kind};
use crate::gather::Gather;
use crate::manifest::is_skill_file;
use crate::map::BTreeMap;
use crate::path::FsPath;
use crate::skill::{RESOURCE_FOLDERS, ResourceNames};

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
        let is_file = entry.kind == Kind::File || (entry.link && entry.kind == Kind::Missing);
        let is_taken = is_file && !entry.lossy && self.files_left > 0;
        self.files_left -= usize::from(is_taken);
        is_taken
    }
}

/// What walks saw of folders that have the names of those for resources, by their real paths; none where the names of
/// the files are not known.
#[derive(Default)]
pub(super) struct ResourceFolders(BTreeMap<FsPath, Option<ResourceNames>>);

impl ResourceFolders {
    /// A folder that was listed, and what was noted in it.
    pub(super) fn listed(&mut self, real: FsPath, noted: &[Taken]) {
        let is_skill = |(entry, _): &Taken| is_skill_file(&entry.name) && entry.kind == Kind::File;
        if noted.iter().any(is_skill) {
            return;
        }
        let is_certain = |(entry, _): &Taken| !entry.link || entry.kind == Kind::Dir;
        let is_file = |(entry, _): &&Taken| entry.kind == Kind::File && !entry.lossy;
        let files: Vec<&Taken> = noted.iter().filter(is_file).gather();
        let is_known = files.len() <= MAX_FILES && noted.iter().all(is_certain);
        let names = is_known.then(|| ResourceNames::of(&real, files.iter().map(|(entry, _)| entry.name.as_str())));
        self.0.insert(real, names);
    }

    /// A folder that is there, and was not listed.
    pub(super) fn unlisted(&mut self, real: FsPath) {
        self.0.entry(real).or_insert(None);
    }

    /// Those of one more walk.
    pub(super) fn add(&mut self, walk: ResourceFolders) {
        if self.0.is_empty() {
            self.0 = walk.0;
            return;
        }
        for (real, names) in walk.0 {
            match names {
                Some(_) => drop(self.0.insert(real, names)),
                None => self.unlisted(real),
            }
        }
    }

    /// The files in the folders of the skill that stands in this real folder; none where they are not known.
    pub(super) fn of_skill(&self, real: &FsPath) -> Option<ResourceNames> {
        let mut known = Vec::new();
        for folder in RESOURCE_FOLDERS {
            // What the walk did not come by is not there, or nobody can list it.
            if let Some(names) = real.child(folder).ok().and_then(|folder| self.0.get(&folder)) {
                known.push(names.as_ref()?);
            }
        }
        Some(ResourceNames::joined(&known))
    }
}
