//! Corrects an entry that is not valid YAML. Several corrections are tried in order, the least invasive first, and one
//! is used only if it makes the entry valid. Offsets are in the entry's source.

use crate::text::escape::quote_yaml;
use crate::text::yaml::{self, Node, Span, Style, Value};

use super::entry::{BLANKS, Entry, Line, WIDE_BLANKS, key_of};
use super::fold::{fold_paragraphs, folded, last_end};
use super::intent::{meant, quoted_items, quoted_pairs, split_key};
use super::nested;
use super::rewrite::{Edit, Pair, read, read_with};
use super::{Mend, Shape, recover_all};

/// How many lines before the one of a YAML error are searched for its cause, as a missing quote or bracket is often
/// noticed late.
const LINES_BACK: usize = 8;

/// How many lines of an entry are corrected separately.
const MAX_MENDS: usize = 100;

/// How many bytes are parsed at most to find the lines of an entry that are wrong.
const MAX_READ: usize = 4 * 1024 * 1024;

/// What is wrong with a value whose further lines are not indented.
pub(super) const COLUMN_0: &str = "continuation line is not indented; read as part of the value";

/// The pair that was meant, and the corrections.
type Mended = (Pair, Vec<Mend>);

/// The first correction that makes the entry valid.
pub(super) fn mend(entry: &Entry<'_>, shape: Shape) -> Option<Mended> {
    let lines = entry.lines();
    let (&key_line, rest) = lines.split_first()?;
    let after = &key_line.text[entry.after..];
    // A wide space directly behind the colon was meant as a space; anywhere else it is text.
    let value = if after.starts_with(WIDE_BLANKS) { after.trim_start_matches(WIDE_BLANKS) } else { after };
    let head = value.trim_matches(BLANKS);
    let at = entry.after + (after.len() - value.trim_start_matches(BLANKS).len());
    let case = Case { entry, shape, rest, key_line, head, at };
    let has_rest = rest.iter().any(|line| !line.is_blank());
    let is_nested = (head.is_empty() || head.starts_with('#')) && has_rest;
    // Lines that are read as text are corrected as a text, so that they stay one.
    let is_wanted = |pair: &Pair| !is_nested || shape != Shape::Text || matches!(pair.value.value, Value::Text(_));
    if let Some(done) = case.spaces(&lines).filter(|(pair, _)| is_wanted(pair)) {
        return Some(done);
    }
    if is_nested {
        return case.nested();
    }
    if is_block_header(head) {
        return case.block().map(one);
    }
    case.scalar().map(one)
}

fn one((pair, mend): (Pair, Mend)) -> Mended {
    (pair, vec![mend])
}

/// An entry, and the parts of it that the corrections need.
struct Case<'c, 't> {
    entry: &'c Entry<'t>,
    shape: Shape,
    key_line: Line<'t>,
    /// The lines after the key's.
    rest: &'c [Line<'t>],
    /// What follows the colon on the key's line, trimmed.
    head: &'t str,
    /// Where `head` begins.
    at: usize,
}

