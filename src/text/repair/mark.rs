//! Finds the part of a text that a message about a mend points at.

use super::Mend;
use super::entry::BLANKS;
use super::intent::{COLON, items};
use super::mend::COLUMN_0;
use crate::text::yaml::{self, Span};

/// The part of the text that is wrong: a value, an item of a list, an unquoted colon, an indentation.
pub(crate) fn mark(text: &str, mend: &Mend) -> Span {
    let line = trimmed(text, Span { start: mend.at, end: line_end(text, mend.at) });
    if line.start == mend.line_start && starts_blank(text, line) {
        return indentation(text, line);
    }
    if mend.why == COLUMN_0 {
        return unindented(text, line.end, mend.end).unwrap_or(line);
    }
    let value = match wrong_item(text, line) {
        Some(item) => item,
        // A value of several lines has its colon on any of them.
        None if mend.why == COLON => Span { start: line.start, end: line_end(text, mend.end).max(line.end) },
        None => line,
    };
    let colon = if mend.why == COLON { colon(text, value) } else { None };
    colon.unwrap_or(if mend.why == COLON { line } else { value })
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |end| at + end)
}

fn trimmed(text: &str, span: Span) -> Span {
    let inside = &text[span.start..span.end];
    Span { start: span.start, end: span.start + inside.trim_end_matches(BLANKS).len() }
}

fn starts_blank(text: &str, span: Span) -> bool {
    text[span.start..span.end].starts_with([' ', '\t'])
}

/// The first line within a value that is not indented.
fn unindented(text: &str, from: usize, end: usize) -> Option<Span> {
    let starts = text[from..].match_indices('\n').map(|(at, _)| from + at + 1).take_while(|start| *start <= end);
    let lines = starts.map(|start| trimmed(text, Span { start, end: line_end(text, start) }));
    lines.into_iter().find(|line| line.start < line.end && !starts_blank(text, *line))
}

/// The white space at the beginning of a line.
fn indentation(text: &str, line: Span) -> Span {
    let inside = &text[line.start..line.end];
    Span { start: line.start, end: line.end - inside.trim_start_matches([' ', '\t']).len() }
}

/// The `: ` in a plain value, or the `:` at its end.
fn colon(text: &str, value: Span) -> Option<Span> {
    let inside = &text[value.start..value.end];
    let ends = |at: usize| inside[at + 1..].is_empty() || inside[at + 1..].starts_with(['\n', '\r']);
    let is_one = |at: &usize| ends(*at) || inside[at + 1..].starts_with([' ', '\t']);
    let at = inside.match_indices(':').map(|(at, _)| at).find(is_one)?;
    let start = value.start + at;
    Some(Span { start, end: start + if ends(at) { 1 } else { 2 } })
}

/// The first item of a list in brackets that is not valid YAML.
fn wrong_item(text: &str, value: Span) -> Option<Span> {
    let inner = text[value.start..value.end].strip_prefix('[')?.strip_suffix(']')?;
    let mut start = value.start + 1;
    for item in items(inner) {
        let inked = item.trim_matches(BLANKS);
        if !inked.is_empty() && yaml::parse(&format!("[{inked}]")).is_err() {
            let start = start + (item.len() - item.trim_start_matches(BLANKS).len());
            return Some(Span { start, end: start + inked.len() });
        }
        start += item.len() + 1;
    }
    None
}
