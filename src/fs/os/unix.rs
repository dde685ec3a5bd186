//! The disk through rustix: paths of the host, and names relative to an open directory. Only regular files are opened,
//! without blocking, and each is checked again once it is open. A path that is longer than the kernel accepts is opened
//! in pieces, with one descriptor open at a time.

mod bytes;
mod listing;
mod tree;

use listing::Listing;

use super::{Entry, FilePrefix, FsError, Metadata, stamp};
use crate::fs::FileKind;
use crate::path::FsPath;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::{Errno, retry_on_intr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// How much of a path is given to the kernel at once: below the smallest PATH_MAX, 1 024 on macOS.
const PIECE_BYTES: usize = 1_000;

/// What `read` and its like ask of an open: no waiting for a FIFO's other end, no terminal taken over.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// An open directory that is to be listed.
const LIST: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY);

/// An open directory that is only passed through; Linux asks no right to list it then.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASS: OFlags = OFlags::PATH.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PASS: OFlags = LIST;

pub(super) fn list(host: &Path, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
    let fd = open(CWD, host.as_os_str().as_bytes(), LIST).map_err(|errno| fault(errno, dir))?;
    listed(&fd, dir)
}

/// The entries of an open directory.
fn listed(fd: &OwnedFd, path: &FsPath) -> Result<Vec<Entry>, FsError> {
    let mut listing = Listing::new();
    listing.fill(fd.as_fd()).map_err(|errno| fault(errno, path))?;
    Ok(listing.into_entries())
}

pub(super) fn read(host: &Path, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    read_at(CWD, host.as_os_str().as_bytes(), at_most).map_err(|errno| fault(errno, file))
}

pub(super) fn read_listed(host: &Path, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    // What has become a link since it was listed is not followed.
    let opened = open(CWD, host.as_os_str().as_bytes(), READ | OFlags::NOFOLLOW);
    opened.and_then(|fd| bytes::read(fd, at_most, Vec::new())).map_err(|errno| fault(errno, file))
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
    /// Opens a directory to pass through, links followed. `path` is for errors.
    pub(super) fn open(host: &Path, path: &FsPath) -> Result<Dir, FsError> {
        Dir::open_as(PASS, host, path)
    }

    /// Opens a directory to be listed, links followed.
    pub(super) fn open_to_list(host: &Path, path: &FsPath) -> Result<Dir, FsError> {
        Dir::open_as(LIST, host, path)
    }

    fn open_as(flags: OFlags, host: &Path, path: &FsPath) -> Result<Dir, FsError> {
        let fd = open(CWD, host.as_os_str().as_bytes(), flags).map_err(|errno| fault(errno, path))?;
        Ok(Dir { fd })
    }

    /// Reads a file below, passing through no link at all: none when there is one, or a name that is no directory.
    pub(super) fn read_unlinked(&self, rel: &str, path: &FsPath, at_most: u64) -> Result<Option<FilePrefix>, FsError> {
        let Some(fd) = unlinked(self.open_unlinked(rel), path)? else { return Ok(None) };
        bytes::read(fd, at_most, Vec::new()).map(Some).map_err(|errno| fault(errno, path))
    }

    /// The directory below, to pass through: none when there is a link on the way, or a name that is no directory.
    pub(super) fn pass(&self, rel: &str, path: &FsPath) -> Result<Option<Dir>, FsError> {
        unlinked(self.open_dir(rel, PASS), path).map(|fd| fd.map(|fd| Dir { fd }))
    }

    /// The same, to be listed.
    pub(super) fn enter_below(&self, rel: &str, path: &FsPath) -> Result<Option<Dir>, FsError> {
        unlinked(self.open_dir(rel, LIST), path).map(|fd| fd.map(|fd| Dir { fd }))
    }

    /// The entries of the directory below: none as for [`Dir::pass`].
    pub(super) fn list_below(&self, rel: &str, path: &FsPath) -> Result<Option<Vec<Entry>>, FsError> {
        let Some(dir) = self.enter_below(rel, path)? else { return Ok(None) };
        listed(&dir.fd, path).map(Some)
    }

    /// What stands below; a link in the last place is not followed, and of unknown kind. None as for [`Dir::pass`].
    pub(super) fn look_below(&self, rel: &str, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let (dirs, name) = rel.rsplit_once('/').unwrap_or(("", rel));
        let Some(dir) = self.pass(dirs, path)? else { return Ok(None) };
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

    fn open_unlinked(&self, rel: &str) -> Result<OwnedFd, Errno> {
        let (dirs, name) = rel.rsplit_once('/').unwrap_or(("", rel));
        let held = if dirs.is_empty() { None } else { Some(self.open_dir(dirs, PASS)?) };
        let here = held.as_ref().unwrap_or(&self.fd).as_fd();
        match type_of(&stat(here, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW)?) {
            FileType::RegularFile => open(here, name.as_bytes(), READ | OFlags::NOFOLLOW),
            FileType::Symlink => Err(Errno::LOOP),
            _ => Err(Errno::ISDIR),
        }
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
        FileType::RegularFile => bytes::read(open(dir, rest, READ)?, at_most, Vec::new()),
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
    let len = if kind == FileKind::File { bytes::len_of(stat) } else { 0 };
    Metadata { kind, is_symlink: link, len, stamp: bytes::stamp_of(stat) }
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
