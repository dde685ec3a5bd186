//! One name in a skill's folder: the same answers as the walk has, by a look at the folders on the way alone.

use super::folder::Found;
use super::walk::Sorted;
use super::{Folder, PackageFile};
use crate::discovery::scan::holds_skill;
use crate::fs::{FileKind, FilePrefix, FsError};
use crate::model::error::Error;
use crate::path::FsPath;
use std::collections::BTreeMap;

/// Whose a file in a skill's folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    /// The skill's.
    Member,
    /// A nested skill's, or one's that the caller may not see.
    OfAnotherSkill,
    /// No skill's.
    Excluded,
}

impl Folder<'_> {
    /// Whose the file at a real path in the folder is.
    ///
    /// # Errors
    /// [`FsError`] where a folder on the way cannot be listed.
    pub(crate) fn membership(&self, real: &FsPath) -> Result<Membership, FsError> {
        let name = real.relative_to(&self.root).ok_or_else(|| FsError::Escapes(real.clone()))?;
        if !self.filter.is_shown(name) {
            return Ok(Membership::OfAnotherSkill);
        }
        let mut folder = real.parent();
        while let Some(at) = folder.filter(|at| *at != self.root && at.starts_with(&self.root)) {
            if self.filter.rules.excludes_nested_skills && holds_skill(&self.fs.list(&at)?) {
                return Ok(Membership::OfAnotherSkill);
            }
            folder = at.parent();
        }
        Ok(if self.includes(name) { Membership::Member } else { Membership::Excluded })
    }

    /// Reads a file of the skill by its name, with its real path; `None` if there is no such file.
    ///
    /// # Errors
    /// [`FsError`] where it cannot be read.
    pub(crate) fn read_named(&self, name: &str, at_most: u64) -> Result<Option<(FsPath, FilePrefix)>, FsError> {
        if let Some(own) = self.own.as_ref().filter(|own| own.name == name) {
            return self.read(own, at_most).map(|head| Some((own.path.clone(), head)));
        }
        // A folder that is a symlink is not part of the skill: its files are served where they are.
        let (dir_name, _) = name.rsplit_once('/').unwrap_or(("", name));
        let Ok((dir, path)) = self.root.join(dir_name).and_then(|dir| Ok((dir, self.root.join(name)?))) else {
            return Ok(None);
        };
        if self.is_alone || !self.includes(name) || some_if_there(self.fs.canonical(&dir))? != Some(dir) {
            return Ok(None);
        }
        let Some(real) = some_if_there(self.fs.canonical(&path))? else { return Ok(None) };
        if !real.relative_to(&self.root).is_some_and(|name| self.includes(name)) {
            return Ok(None);
        }
        let file = PackageFile { name: name.to_owned(), path: real, target: None };
        Ok(some_if_there(self.read(&file, at_most))?.map(|head| (file.path, head)))
    }

    /// The names of what is directly in a folder of the skill, each with whether it is a folder; `None` if there is no
    /// such folder. The name of the skill's own folder is empty.
    ///
    /// # Errors
    /// [`Error::Fs`] where it cannot be listed.
    pub(crate) fn children(&self, name: &str) -> Result<Option<BTreeMap<String, bool>>, Error> {
        let Some(dir) = self.folder(name)? else { return Ok(None) };
        let own = self.own.iter().filter(|_| self.is_alone).map(|own| (own.name.clone(), false));
        let mut children: BTreeMap<String, bool> = own.collect();
        for entry in if self.is_alone { Vec::new() } else { self.fs.list(&dir)? } {
            let Ok(path) = dir.child(&entry.name) else { continue };
            let is_folder = match self.filter.sort(name, &entry) {
                Sorted::File => false,
                Sorted::Folder => true,
                Sorted::Link(_) if name.is_empty() && self.is_own(&entry.name) => false,
                Sorted::Link(kind) if matches!(self.follow(&path, kind)?, Found::File { .. }) => false,
                Sorted::Link(_) | Sorted::Special | Sorted::Excluded | Sorted::Unnamed => continue,
            };
            children.insert(entry.name, is_folder);
        }
        Ok(Some(children))
    }

    /// The real path of a folder of the skill by its name; `None` if there is no such folder.
    fn folder(&self, name: &str) -> Result<Option<FsPath>, FsError> {
        if name.is_empty() {
            return Ok(Some(self.root.clone()));
        }
        let Some(dir) = self.root.join(name).ok().filter(|_| !self.is_alone && self.filter.includes(name, true)) else {
            return Ok(None);
        };
        let metadata = self.fs.metadata(&dir)?;
        // The real path says that no folder on the way is a symlink.
        let is_there = metadata.is_some_and(|metadata| metadata.kind == FileKind::Dir && !metadata.is_symlink)
            && some_if_there(self.fs.canonical(&dir))?.as_ref() == Some(&dir);
        Ok(is_there.then_some(dir))
    }
}

/// None for what is no file of the folder.
fn some_if_there<T>(answer: Result<T, FsError>) -> Result<Option<T>, FsError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::NotAFile(_)) => Ok(None),
        Err(FsError::Escapes(_) | FsError::SymlinkLoop(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
