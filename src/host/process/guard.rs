//! Starts a process under a guard: a second instance of this program, which starts the process and later kills it with
//! all of its descendants.
//!
//! The guard adopts orphans (it is a "child subreaper"), so no descendant can escape by leaving its group, its session or
//! its parent. The guard kills all of them when it is asked to, and when this program has ended in any way, and then it
//! exits.
//!
//! The two programs communicate over a socket pair, whose other end is the guard's standard input. The guard notices the
//! end of this program by the closed socket. That works after SIGKILL as well, and unlike Linux's parent-death signal it
//! does not depend on the thread that started the guard.
//!
//! The process could kill or stop its guard with its first instruction. So the guard first starts a third instance of this
//! program, the starter, which waits on a socket of its own. Only when the guard has reported the starter's id does this
//! program tell the starter to execute the process in its place, under the same id. The process inherits its output pipes
//! through the guard; the pipe for its standard input is sent to the starter.

#[path = "guard_main.rs"]
mod guard_main;
#[path = "killer.rs"]
mod killer;
#[path = "starter.rs"]
mod starter;

use super::super::Status;
use super::descendants::{Descendants, Process, ProcessKey, is_proc_usable, read_process};
use killer::{DescendantKiller, Pass};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType, recv, recvmsg, send, sendmsg, socketpair,
};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::ffi::OsStr;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The file of this program, even if its path was replaced or deleted since.
const PROGRAM: &str = "/proc/self/exe";

/// The name (`argv[0]`) that a guard is started by, which no other instance of the program has.
const NAME: &str = "skilltree-guard";
/// The name that a starter is started by.
const STARTER_NAME: &str = "skilltree-starter";

/// The message that makes the guard start the starter. It carries the starter's end of its socket.
const START: &[u8] = b"B";
/// The message that makes the starter execute the process. It carries the pipe for standard input, if there is one.
const EXECUTE: &[u8] = b"X";
/// The message that makes the guard send SIGTERM to all processes.
const TERMINATE: &[u8] = b"A";
/// The message that makes the guard kill all processes.
const KILL: &[u8] = b"K";

/// How long to wait for the guard to kill all processes. It never finishes if somebody keeps stopping it.
const GUARD_WAIT: Duration = Duration::from_secs(10);

/// How many passes [`Guarded::kill_in_place_of_guard`] makes.
const MAX_PASSES: usize = 200;

/// How long to wait for the effect of one pass before the next.
const PAUSE: Duration = Duration::from_millis(10);

/// Whether processes are started under a guard.
static IS_ON: OnceLock<bool> = OnceLock::new();

/// A message from the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Report {
    /// The starter was started and has this id, which the process will have.
    Started(i32),
    /// The starter could not be started; the error number.
    Failed(i32),
    /// The process has ended with this wait status.
    Ended(i32),
    /// The process has ended, and the operating system has not kept its status.
    EndedWithoutStatus,
}

impl Report {
    fn bytes(self) -> [u8; 5] {
        let (kind, value) = match self {
            Report::Started(pid) => (b's', pid),
            Report::Failed(error) => (b'f', error),
            Report::Ended(status) => (b'e', status),
            Report::EndedWithoutStatus => (b'u', 0),
        };
        let [a, b, c, d] = value.to_le_bytes();
        [kind, a, b, c, d]
    }

    fn from_bytes(bytes: [u8; 5]) -> Option<Report> {
        let [kind, a, b, c, d] = bytes;
        let value = i32::from_le_bytes([a, b, c, d]);
        match kind {
            b's' => Some(Report::Started(value)),
            b'f' => Some(Report::Failed(value)),
            b'e' => Some(Report::Ended(value)),
            b'u' => Some(Report::EndedWithoutStatus),
            _ => None,
        }
    }
}

/// Makes the processes that are started from now on start under a guard. In an instance that is a guard or a starter
/// itself, this does the instance's work and does not return.
pub(super) fn guard() {
    let mut words = std::env::args_os();
    match words.next() {
        Some(name) if name == NAME => guard_main::run(words),
        Some(name) if name == STARTER_NAME => starter::run(words),
        _ => {}
    }
    let _ = IS_ON.set(can_start_itself() && is_proc_usable());
}

/// Whether this program can be started again by its file. If the dynamic linker was started with the program as its
/// argument, the file is the linker.
fn can_start_itself() -> bool {
    let file = std::fs::read_link(PROGRAM);
    let name = file.as_ref().ok().and_then(|file| file.file_name());
    name.map(OsStr::to_string_lossy).is_some_and(|name| !name.starts_with("ld-") && !name.starts_with("ld.so"))
}

