//! Makes a private copy of a skill's folder, which is run in place of the skill.
//!
//! The user approves contents, but the files of a project can be exchanged at any moment. So each file is read once, and
//! the bytes that are hashed are the bytes that are written to the copy and run. The copy is removed when it is dropped.
//! A copy that a killed process left behind is removed by a later run.

use super::dir_handle::single_name;
use super::error::HostError;
use super::mode_of;
use crate::discovery::world::{Places, World};
use crate::fs::{Fs, FsError, OsFs};
use crate::model::error::Error;
use crate::model::skill::Location;
use crate::package::contents::{Content, contents_of};
use crate::package::files::{Folder, OtherKind, Purpose};
use crate::package::trust::{ExpectedContents, FOLDER_CHANGED, void};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The environment variable in which a process that runs in a copy finds the path of the skill's own folder.
pub(super) const SKILL_DIR_VARIABLE: &str = "SKILLTREE_SKILL_DIR";

/// The beginning of the name of every copy. The process id and a random number follow.
const PREFIX: &str = "skilltree-run-";

/// How old a copy must be to be removed although a process of its id is running, as process ids are reused.
const ABANDONED_AFTER: Duration = Duration::from_secs(86_400);

/// How many entries of the folder for temporary files are searched for abandoned copies.
const MAX_SEARCHED: usize = 100_000;

/// A copy of a skill's folder that only the user can enter.
pub(super) struct PrivateCopy {
    /// The folder that contains only the copy.
    root: PathBuf,
    /// The name of the copy's folder in `root`.
    name: String,
    /// The SKILL.md in the copy, as a path of [`OsFs::new`].
    pub(super) skill: FsPath,
    source: OsString,
    _lock: Option<File>,
}

