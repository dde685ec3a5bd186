//! Writes a skill, a converted one or an entirely new one, into one new folder, which is made under a temporary name and
//! renamed when it is complete. Nothing outside of the new folder is written, and nothing that exists is replaced.

use super::apply::{mode, read_planned};
use super::dir_handle::{DirHandle, FILE_MODE, MakeError, PROGRAM_MODE, link_refusal, make_folder, write_new_file};
use crate::author::{Conversion, NewSkill};
use crate::discovery::scan::SKILL_FILE;
use crate::fs::{Fs, OsFs};
use crate::path::FsPath;
use std::io;

/// Why a skill was not written into a new folder. Nothing that existed has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NewFolderError {
    /// Something with the name of the new folder exists already.
    #[error("`{0}` exists already and is not overwritten")]
    Exists(FsPath),
    /// The path of the folder goes through a symlink that must not be followed.
    #[error("`{path}` is not written to: {}", link_refusal(.link))]
    Symlink {
        /// The folder.
        path: FsPath,
        /// The symlink.
        link: FsPath,
    },
    /// A file could not be read or written.
    #[error("`{path}` could not be written: {reason}")]
    Failed {
        /// The new folder.
        path: FsPath,
        /// The message of the error.
        reason: String,
    },
}

impl NewFolderError {
    /// A stable name in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            NewFolderError::Exists(_) => "exists",
            NewFolderError::Symlink { .. } => "link-refused",
            NewFolderError::Failed { .. } => "file-system",
        }
    }
}

impl Conversion {
    /// Writes a converted skill into a new folder in `into`, which is created if it does not exist, and returns the path of
    /// the new folder. The other files of the skill are read from `fs`, over which it was converted.
    ///
    /// `into` is opened once, and everything is written to that folder, whatever takes its place meanwhile. Symlinks in its
    /// path are followed, except those in `no_links_in`: see [`Places::no_links_in`](crate::Places).
    ///
    /// # Errors
    /// Returns a [`NewFolderError`]. Then nothing has changed, except that `into` may have been created.
    pub fn write(
        &self,
        fs: &dyn Fs,
        disk: &OsFs,
        into: &FsPath,
        no_links_in: Option<&FsPath>,
    ) -> Result<FsPath, NewFolderError> {
        write_folder(disk, &self.name, into, no_links_in, |new| fill(fs, disk, self, new))
    }
}

impl NewSkill {
    /// Writes a new skill into a new folder in `into`, which is created if it does not exist, and returns the path of the new
    /// folder. Symlinks are treated as by [`Conversion::write`].
    ///
    /// # Errors
    /// Returns a [`NewFolderError`]. Then nothing has changed, except that `into` may have been created.
    pub fn write(&self, disk: &OsFs, into: &FsPath, no_links_in: Option<&FsPath>) -> Result<FsPath, NewFolderError> {
        write_folder(disk, &self.name, into, no_links_in, |new| {
            self.files.iter().try_for_each(|(name, text)| {
                let mode = if text.starts_with("#!") { PROGRAM_MODE } else { FILE_MODE };
                write_new_file(new, name, text.as_bytes(), mode)
            })
        })
    }
}

fn write_folder(
    disk: &OsFs,
    name: &str,
    into: &FsPath,
    no_links_in: Option<&FsPath>,
    fill: impl Fn(&DirHandle) -> io::Result<()>,
) -> Result<FsPath, NewFolderError> {
    let made = make_folder(disk, into, name, no_links_in, None, fill);
    made.map(|(folder, ())| folder).map_err(|error| match error {
        MakeError::Exists(folder) | MakeError::NotReplaceable(folder) => NewFolderError::Exists(folder),
        MakeError::Symlink(link) => NewFolderError::Symlink { path: into.clone(), link },
        MakeError::Failed(path, error) => NewFolderError::Failed { path, reason: error.to_string() },
    })
}

fn fill(fs: &dyn Fs, disk: &OsFs, converted: &Conversion, new: &DirHandle) -> io::Result<()> {
    write_new_file(new, SKILL_FILE, converted.manifest.as_bytes(), FILE_MODE)?;
    if let Some((name, text)) = &converted.sidecar {
        write_new_file(new, name, text.as_bytes(), FILE_MODE)?;
    }
    for file in &converted.files {
        let bytes = read_planned(fs, &converted.location.dir, &file.to, file)?;
        // A file in an archive has no mode of its own.
        let usual = if bytes.starts_with(b"#!") { PROGRAM_MODE } else { FILE_MODE };
        write_new_file(new, &file.to, &bytes, mode(disk, &file.from).unwrap_or(usual))?;
    }
    Ok(())
}
