//! How much a process of ours may take, and how it is told to stop. Data; the doors hold to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest time there is, in seconds, a year: a clock cannot be added to without end.
const LONGEST_SECS: u64 = 31_536_000;

/// How much a process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes of its output and errors together are kept. What is over is read and dropped.
    pub output_bytes: usize,
}

// agent-base, "Script Execution"
impl Default for Limits {
    /// 60 seconds and 1 MiB.
    fn default() -> Limits {
        Limits { time: Duration::from_secs(60), output_bytes: 1_048_576 }
    }
}

impl Limits {
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

    /// When the time of what began then is over.
    pub(super) fn end(&self, begun: Instant) -> Instant {
        begun + self.time.min(Duration::from_secs(LONGEST_SECS))
    }
}

/// Tells running processes to end: a clone that stands elsewhere, in a signal's handler or another thread, stops them.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Nothing is to be stopped yet.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Ends what runs under this or a clone of it, and lets nothing more begin.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has been told to stop.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
