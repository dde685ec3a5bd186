//! Corrects an entry that is not valid YAML. Several corrections are tried in order, the least invasive first, and one
//! is used only if it makes the entry valid. Offsets are in the entry's source.

use super::entry::{BLANKS, Entry, Line, WIDE_BLANKS, WIDE_COLON, key_of, nested_entries};
use super::{Edit, Mend, Pair, Shape, read_with, recover_all};
use crate::text::escape::quote_yaml;
use crate::text::lines::lines;
use crate::text::yaml::{self, Node, Span, Style, Value};

/// How many lines before the one of a YAML error are searched for its cause, as a missing quote or bracket is often
/// noticed late.
const LINES_BACK: usize = 8;

/// How many lines of an entry are corrected separately.
const MAX_MENDS: usize = 100;

/// How many bytes are parsed at most to find the lines of an entry that are wrong.
const MAX_READ: usize = 4 * 1024 * 1024;

const COLUMN_0: &str = "continuation line is not indented; read as part of the value";

const STAR: &str = "item begins with `*` instead of `-`; read as an item";

type Mended = (Pair, Vec<Mend>);

/// The first correction that makes the entry valid.
pub(super) fn mend(entry: &Entry<'_>, shape: Shape) -> Option<Mended> {
    let lines: Vec<Line<'_>> = lines(entry.source).map(|(start, text)| Line { start, text }).collect();
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
    let is_wanted = |pair: &Pair| !is_nested || shape != Shape::Text || pair.value.as_text().is_some();
    if let Some(done) = case.spaces(&lines).filter(|(pair, _)| is_wanted(pair)) {
        return Some(done);
    }
    match head {
        _ if is_nested => case.nested(),
        _ if is_block_header(head) => case.block(),
        _ => case.scalar(),
    }
}

struct Case<'c, 't> {
    entry: &'c Entry<'t>,
    shape: Shape,
    key_line: Line<'t>,
    rest: &'c [Line<'t>],
    /// What follows the colon on the key's line, trimmed.
    head: &'t str,
    at: usize,
}

