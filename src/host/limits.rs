//! The limits of a process ([`Limits`]), and how a running one is cancelled ([`CancelToken`]).

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

    /// These limits with another number of captured bytes.
    #[must_use]
    pub fn with_output_bytes(self, output_bytes: usize) -> Limits {
        Limits { output_bytes, ..self }
    }

    /// How many bytes a process may print before it is ended, captured or not.
    pub fn flood_bytes(&self) -> usize {
        self.output_bytes.saturating_mul(FLOOD_FACTOR).max(MIN_FLOOD_BYTES)
    }

    /// The deadline of a process that was started at this time.
    pub(super) fn end(&self, started: Instant) -> Instant {
        started + self.time.min(Duration::from_secs(MAX_SECONDS))
    }
}

/// Cancels running processes, also from another thread or a signal handler. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    is_stopped: Arc<AtomicBool>,
    /// The token that this one is a part of.
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
