//! A fast path for simple YAML, which most frontmatter is: lines of `key: value`, short lists and block scalars.
//! Anything that is not certain to be read exactly as yaml-rust2 reads it, and every error, is left to yaml-rust2.
//!
//! It is worth its code: with it, discovery takes some 37 000 instructions a skill, and without it about three times as many.

use super::{Document, Node, Span, Style, Value};
use crate::text::lines::{find_byte, has_below_space};

/// Every key is compared with those before it; a larger map is not read here.
const MOST_PAIRS: usize = 32;

/// The capacity of a new map; most maps have no more pairs.
const USUAL_PAIRS: usize = 6;

/// The deepest nesting of maps below the outermost, which bounds the recursion (rule 5.1).
const MAPS_INSIDE: usize = 3;

/// The longest key that yaml-rust2 accepts without a `?` before it.
const KEY_BYTES: usize = 1_024;

/// Exactly the document that yaml-rust2's events give, or `None`.
pub(super) fn read(text: &str) -> Option<Document> {
    if has_below_space(text) {
        return None;
    }
    let mut lines = Lines::new(text);
    let root = map(&mut lines, 0, MAPS_INSIDE)?;
    Some(Document { root: Some(root), notices: Vec::new(), words: Vec::new() })
}

/// The pairs at this indentation, up to the first line further left.
fn map(lines: &mut Lines<'_>, indent: usize, inside: usize) -> Option<Node> {
    let mut pairs: Vec<(Node, Node)> = Vec::with_capacity(USUAL_PAIRS);
    while let Some(line) = lines.line.filter(|line| line.indent >= indent) {
        if line.indent > indent || pairs.len() == MOST_PAIRS {
            return None;
        }
        let name = key(line.text)?;
        // The first of two equal keys wins, with a notice (rule 5.4).
        if pairs.iter().any(|(key, _)| key.as_text() == Some(name)) {
            return None;
        }
        let value = value(lines, line.behind(name.len() + 1)?, indent, inside)?;
        pairs.push((text(name.to_owned(), line.at, line.at + name.len(), Style::Plain), value));
    }
    let span = Span { start: pairs.first()?.0.span.start, end: pairs.last()?.1.span.end };
    Some(Node { value: Value::Map(pairs), span, style: Style::Block, tag: None })
}

/// The plain word before a `:` that is followed by a space or the end of the line.
fn key(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let end = bytes.iter().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')))?;
    let starts = bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let ends = matches!(bytes.get(end..), Some([b':'] | [b':', b' ', ..]));
    if starts && ends && end <= KEY_BYTES { line.get(..end) } else { None }
}

/// The value of a key, which follows its colon or is on the lines below.
fn value(lines: &mut Lines<'_>, rest: Line<'_>, indent: usize, inside: usize) -> Option<Node> {
    if rest.text.starts_with(['|', '>']) {
        return block(lines, rest, indent);
    }
    lines.advance();
    if !rest.text.is_empty() {
        return if rest.text.starts_with('[') { flow_list(rest) } else { scalar(rest) };
    }
    match lines.line {
        Some(below) if below.indent >= indent && below.text.starts_with("- ") => list(lines, below),
        Some(below) if below.indent > indent => map(lines, below.indent, inside.checked_sub(1)?),
        _ => Some(text(String::new(), rest.at, rest.at, Style::Plain)),
    }
}

/// The scalars behind the dashes at the indentation of the first.
fn list(lines: &mut Lines<'_>, first: Line<'_>) -> Option<Node> {
    let mut items = Vec::with_capacity(4);
    while let Some(line) = lines.line.filter(|line| line.indent == first.indent && line.text.starts_with("- ")) {
        items.push(scalar(line.behind(1)?)?);
        lines.advance();
    }
    let span = Span { start: first.at, end: items.last()?.span.end };
    Some(Node { value: Value::List(items), span, style: Style::Block, tag: None })
}

fn text(value: String, start: usize, end: usize, style: Style) -> Node {
    Node { value: Value::Text(value), span: Span { start, end }, style, tag: None }
}

/// The deepest indentation of a block scalar; yaml-rust2 treats deeper ones differently.
const BLOCK_INDENT: usize = 13;

/// A plain or quoted scalar that fills the rest of its line.
fn scalar(rest: Line<'_>) -> Option<Node> {
    let end = rest.at + rest.text.len();
    let (inside, style) = match rest.text.bytes().next()? {
        b'"' => (quoted(rest.text, '"').filter(|inside| !inside.contains('\\'))?, Style::Double),
        b'\'' => (quoted(rest.text, '\'')?, Style::Single),
        _ => (plain(rest.text)?, Style::Plain),
    };
    Some(text(inside.to_owned(), rest.at, end, style))
}

fn quoted(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote).filter(|inside| !inside.contains(quote))
}

