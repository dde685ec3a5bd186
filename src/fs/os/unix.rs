//! The disk through rustix: paths of the host, and names relative to an open directory. Only regular files are opened,
//! without blocking, and each is checked again once it is open. A path that is longer than the kernel accepts is opened
//! in pieces, with one descriptor open at a time.

mod tree;

use super::{OsFs, stamp};
use crate::fs::{
    Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Stamp, Visit, VisitOutcome, Walk, found, spelled_by, walk,
};
use crate::path::FsPath;
use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::{Errno, retry_on_intr};
use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// How much of a path is given to the kernel at once: below the smallest PATH_MAX, 1 024 on macOS.
const PIECE_BYTES: usize = 1_000;

/// What `read` and its like ask of an open: no waiting for a FIFO's other end, no terminal taken over.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

pub(super) const LIST: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY);

/// An open directory that is only passed through; Linux asks no right to list it then.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) const PASS: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) const PASS: OFlags = LIST;

pub(super) fn list(host: &Path, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
    Dir::open(host, dir, LIST)?.list(dir)
}

pub(super) fn read(host: &Path, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    read_at(CWD, host.as_os_str().as_bytes(), at_most).map_err(|errno| fault(errno, file))
}

pub(super) fn read_listed(host: &Path, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    // What has become a link since it was listed is not followed.
    let opened = open(CWD, host.as_os_str().as_bytes(), READ | OFlags::NOFOLLOW);
    opened.and_then(|fd| read_open(fd, at_most, Vec::new())).map_err(|errno| fault(errno, file))
}

pub(super) fn metadata(host: &Path, path: &FsPath) -> Result<Metadata, FsError> {
    let (dir, rest) = reach(CWD, host.as_os_str().as_bytes()).map_err(|errno| fault(errno, path))?;
    let dir = dir.as_ref().map_or(CWD, AsFd::as_fd);
    let own = stat(dir, rest, AtFlags::SYMLINK_NOFOLLOW).map_err(|errno| fault(errno, path))?;
    if type_of(&own) != FileType::Symlink {
        return Ok(look_of(&own, false));
    }
    let missing = Metadata { kind: FileKind::Broken, is_symlink: true, len: 0, stamp: None };
    Ok(stat(dir, rest, AtFlags::empty()).map_or(missing, |real| look_of(&real, true)))
}

pub(super) fn canonical(host: &Path, path: &FsPath) -> Result<PathBuf, FsError> {
    std::fs::canonicalize(host).map_err(|error| match Errno::from_io_error(&error) {
        Some(errno) => fault(errno, path),
        None => FsError::Other { path: path.clone(), message: error.to_string() },
    })
}

/// An open directory, and what is read below it.
pub(super) struct Dir {
    fd: OwnedFd,
}

impl Dir {
    /// Opens a directory, links followed. `path` is for errors.
    pub(super) fn open(host: &Path, path: &FsPath, flags: OFlags) -> Result<Dir, FsError> {
        let fd = open(CWD, host.as_os_str().as_bytes(), flags).map_err(|errno| fault(errno, path))?;
        Ok(Dir { fd })
    }

    fn list(&self, path: &FsPath) -> Result<Vec<Entry>, FsError> {
        let mut listing = Listing::default();
        listing.fill(self.fd.as_fd()).map_err(|errno| fault(errno, path))?;
        listing.entries.truncate(listing.used);
        Ok(listing.entries)
    }

    /// Reads a file below, passing through no link at all: none when there is one, or a name that is no directory.
    pub(super) fn read_unlinked(&self, rel: &str, path: &FsPath, at_most: u64) -> Result<Option<FilePrefix>, FsError> {
        let open_file = || {
            let (dirs, name) = rel.rsplit_once('/').unwrap_or(("", rel));
            let held = if dirs.is_empty() { None } else { Some(self.open_dir(dirs, PASS)?) };
            let here = held.as_ref().unwrap_or(&self.fd).as_fd();
            match type_of(&stat(here, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW)?) {
                FileType::RegularFile => open(here, name.as_bytes(), READ | OFlags::NOFOLLOW),
                FileType::Symlink => Err(Errno::LOOP),
                _ => Err(Errno::ISDIR),
            }
        };
        let Some(fd) = unlinked(open_file(), path)? else { return Ok(None) };
        read_open(fd, at_most, Vec::new()).map(Some).map_err(|errno| fault(errno, path))
    }

    /// The directory below: none when there is a link on the way, or a name that is no directory.
    fn below(&self, rel: &str, path: &FsPath, flags: OFlags) -> Result<Option<Dir>, FsError> {
        unlinked(self.open_dir(rel, flags), path).map(|fd| fd.map(|fd| Dir { fd }))
    }

