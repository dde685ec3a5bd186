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

use super::super::Status;
use super::descendants::{
    Descendants, Process, ProcessKey, descendants_of, is_proc_usable, processes, read_process, send_signal,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType, recv, recvmsg, send, sendmsg, socketpair,
};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    wait, waitid,
};
use rustix::stdio::{dup2_stderr, dup2_stdout, stdin};
use std::collections::HashSet;
use std::env::ArgsOs;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio, exit};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The file of this program, even if its path was replaced or deleted since.
const PROGRAM: &str = "/proc/self/exe";

/// The name (`argv[0]`) that a guard is started by, which no other instance of the program has.
const NAME: &str = "skilltree-guard";
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

const MAX_PASSES: usize = 200;

/// How long to wait for the effect of one pass before the next.
const PAUSE: Duration = Duration::from_millis(10);

static IS_ON: OnceLock<bool> = OnceLock::new();

/// A report of the guard: one of the kinds below, and a number.
type Report = (u8, i32);

/// The starter was started and has this id, which the process will have.
const STARTED: u8 = b's';
/// The starter could not be started; the error number.
const FAILED: u8 = b'f';
/// The process has ended with this wait status.
const ENDED: u8 = b'e';
/// The process has ended, and the operating system has not kept its status.
const ENDED_WITHOUT_STATUS: u8 = b'u';

