//! Makes a private copy of a skill's folder, to be run in its place. An approval is of bytes, and the files of a project
//! can be exchanged at any moment: so each file is read once, and what is hashed is what is written to the copy and run.
//! The copy is removed when it is dropped; one that a killed process left behind is removed by a later run.

use super::dir_handle::single_name;
use super::error::HostError;
use crate::fs::{Fs, FsError, OsFs};
use crate::model::error::Error;
use crate::model::skill::Location;
use crate::model::world::{Places, World};
use crate::package::activate::MARKER;
use crate::package::inventory::{ContentScope, Met, OtherKind, Package, Purpose, contents_to};
use crate::package::trust::{ExpectedContents, FOLDER_CHANGED, void};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The environment variable that names the skill's own folder to what runs in a copy of it.
pub(super) const SKILL_DIR_VARIABLE: &str = "SKILLTREE_SKILL_DIR";

/// What the name of every copy begins with; the id of its process and a random number follow.
const PREFIX: &str = "skilltree-run-";

/// How old a copy must be to be removed where its process cannot be asked after: ids of processes are used again.
const ABANDONED_AFTER: Duration = Duration::from_secs(86_400);

/// How many entries of a folder for temporary files are looked at.
const MAX_SWEPT: usize = 100_000;

/// A copy of a skill's folder, which nobody else can enter.
pub(super) struct PrivateCopy {
    /// Holds the copy alone.
    root: PathBuf,
    /// The SKILL.md in the copy.
    skill: FsPath,
    /// The folder that it was made of.
    source: OsString,
    /// Held as long as the copy is in use.
    _lock: Option<File>,
}

impl PrivateCopy {
    /// Copies the folder of a skill, and compares what was copied with what is pinned.
    ///
    /// # Errors
    /// [`Error::Void`] and [`Error::CopyDiffers`] where it is not the same; [`HostError::NotCopied`] where no copy
    /// can be made.
    pub(super) fn of(disk: &OsFs, key: &str, pinned: &ExpectedContents) -> Result<PrivateCopy, HostError> {
        let not_copied = |error: io::Error| HostError::NotCopied {
            key: visible(key).into_owned(),
            reason: visible(&error.to_string()).into_owned(),
        };
        let dir = pinned.skill.parent().unwrap_or_else(FsPath::root);
        let base = base();
        sweep(&base);
        let copy = PrivateCopy::empty(disk, &base, &pinned.skill).map_err(not_copied)?;
        let different = |reason: &str| match pinned.is_copy {
            false => Error::Void { key: visible(key).into_owned(), reason: void(reason) },
            true => Error::CopyDiffers {
                key: visible(key).into_owned(),
                copy: pinned.skill.clone(),
                what: reason.to_owned(),
            },
        };
        let places = Places::default();
        let world = World::new(disk, &places, &());
        let at = Location::now(disk, &pinned.skill).map_err(Error::from)?;
        let package = Package::open(&world, &at, Purpose::Approve).map_err(Error::from)?;
        let mut fault = None;
        let without = pinned.is_copy.then_some(MARKER);
        let copied = contents_to(&package, ContentScope::Folder, without, &mut |(name, target), met| {
            let inside = target.and_then(|target| target.below(&at.dir));
            let is_program = || disk.host(&dir.join(name).ok()?).ok().map(|host| is_program(&host));
            copy.put(name, inside, met, &|| is_program().unwrap_or(false)).map_err(|error| {
                fault = Some(not_copied(error));
                Error::Fs(FsError::NotFound(dir.clone()))
            })
        });
        match (fault, copied) {
            (Some(fault), _) => Err(fault),
            (None, Err(error)) => Err(different(&format!("it cannot be read completely: {error}")).into()),
            (None, Ok(copied)) if copied.digest() != pinned.digest => Err(different(FOLDER_CHANGED).into()),
            (None, Ok(_)) => Ok(copy),
        }
    }

    /// A new folder in `base` that no one else may enter, and in it one with the name of the skill's own.
    fn empty(disk: &OsFs, base: &Path, skill: &FsPath) -> io::Result<PrivateCopy> {
        let dir = skill.parent().unwrap_or_else(FsPath::root);
        let source = disk.host(&dir).map_err(io::Error::other)?.into_owned();
        let root = base.join(format!("{PREFIX}{}-{}", std::process::id(), unguessable()));
        private_dir(&root)?;
        // From here on it is removed, whatever happens.
        let mut copy = PrivateCopy { _lock: lock(&root), root, skill: FsPath::root(), source: source.into() };
        let root = copy.root.to_str().and_then(|root| OsFs::new().parse(root, &FsPath::root()));
        let root = root.ok_or_else(|| io::Error::other("the path of the folder for temporary files is not UTF-8"))?;
        let name = if dir.name().is_empty() { "skill" } else { dir.name() };
        copy.skill = root.join(&format!("{name}/{}", skill.name())).map_err(io::Error::other)?;
        private_dir(&copy.root.join(single_name(name)?))?;
        Ok(copy)
    }

