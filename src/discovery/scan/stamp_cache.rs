//! In: what was found out about paths, each under the stamp that it had. Out: the same again, as long as the stamp is the
//! same. Kept in the order in which a scan comes by, so that the next scan, which mostly comes by in the same order, looks
//! nothing up. Absent: what it is that is kept.

use crate::fs::{Fs, Stamp};
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::collections::HashMap;

/// How many paths are looked at together: enough to share among threads, few enough to hold the answers.
const TOGETHER: usize = 8_192;

/// Things by path.
pub(super) struct StampCache<T> {
    items: Vec<Item<T>>,
    /// Where the path after the last one that was asked for is likely to be.
    next: usize,
    /// Where each path is; made when a path is not where it was likely to be.
    places: Option<HashMap<FsPath, usize>>,
    /// How often something was come by in this round.
    passed: usize,
    /// Who comes by: the number of the scan.
    scan: usize,
}

struct Item<T> {
    path: FsPath,
    /// The stamp that `what` stands for; none where nothing is kept.
    stamp: Option<Stamp>,
    /// The stamp that stood there when it was last looked at.
    now: Option<Stamp>,
    /// When it was last come by in this round; 0 for not yet.
    passed: usize,
    /// The scan that came by last.
    scan: usize,
    what: T,
}

impl<T> Default for StampCache<T> {
    fn default() -> StampCache<T> {
        StampCache { items: Vec::new(), next: 0, places: None, passed: 0, scan: 0 }
    }
}

impl<T> StampCache<T> {
    /// Begins a round: forgets what the one before did not come by, and looks at all the rest.
    pub(super) fn turn(&mut self, fs: &dyn Fs) {
        self.items.retain(|item| item.passed != 0 && item.stamp.is_some());
        sort_by(&mut self.items, |a, b| a.passed.cmp(&b.passed));
        (self.next, self.places, self.passed) = (0, None, 0);
        for items in self.items.chunks_mut(TOGETHER) {
            let mut paths = Vec::new();
            paths.reserve_exact(items.len());
            items.iter().for_each(|item| paths.push(&item.path));
            let all_metadata = fs.metadata_all(&paths);
            for (item, metadata) in items.iter_mut().zip(all_metadata) {
                (item.now, item.passed) = (metadata.ok().flatten().and_then(|metadata| metadata.stamp), 0);
            }
        }
    }

    /// Begins a scan of this number.
    pub(super) fn begin(&mut self, scan: usize) {
        self.scan = scan;
    }

    /// How many a scan came by.
    pub(super) fn count(&self, scan: usize) -> usize {
        self.items.iter().filter(|item| item.scan == scan).count()
    }

    /// Comes by all that an earlier scan came by, this path first, if it is these many and each has the stamp that it
    /// had then; else by nothing.
    pub(super) fn pass_all(&mut self, first: &FsPath, scan: usize, count: usize) -> bool {
        let Some(from) = self.find(first) else { return false };
        let items = self.items.get_mut(from..from.saturating_add(count)).unwrap_or_default();
        let is_same = |item: &Item<T>| item.scan == scan && item.stamp.is_some() && item.stamp == item.now;
        if items.len() != count || !items.iter().all(is_same) {
            return false;
        }
        for item in items {
            self.passed += 1;
            (item.passed, item.scan) = (self.passed, self.scan);
        }
        self.next = from + count;
        true
    }

    /// The stamp that stands at a path; none where nothing is known of it.
    pub(super) fn now(&mut self, path: &FsPath) -> Option<Option<Stamp>> {
        let at = self.find(path)?;
        self.items.get(at).map(|item| item.now)
    }

    /// What is kept of a path that has the stamp now that it had then, to be used.
    pub(super) fn get(&mut self, path: &FsPath) -> Option<&mut T> {
        let at = self.find(path)?;
        let item = self.items.get_mut(at).filter(|item| item.stamp.is_some() && item.stamp == item.now)?;
        self.passed += 1;
        (item.passed, item.scan) = (self.passed, self.scan);
        Some(&mut item.what)
    }

    /// Keeps what has a stamp, and forgets what was kept of the path.
    pub(super) fn keep(&mut self, path: &FsPath, stamp: Option<Stamp>, what: T) {
        self.passed += 1;
        let (passed, scan) = (self.passed, self.scan);
        match self.find(path).and_then(|at| self.items.get_mut(at)) {
            Some(item) => {
                (item.stamp, item.now, item.what) = (stamp, stamp, what);
                (item.passed, item.scan) = (passed, scan);
            }
            None if stamp.is_some() => {
                if let Some(places) = &mut self.places {
                    places.insert(path.clone(), self.items.len());
                }
                self.items.push(Item { path: path.clone(), stamp, now: stamp, passed, scan, what });
            }
            None => {}
        }
    }

    /// Where a path is.
    fn find(&mut self, path: &FsPath) -> Option<usize> {
        let is_at = |at: usize| self.items.get(at).is_some_and(|item| item.path == *path);
        let likely = (self.next.saturating_sub(1)..=self.next).find(|at| is_at(*at));
        let at = likely.or_else(|| {
            let items = &self.items;
            let places = self
                .places
                .get_or_insert_with(|| items.iter().enumerate().map(|(at, item)| (item.path.clone(), at)).collect());
            places.get(path).copied()
        })?;
        self.next = at + 1;
        Some(at)
    }
}
