//! Unpacks a skill's archive into one new folder, which is made under a temporary name and renamed when it is complete.
//! An archive contains no symlinks, as [`ArchiveFs`] refuses them, and nothing outside of the new folder is written.

use super::dir_handle::{
    DirHandle, EntryKind, FILE_MODE, IsReplaceable, MakeError, PROGRAM_MODE, link_refusal, make_folder, write_new_file,
};
use crate::discovery::manifest::is_skill_file;
use crate::discovery::scan::{OWN_PREFIX, find_repository};
use crate::fs::{ArchiveFs, FileKind, Fs, OsFs};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::io;

/// How many entries of a folder are searched for its SKILL.md.
const MAX_LISTED: usize = 100_000;

/// The folder that macOS adds to archives.
const RESOURCE_FORKS: &str = "__MACOSX";

/// What to do if the folder exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Refuse.
    Refuse,
    /// Replace it atomically if it contains a SKILL.md. The old folder is deleted.
    Replace,
}

/// What was unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpacked {
    /// The new folder.
    pub folder: FsPath,
    /// The names of the files in it, in byte order.
    pub files: Vec<String>,
    /// The total size of the files in bytes.
    pub bytes: u64,
}

/// Why nothing was unpacked. Nothing that existed has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// The archive has entries that are refused; [`ArchiveFs::notes`] lists them.
    #[error("the archive has {0} invalid entries, so nothing was unpacked")]
    Refused(usize),
    /// The archive contains a repository of a version control system, whose settings may name commands to run.
    #[error(
        "the archive contains the repository `{}`, whose settings may run commands; pack the skill again without it",
        visible(.0)
    )]
    Repository(String),
    /// The new folder would have no SKILL.md at its top.
    #[error("the archive has no SKILL.md at its top, so it is not a skill; nothing was unpacked")]
    NoSkill,
    /// The name of the new folder is reserved for temporary folders, which are removed.
    #[error("the name `{}` is reserved for temporary folders; rename the archive", visible(.0))]
    Reserved(String),
    /// The archive contains no file.
    #[error("the archive is empty; nothing was unpacked")]
    Empty,
    /// The folder exists already.
    #[error("`{0}` exists already and is not overwritten")]
    Exists(FsPath),
    /// The existing folder contains no SKILL.md, so it is not replaced.
    #[error("`{0}` is not replaced because it contains no SKILL.md: move it, or choose another folder")]
    NotASkill(FsPath),
    /// The path of the folder goes through a symlink that must not be followed.
    #[error("`{path}` is not written to: {}", link_refusal(.link))]
    Symlink {
        /// The folder.
        path: FsPath,
        /// The symlink.
        link: FsPath,
    },
    /// The operating system returned an error, or a file in the archive is damaged.
    #[error("`{path}` could not be unpacked: {reason}")]
    Failed {
        /// The folder.
        path: FsPath,
        /// The message of the error.
        reason: String,
    },
}

impl UnpackError {
    /// A stable name in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            UnpackError::Refused(_) => "archive-refused",
            UnpackError::Repository(_) | UnpackError::NoSkill | UnpackError::Reserved(_) => "archive-refused",
            UnpackError::Empty => "archive-empty",
            UnpackError::Exists(_) => "exists",
            UnpackError::NotASkill(_) => "not-a-skill",
            UnpackError::Symlink { .. } => "link-refused",
            UnpackError::Failed { .. } => "unpack-failed",
        }
    }
}

impl Unpacked {
    /// Unpacks a skill's archive into a new folder in `into`.
    ///
    /// If the archive contains a single folder that is not hidden and nothing else, that is the new folder. Otherwise the
    /// new folder has the name `else_name` and everything in the archive. Empty folders are not created, and neither is the
    /// folder `__MACOSX` at the top, in which macOS keeps what its own file system has besides the files.
    ///
    /// `into` is opened once, and everything is written to that folder, whatever takes its place meanwhile. Symlinks in its
    /// path are followed, except those in `no_links_in`: see [`Places::no_links_in`](crate::Places).
    ///
    /// # Errors
    /// Returns an [`UnpackError`]. Then nothing has changed, except that `into` may have been created.
    pub fn unpack(
        disk: &OsFs,
        archive: &ArchiveFs,
        into: &FsPath,
        else_name: &str,
        over: Overwrite,
        no_links_in: Option<&FsPath>,
    ) -> Result<Unpacked, UnpackError> {
        if !archive.notes().is_empty() {
            return Err(UnpackError::Refused(archive.notes().len()));
        }
        let failed = |error: io::Error| UnpackError::Failed { path: into.clone(), reason: error.to_string() };
        let mut top = archive.list(&FsPath::root()).map_err(|error| failed(io::Error::other(error)))?;
        top.retain(|entry| entry.name != RESOURCE_FORKS);
        let (name, from) = match &top[..] {
            [] => return Err(UnpackError::Empty),
            [only] if only.kind == FileKind::Dir && !only.name.starts_with('.') => {
                (only.name.as_str(), format!("{}/", only.name))
            }
            _ => (else_name, String::new()),
        };
        if let Some(repository) = find_repository(archive.files().map(|(name, _)| name)) {
            return Err(UnpackError::Repository(repository));
        }
        if !archive.files().any(|(name, _)| name.strip_prefix(&from).is_some_and(is_skill_file)) {
            return Err(UnpackError::NoSkill);
        }
        if name.starts_with(OWN_PREFIX) {
            return Err(UnpackError::Reserved(name.to_owned()));
        }
        let is_replaceable: Option<&IsReplaceable<'_>> =
            if over == Overwrite::Replace { Some(&holds_skill) } else { None };
        let made = make_folder(disk, into, name, no_links_in, is_replaceable, |new| fill(archive, &from, new));
        made.map(|(folder, (files, bytes))| Unpacked { folder, files, bytes }).map_err(|error| match error {
            MakeError::Exists(folder) => UnpackError::Exists(folder),
            MakeError::NotReplaceable(folder) => UnpackError::NotASkill(folder),
            MakeError::Symlink(link) => UnpackError::Symlink { path: into.clone(), link },
            MakeError::Failed(_, error) => failed(error),
        })
    }
}

fn holds_skill(dir: &DirHandle) -> io::Result<bool> {
    let names = dir.list(MAX_LISTED)?;
    for name in names.iter().filter_map(|name| name.to_str()).filter(|name| is_skill_file(name)) {
        let kind = dir.metadata(name)?.map(|entry| entry.kind);
        if matches!(kind, Some(EntryKind::File | EntryKind::Symlink)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn fill(archive: &ArchiveFs, from: &str, new: &DirHandle) -> io::Result<(Vec<String>, u64)> {
    let (mut files, mut bytes) = (Vec::new(), 0);
    for (whole, executable) in archive.files().filter(|(name, _)| name.split('/').next() != Some(RESOURCE_FORKS)) {
        let name = whole.strip_prefix(from).unwrap_or(whole);
        let path = FsPath::root().join(whole).map_err(io::Error::other)?;
        let head = archive.read(&path, u64::MAX).map_err(io::Error::other)?;
        write_new_file(new, name, &head.bytes, if executable { PROGRAM_MODE } else { FILE_MODE })?;
        bytes += head.len;
        files.push(name.to_owned());
    }
    Ok((files, bytes))
}
