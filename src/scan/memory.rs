//! In: the directories and files of a scan, again and again. Out: what is there now, listed and read only where its
//! stamp says that it has changed. A stamp is taken before what it stands for, so a change in between is seen the
//! next time; without a stamp nothing is remembered. What links lead to is asked every time, as no stamp of the
//! folder tells of it. Absent: which skill wins, what a host answers; nothing that is decided is remembered.

use super::step::{Sort, sort};
use crate::dialect::Dialect;
use crate::fs::walk::{by_level, judge};
use crate::fs::{Entry, Fs, FsError, Kind, Stamp, Walk};
use crate::manifest::{self, HEAD_BYTES, Manifest};
use crate::path::FsPath;
use std::collections::HashMap;
use std::sync::Arc;

/// What scans remember from one discovery to the next.
#[derive(Default)]
pub(crate) struct Memory {
    /// Which discovery this is.
    round: u64,
    listings: HashMap<FsPath, Kept<Arc<Vec<Entry>>>>,
    manifests: HashMap<FsPath, Kept<Arc<Manifest>>>,
}

struct Kept<T> {
    /// When it was last come by.
    round: u64,
    stamp: Stamp,
    what: T,
}

/// What became of a directory, as far as a scan goes: each entry that its rule wants, read where it is to be.
pub(super) type Listed = Result<Vec<(Entry, Option<Arc<Manifest>>)>, FsError>;

impl Memory {
    /// Begins a discovery. What the one before did not come by is forgotten.
    pub(crate) fn turn(&mut self) {
        self.listings.retain(|_, kept| kept.round == self.round);
        self.manifests.retain(|_, kept| kept.round == self.round);
        self.round += 1;
    }

    /// Walks by levels; nothing stands for a directory that is cut.
    pub(super) fn walk(
        &mut self,
        fs: &dyn Fs,
        dialect: &Dialect,
        ask: &Walk<'_>,
        out: impl FnMut(FsPath, usize, Option<Listed>),
    ) {
        let visit = |dir: &FsPath, depth: usize, enter: &mut Vec<FsPath>| {
            let entries = self.listing(fs, dir)?;
            Ok(judge(ask.step, dir, depth, &entries, enter, |path, _| self.manifest(fs, dialect, path)))
        };
        by_level(ask.root, ask.max_dirs, visit, out);
    }

    /// What a SKILL.md says.
    pub(super) fn manifest(&mut self, fs: &dyn Fs, dialect: &Dialect, path: &FsPath) -> Arc<Manifest> {
        if let Some(kept) = self.manifests.get_mut(path) {
            if fs.look(path).is_ok_and(|look| look.is_some_and(|look| look.stamp == Some(kept.stamp))) {
                kept.round = self.round;
                return Arc::clone(&kept.what);
            }
        }
        let head = fs.read(path, HEAD_BYTES);
        let stamp = head.as_ref().ok().and_then(|head| head.stamp);
        let manifest = Arc::new(manifest::read(fs, dialect, path, head));
        let stamp = stamp.filter(|_| !manifest.pending);
        keep(&mut self.manifests, path, self.round, stamp, &manifest);
        manifest
    }

    /// The entries of a directory that a scan may want.
    fn listing(&mut self, fs: &dyn Fs, dir: &FsPath) -> Result<Arc<Vec<Entry>>, FsError> {
        let stamp = fs.look(dir).ok().flatten().filter(|look| look.kind == Kind::Dir).and_then(|look| look.stamp);
        if let Some(kept) = self.listings.get_mut(dir).filter(|kept| stamp == Some(kept.stamp)) {
            kept.round = self.round;
            if kept.what.iter().any(|entry| entry.link) {
                for entry in Arc::make_mut(&mut kept.what).iter_mut().filter(|entry| entry.link) {
                    let look = dir.child(&entry.name).ok().and_then(|path| fs.look(&path).ok().flatten());
                    entry.kind = look.map_or(Kind::Missing, |look| look.kind);
                }
            }
            return Ok(Arc::clone(&kept.what));
        }
        let mut entries = fs.list(dir)?;
        // What a link of a name that is no path leads to could not be asked again.
        let is_asked = !entries.iter().any(|entry| entry.lossy && entry.link);
        entries.retain(|entry| entry.link || entry.kind == Kind::Dir || !matches!(sort(entry), Sort::Rest));
        let entries = Arc::new(entries);
        keep(&mut self.listings, dir, self.round, stamp.filter(|_| is_asked), &entries);
        Ok(entries)
    }
}

/// Keeps what has a stamp, and forgets what stood there.
fn keep<T: Clone>(into: &mut HashMap<FsPath, Kept<T>>, path: &FsPath, round: u64, stamp: Option<Stamp>, what: &T) {
    match stamp {
        Some(stamp) => drop(into.insert(path.clone(), Kept { round, stamp, what: what.clone() })),
        None => drop(into.remove(path)),
    }
}
