//! Handles to open folders, through which all files are written.
//!
//! What is written goes to the folder that was opened, whatever takes its place meanwhile: every name is resolved
//! relative to the handle, and no symlink below it is followed. `resolve` opens a folder by its path, `temporary` makes
//! and removes the temporary entries, `unix` and `portable` call the operating system.

#[cfg(not(unix))]
mod portable;
mod resolve;
mod temporary;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use portable::{DirHandle, set_mode};
pub(super) use resolve::{OpenError, link_refusal, open, open_parent};
#[cfg(feature = "archive")]
pub(super) use temporary::IsReplaceable;
pub(super) use temporary::{WorkingDir, remove_abandoned, remove_dir_if, single_name, temporary_name, write_new_file};
#[cfg(unix)]
pub(super) use unix::{DirHandle, set_mode};

use std::fs::File;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// The mode of new files. The umask may remove bits, here and in the modes below.
pub(super) const FILE_MODE: u32 = 0o644;

/// The mode of new executable files.
pub(super) const PROGRAM_MODE: u32 = 0o755;

/// The mode of new files that only the user may read.
pub(super) const PRIVATE_MODE: u32 = 0o600;

/// The mode of new folders.
pub(super) const FOLDER_MODE: u32 = 0o755;

/// The mode of new folders that only the user may enter.
pub(super) const PRIVATE_FOLDER_MODE: u32 = 0o700;

/// How long to wait for a lock that another process holds.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(10);

/// How long to sleep between two attempts to lock.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The kind of an entry. Symlinks are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Symlink,
    Other,
}

/// An entry of a folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryInfo {
    pub(super) kind: EntryKind,
    /// The permission bits; 0 on systems without them.
    pub(super) mode: u32,
    pub(super) modified: Option<SystemTime>,
}

/// The result of one attempt to lock a file or folder.
#[cfg_attr(not(any(unix, windows)), allow(dead_code, reason = "there are no locks"))]
pub(super) enum LockAttempt {
    /// The lock is held for as long as this file is open.
    Acquired(File),
    /// Another process holds the lock.
    Busy,
    /// The operating system or the file system has no locks.
    Unsupported,
}

/// A lock on a folder. Empty where locks are not supported.
pub(super) struct Lock(Option<File>);

impl Lock {
    /// Whether the lock keeps other processes out.
    pub(super) fn is_exclusive(&self) -> bool {
        self.0.is_some()
    }
}

impl DirHandle {
    /// Locks the folder against other processes that lock it before they write. Returns `None` if another process holds
    /// the lock for longer than [`LOCK_WAIT`].
    pub(super) fn lock(&self) -> Option<Lock> {
        let until = Instant::now() + LOCK_WAIT;
        loop {
            match self.try_lock() {
                LockAttempt::Acquired(file) => return Some(Lock(Some(file))),
                LockAttempt::Unsupported => return Some(Lock(None)),
                LockAttempt::Busy if until < Instant::now() => return None,
                LockAttempt::Busy => sleep(LOCK_PAUSE),
            }
        }
    }

    /// Like [`DirHandle::lock`], but with an I/O error if another process holds the lock for too long.
    pub(super) fn lock_or_error(&self) -> io::Result<Lock> {
        let busy = || {
            let seconds = LOCK_WAIT.as_secs();
            io::Error::other(format!("another process was still writing to the folder after {seconds} s"))
        };
        self.lock().ok_or_else(busy)
    }
}
