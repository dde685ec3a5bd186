//! In: a text, and what is wrong at a byte of it. Out: the part of the text to point at.
//! Absent: how it is mended.

use super::Mend;
use super::entry::BLANKS;
use super::intent::{COLON, items};
use super::mend::COLUMN_0;
use crate::text::yaml::{self, Span};

/// What a mend is about: the value that is wrong, the one item of a list, the colon that nobody quoted.
pub(crate) fn mark(text: &str, mend: &Mend) -> Span {
    let line = trimmed(text, Span { start: mend.at, end: line_end(text, mend.at) });
    if line.start == mend.line_start && starts_blank(text, line) {
        return indentation(text, line);
    }
    if mend.why == COLUMN_0 {
        return unindented(text, Span { start: line.end, end: mend.end }).unwrap_or(line);
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
    text.get(at..).and_then(|rest| rest.find(['\n', '\r'])).map_or(text.len(), |end| at + end)
}

fn trimmed(text: &str, span: Span) -> Span {
    let inside = text.get(span.start..span.end).unwrap_or_default();
    Span { start: span.start, end: span.start + inside.trim_end_matches(BLANKS).len() }
}

fn starts_blank(text: &str, span: Span) -> bool {
    text.get(span.start..span.end).is_some_and(|line| line.starts_with([' ', '\t']))
}

/// The first line within a value that begins without blanks.
fn unindented(text: &str, rest: Span) -> Option<Span> {
    let inside = text.get(rest.start..rest.end)?;
    let starts = inside.match_indices('\n').map(|(at, _)| rest.start + at + 1);
    let lines = starts.map(|start| trimmed(text, Span { start, end: line_end(text, start) }));
    lines.into_iter().find(|line| line.start < line.end && !starts_blank(text, *line))
}

/// The blanks that a line begins with.
fn indentation(text: &str, line: Span) -> Span {
    let inside = text.get(line.start..line.end).unwrap_or_default();
    Span { start: line.start, end: line.end - inside.trim_start_matches([' ', '\t']).len() }
}

/// The `: ` that a plain value holds, or the `:` that it ends with.
fn colon(text: &str, value: Span) -> Option<Span> {
    let inside = text.get(value.start..value.end)?;
    let ends = |at: usize| inside.get(at + 1..).is_none_or(|rest| rest.is_empty() || rest.starts_with(['\n', '\r']));
    let is_one = |at: &usize| ends(*at) || inside.get(at + 1..).is_some_and(|rest| rest.starts_with([' ', '\t']));
    let at = inside.match_indices(':').map(|(at, _)| at).find(is_one)?;
    let start = value.start + at;
    Some(Span { start, end: start + if ends(at) { 1 } else { 2 } })
}

/// The first item of a list in brackets that YAML refuses.
fn wrong_item(text: &str, value: Span) -> Option<Span> {
    let inner = text.get(value.start..value.end)?.strip_prefix('[')?.strip_suffix(']')?;
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
