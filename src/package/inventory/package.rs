//! The folder of one skill, held open where discovery found it, and what is read through it. A folder that has been
//! exchanged since, or is exchanged meanwhile, for a link to elsewhere is not followed.

use super::Purpose;
use crate::fs::{Fs, FsError};
use crate::model::error::Error;
use crate::model::skill::Location;
use crate::model::world::World;
use crate::path::FsPath;
#[cfg(feature = "digest")]
use crate::{discovery::manifest::is_alone, fs::FilePrefix};

/// The folder of one skill.
pub(crate) struct Package<'w> {
    /// The whole file system, for what a link leads to outside.
    #[cfg(feature = "digest")]
    pub(crate) whole: &'w dyn Fs,
    /// The folder alone.
    pub(crate) fs: Box<dyn Fs + 'w>,
    pub(crate) at: &'w Location,
    pub(crate) purpose: Purpose,
    /// Names of what belongs to skills nested in this one that the caller may not see.
    pub(crate) hidden: &'w [String],
}

impl<'w> Package<'w> {
    /// Opens the folder.
    ///
    /// # Errors
    /// [`FsError::Other`] where it is no longer at the path that discovery resolved.
    pub(crate) fn open(world: &'w World<'_>, at: &'w Location, purpose: Purpose) -> Result<Package<'w>, FsError> {
        let fs = world.fs.confined(&at.dir).map_err(|error| moved(error, &at.path))?;
        Ok(Package {
            #[cfg(feature = "digest")]
            whole: world.fs,
            fs,
            at,
            purpose,
            hidden: &[],
        })
    }

    /// The same without what these names stand for.
    #[cfg(feature = "digest")]
    pub(crate) fn without(self, hidden: &'w [String]) -> Package<'w> {
        Package { hidden, ..self }
    }

    /// Whether a path below the folder belongs to the skill.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.purpose.takes_path(name) && Package::is_shown(self.hidden, name)
    }

    /// Whether a path below the folder is none of these names, and lies in none of them.
    pub(crate) fn is_shown(hidden: &[String], name: &str) -> bool {
        !hidden.iter().any(|hidden| {
            name.strip_prefix(hidden.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The path of a name below the folder.
    pub(crate) fn path(&self, name: &str) -> FsPath {
        self.at.dir.join(name).unwrap_or_else(|_| self.at.dir.clone())
    }

    /// Whether the skill's own file is a link.
    #[cfg(feature = "digest")]
    pub(crate) fn is_linked(&self) -> bool {
        self.at.file != self.path(self.at.path.name())
    }

    /// Reads the skill's own file, which may be a link to anywhere: to the same place as when it was found.
    #[cfg(feature = "digest")]
    pub(crate) fn read_own(&self, at_most: u64) -> Result<FilePrefix, FsError> {
        let now = self.whole.canonical(&self.path(self.at.path.name()))?;
        if now != self.at.file {
            return Err(moved(FsError::Escapes(now), &self.at.path));
        }
        match self.is_linked() {
            true => read_real(self.whole, &self.at.file, at_most),
            false => self.fs.read(&self.at.file, at_most),
        }
    }

    /// Reads a file that belongs to the skill by its name, with its real path; none where there is none.
    #[cfg(feature = "digest")]
    pub(crate) fn read(&self, name: &str, at_most: u64) -> Result<Option<(FsPath, FilePrefix)>, FsError> {
        if name == self.at.path.name() {
            return self.read_own(at_most).map(|head| Some((self.at.file.clone(), head)));
        }
        // A folder that is a link is none of the skill's: its files are served where they are.
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let dir = self.path(folder);
        if is_alone(&self.at.path) || !self.takes(name) || absent(self.fs.canonical(&dir))? != Some(dir) {
            return Ok(None);
        }
        let Some(real) = absent(self.fs.canonical(&self.path(name)))? else { return Ok(None) };
        if !real.below(&self.at.dir).is_some_and(|name| self.takes(name)) {
            return Ok(None);
        }
        Ok(absent(self.fs.read(&real, at_most))?.map(|head| (real, head)))
    }
}

/// Reads the file at a real path, through no link.
#[cfg(feature = "digest")]
pub(crate) fn read_real(fs: &dyn Fs, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    let dir = file.parent().unwrap_or_else(FsPath::root);
    fs.confined(&dir)?.read(file, at_most)
}

/// None for what is no file of the folder.
#[cfg(feature = "digest")]
pub(super) fn absent<T>(answer: Result<T, FsError>) -> Result<Option<T>, FsError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::NotAFile(_)) => Ok(None),
        Err(FsError::Escapes(_) | FsError::LinkLoop(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Says of a folder that cannot be entered without a link what has become of the skill in it.
fn moved(error: FsError, skill: &FsPath) -> FsError {
    match error {
        FsError::Escapes(_) => FsError::Other {
            path: skill.clone(),
            message: "a symlink in its path has changed since the skill was found; run discovery again".to_owned(),
        },
        error => error,
    }
}

/// The error for a file that is there and belongs to no skill.
pub(crate) fn left_out(path: FsPath) -> Error {
    let message = "version control data and installed packages are not part of a skill".to_owned();
    Error::Fs(FsError::Other { path, message })
}
