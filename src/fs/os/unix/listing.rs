//! Lists open directories one after another, sorted, with what their symlinks point to. They share one buffer. An entry
//! whose kind the directory itself records costs no system call.

use super::{kind_of, stat, type_of};
use crate::fs::{Entry, FileKind};
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;
use std::borrow::Cow;

/// The entries of one directory after another, and the room that listing them takes.
pub(super) struct Listing {
    /// Those behind the first `used` are of directories before: their names are room for others.
    entries: Vec<Entry>,
    used: usize,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    room: Vec<u8>,
}

impl Listing {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn new() -> Listing {
        // As much as readdir asks for at once.
        const ROOM_BYTES: usize = 32_768;
        Listing { entries: Vec::new(), used: 0, room: Vec::with_capacity(ROOM_BYTES) }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn new() -> Listing {
        Listing { entries: Vec::new(), used: 0 }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn fill(&mut self, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        self.used = 0;
        let mut room = std::mem::take(&mut self.room);
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
    pub(super) fn fill(&mut self, dir: BorrowedFd<'_>) -> Result<(), Errno> {
        self.used = 0;
        for found in rustix::fs::Dir::read_from(dir)? {
            let found = found?;
            self.add(dir, found.file_name().to_bytes(), found.file_type());
        }
        self.sort();
        Ok(())
    }

    /// The entries of the directory that was listed last.
    pub(super) fn entries(&self) -> &[Entry] {
        self.entries.get(..self.used).unwrap_or_default()
    }

    /// The same, to keep.
    pub(super) fn into_entries(mut self) -> Vec<Entry> {
        self.entries.truncate(self.used);
        self.entries
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
