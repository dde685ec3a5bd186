//! Writes a planned file atomically: to a temporary file in the same folder, which `replace` puts in its place if the file
//! there is still the one that the plan replaces.

mod replace;

use super::dir_handle::{
    DirHandle, EntryKind, FILE_MODE, FOLDER_MODE, LOCK_WAIT, Lock, OpenError, PRIVATE_FOLDER_MODE, PRIVATE_MODE,
    link_refusal, open_parent, remove_abandoned, set_mode, single_name, temporary_name,
};
use crate::discovery::state::FileWrite;
use crate::fs::OsFs;
use crate::path::FsPath;
use replace::{Place, Step, Steps};
use std::ffi::OsString;
use std::io::{self, Write};

/// The bits of a mode that say who may read, write and execute a file.
const PERMISSIONS: u32 = 0o777;

/// How often [`rewrite`] plans a change before it gives up because programs that take no lock keep writing.
const MAX_PLANS: usize = 20;

/// Why a file was not written. The file has not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The file is not the one that the plan replaces.
    #[error("`{path}` has changed since it was read; try again")]
    Changed {
        /// The file.
        path: FsPath,
    },
    /// Another process held the lock of the folder for too long.
    #[error("`{path}` is in use: another process has locked its folder for {} s; try again", LOCK_WAIT.as_secs())]
    Locked {
        /// The file.
        path: FsPath,
    },
    /// The path of the file goes through a symlink that must not be followed.
    #[error("`{path}` is not written: {}", link_refusal(.link))]
    Symlink {
        /// The file.
        path: FsPath,
        /// The symlink.
        link: FsPath,
    },
    /// The operating system returned an error.
    #[error("`{path}` could not be written: {reason}")]
    Failed {
        /// The file.
        path: FsPath,
        /// The message of the error.
        reason: String,
    },
}

impl WriteError {
    /// A stable name in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            WriteError::Changed { .. } => "store-changed",
            WriteError::Locked { .. } => "store-locked",
            WriteError::Symlink { .. } => "link-refused",
            WriteError::Failed { .. } => "file-system",
        }
    }
}

/// Writes a file that was planned over the same disk, and creates its folders. If another process has locked the folder,
/// this waits for at most 10 seconds.
///
/// # Errors
/// Returns [`WriteError::Changed`] if the file is no longer the one that the plan replaces ([`rewrite`] plans again
/// then), [`WriteError::Locked`], [`WriteError::Symlink`], or [`WriteError::Failed`].
pub fn write(disk: &OsFs, write: &FileWrite) -> Result<(), WriteError> {
    write_in(disk, write, &mut Steps { after: &mut |_| {}, exchanges: true })
}

fn write_in(disk: &OsFs, write: &FileWrite, steps: &mut Steps<'_>) -> Result<(), WriteError> {
    match Target::open(disk, write)?.replace(write, steps)? {
        true => Ok(()),
        false => Err(WriteError::Changed { path: write.path.clone() }),
    }
}

/// Plans a change of a file and writes it. If another process changes the file in between, the change is planned again
/// while this process holds the lock. Returns the plan that was written, or `None` if `plan` returned `None`.
///
/// # Errors
/// Returns the errors of `plan` and of [`write()`].
pub fn rewrite<E: From<WriteError>>(
    disk: &OsFs,
    plan: impl FnMut() -> Result<Option<FileWrite>, E>,
) -> Result<Option<FileWrite>, E> {
    rewrite_in(disk, plan, &mut Steps { after: &mut |_| {}, exchanges: true })
}

fn rewrite_in<E: From<WriteError>>(
    disk: &OsFs,
    mut plan: impl FnMut() -> Result<Option<FileWrite>, E>,
    steps: &mut Steps<'_>,
) -> Result<Option<FileWrite>, E> {
    let mut attempts = 0;
    loop {
        let Some(first) = plan()? else { return Ok(None) };
        let target = Target::open(disk, &first)?;
        if target.replace(&first, steps)? {
            return Ok(Some(first));
        }
        // The folder is locked now, so no process that takes the lock can change the file any more.
        let Some(second) = plan()? else { return Ok(None) };
        if second.path == first.path && target.replace(&second, steps)? {
            return Ok(Some(second));
        }
        attempts += 1;
        if attempts == MAX_PLANS {
            return Err(WriteError::Changed { path: second.path }.into());
        }
    }
}

