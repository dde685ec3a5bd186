//! Reads the lines of a text, without blank lines and comments, with one line of lookahead.

use crate::text::lines::find_byte;

/// A line, or the part of it that has not been read yet, without the spaces around it.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// The number of spaces before the whole line.
    pub(super) indent: usize,
    /// The offset in the source at which `text` begins.
    pub(super) at: usize,
    pub(super) text: &'t str,
}

impl<'t> Line<'t> {
    /// The line without its first bytes and the spaces behind them; `None` if it has fewer bytes.
    pub(super) fn behind(self, bytes: usize) -> Option<Line<'t>> {
        let rest = self.text.get(bytes..)?;
        let spaces = leading_spaces(rest);
        Some(Line { at: self.at + bytes + spaces, text: &rest[spaces..], ..self })
    }
}

/// The lines of a text.
pub(super) struct Lines<'t> {
    text: &'t str,
    /// The current line: the first that has not been read yet.
    pub(super) line: Option<Line<'t>>,
    /// Where the line after it begins; behind the end of the text if the last line was read and does not end in LF.
    next: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        let mut lines = Lines { text, line: None, next: 0 };
        lines.advance();
        lines
    }

    /// Makes the next line that is neither blank nor a comment the current one.
    pub(super) fn advance(&mut self) {
        self.line = None;
        while let Some((start, raw)) = self.take_raw() {
            let indent = leading_spaces(raw);
            let text = raw[indent..].trim_end_matches(' ');
            if !text.is_empty() && !text.starts_with('#') {
                self.line = Some(Line { indent, at: start + indent, text });
                return;
            }
        }
    }

    /// Reads the line after the current one, whatever it contains. Returns where it begins, and its text without LF.
    pub(super) fn take_raw(&mut self) -> Option<(usize, &'t str)> {
        let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
        let raw = &rest[..find_byte(rest.as_bytes(), b'\n').unwrap_or(rest.len())];
        let start = self.next;
        self.next = start + raw.len() + 1;
        Some((start, raw))
    }

    /// Makes the raw line that begins at `start` the next one again.
    pub(super) fn untake(&mut self, start: usize) {
        self.next = start;
    }

    /// Whether the last raw line does not end in LF.
    pub(super) fn is_at_end(&self) -> bool {
        self.next > self.text.len()
    }
}

/// The number of spaces that a text begins with.
pub(super) fn leading_spaces(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte == b' ').count()
}