impl Case<'_, '_> {
    /// Corrects a missing space after the colon, a full-width colon, and tabs in the indentation.
    fn spaces(&self, lines: &[Line<'_>]) -> Option<Mended> {
        let gap = self.entry.source.get(self.entry.after..self.at)?;
        let is_wide = self.entry.after > self.entry.colon + 1;
        let is_odd = is_wide || (!self.head.is_empty() && gap.is_empty()) || !gap.is_ascii();
        // What would be a comment, a tag or an anchor behind a blank has to be quoted as well.
        let has_word = || yaml::parse(&self.with(self.head)).is_ok_and(|document| !document.words.is_empty());
        if is_odd && ((gap.is_empty() && self.head.starts_with('#')) || has_word()) {
            return None;
        }
        let mut edits = Vec::new();
        let mut mends = Vec::new();
        for line in lines {
            let is_key_line = line.start == 0;
            let text = if is_key_line && is_odd { self.with(self.head) } else { untabbed(line.text) };
            if text == line.text {
                continue;
            }
            let why = match (is_key_line, gap) {
                (true, _) if is_wide => "full-width colon; read as `:`",
                (true, "") => "no space after the colon; read as if there were one",
                (true, _) => "the character after the colon is not a plain space; read as a space",
                (false, _) => "tab in the indentation; read as spaces",
            };
            let at = if is_key_line { self.at } else { line.start };
            mends.push(Mend { at, line_start: line.start, end: line.start, with: text.clone(), why });
            edits.push(Edit { start: line.start, end: line.end(), with: text });
        }
        mends.truncate(MAX_MENDS);
        let pair = if mends.is_empty() { None } else { read_with(self.entry.source, &edits).ok() };
        Some((pair?, mends))
    }

    /// Corrects a value that begins on the key's line. It is folded to one line.
    fn scalar(&self) -> Option<(Pair, Mend)> {
        let (text, end) = folded(self.head, self.at, self.rest);
        let is_unindented = self.rest.iter().any(|line| !line.is_blank() && line.indent() == 0);
        if end > self.key_line.end() && text.starts_with(['"', '\'', '[', '{']) {
            let why =
                if is_unindented { COLUMN_0 } else { "value of several lines is not valid YAML; read as plain text" };
            // The lines behind a comment must not be lost.
            if let Some(pair) = self.read_one_line(&text, end).filter(|pair| pair.value.span.end >= end) {
                return Some((pair, self.mend(self.at, end, &text, why)));
            }
        }
        let pairs = if self.shape == Shape::Text { None } else { quoted_pairs(&text) };
        if let Some((list, why)) = quoted_items(&text).or(pairs) {
            if let Some(pair) = self.read_one_line(&list, end) {
                return Some((pair, self.mend(self.at, end, &list, why)));
            }
        }
        let (meant, mut why) = meant(&text);
        if is_unindented && self.read_one_line(self.head, self.key_line.end()).is_some() {
            why = COLUMN_0;
        }
        let span = Span { start: self.at, end };
        self.one_line(&meant, span, self.at, why)
    }

    /// Corrects a block scalar whose lines are not indented enough.
    fn block(&self) -> Option<(Pair, Mend)> {
        let first = self.rest.iter().find(|line| !line.is_blank())?;
        let indent = first.indent();
        let wanted = indent.max(2);
        let off: Vec<&Line<'_>> =
            self.rest.iter().filter(|line| !line.is_blank() && line.indent() < indent.max(1)).collect();
        let why = "line of a block scalar is not indented; read as part of the block";
        let at = off.first().map_or(first.start, |line| line.start);
        if let [line] = off.as_slice() {
            let with = format!("{}{}", " ".repeat(wanted), line.text.trim_start_matches([' ', '\t']));
            let edit = Edit { start: line.start, end: line.end(), with: with.clone() };
            if let Ok(pair) = read_with(self.entry.source, &[edit]) {
                return Some((pair, Mend { at, line_start: line.start, end: line.start, with, why }));
            }
        }
        let joined = self.unindented(indent);
        let joined = joined.trim_matches('\n');
        let mut text = if self.head.starts_with('>') { fold_paragraphs(joined) } else { joined.to_owned() };
        if !text.is_empty() && !self.head.contains('-') {
            text.push('\n');
        }
        let end = last_end(self.rest).unwrap_or(self.key_line.end());
        self.one_line(&text, Span { start: self.at, end }, at, why)
    }

    /// Corrects a value on the lines below the key (rule 5.9): with the wrong lines corrected, else with each line
    /// parsed separately, else with the source text of all lines as the value.
    fn nested(&self) -> Option<Mended> {
        let inked = || self.rest.iter().filter(|line| !line.is_blank());
        let first = inked().next()?;
        let indent = inked().map(Line::indent).min()?;
        let span = Span { start: first.start + first.indent(), end: last_end(self.rest)? };
        let joined = self.unindented(indent);
        let text = joined.trim_matches('\n').trim_end_matches(|c| c == '\n' || BLANKS.contains(&c));

        let (mends, read) = self.nested_mends();
        if let Some(pair) = read.filter(|pair| self.shape != Shape::Text || matches!(pair.value.value, Value::Text(_)))
        {
            return Some((pair, mends));
        }
        let inked = first.text.trim_start_matches(BLANKS);
        let is_key = key_of(inked).is_some();
        let is_map = self.shape == Shape::Map || (self.shape == Shape::Unknown && is_key);
        if let Some(mended) = if is_map { self.nested_map(span) } else { None } {
            return Some(mended);
        }
        // What is wrong with a line of a paragraph says nothing about the whole.
        let (at, why) = match mends.first().filter(|_| is_key || inked.starts_with("- ")) {
            Some(first) => (first.at, first.why),
            None => (span.start, "lines below the key are not valid YAML; read line by line"),
        };
        let (pair, mut mend) = self.one_line(text, span, at, why)?;
        // YAML takes the indentation of the first line for that of the block, unless the header gives another one.
        let header = if first.indent() > indent { format!("|{indent}-") } else { "|-".to_owned() };
        let literal = self.with(&header);
        let edit = Edit { start: 0, end: self.key_line.end(), with: literal.clone() };
        let is_same = read_with(self.entry.source, &[edit])
            .is_ok_and(|pair| matches!(&pair.value.value, Value::Text(read) if read == text));
        // The indentation in the header is relative to that of the key.
        if is_same && self.entry.depth == 0 {
            (mend.with, mend.end) = (literal, mend.line_start);
        }
        Some((pair, vec![mend]))
    }

    /// The entries below the key, recovered separately, as a map.
    fn nested_map(&self, span: Span) -> Option<Mended> {
        let (entries, stray) = nested::entries(self.entry, self.rest);
        let (pairs, notices, mends) = recover_all(&entries, &stray, &|_| Shape::Unknown);
        let mut pair = read(&self.entry.source[..self.key_line.end()]).ok()?;
        pair.value = Node { value: Value::Map(pairs), span, style: Style::Block, tag: None };
        pair.notices = notices;
        (!entries.is_empty() && !mends.is_empty()).then_some((pair, mends))
    }

    /// Corrects the lines of YAML errors, or lines shortly before them, so that each next error is further below. Also
    /// returns the resulting pair, if no error is left.
    fn nested_mends(&self) -> (Vec<Mend>, Option<Pair>) {
        let mut edits: Vec<Edit> = Vec::new();
        let mut mends: Vec<Mend> = Vec::new();
        let mut left = MAX_READ;
        while mends.len() < MAX_MENDS && self.entry.source.len() <= left {
            left -= self.entry.source.len();
            let Err(Some(fault)) = read_with(self.entry.source, &edits) else { break };
            let before = &self.rest[..self.rest.partition_point(|line| line.start <= fault)];
            let last = edits.last().map_or(0, |edit| edit.end);
            let inked = |line: &&Line<'_>| !line.is_blank() && last < line.start;
            let mut partial = None;
            for line in before.iter().rev().filter(inked).take(LINES_BACK) {
                let Some((with, value_at, why)) = corrected(line.text) else { continue };
                let at = line.start + value_at;
                let mend = Mend { at, line_start: line.start, end: line.start, with: with.clone(), why };
                edits.push(Edit { start: line.start, end: line.end(), with });
                left = left.saturating_sub(self.entry.source.len());
                match read_with(self.entry.source, &edits) {
                    Ok(pair) => {
                        mends.push(mend);
                        return (mends, Some(pair));
                    }
                    Err(Some(next)) if fault <= line.end() && self.is_further(next, line) && partial.is_none() => {
                        partial = edits.pop().map(|edit| (edit, mend));
                    }
                    Err(_) => drop(edits.pop()),
                }
            }
            let Some((edit, mend)) = partial else { break };
            edits.push(edit);
            mends.push(mend);
        }
        (mends, None)
    }

    /// The lines below the key, each without at most so many leading spaces and tabs.
    fn unindented(&self, indent: usize) -> String {
        let texts = self.rest.iter().map(|line| &line.text[line.indent().min(indent)..]);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Whether an error is in a line below this one.
    fn is_further(&self, fault: usize, line: &Line<'_>) -> bool {
        self.rest.iter().any(|below| !below.is_blank() && below.start > line.start && below.start <= fault)
    }

    /// The key with this text in quotes, on one line.
    fn one_line(&self, text: &str, span: Span, at: usize, why: &'static str) -> Option<(Pair, Mend)> {
        let value = quote_yaml(text);
        let mut pair = self.read_one_line(&value, span.end)?;
        pair.value = Node { value: Value::Text(text.to_owned()), span, style: Style::Double, tag: None };
        Some((pair, self.mend(at, span.end, &value, why)))
    }

    /// Parses the entry with its value, up to `end`, replaced.
    fn read_one_line(&self, value: &str, end: usize) -> Option<Pair> {
        let to_end = Edit { start: self.at.min(end), end, with: value.to_owned() };
        let gap = Edit { start: self.entry.colon, end: to_end.start, with: ": ".to_owned() };
        // Only a comment can follow the value, and it is left out.
        read_with(&self.entry.source[..end], &[gap, to_end]).ok()
    }

    fn mend(&self, at: usize, end: usize, value: &str, why: &'static str) -> Mend {
        Mend { at, line_start: 0, end, with: self.with(value), why }
    }

    /// The key's line with this value.
    fn with(&self, value: &str) -> String {
        format!("{}: {value}", &self.key_line.text[..self.entry.colon])
    }
}

/// A nested line with its value in quotes, where the value begins, and what is wrong.
fn corrected(line: &str) -> Option<(String, usize, &'static str)> {
    let mut rest = line.trim_start_matches([' ', '\t']);
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start_matches([' ', '\t']);
    }
    let (_, value) = split_key(rest);
    let value = value.trim_start_matches([' ', '\t']);
    let at = line.len() - value.len();
    let value = value.trim_end_matches(BLANKS);
    if value.is_empty() || value.starts_with('#') || is_block_header(value) {
        return None;
    }
    let (value, why) = match quoted_items(value) {
        Some(list) => list,
        None => {
            let (text, why) = meant(value);
            (quote_yaml(&text), why)
        }
    };
    let before = match untabbed(&line[..at]) {
        // A line at the column of the key would not belong to its value.
        before if before.is_empty() => "  ".to_owned(),
        before if before.starts_with(|c: char| c != ' ' && c != '-') => format!("  {before}"),
        before => before,
    };
    let gap = if before.ends_with(' ') { "" } else { " " };
    Some((format!("{before}{gap}{value}"), at, why))
}

/// The line with spaces in place of the tabs of its indentation, after its `-`, and after its key's colon.
fn untabbed(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next().filter(|c| matches!(c, ' ' | '\t' | '-')) {
        let next = &rest[1..];
        if c == '-' && !next.starts_with([' ', '\t']) {
            break;
        }
        let after_dash = out.ends_with('-');
        out.push_str(match c {
            '\t' if after_dash => " ",
            '\t' => "  ",
            '-' => "-",
            _ => " ",
        });
        rest = next;
    }
    let (key, value) = split_key(rest);
    let trimmed = value.trim_start_matches([' ', '\t']);
    let (gap, _) = value.split_at(value.len() - trimmed.len());
    out.push_str(key);
    out.push_str(if gap.contains('\t') { " " } else { gap });
    out.push_str(trimmed);
    out
}

/// Whether a value is the header of a block scalar and nothing else.
fn is_block_header(head: &str) -> bool {
    let Some(rest) = head.strip_prefix(['|', '>']) else { return false };
    let rest = rest.trim_start_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    rest.is_empty() || (rest.starts_with([' ', '\t']) && rest.trim_start_matches(BLANKS).starts_with('#'))
}
