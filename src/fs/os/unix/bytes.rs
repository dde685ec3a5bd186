//! Reads the beginning of an open file, with its length and stamp. It reads until the kernel reports the end or enough
//! bytes are read, since some file systems report no lengths. Files in `/proc` are never read.

use super::{FilePrefix, stamp, type_of};
use crate::fs::Stamp;
use rustix::buffer::spare_capacity;
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Stat, fstat};
use rustix::io::{Errno, retry_on_intr};

/// The room taken at once, so that a length that lies costs nothing.
const ROOM_BYTES: usize = 262_144;

/// The room for a file that says it is empty.
const PROBE_BYTES: usize = 1_024;

/// Reads the head of an open file, after making sure that it is a regular one: `ISDIR` says that it is none.
/// The bytes are put into `room`.
pub(super) fn read(fd: OwnedFd, at_most: u64, room: Vec<u8>) -> Result<FilePrefix, Errno> {
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

pub(super) fn len_of(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

pub(super) fn stamp_of(stat: &Stat) -> Option<Stamp> {
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