/// Renames a file in its folder. `file` is a path without symlinks, and one that is on the way is refused.
///
/// # Errors
/// Returns [`WriteError::Failed`] if a file of the new name exists, and the errors of [`write()`].
pub fn rename(disk: &OsFs, file: &FsPath, name: &str) -> Result<(), WriteError> {
    let plan = FileWrite::at_real(file.clone(), Vec::new(), None);
    let target = Target::open(disk, &plan)?;
    let renamed = single_name(name).and_then(|name| match target.dir.metadata(&target.name)? {
        Some(entry) if entry.kind == EntryKind::File => target.dir.rename_without_replacing(&target.name, name),
        _ => Err(io::ErrorKind::NotFound.into()),
    });
    renamed.map_err(|error| failed(file, &error))
}

/// A file to be written, in its folder, which is open and locked.
struct Target<'w> {
    path: &'w FsPath,
    dir: DirHandle,
    name: OsString,
    _lock: Lock,
}

impl<'w> Target<'w> {
    fn open(disk: &OsFs, write: &'w FileWrite) -> Result<Target<'w>, WriteError> {
        let path = &write.path;
        let create_mode = if write.private { PRIVATE_FOLDER_MODE } else { FOLDER_MODE };
        let opened = open_parent(disk, path, write.no_links_in.as_ref(), create_mode);
        let (dir, name) = opened.map_err(|error| match error {
            OpenError::Symlink(link) => WriteError::Symlink { path: path.clone(), link },
            OpenError::Failed(error) => failed(path, &error),
        })?;
        let lock = dir.lock().ok_or_else(|| WriteError::Locked { path: path.clone() })?;
        remove_abandoned(&dir, &lock);
        Ok(Target { path, dir, name, _lock: lock })
    }

    /// Writes the file if the current one is the one that the plan replaces, and returns whether it is.
    fn replace(&self, write: &FileWrite, steps: &mut Steps<'_>) -> Result<bool, WriteError> {
        self.try_replace(write, steps).map_err(|error| failed(self.path, &error))
    }

    fn try_replace(&self, write: &FileWrite, steps: &mut Steps<'_>) -> io::Result<bool> {
        (steps.after)(Step::Opened);
        let existing = self.dir.metadata(&self.name)?;
        if existing.is_some_and(|entry| entry.kind != EntryKind::File) {
            return Err(io::Error::other("it exists and is not a file"));
        }
        let place = Place { dir: &self.dir, name: &self.name, expected: write.expected.as_deref() };
        let is_as_expected = place.is_as_expected()?;
        (steps.after)(Step::Compared);
        if !is_as_expected {
            return Ok(false);
        }
        let mode = if write.private { PRIVATE_MODE } else { FILE_MODE };
        // Whoever may read the old file may read the new one.
        let kept = if write.keeps_mode { PERMISSIONS } else { FILE_MODE };
        let exact_mode = existing.filter(|_| !write.private).map(|entry| entry.mode & kept | PRIVATE_MODE);
        let temporary = temporary_name(&self.dir)?;
        if let Err(error) = self.write_temporary(&temporary, &write.bytes, mode, exact_mode) {
            // A later run removes the file if this fails, and the first error is the one to report.
            let _ = self.dir.remove_file(&temporary);
            return Err(error);
        }
        (steps.after)(Step::Flushed);
        place.put(&temporary, &write.bytes, steps)
    }

    /// Writes the temporary file. `exact_mode` is set regardless of the umask.
    fn write_temporary(&self, name: &str, bytes: &[u8], mode: u32, exact_mode: Option<u32>) -> io::Result<()> {
        let mut file = self.dir.create_file(name, mode)?;
        file.write_all(bytes)?;
        if let Some(mode) = exact_mode {
            set_mode(&file, mode)?;
        }
        file.sync_all()
    }
}

fn failed(path: &FsPath, error: &io::Error) -> WriteError {
    WriteError::Failed { path: path.clone(), reason: error.to_string() }
}
