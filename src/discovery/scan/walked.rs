//! The folders that the sources of one rank have been through. A thousand plugins may lead to one tree: it is walked for
//! the first of them, so that the work grows with what is on the disk and not with the number of ways to it.

use super::step::is_never_entered;
use crate::path::FsPath;
use std::collections::BTreeMap;

/// The folders that earlier sources of the same rank were walked from.
#[derive(Default)]
pub(crate) struct Walked {
    rank: usize,
    /// Real paths, each with the path under which it was walked.
    folders: BTreeMap<FsPath, FsPath>,
}

impl Walked {
    /// Begins a source of this rank. A source of another rank has a precedence of its own, and is walked whole.
    pub(super) fn begin(&mut self, rank: usize) {
        if self.rank != rank {
            *self = Walked { rank, folders: BTreeMap::new() };
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// Whether an earlier source was walked from just this folder.
    pub(super) fn has(&self, real: &FsPath) -> bool {
        self.folders.contains_key(real)
    }

    /// The path under which an earlier source has been through a folder.
    pub(super) fn covering(&self, real: &FsPath) -> Option<FsPath> {
        let mut above = Some(real.clone());
        while let Some(at) = above.filter(|_| !self.folders.is_empty()) {
            if let Some(path) = self.folders.get(&at) {
                return path.join(real.below(&at).unwrap_or("")).ok();
            }
            if is_never_entered(at.name()) {
                return None;
            }
            above = at.parent();
        }
        None
    }

    /// The folders below `real` that earlier sources were walked from, without those that lie in one another, each
    /// with the path under which it was walked.
    pub(super) fn below(&self, real: &FsPath) -> Vec<(FsPath, FsPath)> {
        let mut found: Vec<(FsPath, FsPath)> = Vec::new();
        // Below `/a` stands what begins with `/a/`.
        let mut from = real.child("\u{1}").ok();
        while let Some(start) = from.take() {
            let Some((folder, path)) = self.folders.range(start..).next() else { break };
            if !folder.is_within(real) {
                break;
            }
            match found.last().filter(|(last, _)| folder.is_within(last)) {
                // `/a0` is the first path behind all that begins with `/a/`.
                Some((last, _)) => from = FsPath::new(&format!("{last}0")).ok(),
                None => {
                    from = FsPath::new(&format!("{folder}\u{1}")).ok();
                    found.push((folder.clone(), path.clone()));
                }
            }
        }
        found
    }

    /// Remembers what a source was walked from.
    pub(super) fn add(&mut self, walked: impl Iterator<Item = (FsPath, FsPath)>) {
        walked.for_each(|(real, path)| drop(self.folders.insert(real, path)));
    }
}
