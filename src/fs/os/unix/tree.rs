//! Walks an open directory. A tree within its bound is walked depth first, and each directory is opened by name
//! relative to its parent, while the kernel has both cached. A large tree is shared with helper threads; the caller's
//! thread walks too, and is the only one that hands out visits. However deep a tree is, a bounded number of directories is open,
//! and each is opened by a bounded number of calls. Whether a tree is within its bound is known only at the
//! end: a tree that is not is walked again by levels, which define where it is cut. There is no recursion, and symlinks
//! are not followed.

use super::{Dir, LIST, Listing, PASS, READ, fault, open, read_at, read_open};
use crate::fs::walk::{judge, listed, visits};
use crate::fs::{Entry, FileKind, Step, Visit, VisitOutcome, Walk, locked};
use crate::path::FsPath;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{OFlags, fstat};
use rustix::io::Errno;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many parents all threads of a walk keep open together. One that is closed although some of its directories have yet
/// to be visited is opened again from where its thread is then.
const MAX_OPEN_PARENTS: usize = 32;

/// How many directories are gone through before others help: a thread costs more than a small tree gives.
const ALONE_DIRS: usize = 500;

/// How many visits a helper hands over at once, and how many such handfuls wait: heads of files are held in them.
const HANDFUL: usize = 32;
const HANDFULS: usize = 8;

/// How a directory of a walk is opened: one that has become a link since its parent was listed is not followed.
const ENTER: OFlags = LIST.union(OFlags::NOFOLLOW);

struct Task {
    dir: FsPath,
    depth: usize,
    parent: Parent,
}

#[derive(Clone)]
enum Parent {
    /// It is the root of the walk, or there is none.
    Root,
    Open(Arc<OpenParent>),
    /// It is not, and is the directory with this identity.
    Closed(Option<Identity>),
}

/// A directory that is kept open, counted until it is closed.
struct OpenParent {
    fd: OwnedFd,
    count: Arc<AtomicUsize>,
}

impl Drop for OpenParent {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Relaxed);
    }
}

/// What visiting takes, used for one directory after another.
#[derive(Default)]
struct Room {
    listing: Listing,
    steps: Vec<Step>,
    /// The directories to enter from the one that was visited last.
    enter: Vec<FsPath>,
    head: Vec<u8>,
    /// The last parent that this thread could not keep open for all its directories.
    near: Option<(FsPath, OwnedFd)>,
}

impl Room {
    /// Takes the room of a head that nobody wants any more.
    fn reclaim(&mut self, visit: Visit) {
        let VisitOutcome::Listed(noted) = visit.outcome else { return };
        for head in noted.into_iter().filter_map(|noted| noted.prefix?.ok()) {
            if self.head.capacity() < head.bytes.capacity() {
                self.head = head.bytes;
            }
        }
    }
}

struct Crew<'a> {
    ask: &'a Walk<'a>,
    root: &'a Dir,
    begun: AtomicUsize,
    open_parents: Arc<AtomicUsize>,
    /// Whether all shall stop, as there are more directories than may be listed.
    is_over: AtomicBool,
    /// How many have nothing to do, and would take some of another's.
    idle: AtomicUsize,
    pool: Mutex<Pool>,
    wake: Condvar,
}

struct Pool {
    tasks: Vec<Task>,
    /// How many have tasks of their own; when nobody has and there are none here, the tree is done.
    busy: usize,
}

impl Dir {
    /// Walks the tree below this directory, the root of the walk, with at most so many threads.
    pub(in crate::fs::os) fn walk(&self, ask: &Walk<'_>, threads: &dyn Fn() -> usize, out: &mut dyn FnMut(&mut Visit)) {
        let crew = Crew {
            ask,
            root: self,
            begun: AtomicUsize::new(0),
            open_parents: Arc::default(),
            is_over: AtomicBool::new(false),
            idle: AtomicUsize::new(0),
            pool: Mutex::new(Pool { tasks: Vec::new(), busy: 1 }),
            wake: Condvar::new(),
        };
        thread::scope(|scope| {
            let (give, take) = sync_channel(HANDFULS);
            let mut give = Some(give);
            let mut help = || {
                let Some(give) = give.take() else { return };
                for _ in 1..threads() {
                    let (crew, give) = (&crew, give.clone());
                    // Where no thread can be had, fewer do it.
                    let _ = thread::Builder::new().spawn_scoped(scope, move || crew.help(&give));
                }
            };
            crew.lead(&mut help, &take, out);
        });
        if !crew.is_over.load(Relaxed) {
            return;
        }
        out(&mut Visit { dir: ask.root.clone(), depth: 0, outcome: VisitOutcome::Restarted });
        let mut room = Room::default();
        visits(ask, out, |dir, depth, enter| {
            let fd = self.enter(ask, dir, LIST);
            let outcome = visit(ask, dir, depth, fd.as_ref().map_err(|errno| *errno), &mut room);
            enter.append(&mut room.enter);
            outcome
        });
    }