/// Makes the processes that are started from now on start under a guard. In an instance that is a guard or a starter
/// itself, this does the instance's work and does not return.
pub(super) fn guard() {
    let mut words = std::env::args_os();
    match words.next() {
        Some(name) if name == NAME => run_guard(words),
        Some(name) if name == STARTER_NAME => run_starter(words),
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

pub(super) fn is_guarded(command: &Command) -> bool {
    IS_ON.get() == Some(&true) && command.get_program() == PROGRAM
}

pub(super) struct Guarded {
    guard: Child,
    /// Our end of the socket pair.
    socket: OwnedFd,
    /// The process itself, if it could be identified after its start.
    program: Option<ProcessKey>,
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
        let guard = super::spawn(command.stdin(guards).process_group(0))?;
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

    fn start_starter(&mut self, starters: OwnedFd) -> io::Result<()> {
        send_with(&self.socket, START, Some(starters.as_fd()))?;
        match self.receive(RecvFlags::empty())? {
            Some((STARTED, pid)) => {
                let started = Pid::from_raw(pid).and_then(process_of).map(|process| process.started);
                self.program = started.map(|started| (pid, started));
                Ok(())
            }
            Some((FAILED, error)) => Err(io::Error::from_raw_os_error(error)),
            _ => Err(io::Error::other("its supervising process exited before the program was started")),
        }
    }

    pub(super) fn outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.guard.stdout.take(), self.guard.stderr.take())
    }

    /// The next report; `None` if the guard has ended.
    fn receive(&self, flags: RecvFlags) -> rustix::io::Result<Option<Report>> {
        loop {
            let mut bytes = [0; 5];
            match recv(&self.socket, &mut bytes, flags) {
                Ok((0, _)) => return Ok(None),
                Ok(_) => {
                    let [kind, number @ ..] = bytes;
                    return Ok(Some((kind, i32::from_le_bytes(number))));
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A file descriptor that becomes readable when the guard reports the end of the process, or ends.
    pub(super) fn report_fd(&self) -> Option<BorrowedFd<'_>> {
        (self.ended.is_none() && !self.is_guard_gone).then(|| self.socket.as_fd())
    }

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

    fn note_end(&mut self, report: Report) {
        match report {
            (ENDED, status) => self.ended = Some(Some(ExitStatus::from_raw(status))),
            (ENDED_WITHOUT_STATUS, _) => self.ended = Some(None),
            _ => {}
        }
    }

    pub(super) fn terminate(&mut self) {
        self.send_message(TERMINATE);
    }

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

fn process_of(pid: Pid) -> Option<Process> {
    read_process(&pid.as_raw_nonzero().to_string())
}

/// How long to wait for the effect of one pass before the next: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// After so many passes in a row that found no process to kill, the guard has nothing left to do.
const MAX_IDLE: usize = 10;

/// How many times the guard's children are killed before all processes are searched.
const ROUNDS: usize = 100;

const MAX_CHILDREN_BYTES: u64 = 1_048_576;

/// The state that the threads share. While `ended` is locked, no child is reaped, so the ids of the guard's children are
/// not reused.
struct Shared {
    ended: Mutex<Ended>,
    closing: Condvar,
}

#[derive(Default)]
struct Ended {
    has_program_ended: bool,
    is_closing: bool,
}

fn run_guard(words: ArgsOs) -> ! {
    let code = match start(words) {
        Ok(program) => {
            supervise(program);
            0
        }
        // The program cannot be started, or this process was not started by `Guarded::start`.
        Err(error) => {
            report(FAILED, error.raw_os_error().unwrap_or(Errno::IO.raw_os_error()));
            2
        }
    };
    exit(code)
}

/// Sends a report. Returns false if the program that started the guard has ended.
fn report(kind: u8, number: i32) -> bool {
    let [a, b, c, d] = number.to_le_bytes();
    loop {
        match send(stdin(), &[kind, a, b, c, d], SendFlags::NOSIGNAL) {
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
    let child = super::spawn(starter.arg0(STARTER_NAME).args(words).stdin(socket).process_group(0))?;
    // The starter alone keeps its socket open, so that the socket closes when it executes the program.
    drop(starter);
    // Only the program keeps the output pipes open, so that they close when it ends. If this fails, they close when the
    // guard exits.
    let _ = dup2_stdout(stdin()).and_then(|()| dup2_stderr(stdin()));
    Ok(Pid::from_child(&child))
}

/// Handles messages until all processes have ended.
fn supervise(program: Pid) {
    let shared = Arc::new(Shared { ended: Mutex::default(), closing: Condvar::new() });
    let reaper = Arc::clone(&shared);
    let is_reported = report(STARTED, program.as_raw_nonzero().get());
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
        report(ENDED_WITHOUT_STATUS, 0);
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
                report(ENDED, status.as_raw());
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Kills all descendants of the guard, until the last one has been reaped.
fn kill_all(shared: &Shared, program: Pid) {
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
                return;
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

/// The exit code if the program could not be executed, as shells have it.
const NOT_EXECUTED: i32 = 127;

/// The lowest number of a file descriptor that is none of the three standard ones.
const FIRST_FREE_FD: i32 = 3;

/// Waits for the message to execute the program, and becomes the program. Exits if that fails.
fn run_starter(mut words: ArgsOs) -> ! {
    // The program's standard input takes the place of the socket, so the socket needs another number.
    if let (Some(program), Ok(socket)) = (words.next(), fcntl_dupfd_cloexec(stdin(), FIRST_FREE_FD)) {
        let error = match receive_with(&socket, EXECUTE) {
            Ok(input) => Command::new(program).args(words).stdin(input.map_or_else(Stdio::null, Stdio::from)).exec(),
            Err(error) => io::Error::from(error),
        };
        let number = error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
        // If this fails, nobody waits for the result any more.
        let _ = send(&socket, &number.to_le_bytes(), SendFlags::NOSIGNAL);
    }
    exit(NOT_EXECUTED)
}

/// How many passes may stop new processes before the killing begins. Processes that multiply faster than that are killed
/// while they multiply.
const MAX_STOPS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Stopped,
    Killed,
    /// There are no descendants, or none that this process may kill.
    NoneLeft,
}

/// Kills all descendants of a process that adopts their orphans. First they are stopped with SIGSTOP until a search finds
/// no new ones, and then all are killed. A stopped process starts no others, and unlike a killed one it keeps its place
/// in a limit on the number of processes.
struct DescendantKiller {
    root: Pid,
    stopped: HashSet<ProcessKey>,
    stops: usize,
}

impl DescendantKiller {
    fn new(root: Pid) -> DescendantKiller {
        DescendantKiller { root, stopped: HashSet::new(), stops: 0 }
    }

    fn pass(&mut self) -> Pass {
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
    fn terminate(&self, group: Pid) {
        for key in &self.search() {
            send_signal(key, Signal::TERM, Some(group));
        }
    }

    fn search(&self) -> HashSet<ProcessKey> {
        descendants_of(vec![self.root.as_raw_nonzero().get()], &processes())
    }
}
