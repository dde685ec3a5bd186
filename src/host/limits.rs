//! How much a process of ours may take, and how it is told to stop. Data; the doors hold to it.

#[cfg(feature = "forks")]
use crate::answers::invoke::Pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest time there is, in seconds, a year: a clock cannot be added to without end.
const LONGEST_SECS: u64 = 31_536_000;

/// How many times as much as is kept a process may print before it is ended.
const FLOOD: usize = 64;

/// It may print this much in any case: what a pipe holds, which it may have printed before anybody reads.
const LEAST_FLOOD_BYTES: usize = 65_536;

/// How much a process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes of its output and errors together are kept. What is over is read and dropped; but errors that
    /// come when there is no room have a sixteenth of it, and the end of the output goes for them. A process that
    /// prints more than 64 times as much (and more than 64 KiB) is ended.
    pub output_bytes: usize,
}

// agent-base, "Script Execution"
impl Default for Limits {
    /// 60 seconds and 1 MiB.
    fn default() -> Limits {
        Limits { time: Duration::from_secs(60), output_bytes: 1_048_576 }
    }
}

/// How long an agent may take: it reads, thinks and tries for as long as a person would wait for it.
const AGENT_TIME: Duration = Duration::from_secs(1_800);

impl Limits {
    /// What each command that a skill wants run first may take: the time that its dialect gives, and 1 MiB.
    #[cfg(feature = "forks")]
    pub fn of_commands(pending: &Pending) -> Limits {
        Limits::default().with_time(Duration::from_secs(pending.rule.seconds))
    }

    /// What an agent may take: 30 minutes and 1 MiB.
    pub fn of_agent() -> Limits {
        Limits::default().with_time(AGENT_TIME)
    }

    /// The same with another time.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Limits {
        Limits { time, ..self }
    }

    /// The same with room for another number of bytes of output.
    #[must_use]
    pub fn with_output_bytes(self, output_bytes: usize) -> Limits {
        Limits { output_bytes, ..self }
    }

    /// How many bytes it may print before it is ended, those that are not kept included.
    pub fn flood_bytes(&self) -> usize {
        self.output_bytes.saturating_mul(FLOOD).max(LEAST_FLOOD_BYTES)
    }

    /// When the time of what began then is over.
    pub(super) fn end(&self, begun: Instant) -> Instant {
        begun + self.time.min(Duration::from_secs(LONGEST_SECS))
    }
}

/// Tells running processes to end: a clone that stands elsewhere, in a signal's handler or another thread, stops them.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    told: Arc<AtomicBool>,
    /// One that stops this too.
    above: Option<Arc<CancelToken>>,
}

impl CancelToken {
    /// Nothing is to be stopped yet.
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// One of its own for a part of the work, which this one stops too.
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
        CancelToken { told: Arc::default(), above: Some(Arc::new(self.clone())) }
    }

    /// Ends what runs under this or a clone of it, and lets nothing more begin.
    pub fn stop(&self) {
        self.told.store(true, Ordering::Relaxed);
    }

    /// Whether it has been told to stop.
    pub fn is_stopped(&self) -> bool {
        self.told.load(Ordering::Relaxed) || self.above.as_ref().is_some_and(|above| above.is_stopped())
    }
}

impl From<Arc<AtomicBool>> for CancelToken {
    /// One that a flag stops: a signal's handler may set one, and do little else.
    fn from(told: Arc<AtomicBool>) -> CancelToken {
        CancelToken { told, above: None }
    }
}
