//! Writes a skill, a converted one or an entirely new one, into one new folder, which is made under a temporary name and
//! renamed when it is complete. Nothing outside of the new folder is written, and nothing that exists is replaced.

use super::apply::{mode, read_below};
use super::dir_handle::{
    self, DirHandle, FILE_MODE, FOLDER_MODE, OpenError, PROGRAM_MODE, WorkingDir, link_refusal, remove_abandoned,
    single_name, write_new_file,
};
use crate::author::{Conversion, NewSkill};
use crate::discovery::scan::SKILL_FILE;
use crate::fs::{Fs, OsFs};
use crate::path::FsPath;
use std::io::{self, ErrorKind};

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

/// Writes a converted skill into a new folder in `into`, which is created if it does not exist, and returns the path of
/// the new folder. The other files of the skill are read from `fs`, over which it was converted.
///
/// `into` is opened once, and everything is written to that folder, whatever takes its place meanwhile. Symlinks in its
/// path are followed, except those in `no_links_in`: see [`Places::no_links_in`](crate::Places).
///
/// # Errors
/// Returns a [`NewFolderError`]. Then nothing has changed, except that `into` may have been created.
pub fn write_converted(
    fs: &dyn Fs,
    disk: &OsFs,
    converted: &Conversion,
    into: &FsPath,
    no_links_in: Option<&FsPath>,
) -> Result<FsPath, NewFolderError> {
    write_folder(disk, &converted.name, into, no_links_in, &|new| fill(fs, disk, converted, new))
}

/// Writes a new skill into a new folder in `into`, which is created if it does not exist, and returns the path of the new
/// folder. Symlinks are treated as by [`write_converted`].
///
/// # Errors
/// Returns a [`NewFolderError`]. Then nothing has changed, except that `into` may have been created.
pub fn write_new_skill(
    disk: &OsFs,
    skill: &NewSkill,
    into: &FsPath,
    no_links_in: Option<&FsPath>,
) -> Result<FsPath, NewFolderError> {
    write_folder(disk, &skill.name, into, no_links_in, &|new| {
        skill.files.iter().try_for_each(|(name, text)| {
            let mode = if text.starts_with("#!") { PROGRAM_MODE } else { FILE_MODE };
            write_new_file(new, name, text.as_bytes(), mode)
        })
    })
}

/// Creates the folder `name` in `into`, and `into` itself if it does not exist. `fill` gets the folder before it has its
/// name.
fn write_folder(
    disk: &OsFs,
    name: &str,
    into: &FsPath,
    no_links_in: Option<&FsPath>,
    fill: &dyn Fn(&DirHandle) -> io::Result<()>,
) -> Result<FsPath, NewFolderError> {
    let failed =
        |path: &FsPath, error: io::Error| NewFolderError::Failed { path: path.clone(), reason: error.to_string() };
    let folder = into.child(name).map_err(|error| failed(into, io::Error::other(error)))?;
    let target = single_name(name).map_err(|error| failed(&folder, error))?;
    let root = dir_handle::open(disk, into, no_links_in, Some(FOLDER_MODE)).map_err(|error| match error {
        OpenError::Symlink(link) => NewFolderError::Symlink { path: into.clone(), link },
        OpenError::Failed(error) => failed(into, error),
    })?;
    let lock = root.lock_or_error().map_err(|error| failed(into, error))?;
    remove_abandoned(&root, &lock);
    if root.metadata(target).map_err(|error| failed(&folder, error))?.is_some() {
        return Err(NewFolderError::Exists(folder));
    }
    // Other processes may write while the temporary folder is filled.
    drop(lock);
    let done = WorkingDir::new(&root).and_then(|mut working| {
        fill(working.dir())?;
        working.rename_to(target, None)
    });
    match done {
        Ok(()) => Ok(folder),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(NewFolderError::Exists(folder)),
        Err(error) => Err(failed(&folder, error)),
    }
}

fn fill(fs: &dyn Fs, disk: &OsFs, converted: &Conversion, new: &DirHandle) -> io::Result<()> {
    write_new_file(new, SKILL_FILE, converted.manifest.as_bytes(), FILE_MODE)?;
    if let Some((name, text)) = &converted.sidecar {
        write_new_file(new, name, text.as_bytes(), FILE_MODE)?;
    }
    let location = &converted.location;
    for file in &converted.files {
        let head = read_below(fs, &location.dir, &file.to, file.len).map_err(io::Error::other)?;
        if head.len != file.len || head.bytes.len() as u64 != file.len {
            return Err(io::Error::other(format!("`{}` was changed while it was copied", file.from)));
        }
        // A file in an archive has no mode of its own.
        let usual = if head.bytes.starts_with(b"#!") { PROGRAM_MODE } else { FILE_MODE };
        write_new_file(new, &file.to, &head.bytes, mode(disk, &file.from).unwrap_or(usual))?;
    }
    Ok(())
}
