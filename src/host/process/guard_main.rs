//! The program of a guard: starts the starter of one process, reaps orphans, reports the end of the process, and kills all of its
//! descendants when it is asked to or when the program that started the guard has ended.
//!
//! It has two threads, neither of which polls: one waits for children that end, the other for messages on the socket.

use super::killer::{DescendantKiller, Pass};
use super::{PROGRAM, Report, START, STARTER_NAME, TERMINATE, receive_with};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    wait, waitid,
};
use rustix::stdio::{dup2_stderr, dup2_stdout, stdin};
use std::env::ArgsOs;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long to wait for the effect of one pass before the next: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// After so many passes in a row that found no process to kill, the guard has nothing left to do.
const MAX_IDLE: usize = 10;

/// How many times the guard's children are killed before all processes are searched.
const ROUNDS: usize = 100;

/// How much of the list of the guard's children is read at once.
const MAX_CHILDREN_BYTES: u64 = 1_048_576;

/// The state that the threads share. While `ended` is locked, no child is reaped, so the ids of the guard's children are
/// not reused.
struct Shared {
    ended: Mutex<Ended>,
    closing: Condvar,
}

#[derive(Default)]
struct Ended {
    /// Whether the program has been reaped.
    has_program_ended: bool,
    /// Whether all processes are to be killed.
    is_closing: bool,
}

/// Runs the guard and exits.
pub(super) fn run(words: ArgsOs) -> ! {
    let code = match start(words) {
        Ok(program) => supervise(program),
        // The program cannot be started, or this process was not started by `Guarded::start`.
        Err(error) => {
            report(Report::Failed(error.raw_os_error().unwrap_or(Errno::IO.raw_os_error())));
            2
        }
    };
    exit(code)
}

/// Sends a report. Returns false if the program that started the guard has ended.
fn report(report: Report) -> bool {
    loop {
        match send(stdin(), &report.bytes(), SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            sent => return sent.is_ok(),
        }
    }
}

/// Waits for the message to start, and starts the starter, which becomes the program.
fn start(words: ArgsOs) -> io::Result<Pid> {
    set_child_subreaper(Some(getpid()))?;
    let socket = receive_with(stdin(), START)?.ok_or(Errno::PROTO)?;
    let mut starter = Command::new(PROGRAM);
    let child = starter.arg0(STARTER_NAME).args(words).stdin(socket).process_group(0).spawn()?;
    // The starter alone keeps its socket open, so that the socket closes when it executes the program.
    drop(starter);
    // Only the program keeps the output pipes open, so that they close when it ends. If this fails, they close when the
    // guard exits.
    let _ = dup2_stdout(stdin()).and_then(|()| dup2_stderr(stdin()));
    Ok(Pid::from_child(&child))
}

/// Handles messages until all processes have ended. Returns the guard's exit code.
fn supervise(program: Pid) -> i32 {
    let shared = Arc::new(Shared { ended: Mutex::default(), closing: Condvar::new() });
    let reaper = Arc::clone(&shared);
    let is_reported = report(Report::Started(program.as_raw_nonzero().get()));
    if !is_reported || thread::Builder::new().spawn(move || reap_children(&reaper, program)).is_err() {
        // Without the other program, or without the thread that reaps, the end of the program cannot be reported.
        return kill_all(&shared, program);
    }
    loop {
        let mut message = [0; 1];
        match recv(stdin(), &mut message, RecvFlags::empty()) {
            Ok((1, _)) if message == *TERMINATE => {
                let ended = lock(&shared);
                if !ended.has_program_ended {
                    let _ = kill_process_group(program, Signal::TERM);
                }
                DescendantKiller::new(getpid()).terminate(program);
            }
            Err(Errno::INTR) => {}
            // This is the message to kill, or the program that started the guard has ended.
            _ => return kill_all(&shared, program),
        }
    }
}

/// Reaps children as they end, until there are none.
fn reap_children(shared: &Shared, program: Pid) {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(_) => {
                reap_ended(&mut lock(shared), program);
            }
            Err(Errno::INTR) => {}
            // The guard has no children and no descendants any more, so no new child can appear.
            Err(_) => break,
        }
    }
    let mut ended = lock(shared);
    if !ended.has_program_ended {
        // The guard has inherited an ignored SIGCHLD, so the system has reaped the program itself.
        ended.has_program_ended = true;
        report(Report::EndedWithoutStatus);
    }
    drop(shared.closing.wait_while(ended, |ended| !ended.is_closing));
    exit(0)
}

/// Reaps the children that have ended: the program, whose end is reported, and adopted orphans. Returns whether there are
/// other children.
fn reap_ended(ended: &mut Ended, program: Pid) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == program => {
                ended.has_program_ended = true;
                report(Report::Ended(status.as_raw()));
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Kills all descendants of the guard, until the last one has been reaped. Returns the guard's exit code.
fn kill_all(shared: &Shared, program: Pid) -> i32 {
    {
        let mut ended = lock(shared);
        ended.is_closing = true;
        if !ended.has_program_ended {
            // The whole group is killed at once, so none of its processes can start another meanwhile.
            let _ = kill_process_group(program, Signal::KILL);
        }
        shared.closing.notify_all();
    }
    let (mut killer, mut idle, mut pause) = (DescendantKiller::new(getpid()), 0, PAUSES.0);
    thread::sleep(pause);
    while idle < MAX_IDLE {
        // While this is locked, no id of a child is reused between the search and the signal.
        let mut ended = lock(shared);
        for _ in 0..ROUNDS {
            if !reap_ended(&mut ended, program) {
                return 0;
            }
            for child in children() {
                // It fails if the child has ended already.
                let _ = kill_process(child, Signal::KILL);
            }
        }
        let pass = killer.pass();
        drop(ended);
        idle = if pass == Pass::NoneLeft { idle + 1 } else { 0 };
        if pass != Pass::Stopped {
            thread::sleep(pause);
            pause = PAUSES.1.min(pause * 2);
        }
    }
    0
}

/// The guard's children, including adopted orphans; empty if the system does not list them. Reading this one file is so
/// fast that it also finds a process that starts another and ends at once, which a search of all processes never does.
fn children() -> Vec<Pid> {
    let (mut text, own_id) = (String::new(), getpid().as_raw_nonzero());
    let file = File::open(format!("/proc/self/task/{own_id}/children"));
    // The children beyond the limit are found in the next round.
    let _ = file.and_then(|file| file.take(MAX_CHILDREN_BYTES).read_to_string(&mut text));
    // Every id is followed by a space; one without it was cut off at the limit.
    let whole = text.rsplit_once(' ').map_or("", |(whole, _)| whole);
    whole.split(' ').filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
}

/// Locks the state. It is consistent at any time, so a poisoned lock may be used.
fn lock(shared: &Shared) -> MutexGuard<'_, Ended> {
    shared.ended.lock().unwrap_or_else(PoisonError::into_inner)
}
