//! Handles to open folders, through which all files are written.
//!
//! What is written goes to the folder that was opened, whatever takes its place meanwhile: every name is resolved
//! relative to the handle, and no symlink below it is followed. `unix` and `portable` call the operating system.

#[cfg(not(unix))]
#[path = "dir_handle/portable.rs"]
mod system;
#[cfg(unix)]
#[path = "dir_handle/unix.rs"]
mod system;

pub(super) use system::{DirHandle, mode_at, set_mode};

use crate::discovery::scan::OWN_PREFIX;
use crate::fs::{FsError, OsFs};
use crate::path::FsPath;
use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// The mode of new files. The umask may remove bits, here and in the modes below.
pub(super) const FILE_MODE: u32 = 0o644;

pub(super) const PROGRAM_MODE: u32 = 0o755;

pub(super) const PRIVATE_MODE: u32 = 0o600;

pub(super) const FOLDER_MODE: u32 = 0o755;

pub(super) const PRIVATE_FOLDER_MODE: u32 = 0o700;

pub(super) const LOCK_WAIT: Duration = Duration::from_secs(10);

const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The kind of an entry. Symlinks are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Symlink,
    Other,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EntryInfo {
    pub(super) kind: EntryKind,
    /// The permission bits; 0 on systems without them.
    pub(super) mode: u32,
    modified: Option<SystemTime>,
}

#[cfg_attr(not(any(unix, windows)), allow(dead_code, reason = "there are no locks"))]
pub(super) enum LockAttempt {
    /// The lock is held for as long as this file is open.
    Acquired(File),
    Busy,
    /// The operating system or the file system has no locks.
    Unsupported,
}

/// A lock on a folder. Empty where locks are not supported.
pub(super) struct Lock(Option<File>);

