//! Computes the byte offsets of the parser's marks, and where scalars end. The parser's own index counts bytes inside
//! block scalars and characters elsewhere, so only its lines and columns are used. Every offset is a character
//! boundary.

use super::{Span, Style};

/// Maps the parser's lines (which also end at a lone CR) and columns to byte offsets.
pub(super) struct Places<'t> {
    text: &'t str,
    /// The offset of the first byte of each line, and the number of characters before it.
    lines: Vec<(usize, usize)>,
    /// The offset of each character; empty if all are ASCII.
    bytes: Vec<usize>,
}

impl<'t> Places<'t> {
    pub(super) fn new(text: &'t str) -> Places<'t> {
        let mut lines = vec![(0, 0)];
        let mut bytes = Vec::new();
        let ascii = text.is_ascii();
        for (number, (at, c)) in text.char_indices().enumerate() {
            if !ascii {
                bytes.push(at);
            }
            let next = text.as_bytes().get(at + 1);
            if c == '\n' || (c == '\r' && next != Some(&b'\n')) {
                lines.push((at + 1, number + 1));
            }
        }
        Places { text, lines, bytes }
    }

    /// The offset of a line (from 1) and column (from 0). A position behind the last character is the end of the text.
    pub(super) fn byte(&self, line: usize, column: usize) -> usize {
        let Some(&(start, before)) = self.lines.get(line.saturating_sub(1)) else { return self.text.len() };
        if self.bytes.is_empty() {
            return start.saturating_add(column).min(self.text.len());
        }
        self.bytes.get(before.saturating_add(column)).copied().unwrap_or(self.text.len())
    }

    /// The offset of the first byte of a line (from 1).
    pub(super) fn line_start(&self, line: usize) -> usize {
        self.byte(line, 0)
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

pub(super) fn is_break(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn is_white(byte: u8) -> bool {
    is_blank(byte) || is_break(byte)
}

/// The first offset from `at` on whose byte is not one of these, or the end of the text.
pub(super) fn skip(text: &str, at: usize, is_one: impl Fn(u8) -> bool) -> usize {
    let at = at.min(text.len());
    text.as_bytes()[at..].iter().position(|&byte| !is_one(byte)).map_or(text.len(), |count| at + count)
}

/// The first offset from `at` on that is neither white space nor part of a comment.
pub(super) fn skip_white(text: &str, mut at: usize) -> usize {
    loop {
        at = skip(text, at, is_white);
        if text.as_bytes().get(at) != Some(&b'#') {
            return at;
        }
        at = skip(text, at, |byte| !is_break(byte));
    }
}

/// Where the tags and anchors end that follow on this line.
pub(super) fn skip_properties(text: &str, mut at: usize) -> usize {
    loop {
        let next = skip(text, at, is_blank);
        if !matches!(text.as_bytes().get(next), Some(b'!' | b'&')) {
            return at;
        }
        at = skip(text, next, |byte| !is_white(byte));
    }
}

/// Where a plain scalar ends. Its source contains the characters of its value in order, and more white space.
pub(super) fn plain_end(text: &str, start: usize, value: &str) -> usize {
    let mut at = start;
    for _ in value.bytes().filter(|&byte| !is_white(byte)) {
        at = skip(text, at, is_white) + 1;
    }
    boundary(text, at)
}

/// Where a quoted scalar ends, including its closing quote.
pub(super) fn quoted_end(text: &str, start: usize, style: Style) -> usize {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match (style, byte) {
            (Style::Double, b'\\') => at += 2,
            (Style::Single, b'\'') if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            (Style::Double, b'"') | (Style::Single, b'\'') => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The lines of a block scalar from its header on. `after` is where the source before it ends, and `content` the offset
/// and column of its first line that is not blank.
pub(super) fn block_span(text: &str, after: usize, value: &str, content: (usize, usize)) -> Span {
    // Behind a directive the header is not found, and the span begins with the content.
    let start = block_header(text, after).unwrap_or(content.0);
    let header_end = skip(text, start, |byte| matches!(byte, b'|' | b'>' | b'+' | b'-' | b'0'..=b'9'));
    if value.bytes().all(|byte| byte == b'\n') {
        return Span { start, end: header_end };
    }
    let mut end = header_end;
    let mut line = content.0;
    while line < text.len() {
        let line_end = skip(text, line, |byte| !is_break(byte));
        let inked = skip(text, line, |byte| byte == b' ').min(line_end);
        // The offset of the first line is that of its content, behind the indentation.
        let is_content = line == content.0 || inked - line >= content.1;
        let is_empty = skip(text, inked, is_blank) >= line_end;
        if !is_empty && !is_content {
            break;
        }
        if !is_empty {
            end = line + text[line..line_end].trim_end_matches([' ', '\t']).len();
        }
        line = line_end + if text[line_end..].starts_with("\r\n") { 2 } else { 1 };
    }
    Span { start, end }
}

/// The offset of the next `|` or `>` behind indicators, properties and comments.
fn block_header(text: &str, after: usize) -> Option<usize> {
    let mut at = after;
    loop {
        at = skip_white(text, at);
        match text.as_bytes().get(at)? {
            b'|' | b'>' => return Some(at),
            b':' | b'-' | b'?' => at += 1,
            b'!' | b'&' => at = skip_properties(text, at),
            _ => return None,
        }
    }
}

/// The first character boundary from `at` on, or the end of the text.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}
