//! Remembers which folders the sources of one rank have been through. A thousand plugins may lead to one tree: it is
//! walked for the first of them only, so that the work depends on what is on the disk and not on the number of ways to
//! it.

use super::step::is_skipped;
use crate::dialect::ScanRule;
use crate::path::FsPath;
use std::collections::BTreeMap;
use std::ops::Bound;

/// The folders at which walks for earlier sources of the same rank started.
#[derive(Default)]
pub(crate) struct WalkedFolders {
    rank: usize,
    /// Real paths, each with the path under which it was walked.
    folders: BTreeMap<FsPath, FsPath>,
}

impl WalkedFolders {
    /// Begins a source of this rank. A source of another rank has a precedence of its own, and is walked completely.
    pub(super) fn begin(&mut self, rank: usize) {
        if self.rank != rank {
            *self = WalkedFolders { rank, folders: BTreeMap::new() };
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// Whether the walk of an earlier source started at exactly this folder.
    pub(super) fn is_start(&self, real: &FsPath) -> bool {
        self.folders.contains_key(real)
    }

    /// The path under which an earlier source has walked a folder by this rule; `None` if none has.
    pub(super) fn walked_as(&self, rule: &ScanRule, real: &FsPath) -> Option<FsPath> {
        let mut above = Some(real.clone());
        while let Some(at) = above.filter(|_| !self.folders.is_empty()) {
            if let Some(path) = self.folders.get(&at) {
                return real.rebased(&at, path);
            }
            if is_skipped(rule, at.name()) {
                return None;
            }
            above = at.parent();
        }
        None
    }

    /// The outermost folders below `real` at which walks of earlier sources started, each with the path under which it
    /// was walked.
    pub(super) fn starts_below(&self, real: &FsPath) -> Vec<(FsPath, FsPath)> {
        let mut found: Vec<(FsPath, FsPath)> = Vec::new();
        let mut from = Bound::Included(real.before_all_below());
        while let Some((folder, path)) = self.folders.range((from, Bound::Unbounded)).next() {
            if !folder.starts_with(real) {
                break;
            }
            match found.last().filter(|(last, _)| folder.starts_with(last)) {
                Some((last, _)) => from = Bound::Included(last.after_all_below()),
                None => {
                    from = Bound::Excluded(folder.clone());
                    found.push((folder.clone(), path.clone()));
                }
            }
        }
        found
    }

    /// Adds the folders at which the walks of a source started: real paths, each with the path that was walked.
    pub(super) fn add(&mut self, starts: impl Iterator<Item = (FsPath, FsPath)>) {
        self.folders.extend(starts);
    }
}
