//! In: an open directory and what a walk shall do. Out: its visits. A tree within its bound is gone through depth
//! first, each directory opened by its name from its parent: the kernel has both at hand. Whether a tree is within
//! its bound shows at the end only: one that is not is begun again by levels, which the cut is defined by.
//! Absent: recursion, threads, following of links.

use super::listing::Listing;
use super::{Dir, LIST, READ, bytes, fault, open, read_at};
use crate::fs::walk::{judge, listed, visits};
use crate::fs::{Kind, Outcome, Visit, Walk};
use crate::path::FsPath;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// How many parents are kept open. What lies deeper is opened from the root of the walk.
const HELD_PARENTS: usize = 32;

/// How a directory of a walk is opened: one that has become a link since its parent was listed is not followed.
const ENTER: OFlags = LIST.union(OFlags::NOFOLLOW);

/// A directory whose children are not all done.
struct Parent {
    fd: Option<OwnedFd>,
    children: std::vec::IntoIter<FsPath>,
}

impl Dir {
    /// Walks the tree below this directory, the root of the walk.
    pub(in crate::fs::os) fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(Visit)) {
        let mut listing = Listing::new();
        if self.depth_first(ask, &mut listing, out) {
            return;
        }
        out(Visit { dir: ask.root.clone(), depth: 0, outcome: Outcome::Again });
        visits(ask, out, |dir, depth, enter| {
            let fd = self.enter(ask, dir);
            visit(ask, dir, depth, fd.as_ref().map_err(|errno| *errno), &mut listing, enter)
        });
    }

    /// Hands out the visits in depth-first order. False when there are more directories than may be listed.
    fn depth_first(&self, ask: &Walk<'_>, listing: &mut Listing, out: &mut dyn FnMut(Visit)) -> bool {
        let mut visited = 0;
        let mut parents: Vec<Parent> = Vec::new();
        let mut next = Some(ask.root.clone());
        while let Some(dir) = next {
            if visited >= ask.max_dirs {
                return false;
            }
            visited += 1;
            let depth = parents.len();
            let fd = match parents.last().and_then(|parent| parent.fd.as_ref()) {
                Some(parent) => open(parent.as_fd(), dir.name().as_bytes(), ENTER),
                None => self.enter(ask, &dir),
            };
            let mut enter = Vec::new();
            let outcome = visit(ask, &dir, depth, fd.as_ref().map_err(|errno| *errno), listing, &mut enter);
            out(Visit { dir, depth, outcome });
            enter.sort_unstable();
            enter.dedup();
            let fd = fd.ok().filter(|_| depth < HELD_PARENTS && !enter.is_empty());
            parents.push(Parent { fd, children: enter.into_iter() });
            next = following(&mut parents);
        }
        true
    }

    /// Opens a directory of the walk from its root.
    fn enter(&self, ask: &Walk<'_>, dir: &FsPath) -> Result<OwnedFd, Errno> {
        open(self.fd.as_fd(), dir.below(ask.root).unwrap_or("").as_bytes(), ENTER)
    }
}

/// The next child of the innermost directory that has one; those that have none are done.
fn following(parents: &mut Vec<Parent>) -> Option<FsPath> {
    while let Some(parent) = parents.last_mut() {
        match parent.children.next() {
            Some(child) => return Some(child),
            None => drop(parents.pop()),
        }
    }
    None
}

/// Lists one directory, asks the rule, and reads the heads that it wants.
fn visit(
    ask: &Walk<'_>,
    dir: &FsPath,
    depth: usize,
    fd: Result<&OwnedFd, Errno>,
    listing: &mut Listing,
    enter: &mut Vec<FsPath>,
) -> Outcome {
    let fd = match fd.and_then(|fd| listing.fill(fd.as_fd()).map(|()| fd.as_fd())) {
        Ok(fd) => fd,
        Err(errno) => return Outcome::Failed(fault(errno, dir)),
    };
    listed(judge(ask.step, dir, depth, &listing.entries, enter, |path, entry| match entry.kind {
        Kind::File => open(fd, entry.name.as_bytes(), READ)
            .map_err(|errno| fault(errno, path))
            .and_then(|file| bytes::read(file, path, ask.head)),
        Kind::Dir | Kind::Other | Kind::Missing => read_at(fd, entry.name.as_bytes(), path, ask.head),
    }))
}
