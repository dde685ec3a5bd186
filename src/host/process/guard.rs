//! Processes under a guard. In: a command. Out: its process, started by another that is our own program once more, in
//! the role of a guard: orphans come back to it (it is a "child subreaper"), so nothing that the process starts can
//! get away from it by leaving its group, its session or its parents. When we ask for it, or when we are gone in
//! whatever way, the guard ends all of them and then itself.
//!
//! The two talk over a pair of sockets, which is the guard's standard input. That our end of it is closed tells the
//! guard that we are gone, which holds for SIGKILL too, and does not depend on the thread that started it, as the
//! parent-death signal of Linux would. The pipes for the outputs are inherited through the guard; the pipe to the
//! process's standard input is sent along the sockets.

#[path = "guard_main.rs"]
mod guard_main;
#[path = "killer.rs"]
mod killer;

use super::descendants::{Descendants, Known, Process, has_numbers, process};
use killer::{Pass, Sweep};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv,
    send, sendmsg, socketpair,
};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::ffi::OsStr;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Our own program, also where its file has been replaced or deleted since.
const PROGRAM: &str = "/proc/self/exe";

/// The name that a guard is started by. It tells a guard from every other start of the program.
const NAME: &str = "skilltree-guard";

/// What the guard is sent: where the process reads from, with the pipe where there is one.
const BEGIN: &[u8] = b"B";
/// All are to be asked to end.
const ASK: &[u8] = b"A";
/// All are to be ended.
const KILL: &[u8] = b"K";

/// How long a guard may take to end all that it has below it. One that is stopped again and again never does.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many looks are taken in its place then.
const MAX_PASSES: usize = 200;

/// How long a look waits for what the one before did.
const PAUSE: Duration = Duration::from_millis(10);

/// Whether processes are started under a guard.
static IS_ON: OnceLock<bool> = OnceLock::new();

/// What a guard reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Report {
    /// The process runs, under this number.
    Started(i32),
    /// It could not be started: the number of the error.
    Failed(i32),
    /// It has ended, with this status.
    Ended(i32),
}

impl Report {
    fn bytes(self) -> [u8; 5] {
        let (kind, value) = match self {
            Report::Started(pid) => (b's', pid),
            Report::Failed(error) => (b'f', error),
            Report::Ended(status) => (b'e', status),
        };
        let [a, b, c, d] = value.to_le_bytes();
        [kind, a, b, c, d]
    }

    fn of(bytes: [u8; 5]) -> Option<Report> {
        let [kind, a, b, c, d] = bytes;
        let value = i32::from_le_bytes([a, b, c, d]);
        match kind {
            b's' => Some(Report::Started(value)),
            b'f' => Some(Report::Failed(value)),
            b'e' => Some(Report::Ended(value)),
            _ => None,
        }
    }
}

/// From here on processes are started under a guard. In one that was started as a guard this is all that it does.
pub(super) fn guard() {
    let mut words = std::env::args_os();
    if words.next().is_some_and(|name| name == NAME) {
        guard_main::run(words);
    }
    let program = std::fs::read_link(PROGRAM).unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    // A program that was started through the dynamic linker by name cannot be started again by its file.
    let is_linker = name.starts_with("ld-") || name.starts_with("ld.so");
    let _ = IS_ON.set(!name.is_empty() && !is_linker && has_numbers());
}

/// A command that starts this program under a guard, to be given its words, its environment and its directory. None
/// where guards are not in use.
pub(super) fn command(program: &OsStr) -> Option<Command> {
    IS_ON.get().filter(|is_on| **is_on)?;
    let mut command = Command::new(PROGRAM);
    command.arg0(NAME).arg(program);
    Some(command)
}

/// Whether a command is one of those.
pub(super) fn is_guarded(command: &Command) -> bool {
    IS_ON.get() == Some(&true) && command.get_program() == PROGRAM
}

/// A process under a guard.
pub(super) struct Guarded {
    /// The guard.
    guard: Child,
    control: OwnedFd,
    /// The process.
    program: Option<Known>,
    ended: Option<ExitStatus>,
    /// Whether the guard has ended, be it that all is done or that somebody killed it.
    is_gone: bool,
}

