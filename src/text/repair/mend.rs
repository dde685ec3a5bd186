//! In: an entry that YAML refuses. Out: its pair as meant, and the one corrected line.
//! Ways are tried in order, the least invasive first; each is believed only when YAML reads the corrected entry.
//! Offsets are of the entry's source.

use crate::gather::Gather;
use crate::text::escape::quote_yaml;
use crate::text::yaml::{Node, Span, Style, Value};

use super::Mend;
use super::entry::{BLANKS, Entry, Line, key_of};
use super::fold::{fold_paragraphs, folded, last_end};
use super::intent::{meant, quoted_items};
use super::rewrite::{Edit, Pair, read_with};

/// How many lines before the one that YAML names are tried for the fault: a quote or a bracket is often noticed late.
const LINES_BACK: usize = 8;

/// The first way that YAML reads.
pub(super) fn mend(entry: &Entry<'_>) -> Option<(Pair, Mend)> {
    let lines = entry.lines();
    let key_line = *lines.first()?;
    let rest = lines.get(1..).unwrap_or_default();
    let after = key_line.text.get(entry.colon + 1..).unwrap_or_default();
    let head = after.trim_matches(BLANKS);
    let at = entry.colon + 1 + (after.len() - after.trim_start_matches(BLANKS).len());
    let case = Case { entry, rest, key_line, head, at };
    if let Some(done) = case.blanks(&lines) {
        return Some(done);
    }
    let has_rest = rest.iter().any(|line| !line.is_blank());
    if (head.is_empty() || head.starts_with('#')) && has_rest {
        return case.nested(&lines);
    }
    if is_block_header(head) {
        return case.block();
    }
    case.scalar()
}

struct Case<'c, 't> {
    entry: &'c Entry<'t>,
    key_line: Line<'t>,
    /// The lines after the key's.
    rest: &'c [Line<'t>],
    /// What follows the colon.
    head: &'t str,
    /// Where `head` begins.
    at: usize,
}