    /// What stands below; a link in the last place is not followed, and of unknown kind. None as for [`Dir::below`].
    fn look_below(&self, rel: &str, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let (dirs, name) = rel.rsplit_once('/').unwrap_or(("", rel));
        let Some(dir) = self.below(dirs, path, PASS)? else { return Ok(None) };
        let own = stat(dir.fd.as_fd(), name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW);
        let own = own.map_err(|errno| fault(errno, path))?;
        Ok(Some(match type_of(&own) {
            FileType::Symlink => Metadata { kind: FileKind::Broken, is_symlink: true, len: 0, stamp: None },
            _ => look_of(&own, false),
        }))
    }

    /// Opens a directory below, each one on the way from the one above it and through no link.
    fn open_dir(&self, rel: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let mut held: Option<OwnedFd> = None;
        let (dirs, name) = rel.rsplit_once('/').unwrap_or(("", rel));
        for dir in dirs.split('/').filter(|dir| !dir.is_empty()) {
            let here = held.as_ref().unwrap_or(&self.fd);
            held = Some(open(here.as_fd(), dir.as_bytes(), PASS | OFlags::NOFOLLOW)?);
        }
        open(held.as_ref().unwrap_or(&self.fd).as_fd(), name.as_bytes(), flags | OFlags::NOFOLLOW)
    }
}

/// None where a link, or a name that is no directory, was in the way.
fn unlinked(opened: Result<OwnedFd, Errno>, path: &FsPath) -> Result<Option<OwnedFd>, FsError> {
    match opened {
        Ok(fd) => Ok(Some(fd)),
        Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => Ok(None),
        Err(errno) => Err(fault(errno, path)),
    }
}

/// Reads a regular file, links followed. It is looked at first: to open a device can have effects.
fn read_at(dir: BorrowedFd<'_>, name: &[u8], at_most: u64) -> Result<FilePrefix, Errno> {
    let (near, rest) = reach(dir, name)?;
    let dir = near.as_ref().map_or(dir, AsFd::as_fd);
    match type_of(&stat(dir, rest, AtFlags::empty())?) {
        FileType::RegularFile => read_open(open(dir, rest, READ)?, at_most, Vec::new()),
        _ => Err(Errno::ISDIR),
    }
}

/// Opens what lies at `path`, from `dir` unless it is absolute; `dir` itself for no path.
fn open(dir: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let (near, rest) = reach(dir, path)?;
    let dir = near.as_ref().map_or(dir, AsFd::as_fd);
    retry_on_intr(|| openat(dir, rest, flags, Mode::empty()))
}

/// Goes along `path` until the rest is short enough for the kernel: the directory got to, if any, and the rest.
fn reach<'p>(dir: BorrowedFd<'_>, path: &'p [u8]) -> Result<(Option<OwnedFd>, &'p [u8]), Errno> {
    let mut near: Option<OwnedFd> = None;
    let mut rest = path;
    while rest.len() > PIECE_BYTES {
        let slash = rest.iter().take(PIECE_BYTES).rposition(|byte| *byte == b'/').filter(|at| *at > 0);
        let Some((piece, after)) = slash.and_then(|at| rest.split_at_checked(at)) else { break };
        let here = near.as_ref().map_or(dir, AsFd::as_fd);
        near = Some(retry_on_intr(|| openat(here, piece, PASS, Mode::empty()))?);
        rest = after.strip_prefix(b"/").unwrap_or(after);
    }
    Ok((near, if rest.is_empty() { b"." } else { rest }))
}

fn stat(dir: BorrowedFd<'_>, name: &[u8], flags: AtFlags) -> Result<Stat, Errno> {
    let name = if name.is_empty() { b"." } else { name };
    retry_on_intr(|| statat(dir, name, flags))
}

fn type_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

fn kind_of(own: FileType) -> FileKind {
    match own {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Dir,
        _ => FileKind::Other,
    }
}

fn look_of(stat: &Stat, link: bool) -> Metadata {
    let kind = kind_of(type_of(stat));
    let len = if kind == FileKind::File { len_of(stat) } else { 0 };
    Metadata { kind, is_symlink: link, len, stamp: stamp_of(stat) }
}

fn fault(errno: Errno, path: &FsPath) -> FsError {
    let path = path.clone();
    match errno {
        // A name longer than any name can be is not there.
        Errno::NOENT | Errno::NAMETOOLONG => FsError::NotFound(path),
        Errno::ACCESS | Errno::PERM => FsError::Denied(path),
        Errno::LOOP | Errno::MLINK => FsError::SymlinkLoop(path),
        Errno::NOTDIR => FsError::NotADirectory(path),
        Errno::ISDIR => FsError::NotAFile(path),
        errno => FsError::Other { path, message: std::io::Error::from(errno).to_string() },
    }
}