impl Lock {
    fn is_exclusive(&self) -> bool {
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

/// How many symlinks of one path are followed: the limit of Linux, which then returns ELOOP.
const MAX_SYMLINKS: usize = 40;

#[derive(Debug)]
pub(super) enum OpenError {
    /// The path goes through this symlink, which must not be followed.
    Symlink(FsPath),
    Failed(io::Error),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Failed(error)
    }
}

impl From<FsError> for OpenError {
    fn from(error: FsError) -> OpenError {
        OpenError::Failed(io::Error::other(error))
    }
}

/// The end of a message about a symlink that must not be followed.
pub(super) fn link_refusal(link: &FsPath) -> String {
    let link = crate::text::escape::visible(link.as_str()).into_owned();
    format!(
        "its path goes through the symbolic link `{link}`; nothing is written through a link that may come from a \
             project; use the real folder, or remove the symlink"
    )
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> io::Error {
        match error {
            OpenError::Symlink(link) => io::Error::other(link_refusal(&link)),
            OpenError::Failed(error) => error,
        }
    }
}

/// Opens a folder. Symlinks in its path are followed, except those in `no_links_in`. If `create_mode` is given, missing
/// folders are created.
pub(super) fn open(
    disk: &OsFs,
    dir: &FsPath,
    no_links_in: Option<&FsPath>,
    create_mode: Option<u32>,
) -> Result<DirHandle, OpenError> {
    let real = resolve(disk, dir, no_links_in)?;
    open_resolved(disk, dir, &real, create_mode)
}

/// Opens the folder of a file, which may itself be a symlink. Returns the folder and the file's name in it. Missing
/// folders are created.
pub(super) fn open_parent(
    disk: &OsFs,
    file: &FsPath,
    no_links_in: Option<&FsPath>,
    create_mode: u32,
) -> Result<(DirHandle, OsString), OpenError> {
    let real = resolve(disk, file, no_links_in)?;
    match (real.parent(), real.file_name()) {
        (Some(parent), Some(name)) => Ok((open_resolved(disk, file, parent, Some(create_mode))?, name.to_owned())),
        _ => Err(io::Error::from(ErrorKind::IsADirectory).into()),
    }
}

/// The path with its symlinks resolved. Names that do not exist stay as they are.
fn resolve(disk: &OsFs, path: &FsPath, no_links_in: Option<&FsPath>) -> Result<PathBuf, OpenError> {
    let refusing = RefusingDir::new(disk, no_links_in)?;
    let names = |path: &Path| path.components().rev().map(|name| name.as_os_str().to_owned()).collect::<Vec<_>>();
    let mut real = PathBuf::new();
    let mut ahead = names(&disk.host(path)?);
    // The number of components of the folder whose symlinks must not be followed, while `real` is in that folder.
    let outermost = matches!(refusing, RefusingDir::Everywhere).then_some(0);
    let mut inside = outermost;
    let (mut links, mut is_missing) = (0, false);
    while let Some(name) = ahead.pop() {
        match Path::new(&name).components().next() {
            Some(Component::Normal(_)) if is_missing => real.push(&name),
            Some(Component::Normal(_)) => {
                let next = real.join(&name);
                match fs::symlink_metadata(&next) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {
                        is_missing = true;
                        real = next;
                    }
                    Err(error) => return Err(error.into()),
                    Ok(found) if !found.is_symlink() => {
                        real = next;
                        inside = inside.or(refusing.components_if_same(&real, &found)?);
                    }
                    Ok(_) if inside.is_some() => return Err(symlink_error(disk, &next, path)),
                    Ok(_) if links == MAX_SYMLINKS => {
                        return Err(io::Error::other("there are too many symbolic links in its path").into());
                    }
                    Ok(_) => {
                        links += 1;
                        ahead.extend(names(&fs::read_link(&next)?));
                    }
                }
            }
            Some(Component::ParentDir) if is_missing => return Err(io::Error::from(ErrorKind::NotFound).into()),
            Some(Component::ParentDir) => {
                real.pop();
                inside = inside.filter(|from| *from <= real.components().count());
            }
            Some(Component::RootDir | Component::Prefix(_)) => {
                real.push(&name);
                inside = outermost;
                // The prefix of a Windows path has no metadata by itself.
                if let Ok(found) = fs::symlink_metadata(&real) {
                    inside = inside.or(refusing.components_if_same(&real, &found)?);
                }
            }
            Some(Component::CurDir) | None => {}
        }
    }
    Ok(real)
}

/// Opens a resolved path name by name. A name that has become a symlink is refused.
fn open_resolved(disk: &OsFs, asked: &FsPath, real: &Path, create_mode: Option<u32>) -> Result<DirHandle, OpenError> {
    let mut at = PathBuf::new();
    let mut opened: Option<DirHandle> = None;
    for component in real.components() {
        let Component::Normal(name) = component else {
            at.push(component);
            continue;
        };
        let dir = match opened.take() {
            Some(dir) => dir,
            None => DirHandle::root(&at)?,
        };
        at.push(name);
        let child = match (dir.open_dir(name), create_mode) {
            (Err(error), Some(mode)) if error.kind() == ErrorKind::NotFound => dir.open_or_create_dir(name, mode),
            (child, _) => child,
        };
        opened = Some(child.map_err(|error| match dir.is_symlink(name) {
            true => symlink_error(disk, &at, asked),
            false => error.into(),
        })?);
    }
    match opened {
        Some(dir) => Ok(dir),
        None => Ok(DirHandle::root(&at)?),
    }
}

/// The error for a symlink at this path that must not be followed; or why the path cannot be named.
fn symlink_error(disk: &OsFs, real: &Path, asked: &FsPath) -> OpenError {
    disk.named(real, asked).map_or_else(OpenError::from, OpenError::Symlink)
}

/// The folder whose symlinks must not be followed.
enum RefusingDir {
    /// There is none.
    Nowhere,
    /// The root above all drives, which some systems do not have as a folder.
    Everywhere,
    At(Identity),
}