/// A command that starts the program under a guard. Returns `None` if guards are not in use.
pub(super) fn command(program: &OsStr) -> Option<Command> {
    IS_ON.get().filter(|is_on| **is_on)?;
    let mut command = Command::new(PROGRAM);
    command.arg0(NAME).arg(program);
    Some(command)
}

/// Whether [`command`] returned this command.
pub(super) fn is_guarded(command: &Command) -> bool {
    IS_ON.get() == Some(&true) && command.get_program() == PROGRAM
}

/// A process under a guard.
pub(super) struct Guarded {
    guard: Child,
    /// Our end of the socket pair.
    socket: OwnedFd,
    /// The process itself, if it could be identified after its start.
    program: Option<ProcessKey>,
    /// How the process ended, if it has ended.
    ended: Option<Status>,
    /// Whether the guard has ended, because its work is done or because it was killed.
    is_guard_gone: bool,
}

impl Guarded {
    /// Starts the process. Also returns the pipe to its standard input, if `has_input`.
    pub(super) fn start(mut command: Command, has_input: bool) -> io::Result<(Guarded, Option<ChildStdin>)> {
        let (socket, guards) = new_sockets()?;
        let (starter, starters) = new_sockets()?;
        let pipe = if has_input { Some(pipe_with(PipeFlags::CLOEXEC)?) } else { None };
        let (read, write) = pipe.unzip();
        let guard = command.stdin(guards).process_group(0).spawn()?;
        // The command owns the guard's end of the socket pair. While that is open, the end of the guard goes unnoticed.
        drop(command);
        let mut guarded = Guarded { guard, socket, program: None, ended: None, is_guard_gone: false };
        let started = guarded.start_starter(starters).and_then(|()| execute(&starter, read));
        if let Err(error) = started {
            guarded.kill();
            guarded.reap();
            return Err(error);
        }
        Ok((guarded, write.map(ChildStdin::from)))
    }

    /// Makes the guard start the starter, and remembers the starter's id.
    fn start_starter(&mut self, starters: OwnedFd) -> io::Result<()> {
        send_with(&self.socket, START, Some(starters.as_fd()))?;
        match self.receive(RecvFlags::empty())? {
            Some(Report::Started(pid)) => {
                let started = Pid::from_raw(pid).and_then(process_of).map(|process| process.started);
                self.program = started.map(|started| (pid, started));
                Ok(())
            }
            Some(Report::Failed(error)) => Err(io::Error::from_raw_os_error(error)),
            _ => Err(io::Error::other("its supervising process exited before the program was started")),
        }
    }

