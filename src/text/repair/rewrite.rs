//! Parses a source with some ranges replaced. The spans of the result are those of the original source. A correction
//! that passes through here is known to be valid YAML.

use crate::text::yaml::{self, Document, Node, Notice, NoticeKind, Span, Value, boundary};

/// A range of bytes and its replacement. The edits of a source are in ascending order and do not overlap.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) with: String,
}

/// The only pair of an entry, with offsets in the entry's source.
pub(super) struct Pair {
    pub(super) key: Node,
    pub(super) value: Node,
    pub(super) notices: Vec<Notice>,
}

/// The pairs of a mapping, and the notices about them.
pub(super) type Pairs = (Vec<(Node, Node)>, Vec<Notice>);

/// Parses a mapping whose keys are scalars. The error is the offset at which the text is not valid YAML, if it is not.
fn read_all(source: &str) -> Result<Pairs, Option<usize>> {
    pairs(yaml::parse(source).map_err(|error| Some(error.at))?).ok_or(None)
}

/// The pairs of a document, if it is a mapping whose keys are scalars.
pub(super) fn pairs(document: Document) -> Option<Pairs> {
    let Some(Node { value: Value::Map(pairs), .. }) = document.root else { return None };
    let is_text = |(key, _): &(Node, Node)| matches!(key.value, Value::Text(_));
    (!pairs.is_empty() && pairs.iter().all(is_text)).then_some((pairs, document.notices))
}

/// Parses an entry with its edits. The error is an offset in the original.
pub(super) fn read_with(source: &str, edits: &[Edit]) -> Result<Pair, Option<usize>> {
    let mut pair = one(read_all_with(source, edits)?)?;
    // The corrected line of a comment would be one of the edited text, and the entry has a mend already.
    pair.notices.retain(|notice| !matches!(notice.what, NoticeKind::Comment { .. }));
    Ok(pair)
}

/// Parses a mapping with one key.
pub(super) fn read(source: &str) -> Result<Pair, Option<usize>> {
    one(read_all(source)?)
}

fn one((mut pairs, notices): Pairs) -> Result<Pair, Option<usize>> {
    match (pairs.pop(), pairs.is_empty()) {
        (Some((key, value)), true) => Ok(Pair { key, value, notices }),
        _ => Err(None),
    }
}

/// Parses a mapping whose keys are scalars, with its edits. The error is an offset in the original.
pub(super) fn read_all_with(source: &str, edits: &[Edit]) -> Result<Pairs, Option<usize>> {
    let (edited, offsets) = edited(source, edits);
    let original = |at| offsets.original(at);
    let (mut pairs, mut notices) = read_all(&edited).map_err(|at| at.map(original))?;
    for (key, value) in &mut pairs {
        map_spans(key, &original);
        map_spans(value, &original);
    }
    for notice in &mut notices {
        notice.span = map(notice.span, &original);
        notice.what.move_offsets(&original);
    }
    Ok((pairs, notices))
}

/// The text with its edits, and the mapping of its offsets to those of the original.
fn edited<'s>(source: &'s str, edits: &[Edit]) -> (String, Offsets<'s>) {
    let mut edited = String::with_capacity(source.len());
    let mut offsets = Offsets { source, steps: Vec::new() };
    let mut copied = 0;
    for edit in edits {
        edited.push_str(&source[copied..edit.start]);
        offsets.steps.push(Step::narrow(&source[edit.start..edit.end], edit, edited.len()));
        edited.push_str(&edit.with);
        copied = edit.end;
    }
    edited.push_str(&source[copied..]);
    (edited, offsets)
}

/// Changes the offsets of every span of a tree. The tree is at most `MAX_DEPTH` deep.
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

/// Maps the offsets of an edited text to those of the original.
struct Offsets<'s> {
    /// The original.
    source: &'s str,
    steps: Vec<Step>,
}

/// The part of an edit that really differs, without what is equal at both ends, as ranges of the edited text and of the
/// original.
struct Step {
    new: (usize, usize),
    old: (usize, usize),
}

impl Step {
    fn narrow(old: &str, edit: &Edit, new_start: usize) -> Step {
        let same = |(a, b): &(char, char)| a == b;
        let before: usize = old.chars().zip(edit.with.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        let tails = old[before..].chars().rev().zip(edit.with[before..].chars().rev());
        let after: usize = tails.take_while(same).map(|(c, _)| c.len_utf8()).sum();
        Step {
            new: (new_start + before, new_start + edit.with.len() - after),
            old: (edit.start + before, edit.end - after),
        }
    }
}

impl Offsets<'_> {
    /// The offset in the original of an offset in the edited text.
    fn original(&self, at: usize) -> usize {
        let next = self.steps.partition_point(|step| step.new.0 < at);
        match self.steps[..next].last() {
            None => at,
            Some(step) if at >= step.new.1 => at - step.new.1 + step.old.1,
            Some(step) => {
                let inside = (step.old.0 + (at - step.new.0)).min(step.old.1);
                boundary(self.source, inside).min(step.old.1)
            }
        }
    }
}
