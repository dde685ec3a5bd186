//! Makes temporary files and folders beside the place they are renamed to when they are complete, and removes those
//! that a killed process left behind.

use super::{DirHandle, EntryKind, FOLDER_MODE, Lock, LockAttempt};
use crate::discovery::scan::OWN_PREFIX;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How many names to try for a temporary entry.
const MAX_NAMES: usize = 100;

/// How many entries of a folder are searched for abandoned ones.
const MAX_LISTED: usize = 100_000;

/// How old an abandoned entry must be to be removed where there are no locks: longer than any run takes.
const ABANDONED_AFTER: Duration = Duration::from_secs(3_600);

impl DirHandle {
    /// Opens a folder, and creates it first if it does not exist.
    pub(in crate::host) fn open_or_create_dir(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<DirHandle> {
        let name = name.as_ref();
        match self.create_dir(name, mode) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => self.open_dir(name),
        }
    }

    pub(in crate::host) fn is_symlink(&self, name: impl AsRef<OsStr>) -> bool {
        matches!(self.metadata(name), Ok(Some(entry)) if entry.kind == EntryKind::Symlink)
    }
}

/// An unused name for a temporary entry of this folder.
pub(in crate::host) fn temporary_name(dir: &DirHandle) -> io::Result<String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    for _ in 0..MAX_NAMES {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{OWN_PREFIX}{}-{count}", std::process::id());
        if dir.metadata(&name)?.is_none() {
            return Ok(name);
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Whether a name has the form that [`temporary_name`] returns.
fn is_temporary_name(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = name.strip_prefix(OWN_PREFIX).and_then(|rest| rest.split_once('-'));
    numbers.is_some_and(|(process, count)| is_number(process) && is_number(count))
}

/// Removes the temporary files and folders of runs that were killed: those that no process has locked, or, where there
/// are no locks, those that are old. Removes nothing else. What cannot be removed is left for a later run.
///
/// The caller holds the lock of the folder, so that no entry is found after it was created and before it is locked.
pub(in crate::host) fn remove_abandoned(dir: &DirHandle, lock: &Lock) {
    // A folder that cannot be listed may still be written to; its abandoned entries then stay.
    let Ok(names) = dir.list(MAX_LISTED) else { return };
    for name in names.iter().filter_map(|name| name.to_str()).filter(|name| is_temporary_name(name)) {
        let Ok(Some(entry)) = dir.metadata(name) else { continue };
        if !matches!(entry.kind, EntryKind::File | EntryKind::Folder) {
            continue;
        }
        let age = || entry.modified?.elapsed().ok();
        let is_abandoned = match dir.try_lock_entry(name, entry.kind) {
            LockAttempt::Acquired(_) if lock.is_exclusive() => true,
            LockAttempt::Busy => false,
            LockAttempt::Acquired(_) | LockAttempt::Unsupported => age().is_some_and(|age| ABANDONED_AFTER < age),
        };
        if is_abandoned {
            let _ = dir.remove_tree(name);
        }
    }
}

/// Decides whether an existing folder may be replaced or removed.
pub(in crate::host) type IsReplaceable<'f> = dyn Fn(&DirHandle) -> io::Result<bool> + 'f;

/// A temporary folder to be filled and then renamed to its place. It is locked while it exists. Dropping it removes what
/// then has its temporary name: the folder itself if it was never renamed, or the folder that it was exchanged for.
pub(in crate::host) struct WorkingDir<'d> {
    parent: &'d DirHandle,
    name: String,
    dir: DirHandle,
    /// None where the system has no locks. Another process removes the folder then once it is old.
    _lock: Option<std::fs::File>,
    /// Whether dropping this removes nothing, because a folder of somebody else has the temporary name.
    is_released: bool,
}

impl<'d> WorkingDir<'d> {
    pub(in crate::host) fn new(parent: &'d DirHandle) -> io::Result<WorkingDir<'d>> {
        let _guard = parent.lock_or_error()?;
        let name = temporary_name(parent)?;
        parent.create_dir(&name, FOLDER_MODE)?;
        let dir = parent.open_dir(&name)?;
        let lock = match dir.try_lock() {
            LockAttempt::Acquired(file) => Some(file),
            LockAttempt::Busy | LockAttempt::Unsupported => None,
        };
        Ok(WorkingDir { parent, name, dir, _lock: lock, is_released: false })
    }

    pub(in crate::host) fn dir(&self) -> &DirHandle {
        &self.dir
    }

    /// Renames the folder to `target`, where nothing exists, or a folder that `is_replaceable` accepts, which is then
    /// removed. Changes nothing if something else exists there.
    pub(in crate::host) fn rename_to(
        &mut self,
        target: &str,
        is_replaceable: Option<&IsReplaceable<'_>>,
    ) -> io::Result<()> {
        let _guard = self.parent.lock_or_error()?;
        // Another process may have moved the folder away and put its own under the temporary name.
        if !self.dir.is_entry_of(self.parent, &self.name) {
            return Err(io::Error::other("the working folder was moved away by another process"));
        }
        match (self.parent.metadata(target)?, is_replaceable) {
            (Some(_), Some(is_replaceable)) => self.replace(target, is_replaceable),
            _ => self.parent.rename_without_replacing(&self.name, target),
        }
    }

    fn replace(&mut self, target: &str, is_replaceable: &IsReplaceable<'_>) -> io::Result<()> {
        check_replaceable(self.parent, target, is_replaceable)?;
        if self.parent.exchange(&self.name, target)? {
            // The folder may have been put there after the check above, so the one that was exchanged is checked again.
            return match check_replaceable(self.parent, &self.name, is_replaceable) {
                Ok(()) => Ok(()),
                Err(error) => {
                    self.is_released = !matches!(self.parent.exchange(&self.name, target), Ok(true));
                    Err(error)
                }
            };
        }
        let aside = temporary_name(self.parent)?;
        self.parent.rename(target, &aside)?;
        let checked = check_replaceable(self.parent, &aside, is_replaceable);
        if let Err(error) = checked.and_then(|()| self.parent.rename_without_replacing(&self.name, target)) {
            // The old folder is better than none.
            self.parent.rename_without_replacing(&aside, target)?;
            return Err(error);
        }
        self.parent.remove_tree(&aside)
    }
}

impl Drop for WorkingDir<'_> {
    fn drop(&mut self) {
        if !self.is_released {
            // A later run removes what cannot be removed now.
            let _ = self.parent.remove_tree(&self.name);
        }
    }
}

/// Removes a folder that `is_replaceable` accepts.
pub(in crate::host) fn remove_dir_if(
    dir: &DirHandle,
    name: &str,
    is_replaceable: &IsReplaceable<'_>,
) -> io::Result<()> {
    let _guard = dir.lock_or_error()?;
    check_replaceable(dir, name, is_replaceable)?;
    let aside = temporary_name(dir)?;
    dir.rename(name, &aside)?;
    if let Err(error) = check_replaceable(dir, &aside, is_replaceable) {
        dir.rename_without_replacing(&aside, name)?;
        return Err(error);
    }
    // A later run removes what cannot be removed now.
    let _ = dir.remove_tree(&aside);
    Ok(())
}

fn check_replaceable(dir: &DirHandle, name: &str, is_replaceable: &IsReplaceable<'_>) -> io::Result<()> {
    let kind = dir.metadata(name)?.ok_or(ErrorKind::NotFound)?.kind;
    let is_accepted = kind == EntryKind::Folder && is_replaceable(&dir.open_dir(name)?)?;
    if is_accepted { Ok(()) } else { Err(io::Error::other("what exists there is not what would be replaced")) }
}

/// Creates a file with these bytes below a folder, and the folders that its name contains.
pub(in crate::host) fn write_new_file(dir: &DirHandle, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut at: Option<DirHandle> = None;
    let (folders, file) = name.rsplit_once('/').unwrap_or(("", name));
    for folder in folders.split('/').filter(|_| !folders.is_empty()) {
        at = Some(at.as_ref().unwrap_or(dir).open_or_create_dir(single_name(folder)?, FOLDER_MODE)?);
    }
    at.as_ref().unwrap_or(dir).create_file(single_name(file)?, mode)?.write_all(bytes)
}

/// Checks that a name is a single path component on this system, and returns it.
pub(in crate::host) fn single_name(name: &str) -> io::Result<&str> {
    let is_path = matches!(name, "" | "." | "..") || name.contains(['/', '\0']);
    let is_windows_path = cfg!(windows) && name.contains(['\\', ':']);
    if is_path || is_windows_path {
        Err(io::Error::other(format!("`{name}` is not a file name on this system")))
    } else {
        Ok(name)
    }
}