/// The text, if it is one plain scalar in a block.
fn plain(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    // An indicator may begin something else.
    if b"-?:,[]{}#&*!|>'\"%@`".contains(bytes.first()?) || bytes.last() == Some(&b':') {
        return None;
    }
    // `: ` ends a key, and ` #` begins a comment (rule 5.8). The loop has no branch, so that the compiler can
    // compare many bytes at once.
    let ends = bytes.iter().zip(bytes.get(1..)?).fold(false, |found, (&one, &next)| {
        found | ((one == b':') & (next == b' ')) | ((one == b' ') & (next == b'#'))
    });
    (!ends).then_some(text)
}

/// A list of scalars between `[` and `]` on one line.
fn flow_list(rest: Line<'_>) -> Option<Node> {
    let inside = rest.text.strip_prefix('[')?.strip_suffix(']')?;
    if inside.contains(['[', ']', '{', '}']) {
        return None;
    }
    let mut items = Vec::new();
    let mut at = rest.at + 1;
    // `[]` and `[ ]` have no items.
    let written = if inside.trim_matches(' ').is_empty() { "" } else { inside };
    for item in written.split_terminator(',') {
        let spaces = leading_spaces(item);
        let word = item.trim_matches(' ');
        // yaml-rust2 refuses a `-` before the end of an item.
        if word.ends_with(" -") {
            return None;
        }
        items.push(scalar(Line { indent: rest.indent, at: at + spaces, text: word })?);
        at += item.len() + 1;
    }
    let span = Span { start: rest.at, end: rest.at + rest.text.len() };
    Some(Node { value: Value::List(items), span, style: Style::Flow, tag: None })
}

/// The block scalar of a header, whose lines are indented further than `parent`.
fn block(lines: &mut Lines<'_>, header: Line<'_>, parent: usize) -> Option<Node> {
    let (style, last_break) = match header.text {
        "|" => (Style::Literal, "\n"),
        "|-" => (Style::Literal, ""),
        ">" => (Style::Folded, "\n"),
        ">-" => (Style::Folded, ""),
        _ => return None,
    };
    let (first, raw) = lines.take_raw()?;
    let indent = leading_spaces(raw);
    if indent == raw.len() || indent <= parent || indent > BLOCK_INDENT {
        return None;
    }
    lines.next = first;
    let is_folded = style == Style::Folded;
    let mut value = String::new();
    let mut end = header.at;
    // The number of line ends since the last line that is not blank began.
    let mut breaks = 0;
    while let Some((start, raw)) = lines.take_raw() {
        let spaces = leading_spaces(raw);
        if spaces == raw.len() {
            // Spaces behind the indentation are content, and spaces at the end of a text without a last LF are one more line.
            if spaces > indent || (spaces > 0 && lines.next > lines.text.len()) {
                return None;
            }
            breaks += 1;
            continue;
        }
        if spaces < indent {
            lines.next = start;
            break;
        }
        if is_folded && spaces > indent {
            return None;
        }
        if is_folded && breaks == 1 {
            value.push(' ');
        } else {
            value.extend((usize::from(is_folded)..breaks).map(|_| '\n'));
        }
        value.push_str(&raw[indent..]);
        end = start + raw.trim_end_matches(' ').len();
        breaks = 1;
    }
    value.push_str(last_break);
    lines.advance();
    Some(text(value, header.at, end, style))
}

/// A line, or the part of it that has not been read yet, without the spaces around it.
#[derive(Clone, Copy)]
struct Line<'t> {
    indent: usize,
    /// The offset in the source at which `text` begins.
    at: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    /// The line without its first bytes and the spaces behind them; `None` if it has fewer bytes.
    fn behind(self, bytes: usize) -> Option<Line<'t>> {
        let rest = self.text.get(bytes..)?;
        let spaces = leading_spaces(rest);
        Some(Line { at: self.at + bytes + spaces, text: &rest[spaces..], ..self })
    }
}

/// The lines of a text without blank lines and comments, with one line of lookahead.
struct Lines<'t> {
    text: &'t str,
    /// The current line: the first that has not been read yet.
    line: Option<Line<'t>>,
    /// Where the line after it begins; behind the end of the text if the last line was read and does not end in LF.
    next: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Lines<'t> {
        let mut lines = Lines { text, line: None, next: 0 };
        lines.advance();
        lines
    }

    /// Makes the next line that is neither blank nor a comment the current one.
    fn advance(&mut self) {
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
    fn take_raw(&mut self) -> Option<(usize, &'t str)> {
        let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
        let raw = &rest[..find_byte(rest.as_bytes(), b'\n').unwrap_or(rest.len())];
        let start = self.next;
        self.next = start + raw.len() + 1;
        Some((start, raw))
    }
}

fn leading_spaces(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte == b' ').count()
}

#[cfg(test)]
#[path = "../../../tests/unit/yaml_simple.rs"]
mod tests;
