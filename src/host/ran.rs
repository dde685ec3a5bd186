//! In: a process and what it may take. Out: [`Ran`], what it printed and how it ended. Its output is kept to the
//! limit and read beyond it, so that it never waits for us. Absent: which process, and what its output means.

use super::limits::{Limits, Stop};
use super::process::{Pause, Process, Stream, Want, exit_code};
use std::time::{Duration, Instant};

/// The exit code of what was ended at its limit of time, as `timeout` gives it.
const TIMED_OUT_CODE: i32 = 124;

/// What a process printed, and how it ended. The default is one that went well and printed nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// Its exit code; 128 and the signal's number where a signal ended it, 124 where the limit of time did.
    pub code: i32,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error.
    pub errors: Vec<u8>,
    /// Whether it printed more than the limit, so that the end of it is not here.
    pub is_cut: bool,
    /// How long it ran.
    pub time: Duration,
    /// Whether it was ended at its limit of time.
    pub timed_out: bool,
    /// Whether it was ended as it was told to stop.
    pub(super) is_stopped: bool,
}

/// Gives a process its input, hears it to its end or to a limit, and ends its group.
pub(super) fn run(mut process: Process, mut input: &[u8], limits: &Limits, stop: &Stop) -> Ran {
    let begun = Instant::now();
    let (mut output, mut errors, mut is_cut) = (Vec::new(), Vec::new(), false);
    let mut room = limits.output_bytes;
    let mut take = |stream, bytes: &[u8]| {
        let kept = bytes.get(..room).unwrap_or(bytes);
        match stream {
            Stream::Output => output.extend_from_slice(kept),
            Stream::Errors => errors.extend_from_slice(kept),
        }
        is_cut |= kept.len() < bytes.len();
        room -= kept.len();
        Want::More
    };
    process.close_input();
    let pause = process.pump(&mut input, limits.end(begun), stop, &mut take);
    let status = process.end(&mut take);
    let timed_out = pause == Pause::Late;
    let code = status.filter(|_| !timed_out).map_or(TIMED_OUT_CODE, exit_code);
    Ran { code, output, errors, is_cut, time: begun.elapsed(), timed_out, is_stopped: pause == Pause::Stopped }
}
