//! In: an entry's source, and lines to replace in it. Out: the corrected source as YAML reads it, with spans of the
//! original. So a correction that stands here is one that YAML has read.

use crate::text::yaml::{self, Document, Node, Notice, NoticeKind, Span, Value};

/// A replaced range of bytes. Ranges ascend and do not overlap.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) with: String,
}

/// The one pair of an entry, in offsets of the entry's source.
pub(super) struct Pair {
    pub(super) key: Node,
    pub(super) value: Node,
    pub(super) notices: Vec<Notice>,
}

/// The pairs of a mapping, and what was noticed.
pub(super) type Pairs = (Vec<(Node, Node)>, Vec<Notice>);

/// Reads a text that is a mapping of texts; an error is at a byte, where YAML refuses it.
fn read_all(source: &str) -> Result<Pairs, Option<usize>> {
    pairs(yaml::parse(source).map_err(|error| Some(error.at))?).ok_or(None)
}

/// What a document says, if it is a mapping of texts.
pub(super) fn pairs(document: Document) -> Option<Pairs> {
    let Some(Node { value: Value::Map(pairs), .. }) = document.root else { return None };
    let is_text = |(key, _): &(Node, Node)| matches!(key.value, Value::Text(_));
    (!pairs.is_empty() && pairs.iter().all(is_text)).then_some((pairs, document.notices))
}

/// Reads an entry with its edits; an error is at a byte of the original.
pub(super) fn read_with(source: &str, edits: &[Edit]) -> Result<Pair, Option<usize>> {
    let mut pair = one(read_all_with(source, edits)?)?;
    // A comment's mended line would be of the edited text, and the entry has its mend already.
    pair.notices.retain(|notice| !matches!(notice.what, NoticeKind::Comment { .. }));
    Ok(pair)
}

/// Reads a text that is a mapping of one key.
pub(super) fn read(source: &str) -> Result<Pair, Option<usize>> {
    one(read_all(source)?)
}

fn one((mut pairs, notices): Pairs) -> Result<Pair, Option<usize>> {
    match (pairs.pop(), pairs.is_empty()) {
        (Some((key, value)), true) => Ok(Pair { key, value, notices }),
        _ => Err(None),
    }
}

/// Reads a mapping of texts with its edits; an error is at a byte of the original.
pub(super) fn read_all_with(source: &str, edits: &[Edit]) -> Result<Pairs, Option<usize>> {
    let (edited, way) = edited(source, edits);
    let (mut pairs, mut notices) = read_all(&edited).map_err(|at| at.map(|at| way.back(at)))?;
    for (key, value) in &mut pairs {
        map_spans(key, &|at| way.back(at));
        map_spans(value, &|at| way.back(at));
    }
    for notice in &mut notices {
        notice.span = map(notice.span, &|at| way.back(at));
        if let NoticeKind::Comment { from, .. } = &mut notice.what {
            *from = way.back(*from);
        }
    }
    Ok((pairs, notices))
}

/// The text with its edits, and the way back from it.
fn edited<'s>(source: &'s str, edits: &[Edit]) -> (String, Way<'s>) {
    let mut edited = String::with_capacity(source.len());
    let mut way = Way { source, steps: Vec::new() };
    let mut copied = 0;
    for edit in edits {
        edited.push_str(source.get(copied..edit.start).unwrap_or_default());
        let old = source.get(edit.start..edit.end).unwrap_or_default();
        way.steps.push(Step::narrow(old, edit, edited.len()));
        edited.push_str(&edit.with);
        copied = edit.end;
    }
    edited.push_str(source.get(copied..).unwrap_or_default());
    (edited, way)
}

/// Moves every span of a tree. The tree is at most `MAX_DEPTH` deep.
pub(super) fn map_spans(node: &mut Node, place: &dyn Fn(usize) -> usize) {
    node.span = map(node.span, place);
    match &mut node.value {
        Value::Text(_) | Value::Absent => {}
        Value::List(items) => items.iter_mut().for_each(|item| map_spans(item, place)),
        Value::Map(pairs) => pairs.iter_mut().for_each(|(key, value)| {
            map_spans(key, place);
            map_spans(value, place);
        }),
    }
}

pub(super) fn map(span: Span, place: &dyn Fn(usize) -> usize) -> Span {
    Span { start: place(span.start), end: place(span.end) }
}

/// The way back from an edited text.
struct Way<'s> {
    source: &'s str,
    steps: Vec<Step>,
}

/// What really changed: the edit without what is equal at both ends.
struct Step {
    new: (usize, usize),
    old: (usize, usize),
}

impl Step {
    fn narrow(old: &str, edit: &Edit, new_start: usize) -> Step {
        let same = |(a, b): &(char, char)| a == b;
        let before: usize = old.chars().zip(edit.with.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        let tails = (old.get(before..).unwrap_or_default(), edit.with.get(before..).unwrap_or_default());
        let after: usize =
            tails.0.chars().rev().zip(tails.1.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        Step {
            new: (new_start + before, new_start + edit.with.len() - after),
            old: (edit.start + before, edit.end - after),
        }
    }
}

impl Way<'_> {
    fn back(&self, at: usize) -> usize {
        let next = self.steps.partition_point(|step| step.new.0 < at);
        match next.checked_sub(1).and_then(|last| self.steps.get(last)) {
            None => at,
            Some(step) if at >= step.new.1 => at - step.new.1 + step.old.1,
            Some(step) => {
                let inside = (step.old.0 + (at - step.new.0)).min(step.old.1);
                (inside..step.old.1).find(|&at| self.source.is_char_boundary(at)).unwrap_or(step.old.1)
            }
        }
    }
}
