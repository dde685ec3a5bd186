//! Finds the descendants of a process by the parent ids in Linux's `/proc`, in whatever group or session they are.
//! [`Descendants`] remembers those found before, as a process whose parent has ended can no longer be found this way.
//! On other systems nothing is found.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{HashMap, HashSet};
use std::fs;

const MAX_SEEN: usize = 65_536;

/// How often [`Descendants::kill`] searches again for processes that were started while others were killed.
const MAX_ROUNDS: usize = 4;

/// Identifies a process: its id and its start time, as the system reuses ids.
pub(super) type ProcessKey = (i32, u64);

/// The known descendants of one process, which is called their leader.
#[derive(Default)]
pub(super) struct Descendants(HashSet<ProcessKey>);

impl Descendants {
    /// Searches for descendants again, and returns whether there are new ones. `is_leader` decides whether the process
    /// that has the leader's id now is the leader.
    pub(super) fn refresh(&mut self, leader: Pid, is_leader: impl Fn(&Process) -> bool) -> bool {
        let all = processes();
        let leader = leader.as_raw_nonzero().get();
        let has_leader = all.get(&leader).is_some_and(is_leader);
        let mut roots: Vec<i32> = self.0.iter().filter(|key| is_running(key, &all)).map(|key| key.0).collect();
        roots.extend(has_leader.then_some(leader));
        let before = self.0.len();
        self.0.extend(descendants_of(roots, &all));
        before < self.0.len()
    }

    /// Sends a signal to those that still run and are not in the leader's group.
    pub(super) fn send_signal(&self, leader: Pid, signal: Signal) {
        for key in &self.0 {
            send_signal(key, signal, Some(leader));
        }
    }

    /// Kills all of them, and the processes that they start meanwhile. The caller has killed the leader's group.
    pub(super) fn kill(&mut self, leader: Pid) {
        for _ in 0..MAX_ROUNDS {
            self.send_signal(leader, Signal::KILL);
            if !self.refresh(leader, |_| false) {
                return;
            }
        }
    }
}

/// Sends a signal to a process if it still runs and is not in the group `except`. Returns false if it was not sent or not
/// permitted.
pub(super) fn send_signal(key: &ProcessKey, signal: Signal, except: Option<Pid>) -> bool {
    let except = except.map(|group| group.as_raw_nonzero().get());
    let is_meant = |now: &Process| now.started == key.1 && Some(now.group) != except;
    let is_running = read_process(&key.0.to_string()).is_some_and(|now| is_meant(&now));
    let Some(pid) = Pid::from_raw(key.0).filter(|_| is_running) else { return false };
    // A process that has just ended counts as one that received the signal.
    kill_process(pid, signal) != Err(Errno::PERM)
}

/// All descendants of these processes that have not ended.
pub(super) fn descendants_of(mut roots: Vec<i32>, all: &HashMap<i32, Process>) -> HashSet<ProcessKey> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (id, process) in all {
        children.entry(process.parent).or_default().push(*id);
    }
    let mut found = HashSet::new();
    while let Some(parent) = roots.pop() {
        for child in children.remove(&parent).into_iter().flatten() {
            let running = all.get(&child).filter(|process| !process.is_zombie);
            found.extend(running.map(|process| (child, process.started)));
            roots.push(child);
        }
    }
    found
}

pub(super) struct Process {
    pub(super) parent: i32,
    pub(super) group: i32,
    /// When it was started, in ticks since the system was booted.
    pub(super) started: u64,
    /// Whether it has ended and was not reaped yet. A process whose main thread alone has ended still runs.
    pub(super) is_zombie: bool,
}

const IS_LINUX: bool = cfg!(any(target_os = "linux", target_os = "android"));

fn is_running(key: &ProcessKey, all: &HashMap<i32, Process>) -> bool {
    all.get(&key.0).is_some_and(|process| process.started == key.1)
}

/// Whether the process ids in `/proc` are valid for this process. In a container, `/proc` may be mounted from outside, and
/// then its ids belong to other processes.
pub(super) fn is_proc_usable() -> bool {
    let own_id = std::process::id().to_string();
    IS_LINUX && fs::read_link("/proc/self").is_ok_and(|id| id.as_os_str() == own_id.as_str())
}

/// All processes by their ids; empty if `/proc` cannot be used.
pub(super) fn processes() -> HashMap<i32, Process> {
    let proc = if is_proc_usable() { fs::read_dir("/proc").ok() } else { None };
    let entries = proc.into_iter().flatten().flatten().take(MAX_SEEN);
    let read = |name: &str| Some((name.parse().ok()?, read_process(name)?));
    entries.filter_map(|entry| read(entry.file_name().to_str()?)).collect()
}

/// Reads a process from `/proc/ID/stat`: `ID (NAME) STATE PARENT GROUP …`, where the name may contain anything, the 20th
/// word is the number of threads, and the 22nd word is the start time. Returns `None` if there is no such process.
pub(super) fn read_process(id: &str) -> Option<Process> {
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let mut words = stat.rsplit_once(") ")?.1.split(' ');
    let is_ended = matches!(words.next()?, "Z" | "X");
    let (parent, group) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let threads: u32 = words.nth(14)?.parse().ok()?;
    let started = words.nth(1)?.parse().ok()?;
    Some(Process { parent, group, started, is_zombie: is_ended && threads <= 1 })
}