    /// Opens a directory of the walk from its root.
    fn enter(&self, ask: &Walk<'_>, dir: &FsPath, flags: OFlags) -> Result<OwnedFd, Errno> {
        let rel = dir.relative_to(ask.root);
        debug_assert!(rel.is_some(), "a walk enters only directories below its root");
        self.open_dir(rel.ok_or(Errno::NOENT)?, flags)
    }
}

impl Crew<'_> {
    /// What the caller's thread does: it walks, hands out what is seen, and has others help when the tree is large.
    fn lead(&self, help: &mut dyn FnMut(), take: &Receiver<Vec<Visit>>, out: &mut dyn FnMut(&mut Visit)) {
        let mut room = Room::default();
        let mut hand_out = |mut visit: Visit, room: &mut Room| {
            out(&mut visit);
            room.reclaim(visit);
        };
        let mut own = vec![Task { dir: self.ask.root.clone(), depth: 0, parent: Parent::Root }];
        let (mut has_help, mut is_resting) = (false, false);
        loop {
            match self.next(&mut own, &mut room) {
                Some(visit) => hand_out(visit, &mut room),
                None if !has_help || self.is_over.load(Relaxed) => return,
                // With nothing of its own it waits for what the others bring, and takes some of what is theirs.
                None => {
                    if !is_resting {
                        drop(self.rest());
                    }
                    let Ok(handful) = take.recv() else { return };
                    handful.into_iter().for_each(|visit| hand_out(visit, &mut room));
                    own = self.share(&mut locked(&self.pool));
                    is_resting = own.is_empty();
                }
            }
            if has_help {
                take.try_iter().flatten().for_each(|visit| hand_out(visit, &mut room));
            } else if ALONE_DIRS <= self.begun.load(Relaxed) {
                help();
                has_help = true;
            }
        }
    }

    /// What a helping thread does: it walks what others leave to it until there is nothing left.
    fn help(&self, give: &SyncSender<Vec<Visit>>) {
        let _guard = Guard(self);
        let mut room = Room::default();
        let mut handful = Vec::with_capacity(HANDFUL);
        self.idle.fetch_add(1, Relaxed);
        let mut pool = locked(&self.pool);
        loop {
            let mut own = self.share(&mut pool);
            if own.is_empty() {
                if pool.busy == 0 || self.is_over.load(Relaxed) {
                    return;
                }
                pool = self.wake.wait(pool).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            drop(pool);
            while let Some(visit) = self.next(&mut own, &mut room) {
                handful.push(visit);
                let is_awaited = handful.len() == HANDFUL || 0 < self.idle.load(Relaxed) || own.is_empty();
                if is_awaited && give.send(std::mem::replace(&mut handful, Vec::with_capacity(HANDFUL))).is_err() {
                    return;
                }
            }
            pool = self.rest();
        }
    }

    /// Visits the next of one's own directories. None when there is none, or when all shall stop.
    fn next(&self, own: &mut Vec<Task>, room: &mut Room) -> Option<Visit> {
        let Task { dir, depth, parent } = own.pop()?;
        if self.ask.max_dirs <= self.begun.fetch_add(1, Relaxed) {
            self.stop();
        }
        if self.is_over.load(Relaxed) {
            return None;
        }
        let opened = match &parent {
            Parent::Root if depth == 0 => None,
            Parent::Root => Some(open(self.root.fd.as_fd(), dir.name().as_bytes(), ENTER)),
            Parent::Open(parent) => Some(open(parent.fd.as_fd(), dir.name().as_bytes(), ENTER)),
            Parent::Closed(parent) => Some(self.open_again(&dir, *parent, &mut room.near)),
        };
        let fd = opened.as_ref().map_or(Ok(&self.root.fd), |fd| fd.as_ref().map_err(|errno| *errno));
        let outcome = visit(self.ask, &dir, depth, fd, room);
        if !room.enter.is_empty() {
            room.enter.sort_unstable();
            room.enter.dedup();
            let parent = match opened {
                Some(Ok(fd)) => self.keep(fd, &dir, &mut room.near),
                Some(Err(_)) | None => Parent::Root,
            };
            own.extend(room.enter.drain(..).rev().map(|dir| Task { dir, depth: depth + 1, parent: parent.clone() }));
        }
        if 1 < own.len() && 0 < self.idle.load(Relaxed) {
            // The oldest, which most is below.
            locked(&self.pool).tasks.extend(own.drain(..own.len() / 2));
            self.wake.notify_all();
        }
        Some(Visit { dir, depth, outcome })
    }

    /// Keeps a directory open for those in it if it may, or else as the one that is near.
    fn keep(&self, fd: OwnedFd, dir: &FsPath, near: &mut Option<(FsPath, OwnedFd)>) -> Parent {
        if self.open_parents.fetch_add(1, Relaxed) < MAX_OPEN_PARENTS {
            return Parent::Open(Arc::new(OpenParent { fd, count: Arc::clone(&self.open_parents) }));
        }
        self.open_parents.fetch_sub(1, Relaxed);
        let identity = identity(&fd);
        *near = Some((dir.clone(), fd));
        Parent::Closed(identity)
    }

    /// Opens a directory whose parent was closed. A thread goes through a tree depth first, so the parent is near, or above
    /// what is: going up from there takes one call, and not one for each name from the root on. A directory that was moved
    /// meanwhile leads elsewhere, which shows in the identity of what it leads to.
    fn open_again(
        &self,
        dir: &FsPath,
        identity_of_parent: Option<Identity>,
        near: &mut Option<(FsPath, OwnedFd)>,
    ) -> Result<OwnedFd, Errno> {
        let parent = dir.dirname();
        let below = near.as_ref().and_then(|(path, fd)| Some((path.relative_to(&parent)?, fd)));
        match below {
            Some(("", _)) => {}
            Some((names, fd)) => {
                let up = "../".repeat(1 + names.matches('/').count());
                let above = open(fd.as_fd(), up.as_bytes(), PASS);
                *near = above
                    .ok()
                    .filter(|fd| identity_of_parent.is_some() && identity(fd) == identity_of_parent)
                    .map(|fd| (parent.clone(), fd));
            }
            None => *near = None,
        }
        let (_, fd) = match near {
            Some(near) => near,
            None => near.insert((parent.clone(), self.root.enter(self.ask, &parent, PASS)?)),
        };
        open(fd.as_fd(), dir.name().as_bytes(), ENTER)
    }

    /// One who had tasks has none any more.
    fn rest(&self) -> MutexGuard<'_, Pool> {
        let mut pool = locked(&self.pool);
        pool.busy -= 1;
        self.idle.fetch_add(1, Relaxed);
        self.wake.notify_all();
        pool
    }

    /// Half of the tasks that are there for all; who gets some has tasks again.
    fn share(&self, pool: &mut Pool) -> Vec<Task> {
        let own = pool.tasks.split_off(pool.tasks.len() / 2);
        if !own.is_empty() {
            pool.busy += 1;
            self.idle.fetch_sub(1, Relaxed);
        }
        own
    }

    fn stop(&self) {
        // Under the lock, so that nobody goes to sleep in between.
        let _pool = locked(&self.pool);
        self.is_over.store(true, Relaxed);
        self.wake.notify_all();
    }
}

