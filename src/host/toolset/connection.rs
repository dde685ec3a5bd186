//! In: what a toolset's process is asked. Out: its answer, a line of JSON among whatever else it prints. Its lines
//! begin with a token that no one else knows, so that what a tool prints is not taken for an answer.
//! Absent: what is asked, and what an answer means.

use crate::host::limits::{CancelToken, Limits};
use crate::host::private_copy::unguessable;
use crate::host::process::{Outputs, Pause, Process, Stream, Want, exit_code};
use crate::text::json::Json;
use std::io;
use std::process::Command;
use std::time::Instant;

/// How many bytes of its errors are kept: the last ones.
const MAX_LAST_BYTES: usize = 2_048;

/// Why there is no answer. The process is of no use any more.
pub(super) enum Broken {
    /// It has ended.
    Ended,
    /// The time has come.
    Late,
    /// It was told to stop.
    Stopped,
    /// It printed more than it may.
    TooMuch,
    /// It printed more errors than it may.
    TooManyErrors,
    /// It gave an answer that is none.
    Garbage,
    /// It could not load the toolset, and says why.
    Refused(String),
}

/// A process, and what has been said.
pub(super) struct Talk {
    process: Process,
    token: String,
    asked: usize,
    last: Last,
}

impl Talk {
    pub(super) fn start(command: Command) -> io::Result<Talk> {
        Ok(Talk {
            process: Process::start(command, true, Outputs::Apart)?,
            token: token(),
            asked: 0,
            last: Last::default(),
        })
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Whether it has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.process.has_ended()
    }

    /// Asks one thing.
    pub(super) fn ask(
        &mut self,
        what: &str,
        body: Json,
        limits: &Limits,
        until: Instant,
        stop: &CancelToken,
    ) -> Result<Json, Broken> {
        let id = Json::from(self.asked);
        self.asked += 1;
        let line = format!("{}\n", Json::map([("id", id.clone()), (what, body)]));
        let mut lines = Lines { token: self.token.as_bytes(), id, held: Vec::new(), seen: 0, answer: None };
        let (mut printed, mut errors, mut last) = (0_usize, 0_usize, Last::default());
        let most_errors = limits.flood_bytes();
        let mut take = |stream, bytes: &[u8]| {
            if stream == Stream::Errors {
                last.add(bytes);
                errors = errors.saturating_add(bytes.len());
                return if errors > most_errors { Want::Enough } else { Want::More };
            }
            printed += bytes.len();
            if printed > limits.output_bytes || lines.add(bytes) { Want::Enough } else { Want::More }
        };
        let pause = self.process.pump(&mut line.as_bytes(), until, stop, &mut take);
        self.last = last;
        match (lines.answer, pause) {
            (_, Pause::Enough | Pause::Ended(_)) if printed > limits.output_bytes => Err(Broken::TooMuch),
            (_, Pause::Enough | Pause::Ended(_)) if errors > most_errors => Err(Broken::TooManyErrors),
            (Some(answer), _) => answer.ok_or(Broken::Garbage),
            (None, Pause::Enough | Pause::Ended(_)) => Err(Broken::Ended),
            (None, Pause::Late) => Err(Broken::Late),
            (None, Pause::Stopped) => Err(Broken::Stopped),
        }
    }

    /// Ends it. The code that it ended with by itself, and the last of what it printed on its standard error.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        let by_itself = self.process.has_ended();
        let mut last = std::mem::take(&mut self.last);
        let status = self.process.end(&mut |stream, bytes: &[u8]| {
            if stream == Stream::Errors {
                last.add(bytes);
            }
            Want::More
        });
        (status.filter(|_| by_itself).map(exit_code), last.text())
    }
}

impl Drop for Talk {
    /// Its input ends first, so that it may end by itself.
    fn drop(&mut self) {
        self.process.close_input();
        self.process.end(&mut |_, _| Want::More);
    }
}

/// The lines that come, and the one that is the answer.
struct Lines<'a> {
    token: &'a [u8],
    id: Json,
    held: Vec<u8>,
    /// Up to where `held` has no line end.
    seen: usize,
    /// The answer; none inside for one that is no JSON.
    answer: Option<Option<Json>>,
}

impl Lines<'_> {
    /// Whether the answer is here.
    fn add(&mut self, bytes: &[u8]) -> bool {
        self.held.extend_from_slice(bytes);
        let mut begin = 0;
        while let Some(length) = self.held.get(self.seen..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n'))
        {
            let end = self.seen + length;
            self.answer = self.held.get(begin..end).and_then(|line| self.read(line));
            (begin, self.seen) = (end + 1, end + 1);
            if self.answer.is_some() {
                return true;
            }
        }
        self.held.drain(..begin);
        self.seen = self.held.len();
        false
    }

    /// An answer to this question; none for any other line.
    fn read(&self, line: &[u8]) -> Option<Option<Json>> {
        let text = line.strip_prefix(self.token)?;
        let json = std::str::from_utf8(text).ok().and_then(|text| Json::parse(text).ok());
        match json {
            Some(json) if json.get("id") == Some(&self.id) => Some(Some(json)),
            // To a question that is over.
            Some(json) if matches!(json.get("id"), Some(Json::Number(_))) => None,
            Some(_) | None => Some(None),
        }
    }
}

/// The last of what was printed.
#[derive(Default)]
struct Last(Vec<u8>);

impl Last {
    fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.drain(..self.0.len().saturating_sub(MAX_LAST_BYTES));
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).trim().to_owned()
    }
}

fn token() -> String {
    format!("skilltree-{} ", unguessable())
}
