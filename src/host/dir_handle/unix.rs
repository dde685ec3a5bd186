//! [`DirHandle`] on Unix: an open file descriptor. Every name is resolved relative to it, and no symlink is followed.

use super::{EntryInfo, EntryKind, LockAttempt};
use crate::host::mode_of;
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, RawMode, Stat, fchmod, flock, fstat, linkat, mkdirat,
    openat, renameat, statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How a folder is opened that is to be listed.
const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);

/// How a folder is opened that is passed through or written to. Linux requires no permission to list it then.
#[cfg(any(target_os = "linux", target_os = "android"))]
const TRAVERSE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const TRAVERSE: OFlags = LIST;

const BATCH_ENTRIES: usize = 4_096;

/// How many entries are removed of one tree. What is left is removed with the next remove_abandoned.
const MAX_REMOVED: usize = 1_000_000;

#[derive(Debug)]
pub(crate) struct DirHandle {
    fd: OwnedFd,
}

impl DirHandle {
    /// Opens the root of an absolute path.
    pub(crate) fn root(path: &Path) -> io::Result<DirHandle> {
        let fd = retry_on_intr(|| openat(CWD, path.as_os_str().as_bytes(), TRAVERSE, Mode::empty()))?;
        Ok(DirHandle { fd })
    }

    pub(crate) fn open_dir(&self, name: impl AsRef<OsStr>) -> io::Result<DirHandle> {
        Ok(DirHandle { fd: self.open(name.as_ref(), TRAVERSE)? })
    }

    fn open(&self, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
        retry_on_intr(|| openat(&self.fd, name.as_bytes(), flags, Mode::empty()))
    }

    /// Creates a folder. The umask may remove bits of the mode.
    pub(crate) fn create_dir(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<()> {
        Ok(mkdirat(&self.fd, name.as_ref().as_bytes(), Mode::from_raw_mode(mode as RawMode))?)
    }

    /// Creates a file that does not exist yet, for writing. The umask may remove bits of the mode.
    pub(crate) fn create_file(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = name.as_ref().as_bytes();
        let fd = retry_on_intr(|| openat(&self.fd, name, flags, Mode::from_raw_mode(mode as RawMode)))?;
        Ok(File::from(fd))
    }

    /// Opens an entry for reading without blocking. The caller checks that it is a regular file.
    pub(crate) fn open_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(File::from(self.open(name.as_ref(), flags)?))
    }

