//! Writes text to a stream: with styles or without, and with no line that is a command to a log.

use super::log_commands::{may_have_log_commands, without_log_commands};
use super::text;
use crate::reply::Lines;
use anstream::AutoStream;
use anstream::adapter::strip_str;
use std::io::{self, BufWriter, Write};

/// Size of the buffer for output that is generated line by line.
pub(crate) const BUFFER_BYTES: usize = 1 << 16;

/// Writes bytes unchanged.
pub(crate) fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}

/// Writes text with styles, or without them if the stream has none, in which no line is a command to a log.
pub(crate) fn write_styled<S: anstream::stream::RawStream + anstream::stream::AsLockedWrite>(
    mut to: AutoStream<S>,
    text: &str,
) -> io::Result<()> {
    match to.current_choice() {
        anstream::ColorChoice::Never => {
            let plain = strip_str(text).to_string();
            write(&mut to, without_log_commands(&plain).as_bytes())
        }
        _ => write(&mut to, without_log_commands(text).as_bytes()),
    }
}

/// Writes lines through a buffer and stops writing after the first error.
pub(crate) fn write_lines(to: impl Write, plain: bool, make: Lines) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
    let mut written = Ok(());
    make(&mut |line| {
        // A command may appear only when the styles are removed.
        let stripped = (plain && may_have_log_commands(line)).then(|| strip_str(line).to_string());
        let line = &*without_log_commands(stripped.as_deref().unwrap_or(line));
        // Most lines have styles only at their beginning, so only that part is searched for them.
        let styled = match line.rfind('\u{1b}') {
            _ if !plain => 0,
            None => 0,
            Some(last) => line.get(last..).and_then(|style| style.find('m')).map_or(line.len(), |end| last + end + 1),
        };
        let (styled, rest) = line.split_at(styled);
        if written.is_ok() {
            written = strip_str(styled).try_for_each(|text| to.write_all(text.as_bytes()));
        }
        if written.is_ok() {
            written = to.write_all(rest.as_bytes());
        }
    });
    written.and_then(|()| to.flush())
}

/// The output of a child process: unchanged, except on a terminal, where control characters are escaped.
pub(crate) fn displayable(bytes: Vec<u8>, terminal: bool) -> Vec<u8> {
    if terminal { text::lines(&String::from_utf8_lossy(&bytes)).into_owned().into_bytes() } else { bytes }
}