    /// Writes what stands in the skill's folder under a name. `inside` is where a link leads within the folder.
    fn put(&self, name: &str, inside: Option<&str>, met: Met<'_>, is_program: &dyn Fn() -> bool) -> io::Result<()> {
        let mut at = self.folder()?;
        for part in name.split('/') {
            at.push(single_name(part)?);
        }
        let link = inside.map(|inside| format!("{}{inside}", "../".repeat(name.matches('/').count())));
        let link = link.map(|link| if link.is_empty() { ".".to_owned() } else { link });
        match (met, link) {
            (Met::File(bytes), link) => match link {
                Some(link) if linked(&link, &at)? => Ok(()),
                _ => private_file(&at, is_program())?.write_all(bytes),
            },
            (Met::Other(OtherKind::Folder), _) => private_dir(&at),
            (Met::Other(OtherKind::LinkToFolder), Some(link)) => match linked(&link, &at)? {
                true => Ok(()),
                false => Err(io::Error::other(format!(
                    "`{name}` is a symlink to a folder, which cannot be created \
                     here"
                ))),
            },
            // What leads nowhere and what is no file holds nothing that could be run.
            (Met::Other(_), _) => Ok(()),
        }
    }

    fn folder(&self) -> io::Result<PathBuf> {
        let dir = self.skill.parent().unwrap_or_else(FsPath::root);
        Ok(self.root.join(single_name(dir.name())?))
    }

    /// The SKILL.md in the copy, by the paths of [`OsFs::new`].
    #[cfg(any(feature = "scripts", feature = "toolsets"))]
    pub(super) fn skill(&self) -> &FsPath {
        &self.skill
    }

    /// The folder of the copy.
    #[cfg(feature = "forks")]
    pub(super) fn dir(&self) -> Result<PathBuf, HostError> {
        let host = |dir: FsPath| Ok(OsFs::new().host(&dir).map_err(Error::from)?.into_owned());
        self.skill.parent().map_or_else(|| Ok(self.root.clone()), host)
    }

    /// Asks about the copy.
    #[cfg(any(feature = "scripts", feature = "toolsets"))]
    pub(super) fn ask<T>(&self, ask: impl FnOnce(&World<'_>) -> T) -> T {
        let places = Places::default();
        ask(&World::new(&OsFs::new(), &places, &()))
    }

    /// Tells a process where the skill's own folder is.
    pub(super) fn name_source(&self, command: &mut Command) {
        command.env(SKILL_DIR_VARIABLE, &self.source);
    }
}

impl Drop for PrivateCopy {
    fn drop(&mut self) {
        // What cannot be removed now is tried again by a later run.
        remove(&self.root);
    }
}

/// Where copies lie. Runtimes look for packages and settings in the folders above a file, so the first folder counts
/// whose folders above only the user can write to.
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

/// Whether a folder, or one above it, can be written to by every user of the machine.
#[cfg(unix)]
fn is_shared(dir: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let Ok(real) = dir.canonicalize() else { return true };
    real.ancestors().any(|dir| dir.metadata().map_or(true, |metadata| metadata.permissions().mode() & 0o002 != 0))
}

/// Elsewhere every user has folders of his own.
#[cfg(not(unix))]
fn is_shared(_: &Path) -> bool {
    false
}

pub(super) fn private_dir(at: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(at)
}

pub(super) fn private_file(at: &Path, is_program: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_program { 0o700 } else { 0o600 });
    #[cfg(not(unix))]
    let _ = is_program;
    options.open(at)
}

/// Whether anybody may execute a file.
#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(_: &Path) -> bool {
    false
}

/// Makes a link; false where the system has none that every user can make.
#[cfg(unix)]
fn linked(target: &str, at: &Path) -> io::Result<bool> {
    std::os::unix::fs::symlink(target, at).map(|()| true)
}

#[cfg(not(unix))]
fn linked(_: &str, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Hard to guess: from the keys that the system gives each hash map.
pub(super) fn unguessable() -> String {
    let number = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", number(), number())
}

/// Removes a copy, folders among it that a script has made read-only.
fn remove(root: &Path) {
    if fs::remove_dir_all(root).is_err() {
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
        // The type of the entry itself: links are not followed.
        waiting.extend(entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|it| it.path()));
    }
}

#[cfg(not(unix))]
fn make_writable(_: &Path) {}

/// Removes the copies that processes left behind when they were killed, and nothing else.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    for entry in entries.flatten().take(MAX_SWEPT) {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-')?.0.parse().ok());
        // The type of the entry itself: a link is no folder.
        let (Some(pid), true) = (pid, entry.file_type().is_ok_and(|kind| kind.is_dir())) else { continue };
        if !is_own(&entry) {
            continue;
        }
        let age = || entry.metadata().and_then(|metadata| metadata.modified()).ok()?.elapsed().ok();
        let is_left = !is_running(pid) || age().is_some_and(|age| ABANDONED_AFTER < age);
        // One that is in use is locked, also by a process that another container knows by another id.
        if is_left && is_unlocked(&entry.path()) {
            remove(&entry.path());
        }
    }
}

/// Whether a folder belongs to the user, as every copy of his does.
#[cfg(unix)]
fn is_own(entry: &DirEntry) -> bool {
    use std::os::unix::fs::MetadataExt;
    entry.metadata().is_ok_and(|metadata| metadata.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own(_: &DirEntry) -> bool {
    true
}

#[cfg(unix)]
fn is_running(pid: i32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_running(_: i32) -> bool {
    true
}

/// Locks a folder for as long as the answer is kept; none where that is not possible.
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

#[cfg(unix)]
fn is_unlocked(dir: &Path) -> bool {
    lock(dir).is_some()
}

#[cfg(not(unix))]
fn is_unlocked(_: &Path) -> bool {
    true
}
