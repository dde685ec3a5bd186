//! In: a [`FileWrite`]. Out: the file, in one step: a temporary file beside it, renamed into place, and only where
//! the file still is what it replaces. Absent: what stands in it.

use super::held::{
    FILE_MODE, FOLDER_MODE, HeldDir, LOCK_WAIT, Lock, NotOpened, PRIVATE_FOLDER_MODE, PRIVATE_MODE, What, open_parent,
    own_name, refused, set_mode, sweep,
};
use crate::discovery::state::FileWrite;
use crate::fs::OsFs;
use crate::path::FsPath;
use std::ffi::OsString;
use std::io::{self, Read, Write};

/// How often a change is planned where programs that take no lock write too.
const MAX_PLANS: usize = 20;

/// Why a file was not written. It is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It is not what the plan replaces.
    #[error("`{path}` has changed since it was read; try again")]
    Changed {
        /// The file.
        path: FsPath,
    },
    /// Another process holds the lock of its folder for longer than is waited.
    #[error("`{path}` is in use: another process has locked its folder for {} s; try again", LOCK_WAIT.as_secs())]
    Locked {
        /// The file.
        path: FsPath,
    },
    /// A symbolic link stands on the way that is not followed.
    #[error("`{path}` is not written: {}", refused(.link))]
    Link {
        /// The file.
        path: FsPath,
        /// The link.
        link: FsPath,
    },
    /// The system refuses.
    #[error("`{path}` could not be written: {reason}")]
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
            WriteError::Locked { .. } => "store-locked",
            WriteError::Link { .. } => "link-refused",
            WriteError::Failed { .. } => "file-system",
        }
    }
}

/// Writes a file that was planned over the same disk, and makes the folders that it lies in. A lock that another
/// process holds on its folder is waited for, at most 10 seconds.
///
/// # Errors
/// [`WriteError::Changed`] where the file is no longer what the plan replaces: [`rewrite`] makes another plan then.
/// [`WriteError::Locked`], [`WriteError::Link`], and [`WriteError::Failed`] where it cannot be written.
pub fn write(disk: &OsFs, write: &FileWrite) -> Result<(), WriteError> {
    match Target::open(disk, write)?.put(write)? {
        true => Ok(()),
        false => Err(WriteError::Changed { path: write.path.clone() }),
    }
}

/// Plans a change of a file and writes it. Where the file has changed since it was planned, as other processes change it
/// at the same time, it is planned again while their locks are waited for and held. Gives the plan that was written;
/// none where nothing was planned.
///
/// # Errors
/// Those of the plan, and those of [`write()`].
pub fn rewrite<E: From<WriteError>>(
    disk: &OsFs,
    mut plan: impl FnMut() -> Result<Option<FileWrite>, E>,
) -> Result<Option<FileWrite>, E> {
    let mut last = None;
    for _ in 0..MAX_PLANS {
        let Some(first) = plan()? else { return Ok(None) };
        let target = Target::open(disk, &first)?;
        if target.put(&first)? {
            return Ok(Some(first));
        }
        // Who asks for the lock cannot change it any more.
        let Some(second) = plan()? else { return Ok(None) };
        if second.path == first.path && target.put(&second)? {
            return Ok(Some(second));
        }
        last = Some(second.path);
    }
    let path = last.unwrap_or_else(FsPath::root);
    Err(WriteError::Changed { path }.into())
}

/// A file that is to be written: its folder, open and locked, and its name.
struct Target<'w> {
    path: &'w FsPath,
    dir: HeldDir,
    name: OsString,
    _lock: Lock,
}

impl<'w> Target<'w> {
    fn open(disk: &OsFs, write: &'w FileWrite) -> Result<Target<'w>, WriteError> {
        let path = &write.path;
        let make = if write.private { PRIVATE_FOLDER_MODE } else { FOLDER_MODE };
        let opened = open_parent(disk, path, write.no_links_in.as_ref(), make);
        let (dir, name) = opened.map_err(|error| match error {
            NotOpened::Link(link) => WriteError::Link { path: path.clone(), link },
            NotOpened::Failed(error) => failed(path, &error),
        })?;
        let lock = dir.lock().ok_or_else(|| WriteError::Locked { path: path.clone() })?;
        sweep(&dir, &lock);
        Ok(Target { path, dir, name, _lock: lock })
    }

    /// Whether the file was what it should replace, and so was replaced.
    fn put(&self, write: &FileWrite) -> Result<bool, WriteError> {
        self.replaced(write).map_err(|error| failed(self.path, &error))
    }

    fn replaced(&self, write: &FileWrite) -> io::Result<bool> {
        let seen = self.dir.metadata(&self.name)?;
        let is_same = match (seen.map(|seen| seen.what), &write.replaces) {
            (None, replaces) => replaces.is_none(),
            (Some(What::File), Some(replaces)) => self.holds(replaces)?,
            (Some(What::File), None) => false,
            (Some(_), _) => return Err(io::Error::other("it exists and is not a file")),
        };
        if !is_same {
            return Ok(false);
        }
        let mode = if write.private { PRIVATE_MODE } else { FILE_MODE };
        // Who may read the old one may read the new one.
        let kept = seen.filter(|_| !write.private).map(|seen| seen.mode & FILE_MODE | PRIVATE_MODE);
        let temporary = own_name(&self.dir)?;
        let put = self.fill(&temporary, &write.bytes, mode, kept);
        let put = put.and_then(|()| self.dir.rename(&temporary, &self.name));
        if put.is_err() {
            // It is in nobody's way, and the error is on its way already.
            let _ = self.dir.remove_file(&temporary);
        }
        put.map(|()| true)
    }

    /// Whether the file holds exactly these bytes.
    fn holds(&self, bytes: &[u8]) -> io::Result<bool> {
        let file = self.dir.open_file(&self.name)?;
        let found = file.metadata()?;
        if !found.is_file() || found.len() != bytes.len() as u64 {
            return Ok(false);
        }
        let mut held = Vec::new();
        file.take(found.len().saturating_add(1)).read_to_end(&mut held)?;
        Ok(held == bytes)
    }

    fn fill(&self, name: &str, bytes: &[u8], mode: u32, kept: Option<u32>) -> io::Result<()> {
        let mut file = self.dir.create(name, mode)?;
        file.write_all(bytes)?;
        if let Some(mode) = kept {
            set_mode(&file, mode)?;
        }
        file.sync_all()
    }
}

fn failed(path: &FsPath, error: &io::Error) -> WriteError {
    WriteError::Failed { path: path.clone(), reason: error.to_string() }
}