impl RefusingDir {
    fn new(disk: &OsFs, dir: Option<&FsPath>) -> Result<RefusingDir, OpenError> {
        let Some(dir) = dir else { return Ok(RefusingDir::Nowhere) };
        let host = match disk.host(dir) {
            Ok(host) => host,
            Err(_) if *dir == FsPath::root() => return Ok(RefusingDir::Everywhere),
            Err(error) => return Err(error.into()),
        };
        match fs::metadata(&host) {
            Ok(found) => Ok(RefusingDir::At(identity(&host, &found)?)),
            // No path goes through a folder that does not exist.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(RefusingDir::Nowhere),
            Err(error) => Err(error.into()),
        }
    }

    /// The number of components of this path, if it is the path of the folder.
    fn components_if_same(&self, real: &Path, found: &Metadata) -> io::Result<Option<usize>> {
        let RefusingDir::At(own) = self else { return Ok(None) };
        Ok((identity(real, found)? == *own).then(|| real.components().count()))
    }
}

/// Identifies a folder, however its path is spelled.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(_: &Path, found: &Metadata) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    Ok((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> io::Result<Identity> {
    fs::canonicalize(path)
}

const MAX_NAMES: usize = 100;

/// How many entries of a folder are searched for abandoned ones.
const MAX_LISTED: usize = 100_000;

/// How old an abandoned entry must be to be removed where there are no locks: longer than any run takes.
const ABANDONED_AFTER: Duration = Duration::from_secs(3_600);

impl DirHandle {
    fn open_or_create_dir(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<DirHandle> {
        let name = name.as_ref();
        match self.create_dir(name, mode) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => self.open_dir(name),
        }
    }

    pub(super) fn is_symlink(&self, name: impl AsRef<OsStr>) -> bool {
        matches!(self.metadata(name), Ok(Some(entry)) if entry.kind == EntryKind::Symlink)
    }
}

