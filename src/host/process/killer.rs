//! Ends all processes below one which orphans come back to, so that none of them can get out of sight.

use super::super::descendants::{Known, below, processes, tell};
use rustix::process::{Pid, Signal};
use std::collections::HashSet;

/// How many passes of a sweep stop processes before they kill: who multiplies faster than that is killed as it comes.
const MAX_STOPS: usize = 64;

/// What a pass of a [`Sweep`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// There were new ones, who have been stopped.
    New,
    /// Some were killed.
    Killed,
    /// There is nobody, or nobody whom we may end.
    Nobody,
}

/// Ends all that is below a process which orphans come back to. They are stopped first, until a look finds nobody
/// new, and then killed: one that is stopped starts no other, and does not make room for another as the dead do.
pub(super) struct Sweep {
    root: Pid,
    stopped: HashSet<Known>,
    stops: usize,
}

impl Sweep {
    pub(super) fn new(root: Pid) -> Sweep {
        Sweep { root, stopped: HashSet::new(), stops: 0 }
    }

    /// One look, and what follows from it.
    pub(super) fn pass(&mut self) -> Pass {
        let found = self.found();
        let new: Vec<Known> = found.iter().filter(|known| !self.stopped.contains(known)).copied().collect();
        if !new.is_empty() && self.stops < MAX_STOPS {
            self.stops += 1;
            self.stopped.extend(&new);
            for known in &new {
                tell(known, Signal::STOP, None);
            }
            return Pass::New;
        }
        self.stopped.extend(&new);
        let killed = found.iter().filter(|known| tell(known, Signal::KILL, None)).count();
        if killed == 0 { Pass::Nobody } else { Pass::Killed }
    }

    /// Asks all of them to end, but for a group that has been asked.
    pub(super) fn ask(&self, group: Pid) {
        for known in &self.found() {
            tell(known, Signal::TERM, Some(group));
        }
    }

    fn found(&self) -> HashSet<Known> {
        below(vec![self.root.as_raw_nonzero().get()], &processes())
    }
}
