//! Folders that are written to, held open. What is written goes to the folder that was opened, whatever is put in its
//! place meanwhile: every name is taken relative to a descriptor, and no symbolic link is followed below it.
//! `way` finds a folder by its path, `work` holds our own entries in it, `unix` and `portable` talk to the system.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;
mod way;
mod work;

#[cfg(not(unix))]
pub(super) use portable::{HeldDir, set_mode};
#[cfg(unix)]
pub(super) use unix::{HeldDir, set_mode};
pub(super) use way::{NotOpened, open, open_parent, refused};
#[cfg(feature = "archive")]
pub(super) use work::MayGo;
pub(super) use work::{Working, one_name, own_name, put_file, remove_if, sweep};

use std::fs::File;
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// The mode of files that are made; the umask may take from it, as from each of these.
pub(super) const FILE_MODE: u32 = 0o644;

/// The mode of programs.
pub(super) const PROGRAM_MODE: u32 = 0o755;

/// The mode of files that are for the user alone.
pub(super) const PRIVATE_MODE: u32 = 0o600;

/// The mode of folders that are made.
pub(super) const FOLDER_MODE: u32 = 0o755;

/// The mode of folders that are for the user alone.
pub(super) const PRIVATE_FOLDER_MODE: u32 = 0o700;

/// How long a lock of another process is waited for.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(10);

/// How long to sleep before a lock is asked for again.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// What stands under a name; a link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    File,
    Folder,
    Link,
    Other,
}

/// An entry of a folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) what: What,
    /// The permissions; nothing where the system has none.
    pub(super) mode: u32,
    pub(super) modified: Option<SystemTime>,
}

/// What became of the wish for a lock.
#[cfg_attr(not(any(unix, windows)), allow(dead_code, reason = "there are no locks"))]
pub(super) enum Locking {
    /// Held as long as this file is open.
    Held(File),
    /// Another process holds it.
    Taken,
    /// The system or the file system has no locks.
    Unsupported,
}

/// A lock, or the lack of one where there are none.
pub(super) struct Lock(Option<File>);

impl Lock {
    /// Whether it keeps others out.
    pub(super) fn is_exclusive(&self) -> bool {
        self.0.is_some()
    }
}

impl HeldDir {
    /// Locks the folder against other writers that ask for its lock. None where another process does not release it
    /// in time.
    pub(super) fn lock(&self) -> Option<Lock> {
        let until = Instant::now() + LOCK_WAIT;
        loop {
            match self.try_lock() {
                Locking::Held(file) => return Some(Lock(Some(file))),
                Locking::Unsupported => return Some(Lock(None)),
                Locking::Taken if until < Instant::now() => return None,
                Locking::Taken => sleep(LOCK_PAUSE),
            }
        }
    }

    /// The same, with an error that says so.
    pub(super) fn locked(&self) -> io::Result<Lock> {
        let busy = || {
            let seconds = LOCK_WAIT.as_secs();
            io::Error::other(format!("another process was still writing to the folder after {seconds} s"))
        };
        self.lock().ok_or_else(busy)
    }
}
