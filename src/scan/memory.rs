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
    now: Known,
    before: Known,
}

#[derive(Default)]
struct Known {
    listings: HashMap<FsPath, (Stamp, Vec<Entry>)>,
    manifests: HashMap<FsPath, (Stamp, Arc<Manifest>)>,
}

/// What became of a directory, as far as a scan goes: each entry that its rule wants, read where it is to be.
pub(super) type Listed = Result<Vec<(Entry, Option<Arc<Manifest>>)>, FsError>;

impl Memory {
    /// Begins a discovery. What the one before did not come by is forgotten.
    pub(crate) fn turn(&mut self) {
        self.before = std::mem::take(&mut self.now);
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
        let known = self.now.manifests.get(path).cloned().or_else(|| self.before.manifests.remove(path));
        if let Some((stamp, manifest)) = known {
            if fs.look(path).is_ok_and(|look| look.is_some_and(|look| look.stamp == Some(stamp))) {
                self.now.manifests.insert(path.clone(), (stamp, Arc::clone(&manifest)));
                return manifest;
            }
        }
        let head = fs.read(path, HEAD_BYTES);
        let stamp = head.as_ref().ok().and_then(|head| head.stamp);
        let manifest = Arc::new(manifest::read(fs, dialect, path, head));
        if let Some(stamp) = stamp.filter(|_| !manifest.pending) {
            self.now.manifests.insert(path.clone(), (stamp, Arc::clone(&manifest)));
        }
        manifest
    }

    /// The entries of a directory that a scan may want.
    fn listing(&mut self, fs: &dyn Fs, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let stamp = fs.look(dir).ok().flatten().filter(|look| look.kind == Kind::Dir).and_then(|look| look.stamp);
        let known = self.now.listings.get(dir).cloned().or_else(|| self.before.listings.remove(dir));
        if let Some((_, mut entries)) = known.filter(|(known, _)| stamp == Some(*known)) {
            for entry in entries.iter_mut().filter(|entry| entry.link) {
                let look = dir.child(&entry.name).ok().and_then(|path| fs.look(&path).ok().flatten());
                entry.kind = look.map_or(Kind::Missing, |look| look.kind);
            }
            self.keep(dir, stamp, &entries);
            return Ok(entries);
        }
        let entries = fs.list(dir)?;
        self.keep(dir, stamp, &entries);
        Ok(entries)
    }

    fn keep(&mut self, dir: &FsPath, stamp: Option<Stamp>, entries: &[Entry]) {
        // What a link of such a name leads to could not be asked again.
        let unnamed = |entry: &Entry| entry.lossy && entry.link;
        let Some(stamp) = stamp.filter(|_| !entries.iter().any(unnamed)) else { return };
        let wanted = |entry: &&Entry| entry.link || entry.kind == Kind::Dir || !matches!(sort(entry), Sort::Rest);
        let entries = entries.iter().filter(wanted).cloned().collect();
        self.now.listings.insert(dir.clone(), (stamp, entries));
    }
}
