//! [`HostFs`], a file system of the listings and files that a host has supplied. For everything else it answers
//! [`FsError::Pending`] and records what to ask the host for. Symlinks whose targets the host has named are followed
//! here; all others are the host's to follow.

use skilltree::fs::{Entry, FileKind, FilePrefix, Metadata, Stamp};
use skilltree::{Fs, FsError, FsPath};
use std::cell::RefCell;
use std::collections::HashMap;

/// How many symlinks one path may contain: the number after which Linux reports ELOOP.
const MAX_LINKS: usize = 40;

/// Whether a symlink in the last component of a path is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FinalSymlink {
    Follow,
    Keep,
}

/// A file system whose contents the host supplies on request.
#[derive(Default)]
pub(super) struct HostFs {
    listings: HashMap<FsPath, HostReply<Vec<Item>>>,
    files: HashMap<FsPath, HostReply<Vec<u8>>>,
    /// Whether any listing named the target of a symlink.
    has_links: bool,
    wanted: RefCell<Vec<Want>>,
    /// The number of replies so far.
    edits: u64,
    /// About how many bytes all replies take.
    bytes: usize,
}

/// One name of a listing.
pub(super) struct Item {
    pub(super) name: String,
    /// Its kind; `None` for a symlink.
    pub(super) kind: Option<FileKind>,
    /// The target of a symlink, if the host names it. A symlink without one is treated as the file it leads to.
    pub(super) target: Option<String>,
    /// The length of a file, if the host names it.
    pub(super) len: Option<u64>,
}

struct HostReply<T> {
    edit: u64,
    bytes: usize,
    what: Result<T, FsError>,
}

/// A request to the host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Want {
    List(FsPath),
    Read(FsPath),
}

impl<T> HostReply<T> {
    /// The contents, or the error for the path that was asked for.
    fn held(&self, path: &FsPath) -> Result<&T, FsError> {
        self.what.as_ref().map_err(|error| error.clone().at(path.clone()))
    }

    fn stamp(&self) -> Option<Stamp> {
        Some(Stamp([self.edit, 0, 0, 0, 0]))
    }
}

impl HostFs {
    /// Takes the requests that have come up since the last call, sorted and each once.
    pub(super) fn wanted(&self) -> Vec<Want> {
        let mut wanted = self.wanted.take();
        wanted.sort();
        wanted.dedup();
        wanted
    }

    pub(super) fn is_wanting(&self) -> bool {
        !self.wanted.borrow().is_empty()
    }

    /// About how many bytes all replies take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn listed(&mut self, dir: FsPath, what: Result<Vec<Item>, FsError>, bytes: usize) {
        self.edits += 1;
        let what = what.map(|mut items| {
            items.sort_by(|a, b| a.name.cmp(&b.name));
            items.dedup_by(|a, b| a.name == b.name);
            self.has_links |= items.iter().any(|item| item.target.is_some());
            items
        });
        self.bytes += bytes;
        if let Some(old) = self.listings.insert(dir, HostReply { edit: self.edits, bytes, what }) {
            self.bytes -= old.bytes;
        }
    }

    /// Stores the whole contents of a file.
    pub(super) fn read(&mut self, file: FsPath, what: Result<Vec<u8>, FsError>, bytes: usize) {
        self.edits += 1;
        self.bytes += bytes;
        if let Some(old) = self.files.insert(file, HostReply { edit: self.edits, bytes, what }) {
            self.bytes -= old.bytes;
        }
    }

    /// Forgets the replies about this path and everything below it.
    pub(super) fn forget(&mut self, path: &FsPath) {
        let bytes = &mut self.bytes;
        let mut keep = |at: &FsPath, held: usize| {
            let is_kept = !at.starts_with(path);
            *bytes -= if is_kept { 0 } else { held };
            is_kept
        };
        self.listings.retain(|at, told| keep(at, told.bytes));
        self.files.retain(|at, told| keep(at, told.bytes));
    }

    /// Records a request, and returns the error for the call that needs it.
    fn want(&self, want: Want) -> FsError {
        let (Want::List(path) | Want::Read(path)) = &want;
        let pending = FsError::Pending(path.clone());
        self.wanted.borrow_mut().push(want);
        pending
    }

    /// The entry of a path in the listing of its folder; `None` if the folder has not been listed.
    fn item(&self, path: &FsPath) -> Option<Result<Option<&Item>, FsError>> {
        let told = self.listings.get(&path.parent()?)?;
        Some(match &told.what {
            Ok(items) => Ok(items.binary_search_by(|item| item.name.as_str().cmp(path.name())).ok())
                .map(|at| at.and_then(|at| items.get(at))),
            Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => Ok(None),
            Err(error) => Err(error.clone()),
        })
    }

    /// Resolves the symlinks whose targets are known.
    fn follow(&self, path: &FsPath, last: FinalSymlink) -> Result<FsPath, FsError> {
        if !self.has_links {
            return Ok(path.clone());
        }
        let mut at = FsPath::root();
        let mut ahead: Vec<&str> = path.as_str().split('/').rev().collect();
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            match name {
                "" | "." => continue,
                ".." => {
                    at = at.parent().unwrap_or(at);
                    continue;
                }
                _ => {}
            }
            let next = at.child(name).map_err(|_| FsError::NotFound(path.clone()))?;
            let item = match self.item(&next) {
                Some(Ok(item)) if last == FinalSymlink::Follow || !ahead.is_empty() => item,
                _ => None,
            };
            let Some(target) = item.and_then(|item| item.target.as_deref()) else {
                at = next;
                continue;
            };
            links += 1;
            if MAX_LINKS < links {
                return Err(FsError::SymlinkLoop(path.clone()));
            }
            if target.is_empty() {
                return Err(FsError::NotFound(path.clone()));
            }
            if target.starts_with('/') {
                at = FsPath::root();
            }
            ahead.extend(target.split('/').rev());
        }
        Ok(at)
    }

    /// What stands at a real path. A path of which nothing is known is listed first, as what is looked at without having
    /// been seen in a listing is a folder as a rule; only where it is none, the folder that it stands in.
    fn kind(&self, real: &FsPath) -> Result<Option<FileKind>, FsError> {
        let own = self.listings.get(real).map(|told| &told.what);
        if let Some(Ok(_) | Err(FsError::Denied(_) | FsError::Other { .. })) = own {
            return Ok(Some(FileKind::Dir));
        }
        match (self.item(real).transpose()?, own) {
            (Some(None), _) => Ok(None),
            (Some(Some(Item { kind: Some(kind), .. })), _) => Ok(Some(*kind)),
            (None, _) if self.files.get(real).is_some_and(|told| told.what.is_ok()) => Ok(Some(FileKind::File)),
            (_, None) => Err(self.want(Want::List(real.clone()))),
            // A link of which only the host knows where it leads: to no folder.
            (Some(Some(_)), Some(_)) => match self.files.get(real).map(|told| &told.what) {
                None => Err(self.want(Want::Read(real.clone()))),
                Some(Err(FsError::NotFound(_))) => Ok(Some(FileKind::Broken)),
                Some(Err(FsError::NotAFile(_))) => Ok(Some(FileKind::Other)),
                Some(_) => Ok(Some(FileKind::File)),
            },
            (None, Some(_)) => real.parent().map_or(Ok(None), |parent| Err(self.want(Want::List(parent)))),
        }
    }

    /// The path and kind that a symlink leads to; `None` if it is broken.
    fn end(&self, link: &FsPath) -> Result<Option<(FsPath, FileKind)>, FsError> {
        let found =
            self.follow(link, FinalSymlink::Follow).and_then(|real| Ok(self.kind(&real)?.map(|kind| (real, kind))));
        match found {
            Err(error @ FsError::Pending(_)) => Err(error),
            found => Ok(found.ok().flatten()),
        }
    }
}

