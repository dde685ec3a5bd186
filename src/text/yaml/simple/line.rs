//! In: a text. Out: its lines, one ahead, without those that are blank or nothing but a comment.

use crate::text::lines::find_byte;

/// A line, or the part of it that is not read yet, without the blanks round it.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// How many blanks stand before the whole line.
    pub(super) indent: usize,
    /// The byte of the source where `text` begins.
    pub(super) at: usize,
    pub(super) text: &'t str,
}

impl<'t> Line<'t> {
    /// What follows the first bytes, and the blanks behind them.
    pub(super) fn behind(self, bytes: usize) -> Option<Line<'t>> {
        let rest = self.text.get(bytes..)?;
        let blanks = leading_blanks(rest);
        Some(Line { at: self.at + bytes + blanks, text: rest.get(blanks..)?, ..self })
    }
}

pub(super) struct Lines<'t> {
    text: &'t str,
    /// The first line that is not read yet.
    pub(super) line: Option<Line<'t>>,
    /// Where the line after it begins.
    next: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        let mut lines = Lines { text, line: None, next: 0 };
        lines.advance();
        lines
    }

    pub(super) fn advance(&mut self) {
        self.line = None;
        while let Some((start, raw)) = self.take_raw() {
            let indent = leading_blanks(raw);
            let text = raw.get(indent..).unwrap_or("").trim_end_matches(' ');
            if !text.is_empty() && !text.starts_with('#') {
                self.line = Some(Line { indent, at: start + indent, text });
                return;
            }
        }
    }

    /// The line after `line` as it is, and where it begins.
    pub(super) fn take_raw(&mut self) -> Option<(usize, &'t str)> {
        let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
        let raw = rest.get(..find_byte(rest.as_bytes(), b'\n').unwrap_or(rest.len()))?;
        let start = self.next;
        self.next = start + raw.len() + 1;
        Some((start, raw))
    }

    /// Takes a raw line back.
    pub(super) fn untake(&mut self, start: usize) {
        self.next = start;
    }

    /// Whether a raw line ends without a break.
    pub(super) fn is_at_end(&self) -> bool {
        self.next > self.text.len()
    }
}

pub(super) fn leading_blanks(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte == b' ').count()
}
