//! In: frontmatter that YAML refuses, or reads as no mapping. Out: the mapping that its author meant, and for each
//! entry that was wrong one mend: the corrected line (decisions 6).
//! Each top-level entry is read alone, so that one bad line costs no other. Time is linear in the text.
//! Absent: guessing at keys; stray lines are commented out.

mod entry;
mod intent;
mod mend;
mod rewrite;

use std::collections::HashSet;

use crate::text::yaml::{self, Node, Notice, NoticeKind, Span, Style, Value};

use entry::{Entry, Line};
use rewrite::{Pair, map, map_spans};

/// A mapping recovered from a text that YAML refuses. Spans are of that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// A block mapping; of two equal keys the first (decisions 5).
    pub(crate) root: Node,
    /// In source order.
    pub(crate) mends: Vec<Mend>,
    pub(crate) notices: Vec<Notice>,
}

/// One correction, in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mend {
    /// The offending value.
    pub(crate) at: usize,
    /// Where the line begins that `with` replaces. A value of several lines that `with` holds whole is replaced whole.
    pub(crate) line_start: usize,
    /// The corrected line, without its ending.
    pub(crate) with: String,
    /// What is wrong.
    pub(crate) why: &'static str,
}

/// Reads a text line by line; none where no entry can be recovered.
pub(crate) fn repair(text: &str) -> Option<Repaired> {
    let (entries, stray) = entry::entries(text);
    let mut mends: Vec<Mend> = stray.iter().map(comment_out).collect();
    let mut notices = Vec::new();
    let mut pairs = Vec::new();
    let mut seen = HashSet::new();
    for entry in &entries {
        let Some((pair, mend)) = recover(entry) else { continue };
        let Pair { key, value, notices: noticed } = moved(pair, entry.start);
        mends.extend(mend);
        notices.extend(noticed);
        match &key.value {
            Value::Text(name) if !seen.insert(name.clone()) => {
                notices.push(Notice { what: NoticeKind::DuplicateKey(name.clone()), span: key.span });
            }
            _ => pairs.push((key, value)),
        }
    }
    let start = pairs.first()?.0.span.start;
    let end = pairs.last()?.1.span.end;
    if mends.is_empty() {
        mends.extend(whole(text));
    }
    mends.sort_by_key(|mend| mend.at);
    let root = Node { value: Value::Map(pairs), span: Span { start, end }, style: Style::Block, tag: None };
    Some(Repaired { root, mends, notices })
}

/// An entry as YAML reads it, or else as it was meant.
fn recover(entry: &Entry<'_>) -> Option<(Pair, Option<Mend>)> {
    if let Ok(pair) = rewrite::read(entry.source) {
        return Some((pair, None));
    }
    let (pair, mut mend) = mend::mend(entry)?;
    mend.at += entry.start;
    mend.line_start += entry.start;
    Some((pair, Some(mend)))
}

fn moved(mut pair: Pair, by: usize) -> Pair {
    map_spans(&mut pair.key, &|at| at + by);
    map_spans(&mut pair.value, &|at| at + by);
    for notice in &mut pair.notices {
        notice.span = map(notice.span, &|at| at + by);
    }
    pair
}

fn comment_out(line: &Line<'_>) -> Mend {
    let with = format!("# {}", line.text);
    Mend { at: line.start, line_start: line.start, with, why: "a line that belongs to no key" }
}

/// The mend for a text whose entries are well alone and not together.
fn whole(text: &str) -> Option<Mend> {
    let at = yaml::parse(text).err()?.at;
    let line_start = text.get(..at)?.rfind('\n').map_or(0, |found| found + 1);
    let with = text.get(line_start..)?.lines().next().unwrap_or_default().to_owned();
    Some(Mend { at, line_start, with, why: "lines that YAML cannot read together" })
}

#[cfg(test)]
#[path = "../../tests/unit/repair.rs"]
mod tests;