impl Fs for HostFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let real = self.follow(dir, FinalSymlink::Follow)?;
        let Some(told) = self.listings.get(&real) else { return Err(self.want(Want::List(real))) };
        let items = told.held(dir)?;
        let entry = |item: &Item| {
            // A name that no path can have is shown, and not opened.
            let path = real.child(&item.name).ok();
            let kind = match (item.kind, &path) {
                (Some(kind), _) => kind,
                (None, Some(path)) => self.end(path)?.map_or(FileKind::Broken, |(_, kind)| kind),
                (None, None) => FileKind::Broken,
            };
            Ok(Entry { name: item.name.clone(), kind, is_symlink: item.target.is_some(), is_lossy: path.is_none() })
        };
        // The targets of all symlinks of a folder are requested at once.
        let entries: Vec<Result<Entry, FsError>> = items.iter().map(entry).collect();
        entries.into_iter().collect()
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        let real = self.follow(file, FinalSymlink::Follow)?;
        if let Some(told) = self.files.get(&real) {
            let bytes = told.held(file)?;
            let wanted = usize::try_from(at_most).unwrap_or(usize::MAX).min(bytes.len());
            let head = bytes.get(..wanted).unwrap_or_default().to_vec();
            return Ok(FilePrefix { bytes: head, len: bytes.len() as u64, stamp: told.stamp() });
        }
        match self.item(&real).transpose()? {
            Some(None) => Err(FsError::NotFound(file.clone())),
            Some(Some(item)) if item.kind.is_some_and(|kind| kind != FileKind::File) => {
                Err(FsError::NotAFile(file.clone()))
            }
            Some(Some(_)) | None => Err(self.want(Want::Read(real))),
        }
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let own = match self.follow(path, FinalSymlink::Keep) {
            Err(FsError::NotFound(_)) => return Ok(None),
            own => own?,
        };
        let is_link = matches!(self.item(&own), Some(Ok(Some(Item { target: Some(_), .. }))));
        let metadata = |kind| Metadata { kind, is_symlink: is_link, len: 0, stamp: None };
        let found = match is_link {
            true => self.end(&own)?,
            false => self.kind(&own)?.map(|kind| (own, kind)),
        };
        let Some((real, kind)) = found else { return Ok(is_link.then(|| metadata(FileKind::Broken))) };
        if kind != FileKind::File {
            let stamp = self.listings.get(&real).filter(|told| told.what.is_ok()).and_then(HostReply::stamp);
            return Ok(Some(Metadata { stamp, ..metadata(kind) }));
        }
        match (self.files.get(&real), self.item(&real)) {
            (Some(told), _) => {
                let bytes = told.held(path)?;
                Ok(Some(Metadata { len: bytes.len() as u64, stamp: told.stamp(), ..metadata(kind) }))
            }
            (None, Some(Ok(Some(Item { len: Some(len), .. })))) => Ok(Some(Metadata { len: *len, ..metadata(kind) })),
            (None, _) => Err(self.want(Want::Read(real))),
        }
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real = self.follow(path, FinalSymlink::Follow)?;
        match self.kind(&real)? {
            None | Some(FileKind::Broken) => Err(FsError::NotFound(path.clone())),
            Some(_) => Ok(real),
        }
    }
}
