//! Recovers the mapping that the author of a frontmatter meant if it is not valid YAML or not a mapping, with a
//! corrected line for each line that was wrong (rule 5.8). Each top-level entry is parsed separately, so that a
//! wrong line affects no other entry. Keys are not guessed: a line that belongs to no key is turned into a comment.
//! Time is linear in the text.
//!
//! `entry` splits the text into top-level entries. `mend` finds the correction that makes an entry valid, with the help
//! of `nested` (the lines below a key), `fold` (values of several lines) and `intent` (what the author meant). `body`
//! handles a missing closing fence. `reread` corrects what is valid YAML with another meaning than its author's.
//! `rewrite` parses the corrected text, and `mark` finds the part that a message points at. `quote` and `by_line` recover
//! less: what certain clients do.

mod body;
mod by_line;
mod entry;
mod fold;
mod intent;
mod mark;
mod mend;
mod nested;
mod quote;
mod reread;
mod rewrite;

use crate::text::order::sort_by;
use std::collections::HashSet;

use crate::text::yaml::{self, Document, Node, Notice, Span, Style, Value};

pub(crate) use body::{Missed, missed};
pub(crate) use by_line::{by_line, last_lines};
use entry::{Entry, Line};
pub(crate) use entry::{begins_field, key_of};
pub(crate) use mark::mark;
pub(crate) use quote::{Quoted, quote};
use rewrite::{Pair, map, map_spans};

/// A recovered mapping. Spans are those of the original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// A block mapping; of two equal keys the first (rule 5.4).
    pub(crate) root: Node,
    /// The corrections, in source order.
    pub(crate) mends: Vec<Mend>,
    pub(crate) notices: Vec<Notice>,
    /// Where the body begins, if the text contains a part of it because the closing fence is missing.
    pub(crate) missed: Option<Missed>,
}

/// The kind of value that a key is expected to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Map,
    Unknown,
}

/// One correction. Offsets are in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mend {
    /// Where the wrong value begins.
    pub(crate) at: usize,
    /// Where the first line begins that `with` replaces.
    pub(crate) line_start: usize,
    /// An offset in the last line that `with` replaces.
    pub(crate) end: usize,
    /// The corrected line, without its ending.
    pub(crate) with: String,
    /// What is wrong.
    pub(crate) why: &'static str,
}

/// Corrects a mapping that is valid YAML but was meant differently. `None` if nothing is to be corrected.
pub(crate) fn reread(text: &str, document: &Document, shape: &dyn Fn(&str) -> Shape) -> Option<Repaired> {
    let changes = reread::changes(text, document, shape);
    if changes.is_empty() {
        return None;
    }
    let Some(((pairs, notices), mends)) = reread::reread(text, changes) else { return repair(text, shape) };
    Some(Repaired { root: root(pairs)?, mends, notices, missed: None })
}

/// The first byte at which [`reread`] would correct something.
pub(crate) fn misleading(text: &str, document: &Document, shape: &dyn Fn(&str) -> Shape) -> Option<usize> {
    reread::changes(text, document, shape).first().map(reread::Change::start)
}

/// Recovers the mapping of a text that is not valid YAML. `None` if no entry can be recovered. `shape` returns the kind
/// of value that is expected for a key.
pub(crate) fn repair(text: &str, shape: &dyn Fn(&str) -> Shape) -> Option<Repaired> {
    let missed = missed(text);
    let text = missed.map_or(text, |missed| &text[..missed.fence]);
    let (entries, stray) = entry::entries(text);
    let (pairs, notices, mut mends) = recover_all(&entries, &stray, shape);
    let root = root(pairs)?;
    if mends.is_empty() && missed.is_none() {
        mends.extend(mend_whole(text));
    }
    Some(Repaired { root, mends, notices, missed })
}