pub(super) fn temporary_name(dir: &DirHandle) -> io::Result<String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    for _ in 0..MAX_NAMES {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{OWN_PREFIX}{}-{count}", process_id());
        if dir.metadata(&name)?.is_none() {
            return Ok(name);
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// A number that no other running process has; on WASI, where processes have none, a random one.
fn process_id() -> u64 {
    if cfg!(target_family = "wasm") {
        RandomState::new().build_hasher().finish()
    } else {
        u64::from(std::process::id())
    }
}

fn is_temporary_name(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = name.strip_prefix(OWN_PREFIX).and_then(|rest| rest.split_once('-'));
    numbers.is_some_and(|(process, count)| is_number(process) && is_number(count))
}

/// Removes the temporary files and folders of runs that were killed: those that no process has locked, or, where there
/// are no locks, those that are old. Removes nothing else. What cannot be removed is left for a later run.
///
/// The caller holds the lock of the folder, so that no entry is found after it was created and before it is locked.
pub(super) fn remove_abandoned(dir: &DirHandle, lock: &Lock) {
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

pub(super) type IsReplaceable<'f> = dyn Fn(&DirHandle) -> io::Result<bool> + 'f;

/// A temporary folder to be filled and then renamed to its place. It is locked while it exists. Dropping it removes what
/// then has its temporary name: the folder itself if it was never renamed, or the folder that it was exchanged for.
pub(super) struct WorkingDir<'d> {
    parent: &'d DirHandle,
    name: String,
    dir: DirHandle,
    /// None where the system has no locks. Another process removes the folder then once it is old.
    _lock: Option<std::fs::File>,
    /// Whether dropping this removes nothing, because a folder of somebody else has the temporary name.
    is_released: bool,
}

impl<'d> WorkingDir<'d> {
    pub(super) fn new(parent: &'d DirHandle) -> io::Result<WorkingDir<'d>> {
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

    pub(super) fn dir(&self) -> &DirHandle {
        &self.dir
    }

    /// Renames the folder to `target`, where nothing exists, or a folder that `is_replaceable` accepts, which is then
    /// removed. Changes nothing if something else exists there.
    pub(super) fn rename_to(&mut self, target: &str, is_replaceable: Option<&IsReplaceable<'_>>) -> io::Result<()> {
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

pub(super) fn remove_dir_if(dir: &DirHandle, name: &str, is_replaceable: &IsReplaceable<'_>) -> io::Result<()> {
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

/// Why [`make_folder`] made no folder. Nothing that existed has changed.
#[cfg(any(feature = "archive", feature = "author"))]
pub(super) enum MakeError {
    /// This exists already, and must not be replaced.
    Exists(FsPath),
    /// This folder exists already, and is not one that may be replaced.
    NotReplaceable(FsPath),
    /// The path goes through this symlink, which must not be followed.
    Symlink(FsPath),
    /// The operating system returned an error about this path.
    #[cfg_attr(
        not(feature = "author"),
        allow(dead_code, reason = "an archive is named by the folder that it is put into")
    )]
    Failed(FsPath, io::Error),
}

/// Makes the folder `name` in `into`, which is created if it does not exist, and returns its path and what `fill` returned.
/// `fill` gets the folder under a temporary name; it is renamed when it is complete, and then takes the place of a folder
/// that `is_replaceable` accepts.
#[cfg(any(feature = "archive", feature = "author"))]
pub(super) fn make_folder<T>(
    disk: &OsFs,
    into: &FsPath,
    name: &str,
    no_links_in: Option<&FsPath>,
    is_replaceable: Option<&IsReplaceable<'_>>,
    fill: impl Fn(&DirHandle) -> io::Result<T>,
) -> Result<(FsPath, T), MakeError> {
    let not_opened = |error| MakeError::Failed(into.clone(), error);
    let folder = into.child(name).map_err(|error| not_opened(io::Error::other(error)))?;
    let failed = |error| MakeError::Failed(folder.clone(), error);
    let target = single_name(name).map_err(failed)?;
    let root = open(disk, into, no_links_in, Some(FOLDER_MODE)).map_err(|error| match error {
        OpenError::Symlink(link) => MakeError::Symlink(link),
        OpenError::Failed(error) => not_opened(error),
    })?;
    let lock = root.lock_or_error().map_err(not_opened)?;
    remove_abandoned(&root, &lock);
    match (root.metadata(target).map_err(failed)?, is_replaceable) {
        (None, _) => {}
        (Some(existing), Some(is_replaceable)) if existing.kind == EntryKind::Folder => {
            if !root.open_dir(target).and_then(|existing| is_replaceable(&existing)).map_err(failed)? {
                return Err(MakeError::NotReplaceable(folder));
            }
        }
        (Some(_), _) => return Err(MakeError::Exists(folder)),
    }
    // Other processes may write while the temporary folder is filled.
    drop(lock);
    let done = WorkingDir::new(&root).and_then(|mut working| {
        let filled = fill(working.dir())?;
        working.rename_to(target, is_replaceable).map(|()| filled)
    });
    match done {
        Ok(filled) => Ok((folder, filled)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(MakeError::Exists(folder)),
        Err(error) => Err(failed(error)),
    }
}

/// Creates a file with these bytes below a folder, and the folders that its name contains.
pub(super) fn write_new_file(dir: &DirHandle, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut at: Option<DirHandle> = None;
    let (folders, file) = name.rsplit_once('/').unwrap_or(("", name));
    for folder in folders.split('/').filter(|_| !folders.is_empty()) {
        at = Some(at.as_ref().unwrap_or(dir).open_or_create_dir(single_name(folder)?, FOLDER_MODE)?);
    }
    at.as_ref().unwrap_or(dir).create_file(single_name(file)?, mode)?.write_all(bytes)
}

/// Checks that a name is a single path component on this system, and returns it.
pub(super) fn single_name(name: &str) -> io::Result<&str> {
    let is_path = matches!(name, "" | "." | "..") || name.contains(['/', '\0']);
    let is_windows_path = cfg!(windows) && name.contains(['\\', ':']);
    if is_path || is_windows_path {
        Err(io::Error::other(format!("`{name}` is not a file name on this system")))
    } else {
        Ok(name)
    }
}
