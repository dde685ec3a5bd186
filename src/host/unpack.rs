//! In: an [`ArchiveFs`] and a folder. Out: what the archive holds, as one new folder there: made beside its place,
//! and renamed into it when it is whole. Absent: links, which an archive has none of here, and any file outside.

use super::held::{
    self, FILE_MODE, FOLDER_MODE, HeldDir, MayGo, NotOpened, PROGRAM_MODE, What, Working, one_name, put_file, refused,
    sweep,
};
use crate::discovery::manifest::is_skill_file;
use crate::discovery::scan::{OWN_PREFIX, repository};
use crate::fs::{ArchiveFs, FileKind, Fs, OsFs};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::io::{self, ErrorKind};

/// How many entries of a folder are looked through for its SKILL.md.
const MAX_LISTED: usize = 100_000;

/// What to do where the folder is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Refuse.
    Refuse,
    /// Put the new one in its place, in one step, if the old one is a skill's folder: one that holds a SKILL.md. What
    /// was in it is gone.
    Replace,
}

/// What was unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpacked {
    /// The folder that was made.
    pub folder: FsPath,
    /// The files in it, by name, in byte order.
    pub files: Vec<String>,
    /// How many bytes they have.
    pub bytes: u64,
}

/// Why nothing was unpacked. What was there is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// The archive has entries that are refused; [`ArchiveFs::notes`] says which.
    #[error("the archive has {0} invalid entries, so nothing was unpacked")]
    Refused(usize),
    /// It brings a repository of a version control system, whose settings name commands that the system runs.
    #[error(
        "the archive contains the repository `{}`, whose settings may run commands; pack the skill again without it",
        visible(.0)
    )]
    Repository(String),
    /// There is no SKILL.md at the top of the folder that would be made.
    #[error("the archive has no SKILL.md at its top, so it is not a skill; nothing was unpacked")]
    NoSkill,
    /// The name of the folder is kept for working folders, which are removed.
    #[error("the name `{}` is reserved for temporary folders; rename the archive", visible(.0))]
    Reserved(String),
    /// There is no file in the archive.
    #[error("the archive is empty; nothing was unpacked")]
    Empty,
    /// The folder is there already.
    #[error("`{0}` exists already and is not overwritten")]
    Exists(FsPath),
    /// What is there already is not a skill's folder, so it is not replaced.
    #[error("`{0}` is not replaced because it contains no SKILL.md: move it, or choose another folder")]
    NotASkill(FsPath),
    /// A symbolic link stands on the way that is not followed.
    #[error("`{path}` is not written to: {}", refused(.link))]
    Link {
        /// The folder.
        path: FsPath,
        /// The link.
        link: FsPath,
    },
    /// The system refuses, or a file is damaged.
    #[error("`{path}` could not be unpacked: {reason}")]
    Failed {
        /// The folder.
        path: FsPath,
        /// What the system says.
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
            UnpackError::Link { .. } => "link-refused",
            UnpackError::Failed { .. } => "unpack-failed",
        }
    }
}

/// Unpacks a skill's archive into a folder of its own in `into`: the one that it holds, where it holds one folder and
/// nothing beside it, else (also where that is a hidden one) one of the name `else_name` with all that it holds. Empty
/// folders are not made.
///
/// Everything is written to the folder that is opened at the beginning, whatever is put in its place meanwhile. On the
/// way to it symbolic links are followed, but for those in `no_links_in`: [`Places::no_links_in`](crate::Places).
///
/// # Errors
/// [`UnpackError`], and then nothing has changed, but that `into` may have been made.
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
    let top = archive.list(&FsPath::root()).unwrap_or_default();
    let (name, from) = match &top[..] {
        [] => return Err(UnpackError::Empty),
        [only] if only.kind == FileKind::Dir && !only.name.starts_with('.') => {
            (only.name.as_str(), format!("{}/", only.name))
        }
        _ => (else_name, String::new()),
    };
    if let Some(repository) = repository(archive.files().map(|(name, _)| name)) {
        return Err(UnpackError::Repository(repository));
    }
    if !archive.files().any(|(name, _)| name.strip_prefix(&from).is_some_and(is_skill_file)) {
        return Err(UnpackError::NoSkill);
    }
    if name.starts_with(OWN_PREFIX) {
        return Err(UnpackError::Reserved(name.to_owned()));
    }
    let failed = |error: io::Error| UnpackError::Failed { path: into.clone(), reason: error.to_string() };
    let folder = into.child(name).map_err(|error| failed(io::Error::other(error)))?;
    let target = one_name(name).map_err(failed)?;
    let root = held::open(disk, into, no_links_in, Some(FOLDER_MODE)).map_err(|error| match error {
        NotOpened::Link(link) => UnpackError::Link { path: into.clone(), link },
        NotOpened::Failed(error) => failed(error),
    })?;
    let lock = root.locked().map_err(failed)?;
    sweep(&root, &lock);
    match root.metadata(target).map_err(failed)? {
        None => {}
        Some(there) if over == Overwrite::Refuse || there.what != What::Folder => {
            return Err(UnpackError::Exists(folder));
        }
        Some(_) if root.enter(target).is_ok_and(|there| holds_skill(&there)) => {}
        Some(_) => return Err(UnpackError::NotASkill(folder)),
    }
    // Others may go on while the working folder is filled.
    drop(lock);
    let done = Working::new(&root).and_then(|mut working| {
        let done = fill(archive, &from, working.dir())?;
        let may_go: Option<&MayGo<'_>> = if over == Overwrite::Replace { Some(&holds_skill) } else { None };
        working.put(target, may_go).map(|()| done)
    });
    match done {
        Ok((files, bytes)) => Ok(Unpacked { folder, files, bytes }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(UnpackError::Exists(folder)),
        Err(error) => Err(failed(error)),
    }
}

/// Whether a folder holds a SKILL.md.
fn holds_skill(dir: &HeldDir) -> bool {
    let names = dir.list(MAX_LISTED).unwrap_or_default();
    let is_file =
        |name: &str| matches!(dir.metadata(name), Ok(Some(seen)) if matches!(seen.what, What::File | What::Link));
    names.iter().filter_map(|name| name.to_str()).any(|name| is_skill_file(name) && is_file(name))
}

fn fill(archive: &ArchiveFs, from: &str, new: &HeldDir) -> io::Result<(Vec<String>, u64)> {
    let (mut files, mut bytes) = (Vec::new(), 0);
    for (whole, executable) in archive.files() {
        let name = whole.strip_prefix(from).unwrap_or(whole);
        let path = FsPath::root().join(whole).map_err(io::Error::other)?;
        let head = archive.read(&path, u64::MAX).map_err(io::Error::other)?;
        put_file(new, name, &head.bytes, if executable { PROGRAM_MODE } else { FILE_MODE })?;
        bytes += head.len;
        files.push(name.to_owned());
    }
    Ok((files, bytes))
}
