//! Processes on Unix, with process groups, `poll` and non-blocking pipes, in the caller's thread. A process is either a
//! direct child of this program or a child of a guard.

#[path = "descendants.rs"]
mod descendants;
#[cfg(target_os = "linux")]
#[path = "guard.rs"]
mod guard;
#[cfg(not(target_os = "linux"))]
#[path = "no_guard.rs"]
mod guard;

use super::{Outputs, Status, Stream, Want};
use descendants::Descendants;
use guard::Guarded;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

/// How much is read at once: the capacity of a pipe.
const CHUNK_BYTES: usize = 65_536;

pub(super) struct Child {
    process: Handle,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    errors: Option<ChildStderr>,
    chunk: Vec<u8>,
}

enum Handle {
    Direct(Direct),
    Guarded(Guarded),
}

struct Direct {
    child: std::process::Child,
    /// The descendants to end besides the group.
    descendants: Descendants,
}

pub(super) fn guard() {
    guard::guard();
}

pub(super) fn command(program: &OsStr) -> Command {
    guard::command(program).unwrap_or_else(|| Command::new(program))
}

impl Child {
    pub(super) fn start(mut command: Command, has_input: bool, outputs: Outputs) -> io::Result<Child> {
        let joined = match outputs {
            Outputs::Separate => None,
            Outputs::Joined => Some(join_outputs(&mut command)?),
        };
        if joined.is_none() {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        let (process, pipes) = if guard::is_guarded(&command) {
            let (mut guarded, input) = Guarded::start(command, has_input)?;
            let (output, errors) = guarded.outputs();
            (Handle::Guarded(guarded), (input, output, errors))
        } else {
            command.stdin(if has_input { Stdio::piped() } else { Stdio::null() });
            let mut child = spawn(command.process_group(0))?;
            // The command owns the write end of a joined pipe and would keep the pipe open.
            drop(command);
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            (Handle::Direct(Direct { child, descendants: Descendants::default() }), pipes)
        };
        let (input, output, errors) = pipes;
        let output = joined.or(output);
        // If a pipe cannot be set up, the group must not keep running.
        let mut child = Child { process, input, output, errors, chunk: vec![0; CHUNK_BYTES] };
        let ends = [
            &child.input.as_ref().map(AsFd::as_fd),
            &child.output.as_ref().map(AsFd::as_fd),
            &child.errors.as_ref().map(AsFd::as_fd),
        ];
        let set_up = ends.into_iter().flatten().try_for_each(|end| set_nonblocking(*end));
        if let Err(error) = set_up {
            child.kill();
            child.reap();
            return Err(error);
        }
        Ok(child)
    }

    /// Waits for at most `at_most`, and then writes and reads once whatever is possible without blocking.
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
            // The last one, as it has no entry in `which`: a report of the guard only ends the wait.
            if let Handle::Guarded(guarded) = &self.process {
                fds.extend(guarded.report_fd().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            }
            let wait = Timespec { tv_sec: 0, tv_nsec: at_most.subsec_nanos().into() };
            // After an error nothing is ready, and the caller tries again.
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
            // The process has closed its standard input.
            Err(_) => {
                self.input = None;
                *input = &[];
            }
        }
    }

    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    pub(super) fn is_open(&self) -> bool {
        self.output.is_some() || self.errors.is_some()
    }

    pub(super) fn has_ended(&mut self) -> bool {
        match &mut self.process {
            Handle::Direct(direct) => direct.has_ended(),
            Handle::Guarded(guarded) => guarded.has_ended(),
        }
    }

    /// Sends SIGTERM to the group and to the descendants that have left it, as `setsid` and `timeout` do.
    pub(super) fn terminate(&mut self) {
        match &mut self.process {
            Handle::Direct(direct) => direct.terminate(),
            Handle::Guarded(guarded) => guarded.terminate(),
        }
    }

    pub(super) fn kill_all(&mut self) {
        match &mut self.process {
            Handle::Direct(direct) => direct.kill_all(),
            Handle::Guarded(guarded) => guarded.kill(),
        }
    }

    /// Kills the group; under a guard also the descendants that have left it.
    pub(super) fn kill(&mut self) {
        match &mut self.process {
            Handle::Direct(direct) => direct.kill(),
            Handle::Guarded(guarded) => guarded.kill(),
        }
    }

    /// Waits for the process, which has been killed or has ended, and returns its status.
    pub(super) fn reap(&mut self) -> Status {
        match &mut self.process {
            // It fails if this program ignores SIGCHLD.
            Handle::Direct(direct) => direct.child.wait().ok(),
            Handle::Guarded(guarded) => guarded.reap(),
        }
    }
}

impl Direct {
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid()), options) {
                Ok(status) => return status.is_some(),
                Err(Errno::INTR) => {}
                // It was reaped elsewhere, as happens if this program ignores SIGCHLD.
                Err(_) => return true,
            }
        }
    }

    fn terminate(&mut self) {
        self.refresh_descendants();
        // It fails if the group has ended already.
        let _ = kill_process_group(self.pid(), Signal::TERM);
        self.descendants.send_signal(self.pid(), Signal::TERM);
    }

    fn kill_all(&mut self) {
        self.refresh_descendants();
        self.kill();
        self.descendants.kill(self.pid());
    }

    fn kill(&mut self) {
        let _ = kill_process_group(self.pid(), Signal::KILL);
    }

    fn refresh_descendants(&mut self) {
        let ours = i32::try_from(std::process::id()).ok();
        self.descendants.refresh(self.pid(), |leader| Some(leader.parent) == ours);
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

/// Reads once. Closes the pipe at the end of the stream.
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

/// The pauses between the attempts to start a process that the system refuses with `EAGAIN`, in milliseconds.
const PAUSES_MS: [u64; 4] = [10, 20, 50, 100];

/// Starts a command, and retries a few times if the system cannot create another process at the moment (`EAGAIN`).
fn spawn(command: &mut Command) -> io::Result<std::process::Child> {
    for pause in PAUSES_MS {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(pause)),
            started => return started,
        }
    }
    command.spawn()
}

/// Makes a command print both of its outputs to one pipe, which preserves their order.
fn join_outputs(command: &mut Command) -> io::Result<ChildStdout> {
    let (read, write) = pipe()?;
    command.stdout(write.try_clone()?).stderr(write);
    Ok(ChildStdout::from(read))
}

/// A pipe that other processes started at the same time do not inherit.
#[cfg(not(target_vendor = "apple"))]
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// A pipe that other processes do not inherit. Apple's systems cannot create one in a single call.
#[cfg(target_vendor = "apple")]
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = rustix::pipe::pipe()?;
    for end in [&read, &write] {
        rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
    }
    Ok((read, write))
}

fn set_nonblocking(pipe: BorrowedFd<'_>) -> io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}

pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}
