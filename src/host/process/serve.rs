//! What a guard does: it starts the one program, takes orphans from the system, reports the program's end, and ends
//! all that is below it when it is told to, or when the process that it serves is gone. Two threads, neither of which
//! looks again and again: one waits for children that end, the other for word over the socket.

use super::super::descendants::{Pass, Sweep};
use super::{ASK, BEGIN, Report};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recv, recvmsg, send,
};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process_group, set_child_subreaper, wait, waitid,
};
use rustix::stdio::{dup2_stderr, dup2_stdout, stdin};
use std::env::ArgsOs;
use std::io::{self, IoSliceMut};
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

/// What the threads share. Whoever holds it keeps the numbers of the guard's children from being used again.
struct Shared {
    /// Whether the program has been taken from the system.
    has_ended: Mutex<Ended>,
    closing: Condvar,
}

#[derive(Default)]
struct Ended {
    program: bool,
    is_closing: bool,
}

/// Serves one program, and ends.
pub(super) fn serve(words: ArgsOs) -> ! {
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

fn report(report: Report) {
    // Where nobody hears it, the one that we serve is gone, and the next word from it will be its end.
    let _ = send(stdin(), &report.bytes(), SendFlags::NOSIGNAL);
}

/// Starts the program.
fn begun(mut words: ArgsOs) -> io::Result<Pid> {
    let program = words.next().ok_or(Errno::INVAL)?;
    set_child_subreaper(Some(getpid()))?;
    let input = input()?.map_or_else(Stdio::null, Stdio::from);
    let child = Command::new(program).args(words).stdin(input).process_group(0).spawn()?;
    // The outputs are the program's alone, so that they end with it.
    dup2_stdout(stdin())?;
    dup2_stderr(stdin())?;
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
    let shared = Arc::new(Shared { has_ended: Mutex::default(), closing: Condvar::new() });
    let reaper = Arc::clone(&shared);
    report(Report::Started(program.as_raw_nonzero().get()));
    // Without the other thread the program is ended at once, and its status is lost.
    let _ = thread::Builder::new().spawn(move || reap(&reaper, program)).map_err(|_| end_all(&shared, program));
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

/// Takes children from the system as they end: the program, and orphans of its descendants.
fn reap(shared: &Shared, program: Pid) {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(_) => {
                let mut ended = locked(shared);
                if let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                    if pid == program {
                        ended.program = true;
                        report(Report::Ended(status.as_raw()));
                    }
                }
            }
            Err(Errno::INTR) => {}
            // There is nobody below us any more, and so nobody can come.
            Err(_) => break,
        }
    }
    let is_open = |ended: &mut Ended| !ended.is_closing;
    drop(shared.closing.wait_while(locked(shared), is_open));
    exit(0)
}

/// Ends all below us. When the last has been taken from the system, the other thread ends the guard.
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
        let pass = {
            let _no_number_is_used_again = locked(shared);
            sweep.pass()
        };
        idle = if pass == Pass::Nobody { idle + 1 } else { 0 };
        if pass != Pass::New {
            thread::sleep(pause);
            pause = PAUSES.1.min(pause * 2);
        }
    }
    0
}

fn locked(shared: &Shared) -> MutexGuard<'_, Ended> {
    shared.has_ended.lock().unwrap_or_else(PoisonError::into_inner)
}
