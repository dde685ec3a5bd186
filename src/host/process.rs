//! In: a command. Out: what it prints, as it comes, and how it ended. It runs in a process group of its own, which
//! ends with it on every path: at its own end, at a limit, when it is told to stop, and when it is dropped. Under a
//! guard (see [`guard`]), all that comes from it ends then too, and also when this program is killed. Without one, on
//! Linux those of its descendants who left the group are ended, except at its own end, when they can no longer be
//! told; elsewhere the group alone. Its pipes are drained while it runs, and written to without waiting, so none that
//! is full can hang us.
//! Absent: which command, what for, and what its output means.

#[cfg(not(unix))]
#[path = "process/portable.rs"]
mod system;
#[cfg(unix)]
#[path = "process/unix.rs"]
mod system;

use super::limits::CancelToken;
use std::ffi::OsStr;
use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// How long a process has between being asked to end and being ended.
const GRACE: Duration = Duration::from_millis(250);

/// How long the others of its group may still print when a process has ended by itself: `exec > >(tee log)` prints
/// through a child, which has the rest of it to pass on. One that is meant to stay holds the end up for no longer.
const SETTLE: Duration = Duration::from_millis(500);

/// How long what is still in the pipes is waited for when the group has ended: one who left the group may hold them.
const DRAIN: Duration = Duration::from_millis(100);

/// How often a process that says nothing is looked at.
const TICK: Duration = Duration::from_millis(10);

/// Where a process prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Output,
    Errors,
}

/// How a process's standard output and standard error are heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outputs {
    /// Each by itself.
    Apart,
    /// As one, in the order in which they were printed: all of it is [`Stream::Output`].
    #[cfg(feature = "forks")]
    Joined,
}

/// Whether who takes the output wants more of it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    More,
    Enough,
}

/// Why a [`Process::pump`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Who takes the output has enough of it.
    Enough,
    /// The process has ended, and all that it printed has been handed on.
    Ended(ExitStatus),
    /// The time has come.
    Late,
    /// It was told to stop.
    Stopped,
}

/// Puts every process that this library starts from now on under a guard, on Linux. To be called first thing in
/// `main`, before anything is printed, read or started:
///
/// ```no_run
/// // fn main() {
/// skilltree::host::guard();
/// ```
///
/// A guard is this program, started once more for each process, so that `main` runs in it too; there this function
/// does not return. Whatever comes from the process comes back to its guard, which ends all of it when the process has
/// ended, at a limit, and when this program has ended in any way, SIGKILL included. What a guard cannot end: a process
/// that runs as another user (`sudo`), one that another service started on request (`systemd-run`, `at`, `docker`),
/// and what a process leaves behind that has killed its guard.
///
/// A program that does not call this, one that runs where `/proc` is not mounted, and any program on another system
/// than Linux has no guards. Then the process's group is ended; on Linux, except at its own end, its other descendants
/// as far as `/proc` tells of them; on systems other than Unix the process alone. Nothing is ended when this program
/// is killed.
pub fn guard() {
    system::guard();
}

/// A command that starts a program, under a guard where there are guards. It is to be given its words, its environment
/// and its directory, as any command.
pub(super) fn command(program: impl AsRef<OsStr>) -> Command {
    system::command(program.as_ref())
}

/// A process of ours.
pub(super) struct Process {
    child: system::Child,
    ended: Option<ExitStatus>,
    /// Whether the pipe to it is closed once there is nothing more to write.
    closes_input: bool,
}

impl Process {
    /// Starts what [`command`] gave. Its standard input is a pipe, or nothing at all.
    pub(super) fn start(command: Command, input: bool, outputs: Outputs) -> io::Result<Process> {
        Ok(Process { child: system::Child::start(command, input, outputs)?, ended: None, closes_input: false })
    }

    /// Writes `input`, as far as it is taken, and hands on what comes, until one of the [`Pause`]s. `input` is left
    /// with what has not been written; at its end the pipe stays open, unless it was to be closed then.
    pub(super) fn pump(
        &mut self,
        input: &mut &[u8],
        until: Instant,
        stop: &CancelToken,
        take: &mut dyn FnMut(Stream, &[u8]) -> Want,
    ) -> Pause {
        if let Some(status) = self.ended {
            return Pause::Ended(status);
        }
        loop {
            if stop.is_stopped() {
                return Pause::Stopped;
            }
            let now = Instant::now();
            if until <= now {
                return Pause::Late;
            }
            if self.closes_input && input.is_empty() {
                self.child.close_input();
            }
            if self.child.exchange(input, TICK.min(until - now), take) == Want::Enough {
                return Pause::Enough;
            }
            if self.child.has_ended() {
                self.drain(SETTLE, stop, take);
                return Pause::Ended(self.finish(take));
            }
        }
    }

    /// Whether it has ended, by itself or not.
    #[cfg(feature = "toolsets")]
    pub(super) fn has_ended(&mut self) -> bool {
        self.ended.is_some() || self.child.has_ended()
    }

    /// Closes the pipe to its standard input, as soon as all that [`Process::pump`] is given has been written.
    pub(super) fn close_input(&mut self) {
        self.closes_input = true;
    }

    /// Ends the group: asked first, then made to. What it still prints is handed on.
    pub(super) fn end(&mut self, take: &mut dyn FnMut(Stream, &[u8]) -> Want) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.child.ask_to_end();
            let until = Instant::now() + GRACE;
            while !self.child.has_ended() && Instant::now() < until {
                self.child.exchange(&mut [].as_slice(), TICK, take);
            }
            self.child.kill_all();
            self.finish(take);
        }
        self.ended
    }

    /// Ends who is left of the group, drains the pipes and takes the status.
    fn finish(&mut self, take: &mut dyn FnMut(Stream, &[u8]) -> Want) -> ExitStatus {
        self.child.kill();
        self.drain(DRAIN, &CancelToken::new(), take);
        let status = self.child.reap();
        self.ended = Some(status);
        status
    }

    /// Hands on what comes until the pipes are closed, for at most so long.
    fn drain(&mut self, at_most: Duration, stop: &CancelToken, take: &mut dyn FnMut(Stream, &[u8]) -> Want) {
        let until = Instant::now() + at_most;
        while self.child.is_open() && Instant::now() < until && !stop.is_stopped() {
            if self.child.exchange(&mut [].as_slice(), TICK, take) == Want::Enough {
                return;
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.child.kill_all();
            self.child.reap();
        }
    }
}

/// What a process exits with, as shells say it: 128 and the signal's number where a signal ended it.
pub(super) fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + signal(status).unwrap_or(0))
}

/// The signal that ended a process, where one did.
pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    system::signal(status)
}

#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/unit/process.rs"]
mod tests;
