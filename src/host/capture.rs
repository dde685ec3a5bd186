//! Runs a process to its end or to a limit, and captures its output: its [`Limits`], how it is cancelled by a
//! [`CancelToken`], and the result, a [`ProcessOutput`].
//!
//! Output beyond the limit is read and dropped, so the process never blocks on a full pipe.

use super::process::{Pause, Process, Stream, Want, exit_code, signal};
use crate::discovery::manifest::utf8;
use crate::loading::invoke::Pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest time limit in seconds, a year. Adding more to an `Instant` may overflow.
const MAX_SECONDS: u64 = 31_536_000;

/// A process that prints this many times the captured bytes is ended.
const FLOOD_FACTOR: usize = 64;

/// How much a process may always print: the capacity of a pipe, which it may fill before anything is read.
const MIN_FLOOD_BYTES: usize = 65_536;

/// How long a process may run, and how much of its output is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long the process may run.
    pub time: Duration,
    /// How many bytes of standard output and standard error together are captured. The rest is read and dropped. One
    /// sixteenth is reserved for standard error, at the cost of the end of the output. A process that prints more than 64
    /// times this number (and more than 64 KiB) is ended.
    pub output_bytes: usize,
}

// Rule 17.5
impl Default for Limits {
    /// 60 seconds and 1 MiB.
    fn default() -> Limits {
        Limits { time: Duration::from_secs(60), output_bytes: 1_048_576 }
    }
}

/// The time limit of an agent: as long as a person would wait for it.
const AGENT_TIME: Duration = Duration::from_secs(1_800);

impl Limits {
    /// The limits of each command of a skill's text: the time that its dialect gives, and 1 MiB.
    pub fn of_commands(pending: &Pending) -> Limits {
        Limits::default().with_time(Duration::from_secs(pending.rule.seconds))
    }

    /// The limits of an agent: 30 minutes and 1 MiB.
    pub fn of_agent() -> Limits {
        Limits::default().with_time(AGENT_TIME)
    }

    /// These limits with another time.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Limits {
        Limits { time, ..self }
    }

    /// How many bytes a process may print before it is ended, captured or not.
    pub fn flood_bytes(&self) -> usize {
        self.output_bytes.saturating_mul(FLOOD_FACTOR).max(MIN_FLOOD_BYTES)
    }

    pub(super) fn end(&self, started: Instant) -> Instant {
        started + self.time.min(Duration::from_secs(MAX_SECONDS))
    }
}

/// Cancels running processes, also from another thread or a signal handler. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    is_stopped: Arc<AtomicBool>,
    parent: Option<Arc<CancelToken>>,
}

impl CancelToken {
    /// A token that has not been stopped.
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// A token for a part of the work. Stopping `self` stops the part as well, but not the other way round.
    ///
    /// ```
    /// let all = skilltree::host::CancelToken::new();
    /// let (one, other) = (all.part(), all.part());
    /// one.stop();
    /// assert!(one.is_stopped() && !other.is_stopped() && !all.is_stopped());
    /// all.stop();
    /// assert!(other.is_stopped());
    /// ```
    #[must_use]
    pub fn part(&self) -> CancelToken {
        CancelToken { is_stopped: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Ends the processes that run with this token, its clones or its parts. No others are started with them.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether this token or the one that it is a part of was stopped.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_stopped())
    }
}

impl From<Arc<AtomicBool>> for CancelToken {
    /// A token that is stopped by setting a flag, which a signal handler may do.
    fn from(is_stopped: Arc<AtomicBool>) -> CancelToken {
        CancelToken { is_stopped, parent: None }
    }
}

/// The exit code of a process that was ended at a limit of time or output, as `timeout` returns it.
const LIMIT_CODE: i32 = 124;

/// The part of the limit that is reserved for standard error: 64 KiB of 1 MiB.
const ERRORS_PART: usize = 16;

/// What a process printed, and how it ended. The default is a successful process that printed nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessOutput {
    /// The exit code: 128 plus the signal's number if a signal ended the process, 124 if a limit of time or output did,
    /// and -1 if the operating system has not kept it because this program ignores SIGCHLD.
    pub code: i32,
    /// The captured standard output.
    pub output: Vec<u8>,
    /// The captured standard error.
    pub errors: Vec<u8>,
    /// Whether the process printed more than was captured. No UTF-8 character is cut in two.
    pub is_cut: bool,
    /// The signal that ended the process, unless that was done at a limit or to cancel it.
    pub signal: Option<i32>,
    /// How long the process ran.
    pub time: Duration,
    /// Whether the process was ended at its time limit.
    pub timed_out: bool,
    /// Whether the process was ended because it printed more than [`Limits::flood_bytes`].
    pub flooded: bool,
    /// Whether the process was ended because it was cancelled.
    pub is_stopped: bool,
}

