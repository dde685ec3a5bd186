//! Starts a process, passes its output on as it arrives, and ends the process together with its descendants.
//!
//! A process runs in its own process group. The group is ended whenever the process ends: by itself, at a limit, when it
//! is cancelled, or when its [`Process`] is dropped. Under a guard (see [`guard`]), all descendants are ended as well,
//! also when this program is killed. Without a guard, only Linux allows finding descendants that have left the group,
//! and only while the process itself has not ended. On Windows the process and its descendants are in a job object instead.
//! Pipes are read while the process runs and written to without
//! blocking, so a full pipe cannot block this program.

#[cfg(not(unix))]
#[path = "process/portable.rs"]
mod system;
#[cfg(unix)]
#[path = "process/unix.rs"]
mod system;

use super::capture::CancelToken;
use super::folders_of;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// How long a process has to end after SIGTERM before it is killed.
const GRACE: Duration = Duration::from_millis(250);

/// How long the rest of the group may still print after the process has ended by itself. A script with
/// `exec > >(tee log)` prints through a child, which has to pass on the rest of the output.
const SETTLE: Duration = Duration::from_millis(500);

/// How long to read what is left in the pipes after the group has ended. A process that has left the group may keep them
/// open.
const DRAIN: Duration = Duration::from_millis(100);

/// How often a process that prints nothing is checked.
const TICK: Duration = Duration::from_millis(10);

/// The exit code that stands for a status that the operating system has not kept.
pub(super) const UNKNOWN_CODE: i32 = -1;

/// How a process ended; `None` if the operating system has not kept the status, because this program ignores SIGCHLD.
pub(super) type Status = Option<ExitStatus>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Output,
    Errors,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outputs {
    Separate,
    /// As one stream, in the order in which they were printed: everything is [`Stream::Output`].
    Joined,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    More,
    Enough,
}

/// Why [`Process::pump`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    Enough,
    /// The process has ended, and all of its output has been passed on.
    Ended(Status),
    Late,
    Stopped,
}

/// Puts every process that this library starts from now on under a guard, on Linux. Call it at the beginning of `main`,
/// before anything is printed, read or started:
///
/// ```no_run
/// // fn main() {
/// skilltree::host::guard();
/// ```
///
/// A guard is this program, started once more for each process. Its `main` also calls this function, which does not
/// return there. Orphaned descendants of the process become children of its guard, which kills all of them when the
/// process has ended, at a limit, and when this program has ended in any way, including SIGKILL. A guard cannot end a
/// process that runs as another user (`sudo`) or that another service started on request (`systemd-run`, `at`,
/// `docker`), nor the descendants of a process that has killed its guard.
///
/// There are no guards in a program that does not call this function, where `/proc` is not mounted, and on systems other
/// than Linux. Then the process's group is ended. On Linux its other descendants are ended as far as `/proc` lists them,
/// except when the process has ended by itself, and nothing is ended when this program is killed. On Windows no guard is
/// needed: a process and its descendants are in a job object, which ends with this program, however that ends. On other
/// systems only the process itself is ended.
pub fn guard() {
    system::guard();
}

/// A command that starts a program, under a guard if guards are in use. The caller adds the arguments, the environment
/// and the working directory as to any command.
pub(super) fn command(program: impl AsRef<OsStr>) -> Command {
    system::command(program.as_ref())
}

/// Like [`command`], with no more than the [`environment`] of a process that may see these variables.
pub(super) fn isolated_command(program: &Path, variables: &[String]) -> Command {
    let mut command = command(program);
    command.env_clear().envs(environment(variables));
    command
}

const NEEDED: &[&str] = &["PATH", "HOME", "LANG", "TMPDIR"];

const NEEDED_ON_WINDOWS: &[&str] =
    &["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"];

/// The environment of a process that runs for a skill: the variables that every program needs and those that the skill
/// requires, `names`, as far as they are set. Nothing else is passed on, such as the user's API keys.
pub(super) fn environment(names: &[String]) -> Vec<(OsString, OsString)> {
    let on_windows = NEEDED_ON_WINDOWS.iter().filter(|_| cfg!(windows));
    let visible = NEEDED.iter().chain(on_windows).copied().chain(names.iter().map(String::as_str));
    let value = |name| match std::env::var_os(name) {
        Some(path) if name == "PATH" => without_relative_dirs(&path),
        value => value,
    };
    visible.filter_map(|name| Some((OsString::from(name), value(name)?))).collect()
}

/// A PATH without its relative folders. Returns `None` if no folder is left, as an empty PATH means the working directory.
fn without_relative_dirs(path: &OsStr) -> Option<OsString> {
    std::env::join_paths(folders_of(path)).ok().filter(|path| !path.is_empty())
}

pub(super) struct Process {
    child: system::Child,
    ended: Option<Status>,
    /// Whether its standard input is closed when everything has been written.
    closes_input: bool,
}

impl Process {
    /// Starts a command that [`command`] returned. Its standard input is a pipe if `has_input`, otherwise empty.
    pub(super) fn start(command: Command, has_input: bool, outputs: Outputs) -> io::Result<Process> {
        Ok(Process { child: system::Child::start(command, has_input, outputs)?, ended: None, closes_input: false })
    }

    /// Writes `input` and passes the output to `take`, until there is a reason to [`Pause`]. Removes what has been written
    /// from `input`. Standard input stays open afterwards unless [`Process::close_input`] was called.
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

    pub(super) fn has_ended(&mut self) -> bool {
        self.ended.is_some() || self.child.has_ended()
    }

    /// Closes standard input as soon as [`Process::pump`] has written all of its input.
    pub(super) fn close_input(&mut self) {
        self.closes_input = true;
    }

    /// Ends the process and its descendants, first by SIGTERM and then by SIGKILL. Passes on what they still print.
    pub(super) fn end(&mut self, take: &mut dyn FnMut(Stream, &[u8]) -> Want) -> Status {
        if let Some(status) = self.ended {
            return status;
        }
        self.child.terminate();
        let until = Instant::now() + GRACE;
        while !self.child.has_ended() && Instant::now() < until {
            self.child.exchange(&mut [].as_slice(), TICK, take);
        }
        self.child.kill_all();
        self.finish(take)
    }

    /// Kills the rest of the group, reads what is left in the pipes, and returns the status.
    fn finish(&mut self, take: &mut dyn FnMut(Stream, &[u8]) -> Want) -> Status {
        self.child.kill();
        self.drain(DRAIN, &CancelToken::new(), take);
        let status = self.child.reap();
        self.ended = Some(status);
        status
    }

    /// Passes output on until the pipes are closed, for at most `at_most`.
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

/// The exit code of a process as shells report it: 128 plus the signal's number if a signal ended it.
pub(super) fn exit_code(status: Status) -> i32 {
    let code = |status: ExitStatus| status.code().or_else(|| Some(128 + system::signal(status)?));
    status.and_then(code).unwrap_or(UNKNOWN_CODE)
}

pub(super) fn signal(status: Status) -> Option<i32> {
    status.and_then(system::signal)
}

#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/unit/process.rs"]
mod tests;
