//! Recovers the mapping that the author of a frontmatter meant if it is not valid YAML or not a mapping, with a
//! corrected line for each line that was wrong (rule 5.5). Each top-level entry is parsed separately, so that a
//! wrong line affects no other entry. Keys are not guessed: a line that belongs to no key is turned into a comment.
//! Time is linear in the text.
//!
//! `entry` splits the text into entries, and finds the body behind a missing closing fence. `mend` finds the correction
//! that makes an entry valid. What is valid YAML with another meaning than its author's is corrected here. `clients`
//! recovers less: what certain clients do.

mod clients;
mod entry;
mod mend;

pub(crate) use clients::{Quoted, by_line, flat, last_lines, lenient, quote};
pub(crate) use entry::{Missed, begins_field, key_of, missed, tight_colon};
pub(crate) use mend::mark;

use super::escape::{fold, quote_yaml};
use super::lines::lines;
use super::order::sort_by;
use super::yaml::{self, Document, Node, Notice, NoticeKind, Span, Style, Value, boundary};
use entry::{Entry, Line, WIDE_BLANKS, hides_field};
use std::collections::HashSet;
use std::ops::Range;

/// A recovered mapping. Spans are those of the original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// A block mapping; of two equal keys the first (rule 5.4).
    pub(crate) root: Node,
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
    /// Any other, of a field that the dialect knows.
    Other,
    /// Of a key that is no field.
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
    pub(crate) why: &'static str,
}

/// Recovers the mapping of a text that is not valid YAML. `None` if no entry can be recovered. `shape` returns the kind
/// of value that is expected for a key.
pub(crate) fn repair(text: &str, shape: &dyn Fn(&str) -> Shape) -> Option<Repaired> {
    let Some(edits) = plain_indentation(text) else { return repair_entries(text, shape) };
    let (plain, original) = with_edits(text, &edits);
    let valid = yaml::parse(&plain).ok().and_then(|document| {
        reread(&plain, &document, shape).or_else(|| {
            let (pairs, notices) = text_pairs(document)?;
            Some(Repaired { root: root(pairs)?, mends: Vec::new(), notices, missed: None })
        })
    });
    let mut found = valid.or_else(|| repair_entries(&plain, shape))?;
    found.move_offsets(&original);
    let end = found.missed.map_or(text.len(), |missed| missed.fence);
    let why = "no-break or wide space in the indentation; read as spaces";
    let is_mended = |at: usize| {
        let next = found.mends.partition_point(|mend| mend.line_start <= at);
        next.checked_sub(1).is_some_and(|last| at <= found.mends[last].end)
    };
    let changed = lines(text).zip(lines(&plain)).filter(|((start, old), (_, new))| old != new && *start < end);
    let mends: Vec<Mend> = changed
        .filter(|((start, _), _)| !is_mended(*start))
        .map(|((start, _), (_, line))| Mend { at: start, line_start: start, end: start, with: line.to_owned(), why })
        .collect();
    found.mends.extend(mends);
    sort_by(&mut found.mends, |a, b| a.at.cmp(&b.at));
    Some(found)
}

impl Repaired {
    /// Changes the offsets to those of another text.
    fn move_offsets(&mut self, place: &dyn Fn(usize) -> usize) {
        move_spans(&mut self.root, place);
        move_notices(&mut self.notices, place);
        for mend in &mut self.mends {
            (mend.at, mend.line_start, mend.end) = (place(mend.at), place(mend.line_start), place(mend.end));
        }
        self.missed = self.missed.map(|missed| Missed { fence: place(missed.fence), body: place(missed.body) });
    }
}

/// The edits that write spaces in the place of what looks like some at the start of a line: one for a no-break space, and
/// two for a wide one or a tab. `None` if there is nothing of the kind.
fn plain_indentation(text: &str) -> Option<Vec<Edit>> {
    let is_blank = |c: &char| WIDE_BLANKS.contains(c) || matches!(c, ' ' | '\t');
    let edits = lines(text).filter(|(_, line)| line.starts_with(WIDE_BLANKS)).map(|(start, line)| {
        let blanks = line.chars().take_while(is_blank);
        let width = blanks.clone().map(|c| if matches!(c, '\t' | '\u{3000}') { 2 } else { 1 }).sum();
        Edit { start, end: start + blanks.map(char::len_utf8).sum::<usize>(), with: " ".repeat(width) }
    });
    Some(edits.collect::<Vec<_>>()).filter(|edits| !edits.is_empty())
}