impl PrivateCopy {
    /// Copies the folder of a skill, and compares the copied contents with the expected ones.
    ///
    /// # Errors
    /// Returns [`Error::ApprovalVoid`] or [`Error::CopyDiffers`] if they differ, and [`HostError::NotCopied`] if no copy can be
    /// made.
    pub(super) fn of(disk: &OsFs, key: &str, expected: &ExpectedContents) -> Result<PrivateCopy, HostError> {
        let not_copied = |error: io::Error| HostError::NotCopied {
            key: visible(key).into_owned(),
            reason: visible(&error.to_string()).into_owned(),
        };
        let dir = expected.skill.parent().ok_or_else(|| Error::Fs(FsError::NotFound(expected.skill.clone())))?;
        let base = base();
        remove_abandoned(&base);
        let copy = PrivateCopy::empty(disk, &base, &dir, expected.skill.name()).map_err(not_copied)?;
        let different = |reason: &str| match expected.is_copy {
            false => Error::ApprovalVoid { key: visible(key).into_owned(), reason: void(reason) },
            true => Error::CopyDiffers {
                key: visible(key).into_owned(),
                copy: expected.skill.clone(),
                what: reason.to_owned(),
            },
        };
        let at = Location::now(disk, &expected.skill).map_err(Error::from)?;
        let folder = Folder::open(disk, &at, Purpose::Approve).map_err(Error::from)?;
        let folder = if expected.is_copy { folder.without_marker() } else { folder };
        let mut fault = None;
        let mut write = |name: &str, target: Option<&FsPath>, met: Content<'_>| {
            let inside = target.and_then(|target| target.relative_to(&at.dir));
            let host_path =
                || disk.host(&dir.join(name).map_err(|_| FsError::Escapes(dir.clone()))?).map(Cow::into_owned);
            copy.write(name, inside, met, &|| {
                let mode = fs::metadata(host_path()?).ok().as_ref().and_then(mode_of);
                Ok(mode.is_some_and(|mode| mode & 0o111 != 0))
            })
            .map_err(|error| {
                fault = Some(not_copied(error));
                // Any error ends the walk. This one is replaced by `fault` below.
                Error::Fs(FsError::NotFound(dir.clone()))
            })
        };
        let copied = folder.list().complete().and_then(|package| contents_of(&package, &mut write));
        match (fault, copied) {
            (Some(fault), _) => Err(fault),
            (None, Err(error)) => Err(different(&format!("it cannot be read completely: {error}")).into()),
            (None, Ok(copied)) if copied.digest() != expected.digest => Err(different(FOLDER_CHANGED).into()),
            (None, Ok(_)) => Ok(copy),
        }
    }

    /// Creates a private folder in `base`, and in it an empty folder with the name of `dir`.
    fn empty(disk: &OsFs, base: &Path, dir: &FsPath, skill_file: &str) -> io::Result<PrivateCopy> {
        let source = disk.for_programs(dir).map_err(io::Error::other)?.into_owned();
        // The root of a file system has no name.
        let name = if dir.name().is_empty() { "skill" } else { single_name(dir.name())? };
        let root = base.join(format!("{PREFIX}{}-{}", std::process::id(), random_hex()));
        let parsed = root.to_str().and_then(|root| OsFs::new().parse(root, &FsPath::root()));
        let parsed =
            parsed.ok_or_else(|| io::Error::other("the path of the folder for temporary files is not UTF-8"))?;
        let skill = parsed.join(&format!("{name}/{skill_file}")).map_err(io::Error::other)?;
        create_private_dir(&root)?;
        let copy = PrivateCopy { _lock: lock(&root), root, name: name.to_owned(), skill, source: source.into() };
        create_private_dir(&copy.dir())?;
        Ok(copy)
    }

    /// Copies the entry `name` of the skill's folder. `inside` is the target of a symlink that stays in the folder.
    fn write(
        &self,
        name: &str,
        inside: Option<&str>,
        content: Content<'_>,
        is_program: &dyn Fn() -> Result<bool, FsError>,
    ) -> io::Result<()> {
        let mut at = self.dir();
        for part in name.split('/') {
            at.push(single_name(part)?);
        }
        let link = inside.map(|inside| format!("{}{inside}", "../".repeat(name.matches('/').count())));
        let link = link.map(|link| if link.is_empty() { ".".to_owned() } else { link });
        match (content, link) {
            (Content::File(bytes), link) => match link {
                Some(link) if create_symlink(&link, &at)? => Ok(()),
                _ => create_private_file(&at, is_program().map_err(io::Error::other)?)?.write_all(bytes),
            },
            (Content::Other(OtherKind::Folder), _) => create_private_dir(&at),
            (Content::Other(OtherKind::LinkToFolder), Some(link)) => match create_symlink(&link, &at)? {
                true => Ok(()),
                false => Err(io::Error::other(format!(
                    "`{name}` is a symlink to a folder, which cannot be created \
                     here"
                ))),
            },
            // A broken symlink or a special file contains nothing that could be run.
            (Content::Other(_), _) => Ok(()),
        }
    }

    pub(super) fn dir(&self) -> PathBuf {
        self.root.join(&self.name)
    }

    /// Calls a function with a [`World`] in which the copy can be read.
    pub(super) fn with_world<T>(&self, call: impl FnOnce(&World<'_>) -> T) -> T {
        let places = Places::default();
        call(&World::new(&OsFs::new(), &places, &()))
    }

    /// Passes the path of the skill's own folder to a process, in [`SKILL_DIR_VARIABLE`].
    pub(super) fn set_source_variable(&self, command: &mut Command) {
        command.env(SKILL_DIR_VARIABLE, &self.source);
    }
}

impl Drop for PrivateCopy {
    fn drop(&mut self) {
        // A later run tries again if this fails.
        remove(&self.root);
    }
}

/// The folder in which copies are made. Runtimes look for packages and configuration in the folders above a file, so this
/// is the first candidate whose parent folders only the user can write to.
fn base() -> PathBuf {
    let temporary = std::env::temp_dir();
    if !is_shared(&temporary) {
        return temporary;
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|dir| dir.is_absolute() && dir.is_dir());
    let cache = cache.or_else(|| home.map(|home| home.join(".cache"))).map(|cache| cache.join("skilltree"));
    let is_private = |cache: &Path| cache.ancestors().find(|dir| dir.exists()).is_some_and(|dir| !is_shared(dir));
    let made = cache.filter(|cache| is_private(cache) && fs::create_dir_all(cache).is_ok() && is_private(cache));
    made.unwrap_or(temporary)
}

