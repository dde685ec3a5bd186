//! In: an [`ArchiveFs`] and a folder. Out: what the archive holds, as one new folder there: made beside its place,
//! and renamed into it when it is whole. Absent: links, which an archive has none of here, and any file outside.

use super::apply::{discard, one_name, own_name, put_in_place};
use crate::fs::{ArchiveFs, Fs, Kind, OsFs};
use crate::path::FsPath;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// What to do where the folder is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Refuse.
    Refuse,
    /// Put the new one in its place, in one step; what was in the old one is gone.
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
    #[error("the archive has {0} entries that are refused, so nothing of it is unpacked")]
    Refused(usize),
    /// It brings a repository of git, whose settings name commands that git runs.
    #[error("the archive brings a `.git`, whose settings may run commands; pack the skill again by `skilltree pack`")]
    Repository,
    /// There is no file in the archive.
    #[error("the archive is empty, so nothing is unpacked")]
    Empty,
    /// The folder is there already.
    #[error("`{0}` is there already, and is not written over; use `--force`, or another folder")]
    Exists(FsPath),
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
            UnpackError::Repository => "archive-refused",
            UnpackError::Empty => "archive-empty",
            UnpackError::Exists(_) => "exists",
            UnpackError::Failed { .. } => "unpack-failed",
        }
    }
}

/// Unpacks an archive into a folder of its own in `into`: the one that it holds, where it holds one folder and nothing
/// beside it, else (also where that is a hidden one) one of the name `else_name` with all that it holds. Empty folders
/// are not made.
///
/// # Errors
/// [`UnpackError`], and then nothing has changed, but that `into` may have been made.
pub fn unpack(
    disk: &OsFs,
    archive: &ArchiveFs,
    into: &FsPath,
    else_name: &str,
    over: Over,
) -> Result<Unpacked, UnpackError> {
    if !archive.notes().is_empty() {
        return Err(UnpackError::Refused(archive.notes().len()));
    }
    if archive.files().any(|(name, _)| name.split('/').any(is_git)) {
        return Err(UnpackError::Repository);
    }
    let top = archive.list(&FsPath::root()).unwrap_or_default();
    let (name, from) = match &top[..] {
        [] => return Err(UnpackError::Empty),
        [only] if only.kind == Kind::Dir && !only.name.starts_with('.') => {
            (only.name.as_str(), format!("{}/", only.name))
        }
        _ => (else_name, String::new()),
    };
    let failed = |error: io::Error| UnpackError::Failed { path: into.clone(), reason: error.to_string() };
    let folder = into.child(name).map_err(|error| failed(io::Error::other(error)))?;
    let root = disk.host(into).map_err(|error| failed(io::Error::other(error)))?;
    let target = root.join(one_name(name).map_err(failed)?);
    let is_there = match fs::symlink_metadata(&target) {
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(failed(error)),
        Ok(there) if over == Over::Replace && there.is_dir() => true,
        Ok(_) => return Err(UnpackError::Exists(folder)),
    };
    fs::create_dir_all(&root).map_err(failed)?;
    let new = own_name(&root);
    let done = fill(archive, &from, &new).and_then(|done| {
        if is_there { put_in_place(&new, &target, &own_name(&root)) } else { put_new(&new, &target) }.map(|()| done)
    });
    // Holds the old folder now, or what there is of one that failed.
    let _ = discard(&new);
    match done {
        Ok((files, bytes)) => Ok(Unpacked { folder, files, bytes }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(UnpackError::Exists(folder)),
        Err(error) => Err(failed(error)),
    }
}

/// Whether some disk takes a name for `.git`.
fn is_git(name: &str) -> bool {
    let name = name.trim_end_matches(['.', ' ']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

/// Renames a folder to where nothing is: an empty folder that came there meanwhile would be replaced by a rename alone.
fn put_new(new: &Path, target: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, new, CWD, target, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::EXIST) => return Err(ErrorKind::AlreadyExists.into()),
            // Not every file system has it.
            Err(_) => {}
        }
    }
    fs::rename(new, target)
}

fn fill(archive: &ArchiveFs, from: &str, new: &Path) -> io::Result<(Vec<String>, u64)> {
    fs::create_dir(new)?;
    let (mut files, mut bytes) = (Vec::new(), 0);
    for (whole, executable) in archive.files() {
        let name = whole.strip_prefix(from).unwrap_or(whole);
        let mut at = new.to_owned();
        for part in name.split('/') {
            at.push(one_name(part)?);
        }
        if let Some(above) = at.parent() {
            fs::create_dir_all(above)?;
        }
        let path = FsPath::root().join(whole).map_err(io::Error::other)?;
        let head = archive.read(&path, u64::MAX).map_err(io::Error::other)?;
        let mut file = fs::File::create_new(&at)?;
        file.write_all(&head.bytes)?;
        if executable {
            make_program(&file)?;
        }
        bytes += head.len;
        files.push(name.to_owned());
    }
    Ok((files, bytes))
}

/// Who may read it may run it.
#[cfg(unix)]
fn make_program(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata()?.permissions().mode();
    file.set_permissions(fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

#[cfg(not(unix))]
fn make_program(_: &fs::File) -> io::Result<()> {
    Ok(())
}
