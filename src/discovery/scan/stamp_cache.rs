//! A cache of values by path. Each value is valid as long as the [`Stamp`] of its path is unchanged. Items are stored
//! in the order in which scans ask for them: the next scan mostly asks in the same order, and so needs no lookup by
//! name.

use crate::fs::{Fs, Stamp};
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::collections::HashMap;

/// How many paths are looked at together: enough to share among threads, few enough to hold the answers in memory.
const BATCH: usize = 8_192;

/// A cache of values by path.
pub(super) struct StampCache<T> {
    items: Vec<Item<T>>,
    /// The index at which the path that is asked for next is expected.
    next: usize,
    /// The index of each path; built when a path is not where it was expected.
    index: Option<HashMap<FsPath, usize>>,
    /// How often an item was used in this round.
    uses: usize,
    /// The number of the current scan.
    scan: usize,
}

struct Item<T> {
    path: FsPath,
    /// The stamp for which `value` is valid; without one the value is never used again.
    stamp: Option<Stamp>,
    /// The stamp that the path had when it was last looked at.
    current: Option<Stamp>,
    /// The number of its last use in this round; 0 if it was not used yet.
    used: usize,
    /// The last scan that used it.
    scan: usize,
    value: T,
}

impl<T> Default for StampCache<T> {
    fn default() -> StampCache<T> {
        StampCache { items: Vec::new(), next: 0, index: None, uses: 0, scan: 0 }
    }
}

impl<T> StampCache<T> {
    /// Begins a round: drops what the round before did not use, and asks for the current stamps of all other items.
    pub(super) fn begin_round(&mut self, fs: &dyn Fs) {
        self.items.retain(|item| item.used != 0 && item.stamp.is_some());
        sort_by(&mut self.items, |a, b| a.used.cmp(&b.used));
        (self.next, self.index, self.uses) = (0, None, 0);
        for items in self.items.chunks_mut(BATCH) {
            let mut paths = Vec::new();
            paths.reserve_exact(items.len());
            items.iter().for_each(|item| paths.push(&item.path));
            let all_metadata = fs.metadata_all(&paths);
            for (item, metadata) in items.iter_mut().zip(all_metadata) {
                // A path that cannot be looked at has no stamp, so its value is not used.
                (item.current, item.used) = (metadata.ok().flatten().and_then(|metadata| metadata.stamp), 0);
            }
        }
    }

    /// Begins the scan of this number.
    pub(super) fn begin_scan(&mut self, scan: usize) {
        self.scan = scan;
    }

    /// How many items a scan has used.
    pub(super) fn count(&self, scan: usize) -> usize {
        self.items.iter().filter(|item| item.scan == scan).count()
    }

    /// Uses all `count` items that an earlier scan used, beginning with the path `first`, if all are still valid.
    /// Otherwise uses none and returns false.
    pub(super) fn use_all(&mut self, first: &FsPath, scan: usize, count: usize) -> bool {
        let Some(from) = self.find(first) else { return false };
        let Some(items) = self.items.get_mut(from..from.saturating_add(count)) else { return false };
        let is_valid = |item: &Item<T>| item.scan == scan && item.stamp.is_some() && item.stamp == item.current;
        if !items.iter().all(is_valid) {
            return false;
        }
        for item in items {
            self.uses += 1;
            (item.used, item.scan) = (self.uses, self.scan);
        }
        self.next = from + count;
        true
    }

    /// The stamp that a path of the cache had when the round began; `None` for a path that is not in the cache.
    pub(super) fn current_stamp(&mut self, path: &FsPath) -> Option<Option<Stamp>> {
        let at = self.find(path)?;
        Some(self.items[at].current)
    }

    /// Uses the value of a path, if it is still valid.
    pub(super) fn get(&mut self, path: &FsPath) -> Option<&mut T> {
        let at = self.find(path)?;
        let item = self.items.get_mut(at).filter(|item| item.stamp.is_some() && item.stamp == item.current)?;
        self.uses += 1;
        (item.used, item.scan) = (self.uses, self.scan);
        Some(&mut item.value)
    }

    /// Stores the value of a path, in place of an earlier one. A value without a stamp is not stored.
    pub(super) fn insert(&mut self, path: &FsPath, stamp: Option<Stamp>, value: T) {
        self.uses += 1;
        let (used, scan) = (self.uses, self.scan);
        match self.find(path) {
            Some(at) => {
                let item = &mut self.items[at];
                (item.stamp, item.current, item.value) = (stamp, stamp, value);
                (item.used, item.scan) = (used, scan);
            }
            None if stamp.is_some() => {
                if let Some(index) = &mut self.index {
                    index.insert(path.clone(), self.items.len());
                }
                self.items.push(Item { path: path.clone(), stamp, current: stamp, used, scan, value });
            }
            None => {}
        }
    }

    /// The index of a path.
    fn find(&mut self, path: &FsPath) -> Option<usize> {
        let is_at = |at: usize| self.items.get(at).is_some_and(|item| item.path == *path);
        let expected = (self.next.saturating_sub(1)..=self.next).find(|at| is_at(*at));
        let at = expected.or_else(|| {
            let items = &self.items;
            let index = self
                .index
                .get_or_insert_with(|| items.iter().enumerate().map(|(at, item)| (item.path.clone(), at)).collect());
            index.get(path).copied()
        })?;
        self.next = at + 1;
        Some(at)
    }
}