impl Case<'_, '_> {
    /// Whether the value is expected to be neither a text nor a map.
    fn is_any(&self) -> bool {
        matches!(self.shape, Shape::Other | Shape::Unknown)
    }

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
        let behind = &self.entry.source[self.entry.colon..];
        let mut edits = Vec::new();
        let mut mends = Vec::new();
        for line in lines {
            let is_key_line = line.start == 0;
            let text = if is_key_line && is_odd { self.with(self.head) } else { untabbed(line.text) };
            if text == line.text {
                continue;
            }
            let why = match (is_key_line, gap) {
                (true, _) if is_wide && behind.starts_with(WIDE_COLON) => "full-width colon; read as `:`",
                (true, _) if is_wide || !behind.starts_with(':') => "not written as `key: value`; read as a field",
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

    /// Corrects a value that begins on the key's line. It is folded to one line, with the comments of its lines behind it.
    fn scalar(&self) -> Option<Mended> {
        let (text, end, comments) = folded(self.head, self.at, self.rest);
        let (pair, mut mends) = self.folded(text, end)?;
        mends.iter_mut().for_each(|mend| mend.with.push_str(&comments));
        Some((pair, mends))
    }

    /// Corrects a value that was folded to one line, and ends at this offset.
    fn folded(&self, text: String, end: usize) -> Option<Mended> {
        let is_unindented = self.rest.iter().any(|line| !line.is_blank() && line.indent() == 0);
        if end > self.key_line.end() && text.starts_with(['"', '\'', '[', '{']) {
            let why =
                if is_unindented { COLUMN_0 } else { "value of several lines is not valid YAML; read as plain text" };
            // The lines behind a comment must not be lost.
            let done = self.with_value(&text, self.at, end, why).filter(|(pair, _)| pair.value.span.end >= end);
            if done.is_some() {
                return done;
            }
        }
        let pairs = if self.shape == Shape::Text { None } else { quoted_pairs(&text) };
        // Of a text, a mark behind a bracket is a part.
        let items = quoted_items(&text).filter(|_| self.shape != Shape::Text || text.ends_with(']'));
        if let Some((list, why)) = items.or(pairs).or_else(|| self.map()).or_else(|| self.list()) {
            if let Some(done) = self.with_value(&list, self.at, end, why) {
                return Some(done);
            }
        }
        // A list of one item, in which the `*` would be a wildcard.
        let item = text.strip_prefix("* ").filter(|_| self.is_any());
        if let Some(done) = item.and_then(|item| {
            let why = "item begins with `*` instead of `-`; read as a list of one item";
            self.with_value(&format!("[{}]", item.trim_start()), self.at, end, why)
        }) {
            return Some(done);
        }
        let (meant, mut why) = meant(&text);
        if is_unindented && self.with_value(self.head, self.at, self.key_line.end(), COLUMN_0).is_some() {
            why = COLUMN_0;
        }
        self.with_text(&meant, Span { start: self.at, end }, self.at, why)
    }

    /// The lines of a value that is expected to be a map as one in braces, if each of them begins with a key, and what is wrong.
    fn map(&self) -> Option<(String, &'static str)> {
        let pairs = self.inked_lines().map(|line| {
            let (key, value) = split_key(line);
            let value = value.trim_matches(BLANKS);
            (!key.is_empty() && !value.is_empty()).then(|| format!("{key} {}", item(value, false)))
        });
        let pairs = pairs.collect::<Option<Vec<_>>>().filter(|_| self.shape == Shape::Map)?;
        Some((format!("{{{}}}", pairs.join(", ")), "mapping on the line of its key; read as a mapping"))
    }

    /// The lines of a value as a list in brackets, if each of them is an item, and what is wrong.
    fn list(&self) -> Option<(String, &'static str)> {
        let items = self.inked_lines().map(|line| {
            let (text, _) = uncommented(line.strip_prefix("- ")?.trim_matches(BLANKS), &mut false);
            Some(item(text, true))
        });
        let items = items.collect::<Option<Vec<_>>>().filter(|items| self.is_any() && items.len() > 1)?;
        Some((format!("[{}]", items.join(", ")), "list begins on the line of its key; read as a list"))
    }

    /// The lines of a value that begins on the line of the key, trimmed, without those that are blank or comments.
    fn inked_lines(&self) -> impl Iterator<Item = &str> {
        let further = self.rest.iter().map(|line| line.text.trim_matches(BLANKS));
        std::iter::once(self.head).chain(further).filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    /// Corrects a block scalar whose lines are not indented enough.
    fn block(&self) -> Option<Mended> {
        let first = self.rest.iter().find(|line| !line.is_blank())?;
        let indent = first.indent();
        let wanted = indent.max(2);
        let off: Vec<&Line<'_>> =
            self.rest.iter().filter(|line| !line.is_blank() && line.indent() < indent.max(1)).collect();
        let why = "line of a block scalar is not indented; read as part of the block";
        let at = off.first().map_or(first.start, |line| line.start);
        if let [line] = off.as_slice() {
            let with = format!("{}{}", " ".repeat(wanted), line.inked());
            let edit = Edit { start: line.start, end: line.end(), with: with.clone() };
            if let Ok(pair) = read_with(self.entry.source, &[edit]) {
                return Some((pair, vec![Mend { at, line_start: line.start, end: line.start, with, why }]));
            }
        }
        let joined = self.unindented(indent);
        let joined = joined.trim_matches('\n');
        let mut text = if self.head.starts_with('>') { fold_paragraphs(joined) } else { joined.to_owned() };
        if !text.is_empty() && !self.head.contains('-') {
            text.push('\n');
        }
        let end = last_end(self.rest).unwrap_or(self.key_line.end());
        self.with_text(&text, Span { start: self.at, end }, at, why)
    }

    /// Corrects a value on the lines below the key (rule 5.9): with the wrong lines corrected, else with each line
    /// parsed separately, else with the source text of all lines as the value.
    fn nested(&self) -> Option<Mended> {
        let inked = || self.rest.iter().filter(|line| !line.is_blank());
        let first = inked().next()?;
        let indent = inked().map(Line::indent).min()?;
        let span = Span { start: first.start + first.indent(), end: last_end(self.rest)? };
        let joined = self.unindented(indent);
        // White space around a text that is not in quotes does not count.
        let text = joined.trim_matches(|c| c == '\n' || BLANKS.contains(&c));

        if let Some(done) = self.items() {
            return Some(done);
        }
        let (mends, read) = self.nested_mends();
        if let Some(pair) = read.filter(|pair| self.shape != Shape::Text || pair.value.as_text().is_some()) {
            return Some((pair, mends));
        }
        let inked = first.text.trim_start_matches(BLANKS);
        let is_key = key_of(inked).is_some();
        let is_map = self.shape == Shape::Map || (self.is_any() && is_key);
        if let Some(mended) = if is_map { self.nested_map(span) } else { None } {
            return Some(mended);
        }
        // What is wrong with a line of a paragraph says nothing about the whole.
        let (at, why) = match mends.first().filter(|_| is_key || inked.starts_with("- ")) {
            Some(first) => (first.at, first.why),
            None => (span.start, "lines below the key are not valid YAML; read line by line"),
        };
        let (pair, mut mends) = self.with_text(text, span, at, why)?;
        let literal = self.with("|-");
        let edit = Edit { start: 0, end: self.key_line.end(), with: literal.clone() };
        let is_same = read_with(self.entry.source, &[edit]).is_ok_and(|pair| pair.value.as_text() == Some(text));
        if let Some(mend) = mends.first_mut().filter(|_| is_same) {
            (mend.with, mend.end) = (literal, mend.line_start);
        }
        Some((pair, mends))
    }

    /// Corrects a list whose lines are items or those of maps in them, of which some items have `*` in place of `-`, as in Markdown, or
    /// other indentation than the first one.
    fn items(&self) -> Option<Mended> {
        let is_item = |line: &&Line<'_>| !line.is_blank() && !line.inked().starts_with('#');
        let (mut edits, mut mends) = (Vec::new(), Vec::new());
        let first = self.rest.iter().find(is_item)?;
        let blanks = &first.text[..first.indent()];
        let mut in_map = false;
        for line in self.rest.iter().filter(is_item) {
            // A further line of a map that is an item.
            if in_map && line.indent() >= first.indent() + 2 {
                continue;
            }
            let (mark, item) = line.inked().split_once(' ')?;
            in_map = line.indent() == first.indent() && key_of(item.trim_start_matches([' ', '\t'])).is_some();
            let why = match mark {
                "*" => STAR,
                "-" if line.indent() == first.indent() => continue,
                "-" => "item is not indented as the first one; read as an item of the same list",
                _ => return None,
            };
            let (start, with) = (line.start + line.indent(), format!("{blanks}- {item}"));
            mends.push(Mend { at: start, line_start: line.start, end: line.start, with, why });
            edits.push(Edit { start: line.start, end: start + 1, with: format!("{blanks}-") });
        }
        let pair = if self.shape == Shape::Text { None } else { read_with(self.entry.source, &edits).ok() };
        mends.truncate(MAX_MENDS);
        Some((pair?, mends))
    }

    /// The entries below the key, recovered separately, as a map.
    fn nested_map(&self, span: Span) -> Option<Mended> {
        let (entries, stray) = nested_entries(self.entry, self.rest);
        let ((pairs, notices), mends) = recover_all(&entries, &stray, &|_| Shape::Unknown);
        let mut pair = read_with(&self.entry.source[..self.key_line.end()], &[]).ok()?;
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
            // Whether an error is in a line below this one.
            let is_further = |next: usize, line: &Line<'_>| {
                self.rest.iter().any(|below| !below.is_blank() && below.start > line.start && below.start <= next)
            };
            for line in before.iter().rev().filter(inked).take(LINES_BACK) {
                let Some((with, value_at, why)) = corrected(line.text) else { continue };
                let at = line.start + value_at;
                let mend = Mend { at, line_start: line.start, end: line.start, with: with.clone(), why };
                edits.push(Edit { start: line.start, end: line.end(), with });
                left = left.saturating_sub(self.entry.source.len());
                match read_with(self.entry.source, &edits) {
                    Ok(pair) => {
                        mends.push(mend);
                        return self.whole(mends, pair);
                    }
                    Err(Some(next)) if fault <= line.end() && is_further(next, line) && partial.is_none() => {
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

    /// The mends, and what is read with them. Quotes around a further line of a plain scalar would be a part of its text, so such a
    /// mend becomes one of the whole scalar.
    fn whole(&self, mut mends: Vec<Mend>, pair: Pair) -> (Vec<Mend>, Option<Pair>) {
        for mend in &mut mends {
            let Some(span) = scalar_around(&pair.value, mend.line_start) else { continue };
            let first = self.rest.partition_point(|line| line.start <= span.start);
            let further = first..self.rest.partition_point(|line| line.start < span.end);
            let Some(line) = first.checked_sub(1).map(|line| self.rest[line]) else { continue };
            let (before, head) = line.text.split_at(span.start - line.start);
            let (text, end, comments) = folded(head.trim_end_matches(BLANKS), span.start, &self.rest[further]);
            let with = format!("{before}{}{comments}", quote_yaml(&text));
            *mend = Mend { at: span.start, line_start: line.start, end, with, why: mend.why };
        }
        mends.dedup_by_key(|mend| mend.line_start);
        let source = self.entry.source;
        let edit =
            |mend: &Mend| Edit { start: mend.line_start, end: end_of_line(source, mend.end), with: mend.with.clone() };
        let edits: Vec<Edit> = mends.iter().map(edit).collect();
        (mends, read_with(source, &edits).ok())
    }

    /// The lines below the key, each without at most so many leading spaces and tabs.
    fn unindented(&self, indent: usize) -> String {
        let texts = self.rest.iter().map(|line| &line.text[line.indent().min(indent)..]);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The key with this text in quotes, on one line.
    fn with_text(&self, text: &str, span: Span, at: usize, why: &'static str) -> Option<Mended> {
        let (mut pair, mends) = self.with_value(&quote_yaml(text), at, span.end, why)?;
        pair.value = Node { value: Value::Text(text.to_owned()), span, style: Style::Double, tag: None };
        Some((pair, mends))
    }

    /// The entry with its value, up to `end`, replaced, if that is valid.
    fn with_value(&self, value: &str, at: usize, end: usize, why: &'static str) -> Option<Mended> {
        let to_end = Edit { start: self.at.min(end), end, with: value.to_owned() };
        let gap = Edit { start: self.entry.colon, end: to_end.start, with: ": ".to_owned() };
        // Only a comment can follow the value, and it is left out.
        let pair = read_with(&self.entry.source[..end], &[gap, to_end]).ok()?;
        Some((pair, vec![Mend { at, line_start: 0, end, with: self.with(value), why }]))
    }

    fn with(&self, value: &str) -> String {
        format!("{}: {value}", &self.key_line.text[..self.entry.colon])
    }
}

/// The place of the plain scalar that a line is a further one of. Recurses at most `MAX_DEPTH` times.
fn scalar_around(node: &Node, line_start: usize) -> Option<Span> {
    match &node.value {
        Value::Text(_) if node.style == Style::Plain => {
            Some(node.span).filter(|span| span.start < line_start && line_start < span.end)
        }
        Value::Map(pairs) => pairs.iter().find_map(|(_, value)| scalar_around(value, line_start)),
        Value::List(items) => items.iter().find_map(|item| scalar_around(item, line_start)),
        Value::Text(_) | Value::Absent => None,
    }
}

/// A value as it is written in a list in brackets: in quotes if YAML would not read it as one item, or as a pair where it
/// may be none.
fn item(value: &str, may_be_pair: bool) -> String {
    let read = yaml::parse(&format!("[{value}]")).ok().filter(|read| read.words.is_empty());
    let is_item = read.and_then(|read| read.root).is_some_and(|root| match &root.value {
        Value::List(items) => {
            matches!(&**items, [item] if may_be_pair || item.as_text().is_some() || value.starts_with(['[', '{']))
        }
        _ => false,
    });
    if is_item { value.to_owned() } else { quote_yaml(&meant(value).0) }
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
    let bullet = value.strip_prefix("* ").filter(|_| line[..at].trim_start_matches([' ', '\t']).is_empty());
    let (value, why) = match (quoted_items(value), bullet) {
        (Some(list), _) => list,
        (None, Some(item)) => (format!("- {item}"), STAR),
        (None, None) => {
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

/// What follows the header of a block scalar on its line.
fn behind_header(head: &str) -> Option<&str> {
    let rest = head.strip_prefix(['|', '>'])?;
    let rest = rest.trim_start_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let text = rest.trim_start_matches(BLANKS);
    (text.is_empty() || text.len() < rest.len()).then_some(text)
}

/// Whether a value is the header of a block scalar and nothing else.
fn is_block_header(head: &str) -> bool {
    behind_header(head).is_some_and(|text| text.is_empty() || text.starts_with('#'))
}

/// A value of several lines as YAML folds it, without comments, where its last line ends, and the comments before that.
fn folded(head: &str, at: usize, rest: &[Line<'_>]) -> (String, usize, String) {
    if rest.iter().all(|line| line.is_blank() || line.inked().starts_with('#')) {
        return (head.to_owned(), at + head.len(), String::new());
    }
    let mut is_in_quotes = false;
    let (mut text, mut comments) = (String::new(), String::new());
    let mut end = at;
    let mut blank_lines = 0;
    let mut seen = String::new();
    for line in [Line { start: at, text: head }].iter().chain(rest) {
        let inked = line.text.trim_matches(BLANKS);
        if inked.is_empty() {
            blank_lines += 1;
        } else if inked.starts_with('#') {
            seen.push(' ');
            seen.push_str(inked);
        } else {
            let (inked, comment) = uncommented(inked, &mut is_in_quotes);
            if line.start > at {
                text.push_str(&if blank_lines == 0 { " ".to_owned() } else { "\n".repeat(blank_lines) });
            }
            text.push_str(inked);
            end = line.start + line.text.trim_end_matches(BLANKS).len();
            blank_lines = 0;
            comments.push_str(&std::mem::take(&mut seen));
            comments.push_str(comment);
        }
    }
    (text, end, comments)
}

/// A line of a value, and the comment behind it: a `#` between blanks, which is not in quotes.
fn uncommented<'l>(line: &'l str, is_in_quotes: &mut bool) -> (&'l str, &'l str) {
    let mut from = 0;
    for (at, _) in line.match_indices(" # ") {
        *is_in_quotes ^= line[from..at].matches(['"', '\'']).count() % 2 == 1;
        if !*is_in_quotes {
            return (line[..at].trim_end_matches(BLANKS), &line[at..]);
        }
        from = at;
    }
    *is_in_quotes ^= line[from..].matches(['"', '\'']).count() % 2 == 1;
    (line, "")
}

/// The lines of a text joined by spaces, with a line break for every blank line.
fn fold_paragraphs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut breaks = 0;
    for line in text.split('\n') {
        if line.trim_matches(BLANKS).is_empty() {
            breaks += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(&if breaks == 0 { " ".to_owned() } else { "\n".repeat(breaks) });
        }
        out.push_str(line.trim_end_matches(BLANKS));
        breaks = 0;
    }
    out
}

/// Where the last line that is not blank ends, without its trailing white space.
fn last_end(lines: &[Line<'_>]) -> Option<usize> {
    let last = lines.iter().rev().find(|line| !line.is_blank())?;
    Some(last.start + last.text.trim_end_matches(BLANKS).len())
}

const COLON: &str = "unquoted `: ` in a value; read as plain text";

/// The text that the author of a value meant, and what is wrong with it (rule 5.6): the value, folded to one line, without stray
/// quotes and with every other character. Whether it is valid YAML is for the caller to try.
pub(super) fn meant(value: &str) -> (String, &'static str) {
    let as_written = |why| (value.to_owned(), why);
    if let Some(inner) = ["\"\"\"", "'''"].iter().find_map(|three| value.strip_prefix(three)?.strip_suffix(three)) {
        return (inner.trim().to_owned(), "three quotes instead of one; read as one");
    }
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => unquote(value, &value[1..], quote),
        Some('[') if value.contains(']') => as_written("value starts with `[` but is not a list; read as plain text"),
        Some('[') => as_written("unclosed `[`; read as plain text"),
        Some('{') if value.contains('}') => {
            as_written("value starts with `{` but is not a mapping; read as plain text")
        }
        Some('{') => as_written("unclosed `{`; read as plain text"),
        Some('@') => as_written("unquoted value starts with `@`; read as plain text"),
        Some('`') => as_written("unquoted value starts with a backtick; read as plain text"),
        Some('*') => as_written("unquoted value starts with `*`; read as plain text"),
        Some('&') => as_written("unquoted value starts with `&`; read as plain text"),
        Some('!') => as_written("unquoted value starts with `!`; read as plain text"),
        Some('%') => as_written("unquoted value starts with `%`; read as plain text"),
        // A number may be what something is greater than.
        Some('|' | '>') => match behind_header(value).filter(|text| text.starts_with(|c: char| !c.is_ascii_digit())) {
            Some(text) => (text.to_owned(), "text on the line of a block indicator; read without the indicator"),
            None => as_written("unquoted value starts with `|` or `>`; read as plain text"),
        },
        Some('?') => as_written("unquoted value starts with `?`; read as plain text"),
        Some('-') => as_written("`- ` after the colon; read as plain text"),
        _ if value.contains(": ") || value.contains(":\t") || value.ends_with(':') => as_written(COLON),
        _ => as_written("value is not valid YAML; read as plain text"),
    }
}

/// A flow list on one line with quotes around the items that are not valid YAML or begin with a tag or an anchor, without a mark
/// behind it, and what is wrong first. `None` if it is not a flat list, or nothing is wrong.
fn quoted_items(value: &str) -> Option<(String, &'static str)> {
    let (list, rest) = value.split_at(value.rfind(']')? + 1);
    let (comment, after) = match rest.trim_matches(BLANKS) {
        "" => ("", None),
        "," | ";" | "." => ("", Some("comma, semicolon or full stop after the closing bracket; ignored")),
        comment if comment.starts_with('#') => (comment, Some("text after the closing bracket; read as a comment")),
        _ => return None,
    };
    let (items, why) = quoted(list.strip_prefix('[')?.strip_suffix(']')?, |item| ("", item))?;
    let gap = if comment.is_empty() { "" } else { " " };
    Some((format!("[{items}]{gap}{comment}"), why.or(after)?))
}

/// Like [`quoted_items`], for the values of a flow mapping, which may be unclosed.
fn quoted_pairs(value: &str) -> Option<(String, &'static str)> {
    let inner = value.strip_prefix('{')?;
    let (inner, unclosed) =
        inner.strip_suffix('}').map_or((inner, Some("unclosed `{`; read as if it were closed")), |inner| (inner, None));
    if items(inner).iter().any(|item| key_of(item.trim_matches(BLANKS)).is_none()) {
        return None;
    }
    let (pairs, why) = quoted(inner, split_key)?;
    Some((format!("{{{pairs}}}"), unclosed.or(why)?))
}

/// The key of a line with its colon, which is empty if there is none, and the rest.
fn split_key(line: &str) -> (&str, &str) {
    line.split_at(key_of(line).map_or(0, |(_, colon)| colon + 1))
}

/// With these inside of it, a list in brackets is not corrected item by item.
const BRACKETS: [char; 4] = ['[', ']', '{', '}'];

/// The items between commas, each with its value in quotes if it needs them. `split` divides an item into what precedes
/// its value, and the value.
fn quoted(inner: &str, split: impl Fn(&str) -> (&str, &str)) -> Option<(String, Option<&'static str>)> {
    if inner.contains(BRACKETS) || inner.contains('\n') {
        return None;
    }
    let mut why = None;
    let mut quote = |item: &str| {
        let text = item.trim_matches(BLANKS);
        let (key, value) = split(text);
        let inked = value.trim_start_matches(BLANKS);
        let read = yaml::parse(&format!("[{inked}]"));
        if inked.is_empty() || read.is_ok_and(|document| document.words.is_empty()) {
            return item.to_owned();
        }
        let (intent, reason) = meant(inked);
        why = why.or(Some(reason));
        let (before, _) = item.split_at(item.len() - item.trim_start_matches(BLANKS).len());
        let (_, after) = item.split_at(item.trim_end_matches(BLANKS).len());
        let gap = if key.is_empty() { "" } else { " " };
        format!("{before}{key}{gap}{}{after}", quote_yaml(&intent))
    };
    let items: Vec<String> = items(inner).into_iter().map(&mut quote).collect();
    Some((items.join(","), why))
}

/// The items between commas. A comma inside a quoted item does not separate.
fn items(inner: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut quote = None;
    let mut is_begin = true;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (None, ',') => {
                found.push(&inner[start..at]);
                start = at + 1;
                is_begin = true;
            }
            (None, '"' | '\'') if is_begin => {
                quote = Some(c);
                is_begin = false;
            }
            (Some(open), c) if open == c => quote = None,
            (_, ' ' | '\t') => {}
            _ => is_begin = false,
        }
    }
    found.push(&inner[start..]);
    found
}

/// What is meant by a value that begins with a quote, and what is wrong. There are five cases: quotes around the whole
/// with others inside, such quotes with a comma behind them, a stray quote at the beginning, quotes that close early,
/// and several words in quotes of which the first begins the value. `inside` is the value behind its first quote.
fn unquote(value: &str, inside: &str, quote: char) -> (String, &'static str) {
    let marks = marks(inside, quote);
    let closes_at_end = marks.last().is_some_and(|mark| mark.at + 1 == inside.len());
    let between = marks.len().saturating_sub(usize::from(closes_at_end));
    if let ([only], Some(inner)) = (marks.as_slice(), inside.strip_suffix([',', ';'])) {
        if inner.trim_end().len() == only.at + 1 {
            return (unescape(&inside[..only.at], quote).0, "comma or semicolon after the closing quote; ignored");
        }
    }
    let closes_early = marks.first().is_some_and(|mark| mark.closes);
    let inner = inside.strip_suffix(quote).filter(|_| closes_at_end);
    if let Some(inner) = inner.filter(|_| !(between > 0 && between % 2 == 0 && closes_early)) {
        let (text, is_escaped) = unescape(inner, quote);
        let why = match (between, is_escaped) {
            (0, false) => "backslash in front of an ordinary character; kept as a backslash",
            _ => "unescaped quote inside quotes; read as part of the text",
        };
        return (text, why);
    }
    if !closes_at_end && between % 2 == 0 {
        return (unescape(inside, quote).0, "unbalanced quote; read as plain text");
    }
    const AFTER: &str = "text after the closing quote; read as part of the value";
    match closed_early(inside, &marks) {
        Some((quoted, rest)) => (unescape(quoted, quote).0 + rest, AFTER),
        None => (value.to_owned(), AFTER),
    }
}

/// The text inside the quotes that a value begins with, and the text behind them, if the quotes were meant for the
/// whole value: there are no others and few words follow, or they contain a whole sentence and another one follows. Otherwise
/// they belong to the phrase that the value begins with.
fn closed_early<'v>(inside: &'v str, marks: &[Mark]) -> Option<(&'v str, &'v str)> {
    let first = marks.first()?;
    let (quoted, rest) = (&inside[..first.at], &inside[first.at + 1..]);
    let begins_sentence = rest.trim_start().starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    let is_sentence = first.closes && quoted.ends_with(['.', '!', '?', '。', '！', '？']) && begins_sentence;
    let words = |text: &str| text.split_whitespace().count();
    // A phrase in quotes begins a sentence if more words follow than are in it.
    let is_phrase = first.closes && words(quoted).max(3) < words(rest);
    let is_alone = marks.len() == 1 && quoted.ends_with(|c: char| !c.is_whitespace()) && !is_phrase;
    (is_alone || is_sentence).then_some((quoted, rest))
}

/// A quote that is neither escaped nor an apostrophe inside a word.
struct Mark {
    at: usize,
    /// Whether it can be a closing quote: there is no white space before it, and white space or punctuation after it.
    closes: bool,
}

fn marks(inside: &str, quote: char) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut before = None;
    let mut chars = inside.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|&(_, next)| next);
        let is_pair = match quote {
            '"' => c == '\\',
            _ => (c == '\'' || c == '\\') && after == Some(quote),
        };
        if is_pair {
            before = chars.next().map(|(_, skipped)| skipped);
            continue;
        }
        let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if c == quote && !(quote == '\'' && in_word(before) && in_word(after)) {
            let ends_word = before.is_some_and(|c| !c.is_whitespace() && !"([{".contains(c));
            let closes = ends_word && after.is_none_or(|c| c.is_whitespace() || ".,;:!?)]}".contains(c));
            found.push(Mark { at, closes });
        }
        before = Some(c);
    }
    found
}

/// The text with its escapes resolved, and whether every backslash was part of an escape. If one was not, the author
/// did not mean escapes, and only quotes are unescaped.
fn unescape(inner: &str, quote: char) -> (String, bool) {
    if quote == '\'' {
        return (inner.replace("\\'", "'").replace("''", "'"), true);
    }
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(c @ ('"' | '\'' | '\\' | '/')) => out.push(c),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            _ => return (inner.replace("\\\"", "\""), false),
        }
    }
    (out, true)
}

/// The part of the text that a message about a mend points at: a value, an item of a list, an unquoted colon, an indentation.
pub(crate) fn mark(text: &str, mend: &Mend) -> Span {
    let line = trimmed(text, Span { start: mend.at, end: end_of_line(text, mend.at) });
    if line.start == mend.line_start && starts_blank(text, line) {
        let inked = text[line.start..line.end].trim_start_matches([' ', '\t']);
        return Span { start: line.start, end: line.end - inked.len() };
    }
    if mend.why == COLUMN_0 {
        return unindented(text, line.end, mend.end).unwrap_or(line);
    }
    let item = wrong_item(text, line);
    if mend.why != COLON {
        return item.unwrap_or(line);
    }
    // A value of several lines has its colon on any of them.
    let lines = Span { start: line.start, end: end_of_line(text, mend.end).max(line.end) };
    colon(text, item.unwrap_or(lines)).unwrap_or(line)
}

fn end_of_line(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |end| at + end)
}