/// A view of one folder of the disk through its open descriptor. Every folder between it and a file is opened from the
/// one above and never through a link, so that nothing outside is read, whatever is exchanged meanwhile.
pub(super) struct Confined<'f> {
    fs: &'f OsFs,
    dir: Dir,
    root: FsPath,
}

impl<'f> Confined<'f> {
    /// Opens the folder at a real path. A link anywhere on the way is refused.
    pub(super) fn open(fs: &'f OsFs, root: &FsPath) -> Result<Confined<'f>, FsError> {
        let top = Dir::open(&fs.host(&FsPath::root())?, root, PASS)?;
        let rest = root.as_str().trim_start_matches('/');
        let dir = top.below(rest, root, PASS)?.ok_or_else(|| FsError::Escapes(root.clone()))?;
        Ok(Confined { fs, dir, root: root.clone() })
    }

    /// Asks by the path below the folder; where a link is on the way, by where it leads within the folder.
    fn ask<T>(&self, path: &FsPath, ask: impl Fn(&Dir, &str) -> Result<Option<T>, FsError>) -> Result<T, FsError> {
        let escapes = || FsError::Escapes(path.clone());
        if let Some(answer) = ask(&self.dir, path.relative_to(&self.root).ok_or_else(escapes)?)? {
            return Ok(answer);
        }
        // The names come from the file system as it is now, the answer from the folder that is held.
        let real = self.canonical(path)?;
        // No link is on the way that the real path names, or it has just been put there.
        let answer = ask(&self.dir, real.relative_to(&self.root).ok_or_else(escapes)?)?;
        answer.ok_or_else(|| FsError::NotADirectory(path.clone()))
    }
}

impl Fs for Confined<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.ask(dir, |held, rest| held.below(rest, dir, LIST)?.map(|held| held.list(dir)).transpose())
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.ask(file, |held, rest| held.read_unlinked(rest, file, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let looked = match path.parent().filter(|_| *path != self.root) {
            None => self.ask(path, |held, rest| held.look_below(rest, path)),
            Some(parent) => {
                let parent = self.ask(&parent, |held, rest| held.below(rest, path, PASS));
                parent.and_then(|parent| parent.look_below(path.name(), path)?.ok_or(FsError::NotFound(path.clone())))
            }
        };
        let looked = found(looked)?;
        if looked.is_none_or(|metadata| !metadata.is_symlink) {
            return Ok(looked);
        }
        match self.ask(path, |held, rest| {
            held.look_below(rest, path).map(|metadata| metadata.filter(|metadata| !metadata.is_symlink))
        }) {
            Ok(metadata) => Ok(Some(Metadata { is_symlink: true, ..metadata })),
            Err(error @ FsError::Escapes(_)) => Err(error),
            Err(_) => Ok(looked),
        }
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real = if path.starts_with(&self.root) { self.fs.canonical(path)? } else { path.clone() };
        if real.starts_with(&self.root) { Ok(real) } else { Err(FsError::Escapes(path.clone())) }
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        let escapes = || FsError::Escapes(root.clone());
        let dir = self.dir.below(root.relative_to(&self.root).ok_or_else(escapes)?, root, PASS)?.ok_or_else(escapes)?;
        Ok(Box::new(Confined { fs: self.fs, dir, root: root.clone() }))
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        match self.ask(ask.root, |held, rest| held.below(rest, ask.root, LIST)) {
            Ok(dir) => dir.walk(ask, &|| self.fs.threads(), out),
            Err(error) => walk::visits(ask, out, |_, _, _| VisitOutcome::Failed(error.clone())),
        }
    }

    spelled_by!(fs);
}

/// The room taken at once, so that a length that lies costs nothing.
const ROOM_BYTES: usize = 262_144;

/// The room for a file that says it is empty.
const PROBE_BYTES: usize = 1_024;

/// Reads the head of an open file into `room`, after making sure that it is a regular one: `ISDIR` says that it is none. It
/// reads until the kernel reports the end or enough bytes are read, since some file systems report no lengths.
fn read_open(fd: OwnedFd, at_most: u64, room: Vec<u8>) -> Result<FilePrefix, Errno> {
    let stat = fstat(&fd)?;
    if type_of(&stat) != FileType::RegularFile {
        return Err(Errno::ISDIR);
    }
    let said = len_of(&stat);
    if said == 0 && is_of_processes(&fd) {
        return Err(Errno::ISDIR);
    }
    let goal = if said == 0 { at_most } else { said.min(at_most) };
    let goal = usize::try_from(goal).unwrap_or(usize::MAX);
    let (bytes, ended) = fill(&fd, goal, said == 0, room)?;
    let got = bytes.len() as u64;
    let len = if ended || said < got { got } else { said };
    Ok(FilePrefix { bytes, len, stamp: stamp_of(&stat) })
}

/// Whether a file that says it is empty is one of `/proc`, wherever that is mounted: those are regular files by name
/// only, and show what processes keep to themselves, such as their environment.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_of_processes(fd: &OwnedFd) -> bool {
    rustix::fs::fstatfs(fd).is_ok_and(|system| system.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_of_processes(_: &OwnedFd) -> bool {
    false
}

/// Reads `goal` bytes, or all there are; says whether the file ended before.
fn fill(fd: &OwnedFd, goal: usize, probe: bool, mut bytes: Vec<u8>) -> Result<(Vec<u8>, bool), Errno> {
    let first = if probe { PROBE_BYTES } else { ROOM_BYTES };
    bytes.clear();
    while bytes.len() < goal {
        if bytes.len() == bytes.capacity() {
            let more = (goal - bytes.len()).min(bytes.len().max(first));
            bytes.try_reserve_exact(more).map_err(|_| Errno::NOMEM)?;
        }
        if retry_on_intr(|| rustix::io::read(fd, spare_capacity(&mut bytes)))? == 0 {
            return Ok((bytes, true));
        }
    }
    bytes.truncate(goal);
    Ok((bytes, false))
}

fn len_of(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

fn stamp_of(stat: &Stat) -> Option<Stamp> {
    #[cfg(not(target_os = "netbsd"))]
    let parts = (stat.st_mtime_nsec, stat.st_ctime_nsec);
    #[cfg(target_os = "netbsd")]
    let parts = (stat.st_mtimensec, stat.st_ctimensec);
    let modified = nanos(stat.st_mtime, parts.0);
    let changed = nanos(stat.st_ctime, parts.1);
    stamp(modified, changed, len_of(stat), [stat.st_ino.into(), stat.st_dev.into()])
}

/// The fields have another type on every system.
fn nanos(seconds: impl Into<i128>, part: impl Into<i128>) -> i128 {
    seconds.into() * 1_000_000_000 + part.into()
}

/// Lists open directories one after another, sorted, with what their symlinks point to. They share the room that it takes. An
/// entry whose kind the directory itself records costs no system call.
#[derive(Default)]
struct Listing {
    /// Those behind the first `used` are of directories before: their names are room for others.
    entries: Vec<Entry>,
    used: usize,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    room: Vec<u8>,
}

impl Listing {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn fill(&mut self, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        // As much as readdir asks for at once.
        const ROOM_BYTES: usize = 32_768;
        self.used = 0;
        let mut room = std::mem::take(&mut self.room);
        room.reserve_exact(ROOM_BYTES);
        let mut raw = rustix::fs::RawDir::new(dir, room.spare_capacity_mut());
        let mut outcome = Ok(());
        while let Some(found) = raw.next() {
            match found {
                Ok(found) => self.add(dir, found.file_name().to_bytes(), found.file_type()),
                Err(Errno::INTR) => {}
                Err(errno) => {
                    outcome = Err(errno);
                    break;
                }
            }
        }
        self.room = room;
        self.sort();
        outcome
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn fill(&mut self, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        self.used = 0;
        for found in rustix::fs::Dir::read_from(dir)? {
            let found = found?;
            self.add(dir, found.file_name().to_bytes(), found.file_type());
        }
        self.sort();
        Ok(())
    }

    fn entries(&self) -> &[Entry] {
        self.entries.get(..self.used).unwrap_or_default()
    }

    fn sort(&mut self) {
        let entries = self.entries.get_mut(..self.used).unwrap_or_default();
        entries.sort_unstable_by(|a, b| (&a.name, a.is_lossy, a.kind).cmp(&(&b.name, b.is_lossy, b.kind)));
    }

    /// Adds what a directory says of a name. Asks further only at links, and where the directory does not know.
    fn add(&mut self, dir: BorrowedFd<'_>, name: &[u8], listed: FileType) {
        if matches!(name, b"." | b"..") {
            return;
        }
        let own = match listed {
            FileType::Unknown => {
                stat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map_or(FileType::Unknown, |own| type_of(&own))
            }
            known => known,
        };
        let link = own == FileType::Symlink;
        let kind = match own {
            FileType::Symlink => {
                stat(dir, name, AtFlags::empty()).map_or(FileKind::Broken, |real| kind_of(type_of(&real)))
            }
            FileType::Unknown => FileKind::Broken,
            own => kind_of(own),
        };
        let (name, lossy) = match std::str::from_utf8(name) {
            Ok(name) => (Cow::Borrowed(name), false),
            Err(_) => (String::from_utf8_lossy(name), true),
        };
        match self.entries.get_mut(self.used) {
            Some(entry) => {
                entry.name.clear();
                entry.name.push_str(&name);
                (entry.kind, entry.is_symlink, entry.is_lossy) = (kind, link, lossy);
            }
            None => self.entries.push(Entry { name: name.into_owned(), kind, is_symlink: link, is_lossy: lossy }),
        }
        self.used += 1;
    }
}
