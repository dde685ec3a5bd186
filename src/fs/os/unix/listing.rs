//! In: open directories, one after another. Out: their entries, sorted, with what links lead to. One buffer serves all.
//! Absent: opening, and any call for an entry whose kind the directory itself knows.

use super::{kind_of, stat, type_of};
use crate::fs::{Entry, Kind};
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

/// The entries of one directory after another, and the room that listing them takes.
pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    room: Vec<u8>,
}

impl Listing {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn new() -> Listing {
        // As much as readdir asks for at once.
        const ROOM_BYTES: usize = 32_768;
        Listing { entries: Vec::new(), room: Vec::with_capacity(ROOM_BYTES) }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn new() -> Listing {
        Listing { entries: Vec::new() }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn fill(&mut self, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        self.entries.clear();
        let mut raw = rustix::fs::RawDir::new(dir, self.room.spare_capacity_mut());
        while let Some(found) = raw.next() {
            match found {
                Ok(found) => add(&mut self.entries, dir, found.file_name().to_bytes(), found.file_type()),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        self.sort();
        Ok(())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn fill(&mut self, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        self.entries.clear();
        for found in rustix::fs::Dir::read_from(dir)? {
            let found = found?;
            add(&mut self.entries, dir, found.file_name().to_bytes(), found.file_type());
        }
        self.sort();
        Ok(())
    }

    fn sort(&mut self) {
        self.entries.sort_unstable_by(|a, b| (&a.name, a.lossy, a.kind).cmp(&(&b.name, b.lossy, b.kind)));
    }
}

/// Adds what a directory says of a name. Asks further only at links, and where the directory does not know.
fn add(entries: &mut Vec<Entry>, dir: BorrowedFd<'_>, name: &[u8], listed: FileType) {
    if matches!(name, b"." | b"..") {
        return;
    }
    let own = match listed {
        FileType::Unknown => stat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map_or(FileType::Unknown, |own| type_of(&own)),
        known => known,
    };
    let link = own == FileType::Symlink;
    let kind = match own {
        FileType::Symlink => stat(dir, name, AtFlags::empty()).map_or(Kind::Missing, |real| kind_of(type_of(&real))),
        FileType::Unknown => Kind::Missing,
        own => kind_of(own),
    };
    let (name, lossy) = match std::str::from_utf8(name) {
        Ok(name) => (name.to_owned(), false),
        Err(_) => (String::from_utf8_lossy(name).into_owned(), true),
    };
    entries.push(Entry { name, kind, link, lossy });
}
