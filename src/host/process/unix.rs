//! Processes on Unix: groups, `poll`, pipes that do not wait. One thread, which is the caller's. A process is either
//! ours directly, or stands under a guard, which ends more.

#[path = "descendants.rs"]
mod descendants;
#[cfg(target_os = "linux")]
#[path = "guard.rs"]
mod guard;
#[cfg(not(target_os = "linux"))]
#[path = "no_guard.rs"]
mod guard;

use super::{Outputs, Stream, Want};
use descendants::Descendants;
use guard::Guarded;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
#[cfg(feature = "forks")]
use std::os::fd::OwnedFd;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

/// How much is read at once: what a pipe holds.
const CHUNK_BYTES: usize = 65_536;

pub(super) struct Child {
    process: Handle,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    errors: Option<ChildStderr>,
    chunk: Vec<u8>,
}

/// How the process is held.
enum Handle {
    Direct(Direct),
    Guarded(Guarded),
}

/// A child of ours.
struct Direct {
    child: std::process::Child,
    /// Who is ended besides the group.
    descendants: Descendants,
}

pub(super) fn guard() {
    guard::guard();
}

/// A command that starts this program, under a guard where there is one.
pub(super) fn command(program: &OsStr) -> Command {
    guard::command(program).unwrap_or_else(|| Command::new(program))
}

impl Child {
    pub(super) fn start(mut command: Command, input: bool, outputs: Outputs) -> io::Result<Child> {
        let joined = match outputs {
            Outputs::Apart => None,
            #[cfg(feature = "forks")]
            Outputs::Joined => Some(join_outputs(&mut command)?),
        };
        if joined.is_none() {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        let (process, pipes) = if guard::is_guarded(&command) {
            let (mut guarded, input) = Guarded::start(command, input)?;
            let (output, errors) = guarded.outputs();
            (Handle::Guarded(guarded), (input, output, errors))
        } else {
            command.stdin(if input { Stdio::piped() } else { Stdio::null() });
            let mut child = command.process_group(0).spawn()?;
            // It holds the ends of a joined pipe that are written to, which would keep that open.
            drop(command);
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            (Handle::Direct(Direct { child, descendants: Descendants::default() }), pipes)
        };
        let (input, output, errors) = pipes;
        let output = joined.or(output);
        // A group must not live on because a pipe of it could not be set up.
        let mut child = Child { process, input, output, errors, chunk: vec![0; CHUNK_BYTES] };
        let set = [child.input.as_ref().map(AsFd::as_fd), child.output.as_ref().map(AsFd::as_fd)]
            .into_iter()
            .chain([child.errors.as_ref().map(AsFd::as_fd)])
            .flatten()
            .try_for_each(without_waiting);
        if let Err(error) = set {
            child.kill();
            child.reap();
            return Err(error);
        }
        Ok(child)
    }

    /// Writes and reads what can be at once, after at most this long.
    pub(super) fn exchange(
        &mut self,
        input: &mut &[u8],
        at_most: Duration,
        take: &mut dyn FnMut(Stream, &[u8]) -> Want,
    ) -> Want {
        let (mut to_write, mut output, mut errors) = (false, false, false);
        {
            let mut fds = Vec::with_capacity(4);
            let mut which = Vec::with_capacity(3);
            if let Some(pipe) = self.input.as_ref().filter(|_| !input.is_empty()) {
                fds.push(PollFd::new(pipe, PollFlags::OUT));
                which.push(&mut to_write);
            }
            if let Some(pipe) = &self.output {
                fds.push(PollFd::new(pipe, PollFlags::IN));
                which.push(&mut output);
            }
            if let Some(pipe) = &self.errors {
                fds.push(PollFd::new(pipe, PollFlags::IN));
                which.push(&mut errors);
            }
            // The last, as nothing is read from it here: it only ends the wait.
            if let Handle::Guarded(guarded) = &self.process {
                fds.extend(guarded.news().map(|news| PollFd::from_borrowed_fd(news, PollFlags::IN)));
            }
            let wait = Timespec { tv_sec: 0, tv_nsec: at_most.subsec_nanos().into() };
            // Interrupted or refused: nothing is ready, and the caller comes again.
            if poll(&mut fds, Some(&wait)).is_ok() {
                for (fd, which) in fds.iter().zip(which) {
                    *which = !fd.revents().is_empty();
                }
            }
        }
        if to_write {
            self.write(input);
        }
        let mut want = Want::More;
        if output && want == Want::More {
            want = read(&mut self.output, Stream::Output, &mut self.chunk, take);
        }
        if errors && want == Want::More {
            want = read(&mut self.errors, Stream::Errors, &mut self.chunk, take);
        }
        want
    }

    fn write(&mut self, input: &mut &[u8]) {
        let Some(pipe) = &mut self.input else { return };
        match pipe.write(input) {
            Ok(written) => *input = input.get(written..).unwrap_or_default(),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            // Nobody reads any more.
            Err(_) => {
                self.input = None;
                *input = &[];
            }
        }
    }

    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Whether one of its pipes to us is open.
    pub(super) fn is_open(&self) -> bool {
        self.output.is_some() || self.errors.is_some()
    }

    /// Whether the process has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        match &mut self.process {
            Handle::Direct(direct) => direct.has_ended(),
            Handle::Guarded(guarded) => guarded.has_ended(),
        }
    }

    /// Asks the group, and all others who come from the process: `setsid` and `timeout` leave the group.
    pub(super) fn ask_to_end(&mut self) {
        match &mut self.process {
            Handle::Direct(direct) => direct.ask_to_end(),
            Handle::Guarded(guarded) => guarded.ask_to_end(),
        }
    }

    /// Ends the group, and all others who come from the process.
    pub(super) fn kill_all(&mut self) {
        match &mut self.process {
            Handle::Direct(direct) => direct.kill_all(),
            Handle::Guarded(guarded) => guarded.kill(),
        }
    }

    /// Ends the group; under a guard, the others too.
    pub(super) fn kill(&mut self) {
        match &mut self.process {
            Handle::Direct(direct) => direct.kill(),
            Handle::Guarded(guarded) => guarded.kill(),
        }
    }

    /// Its status. The process has been killed or has ended, so this does not wait for long.
    pub(super) fn reap(&mut self) -> ExitStatus {
        match &mut self.process {
            Handle::Direct(direct) => direct.child.wait().unwrap_or_else(|_| ExitStatus::from_raw(0)),
            Handle::Guarded(guarded) => guarded.reap(),
        }
    }
}

