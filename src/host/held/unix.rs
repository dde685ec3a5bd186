//! A folder as an open descriptor: every name below is taken relative to it, and none is followed if it is a link.

use super::{Locking, Seen, What};
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, RawMode, Stat, fchmod, flock, fstat, mkdirat, openat,
    renameat, statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// An open folder that can be listed.
const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);

/// An open folder that is passed through or written to; Linux asks no right to list it then.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PASS: OFlags = LIST;

/// How many entries are listed at once while a tree is removed.
const HANDFUL: usize = 4_096;

/// How many entries are removed of one tree. What is left is removed with the next sweep.
const MAX_REMOVED: usize = 1_000_000;

/// An open folder.
#[derive(Debug)]
pub(in crate::host) struct HeldDir {
    fd: OwnedFd,
}

impl HeldDir {
    /// The root that an absolute path begins with.
    pub(in crate::host) fn root(path: &Path) -> io::Result<HeldDir> {
        let fd = retry_on_intr(|| openat(CWD, path.as_os_str().as_bytes(), PASS, Mode::empty()))?;
        Ok(HeldDir { fd })
    }

    pub(in crate::host) fn enter(&self, name: impl AsRef<OsStr>) -> io::Result<HeldDir> {
        Ok(HeldDir { fd: self.open(name.as_ref(), PASS)? })
    }

    fn open(&self, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
        retry_on_intr(|| openat(&self.fd, name.as_bytes(), flags, Mode::empty()))
    }

    /// Makes a folder. The umask may take from the mode.
    pub(in crate::host) fn make(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<()> {
        Ok(mkdirat(&self.fd, name.as_ref().as_bytes(), Mode::from_raw_mode(mode as RawMode))?)
    }

    /// Makes a file that is not there, to be written. The umask may take from the mode.
    pub(in crate::host) fn create(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = name.as_ref().as_bytes();
        let fd = retry_on_intr(|| openat(&self.fd, name, flags, Mode::from_raw_mode(mode as RawMode)))?;
        Ok(File::from(fd))
    }

    /// Opens a file to read it. What it is has to be asked of the file.
    pub(in crate::host) fn open_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(File::from(self.open(name.as_ref(), flags)?))
    }