    pub(crate) fn metadata(&self, name: impl AsRef<OsStr>) -> io::Result<Option<EntryInfo>> {
        let name = name.as_ref().as_bytes();
        let stat = match retry_on_intr(|| statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)) {
            Err(Errno::NOENT) => return Ok(None),
            stat => stat?,
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Symlink,
            _ => EntryKind::Other,
        };
        #[allow(clippy::useless_conversion, reason = "it has 16 bits on some systems")]
        let mode = u32::from(Mode::from_raw_mode(stat.st_mode).bits());
        let since_epoch = u64::try_from(stat.st_mtime).ok().map(Duration::from_secs);
        let modified = since_epoch.and_then(|since_epoch| SystemTime::UNIX_EPOCH.checked_add(since_epoch));
        Ok(Some(EntryInfo { kind, mode, modified }))
    }

    pub(crate) fn is_entry_of(&self, parent: &DirHandle, name: impl AsRef<OsStr>) -> bool {
        let named = retry_on_intr(|| statat(&parent.fd, name.as_ref().as_bytes(), AtFlags::SYMLINK_NOFOLLOW));
        let identity = |stat: Stat| (stat.st_dev, stat.st_ino);
        matches!((named, fstat(&self.fd)), (Ok(named), Ok(own)) if identity(named) == identity(own))
    }

    pub(crate) fn list(&self, at_most: usize) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::new(self.open(OsStr::new("."), LIST)?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
            if names.len() == at_most {
                break;
            }
        }
        Ok(names)
    }

    /// Renames an entry. An entry of the new name is replaced by the rules of the operating system.
    pub(crate) fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(renameat(&self.fd, from.as_ref().as_bytes(), &self.fd, to.as_ref().as_bytes())?)
    }

    /// Renames an entry to a name that does not exist. File systems that cannot do this atomically are asked whether the
    /// name exists first.
    pub(crate) fn rename_without_replacing(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        let (from, to) = (from.as_ref(), to.as_ref());
        #[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            let flags = RenameFlags::NOREPLACE;
            match renameat_with(&self.fd, from.as_bytes(), &self.fd, to.as_bytes(), flags) {
                Ok(()) => return Ok(()),
                Err(Errno::EXIST) => return Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => {}
            }
        }
        // A file can have both names for a moment, which a folder cannot.
        match linkat(&self.fd, from.as_bytes(), &self.fd, to.as_bytes(), AtFlags::empty()) {
            Ok(()) => return self.remove_file(from),
            Err(Errno::EXIST) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => {}
        }
        if self.metadata(to)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    /// Exchanges two entries atomically, and returns whether that was possible. One that does not exist is an error.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
    pub(crate) fn exchange(&self, one: impl AsRef<OsStr>, other: impl AsRef<OsStr>) -> io::Result<bool> {
        use rustix::fs::{RenameFlags, renameat_with};
        let (one, other) = (one.as_ref().as_bytes(), other.as_ref().as_bytes());
        match renameat_with(&self.fd, one, &self.fd, other, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Err(io::ErrorKind::NotFound.into()),
            // Systems and file systems that cannot do it have several errors for that.
            Err(_) => Ok(false),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
    pub(crate) fn exchange(&self, _: impl AsRef<OsStr>, _: impl AsRef<OsStr>) -> io::Result<bool> {
        Ok(false)
    }

    /// Removes an entry that is not a folder.
    pub(crate) fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name.as_ref().as_bytes(), AtFlags::empty())?)
    }

    /// Removes a file, or a folder with everything in it. Symlinks are removed and not followed.
    ///
    /// The folders in it are emptied one after another, and the folders inside those are first moved up to the top. This
    /// takes neither stack nor file descriptors in proportion to the depth of the tree.
    pub(crate) fn remove_tree(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = name.as_ref();
        match self.metadata(name)?.map(|seen| seen.kind) {
            None => return Ok(()),
            Some(EntryKind::Folder) => {}
            Some(_) => return self.remove_file(name),
        }
        let top = self.open_to_empty(name)?;
        let mut left = MAX_REMOVED;
        let mut moved = 0_u64;
        loop {
            let entries = top.list(BATCH_ENTRIES)?;
            if entries.is_empty() {
                return Ok(unlinkat(&self.fd, name.as_bytes(), AtFlags::REMOVEDIR)?);
            }
            for entry in entries {
                if !top.is_folder(&entry)? {
                    top.remove_file(&entry)?;
                    count_removed(&mut left)?;
                    continue;
                }
                let folder = top.open_to_empty(&entry)?;
                loop {
                    let inner = folder.list(BATCH_ENTRIES)?;
                    if inner.is_empty() {
                        break;
                    }
                    for entry in inner {
                        count_removed(&mut left)?;
                        if folder.is_folder(&entry)? {
                            folder.move_up(&entry, &top, &mut moved)?;
                        } else {
                            folder.remove_file(&entry)?;
                        }
                    }
                }
                unlinkat(&top.fd, entry.as_bytes(), AtFlags::REMOVEDIR)?;
                count_removed(&mut left)?;
            }
        }
    }

    /// Opens a folder that is to be removed, and allows its entries to be removed.
    fn open_to_empty(&self, name: &OsStr) -> io::Result<DirHandle> {
        let fd = self.open(name, LIST)?;
        // This fails for a folder of another user, and then removing its entries reports the error.
        let _ = fchmod(&fd, Mode::RWXU);
        Ok(DirHandle { fd })
    }

    fn move_up(&self, name: &OsStr, top: &DirHandle, moved: &mut u64) -> io::Result<()> {
        loop {
            let unused = format!("{}{moved}", crate::discovery::scan::OWN_PREFIX);
            *moved += 1;
            if top.metadata(&unused)?.is_none() {
                return Ok(renameat(&self.fd, name.as_bytes(), &top.fd, unused.as_bytes())?);
            }
        }
    }

    fn is_folder(&self, name: &OsStr) -> io::Result<bool> {
        Ok(self.metadata(name)?.is_some_and(|seen| seen.kind == EntryKind::Folder))
    }

    pub(crate) fn try_lock(&self) -> LockAttempt {
        self.open(OsStr::new("."), LIST).map_or(LockAttempt::Unsupported, |fd| try_lock(File::from(fd)))
    }

    pub(crate) fn try_lock_entry(&self, name: impl AsRef<OsStr>, kind: EntryKind) -> LockAttempt {
        match kind {
            EntryKind::Folder => self.open_dir(name).map_or(LockAttempt::Unsupported, |folder| folder.try_lock()),
            EntryKind::File => self.open_file(name).map_or(LockAttempt::Unsupported, try_lock),
            EntryKind::Symlink | EntryKind::Other => LockAttempt::Unsupported,
        }
    }
}

fn try_lock(file: File) -> LockAttempt {
    match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => LockAttempt::Acquired(file),
        Err(Errno::WOULDBLOCK) => LockAttempt::Busy,
        Err(_) => LockAttempt::Unsupported,
    }
}

fn count_removed(left: &mut usize) -> io::Result<()> {
    *left = left.checked_sub(1).ok_or_else(|| io::Error::other(format!("it has more than {MAX_REMOVED} entries")))?;
    Ok(())
}

/// Sets the permissions of a file exactly.
/// The mode of a file; never `None` on Unix.
pub(crate) fn mode_at(path: &Path) -> io::Result<Option<u32>> {
    Ok(mode_of(&std::fs::metadata(path)?))
}

pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(fchmod(file, Mode::from_raw_mode(mode as RawMode))?)
}
