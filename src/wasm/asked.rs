//! In: listings and files that a host was asked for and gave. Out: [`Asked`], a file system of these, which answers
//! [`FsError::Pending`] for the rest and keeps in mind what is to be asked. As [`Fs`] has it by default there are no links:
//! the host follows its own. Absent: how the host is asked.

use crate::fs::{Entry, Fs, FsError, Head, Kind, Look, Stamp};
use crate::gather::Gather;
use crate::map::HashMap;
use crate::path::FsPath;
use crate::sort;
use std::cell::RefCell;

/// A file system that asks.
#[derive(Default)]
pub(super) struct Asked {
    listings: HashMap<FsPath, Told<Vec<Entry>>>,
    files: HashMap<FsPath, Told<Vec<u8>>>,
    /// The lengths of files, as listings had them.
    lengths: HashMap<FsPath, u64>,
    wanted: RefCell<Vec<Want>>,
    /// How often something was told.
    edits: u64,
    /// How many bytes all that was told takes, about.
    bytes: usize,
}

/// What a host said, and when.
struct Told<T> {
    edit: u64,
    bytes: usize,
    what: Result<T, FsError>,
}

/// What is to be asked of the host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Want {
    List(FsPath),
    Read(FsPath),
}

impl<T> Told<T> {
    fn stamp(&self) -> Option<Stamp> {
        Some(Stamp([self.edit, 0, 0, 0, 0]))
    }
}

impl Asked {
    /// What is to be asked, and was not asked since this was asked last.
    pub(super) fn wanted(&self) -> Vec<Want> {
        let mut wanted = self.wanted.take();
        sort::unstable_by(&mut wanted, Ord::cmp);
        wanted.dedup();
        wanted
    }

    /// Whether something is to be asked.
    pub(super) fn is_wanting(&self) -> bool {
        !self.wanted.borrow().is_empty()
    }

    /// How many bytes all that was told takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A listing: names with their kinds, and lengths where they are known.
    pub(super) fn listed(&mut self, dir: FsPath, what: Result<Vec<(Entry, Option<u64>)>, FsError>, bytes: usize) {
        self.edits += 1;
        let what = what.map(|entries| {
            for (entry, len) in &entries {
                if let (Ok(path), Some(len)) = (dir.child(&entry.name), len) {
                    self.lengths.insert(path, *len);
                }
            }
            let mut entries: Vec<Entry> = entries.into_iter().map(|(entry, _)| entry).gather();
            sort::by(&mut entries, |a, b| a.name.cmp(&b.name));
            entries.dedup_by(|a, b| a.name == b.name);
            entries
        });
        self.bytes += bytes;
        if let Some(old) = self.listings.insert(dir, Told { edit: self.edits, bytes, what }) {
            self.bytes -= old.bytes;
        }
    }

    /// A file, whole.
    pub(super) fn read(&mut self, file: FsPath, what: Result<Vec<u8>, FsError>, bytes: usize) {
        self.edits += 1;
        self.bytes += bytes;
        if let Some(old) = self.files.insert(file, Told { edit: self.edits, bytes, what }) {
            self.bytes -= old.bytes;
        }
    }

    /// Forgets what was told of this path and of all below it.
    pub(super) fn forget(&mut self, path: &FsPath) {
        let bytes = &mut self.bytes;
        let mut keep = |at: &FsPath, held: usize| {
            let is_kept = !at.is_within(path);
            *bytes -= if is_kept { 0 } else { held };
            is_kept
        };
        self.listings.retain(|at, told| keep(at, told.bytes));
        self.files.retain(|at, told| keep(at, told.bytes));
        self.lengths.retain(|at, _| !at.is_within(path));
    }

    fn want<T>(&self, want: Want) -> Result<T, FsError> {
        let (Want::List(path) | Want::Read(path)) = &want;
        let pending = FsError::Pending(path.clone());
        self.wanted.borrow_mut().push(want);
        Err(pending)
    }

    /// What the listing of its folder says of a path; none where there is no such listing.
    fn entry(&self, path: &FsPath) -> Option<Result<Option<&Entry>, FsError>> {
        let told = self.listings.get(&path.parent()?)?;
        Some(match &told.what {
            Ok(entries) => Ok(entries.binary_search_by(|entry| entry.name.as_str().cmp(path.name())).ok())
                .map(|at| at.and_then(|at| entries.get(at))),
            Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => Ok(None),
            Err(error) => Err(error.clone()),
        })
    }

    /// What stands at a path. A path of which nothing is known is listed first, as what is looked at without having been
    /// seen in a listing is a folder as a rule; only where it is none, the folder that it stands in.
    fn kind(&self, path: &FsPath) -> Result<Option<Kind>, FsError> {
        let own = self.listings.get(path).map(|told| &told.what);
        if let Some(Ok(_) | Err(FsError::Denied(_) | FsError::Other { .. })) = own {
            return Ok(Some(Kind::Dir));
        }
        match self.entry(path).transpose()? {
            Some(entry) => Ok(entry.map(|entry| entry.kind)),
            None if self.files.get(path).is_some_and(|told| told.what.is_ok()) => Ok(Some(Kind::File)),
            None if own.is_none() => self.want(Want::List(path.clone())),
            None => path.parent().map_or(Ok(None), |parent| self.want(Want::List(parent))),
        }
    }
}

impl Fs for Asked {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        match self.listings.get(dir) {
            Some(told) => told.what.clone(),
            None => self.want(Want::List(dir.clone())),
        }
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<Head, FsError> {
        if let Some(told) = self.files.get(file) {
            let bytes = told.what.as_ref().map_err(FsError::clone)?;
            let wanted = usize::try_from(at_most).unwrap_or(usize::MAX).min(bytes.len());
            let head = bytes.get(..wanted).unwrap_or_default().to_vec();
            return Ok(Head { bytes: head, len: bytes.len() as u64, stamp: told.stamp() });
        }
        match self.entry(file).transpose()? {
            Some(None) => Err(FsError::NotFound(file.clone())),
            Some(Some(entry)) if entry.kind != Kind::File => Err(FsError::NotAFile(file.clone())),
            Some(Some(_)) | None => self.want(Want::Read(file.clone())),
        }
    }

    fn look(&self, path: &FsPath) -> Result<Option<Look>, FsError> {
        let Some(kind) = self.kind(path)? else { return Ok(None) };
        let look = Look { kind, link: false, len: 0, stamp: None };
        if kind != Kind::File {
            let stamp = self.listings.get(path).filter(|told| told.what.is_ok()).and_then(Told::stamp);
            return Ok(Some(Look { stamp, ..look }));
        }
        match (self.files.get(path), self.lengths.get(path)) {
            (Some(told), _) => {
                let bytes = told.what.as_ref().map_err(FsError::clone)?;
                Ok(Some(Look { len: bytes.len() as u64, stamp: told.stamp(), ..look }))
            }
            (None, Some(len)) => Ok(Some(Look { len: *len, ..look })),
            (None, None) => self.want(Want::Read(path.clone())),
        }
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        match self.kind(path)? {
            Some(_) => Ok(path.clone()),
            None => Err(FsError::NotFound(path.clone())),
        }
    }
}