/// Whether a folder, or one above it, can be written to by every user of the machine. On systems other than Unix every user
/// has a separate folder for temporary files.
fn is_shared(dir: &Path) -> bool {
    let is_shared =
        |dir: &Path| dir.metadata().map_or(true, |found| mode_of(&found).is_some_and(|mode| mode & 0o002 != 0));
    cfg!(unix) && dir.canonicalize().map_or(true, |real| real.ancestors().any(is_shared))
}

/// Creates a folder that only the user can enter.
pub(super) fn create_private_dir(at: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(at)
}

/// Creates a file that only the user can read.
pub(super) fn create_private_file(at: &Path, is_program: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_program { 0o700 } else { 0o600 });
    #[cfg(not(unix))]
    let _ = is_program;
    options.open(at)
}

/// Creates a symlink. Returns false on systems where not every user can create one.
#[cfg(unix)]
fn create_symlink(target: &str, at: &Path) -> io::Result<bool> {
    std::os::unix::fs::symlink(target, at).map(|()| true)
}

#[cfg(not(unix))]
fn create_symlink(_: &str, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// A random number that is hard to guess. It is made from the random keys that std gives to hash maps.
pub(super) fn random_hex() -> String {
    let number = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", number(), number())
}

/// Removes a copy, including folders that a script has made read-only.
fn remove(root: &Path) {
    if fs::remove_dir_all(root).is_err() {
        #[cfg(unix)]
        make_writable(root);
        let _ = fs::remove_dir_all(root);
    }
}

#[cfg(unix)]
fn make_writable(root: &Path) {
    let mut waiting = vec![root.to_owned()];
    while let Some(dir) = waiting.pop() {
        let _ = fs::set_permissions(&dir, std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
        // This is the type of the entry itself: symlinks are not followed.
        waiting.extend(entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|it| it.path()));
    }
}

/// Removes the copies of processes that were killed, and nothing else.
fn remove_abandoned(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    for entry in entries.flatten().take(MAX_SEARCHED) {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-')?.0.parse().ok());
        // This is the type of the entry itself: a symlink is not a folder.
        let (Some(pid), true) = (pid, entry.file_type().is_ok_and(|kind| kind.is_dir())) else { continue };
        let age = || entry.metadata().and_then(|metadata| metadata.modified()).ok()?.elapsed().ok();
        if is_unused(&entry, pid, || age().is_some_and(|age| ABANDONED_AFTER < age)) {
            remove(&entry.path());
        }
    }
}

/// Whether no process of the current user uses a copy that the process `pid` has made. A copy in use is locked: its process
/// may have another id here if it runs in another container.
#[cfg(unix)]
fn is_unused(copy: &DirEntry, pid: i32, is_old: impl Fn() -> bool) -> bool {
    use rustix::process::{Pid, geteuid, test_kill_process};
    use std::os::unix::fs::MetadataExt;
    let is_own = copy.metadata().is_ok_and(|metadata| metadata.uid() == geteuid().as_raw());
    let is_running = || Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH));
    is_own && (!is_running() || is_old()) && lock(&copy.path()).is_some()
}

#[cfg(not(unix))]
fn is_unused(_: &DirEntry, _: i32, is_old: impl Fn() -> bool) -> bool {
    is_old()
}

/// Locks a folder for as long as the returned file is open. Returns `None` if that is not possible.
#[cfg(unix)]
fn lock(dir: &Path) -> Option<File> {
    use rustix::fs::{FlockOperation, flock};
    let folder = File::open(dir).ok()?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive).ok().map(|()| folder)
}

#[cfg(not(unix))]
fn lock(_: &Path) -> Option<File> {
    None
}
