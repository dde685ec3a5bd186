//! Reads and writes the messages of the protocol: JSON behind a header with its length. A message that is not valid JSON
//! is reported and the next one is read; only a broken header ends the session.

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, channel};

/// Maximum length of a header line in bytes.
const MAX_HEADER_BYTES: u64 = 4_096;

/// Maximum length of a message in bytes. A SKILL.md of the greatest length fits hundreds of times.
const MAX_MESSAGE_BYTES: u64 = 1 << 28;

/// What arrives on standard input.
pub(super) enum Incoming {
    Message(Value),
    /// A message that is too long or not valid JSON, and why.
    Invalid(String),
}

/// Reads standard input on a thread of its own until it ends or a header is broken, and closes the channel then.
pub(super) fn incoming() -> Receiver<Incoming> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(incoming)) = read(&mut input) {
            if sender.send(incoming).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Reads one message; `None` at the end of the input.
fn read(input: &mut dyn BufRead) -> io::Result<Option<Incoming>> {
    let broken = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8(line).map_err(|_| broken("the header is not UTF-8"))?;
        let line = line.strip_suffix('\n').ok_or_else(|| broken("the header does not end"))?.trim_end_matches('\r');
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| broken("the header has no colon"))?;
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            length = Some(value.trim().parse::<u64>().map_err(|_| broken("the length is not a number"))?);
        }
    }
    let length = length.ok_or_else(|| broken("the header has no length"))?;
    let mut body = input.take(length);
    if MAX_MESSAGE_BYTES < length {
        io::copy(&mut body, &mut io::sink())?;
        return Ok(Some(Incoming::Invalid(format!("expected at most {MAX_MESSAGE_BYTES} bytes, got {length}"))));
    }
    let mut bytes = Vec::new();
    if (body.read_to_end(&mut bytes)? as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Invalid(error.to_string()),
    }))
}

/// Writes one message to standard output.
pub(super) fn write(message: &Message) -> io::Result<()> {
    message.write(&mut io::stdout().lock())
}

/// Answers what has no usable id.
pub(super) fn write_invalid(code: ErrorCode, why: &str) -> io::Result<()> {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code as i32, "message": why}}).to_string();
    let mut output = io::stdout().lock();
    write!(output, "Content-Length: {}\r\n\r\n{error}", error.len())?;
    output.flush()
}