    /// Takes the pipes of its outputs.
    pub(super) fn outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.guard.stdout.take(), self.guard.stderr.take())
    }

    /// The next report; `None` if the guard has ended.
    fn receive(&self, flags: RecvFlags) -> rustix::io::Result<Option<Report>> {
        loop {
            let mut bytes = [0; 5];
            match recv(&self.socket, &mut bytes, flags) {
                Ok((0, _)) => return Ok(None),
                Ok(_) => match Report::from_bytes(bytes) {
                    None => {}
                    known => return Ok(known),
                },
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A file descriptor that becomes readable when the guard reports the end of the process, or ends.
    pub(super) fn report_fd(&self) -> Option<BorrowedFd<'_>> {
        (self.ended.is_none() && !self.is_guard_gone).then(|| self.socket.as_fd())
    }

    /// Whether the process has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        while self.report_fd().is_some() {
            match self.receive(RecvFlags::DONTWAIT) {
                Ok(Some(report)) => self.note_end(report),
                Err(Errno::AGAIN) => return false,
                Ok(None) | Err(_) => self.is_guard_gone = true,
            }
        }
        true
    }

    /// Remembers how the process ended, if the report says so.
    fn note_end(&mut self, report: Report) {
        match report {
            Report::Ended(status) => self.ended = Some(Some(ExitStatus::from_raw(status))),
            Report::EndedWithoutStatus => self.ended = Some(None),
            Report::Started(_) | Report::Failed(_) => {}
        }
    }

    /// Sends SIGTERM to the process and its descendants.
    pub(super) fn terminate(&mut self) {
        self.send_message(TERMINATE);
    }

    /// Kills the process and its descendants.
    pub(super) fn kill(&mut self) {
        self.send_message(KILL);
        // This also notices that the guard has ended.
        self.has_ended();
        if self.is_guard_gone {
            self.kill_without_guard();
        } else {
            // Somebody may have stopped the guard with SIGSTOP.
            let _ = kill_process(Pid::from_child(&self.guard), Signal::CONT);
        }
    }

    fn send_message(&self, message: &[u8]) {
        // If this fails, the guard has ended, which the next `receive` reports.
        let _ = send(&self.socket, message, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
    }

    /// Waits until the process and its descendants have ended, and returns the status of the process. If the guard was
    /// killed before it reported the status, this is the status of the guard.
    pub(super) fn reap(&mut self) -> Status {
        let until = Instant::now() + GUARD_WAIT;
        while !self.is_guard_gone && Instant::now() < until {
            match self.receive(RecvFlags::DONTWAIT) {
                Ok(Some(report)) => self.note_end(report),
                Err(Errno::AGAIN) => {
                    let wait = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
                    // After an error, `receive` is tried again without the pause.
                    let _ = poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], Some(&wait));
                }
                Ok(None) | Err(_) => self.is_guard_gone = true,
            }
        }
        // A guard that is still running kills what is left later.
        let has_ended = self.is_guard_gone || self.kill_in_place_of_guard();
        let guard = if has_ended { self.guard.wait().ok() } else { None };
        self.ended.unwrap_or_else(|| guard.filter(|status| !status.success()))
    }

    /// Does the guard's work, and kills the guard afterwards. The guard adopts orphans even while it is stopped. Returns
    /// whether all descendants have ended.
    fn kill_in_place_of_guard(&mut self) -> bool {
        let mut killer = DescendantKiller::new(Pid::from_child(&self.guard));
        for _ in 0..MAX_PASSES {
            match killer.pass() {
                Pass::Stopped => {}
                Pass::Killed => std::thread::sleep(PAUSE),
                Pass::NoneLeft => {
                    let _ = kill_process(Pid::from_child(&self.guard), Signal::KILL);
                    return true;
                }
            }
        }
        false
    }

    /// Kills what can be found after somebody has killed the guard: the group of the process, and its descendants by their
    /// parent ids.
    fn kill_without_guard(&mut self) {
        let Some(((pid, started), leader)) = self.program.and_then(|key| Some((key, Pid::from_raw(key.0)?))) else {
            return;
        };
        let is_program = process_of(leader).is_some_and(|now| now.started == started && now.group == pid);
        if is_program {
            let mut descendants = Descendants::default();
            descendants.refresh(leader, |now| now.started == started);
            let _ = kill_process_group(leader, Signal::KILL);
            descendants.kill(leader);
        }
    }
}

/// A pair of connected sockets that keep the bounds of messages.
fn new_sockets() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
}

/// Makes the starter execute the process, and waits until that has succeeded or failed.
fn execute(starter: &OwnedFd, input: Option<OwnedFd>) -> io::Result<()> {
    // If this fails, the starter has ended, which the guard reports.
    let _ = send_with(starter, EXECUTE, input.as_ref().map(AsFd::as_fd));
    loop {
        let mut error = [0; 4];
        match recv(starter, &mut error, RecvFlags::empty()) {
            Ok((4, _)) => return Err(io::Error::from_raw_os_error(i32::from_le_bytes(error))),
            Err(Errno::INTR) => {}
            // Executing the process has closed the socket.
            _ => return Ok(()),
        }
    }
}

/// Sends a message together with a file descriptor.
fn send_with(socket: &OwnedFd, message: &[u8], fd: Option<BorrowedFd<'_>>) -> rustix::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let fds: Vec<BorrowedFd<'_>> = fd.into_iter().collect();
    if !fds.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(&fds));
    }
    sendmsg(socket, &[IoSlice::new(message)], &mut ancillary, SendFlags::NOSIGNAL).map(drop)
}

/// Waits for this message of one byte. Returns the file descriptor that came with it, if there was one.
fn receive_with(socket: impl AsFd, message: &[u8]) -> rustix::io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut bytes = [0; 1];
    let received = loop {
        match recvmsg(&socket, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            other => break other?,
        }
    };
    if received.bytes != message.len() || bytes != *message {
        return Err(Errno::PROTO);
    }
    let fd = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    Ok(fd)
}

/// The process that has this id now, if there is one.
fn process_of(pid: Pid) -> Option<Process> {
    read_process(&pid.as_raw_nonzero().to_string())
}