/// [`repair`] for a text without odd spaces at the start of a line.
fn repair_entries(text: &str, shape: &dyn Fn(&str) -> Shape) -> Option<Repaired> {
    let missed = missed(text);
    let text = missed.map_or(text, |missed| &text[..missed.fence]);
    let (entries, stray) = entry::entries(text, &|key| shape(key) != Shape::Unknown);
    let ((pairs, notices), mut mends) = recover_all(&entries, &stray, shape);
    let root = root(pairs)?;
    if mends.is_empty() && missed.is_none() {
        mends.extend(mend_whole(text));
    }
    Some(Repaired { root, mends, notices, missed })
}

/// The pairs of some entries, each key once, with the stray lines turned into comments.
fn recover_all(entries: &[Entry<'_>], stray: &[Line<'_>], shape: &dyn Fn(&str) -> Shape) -> Found {
    let why = "line belongs to no key; ignored";
    // To YAML a carriage return ends a line, and so the comment.
    let with = |line: &Line<'_>| format!("# {}", line.text.replace('\r', " "));
    let comment_out =
        |line: &Line<'_>| Mend { at: line.start, line_start: line.start, end: line.start, with: with(line), why };
    let mut mends: Vec<Mend> = stray.iter().map(comment_out).collect();
    let mut notices = Vec::new();
    let mut pairs = Vec::new();
    let mut seen = HashSet::new();
    for entry in entries {
        let Some(((found, noticed), mended)) = recover(entry, shape(entry.key)) else { continue };
        mends.extend(mended);
        notices.extend(noticed);
        for (key, value) in found {
            match key.as_text() {
                Some(name) if !seen.insert(name.to_owned()) => {
                    notices.push(yaml::duplicate_key(&pairs, name, (&key, &value), false));
                }
                _ => pairs.push((key, value)),
            }
        }
    }
    sort_by(&mut mends, |a, b| a.at.cmp(&b.at));
    ((pairs, notices), mends)
}

fn root(pairs: Vec<(Node, Node)>) -> Option<Node> {
    let (start, end) = (pairs.first()?.0.span.start, pairs.last()?.1.span.end);
    Some(Node { value: Value::Map(pairs), span: Span { start, end }, style: Style::Block, tag: None })
}

/// The pairs of a mapping, and the notices about them.
type Pairs = (Vec<(Node, Node)>, Vec<Notice>);

type Found = (Pairs, Vec<Mend>);

/// The pairs of an entry as YAML reads it, or else as it was meant. There may be several if a key has spaces in it.
fn recover(entry: &Entry<'_>, shape: Shape) -> Option<Found> {
    let (mut pairs, mut mends) = match yaml::parse(entry.source).ok().and_then(|read| as_meant(entry, read, shape)) {
        Some(found) => found,
        None => {
            let (Pair { key, mut value, notices }, mends) = mend::mend(entry, shape)?;
            make_keys_text(entry.source, &mut value);
            ((vec![(key, value)], notices), mends)
        }
    };
    if entry.indent() != entry.indentation && mends.first().is_none_or(|mend| mend.line_start > 0) {
        let with = first_line(entry.source).to_owned();
        let why = match entry.depth {
            0 => "key is not at the start of its line; read as a top-level key",
            _ => "key is not indented as the one beside it; read as one of the same mapping",
        };
        mends.insert(0, Mend { at: 0, line_start: 0, end: 0, with, why });
    }
    move_pairs(&mut pairs, &|at| at + entry.start);
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
    Some((pairs, mends))
}

