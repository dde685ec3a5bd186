//! In: the number of a child of ours. Out: the processes that come from it, by their parents' numbers, whatever
//! group they are in; and a signal to each who has left its group. One whose parent ended before the look is not found.
//! Absent: systems without Linux's `/proc`, where there are none.

use rustix::process::{Pid, Signal, kill_process};
use std::collections::{HashMap, HashSet};
use std::fs;

/// How many processes of the machine are looked at.
const MAX_SEEN: usize = 65_536;

/// How often it is looked again, for those that came while others were ended.
const MAX_LOOKS: usize = 4;

/// A process by its number and when it began, as numbers are used again.
type Known = (i32, u64);

/// Those who come from one process, as far as they are known.
#[derive(Default)]
pub(super) struct Descendants(HashSet<Known>);

impl Descendants {
    /// Learns of those who are there now. Whether there are new ones.
    pub(super) fn look(&mut self, leader: Pid) -> bool {
        let all = processes();
        let leader = leader.as_raw_nonzero().get();
        // Where the numbers are those of another view of the machine, they say nothing.
        let ours = i32::try_from(std::process::id()).ok();
        let has_leader = all.get(&leader).is_some_and(|process| Some(process.parent) == ours);
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for (number, process) in &all {
            children.entry(process.parent).or_default().push(*number);
        }
        let mut roots: Vec<i32> = self.0.iter().filter(|known| is_there(known, &all)).map(|known| known.0).collect();
        roots.extend(has_leader.then_some(leader));
        let before = self.0.len();
        while let Some(parent) = roots.pop() {
            for child in children.remove(&parent).unwrap_or_default() {
                self.0.extend(all.get(&child).map(|process| (child, process.began)));
                roots.push(child);
            }
        }
        before < self.0.len()
    }

    /// Tells those who are still there, and not in its group.
    pub(super) fn tell(&self, leader: Pid, signal: Signal) {
        let leader = leader.as_raw_nonzero().get();
        let is_elsewhere = |known: &Known, now: &Process| now.began == known.1 && now.group != leader;
        for known in &self.0 {
            let is_meant = process(&known.0.to_string()).is_some_and(|now| is_elsewhere(known, &now));
            if let Some(pid) = Pid::from_raw(known.0).filter(|_| is_meant) {
                // Gone already is as good.
                let _ = kill_process(pid, signal);
            }
        }
    }

    /// Ends them, and those whom they start meanwhile. The group has been ended.
    pub(super) fn kill(&mut self, leader: Pid) {
        for _ in 0..MAX_LOOKS {
            self.tell(leader, Signal::KILL);
            if !self.look(leader) {
                return;
            }
        }
    }
}

struct Process {
    parent: i32,
    group: i32,
    began: u64,
}

fn is_there(known: &Known, all: &HashMap<i32, Process>) -> bool {
    all.get(&known.0).is_some_and(|process| process.began == known.1)
}

fn processes() -> HashMap<i32, Process> {
    let proc = if cfg!(any(target_os = "linux", target_os = "android")) { fs::read_dir("/proc").ok() } else { None };
    let entries = proc.into_iter().flatten().flatten().take(MAX_SEEN);
    let read = |name: &str| Some((name.parse().ok()?, process(name)?));
    entries.filter_map(|entry| read(entry.file_name().to_str()?)).collect()
}

/// From `NUMBER (NAME) STATE PARENT GROUP …`, where the name may hold anything and the 22nd word is when it began.
fn process(number: &str) -> Option<Process> {
    let stat = fs::read(format!("/proc/{number}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let mut words = stat.rsplit_once(") ")?.1.split(' ').skip(1);
    let (parent, group) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(Process { parent, group, began: words.nth(16)?.parse().ok()? })
}
