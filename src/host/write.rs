//! In: a [`FileWrite`]. Out: the file, in one step: a temporary file beside it, renamed into place, and only where
//! the file still is what it replaces. Absent: what stands in it.

use crate::fs::OsFs;
use crate::path::FsPath;
use crate::state::FileWrite;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How many names are tried for the temporary file: one may be left over from a crash.
const MAX_NAMES: u32 = 100;

/// Why a file was not written. It is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It is not what the plan replaces, or another process writes it at this moment.
    #[error("the store `{path}` has changed since it was read; try again")]
    Changed {
        /// The file.
        path: FsPath,
    },
    /// The system refuses.
    #[error("the store `{path}` could not be written: {reason}")]
    Failed {
        /// The file.
        path: FsPath,
        /// What the system says.
        reason: String,
    },
}

impl WriteError {
    /// A stable name in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            WriteError::Changed { .. } => "store-changed",
            WriteError::Failed { .. } => "file-system",
        }
    }
}

/// Writes a file that was planned over the same disk, and makes the folders that it lies in.
///
/// # Errors
/// [`WriteError::Changed`] where the file is no longer what the plan replaces; whoever made the plan makes another.
/// [`WriteError::Failed`] where it cannot be written.
pub fn write(disk: &OsFs, write: &FileWrite) -> Result<(), WriteError> {
    let failed = |reason: String| WriteError::Failed { path: write.path.clone(), reason };
    let path = disk.host(&write.path).map_err(|error| failed(error.to_string()))?;
    match put(&path, write) {
        Ok(true) => Ok(()),
        Ok(false) => Err(WriteError::Changed { path: write.path.clone() }),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Whether the file was what it should replace, and so was replaced.
fn put(path: &Path, write: &FileWrite) -> io::Result<bool> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(dir)?;
    let (temporary, mut file) = temporary(path, dir)?;
    let put = fill(&mut file, path, &write.bytes).and_then(|()| {
        drop(file);
        into_place(&temporary, path, dir, write.replaces.as_deref())
    });
    if !matches!(put, Ok(true)) {
        // It is in nobody's way, and what went wrong is told already.
        let _ = fs::remove_file(&temporary);
    }
    put
}

/// A new file beside the one to write.
fn temporary(path: &Path, dir: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for n in 0..MAX_NAMES {
        let temporary = dir.join(format!(".{name}.{}.{n}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (temporary, file)),
        }
    }
    Err(io::Error::from(ErrorKind::AlreadyExists))
}

/// Fills it, and lets those read it who may read the old one.
fn fill(file: &mut File, path: &Path, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

/// Renames it, while no other process of this program does the same.
fn into_place(temporary: &Path, path: &Path, dir: &Path, replaces: Option<&[u8]>) -> io::Result<bool> {
    let _lock = match lock(dir) {
        Some(lock) => lock,
        None => return Ok(false),
    };
    let held = match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if held.as_deref() != replaces {
        return Ok(false);
    }
    fs::rename(temporary, path)?;
    Ok(true)
}

/// A lock on the folder, held as long as it is open; none when another process has it. Where folders cannot be
/// locked, the comparison alone guards.
#[cfg(unix)]
fn lock(dir: &Path) -> Option<Option<File>> {
    use rustix::fs::{FlockOperation, flock};
    let Ok(folder) = File::open(dir) else { return Some(None) };
    match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => None,
        Ok(()) | Err(_) => Some(Some(folder)),
    }
}

#[cfg(not(unix))]
fn lock(_: &Path) -> Option<Option<File>> {
    Some(None)
}
