//! In: a mapping that YAML reads, and not as its author meant it. Out: the mapping as meant, and the corrected lines: a key
//! tight against its value is a key, and a word that begins with `!` or `&` is a part of the value.
//! Absent: everything that YAML refuses; there the entries are read one by one.

use super::Mend;
use super::entry::tight_colon;
use super::rewrite::{Edit, Pairs, read_all_with};
use crate::text::escape::quote_yaml;
use crate::text::lines::lines;
use crate::text::order::sort_by;
use crate::text::yaml::{Document, Node, NoticeKind, Style, Value};

/// One change, and what it mends.
pub(super) struct Change {
    edit: Edit,
    why: &'static str,
}

/// What has to change for YAML to read a text as it was meant, in source order.
pub(super) fn changes(text: &str, document: &Document) -> Vec<Change> {
    let mut changes = Vec::new();
    if let Some(Node { value: Value::Map(pairs), .. }) = &document.root {
        spaced(text, pairs, &mut changes);
    }
    for word in &document.words {
        let why = match word.value.starts_with('&') {
            true => "unquoted value starts with `&`; read as plain text",
            false => "unquoted value starts with `!`; read as plain text",
        };
        let edit = Edit { start: word.span.start, end: word.span.end, with: quote_yaml(&word.value) };
        changes.push(Change { edit, why });
    }
    sort_by(&mut changes, |a, b| a.edit.start.cmp(&b.edit.start));
    changes
}

/// The mapping as YAML reads it with these changes; none where it refuses it then.
pub(super) fn reread(text: &str, changes: Vec<Change>) -> Option<(Pairs, Vec<Mend>)> {
    let mends = mends(text, &changes);
    let edits: Vec<Edit> = changes.into_iter().map(|change| change.edit).collect();
    let (pairs, mut notices) = read_all_with(text, &edits).ok()?;
    // The line that a comment's mend is made of must be one that stays.
    let is_mended = |at: usize| {
        let next = mends.partition_point(|mend| mend.line_start <= at);
        next.checked_sub(1).and_then(|last| mends.get(last)).is_some_and(|mend| at <= mend.end)
    };
    notices.retain(|notice| !matches!(notice.what, NoticeKind::Comment { from, .. } if is_mended(from)));
    Some(((pairs, notices), mends))
}

/// A blank behind each colon that stands between a key and its value without one. A map is at most `MAX_DEPTH` deep.
fn spaced(text: &str, pairs: &[(Node, Node)], changes: &mut Vec<Change>) {
    for (key, value) in pairs {
        if let (Value::Text(name), Style::Plain) = (&key.value, key.style) {
            add_blank(key.span.start, tight_colon(name), changes);
        }
        match &value.value {
            Value::Map(inner) => spaced(text, inner, changes),
            Value::List(items) => {
                for item in items {
                    if let Value::Map(inner) = &item.value {
                        spaced(text, inner, changes);
                    }
                }
            }
            Value::Text(_) if value.style == Style::Plain => below(text, key, value, changes),
            Value::Text(_) | Value::Absent => {}
        }
    }
}

/// Lines below a key that are all tight keys: to YAML they are one text.
fn below(text: &str, key: &Node, value: &Node, changes: &mut Vec<Change>) {
    let is_below = text.get(key.span.end..value.span.start).is_some_and(|gap| gap.contains('\n'));
    let source = text.get(value.span.start..value.span.end).filter(|source| is_below && !source.is_empty());
    let mut colons = Vec::new();
    for (start, line) in lines(source.unwrap_or_default()) {
        let inked = line.trim_start();
        let Some(colon) = tight_colon(inked).filter(|_| inked.ends_with(['"', '\''])) else { return };
        colons.push((value.span.start + start + (line.len() - inked.len()), colon));
    }
    for (start, colon) in colons {
        add_blank(start, Some(colon), changes);
    }
}

fn add_blank(start: usize, colon: Option<usize>, changes: &mut Vec<Change>) {
    if let Some(colon) = colon {
        let at = start + colon + 1;
        let edit = Edit { start: at, end: at, with: " ".to_owned() };
        changes.push(Change { edit, why: "no space after the colon; read as if there were one" });
    }
}

/// The lines with their changes, those of one line together.
fn mends(text: &str, changes: &[Change]) -> Vec<Mend> {
    let mut mends: Vec<Mend> = Vec::new();
    for Change { edit, why } in changes {
        // Many changes may be on one long line: only what is between two of them is looked at.
        let from = mends.last().map_or(0, |last| last.end);
        let gap = text.get(from..edit.start).unwrap_or_default();
        let line_start = gap.rfind('\n').map(|found| from + found + 1);
        if line_start.is_some() || mends.is_empty() {
            if let Some(last) = mends.last_mut() {
                last.with.push_str(rest_of_line(text, last.end));
            }
            let line_start = line_start.unwrap_or_default();
            mends.push(Mend { at: edit.start, line_start, end: line_start, with: String::new(), why });
        }
        if let Some(mend) = mends.last_mut() {
            mend.with.push_str(text.get(mend.end..edit.start).unwrap_or_default());
            mend.with.push_str(&edit.with);
            mend.end = edit.end;
        }
    }
    if let Some(last) = mends.last_mut() {
        last.with.push_str(rest_of_line(text, last.end));
    }
    mends
}

fn rest_of_line(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    rest.split(['\n', '\r']).next().unwrap_or_default()
}