impl Guarded {
    /// Starts it. With it comes the pipe to its standard input, where it is to have one.
    pub(super) fn start(mut command: Command, input: bool) -> io::Result<(Guarded, Option<ChildStdin>)> {
        let (control, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let pipe = if input { Some(pipe_with(PipeFlags::CLOEXEC)?) } else { None };
        let (read, write) = pipe.unzip();
        let guard = command.stdin(theirs).process_group(0).spawn()?;
        // It holds their end of the sockets, which would keep us from being told that the guard is gone.
        drop(command);
        let mut guarded = Guarded { guard, control, program: None, ended: None, is_gone: false };
        let report = guarded.begin(read.as_ref().map(AsFd::as_fd)).and_then(|()| guarded.receive(RecvFlags::empty()));
        let error = match report {
            Ok(Some(Report::Started(pid))) => {
                let began = Pid::from_raw(pid).and_then(process_of).map(|process| process.began);
                guarded.program = began.map(|began| (pid, began));
                return Ok((guarded, write.map(ChildStdin::from)));
            }
            Ok(Some(Report::Failed(error))) => io::Error::from_raw_os_error(error),
            Ok(_) => io::Error::other("its supervising process exited before the program was started"),
            Err(error) => error.into(),
        };
        guarded.kill();
        guarded.reap();
        Err(error)
    }

    /// The pipes of its outputs, once.
    pub(super) fn outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.guard.stdout.take(), self.guard.stderr.take())
    }

    fn begin(&self, input: Option<BorrowedFd<'_>>) -> rustix::io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut along = SendAncillaryBuffer::new(&mut space);
        let inputs: Vec<BorrowedFd<'_>> = input.into_iter().collect();
        if !inputs.is_empty() {
            along.push(SendAncillaryMessage::ScmRights(&inputs));
        }
        sendmsg(&self.control, &[IoSlice::new(BEGIN)], &mut along, SendFlags::NOSIGNAL).map(drop)
    }

    /// The next report; none when the guard has ended.
    fn receive(&self, flags: RecvFlags) -> rustix::io::Result<Option<Report>> {
        loop {
            let mut bytes = [0; 5];
            match recv(&self.control, &mut bytes, flags) {
                Ok((0, _)) => return Ok(None),
                Ok(_) => match Report::of(bytes) {
                    None => {}
                    known => return Ok(known),
                },
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// What can be waited on for the end of the process.
    pub(super) fn news(&self) -> Option<BorrowedFd<'_>> {
        (self.ended.is_none() && !self.is_gone).then(|| self.control.as_fd())
    }

    /// Whether the process has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        while self.news().is_some() {
            match self.receive(RecvFlags::DONTWAIT) {
                Ok(Some(Report::Ended(status))) => self.ended = Some(ExitStatus::from_raw(status)),
                Ok(Some(_)) => {}
                Err(Errno::AGAIN) => return false,
                Ok(None) | Err(_) => self.is_gone = true,
            }
        }
        true
    }

    /// Asks the process, and all who come from it.
    pub(super) fn ask_to_end(&mut self) {
        self.tell(ASK);
    }

    /// Ends the process, and all who come from it.
    pub(super) fn kill(&mut self) {
        self.tell(KILL);
        // It may have ended without our having heard of it.
        self.has_ended();
        if self.is_gone {
            self.end_unguarded();
        } else {
            // Somebody may have stopped it.
            let _ = kill_process(Pid::from_child(&self.guard), Signal::CONT);
        }
    }

    fn tell(&self, what: &[u8]) {
        // Where nobody hears it, the guard is gone.
        let _ = send(&self.control, what, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
    }

    /// Waits until all who come from the process have ended, and takes its status.
    pub(super) fn reap(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        while !self.is_gone && Instant::now() < until {
            match self.receive(RecvFlags::DONTWAIT) {
                Ok(Some(Report::Ended(status))) => self.ended = Some(ExitStatus::from_raw(status)),
                Ok(Some(_)) => {}
                Err(Errno::AGAIN) => {
                    let wait = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
                    // Interrupted or refused: it is looked again.
                    let _ = poll(&mut [PollFd::new(&self.control, PollFlags::IN)], Some(&wait));
                }
                Ok(None) | Err(_) => self.is_gone = true,
            }
        }
        // A guard that goes on ends what is left in its own time.
        let has_ended = self.is_gone || self.overrule();
        let guard = if has_ended { self.guard.wait().ok() } else { None };
        let killed = ExitStatus::from_raw(Signal::KILL.as_raw());
        self.ended.or(guard.filter(|status| !status.success())).unwrap_or(killed)
    }

    /// Does the guard's work in its place, and ends it when all is done. Orphans come back to it in whatever state it
    /// is. Whether all was done.
    fn overrule(&mut self) -> bool {
        let mut sweep = Sweep::new(Pid::from_child(&self.guard));
        for _ in 0..MAX_PASSES {
            match sweep.pass() {
                Pass::New => {}
                Pass::Killed => std::thread::sleep(PAUSE),
                Pass::Nobody => {
                    let _ = kill_process(Pid::from_child(&self.guard), Signal::KILL);
                    return true;
                }
            }
        }
        false
    }

    /// Ends what can be told of the process without a guard, which somebody has killed: its group, and who comes from
    /// it by their parents' numbers.
    fn end_unguarded(&mut self) {
        let Some(((pid, began), leader)) = self.program.and_then(|known| Some((known, Pid::from_raw(known.0)?))) else {
            return;
        };
        let is_program = process_of(leader).is_some_and(|now| now.began == began && now.group == pid);
        if is_program {
            let mut descendants = Descendants::default();
            descendants.metadata(leader, |now| now.began == began);
            let _ = kill_process_group(leader, Signal::KILL);
            descendants.kill(leader);
        }
    }
}

/// A process as it is now, if it is there.
fn process_of(pid: Pid) -> Option<Process> {
    process(&pid.as_raw_nonzero().to_string())
}