impl Direct {
    /// Whether the process has ended. It is not taken from the system yet, so that its number stays its own and
    /// the group's until the group has been ended too.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid()), options) {
                Ok(status) => return status.is_some(),
                Err(Errno::INTR) => {}
                // Somebody else took it, as with an ignored SIGCHLD.
                Err(_) => return true,
            }
        }
    }

    fn ask_to_end(&mut self) {
        self.metadata();
        // Gone already is as good.
        let _ = kill_process_group(self.pid(), Signal::TERM);
        self.descendants.tell(self.pid(), Signal::TERM);
    }

    fn kill_all(&mut self) {
        self.metadata();
        self.kill();
        self.descendants.kill(self.pid());
    }

    fn kill(&mut self) {
        let _ = kill_process_group(self.pid(), Signal::KILL);
    }

    fn metadata(&mut self) {
        let ours = i32::try_from(std::process::id()).ok();
        self.descendants.metadata(self.pid(), |leader| Some(leader.parent) == ours);
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

/// Reads once. At the end of a stream its pipe goes.
fn read<R: Read>(
    pipe: &mut Option<R>,
    stream: Stream,
    chunk: &mut [u8],
    take: &mut dyn FnMut(Stream, &[u8]) -> Want,
) -> Want {
    let Some(open) = pipe else { return Want::More };
    match open.read(chunk) {
        Ok(0) => *pipe = None,
        Ok(bytes) => return take(stream, chunk.get(..bytes).unwrap_or_default()),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
        Err(_) => *pipe = None,
    }
    Want::More
}

/// Has a command print both of its outputs to one pipe. What is read from that comes in the order in which it was printed.
#[cfg(feature = "forks")]
fn join_outputs(command: &mut Command) -> io::Result<ChildStdout> {
    let (read, write) = pipe()?;
    command.stdout(write.try_clone()?).stderr(write);
    Ok(ChildStdout::from(read))
}

/// A pipe that nothing which is started at the same time inherits.
#[cfg(all(feature = "forks", not(target_vendor = "apple")))]
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// The same where the system cannot make one in one step.
#[cfg(all(feature = "forks", target_vendor = "apple"))]
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = rustix::pipe::pipe()?;
    for end in [&read, &write] {
        rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
    }
    Ok((read, write))
}

fn without_waiting(pipe: BorrowedFd<'_>) -> io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}

pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}
