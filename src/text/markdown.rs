//! What a Markdown text refers to: the targets of its links and images, and its code spans. Fenced code and comments are
//! skipped. This is no Markdown parser: a construct that goes over several lines is not recognised, so that something may
//! be missed, but little is found that is not there.

use super::lines::lines;
use super::yaml::boundary;
use std::ops::Range;

/// The longest target of a link, in bytes. It also bounds the search for the end of a link, which would otherwise take time
/// in proportion to the square of a line of `](](](`.
const MAX_TARGET_BYTES: usize = 1_024;

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReferenceKind {
    /// The target of a link, of an image or of a link's definition.
    Link,
    /// The text of a code span.
    CodeSpan,
}

/// A part of a Markdown text that may name a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// What it is.
    pub(crate) kind: ReferenceKind,
    /// Its place in the text, in bytes.
    pub(crate) range: Range<usize>,
    /// The line that it is on.
    pub(crate) line: Range<usize>,
}

/// The links, images and code spans of a text, in their order.
pub(crate) fn references(text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut fences = Fences::default();
    let mut in_comment = false;
    for (start, line) in lines(text) {
        if !in_comment && fences.is_code(line) {
            continue;
        }
        // A loop without a branch compares many bytes at once.
        let has_mark = || line.bytes().fold(false, |found, byte| found | matches!(byte, b'`' | b']' | b'<'));
        if in_comment || has_mark() {
            let mut reader = LineReader { line, start, at: 0, has_bracket: false, in_comment };
            reader.read(&mut found);
            in_comment = reader.in_comment;
        }
    }
    found
}

/// The lines of a text that are not fenced code, each with the place of its first byte.
#[cfg(feature = "author")]
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fences = Fences::default();
    lines(text).filter(move |(_, line)| !fences.is_code(line))
}

#[derive(Default)]
pub(super) struct Fences<'t> {
    /// The marker that closes the code of this line.
    open: Option<&'t str>,
}

impl<'t> Fences<'t> {
    /// Whether the next line is fenced code, or a fence.
    pub(super) fn is_code(&mut self, line: &'t str) -> bool {
        let marker = fence_marker(line);
        match self.open {
            Some(open) => {
                if marker.is_some_and(|(marker, info)| marker.starts_with(open) && info.trim().is_empty()) {
                    self.open = None;
                }
                true
            }
            None => {
                self.open = marker.map(|(marker, _)| marker);
                marker.is_some()
            }
        }
    }
}

/// The marker of a line that opens or closes fenced code, and what follows it on the line.
fn fence_marker(line: &str) -> Option<(&str, &str)> {
    // Code may be part of a list item or a quote.
    let mut line = line.trim_start_matches([' ', '\t', '>']);
    if let Some(item) = line.strip_prefix(['-', '*', '+']).filter(|item| item.starts_with([' ', '\t'])) {
        line = item.trim_start();
    }
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < line.len() {
        line = number.strip_prefix(['.', ')'])?.trim_start();
    }
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let marker = line.get(..line.len() - info.len())?;
    // A line with more backticks behind it is a code span.
    (marker.len() >= 3 && !(mark == '`' && info.contains('`'))).then_some((marker, info))
}

struct LineReader<'t> {
    line: &'t str,
    start: usize,
    at: usize,
    has_bracket: bool,
    in_comment: bool,
}

