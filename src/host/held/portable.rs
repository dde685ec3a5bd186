//! A folder by its path, through std alone, for systems that are no Unix. A link is refused where it is seen; one that is
//! put there in between is not noticed. On Windows a file that nobody else may open is the lock of a folder; elsewhere
//! there is none, and what another process writes is found by comparison.

use super::{Locking, Seen, What};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A folder.
#[derive(Debug)]
pub(in crate::host) struct HeldDir {
    path: PathBuf,
}

impl HeldDir {
    /// The root that an absolute path begins with.
    pub(in crate::host) fn root(path: &Path) -> io::Result<HeldDir> {
        Ok(HeldDir { path: path.to_owned() })
    }

    fn at(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path.join(name.as_ref())
    }

    pub(in crate::host) fn enter(&self, name: impl AsRef<OsStr>) -> io::Result<HeldDir> {
        let path = self.at(name);
        let found = fs::symlink_metadata(&path)?;
        if found.is_dir() && !found.is_symlink() { Ok(HeldDir { path }) } else { Err(ErrorKind::NotADirectory.into()) }
    }

    /// Makes a folder.
    pub(in crate::host) fn make(&self, name: impl AsRef<OsStr>, _: u32) -> io::Result<()> {
        fs::create_dir(self.at(name))
    }

    /// Makes a file that is not there, to be written.
    pub(in crate::host) fn create(&self, name: impl AsRef<OsStr>, _: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.at(name))
    }

    /// Opens a file to read it.
    pub(in crate::host) fn open_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        File::open(self.at(name))
    }

    /// What stands under a name, if anything.
    pub(in crate::host) fn metadata(&self, name: impl AsRef<OsStr>) -> io::Result<Option<Seen>> {
        let found = match fs::symlink_metadata(self.at(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let what = match found.file_type() {
            kind if kind.is_symlink() => What::Link,
            kind if kind.is_dir() => What::Folder,
            kind if kind.is_file() => What::File,
            _ => What::Other,
        };
        Ok(Some(Seen { what, mode: 0, modified: found.modified().ok() }))
    }

    /// Whether this folder stands under a name of another one. Without identities it is taken for granted.
    pub(in crate::host) fn stands_in(&self, _: &HeldDir, _: impl AsRef<OsStr>) -> bool {
        true
    }

    /// At most so many names that stand in it.
    pub(in crate::host) fn list(&self, at_most: usize) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.path)?.take(at_most).map(|entry| Ok(entry?.file_name())).collect()
    }

    /// Renames. What stands under the new name is replaced as the system does it.
    pub(in crate::host) fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        fs::rename(self.at(from), self.at(to))
    }

    /// Renames to where nothing stands.
    pub(in crate::host) fn rename_new(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        if self.metadata(to.as_ref())?.is_some() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    /// These systems do not exchange two entries in one step.
    pub(in crate::host) fn exchange(&self, _: impl AsRef<OsStr>, _: impl AsRef<OsStr>) -> bool {
        false
    }

    /// Removes what is no folder.
    pub(in crate::host) fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        fs::remove_file(self.at(name))
    }

    /// Removes a file, or a folder with all that is in it. Links are removed and not followed.
    pub(in crate::host) fn remove_tree(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = name.as_ref();
        match self.metadata(name)?.map(|seen| seen.what) {
            None => Ok(()),
            Some(What::Folder) => fs::remove_dir_all(self.at(name)),
            Some(_) => self.remove_file(name),
        }
    }

    /// Tries to lock the folder by a file in it, which the system removes when it is closed, also after a kill.
    #[cfg(windows)]
    pub(in crate::host) fn try_lock(&self) -> Locking {
        use std::os::windows::fs::OpenOptionsExt;
        const DELETE_ON_CLOSE: u32 = 0x0400_0000;
        const ACCESS_DENIED: i32 = 5;
        const SHARING_VIOLATION: i32 = 32;
        let name = format!("{}lock", crate::discovery::scan::OWN_PREFIX);
        let mut options = OpenOptions::new();
        options.write(true).create(true).share_mode(0).custom_flags(DELETE_ON_CLOSE);
        match options.open(self.at(name)) {
            Ok(file) => Locking::Held(file),
            // Denied also as long as it is being removed.
            Err(error) if matches!(error.raw_os_error(), Some(ACCESS_DENIED | SHARING_VIOLATION)) => Locking::Taken,
            Err(_) => Locking::Unsupported,
        }
    }

    #[cfg(not(windows))]
    pub(in crate::host) fn try_lock(&self) -> Locking {
        Locking::Unsupported
    }

    pub(in crate::host) fn try_lock_entry(&self, _: impl AsRef<OsStr>, _: What) -> Locking {
        Locking::Unsupported
    }
}

pub(in crate::host) fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
