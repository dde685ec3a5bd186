//! [`DirHandle`] on systems other than Unix: a path, used through std alone. A symlink that is seen is refused; one that
//! is put in place between the check and the use is not noticed. On Windows a folder is locked by a file that nobody
//! else can open. Other systems have no locks.

use super::{EntryInfo, EntryKind, LockAttempt};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct DirHandle {
    path: PathBuf,
}

impl DirHandle {
    /// Opens the root of an absolute path.
    pub(crate) fn root(path: &Path) -> io::Result<DirHandle> {
        Ok(DirHandle { path: path.to_owned() })
    }

    fn path_of(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path.join(name.as_ref())
    }

    pub(crate) fn open_dir(&self, name: impl AsRef<OsStr>) -> io::Result<DirHandle> {
        let path = self.path_of(name);
        let found = fs::symlink_metadata(&path)?;
        if found.is_dir() && !found.is_symlink() {
            Ok(DirHandle { path })
        } else {
            Err(ErrorKind::NotADirectory.into())
        }
    }

    pub(crate) fn create_dir(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<()> {
        modes::of_created(mode);
        fs::create_dir(self.path_of(name))
    }

    pub(crate) fn create_file(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<File> {
        modes::of_created(mode);
        OpenOptions::new().write(true).create_new(true).open(self.path_of(name))
    }

    pub(crate) fn open_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        File::open(self.path_of(name))
    }

    pub(crate) fn metadata(&self, name: impl AsRef<OsStr>) -> io::Result<Option<EntryInfo>> {
        let found = match fs::symlink_metadata(self.path_of(name.as_ref())) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let kind = match found.file_type() {
            file_type if file_type.is_symlink() => EntryKind::Symlink,
            file_type if file_type.is_dir() => EntryKind::Folder,
            file_type if file_type.is_file() => EntryKind::File,
            _ => EntryKind::Other,
        };
        let mode = if kind == EntryKind::File { self.open_file(name).map_or(0, |file| modes::of(&file)) } else { 0 };
        Ok(Some(EntryInfo { kind, mode, modified: found.modified().ok() }))
    }

    /// Whether this folder is the entry `name` of `parent`. Always true, as std cannot compare folders.
    pub(crate) fn is_entry_of(&self, _: &DirHandle, _: impl AsRef<OsStr>) -> bool {
        true
    }

    pub(crate) fn list(&self, at_most: usize) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.path)?.take(at_most).map(|entry| Ok(entry?.file_name())).collect()
    }

    pub(crate) fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        fs::rename(self.path_of(from), self.path_of(to))
    }

    pub(crate) fn rename_without_replacing(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        if self.metadata(to.as_ref())?.is_some() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    /// Returns false, as these systems cannot exchange two entries atomically.
    pub(crate) fn exchange(&self, _: impl AsRef<OsStr>, _: impl AsRef<OsStr>) -> io::Result<bool> {
        Ok(false)
    }

    pub(crate) fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        fs::remove_file(self.path_of(name))
    }

    pub(crate) fn remove_tree(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = name.as_ref();
        match self.metadata(name)?.map(|seen| seen.kind) {
            None => Ok(()),
            Some(EntryKind::Folder) => fs::remove_dir_all(self.path_of(name)),
            Some(_) => self.remove_file(name),
        }
    }

    /// Tries to lock the folder by a file in it, which the system removes when the process closes it or is killed.
    #[cfg(windows)]
    pub(crate) fn try_lock(&self) -> LockAttempt {
        use std::os::windows::fs::OpenOptionsExt;
        const DELETE_ON_CLOSE: u32 = 0x0400_0000;
        const ACCESS_DENIED: i32 = 5;
        const SHARING_VIOLATION: i32 = 32;
        let name = format!("{}lock", crate::discovery::scan::OWN_PREFIX);
        let mut options = OpenOptions::new();
        options.write(true).create(true).share_mode(0).custom_flags(DELETE_ON_CLOSE);
        match options.open(self.path_of(name)) {
            Ok(file) => LockAttempt::Acquired(file),
            // Access is also denied while the file is being removed.
            Err(error) if matches!(error.raw_os_error(), Some(ACCESS_DENIED | SHARING_VIOLATION)) => LockAttempt::Busy,
            Err(_) => LockAttempt::Unsupported,
        }
    }

    #[cfg(not(windows))]
    pub(crate) fn try_lock(&self) -> LockAttempt {
        LockAttempt::Unsupported
    }

    pub(crate) fn try_lock_entry(&self, _: impl AsRef<OsStr>, _: EntryKind) -> LockAttempt {
        LockAttempt::Unsupported
    }
}

/// The mode of a file; `None` where there are no modes.
pub(crate) fn mode_at(path: &Path) -> io::Result<Option<u32>> {
    if cfg!(skilltree_modes) { File::open(path).map(|file| Some(modes::of(&file))) } else { Ok(None) }
}

pub(crate) use modes::set as set_mode;

/// Modes of files where a program for WASI runs in Node: the shim in `npm/wasi.mjs` sets them, as WASI has none.
#[cfg(skilltree_modes)]
pub(super) mod modes {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;

    #[allow(unsafe_code, reason = "functions of the host are declared in such a block; all are safe to call")]
    #[link(wasm_import_module = "skilltree")]
    unsafe extern "C" {
        /// The mode of the files and folders that are created from now on.
        safe fn set_mode_of_created(mode: u32);
        /// Sets the mode of an open file; 0 if it could.
        safe fn set_mode(fd: i32, mode: u32) -> u32;
        /// The mode of an open file.
        safe fn mode(fd: i32) -> u32;
    }

    pub(crate) fn of_created(mode: u32) {
        set_mode_of_created(mode);
    }

    pub(crate) fn of(file: &File) -> u32 {
        mode(file.as_raw_fd())
    }

    pub(crate) fn set(file: &File, mode: u32) -> io::Result<()> {
        match set_mode(file.as_raw_fd(), mode) {
            0 => Ok(()),
            _ => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
}

#[cfg(not(skilltree_modes))]
pub(super) mod modes {
    use std::fs::File;
    use std::io;

    pub(crate) fn of_created(_: u32) {}

    pub(crate) fn of(_: &File) -> u32 {
        0
    }

    pub(crate) fn set(_: &File, _: u32) -> io::Result<()> {
        Ok(())
    }
}
