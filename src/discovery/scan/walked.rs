//! Remembers which folders the sources of one rank have been through. A thousand plugins may lead to one tree: it is
//! walked for the first of them, and again only where the limit of depth lets a later one read more of it, so that the work
//! depends on what is on the disk and not on the number of ways to it.

use super::step::{is_reserved, is_skipped};
use crate::dialect::ScanRule;
use crate::path::FsPath;
use std::collections::BTreeMap;
use std::ops::Bound;

/// The folders at which walks for earlier sources of the same rank started.
#[derive(Default)]
pub(crate) struct WalkedFolders {
    rank: usize,
    /// By their real paths.
    starts: BTreeMap<FsPath, WalkStart>,
}

/// A real folder that a walk started at.
pub(super) struct WalkStart {
    pub(super) real: FsPath,
    /// The path under which it was walked.
    pub(super) path: FsPath,
    /// How many folders it lies below the root of its source, as the walk came to it.
    pub(super) level: usize,
    /// Whether the walk reads only the SKILL.md in the folder itself, as a symlink leads to it.
    pub(super) is_own_skill: bool,
}

impl WalkStart {
    /// Whether this walk has left nothing to read in the folder that lies `below` folders further down, for a walk that
    /// comes to it at `level`. Where the depth is limited, the walk that is nearer to its root there reads more.
    fn has_read(&self, rule: &ScanRule, below: usize, level: usize) -> bool {
        rule.depth.is_none() || self.level + below <= level
    }

    /// Whether this walk never comes to the folder at this path below its start: it reads only a skill at its start, or the
    /// first name is reserved.
    pub(super) fn leaves_out(&self, rule: &ScanRule, names: &str) -> bool {
        let first = names.split('/').next().unwrap_or_default();
        (self.is_own_skill && !names.is_empty()) || (self.level == 0 && is_reserved(rule, first))
    }
}

impl WalkedFolders {
    /// Begins a source of this rank. A source of another rank has a precedence of its own, and is walked completely.
    pub(super) fn begin(&mut self, rank: usize) {
        if self.rank != rank {
            *self = WalkedFolders { rank, starts: BTreeMap::new() };
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Whether the walk of an earlier source by this rule started at exactly this folder, and left nothing to read there
    /// for a walk that comes to it at `level`.
    pub(super) fn is_start(&self, rule: &ScanRule, real: &FsPath, level: usize) -> bool {
        self.starts.get(real).is_some_and(|start| start.has_read(rule, 0, level))
    }

    /// The path under which an earlier source has walked a folder by this rule; `None` if none has, or if something is left
    /// to read there for a walk that comes to it at `level`.
    pub(super) fn walked_as(&self, rule: &ScanRule, real: &FsPath, level: usize) -> Option<FsPath> {
        let (mut above, mut below) = (Some(real.clone()), 0);
        while let Some(at) = above.filter(|_| !self.starts.is_empty()) {
            let names = real.relative_to(&at).unwrap_or_default();
            let has_read = |start: &&WalkStart| start.has_read(rule, below, level) && !start.leaves_out(rule, names);
            if let Some(start) = self.starts.get(&at).filter(has_read) {
                return real.rebased(&at, &start.path);
            }
            if is_skipped(rule, at.name()) {
                return None;
            }
            (above, below) = (at.parent(), below + 1);
        }
        None
    }

    /// The outermost folders below the root `real` of a source that earlier sources have walked by this rule and left
    /// nothing to read in, each with the path under which it was walked.
    pub(super) fn starts_below(&self, rule: &ScanRule, real: &FsPath) -> Vec<(FsPath, FsPath)> {
        let mut found: Vec<(FsPath, FsPath)> = Vec::new();
        let mut from = Bound::Included(real.before_all_below());
        while let Some((folder, start)) = self.starts.range((from, Bound::Unbounded)).next() {
            if !folder.starts_with(real) {
                break;
            }
            match found.last().filter(|(last, _)| folder.starts_with(last)) {
                Some((last, _)) => from = Bound::Included(last.after_all_below()),
                None => {
                    from = Bound::Excluded(folder.clone());
                    if start.has_read(rule, 0, folder.depth() - real.depth()) {
                        found.push((folder.clone(), start.path.clone()));
                    }
                }
            }
        }
        found
    }

    /// Adds the folders at which the walks of a source started.
    pub(super) fn add(&mut self, starts: impl Iterator<Item = WalkStart>) {
        for start in starts {
            if self.starts.get(&start.real).is_none_or(|before| start.level < before.level) {
                self.starts.insert(start.real.clone(), start);
            }
        }
    }
}