/// What YAML reads, perhaps with a few changes, if that is what was meant.
fn as_meant(entry: &Entry<'_>, document: Document, shape: Shape) -> Option<Found> {
    let changes = changes(entry.source, &document, &|_| shape);
    let found =
        if changes.is_empty() { (text_pairs(document)?, Vec::new()) } else { read_changed(entry.source, changes)? };
    (!entry.is_misread(&found.0.0)).then_some(found)
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

/// Corrects a mapping that is valid YAML but was meant differently. `None` if nothing is to be corrected.
pub(crate) fn reread(text: &str, document: &Document, shape: &dyn Fn(&str) -> Shape) -> Option<Repaired> {
    if odd_key(text, document).is_some() || hidden_title(text, document).is_some() {
        return repair(text, shape);
    }
    let changes = changes(text, document, shape);
    if changes.is_empty() {
        return None;
    }
    let Some(((pairs, notices), mends)) = read_changed(text, changes) else { return repair(text, shape) };
    Some(Repaired { root: root(pairs)?, mends, notices, missed: None })
}

/// The first byte at which [`reread`] may correct something.
pub(crate) fn misleading(text: &str, document: &Document, shape: &dyn Fn(&str) -> Shape) -> Option<usize> {
    let first = changes(text, document, shape).first().map(|change| change.edit.start);
    odd_key(text, document).or_else(|| mark_above_title(text)).or(first)
}

/// Where a line begins that was meant as the closing fence, and ends the document or is a part of the last value to YAML, to
/// which the title below it is a comment.
fn hidden_title(text: &str, document: &Document) -> Option<usize> {
    mark_above_title(text)?;
    let Some(Node { value: Value::Map(pairs), .. }) = &document.root else { return None };
    let (_, last) = pairs.last()?;
    let Missed { fence, body } = missed(text)?;
    let is_in_last = last.style == Style::Plain && fence < last.span.end && last.span.end <= body;
    (text[fence..].starts_with("...") || is_in_last).then_some(fence)
}

/// Where a line without a letter or digit begins, such as `...`, if the last line looks like a title.
fn mark_above_title(text: &str) -> Option<usize> {
    let end = text.trim_end();
    end[end.rfind('\n')? + 1..].strip_prefix('#')?;
    let is_mark = |line: &str| !line.trim().is_empty() && !line.contains(char::is_alphanumeric);
    lines(text).find(|(_, line)| is_mark(line)).map(|(at, _)| at)
}

/// Where a line begins whose key has an odd space before it, which is a part of the key to YAML, or that is a field and a part of
/// the value above it to YAML.
fn odd_key(text: &str, document: &Document) -> Option<usize> {
    let Some(Node { value: Value::Map(pairs), .. }) = &document.root else { return None };
    let is_odd = |at: usize| text[at..].starts_with(WIDE_BLANKS) && text[..at].ends_with('\n');
    pairs.iter().find_map(|(key, value)| {
        if is_odd(key.span.start) {
            return Some(key.span.start);
        }
        let source = text.get(value.span.start..value.span.end)?;
        // A plain value of one line is as long as its source, and one of several lines is shorter, as the others are indented.
        let is_longer = |value: &&str| value.len() < source.len();
        value.as_text().filter(|_| value.style == Style::Plain).filter(is_longer)?;
        let below = source.find('\n')? + 1;
        let mut lines = lines(&source[below..]);
        let hidden = lines.find(|(_, line)| hides_field(line, key.as_text().unwrap_or_default()));
        Some(value.span.start + below + hidden?.0)
    })
}

struct Change {
    edit: Edit,
    why: &'static str,
}

/// The changes by which YAML reads a text as it was meant, in source order.
fn changes(text: &str, document: &Document, shape: &dyn Fn(&str) -> Shape) -> Vec<Change> {
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
                let why = "the value is not text to YAML; read as plain text";
                changes.push(Change { edit: Edit { start, end, with }, why });
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
fn read_changed(text: &str, changes: Vec<Change>) -> Option<Found> {
    let mends = mends(text, &changes);
    let edits: Vec<Edit> = changes.into_iter().map(|change| change.edit).collect();
    let (pairs, mut notices) = read_all_with(text, &edits, false).ok()?;
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
fn make_keys_text(text: &str, node: &mut Node) {
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
                // Without a line end before it, the change is on the first line of the text.
                let line_start = line_start.unwrap_or(0);
                let with = format!("{}{}", &text[line_start..edit.start], edit.with);
                mends.push(Mend { at: edit.start, line_start, end: edit.end, with, why });
            }
        }
    }
    for mend in &mut mends {
        let rest = &text[mend.end..];
        mend.with.push_str(rest.split(['\n', '\r']).next().unwrap_or(rest));
    }
    mends
}

