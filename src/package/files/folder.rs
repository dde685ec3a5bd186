//! The folder of one skill, held open where discovery found it, and what is read through it. A folder that has been
//! exchanged since, or is exchanged meanwhile, for a symlink to elsewhere is not followed.

use super::purpose::{AllowedTargets, Filter};
use super::{OtherKind, PackageFile, Purpose};
use crate::discovery::manifest::is_single_file;
use crate::fs::{FileKind, FilePrefix, Fs, FsError};
use crate::model::error::Error;
use crate::model::skill::Location;
use crate::path::FsPath;

/// The folder of one skill.
pub(crate) struct Folder<'w> {
    /// The whole file system, for what a symlink leads to outside.
    pub(super) whole: &'w dyn Fs,
    /// The folder alone.
    pub(super) fs: Box<dyn Fs + 'w>,
    /// The path of the folder as it was found, for messages.
    pub(super) shown: FsPath,
    /// Its real path.
    pub(super) root: FsPath,
    /// The skill's own file; `None` if only the folder counts.
    pub(super) own: Option<PackageFile>,
    /// Whether the skill is its own file and no folder.
    pub(super) is_alone: bool,
    pub(super) filter: Filter<'w>,
}

impl<'w> Folder<'w> {
    /// Opens the folder of the skill at a location.
    ///
    /// # Errors
    /// [`FsError::Other`] where it is no longer at the path that discovery resolved.
    pub(crate) fn open(fs: &'w dyn Fs, at: &Location, purpose: Purpose) -> Result<Folder<'w>, FsError> {
        let held = fs.confined(&at.dir).map_err(|error| moved(error, &at.path))?;
        let filter = Filter { rules: purpose.rules(), hidden: &[] };
        let is_alone = is_single_file(&at.path);
        let own = match is_alone || filter.rules.includes_linked_manifest {
            true => {
                let name = at.path.name().to_owned();
                let is_linked = at.dir.child(&name).ok().as_ref() != Some(&at.file);
                Some(PackageFile { name, path: at.file.clone(), target: is_linked.then(|| at.file.clone()) })
            }
            false => None,
        };
        let shown = at.path.parent().unwrap_or_else(FsPath::root);
        Ok(Folder { whole: fs, fs: held, shown, root: at.dir.clone(), own, is_alone, filter })
    }

    /// Like [`Folder::open`], but nothing keeps the folder from being exchanged meanwhile: for names alone. A file system
    /// that cannot hold a folder open would resolve each path twice more.
    pub(crate) fn for_names(fs: &'w dyn Fs, at: &Location) -> Folder<'w> {
        let filter = Filter { rules: Purpose::List.rules(), hidden: &[] };
        let name = at.path.name().to_owned();
        let is_linked = at.dir.child(&name).ok().as_ref() != Some(&at.file);
        let own = Some(PackageFile { name, path: at.file.clone(), target: is_linked.then(|| at.file.clone()) });
        let shown = at.path.parent().unwrap_or_else(FsPath::root);
        let is_alone = is_single_file(&at.path);
        Folder { whole: fs, fs: Box::new(fs), shown, root: at.dir.clone(), own, is_alone, filter }
    }

    /// Opens a folder that need not be a skill's.
    ///
    /// # Errors
    /// [`FsError`] where it cannot be opened.
    #[cfg(any(feature = "archive", feature = "os"))]
    pub(crate) fn of_directory(fs: &'w dyn Fs, dir: &FsPath, purpose: Purpose) -> Result<Folder<'w>, FsError> {
        let root = fs.canonical(dir)?;
        let filter = Filter { rules: purpose.rules(), hidden: &[] };
        let held = fs.confined(&root)?;
        Ok(Folder { whole: fs, fs: held, shown: dir.clone(), root, own: None, is_alone: false, filter })
    }

    /// Excludes what is at or below these names.
    pub(crate) fn without(mut self, hidden: &'w [String]) -> Folder<'w> {
        self.filter.hidden = hidden;
        self
    }

    /// Excludes the file that marks a copy.
    #[cfg(feature = "digest")]
    pub(crate) fn without_marker(mut self) -> Folder<'w> {
        self.filter.rules.excludes_marker = true;
        self
    }

    /// The path of an entry as it was found, for messages.
    pub(crate) fn shown_path(&self, name: &str) -> FsPath {
        nearest(&self.shown, name)
    }

    /// How many files there may be.
    #[cfg(feature = "digest")]
    pub(crate) fn max_files(&self) -> usize {
        self.filter.rules.max_files
    }

    /// How many bytes all files may have together.
    #[cfg(feature = "digest")]
    pub(crate) fn max_bytes(&self) -> u64 {
        self.filter.rules.max_bytes
    }

    #[cfg(feature = "digest")]
    pub(crate) fn too_many_bytes(&self) -> Error {
        Error::TooMuch { path: self.shown.clone(), limit: self.filter.rules.max_bytes, what: "bytes" }
    }

    /// Whether a real path is the folder's, or in it.
    #[cfg(any(feature = "archive", feature = "os"))]
    pub(crate) fn contains(&self, real: &FsPath) -> bool {
        real.starts_with(&self.root)
    }

    pub(super) fn is_own(&self, name: &str) -> bool {
        self.own.as_ref().is_some_and(|own| own.name == name)
    }

    /// Whether a path below the folder belongs to the skill, by its name.
    pub(crate) fn includes(&self, name: &str) -> bool {
        self.filter.includes(name, false)
    }

    /// The real path of a path in the folder.
    ///
    /// # Errors
    /// [`FsError::Escapes`] where it leads out; else as [`Fs::canonical`].
    pub(crate) fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.fs.canonical(path)
    }

    /// Reads the beginning of a file of the skill. Its own file may be a symlink to anywhere, but only to the same
    /// place as when it was found.
    ///
    /// # Errors
    /// [`FsError`] where it cannot be read, or is elsewhere now.
    pub(crate) fn read(&self, file: &PackageFile, at_most: u64) -> Result<FilePrefix, FsError> {
        if self.is_own(&file.name) {
            let found = self.root.join(&file.name).map_err(|_| FsError::NotFound(file.path.clone()))?;
            let now = self.whole.canonical(&found)?;
            if now != file.path {
                return Err(moved(FsError::Escapes(now), &self.shown_path(&file.name)));
            }
            return match file.target.is_some() {
                true => read_unlinked(self.whole, &file.path, at_most),
                false => self.fs.read(&file.path, at_most),
            };
        }
        match file.path.starts_with(&self.root) {
            true => self.fs.read(&file.path, at_most),
            false => read_unlinked(self.whole, &file.path, at_most),
        }
    }

    /// Reads the beginning of the skill's own file.
    ///
    /// # Errors
    /// [`FsError::NotFound`] where the folder alone was opened; else as [`Folder::read`].
    #[cfg(feature = "digest")]
    pub(crate) fn read_own(&self, at_most: u64) -> Result<FilePrefix, FsError> {
        let own = self.own.as_ref().ok_or_else(|| FsError::NotFound(self.shown.clone()))?;
        self.read(own, at_most)
    }

    /// The folder as a file system of its own.
    #[cfg(feature = "archive")]
    pub(crate) fn view(&self) -> &dyn Fs {
        &*self.fs
    }

    /// Reads the beginning of the file at a real path in the folder.
    ///
    /// # Errors
    /// As [`Fs::read`].
    pub(crate) fn read_real(&self, real: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.fs.read(real, at_most)
    }

    /// What is at the place of a file of the skill.
    ///
    /// # Errors
    /// As [`Fs::metadata`].
    #[cfg(feature = "digest")]
    pub(crate) fn metadata(&self, file: &PackageFile) -> Result<Option<crate::fs::Metadata>, FsError> {
        if file.path.starts_with(&self.root) { self.fs.metadata(&file.path) } else { self.whole.metadata(&file.path) }
    }

    /// What a symlink is, by what it leads to.
    ///
    /// # Errors
    /// [`Error::LinkedFolder`] for a folder outside where symlinks may lead anywhere; [`Error::Fs`] where its target
    /// cannot be determined.
    pub(super) fn follow(&self, path: &FsPath, kind: FileKind) -> Result<Found, Error> {
        let rules = self.filter.rules;
        let to_nothing = |target| Found::Other { kind: OtherKind::LinkToNothing, target };
        match kind {
            FileKind::Broken if rules.enters_symlinks => return Ok(to_nothing(None)),
            FileKind::Other if rules.enters_symlinks => return Ok(Found::other(OtherKind::Special)),
            _ => {}
        }
        let target = match self.whole.canonical(path) {
            Ok(target) => target,
            Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::SymlinkLoop(_)) => {
                return Ok(to_nothing(None));
            }
            Err(FsError::Escapes(_)) if rules.targets != AllowedTargets::Anywhere => {
                return Ok(Found::other(OtherKind::LinkOutside));
            }
            Err(error) => return Err(error.into()),
        };
        let below = target.relative_to(&self.root);
        let is_allowed = match rules.targets {
            AllowedTargets::Anywhere => true,
            AllowedTargets::Inside => below.is_some(),
            AllowedTargets::Included => below.is_some_and(|name| name.is_empty() || self.includes(name)),
        };
        let kind = match kind {
            _ if !is_allowed => OtherKind::LinkOutside,
            FileKind::File => return Ok(Found::File { path: target.clone(), target: Some(target) }),
            FileKind::Dir if below.is_none() => return Err(Error::LinkedFolder { path: path.clone(), target }),
            FileKind::Dir => OtherKind::LinkToFolder,
            FileKind::Other => OtherKind::Special,
            FileKind::Broken => OtherKind::LinkToNothing,
        };
        Ok(Found::Other { kind, target: Some(target) })
    }
}

/// What an entry of the folder turned out to be.
pub(super) enum Found {
    File { path: FsPath, target: Option<FsPath> },
    Other { kind: OtherKind, target: Option<FsPath> },
}

impl Found {
    pub(super) fn other(kind: OtherKind) -> Found {
        Found::Other { kind, target: None }
    }
}

/// Reads the file at a real path, through no symlink.
fn read_unlinked(fs: &dyn Fs, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    let dir = file.parent().ok_or_else(|| FsError::NotAFile(file.clone()))?;
    fs.confined(&dir)?.read(file, at_most)
}

/// The error for a folder that cannot be entered without a symlink, as it concerns the skill in it.
fn moved(error: FsError, skill: &FsPath) -> FsError {
    match error {
        FsError::Escapes(_) => FsError::Other {
            path: skill.clone(),
            message: "a symlink in its path has changed since the skill was found; run discovery again".to_owned(),
        },
        error => error,
    }
}

/// The path of an entry of a folder.
///
/// # Errors
/// [`FsError::Other`] for a name that is not one name of a path.
pub(crate) fn child(dir: &FsPath, name: &str) -> Result<FsPath, FsError> {
    dir.child(name).map_err(|error| FsError::Other { path: dir.clone(), message: error.to_string() })
}

/// Where a finding about an entry of a folder belongs: to its path, or to the folder's if the name cannot be part of one.
pub(crate) fn nearest(dir: &FsPath, name: &str) -> FsPath {
    dir.join(name).unwrap_or_else(|_| dir.clone())
}

/// The error for a file that is there and belongs to no skill.
pub(crate) fn excluded(path: FsPath) -> Error {
    let message = "version control data and installed packages are not part of a skill".to_owned();
    Error::Fs(FsError::Other { path, message })
}
