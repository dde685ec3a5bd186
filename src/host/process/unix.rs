//! Processes on Unix: groups, `poll`, pipes that do not wait. One thread, which is the caller's.

#[path = "descendants.rs"]
mod descendants;

use super::{Stream, Want};
use descendants::Descendants;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Duration;

/// How much is read at once: what a pipe holds.
const CHUNK_BYTES: usize = 65_536;

pub(super) struct Child {
    child: std::process::Child,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    errors: Option<ChildStderr>,
    chunk: Vec<u8>,
    /// Who is ended besides the group.
    descendants: Descendants,
}

impl Child {
    pub(super) fn start(mut command: Command) -> io::Result<Child> {
        let mut child = command.process_group(0).spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // A group must not live on because a pipe of it could not be set up.
        let mut child =
            Child { child, input, output, errors, chunk: vec![0; CHUNK_BYTES], descendants: Descendants::default() };
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
            let mut fds = Vec::with_capacity(3);
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

    /// Whether the process has ended. It is not taken from the system yet, so that its number stays its own and
    /// the group's until the group has been ended too.
    pub(super) fn has_ended(&self) -> bool {
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

    /// Asks the group, and all others who come from the process: `setsid` and `timeout` leave the group.
    pub(super) fn ask_to_end(&mut self) {
        self.descendants.look(self.pid());
        // Gone already is as good.
        let _ = kill_process_group(self.pid(), Signal::TERM);
        self.descendants.tell(self.pid(), Signal::TERM);
    }

    /// Ends the group, and those.
    pub(super) fn kill_all(&mut self) {
        self.descendants.look(self.pid());
        self.kill();
        self.descendants.kill(self.pid());
    }

    /// Ends the group.
    pub(super) fn kill(&mut self) {
        let _ = kill_process_group(self.pid(), Signal::KILL);
    }

    /// Its status. The process has been killed or has ended, so this does not wait for long.
    pub(super) fn reap(&mut self) -> ExitStatus {
        self.child.wait().unwrap_or_else(|_| ExitStatus::from_raw(0))
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

fn without_waiting(pipe: BorrowedFd<'_>) -> io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}

pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}
