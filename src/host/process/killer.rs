//! Kills all descendants of a process that adopts their orphans, so that none of them can escape.

use super::super::descendants::{ProcessKey, descendants_of, processes, send_signal};
use rustix::process::{Pid, Signal};
use std::collections::HashSet;

/// How many passes may stop new processes before the killing begins. Processes that multiply faster than that are killed
/// while they multiply.
const MAX_STOPS: usize = 64;

/// The result of one [`DescendantKiller::pass`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// New processes were found and stopped.
    Stopped,
    /// Processes were killed.
    Killed,
    /// There are no descendants, or none that this process may kill.
    NoneLeft,
}

/// Kills all descendants of a process that adopts their orphans. First they are stopped with SIGSTOP until a search finds
/// no new ones, and then all are killed. A stopped process starts no others, and unlike a killed one it keeps its place
/// in a limit on the number of processes.
pub(super) struct DescendantKiller {
    root: Pid,
    stopped: HashSet<ProcessKey>,
    stops: usize,
}

impl DescendantKiller {
    pub(super) fn new(root: Pid) -> DescendantKiller {
        DescendantKiller { root, stopped: HashSet::new(), stops: 0 }
    }

    /// Searches once, and stops or kills what it finds.
    pub(super) fn pass(&mut self) -> Pass {
        let found = self.search();
        let new: Vec<ProcessKey> = found.iter().filter(|key| !self.stopped.contains(key)).copied().collect();
        if !new.is_empty() && self.stops < MAX_STOPS {
            self.stops += 1;
            self.stopped.extend(&new);
            for key in &new {
                send_signal(key, Signal::STOP, None);
            }
            return Pass::Stopped;
        }
        self.stopped.extend(&new);
        let killed = found.iter().filter(|key| send_signal(key, Signal::KILL, None)).count();
        if killed == 0 { Pass::NoneLeft } else { Pass::Killed }
    }

    /// Sends SIGTERM to all descendants outside of `group`, which has received it already.
    pub(super) fn terminate(&self, group: Pid) {
        for key in &self.search() {
            send_signal(key, Signal::TERM, Some(group));
        }
    }

    fn search(&self) -> HashSet<ProcessKey> {
        descendants_of(vec![self.root.as_raw_nonzero().get()], &processes())
    }
}
