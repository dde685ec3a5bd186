//! The processes that come from a process, found by the numbers of their parents in Linux's `/proc`, whatever group or
//! session they are in. [`Descendants`] remembers those of a leader from one look to the next, as one whose parent has
//! ended is found no more. On other systems there are none to be found.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{HashMap, HashSet};
use std::fs;

/// How many processes of the machine are looked at.
const MAX_SEEN: usize = 65_536;

/// How often it is looked again, for those that came while others were ended.
const MAX_LOOKS: usize = 4;

/// A process by its number and when it began, as numbers are used again.
pub(super) type Known = (i32, u64);

/// Those who come from one process, as far as they are known.
#[derive(Default)]
pub(super) struct Descendants(HashSet<Known>);

impl Descendants {
    /// Learns of those who are there now. Whether there are new ones. The leader counts where it is the one meant.
    pub(super) fn metadata(&mut self, leader: Pid, is_meant: impl Fn(&Process) -> bool) -> bool {
        let all = processes();
        let leader = leader.as_raw_nonzero().get();
        let has_leader = all.get(&leader).is_some_and(is_meant);
        let mut roots: Vec<i32> = self.0.iter().filter(|known| is_there(known, &all)).map(|known| known.0).collect();
        roots.extend(has_leader.then_some(leader));
        let before = self.0.len();
        self.0.extend(below(roots, &all));
        before < self.0.len()
    }

    /// Tells those who are still there, and not in its group.
    pub(super) fn tell(&self, leader: Pid, signal: Signal) {
        for known in &self.0 {
            tell(known, signal, Some(leader));
        }
    }

    /// Ends them, and those whom they start meanwhile. The group has been ended.
    pub(super) fn kill(&mut self, leader: Pid) {
        for _ in 0..MAX_LOOKS {
            self.tell(leader, Signal::KILL);
            if !self.metadata(leader, |_| false) {
                return;
            }
        }
    }
}

/// Sends a signal to a process, if it is still that one and not of this group. Whether it may have been received.
pub(super) fn tell(known: &Known, signal: Signal, but: Option<Pid>) -> bool {
    let but = but.map(|group| group.as_raw_nonzero().get());
    let is_meant = |now: &Process| now.began == known.1 && Some(now.group) != but;
    let is_there = process(&known.0.to_string()).is_some_and(|now| is_meant(&now));
    let Some(pid) = Pid::from_raw(known.0).filter(|_| is_there) else { return false };
    // Gone already is as good; one that runs as somebody else may not be ended by us.
    kill_process(pid, signal) != Err(Errno::PERM)
}

/// All who come from these processes, and have not ended.
pub(super) fn below(mut roots: Vec<i32>, all: &HashMap<i32, Process>) -> HashSet<Known> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (number, process) in all {
        children.entry(process.parent).or_default().push(*number);
    }
    let mut found = HashSet::new();
    while let Some(parent) = roots.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            let lives = all.get(&child).filter(|process| !process.is_over);
            found.extend(lives.map(|process| (child, process.began)));
            roots.push(child);
        }
    }
    found
}

pub(super) struct Process {
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) began: u64,
    /// Whether it has ended and was not taken from the system yet. One whose first thread alone has ended is not.
    pub(super) is_over: bool,
}

const IS_LINUX: bool = cfg!(any(target_os = "linux", target_os = "android"));

fn is_there(known: &Known, all: &HashMap<i32, Process>) -> bool {
    all.get(&known.0).is_some_and(|process| process.began == known.1)
}

/// Whether the numbers in `/proc` are the ones that signals are sent to. In a container it may be mounted from
/// outside, and then they are those of other processes.
pub(super) fn has_numbers() -> bool {
    let ours = std::process::id().to_string();
    IS_LINUX && fs::read_link("/proc/self").is_ok_and(|number| number.as_os_str() == ours.as_str())
}

pub(super) fn processes() -> HashMap<i32, Process> {
    let proc = if has_numbers() { fs::read_dir("/proc").ok() } else { None };
    let entries = proc.into_iter().flatten().flatten().take(MAX_SEEN);
    let read = |name: &str| Some((name.parse().ok()?, process(name)?));
    entries.filter_map(|entry| read(entry.file_name().to_str()?)).collect()
}

/// From `NUMBER (NAME) STATE PARENT GROUP …`, where the name may hold anything, the 20th word is the number of threads and
/// the 22nd when it began.
pub(super) fn process(number: &str) -> Option<Process> {
    let stat = fs::read(format!("/proc/{number}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let mut words = stat.rsplit_once(") ")?.1.split(' ');
    let is_zombie = matches!(words.next()?, "Z" | "X");
    let (parent, group) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let threads: u32 = words.nth(14)?.parse().ok()?;
    let began = words.nth(1)?.parse().ok()?;
    Some(Process { parent, group, began, is_over: is_zombie && threads <= 1 })
}
