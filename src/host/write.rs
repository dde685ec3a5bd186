//! Writes a planned file atomically: to a temporary file in the same folder, which is put in its place if the file there is
//! still the one that the plan replaces.
//!
//! The lock of the folder keeps other runs of this program out, but an editor takes no lock and may save at any time.
//! Therefore the old file is compared once more when the new one is complete, and then both are exchanged in one step.
//! The temporary name then has the file that was replaced. If its contents are what was expected, it is removed.
//! Otherwise somebody has saved in between, and both are exchanged again. What comes back then must be the new file; if
//! it is not, somebody has saved once more, and that is put in place. At every moment the name has a complete file.
//!
//! Systems that cannot exchange two files rename the new one over the old one directly after the comparison. One change
//! is not noticed anywhere: that of a program which opened the old file before the exchange, did not truncate it, and
//! writes to it only after the comparison.

use super::dir_handle::{
    DirHandle, EntryKind, FILE_MODE, FOLDER_MODE, LOCK_WAIT, Lock, OpenError, PRIVATE_FOLDER_MODE, PRIVATE_MODE,
    link_refusal, open_parent, remove_abandoned, set_mode, single_name, temporary_name,
};
use crate::discovery::state::FileWrite;
use crate::fs::OsFs;
use crate::path::FsPath;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read, Write};

/// The bits of a mode that say who may read, write and execute a file.
const PERMISSIONS: u32 = 0o777;

/// How often [`rewrite`] plans a change before it gives up because programs that take no lock keep writing.
const MAX_PLANS: usize = 20;

/// Why a file was not written. Unless another program wrote at the same time, the file has not changed.
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

impl FileWrite {
    /// Writes a file that was planned over the same disk, and creates its folders. If another process has locked the folder,
    /// this waits for at most 10 seconds.
    ///
    /// # Errors
    /// Returns [`WriteError::Changed`] if the file is no longer the one that the plan replaces ([`FileWrite::rewrite`] plans again
    /// then), [`WriteError::Locked`], [`WriteError::Symlink`], or [`WriteError::Failed`].
    pub fn write(&self, disk: &OsFs) -> Result<(), WriteError> {
        write_in(disk, self, &mut Steps { after: &mut |_| {}, exchanges: true })
    }
}

fn write_in(disk: &OsFs, write: &FileWrite, steps: &mut Steps<'_>) -> Result<(), WriteError> {
    match Target::open(disk, write)?.replace(write, steps)? {
        true => Ok(()),
        false => Err(WriteError::Changed { path: write.path.clone() }),
    }
}

impl FileWrite {
    /// Plans a change of a file and writes it. If another process changes the file in between, the change is planned again
    /// while this process holds the lock. Returns the plan that was written, or `None` if `plan` returned `None`.
    ///
    /// # Errors
    /// Returns the errors of `plan` and of [`FileWrite::write`].
    pub fn rewrite<E: From<WriteError>>(
        disk: &OsFs,
        plan: impl FnMut() -> Result<Option<FileWrite>, E>,
    ) -> Result<Option<FileWrite>, E> {
        rewrite_in(disk, plan, &mut Steps { after: &mut |_| {}, exchanges: true })
    }
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

impl FileWrite {
    /// Renames a file in its folder. `file` is a path without symlinks, and one that is on the way is refused.
    ///
    /// # Errors
    /// Returns [`WriteError::Failed`] if a file of the new name exists, and the errors of [`FileWrite::write`].
    pub fn rename(disk: &OsFs, file: &FsPath, name: &str) -> Result<(), WriteError> {
        let plan = FileWrite::at_real(file.clone(), Vec::new(), None);
        let target = Target::open(disk, &plan)?;
        let renamed = single_name(name).and_then(|name| match target.dir.metadata(&target.name)? {
            Some(entry) if entry.kind == EntryKind::File => target.dir.rename_without_replacing(&target.name, name),
            _ => Err(io::ErrorKind::NotFound.into()),
        });
        renamed.map_err(|error| failed(file, &error))
    }
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
        let exact_mode = existing.filter(|_| !write.private).map(|entry| match write.keeps_mode {
            true => entry.mode & PERMISSIONS,
            false => entry.mode & FILE_MODE | PRIVATE_MODE,
        });
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

/// How often two files are exchanged before both are kept. Each time, another program has saved within microseconds.
const MAX_EXCHANGES: usize = 8;

/// How many bytes are read of a file that another program has put in place. Larger files are not compared, and kept.
const MAX_OTHER_BYTES: u64 = 67_108_864;

const MAX_KEPT_NAMES: usize = 100;

/// What has just been done. Tests let other programs write after each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The folder was opened and locked.
    Opened,
    Compared,
    Flushed,
    ComparedAgain,
    /// The files were exchanged, for the first time or once more.
    Exchanged,
    /// The file that came out of an exchange was read.
    Read,
}

/// How a file is replaced, which tests change.
struct Steps<'s> {
    after: &'s mut dyn FnMut(Step),
    /// Whether files are exchanged where the system can do it.
    exchanges: bool,
}

struct Place<'p> {
    dir: &'p DirHandle,
    name: &'p OsStr,
    /// What the file must contain; `None` if it must not exist.
    expected: Option<&'p [u8]>,
}

