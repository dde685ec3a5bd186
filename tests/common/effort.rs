//! Measures work by the processor time of its thread, which does not depend on how busy the machine is.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The work of a thread since a moment. Where the system does not tell processor time, it is the time that has passed.
pub(crate) struct Effort {
    begin: Instant,
    /// The file in which the system tells the time of the thread, and that time at the beginning.
    told: Option<(PathBuf, Duration)>,
}

impl Effort {
    /// Begins to measure the work of this thread.
    pub(crate) fn begin() -> Effort {
        let thread = fs::read_link("/proc/thread-self").map(|thread| Path::new("/proc").join(thread).join("schedstat"));
        let told = thread.ok().and_then(|file| processor_time(&file).map(|time| (file, time)));
        Effort { begin: Instant::now(), told }
    }

    /// The work so far. May be called from any thread while the measured one lives.
    pub(crate) fn so_far(&self) -> Duration {
        let told = self.told.as_ref().and_then(|(file, begin)| Some(processor_time(file)?.saturating_sub(*begin)));
        told.unwrap_or_else(|| self.begin.elapsed())
    }
}

/// The processor time in the first field of such a file, which is in nanoseconds.
fn processor_time(file: &Path) -> Option<Duration> {
    let text = fs::read_to_string(file).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
