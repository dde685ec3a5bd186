//! Corrects mappings that are valid YAML with another meaning than their author's: a key without a space behind its
//! colon is a key, a word that begins with `!` or `&` is a part of the value, and braces within braces are text.

use super::entry::tight_colon;
use super::rewrite::{Edit, Pairs, read_all_with};
use super::{Mend, Shape};
use crate::text::escape::{fold, quote_yaml};
use crate::text::lines::lines;
use crate::text::order::sort_by;
use crate::text::yaml::{Document, Node, NoticeKind, Style, Value};

/// A change to the source.
pub(super) struct Change {
    edit: Edit,
    /// What was wrong.
    why: &'static str,
}

impl Change {
    pub(super) fn start(&self) -> usize {
        self.edit.start
    }
}

/// The changes by which YAML reads a text as it was meant, in source order.
pub(super) fn changes(text: &str, document: &Document, shape: &dyn Fn(&str) -> Shape) -> Vec<Change> {
    let mut changes = Vec::new();
    if let Some(Node { value: Value::Map(pairs), .. }) = &document.root {
        spaced(text, pairs, &mut changes);
        for (key, value) in pairs.iter().filter(|pair| holds_collection(pair)) {
            keyed_by_text(text, key, true, &mut changes);
            let before = changes.len();
            keyed_by_text(text, value, false, &mut changes);
            let is_text = || matches!(&key.value, Value::Text(key) if shape(key) == Shape::Text);
            if before < changes.len() && is_text() {
                changes.truncate(before);
                let (start, end) = (value.span.start, value.span.end);
                let with = quote_yaml(text.get(start..end).unwrap_or_default().trim());
                changes.push(Change {
                    edit: Edit { start, end, with },
                    why: "the value is not text to YAML; read as plain text",
                });
            }
        }
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
    // A value that is put in quotes stays as it is inside them.
    let mut end = 0;
    changes.retain(|change| {
        let is_outside = end <= change.edit.start;
        end = end.max(change.edit.end);
        is_outside
    });
    changes
}

/// The mapping with these changes; `None` if it is not valid YAML.
pub(super) fn reread(text: &str, changes: Vec<Change>) -> Option<(Pairs, Vec<Mend>)> {
    let mends = mends(text, &changes);
    let edits: Vec<Edit> = changes.into_iter().map(|change| change.edit).collect();
    let (pairs, mut notices) = read_all_with(text, &edits).ok()?;
    // The corrected line of a comment must not be made from a line that is itself corrected.
    let is_mended = |at: usize| {
        let next = mends.partition_point(|mend| mend.line_start <= at);
        next.checked_sub(1).and_then(|last| mends.get(last)).is_some_and(|mend| at <= mend.end)
    };
    notices.retain(|notice| !matches!(notice.what, NoticeKind::Comment { from, .. } if is_mended(from)));
    Some(((pairs, notices), mends))
}

fn is_collection(node: &Node) -> bool {
    matches!(node.value, Value::List(_) | Value::Map(_))
}

/// Whether a key or its value is a list or a mapping.
fn holds_collection((key, value): &(Node, Node)) -> bool {
    is_collection(key) || is_collection(value)
}

/// Adds the changes that put quotes around mappings with a key that is a collection, such as `{{TITLE}}`, and around such
/// keys where there are no braces, such as `? - a`. Recurses at most `MAX_DEPTH` times.
fn keyed_by_text(text: &str, node: &Node, is_key: bool, changes: &mut Vec<Change>) {
    let source = || text.get(node.span.start..node.span.end).unwrap_or_default().trim_end();
    let quoted = |why| {
        let (start, with) = (node.span.start, quote_yaml(&fold(source())));
        Change { edit: Edit { start, end: start + source().len(), with }, why }
    };
    match &node.value {
        _ if is_key && is_collection(node) => {
            changes.push(quoted("the key is a list or a mapping; read as plain text"));
        }
        Value::Map(pairs) => {
            let has_such_key = pairs.iter().any(|(key, _)| is_collection(key));
            if has_such_key && source().starts_with('{') && source().ends_with('}') {
                changes.push(quoted("value starts with `{` but is not a mapping; read as plain text"));
                return;
            }
            for (key, value) in pairs.iter().filter(|pair| holds_collection(pair)) {
                keyed_by_text(text, key, true, changes);
                keyed_by_text(text, value, false, changes);
            }
        }
        Value::List(items) => items.iter().for_each(|item| keyed_by_text(text, item, false, changes)),
        Value::Text(_) | Value::Absent => {}
    }
}

/// Makes the keys that are lists or mappings the texts that they are where nothing else is wrong. Recurses at most `MAX_DEPTH`
/// times.
pub(super) fn make_keys_text(text: &str, node: &mut Node) {
    match &mut node.value {
        Value::Map(pairs) => {
            for (key, value) in pairs {
                if is_collection(key) {
                    let source = text.get(key.span.start..key.span.end).unwrap_or_default();
                    (key.value, key.style) = (Value::Text(fold(source.trim_end()).into_owned()), Style::Double);
                }
                make_keys_text(text, value);
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| make_keys_text(text, item)),
        Value::Text(_) | Value::Absent => {}
    }
}

/// Adds the changes that put a space behind each colon that lacks one. Recurses at most `MAX_DEPTH` times.
fn spaced(text: &str, pairs: &[(Node, Node)], changes: &mut Vec<Change>) {
    // What an alias stands for is changed where it is written.
    for (key, value) in pairs.iter().filter(|(key, _)| !key.is_alias(text)) {
        if let (Value::Text(name), Style::Plain) = (&key.value, key.style) {
            if let Some(colon) = tight_colon(name) {
                changes.push(space_behind(key.span.start + colon));
            }
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

/// Adds the changes for the value of a key if it is on the lines below and all of them are keys without a space behind
/// their colon, which YAML reads as one text.
fn below(text: &str, key: &Node, value: &Node, changes: &mut Vec<Change>) {
    if !text.get(key.span.end..value.span.start).is_some_and(|gap| gap.contains('\n')) {
        return;
    }
    let mut spaces = Vec::new();
    for (start, line) in lines(&text[value.span.start..value.span.end]) {
        let inked = line.trim_start();
        let Some(colon) = tight_colon(inked).filter(|_| inked.ends_with(['"', '\''])) else { return };
        spaces.push(space_behind(value.span.start + start + (line.len() - inked.len()) + colon));
    }
    changes.append(&mut spaces);
}

/// The change that puts a space behind the colon at this offset.
fn space_behind(colon: usize) -> Change {
    let edit = Edit { start: colon + 1, end: colon + 1, with: " ".to_owned() };
    Change { edit, why: "no space after the colon; read as if there were one" }
}

/// One mend for each line that has changes.
fn mends(text: &str, changes: &[Change]) -> Vec<Mend> {
    let mut mends: Vec<Mend> = Vec::new();
    for Change { edit, why } in changes {
        // Many changes may be on one long line: only the text between two of them is searched.
        let from = mends.last().map_or(0, |last| last.end);
        let line_start = text[from..edit.start].rfind('\n').map(|found| from + found + 1);
        match mends.last_mut().filter(|_| line_start.is_none()) {
            Some(mend) => {
                mend.with.push_str(&text[mend.end..edit.start]);
                mend.with.push_str(&edit.with);
                mend.end = edit.end;
            }
            None => {
                if let Some(last) = mends.last_mut() {
                    last.with.push_str(rest_of_line(text, last.end));
                }
                // Without a line end before it, the change is on the first line of the text.
                let line_start = line_start.unwrap_or(0);
                let with = format!("{}{}", &text[line_start..edit.start], edit.with);
                mends.push(Mend { at: edit.start, line_start, end: edit.end, with, why });
            }
        }
    }
    if let Some(last) = mends.last_mut() {
        last.with.push_str(rest_of_line(text, last.end));
    }
    mends
}

fn rest_of_line(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    rest.split_once(['\n', '\r']).map_or(rest, |(line, _)| line)
}