/// The pairs of some entries, each key once, with the stray lines turned into comments.
fn recover_all(entries: &[Entry<'_>], stray: &[Line<'_>], shape: &dyn Fn(&str) -> Shape) -> Found {
    let mut mends: Vec<Mend> = stray.iter().map(comment_out).collect();
    let mut notices = Vec::new();
    let mut pairs = Vec::new();
    let mut seen = HashSet::new();
    for entry in entries {
        let Some((found, noticed, mended)) = recover(entry, shape(entry.key)) else { continue };
        mends.extend(mended);
        notices.extend(noticed);
        for (key, value) in found {
            match &key.value {
                Value::Text(name) if !seen.insert(name.clone()) => {
                    notices.push(yaml::duplicate_key(&pairs, name, (&key, &value)));
                }
                _ => pairs.push((key, value)),
            }
        }
    }
    sort_by(&mut mends, |a, b| a.at.cmp(&b.at));
    (pairs, notices, mends)
}

fn root(pairs: Vec<(Node, Node)>) -> Option<Node> {
    let (start, end) = (pairs.first()?.0.span.start, pairs.last()?.1.span.end);
    Some(Node { value: Value::Map(pairs), span: Span { start, end }, style: Style::Block, tag: None })
}

type Found = (Vec<(Node, Node)>, Vec<Notice>, Vec<Mend>);

/// The pairs of an entry as YAML reads it, or else as it was meant. There may be several if a key has spaces in it.
fn recover(entry: &Entry<'_>, shape: Shape) -> Option<Found> {
    let (mut pairs, mut notices, mut mends) =
        match yaml::parse(entry.source).ok().and_then(|read| as_meant(entry, read, shape)) {
            Some(found) => found,
            None => {
                let (Pair { key, mut value, notices }, mends) = mend::mend(entry, shape)?;
                reread::make_keys_text(entry.source, &mut value);
                (vec![(key, value)], notices, mends)
            }
        };
    if entry.indent() != entry.indentation && mends.first().is_none_or(|mend| mend.line_start > 0) {
        let with = first_line(entry.source).to_owned();
        mends.insert(0, Mend { at: 0, line_start: 0, end: 0, with, why: "key is indented; read as a top-level key" });
    }
    let moved = |at| at + entry.start;
    for (key, value) in &mut pairs {
        map_spans(key, &moved);
        map_spans(value, &moved);
    }
    for notice in &mut notices {
        notice.span = map(notice.span, &moved);
        notice.what.move_offsets(&moved);
    }
    for mend in &mut mends {
        mend.at += entry.start;
        mend.end += entry.start;
        if mend.line_start > 0 {
            mend.line_start += entry.start;
        } else {
            // A key with a wrong indentation gets that of the keys beside it.
            mend.line_start = entry.line_start;
            mend.with.insert_str(0, &" ".repeat(entry.indentation));
        }
    }
    Some((pairs, notices, mends))
}

/// What YAML reads, perhaps with a few changes, if that is what was meant.
fn as_meant(entry: &Entry<'_>, document: Document, shape: Shape) -> Option<Found> {
    let changes = reread::changes(entry.source, &document, &|_| shape);
    let ((pairs, notices), mends) = match changes.is_empty() {
        true => (rewrite::pairs(document)?, Vec::new()),
        false => reread::reread(entry.source, changes)?,
    };
    (!entry.is_misread(&pairs)).then_some((pairs, notices, mends))
}

fn comment_out(line: &Line<'_>) -> Mend {
    // To YAML a carriage return ends a line, and so the comment.
    let with = format!("# {}", line.text.replace('\r', " "));
    Mend { at: line.start, line_start: line.start, end: line.start, with, why: "line belongs to no key; ignored" }
}

fn first_line(text: &str) -> &str {
    // A text without a line is empty.
    text.lines().next().unwrap_or("")
}

/// The mend of a text whose entries are valid YAML separately, but not together.
fn mend_whole(text: &str) -> Option<Mend> {
    let at = yaml::parse(text).err()?.at;
    let line_start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let with = first_line(&text[line_start..]).to_owned();
    Some(Mend { at, line_start, end: line_start, with, why: "lines are not valid YAML together; read one by one" })
}

#[cfg(test)]
#[path = "../../tests/unit/repair.rs"]
mod tests;
