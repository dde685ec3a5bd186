//! What a guard does: it starts the one program, takes orphans from the system, reports the program's end, and ends
//! all that is below it when it is told to, or when the process that it serves is gone. Two threads, neither of which
//! looks again and again: one waits for children that end, the other for word over the socket.

use super::killer::{Pass, Sweep};
use super::{ASK, BEGIN, Report};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recv, recvmsg, send};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    wait, waitid,
};
use rustix::stdio::{dup2_stderr, dup2_stdout, stdin};
use std::env::ArgsOs;
use std::fs::File;
use std::io::{self, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio, exit};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a pass waits for what the one before did: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// After so many passes in a row that found nobody whom we may end, there is nothing left for a guard to do.
const MAX_IDLE: usize = 10;

/// How many times our children are killed before all processes are looked at.
const ROUNDS: usize = 100;

/// How much of the list of our children is read at once.
const MAX_CHILDREN_BYTES: u64 = 1_048_576;

/// What the threads share. Whoever holds it keeps the numbers of the guard's children from being used again.
struct Shared {
    ended: Mutex<Ended>,
    closing: Condvar,
}

#[derive(Default)]
struct Ended {
    /// Whether the program has been taken from the system.
    program: bool,
    /// Whether all are to be ended.
    is_closing: bool,
}

/// Serves one program, and ends.
pub(super) fn run(words: ArgsOs) -> ! {
    let code = match begun(words) {
        Ok(program) => attend(program),
        // Whoever started us by this name did not do it as the engine does, or is gone already.
        Err(error) => {
            report(Report::Failed(error.raw_os_error().unwrap_or(Errno::IO.raw_os_error())));
            2
        }
    };
    exit(code)
}

/// Whether the report is on its way. Where it is not, the one that we serve is gone, and the next word will be its end.
fn report(report: Report) -> bool {
    loop {
        match send(stdin(), &report.bytes(), SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            sent => return sent.is_ok(),
        }
    }
}

/// Starts the program.
fn begun(mut words: ArgsOs) -> io::Result<Pid> {
    let program = words.next().ok_or(Errno::INVAL)?;
    set_child_subreaper(Some(getpid()))?;
    let input = input()?.map_or_else(Stdio::null, Stdio::from);
    let child = Command::new(program).args(words).stdin(input).process_group(0).spawn()?;
    // The outputs are the program's alone, so that they end with it. Refused, they end with us.
    let _ = dup2_stdout(stdin()).and_then(|()| dup2_stderr(stdin()));
    Ok(Pid::from_child(&child))
}

/// The pipe that the program is to read from, where there is one.
fn input() -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut along = RecvAncillaryBuffer::new(&mut space);
    let mut bytes = [0; 1];
    let received = loop {
        match recvmsg(stdin(), &mut [IoSliceMut::new(&mut bytes)], &mut along, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            other => break other?,
        }
    };
    if received.bytes != BEGIN.len() || bytes != *BEGIN {
        return Err(Errno::PROTO.into());
    }
    let rights = along.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    Ok(rights)
}

fn attend(program: Pid) -> i32 {
    let shared = Arc::new(Shared { ended: Mutex::default(), closing: Condvar::new() });
    let reaper = Arc::clone(&shared);
    let is_known = report(Report::Started(program.as_raw_nonzero().get()));
    if !is_known || thread::Builder::new().spawn(move || reap(&reaper, program)).is_err() {
        // Nobody hears of the program's end.
        return end_all(&shared, program);
    }
    loop {
        let mut word = [0; 1];
        match recv(stdin(), &mut word, RecvFlags::empty()) {
            Ok((1, _)) if word == *ASK => {
                let ended = locked(&shared);
                if !ended.program {
                    let _ = kill_process_group(program, Signal::TERM);
                }
                Sweep::new(getpid()).ask(program);
            }
            Err(Errno::INTR) => {}
            // It wants all of them ended, or is gone.
            _ => return end_all(&shared, program),
        }
    }
}

/// Takes children from the system as they end, until there are none.
fn reap(shared: &Shared, program: Pid) {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(_) => {
                take_ended(&mut locked(shared), program);
            }
            Err(Errno::INTR) => {}
            // There is nobody below us any more, and so nobody can come.
            Err(_) => break,
        }
    }
    let mut ended = locked(shared);
    if !ended.program {
        // Somebody had signals of children ignored, so that they are taken from the system as they end.
        ended.program = true;
        report(Report::Ended(0));
    }
    drop(shared.closing.wait_while(ended, |ended| !ended.is_closing));
    exit(0)
}

/// Takes the children that have ended from the system: the program, which is reported, and orphans that came to us.
/// Whether there are others.
fn take_ended(ended: &mut Ended, program: Pid) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == program => {
                ended.program = true;
                report(Report::Ended(status.as_raw()));
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Ends all below us, until the last has been taken from the system.
fn end_all(shared: &Shared, program: Pid) -> i32 {
    {
        let mut ended = locked(shared);
        ended.is_closing = true;
        if !ended.program {
            // All of a group at once: none of it can start another meanwhile.
            let _ = kill_process_group(program, Signal::KILL);
        }
        shared.closing.notify_all();
    }
    let (mut sweep, mut idle, mut pause) = (Sweep::new(getpid()), 0, PAUSES.0);
    thread::sleep(pause);
    while idle < MAX_IDLE {
        // No number of a child is used again between the look and the signal.
        let mut ended = locked(shared);
        for _ in 0..ROUNDS {
            if !take_ended(&mut ended, program) {
                return 0;
            }
            for child in children() {
                // Gone already is as good.
                let _ = kill_process(child, Signal::KILL);
            }
        }
        let pass = sweep.pass();
        drop(ended);
        idle = if pass == Pass::Nobody { idle + 1 } else { 0 };
        if pass != Pass::New {
            thread::sleep(pause);
            pause = PAUSES.1.min(pause * 2);
        }
    }
    0
}

/// Our own children, the orphans that came to us among them; none where the system does not list them. That is one
/// file to read, where a look at all processes takes so long that one that starts another and ends at once is never
/// met.
fn children() -> Vec<Pid> {
    let (mut text, ours) = (String::new(), getpid().as_raw_nonzero());
    let file = File::open(format!("/proc/self/task/{ours}/children"));
    // What is cut is taken the next time.
    let _ = file.and_then(|file| file.take(MAX_CHILDREN_BYTES).read_to_string(&mut text));
    let whole = text.rsplit_once(' ').map_or("", |(whole, _)| whole);
    whole.split(' ').filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}

fn locked(shared: &Shared) -> MutexGuard<'_, Ended> {
    shared.ended.lock().unwrap_or_else(PoisonError::into_inner)
}