impl Case<'_, '_> {
    /// A blank is missing after the colon, or a tab stands where YAML wants a space.
    fn blanks(&self, lines: &[Line<'_>]) -> Option<(Pair, Mend)> {
        let gap = self.entry.source.get(self.entry.colon + 1..self.at)?;
        let mut edits = Vec::new();
        for line in lines {
            let text = if line.start == 0 && !self.head.is_empty() && (gap.is_empty() || gap.contains('\t')) {
                self.with(self.head)
            } else {
                untabbed(line.text)
            };
            if text != line.text {
                edits.push(Edit { start: line.start, end: line.end(), with: text });
            }
        }
        let first = edits.first()?;
        let why = match (first.start, gap) {
            (0, "") => "no blank after the colon",
            (0, _) => "a tab in place of a blank",
            _ => "a tab in the indentation",
        };
        let (line_start, with) = (first.start, first.with.clone());
        let at = if line_start == 0 { self.at } else { line_start };
        let pair = read_with(self.entry.source, &edits).ok()?;
        Some((pair, Mend { at, line_start, end: line_start, with, why }))
    }

    /// A value that begins on the key's line: its text, folded to one line.
    fn scalar(&self) -> Option<(Pair, Mend)> {
        let (text, end) = folded(self.head, self.at, self.rest);
        let is_unindented = self.rest.iter().any(|line| !line.is_blank() && line.indent() == 0);
        let column_0 = "a further line of a value that is not indented";
        if end > self.key_line.end() && text.starts_with(['"', '\'', '[', '{']) {
            let why = if is_unindented { column_0 } else { "a value over several lines that YAML cannot read" };
            // What stands behind a comment would be lost.
            if let Some(pair) = self.read_one_line(&text, end).filter(|pair| pair.value.span.end >= end) {
                return Some((pair, self.mend(self.at, end, &text, why)));
            }
        }
        if let Some((list, why)) = quoted_items(&text) {
            if let Some(pair) = self.read_one_line(&list, end) {
                return Some((pair, self.mend(self.at, end, &list, why)));
            }
        }
        let (meant, mut why) = meant(&text);
        if is_unindented && self.read_one_line(self.head, self.key_line.end()).is_some() {
            why = column_0;
        }
        let span = Span { start: self.at, end };
        self.one_line(&meant, span, self.at, why)
    }

    /// A block scalar whose lines are not indented as YAML wants: its lines.
    fn block(&self) -> Option<(Pair, Mend)> {
        let first = self.rest.iter().find(|line| !line.is_blank())?;
        let indent = first.indent();
        let wanted = indent.max(2);
        let off: Vec<&Line<'_>> =
            self.rest.iter().filter(|line| !line.is_blank() && line.indent() < indent.max(1)).gather();
        let why = "a line of a block scalar that is not indented";
        let at = off.first().map_or(first.start, |line| line.start);
        if let [line] = off.as_slice() {
            let with = format!("{}{}", " ".repeat(wanted), line.text.trim_start_matches([' ', '\t']));
            let edit = Edit { start: line.start, end: line.end(), with: with.clone() };
            if let Ok(pair) = read_with(self.entry.source, &[edit]) {
                return Some((pair, Mend { at, line_start: line.start, end: line.start, with, why }));
            }
        }
        let texts = self.rest.iter().map(|line| line.text.get(line.indent().min(indent)..).unwrap_or_default());
        let joined = texts.joined("\n");
        let joined = joined.trim_matches('\n');
        let mut text = if self.head.starts_with('>') { fold_paragraphs(joined) } else { joined.to_owned() };
        if !text.is_empty() && !self.head.contains('-') {
            text.push('\n');
        }
        let end = last_end(self.rest).unwrap_or(self.key_line.end());
        self.one_line(&text, Span { start: self.at, end }, at, why)
    }

    /// Lines below the key: their source text, whole (decisions 6); the mend is at the line that is wrong.
    fn nested(&self, lines: &[Line<'_>]) -> Option<(Pair, Mend)> {
        let first = self.rest.iter().find(|line| !line.is_blank())?;
        let end = last_end(self.rest)?;
        let span = Span { start: first.start + first.indent(), end };
        let indents = self.rest.iter().filter(|line| !line.is_blank()).map(Line::indent);
        let indent = indents.min().unwrap_or_default();
        let texts = self.rest.iter().map(|line| line.text.get(indent.min(line.indent())..).unwrap_or_default());
        let joined = texts.joined("\n");
        let text = joined.trim_matches('\n').trim_end_matches(|c| c == '\n' || BLANKS.contains(&c));

        let inked = first.text.trim_start_matches(BLANKS);
        let is_prose = !inked.starts_with("- ") && key_of(inked).is_none();
        match self.nested_mend(lines) {
            // One text is what its corrected line says.
            Some((mend, Some(pair))) if matches!(pair.value.value, Value::Text(_)) => return Some((pair, mend)),
            // Half a paragraph in quotes would mend nothing.
            Some((_, None)) if is_prose => {}
            Some((mend, _)) => {
                let pair = self.one_line(text, span, span.start, mend.why)?.0;
                return Some((pair, mend));
            }
            None => {}
        }
        let (pair, mut mend) = self.one_line(text, span, span.start, "lines below a key that YAML cannot read")?;
        // A first line that is indented further than the others needs the indentation said.
        let header = if first.indent() > indent { format!("|{indent}-") } else { "|-".to_owned() };
        let literal = self.with(&header);
        let edit = Edit { start: 0, end: self.key_line.end(), with: literal.clone() };
        let reads_the_same = read_with(self.entry.source, &[edit])
            .is_ok_and(|pair| matches!(&pair.value.value, Value::Text(read) if read == text));
        if reads_the_same {
            (mend.with, mend.end) = (literal, mend.line_start);
        }
        Some((pair, mend))
    }

    /// The line that YAML names, or one shortly before it, corrected so that the whole entry can be read; else so
    /// that YAML stumbles only further below. With the pair that YAML reads then.
    fn nested_mend(&self, lines: &[Line<'_>]) -> Option<(Mend, Option<Pair>)> {
        let fault = read_with(self.entry.source, &[]).err()??;
        let number = lines.iter().rposition(|line| line.start <= fault)?;
        let mut partial = None;
        let inked = |line: &&Line<'_>| !line.is_blank();
        for line in lines.get(1..=number)?.iter().rev().filter(inked).take(LINES_BACK) {
            let Some((with, value_at, why)) = corrected(line.text) else { continue };
            let mend =
                Mend { at: line.start + value_at, line_start: line.start, end: line.start, with: with.clone(), why };
            match read_with(self.entry.source, &[Edit { start: line.start, end: line.end(), with }]) {
                Ok(pair) => return Some((mend, Some(pair))),
                Err(Some(next)) if fault <= line.end() && self.is_further(next, line) => {
                    partial = partial.or(Some((mend, None)))
                }
                Err(_) => {}
            }
        }
        partial
    }

    /// Whether a fault is in a line below this one.
    fn is_further(&self, fault: usize, line: &Line<'_>) -> bool {
        self.rest.iter().any(|below| below.start > line.start && below.start <= fault && fault < below.end())
    }

    /// The key with this text in quotes, on one line.
    fn one_line(&self, text: &str, span: Span, at: usize, why: &'static str) -> Option<(Pair, Mend)> {
        let value = quote_yaml(text);
        let mut pair = self.read_one_line(&value, span.end)?;
        pair.value = Node { value: Value::Text(text.to_owned()), span, style: Style::Double, tag: None };
        Some((pair, self.mend(at, span.end, &value, why)))
    }

    /// Reads the entry with its value, up to `end`, replaced by this one.
    fn read_one_line(&self, value: &str, end: usize) -> Option<Pair> {
        let to_end = Edit { start: self.at.min(end), end, with: value.to_owned() };
        let gap = Edit { start: self.entry.colon + 1, end: to_end.start, with: " ".to_owned() };
        // Only a comment can follow the value, and one that is no part of it would do harm.
        let source = self.entry.source.get(..end)?;
        read_with(source, &[gap, to_end]).ok()
    }

    fn mend(&self, at: usize, end: usize, value: &str, why: &'static str) -> Mend {
        Mend { at, line_start: 0, end, with: self.with(value), why }
    }

    /// The key's line with this value.
    fn with(&self, value: &str) -> String {
        format!("{} {value}", self.key_line.text.get(..=self.entry.colon).unwrap_or_default())
    }
}

/// A nested line with its value quoted, where the value begins, and what is wrong.
fn corrected(line: &str) -> Option<(String, usize, &'static str)> {
    let mut at = line.len() - line.trim_start_matches([' ', '\t']).len();
    while let Some(rest) = line.get(at..).and_then(|rest| rest.strip_prefix("- ")) {
        at = line.len() - rest.trim_start_matches([' ', '\t']).len();
    }
    if let Some((_, colon)) = key_of(line.get(at..)?) {
        let after = line.get(at + colon + 1..)?;
        at = line.len() - after.trim_start_matches([' ', '\t']).len();
    }
    let value = line.get(at..)?.trim_end_matches(BLANKS);
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
    let before = match untabbed(line.get(..at)?) {
        // A value at its key's own column is none of its lines.
        before if before.is_empty() => "  ".to_owned(),
        before if before.starts_with(|c: char| c != ' ' && c != '-') => format!("  {before}"),
        before => before,
    };
    let gap = if before.ends_with(' ') { "" } else { " " };
    Some((format!("{before}{gap}{value}"), at, why))
}

/// The line with spaces for the tabs of its indentation, after its `-`, and after its key's colon.
fn untabbed(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next().filter(|c| matches!(c, ' ' | '\t' | '-')) {
        let next = rest.get(1..).unwrap_or_default();
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
    let colon = key_of(rest).map(|(_, colon)| colon + 1).unwrap_or_default();
    let (key, value) = rest.split_at_checked(colon).unwrap_or(("", rest));
    let trimmed = value.trim_start_matches([' ', '\t']);
    let gap = value.get(..value.len() - trimmed.len()).unwrap_or_default();
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