    /// What stands under a name, if anything.
    pub(in crate::host) fn metadata(&self, name: impl AsRef<OsStr>) -> io::Result<Option<Seen>> {
        let name = name.as_ref().as_bytes();
        let stat = match retry_on_intr(|| statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)) {
            Err(Errno::NOENT) => return Ok(None),
            stat => stat?,
        };
        let what = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => What::File,
            FileType::Directory => What::Folder,
            FileType::Symlink => What::Link,
            _ => What::Other,
        };
        #[allow(clippy::useless_conversion, reason = "it has 16 bits on some systems")]
        let mode = u32::from(Mode::from_raw_mode(stat.st_mode).bits());
        let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
        Ok(Some(Seen { what, mode, modified: SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)) }))
    }

    /// Whether this folder stands under a name of another one.
    pub(in crate::host) fn stands_in(&self, parent: &HeldDir, name: impl AsRef<OsStr>) -> bool {
        let named = retry_on_intr(|| statat(&parent.fd, name.as_ref().as_bytes(), AtFlags::SYMLINK_NOFOLLOW));
        let identity = |stat: Stat| (stat.st_dev, stat.st_ino);
        matches!((named, fstat(&self.fd)), (Ok(named), Ok(own)) if identity(named) == identity(own))
    }

    /// At most so many names that stand in it.
    pub(in crate::host) fn list(&self, at_most: usize) -> io::Result<Vec<OsString>> {
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

    /// Renames. What stands under the new name is replaced as the system does it.
    pub(in crate::host) fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(renameat(&self.fd, from.as_ref().as_bytes(), &self.fd, to.as_ref().as_bytes())?)
    }

    /// Renames to where nothing stands. Not every file system can do it in one step: there it is looked at before.
    pub(in crate::host) fn rename_new(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        let (from, to) = (from.as_ref(), to.as_ref());
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            let flags = RenameFlags::NOREPLACE;
            match renameat_with(&self.fd, from.as_bytes(), &self.fd, to.as_bytes(), flags) {
                Ok(()) => return Ok(()),
                Err(Errno::EXIST) => return Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => {}
            }
        }
        if self.metadata(to)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    /// Exchanges two entries in one step, where the system can.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    pub(in crate::host) fn exchange(&self, one: impl AsRef<OsStr>, other: impl AsRef<OsStr>) -> bool {
        use rustix::fs::{RenameFlags, renameat_with};
        let (one, other) = (one.as_ref().as_bytes(), other.as_ref().as_bytes());
        renameat_with(&self.fd, one, &self.fd, other, RenameFlags::EXCHANGE).is_ok()
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    pub(in crate::host) fn exchange(&self, _: impl AsRef<OsStr>, _: impl AsRef<OsStr>) -> bool {
        false
    }

    /// Removes what is no folder.
    pub(in crate::host) fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name.as_ref().as_bytes(), AtFlags::empty())?)
    }

    /// Removes a file, or a folder with all that is in it. Links are removed and not followed.
    ///
    /// Folders in it are emptied one after another; what folders they hold is moved up first. So depth costs neither
    /// stack nor descriptors.
    pub(in crate::host) fn remove_tree(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = name.as_ref();
        match self.metadata(name)?.map(|seen| seen.what) {
            None => return Ok(()),
            Some(What::Folder) => {}
            Some(_) => return self.remove_file(name),
        }
        let top = self.enter_to_empty(name)?;
        let mut left = MAX_REMOVED;
        let mut moved = 0_u64;
        loop {
            let entries = top.list(HANDFUL)?;
            if entries.is_empty() {
                return Ok(unlinkat(&self.fd, name.as_bytes(), AtFlags::REMOVEDIR)?);
            }
            for entry in entries {
                if !top.is_folder(&entry)? {
                    top.remove_file(&entry)?;
                    spend(&mut left)?;
                    continue;
                }
                let folder = top.enter_to_empty(&entry)?;
                loop {
                    let inner = folder.list(HANDFUL)?;
                    if inner.is_empty() {
                        break;
                    }
                    for entry in inner {
                        spend(&mut left)?;
                        if folder.is_folder(&entry)? {
                            folder.move_up(&entry, &top, &mut moved)?;
                        } else {
                            folder.remove_file(&entry)?;
                        }
                    }
                }
                unlinkat(&top.fd, entry.as_bytes(), AtFlags::REMOVEDIR)?;
                spend(&mut left)?;
            }
        }
    }

    /// Opens a folder that is to be removed, and makes sure that its entries can be.
    fn enter_to_empty(&self, name: &OsStr) -> io::Result<HeldDir> {
        let fd = self.open(name, LIST)?;
        // Where it is not ours this fails, and so will the rest.
        let _ = fchmod(&fd, Mode::RWXU);
        Ok(HeldDir { fd })
    }

    /// Gives a folder a name of its own in another one.
    fn move_up(&self, name: &OsStr, top: &HeldDir, moved: &mut u64) -> io::Result<()> {
        loop {
            let free = format!("{}{moved}", crate::discovery::scan::OWN_PREFIX);
            *moved += 1;
            if top.metadata(&free)?.is_none() {
                return Ok(renameat(&self.fd, name.as_bytes(), &top.fd, free.as_bytes())?);
            }
        }
    }

    fn is_folder(&self, name: &OsStr) -> io::Result<bool> {
        Ok(self.metadata(name)?.is_some_and(|seen| seen.what == What::Folder))
    }

    /// Tries to lock the folder itself.
    pub(in crate::host) fn try_lock(&self) -> Locking {
        self.open(OsStr::new("."), LIST).map_or(Locking::Unsupported, |fd| try_lock(File::from(fd)))
    }

    /// Tries to lock a file or folder in it.
    pub(in crate::host) fn try_lock_entry(&self, name: impl AsRef<OsStr>, what: What) -> Locking {
        match what {
            What::Folder => self.enter(name).map_or(Locking::Unsupported, |folder| folder.try_lock()),
            What::File => self.open_file(name).map_or(Locking::Unsupported, try_lock),
            What::Link | What::Other => Locking::Unsupported,
        }
    }
}

fn try_lock(file: File) -> Locking {
    match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => Locking::Held(file),
        Err(Errno::WOULDBLOCK) => Locking::Taken,
        Err(_) => Locking::Unsupported,
    }
}

fn spend(left: &mut usize) -> io::Result<()> {
    *left = left.checked_sub(1).ok_or_else(|| io::Error::other(format!("it has more than {MAX_REMOVED} entries")))?;
    Ok(())
}

/// Sets the permissions of a file exactly.
pub(in crate::host) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(fchmod(file, Mode::from_raw_mode(mode as RawMode))?)
}