impl LineReader<'_> {
    fn read(&mut self, found: &mut Vec<Reference>) {
        if !self.in_comment {
            if let Some(target) = definition(self.line) {
                return self.push(found, ReferenceKind::Link, target);
            }
        }
        while let Some(rest) = self.line.get(self.at..).filter(|rest| !rest.is_empty()) {
            if self.in_comment {
                let Some(end) = rest.find("-->") else { return };
                self.in_comment = false;
                self.at += end + 3;
                continue;
            }
            let is_mark = |byte: u8| matches!(byte, b'\\' | b'`' | b'[' | b']' | b'<');
            let Some(next) = rest.bytes().position(is_mark) else { return };
            self.at += next;
            let rest = &rest[next..];
            match rest.as_bytes() {
                [b'\\', ..] => {
                    let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
                    self.at += 1 + escaped;
                }
                [b'`', ..] => self.code_span(rest, found),
                [b'[', ..] => {
                    self.has_bracket = true;
                    self.at += 1;
                }
                [b']', b'(', ..] if self.has_bracket => self.link(&rest[2..], found),
                [b'<', b'!', b'-', b'-', ..] => {
                    self.in_comment = true;
                    self.at += 4;
                }
                _ => self.at += 1,
            }
        }
    }

    fn push(&self, found: &mut Vec<Reference>, kind: ReferenceKind, target: Range<usize>) {
        let range = self.start + target.start..self.start + target.end;
        found.push(Reference { kind, range, line: self.start..self.start + self.line.len() });
    }

    /// Reads a code span: from a run of backticks to the next run of the same length.
    fn code_span(&mut self, rest: &str, found: &mut Vec<Reference>) {
        let inside = rest.trim_start_matches('`');
        let run = rest.len() - inside.len();
        let mut end = 0;
        while let Some(next) = inside.get(end..).and_then(|after| after.find('`')) {
            end += next;
            let closing = inside[end..].len() - inside[end..].trim_start_matches('`').len();
            if closing == run {
                let text = inside[..end].trim();
                let start = self.at + run + (inside[..end].len() - inside[..end].trim_start().len());
                self.push(found, ReferenceKind::CodeSpan, start..start + text.len());
                self.at += run + end + closing;
                return;
            }
            end += closing;
        }
        self.at += run;
    }

    /// Reads the target of a link, whose opening parenthesis precedes `rest`.
    fn link(&mut self, rest: &str, found: &mut Vec<Reference>) {
        self.at += 2;
        let target = rest.trim_start_matches(' ');
        let start = self.at + (rest.len() - target.len());
        let target = target.get(..boundary(target, MAX_TARGET_BYTES)).unwrap_or_default();
        if let Some(inner) = target.strip_prefix('<') {
            if let Some(end) = inner.find('>') {
                self.push(found, ReferenceKind::Link, start + 1..start + 1 + end);
                self.at = start + end + 2;
            }
            return;
        }
        let mut depth = 0_usize;
        let end = target.find(|c: char| match c {
            '(' => {
                depth += 1;
                false
            }
            ')' if depth > 0 => {
                depth -= 1;
                false
            }
            ')' | ' ' | '\t' => true,
            _ => false,
        });
        let Some(end) = end else { return };
        // After the target, only a title may follow.
        if target[end..].trim_start().starts_with([')', '"', '\'', '(']) {
            self.push(found, ReferenceKind::Link, start..start + end);
        }
        self.at = start + end;
    }
}

/// The target of a link's definition: `[label]: target`. A footnote is none.
fn definition(line: &str) -> Option<Range<usize>> {
    let label = line.trim_start_matches(' ').strip_prefix('[').filter(|label| !label.starts_with('^'))?;
    let (_, rest) = label.split_once("]:").filter(|(label, _)| !label.is_empty() && !label.contains(']'))?;
    let rest = rest.trim_start();
    let start = line.len() - rest.len();
    if let Some((inner, _)) = rest.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
        return Some(start + 1..start + 1 + inner.len());
    }
    let target = rest.split([' ', '\t']).next()?;
    Some(start..start + target.len())
}

/// The longest beginning of a text that has at most this many bytes and ends with a whole paragraph; empty if not even the
/// first one fits. A fenced code block is never cut, whatever blank lines are in it.
#[cfg(feature = "digest")]
pub(crate) fn whole_paragraphs(text: &str, at_most: usize) -> &str {
    if text.len() <= at_most {
        return text;
    }
    let mut fences = Fences::default();
    // The ends of the last line that is not blank, and of the last paragraph that fits.
    let (mut end, mut kept) = (0, 0);
    for (start, line) in lines(text) {
        if !line.trim().is_empty() {
            end = start + line.len();
        } else if fences.open.is_none() {
            kept = end;
        }
        if at_most < end {
            return text.get(..kept).unwrap_or("");
        }
        fences.is_code(line);
    }
    // Only blank lines at its end did not fit.
    text.get(..end).unwrap_or("")
}

#[cfg(test)]
#[path = "../../tests/unit/markdown.rs"]
mod tests;
