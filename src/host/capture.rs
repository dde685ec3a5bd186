//! In: a process and what it may take. Out: [`ScriptOutput`], what it printed and how it ended. Its output is kept to the
//! limit and read beyond it, so that it never waits for us. Absent: which process, and what its output means.

use super::limits::{CancelToken, Limits};
use super::process::{Pause, Process, Stream, Want, exit_code, signal};
use crate::discovery::manifest::utf8;
use std::time::{Duration, Instant};

/// The exit code of what was ended at a limit, of time or of output: the one that `timeout` gives.
const LIMIT_CODE: i32 = 124;

/// The part of the room that errors have in any case: 64 KiB of 1 MiB.
const ERRORS_PART: usize = 16;

/// What a process printed, and how it ended. The default is one that went well and printed nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptOutput {
    /// Its exit code; 128 and the signal's number where a signal ended it, 124 where a limit of time or of output did.
    pub code: i32,
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error.
    pub errors: Vec<u8>,
    /// Whether it printed more than the limit, so that the end of its output or errors is not here. No letter is cut
    /// in two.
    pub is_cut: bool,
    /// The signal that ended it, where one did and not a limit or the wish to stop.
    pub signal: Option<i32>,
    /// How long it ran.
    pub time: Duration,
    /// Whether it was ended at its limit of time.
    pub timed_out: bool,
    /// Whether it printed more than [`Limits::flood_bytes`], and was ended.
    pub flooded: bool,
    /// Whether it was ended as it was told to stop.
    pub is_stopped: bool,
}

/// Gives a process its input, hears it to its end or to a limit, and ends its group.
pub(super) fn run(process: Process, input: &[u8], limits: &Limits, stop: &CancelToken) -> ScriptOutput {
    run_telling(process, input, limits, stop, &mut |_| {})
}

/// The same, and all that is printed is told as it comes, what is not kept included.
pub(super) fn run_telling(
    mut process: Process,
    mut input: &[u8],
    limits: &Limits,
    stop: &CancelToken,
    tell: &mut dyn FnMut(&[u8]),
) -> ScriptOutput {
    let begun = Instant::now();
    let mut heard = Heard::new(limits.output_bytes);
    let most = limits.flood_bytes();
    let mut take = |stream, bytes: &[u8]| {
        heard.take(stream, bytes);
        tell(bytes);
        if heard.printed > most { Want::Enough } else { Want::More }
    };
    process.close_input();
    let pause = process.pump(&mut input, limits.end(begun), stop, &mut take);
    let status = process.end(&mut take);
    let timed_out = pause == Pause::Late;
    // It may have ended before the last of it was read.
    let flooded = matches!(pause, Pause::Enough | Pause::Ended(_)) && heard.printed > most;
    let signal = match pause {
        Pause::Ended(status) if !flooded => signal(status),
        _ => None,
    };
    let code = status.filter(|_| !timed_out && !flooded).map_or(LIMIT_CODE, exit_code);
    let is_cut = heard.output.is_cut || heard.errors.is_cut;
    let (output, errors) = (heard.output.end(), heard.errors.end());
    let is_stopped = pause == Pause::Stopped;
    ScriptOutput { code, output, errors, is_cut, signal, time: begun.elapsed(), timed_out, flooded, is_stopped }
}

/// What is kept of what comes, within the room for both streams.
struct Heard {
    output: Kept,
    errors: Kept,
    most: usize,
    /// How much has come, kept or not.
    printed: usize,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Heard {
    fn new(most: usize) -> Heard {
        Heard { output: Kept::default(), errors: Kept::default(), most, printed: 0 }
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        self.printed = self.printed.saturating_add(bytes.len());
        let mut room = self.most - self.output.bytes.len() - self.errors.bytes.len();
        let kept = match stream {
            Stream::Output => &mut self.output,
            Stream::Errors => {
                let errors = self.errors.bytes.len();
                let wanted = (errors + bytes.len()).min(self.most / ERRORS_PART);
                room += self.output.give(wanted.saturating_sub(errors + room));
                &mut self.errors
            }
        };
        kept.take(bytes, room);
    }
}

impl Kept {
    /// What follows a gap is not kept: what there is, is the beginning.
    fn take(&mut self, bytes: &[u8], room: usize) {
        let room = if self.is_cut { 0 } else { room };
        self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        self.is_cut |= room < bytes.len();
    }

    /// Gives up so many bytes at its end, or as many as there are.
    fn give(&mut self, bytes: usize) -> usize {
        let before = self.bytes.len();
        self.bytes.truncate(before.saturating_sub(bytes));
        self.is_cut |= self.bytes.len() < before;
        before - self.bytes.len()
    }

    /// The bytes. In a text that was cut, half a letter at its end is left out.
    fn end(mut self) -> Vec<u8> {
        if let Some(whole) = utf8(&self.bytes, self.is_cut).ok().map(str::len) {
            self.bytes.truncate(whole);
        }
        self.bytes
    }
}