/// The device and the number of a directory, which no other has while it is there.
type Identity = [i128; 2];

fn identity(fd: &OwnedFd) -> Option<Identity> {
    fstat(fd).ok().map(|stat| [i128::from(stat.st_dev), i128::from(stat.st_ino)])
}

/// Nobody waits for one who has panicked.
struct Guard<'c, 'a>(&'c Crew<'a>);

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

/// Lists one directory, asks the rule, and reads the heads that it wants.
fn visit(ask: &Walk<'_>, dir: &FsPath, depth: usize, fd: Result<&OwnedFd, Errno>, room: &mut Room) -> VisitOutcome {
    let Room { listing, steps, enter, head, .. } = room;
    let fd = match fd.and_then(|fd| listing.fill(fd.as_fd()).map(|()| fd.as_fd())) {
        Ok(fd) => fd,
        Err(errno) => return VisitOutcome::Failed(fault(errno, dir)),
    };
    let read = |entry: &Entry| {
        let name = entry.name.as_bytes();
        let read = match entry.kind {
            // What has become a link since it was listed is not followed.
            FileKind::File if !entry.is_symlink => open(fd, name, READ.union(OFlags::NOFOLLOW))
                .and_then(|file| read_open(file, ask.prefix_len, std::mem::take(head))),
            FileKind::File | FileKind::Dir | FileKind::Other | FileKind::Broken => read_at(fd, name, ask.prefix_len),
        };
        match read {
            Ok(head) => Some(Ok(head)),
            Err(errno) => Some(Err(fault(errno, &dir.child(&entry.name).ok()?))),
        }
    };
    listed(judge(ask.step, (dir, depth, listing.entries()), steps, enter, read))
}