fn trimmed(text: &str, span: Span) -> Span {
    let inside = &text[span.start..span.end];
    Span { start: span.start, end: span.start + inside.trim_end_matches(BLANKS).len() }
}

fn starts_blank(text: &str, span: Span) -> bool {
    text[span.start..span.end].starts_with([' ', '\t'])
}

fn unindented(text: &str, from: usize, end: usize) -> Option<Span> {
    let starts = text[from..].match_indices('\n').map(|(at, _)| from + at + 1).take_while(|start| *start <= end);
    let mut lines = starts.map(|start| trimmed(text, Span { start, end: end_of_line(text, start) }));
    lines.find(|line| line.start < line.end && !starts_blank(text, *line))
}

/// The `: ` in a plain value, or the `:` at its end.
fn colon(text: &str, value: Span) -> Option<Span> {
    let inside = &text[value.start..value.end];
    let ends = |at: usize| inside[at + 1..].is_empty() || inside[at + 1..].starts_with(['\n', '\r']);
    let is_one = |at: &usize| ends(*at) || inside[at + 1..].starts_with([' ', '\t']);
    let at = inside.match_indices(':').map(|(at, _)| at).find(is_one)?;
    let start = value.start + at;
    Some(Span { start, end: start + if ends(at) { 1 } else { 2 } })
}

/// The first item of a list in brackets that is not valid YAML.
fn wrong_item(text: &str, value: Span) -> Option<Span> {
    let inner = text[value.start..value.end].strip_prefix('[')?.strip_suffix(']')?;
    if inner.contains(BRACKETS) {
        return None;
    }
    let mut start = value.start + 1;
    for item in items(inner) {
        let inked = item.trim_matches(BLANKS);
        if !inked.is_empty() && yaml::parse(&format!("[{inked}]")).is_err() {
            let start = start + (item.len() - item.trim_start_matches(BLANKS).len());
            return Some(Span { start, end: start + inked.len() });
        }
        start += item.len() + 1;
    }
    None
}
