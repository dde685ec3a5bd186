//! In: frontmatter that YAML refuses, or reads as no mapping. Out: the mapping that its author meant, and for each
//! line that was wrong one mend: the corrected line (decisions 6).
//! Each top-level entry is read alone, so that one bad line costs no other. Time is linear in the text.
//! Absent: guessing at keys; stray lines are commented out.

mod body;
mod entry;
mod fold;
mod intent;
mod mark;
mod mend;
mod nested;
mod reread;
mod rewrite;

use std::collections::HashSet;

use crate::text::yaml::{self, Document, Node, Notice, NoticeKind, Span, Style, Value};

pub(crate) use body::Missed;
pub(crate) use entry::key_of;
use entry::{Entry, Line};
pub(crate) use mark::mark;
use rewrite::{Pair, map, map_spans};

/// A mapping recovered from a text that YAML refuses. Spans are of that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// A block mapping; of two equal keys the first (decisions 5).
    pub(crate) root: Node,
    /// In source order.
    pub(crate) mends: Vec<Mend>,
    pub(crate) notices: Vec<Notice>,
    /// The text goes on into the body, which is not read as frontmatter.
    pub(crate) missed: Option<Missed>,
}

/// What the value of a key is meant to be, as far as a reader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Map,
    Unknown,
}

/// One correction, in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mend {
    /// The offending value.
    pub(crate) at: usize,
    /// Where the first line begins that `with` replaces.
    pub(crate) line_start: usize,
    /// A byte of the last line that `with` replaces: a value of several lines that it holds whole ends there.
    pub(crate) end: usize,
    /// The corrected line, without its ending.
    pub(crate) with: String,
    /// What is wrong.
    pub(crate) why: &'static str,
}

/// Reads a mapping that YAML reads as well, where its author meant another one.
pub(crate) fn reread(text: &str, document: &Document, shape: &dyn Fn(&str) -> Shape) -> Option<Repaired> {
    let changes = reread::changes(text, document);
    if changes.is_empty() {
        return None;
    }
    let Some(((pairs, notices), mends)) = reread::reread(text, changes) else { return repair(text, shape) };
    Some(Repaired { root: root(pairs)?, mends, notices, missed: None })
}

/// Reads a text line by line; none where no entry can be recovered. `shape` says what the value of a key should be.
pub(crate) fn repair(text: &str, shape: &dyn Fn(&str) -> Shape) -> Option<Repaired> {
    let missed = body::missed(text);
    let text = missed.and_then(|missed| text.get(..missed.fence)).unwrap_or(text);
    let (entries, stray) = entry::entries(text);
    let (pairs, notices, mut mends) = recover_all(&entries, &stray, shape);
    let root = root(pairs)?;
    if mends.is_empty() && missed.is_none() {
        mends.extend(whole(text));
    }
    Some(Repaired { root, mends, notices, missed })
}

/// What is recovered of some entries, each key once, and the stray lines as comments.
fn recover_all(entries: &[Entry<'_>], stray: &[Line<'_>], shape: &dyn Fn(&str) -> Shape) -> Found {
    let mut mends: Vec<Mend> = stray.iter().map(comment_out).collect();
    let mut notices = Vec::new();
    let mut pairs = Vec::new();
    let mut seen = HashSet::new();
    for entry in entries {
        let shape = entry.source.get(entry.key.clone()).map_or(Shape::Unknown, shape);
        let Some((found, noticed, mended)) = recover(entry, shape) else { continue };
        mends.extend(mended);
        notices.extend(noticed);
        for (key, value) in found {
            match &key.value {
                Value::Text(name) if !seen.insert(name.clone()) => {
                    notices.push(Notice { what: NoticeKind::DuplicateKey(name.clone()), span: key.span });
                }
                _ => pairs.push((key, value)),
            }
        }
    }
    mends.sort_by_key(|a| a.at);
    (pairs, notices, mends)
}

fn root(pairs: Vec<(Node, Node)>) -> Option<Node> {
    let (start, end) = (pairs.first()?.0.span.start, pairs.last()?.1.span.end);
    Some(Node { value: Value::Map(pairs), span: Span { start, end }, style: Style::Block, tag: None })
}

type Found = (Vec<(Node, Node)>, Vec<Notice>, Vec<Mend>);

/// An entry as YAML reads it, which may be several keys where one has blanks in it, or else as it was meant.
fn recover(entry: &Entry<'_>, shape: Shape) -> Option<Found> {
    let (mut pairs, mut notices, mut mends) =
        match yaml::parse(entry.source).ok().and_then(|read| as_meant(entry, read)) {
            Some(found) => found,
            None => {
                let (Pair { key, value, notices }, mends) = mend::mend(entry, shape)?;
                (vec![(key, value)], notices, mends)
            }
        };
    if entry.indent() != entry.indentation && mends.first().is_none_or(|mend| mend.line_start > 0) {
        let with = entry.source.lines().next().unwrap_or_default().to_owned();
        mends.insert(0, Mend { at: 0, line_start: 0, end: 0, with, why: "key is indented; read as a top-level key" });
    }
    let moved = |at| at + entry.start;
    for (key, value) in &mut pairs {
        map_spans(key, &moved);
        map_spans(value, &moved);
    }
    for notice in &mut notices {
        notice.span = map(notice.span, &moved);
        if let NoticeKind::Comment { from, .. } = &mut notice.what {
            *from = moved(*from);
        }
    }
    for mend in &mut mends {
        mend.at += entry.start;
        mend.end += entry.start;
        if mend.line_start > 0 {
            mend.line_start += entry.start;
        } else {
            // A key that is indented goes to where those beside it begin.
            mend.line_start = entry.line_start;
            mend.with.insert_str(0, &" ".repeat(entry.indentation));
        }
    }
    Some((pairs, notices, mends))
}

/// What YAML reads, if that is what was meant, or is with a few changes.
fn as_meant(entry: &Entry<'_>, document: Document) -> Option<Found> {
    let changes = reread::changes(entry.source, &document);
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

/// The mend for a text whose entries are well alone and not together.
fn whole(text: &str) -> Option<Mend> {
    let at = yaml::parse(text).err()?.at;
    let line_start = text.get(..at)?.rfind('\n').map_or(0, |found| found + 1);
    let with = text.get(line_start..)?.lines().next().unwrap_or_default().to_owned();
    Some(Mend { at, line_start, end: line_start, with, why: "lines are not valid YAML together; read one by one" })
}

#[cfg(test)]
#[path = "../../tests/unit/repair.rs"]
mod tests;