impl Place<'_> {
    fn is_as_expected(&self) -> io::Result<bool> {
        match self.expected {
            None => Ok(self.dir.metadata(self.name)?.is_none()),
            Some(expected) => {
                Ok(read(self.dir, self.name, expected.len() as u64)?.is_some_and(|found| found == expected))
            }
        }
    }

    /// Puts the file `temporary`, which contains `new`, in place if the file there is as expected, and returns whether it
    /// was. Afterwards there is no temporary file.
    fn put(&self, temporary: &str, new: &[u8], steps: &mut Steps<'_>) -> io::Result<bool> {
        let put = self.put_or_leave(temporary, new, steps);
        if !matches!(put, Err(Trouble::Kept(_))) {
            // This fails where the file was renamed. A later run removes what cannot be removed now.
            let _ = self.dir.remove_file(temporary);
        }
        put.map_err(|trouble| match trouble {
            Trouble::Failed(error) | Trouble::Kept(error) => error,
        })
    }

    fn put_or_leave(&self, temporary: &str, new: &[u8], steps: &mut Steps<'_>) -> Result<bool, Trouble> {
        let is_as_expected = self.is_as_expected()?;
        (steps.after)(Step::ComparedAgain);
        if !is_as_expected {
            return Ok(false);
        }
        let Some(expected) = self.expected else {
            return match self.dir.rename_without_replacing(temporary, self.name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
                renamed => Ok(renamed.map(|()| true)?),
            };
        };
        match self.exchange(temporary, steps) {
            Ok(true) => {}
            Ok(false) => return Ok(self.dir.rename(temporary, self.name).map(|()| true)?),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let replaced = self.read_exchanged(temporary, steps);
        if replaced.as_deref() == Some(expected) {
            return Ok(true);
        }
        self.restore(temporary, replaced, Some(new.to_vec()), steps)
    }

    /// Puts back what another program had written before the exchange, which now has the temporary name. `placed` is
    /// what was put in its place.
    fn restore(
        &self,
        temporary: &str,
        mut replaced: Option<Vec<u8>>,
        mut placed: Option<Vec<u8>>,
        steps: &mut Steps<'_>,
    ) -> Result<bool, Trouble> {
        for _ in 0..MAX_EXCHANGES {
            match self.exchange(temporary, steps) {
                Ok(true) => {}
                // The file was removed or renamed after the exchange.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    match self.dir.rename_without_replacing(temporary, self.name) {
                        Ok(()) => return Ok(false),
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                        Err(_) => break,
                    }
                }
                Ok(false) | Err(_) => break,
            }
            let found = self.read_exchanged(temporary, steps);
            if found.is_some() && found == placed {
                return Ok(false);
            }
            // It was written after the last exchange, so it is newer than what has just been put back.
            placed = std::mem::replace(&mut replaced, found);
        }
        Err(Trouble::Kept(self.keep(temporary)))
    }

    fn exchange(&self, temporary: &str, steps: &mut Steps<'_>) -> io::Result<bool> {
        let exchanged = if steps.exchanges { self.dir.exchange(temporary, self.name) } else { Ok(false) };
        if matches!(exchanged, Ok(true)) {
            (steps.after)(Step::Exchanged);
        }
        exchanged
    }

    /// The contents of the file that came out of an exchange; `None` if it is no file, or too large, or cannot be read.
    fn read_exchanged(&self, temporary: &str, steps: &mut Steps<'_>) -> Option<Vec<u8>> {
        let found = read(self.dir, temporary.as_ref(), MAX_OTHER_BYTES).ok().flatten();
        (steps.after)(Step::Read);
        found
    }

    /// Renames the file of another program that could not be put back, so that no later run removes it.
    fn keep(&self, temporary: &str) -> io::Error {
        for number in 1..=MAX_KEPT_NAMES {
            let mut name = OsString::from(self.name);
            name.push(format!(".conflict-{number}"));
            if self.dir.rename_without_replacing(temporary, &name).is_ok() {
                let name = name.to_string_lossy();
                return io::Error::other(format!(
                    "another program wrote it at the same time; one of the two versions is kept beside it as `{name}`"
                ));
            }
        }
        io::Error::other(format!(
            "another program wrote it at the same time; one of the two versions is kept beside it as `{temporary}`, \
             which the next run removes"
        ))
    }
}

enum Trouble {
    /// The temporary file is still the one that was to be put in place.
    Failed(io::Error),
    /// The temporary name had the file of another program, which must not be removed.
    Kept(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Failed(error)
    }
}

/// The contents of a file of at most `most` bytes; `None` for a larger one, for no file, and for what is not a file.
fn read(dir: &DirHandle, name: &OsStr, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match dir.open_file(name) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // On Unix a symlink is not opened.
        Err(_) if dir.is_symlink(name) => return Ok(None),
        file => file?,
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || most < metadata.len() {
        return Ok(None);
    }
    let mut found = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut found)?;
    Ok((found.len() as u64 <= most).then_some(found))
}

#[cfg(all(test, unix))]
#[path = "../../tests/unit/replace.rs"]
mod tests;