/// Writes `input` to a process, captures its output until it ends or reaches a limit, and ends its process group.
pub(super) fn capture(process: Process, input: &[u8], limits: &Limits, stop: &CancelToken) -> ProcessOutput {
    capture_and_observe(process, input, limits, stop, &mut |_| {})
}

/// Like [`capture`], and also passes all output to `observe` as it arrives, including what is not captured.
pub(super) fn capture_and_observe(
    mut process: Process,
    mut input: &[u8],
    limits: &Limits,
    stop: &CancelToken,
    observe: &mut dyn FnMut(&[u8]),
) -> ProcessOutput {
    let started = Instant::now();
    let mut captured = Captured::new(limits.output_bytes);
    let flood_bytes = limits.flood_bytes();
    let mut take = |stream, bytes: &[u8]| {
        captured.add(stream, bytes);
        observe(bytes);
        if captured.printed > flood_bytes { Want::Enough } else { Want::More }
    };
    process.close_input();
    let pause = process.pump(&mut input, limits.end(started), stop, &mut take);
    let status = process.end(&mut take);
    let timed_out = pause == Pause::Late;
    // The process may have ended before the last of its output was read.
    let flooded = matches!(pause, Pause::Enough | Pause::Ended(_)) && captured.printed > flood_bytes;
    let signal = match pause {
        Pause::Ended(status) if !flooded => signal(status),
        _ => None,
    };
    let code = if timed_out || flooded { LIMIT_CODE } else { exit_code(status) };
    let is_cut = captured.output.is_cut || captured.errors.is_cut;
    let (output, errors) = (captured.output.into_bytes(), captured.errors.into_bytes());
    let is_stopped = pause == Pause::Stopped;
    ProcessOutput { code, output, errors, is_cut, signal, time: started.elapsed(), timed_out, flooded, is_stopped }
}

/// The captured part of both streams, which together have a limit.
struct Captured {
    output: StreamStart,
    errors: StreamStart,
    max_bytes: usize,
    /// How many bytes were printed, captured or not.
    printed: usize,
}

#[derive(Default)]
struct StreamStart {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Captured {
    fn new(max_bytes: usize) -> Captured {
        Captured { output: StreamStart::default(), errors: StreamStart::default(), max_bytes, printed: 0 }
    }

    fn add(&mut self, stream: Stream, bytes: &[u8]) {
        self.printed = self.printed.saturating_add(bytes.len());
        let mut free = self.max_bytes - self.output.bytes.len() - self.errors.bytes.len();
        let start = match stream {
            Stream::Output => &mut self.output,
            Stream::Errors => {
                // Errors get their reserved part at the cost of the end of the output.
                let errors = self.errors.bytes.len();
                let wanted = (errors + bytes.len()).min(self.max_bytes / ERRORS_PART);
                free += self.output.drop_end(wanted.saturating_sub(errors + free));
                &mut self.errors
            }
        };
        start.add(bytes, free);
    }
}

impl StreamStart {
    /// Appends at most `free` bytes. Nothing is appended after a gap.
    fn add(&mut self, bytes: &[u8], free: usize) {
        let free = if self.is_cut { 0 } else { free };
        self.bytes.extend_from_slice(bytes.get(..free).unwrap_or(bytes));
        self.is_cut |= free < bytes.len();
    }

    /// Drops up to `bytes` bytes at the end, and returns how many were dropped.
    fn drop_end(&mut self, bytes: usize) -> usize {
        let before = self.bytes.len();
        self.bytes.truncate(before.saturating_sub(bytes));
        self.is_cut |= self.bytes.len() < before;
        before - self.bytes.len()
    }

    /// The bytes, without an incomplete UTF-8 character at the cut.
    fn into_bytes(mut self) -> Vec<u8> {
        if let Some(whole) = utf8(&self.bytes, self.is_cut).ok().map(str::len) {
            self.bytes.truncate(whole);
        }
        self.bytes
    }
}