/// A range of bytes and its replacement. The edits of a source are in ascending order and do not overlap.
struct Edit {
    start: usize,
    end: usize,
    with: String,
}

/// The only pair of an entry, with offsets in the entry's source.
struct Pair {
    key: Node,
    value: Node,
    notices: Vec<Notice>,
}

/// The pairs of a document, if it is a mapping whose keys are scalars.
fn text_pairs(document: Document) -> Option<Pairs> {
    let Some(Node { value: Value::Map(pairs), .. }) = document.root else { return None };
    (!pairs.is_empty() && pairs.iter().all(|(key, _)| key.as_text().is_some())).then_some((pairs, document.notices))
}

/// Parses an entry with one key and its edits. The error is the offset in the original at which the text is not valid YAML,
/// if it is not.
fn read_with(source: &str, edits: &[Edit]) -> Result<Pair, Option<usize>> {
    let (mut pairs, mut notices) = read_all_with(source, edits, false)?;
    // The corrected line of a comment would be one of the edited text, and the entry has a mend already.
    notices.retain(|notice| !matches!(notice.what, NoticeKind::Comment { .. }));
    match (pairs.pop(), pairs.is_empty()) {
        (Some((key, value)), true) => Ok(Pair { key, value, notices }),
        _ => Err(None),
    }
}

/// Parses a mapping whose keys are scalars, with its edits. The error is that of [`read_with`]. A correction that passes
/// through here is known to be valid YAML.
fn read_all_with(source: &str, edits: &[Edit], last_counts: bool) -> Result<Pairs, Option<usize>> {
    let (edited, original) = with_edits(source, edits);
    let document = yaml::parse_by(&edited, last_counts).map_err(|error| Some(original(error.at)))?;
    let mut pairs = text_pairs(document).ok_or(None)?;
    move_pairs(&mut pairs, &original);
    Ok(pairs)
}

/// A text with its edits, and what gives the offset in the original for one in it.
fn with_edits(source: &str, edits: &[Edit]) -> (String, impl Fn(usize) -> usize) {
    let mut edited = String::with_capacity(source.len());
    // The part of each edit that really differs, as ranges of the edited text and of the original.
    let mut steps: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut copied = 0;
    for Edit { start, end, with } in edits {
        edited.push_str(&source[copied..*start]);
        let (before, after) = equal_ends(&source[*start..*end], with);
        let new = edited.len();
        steps.push((new + before..new + with.len() - after, start + before..end - after));
        edited.push_str(with);
        copied = *end;
    }
    edited.push_str(&source[copied..]);
    let original = move |at: usize| match steps[..steps.partition_point(|(new, _)| new.start < at)].last() {
        None => at,
        Some((new, old)) if at >= new.end => at - new.end + old.end,
        Some((new, old)) => boundary(source, (old.start + (at - new.start)).min(old.end)).min(old.end),
    };
    (edited, original)
}

/// How many bytes two texts have in common at the beginning, and how many at the end of the rest.
fn equal_ends(old: &str, new: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let before: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let tails = old[before..].chars().rev().zip(new[before..].chars().rev());
    (before, tails.take_while(same).map(|(c, _)| c.len_utf8()).sum())
}

fn move_pairs((pairs, notices): &mut Pairs, place: &dyn Fn(usize) -> usize) {
    pairs.iter_mut().flat_map(|(key, value)| [key, value]).for_each(|node| move_spans(node, place));
    move_notices(notices, place);
}

fn move_notices(notices: &mut [Notice], place: &dyn Fn(usize) -> usize) {
    for notice in notices {
        notice.span = Span { start: place(notice.span.start), end: place(notice.span.end) };
        notice.what.move_offsets(place);
    }
}

/// Changes the offsets of every span of a tree. The tree is at most `MAX_DEPTH` deep.
fn move_spans(node: &mut Node, place: &dyn Fn(usize) -> usize) {
    node.span = Span { start: place(node.span.start), end: place(node.span.end) };
    match &mut node.value {
        Value::Text(_) | Value::Absent => {}
        Value::List(items) => items.iter_mut().for_each(|item| move_spans(item, place)),
        Value::Map(pairs) => {
            pairs.iter_mut().flat_map(|(key, value)| [key, value]).for_each(|node| move_spans(node, place));
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/repair.rs"]
mod tests;
