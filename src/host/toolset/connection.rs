//! Sends requests to a toolset's process and reads its answers.
//!
//! Requests and answers are lines of JSON. Each answer begins with a secret token, so that other output of a tool is not
//! taken for an answer.

use crate::host::limits::{CancelToken, Limits};
use crate::host::private_copy::random_hex;
use crate::host::process::{Outputs, Pause, Process, Stream, Want, exit_code};
use crate::text::json::Json;
use std::io;
use std::process::Command;
use std::time::Instant;

/// How many bytes at the end of standard error are kept.
const MAX_LAST_BYTES: usize = 2_048;

/// Why there is no answer. The process cannot be used any more.
pub(super) enum CallFailure {
    /// The process has ended.
    Ended,
    /// The deadline has passed.
    Late,
    /// The call was cancelled.
    Stopped,
    /// The process printed too much.
    TooMuch,
    /// The process printed too much to standard error.
    TooManyErrors,
    /// The answer has an unknown form.
    Unreadable,
    /// The process could not load the toolset, with its message.
    Refused(String),
}

/// The connection to a toolset's process.
pub(super) struct Connection {
    process: Process,
    token: String,
    /// How many requests were sent.
    requests: usize,
    /// The end of standard error during the last request.
    last: Tail,
}

impl Connection {
    pub(super) fn start(command: Command) -> io::Result<Connection> {
        Ok(Connection {
            process: Process::start(command, true, Outputs::Separate)?,
            token: token(),
            requests: 0,
            last: Tail::default(),
        })
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Whether the process has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.process.has_ended()
    }

    /// Sends the request `what` and waits for its answer.
    pub(super) fn ask(
        &mut self,
        what: &str,
        body: Json,
        limits: &Limits,
        until: Instant,
        stop: &CancelToken,
    ) -> Result<Json, CallFailure> {
        let id = Json::from(self.requests);
        self.requests += 1;
        let line = format!("{}\n", Json::map([("id", id.clone()), (what, body)]));
        let mut lines =
            AnswerReader { token: self.token.as_bytes(), id, buffer: Vec::new(), searched: 0, answer: None };
        let (mut printed, mut errors, mut last) = (0_usize, 0_usize, Tail::default());
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
            (_, Pause::Enough | Pause::Ended(_)) if printed > limits.output_bytes => Err(CallFailure::TooMuch),
            (_, Pause::Enough | Pause::Ended(_)) if errors > most_errors => Err(CallFailure::TooManyErrors),
            (Some(answer), _) => answer.ok_or(CallFailure::Unreadable),
            (None, Pause::Enough | Pause::Ended(_)) => Err(CallFailure::Ended),
            (None, Pause::Late) => Err(CallFailure::Late),
            (None, Pause::Stopped) => Err(CallFailure::Stopped),
        }
    }

    /// Ends the process. Returns its exit code if it had ended by itself, and the end of its standard error.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        let by_itself = self.process.has_ended();
        let mut last = std::mem::take(&mut self.last);
        let status = self.process.end(&mut |stream, bytes: &[u8]| {
            if stream == Stream::Errors {
                last.add(bytes);
            }
            Want::More
        });
        (status.filter(|_| by_itself).map(|status| exit_code(Some(status))), last.text())
    }
}

impl Drop for Connection {
    /// Closes standard input first, so that the process can end by itself.
    fn drop(&mut self) {
        self.process.close_input();
        self.process.end(&mut |_, _| Want::More);
    }
}

/// Searches the printed lines for the answer to one request.
struct AnswerReader<'a> {
    token: &'a [u8],
    id: Json,
    buffer: Vec<u8>,
    /// The part of `buffer` that is known to contain no line end.
    searched: usize,
    /// The answer; `Some(None)` if it is not JSON.
    answer: Option<Option<Json>>,
}

impl AnswerReader<'_> {
    /// Appends output, and returns whether it completes the answer.
    fn add(&mut self, bytes: &[u8]) -> bool {
        self.buffer.extend_from_slice(bytes);
        let mut begin = 0;
        let line_end = |rest: &[u8]| rest.iter().position(|byte| *byte == b'\n');
        while let Some(length) = self.buffer.get(self.searched..).and_then(line_end) {
            let end = self.searched + length;
            self.answer = self.buffer.get(begin..end).and_then(|line| self.read(line));
            (begin, self.searched) = (end + 1, end + 1);
            if self.answer.is_some() {
                return true;
            }
        }
        self.buffer.drain(..begin);
        self.searched = self.buffer.len();
        false
    }

    /// The answer, if the line is an answer to this request.
    fn read(&self, line: &[u8]) -> Option<Option<Json>> {
        let text = line.strip_prefix(self.token)?;
        let json = std::str::from_utf8(text).ok().and_then(|text| Json::parse(text).ok());
        match json {
            Some(json) if json.get("id") == Some(&self.id) => Some(Some(json)),
            // An answer to an earlier request.
            Some(json) if matches!(json.get("id"), Some(Json::Number(_))) => None,
            Some(_) | None => Some(None),
        }
    }
}

/// The end of a stream.
#[derive(Default)]
struct Tail(Vec<u8>);

impl Tail {
    fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.drain(..self.0.len().saturating_sub(MAX_LAST_BYTES));
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).trim().to_owned()
    }
}

fn token() -> String {
    format!("skilltree-{} ", random_hex())
}
