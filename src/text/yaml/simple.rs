//! A fast path for simple YAML, which most frontmatter is: lines of `key: value`, short lists and block scalars.
//! Anything that is not certain to be read exactly as yaml-rust2 reads it, and every error, is left to yaml-rust2.
//!
//! It is worth its code: with it, discovery takes 36 600 instructions a skill, and without it 110 600.

mod line;
mod scalar;

use super::{Document, Node, Span, Style, Value};
use crate::text::lines::has_below_space;
use line::{Line, Lines};

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
        if pairs.iter().any(|(key, _)| matches!(&key.value, Value::Text(known) if known == name)) {
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
        return scalar::block(lines, rest, indent);
    }
    lines.advance();
    if !rest.text.is_empty() {
        return if rest.text.starts_with('[') { scalar::flow_list(rest) } else { scalar::scalar(rest) };
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
        items.push(scalar::scalar(line.behind(1)?)?);
        lines.advance();
    }
    let span = Span { start: first.at, end: items.last()?.span.end };
    Some(Node { value: Value::List(items), span, style: Style::Block, tag: None })
}

fn text(value: String, start: usize, end: usize, style: Style) -> Node {
    Node { value: Value::Text(value), span: Span { start, end }, style, tag: None }
}

#[cfg(test)]
#[path = "../../../tests/unit/yaml_simple.rs"]
mod tests;
