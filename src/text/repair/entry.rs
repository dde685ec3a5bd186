//! In: frontmatter that does not parse. Out: its top-level entries, each a slice that is read alone, and stray lines.
//! An entry is a `key:` line at column 0 and every line up to the next one. A field that every dialect knows begins an
//! entry also where it is indented, or has a full-width colon.
//! Absent: reading an entry; a key with blanks in it is no key here.

use std::ops::Range;

use crate::text::lines::lines;
use crate::text::yaml::{Node, Value};

/// What YAML takes for blanks inside a line; a no-break space is text to it.
pub(super) const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// The fields of every dialect (decisions 4), as its tables have them too: they lie above this room.
pub(super) const FIELDS: [&str; 8] =
    ["name", "description", "version", "license", "compatibility", "metadata", "allowed-tools", "argument-hint"];

/// Blanks that look like one and are text to YAML.
pub(super) const WIDE_BLANKS: [char; 2] = ['\u{a0}', '\u{3000}'];

/// A `key:` line and the lines that belong to it. Offsets other than `start` and `line_start` are bytes of `source`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    /// Where the entry begins in the text.
    pub(super) start: usize,
    /// Where its first line begins: before `start` where the key is indented.
    pub(super) line_start: usize,
    /// The entry's lines, line endings included.
    pub(super) source: &'t str,
    /// The key as written, quotes included.
    pub(super) key: Range<usize>,
    /// Where the colon is.
    pub(super) colon: usize,
    /// The first byte behind the colon.
    pub(super) after: usize,
    /// Lines of it are inside of a tag, and so no keys.
    pub(super) holds: bool,
    /// How far the keys beside it are indented.
    pub(super) indentation: usize,
    /// How many keys it stands below.
    pub(super) depth: usize,
}

/// A line of an entry, without its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// Its first byte in the entry's source.
    pub(super) start: usize,
    pub(super) text: &'t str,
}

impl Line<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Bytes of leading blanks.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches([' ', '\t']).len()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim_matches(BLANKS).is_empty()
    }
}

impl<'t> Entry<'t> {
    /// The entry's lines; the first is the key's.
    pub(super) fn lines(&self) -> Vec<Line<'t>> {
        lines(self.source).map(|(start, text)| Line { start, text }).collect()
    }

    /// Whether YAML takes a field without a blank behind its colon for a part of a longer key, or lines inside of a tag
    /// for keys.
    pub(super) fn is_misread(&self, pairs: &[(Node, Node)]) -> bool {
        let key = self.source.get(self.key.clone());
        let is_it = |node: &Node| matches!(&node.value, Value::Text(text) if Some(text.as_str()) == key);
        (self.holds && pairs.len() > 1) || (is_field(key) && !pairs.first().is_some_and(|(first, _)| is_it(first)))
    }

    /// How far the key is indented.
    pub(super) fn indent(&self) -> usize {
        self.start - self.line_start
    }

    /// What stands behind the colon on the key's line.
    pub(super) fn head(&self) -> &'t str {
        let line = self.source.lines().next().unwrap_or_default();
        line.get(self.after..).unwrap_or_default().trim_matches(BLANKS)
    }

    /// Whether the value is one that ends on the key's line, as far as its first and last character tell.
    pub(super) fn ends_on_its_line(&self) -> bool {
        let head = self.head();
        match head.chars().next() {
            None | Some('|' | '>' | '#') => false,
            Some(quote @ ('"' | '\'')) => head.len() > 1 && head.ends_with(quote),
            Some('[') => head.ends_with(']'),
            Some('{') => head.ends_with('}'),
            Some(_) => true,
        }
    }
}

/// Which lines may be a `key:` line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colon {
    /// The colon is followed by a blank, a quote or the line's end.
    Spaced,
    /// The colon may be followed by anything; a field's may always.
    Tight,
}

/// The entries of a text, and the start and text of each line that belongs to none.
pub(super) fn entries(text: &str) -> (Vec<Entry<'_>>, Vec<Line<'_>>) {
    let mut found: Vec<Entry<'_>> = Vec::new();
    let mut stray = Vec::new();
    let mut is_open = false;
    let mut tags = Tags::default();
    let colon = if is_tight(text) { Colon::Tight } else { Colon::Spaced };
    for (start, line) in lines(text) {
        let end = line_end(text, start);
        let open = found.last().filter(|_| is_open);
        // A key inside of a tag is an example's.
        if open.is_some() && tags.hold(line) {
            found.last_mut().into_iter().for_each(|entry| entry.holds = true);
        } else if let Some(entry) = begin(line, colon, open) {
            found.push(Entry { start: start + entry.start, line_start: start, ..entry });
            is_open = true;
        } else if is_marker(line) {
            is_open = false;
        }
        tags.open(line, text.get(end..).unwrap_or_default());
        match found.last_mut() {
            Some(entry) if is_open => entry.source = text.get(entry.start..end).unwrap_or_default(),
            _ if line.trim_matches(BLANKS).is_empty() || line.trim_start_matches(BLANKS).starts_with('#') => {}
            _ => stray.push(Line { start, text: line }),
        }
    }
    (found, stray)
}

/// The entry that a line begins, if it does; its start is one in the line. `open` is the entry that the line would
/// belong to otherwise.
fn begin<'t>(line: &'t str, colon: Colon, open: Option<&Entry<'_>>) -> Option<Entry<'t>> {
    let entry = |start, key, colon, after| Entry { start, key, colon, after, ..Entry::default() };
    let tight_field = || key_at(line, Colon::Tight).filter(|(key, _)| is_field(line.get(key.clone())));
    if let Some((key, colon)) = key_at(line, colon).or_else(tight_field) {
        return Some(entry(0, key, colon, colon + 1));
    }
    if let Some((key, colon)) = wide_key(line) {
        return Some(entry(0, key, colon, colon + WIDE_COLON.len_utf8()));
    }
    let inked = line.trim_start_matches([' ', '\t']);
    let start = line.len() - inked.len();
    let (key, colon) = key_of(inked).filter(|_| start > 0)?;
    let is_one =
        open.is_none_or(|open| open.indent() == start || (is_field(inked.get(key.clone())) && open.ends_on_its_line()));
    is_one.then(|| entry(start, key, colon, colon + 1))
}

const WIDE_COLON: char = '\u{ff1a}';

/// A field with a full-width colon, which keyboards for Chinese and Japanese write.
fn wide_key(line: &str) -> Option<(Range<usize>, usize)> {
    let colon = line.find(WIDE_COLON)?;
    is_field(line.get(..colon)).then_some((0..colon, colon))
}

fn is_field(key: Option<&str>) -> bool {
    key.is_some_and(|key| FIELDS.contains(&key))
}

/// Whether a line begins a field that every dialect knows.
pub(super) fn begins_field(line: &str) -> bool {
    key_of(line).is_some_and(|(key, _)| is_field(line.get(key)))
}

/// Whether a line belongs to no entry by itself: neither a key nor a comment, an item, or lines of a value.
pub(super) fn is_prose(line: &str) -> bool {
    line.starts_with(|c: char| !c.is_whitespace() && c != '#') && !line.starts_with("- ") && key_of(line).is_none()
}

/// A tag that stands open inside of a value: `<example>` and its lines, up to `</example>`.
#[derive(Default)]
struct Tags {
    closing: Option<String>,
    /// How many were looked for, as each look is one through the text.
    looked: usize,
}

impl Tags {
    /// Whether a line is inside of a tag.
    fn hold(&mut self, line: &str) -> bool {
        let is_held = self.closing.is_some();
        self.closing.take_if(|closing| line.contains(closing.as_str()));
        is_held
    }

    /// Takes the last tag of a line that `rest` closes, unless one is open.
    fn open(&mut self, line: &str, rest: &str) {
        let name = line.rsplit_once('<').and_then(|(_, tag)| tag.split_once('>')).map_or("", |(name, _)| name);
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if self.closing.is_none() && is_name && self.looked < MAX_TAGS {
            self.looked += 1;
            self.closing = Some(format!("</{name}>")).filter(|closing| rest.contains(closing));
        }
    }
}

/// How many tags of a text are looked for.
const MAX_TAGS: usize = 64;

/// The key of a line that is `key:` and more, with its colon.
pub(crate) fn key_of(line: &str) -> Option<(Range<usize>, usize)> {
    key_at(line, Colon::Spaced)
}

fn key_at(line: &str, rule: Colon) -> Option<(Range<usize>, usize)> {
    let key_end = match line.chars().next()? {
        quote @ ('"' | '\'') => line.get(1..)?.find(quote)? + 2,
        first if first.is_ascii_alphabetic() || first == '_' => {
            line.find(|c: char| !(c.is_ascii_alphanumeric() || "_.-".contains(c)))?
        }
        _ => return None,
    };
    let rest = line.get(key_end..)?;
    let colon = key_end + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    let after = line.get(colon..)?.strip_prefix(':')?;
    let fits = after.is_empty()
        || after.starts_with([' ', '\t', '"', '\''])
        || after.starts_with(WIDE_BLANKS)
        || (rule == Colon::Tight && !after.starts_with("//"));
    fits.then_some((0..key_end, colon))
}

/// The colon of a key that its value stands tight against: a value in quotes, or any behind a field that every dialect
/// knows.
pub(super) fn tight_colon(line: &str) -> Option<usize> {
    let (key, colon) = key_at(line, Colon::Tight).filter(|(key, colon)| key.end == *colon)?;
    let after = line.get(colon + 1..)?;
    // Behind a blank, the last three begin a comment, an anchor or a tag.
    let is_plain = !after.starts_with([' ', '\t', '#', '&', '!']);
    let is_tight = after.starts_with(['"', '\'']) || (is_plain && is_field(line.get(key)));
    (is_tight && !after.is_empty()).then_some(colon)
}

/// Whether every line at column 0 is `word:rest`; only then is a colon without a blank taken for one (decisions 6).
fn is_tight(text: &str) -> bool {
    lines(text)
        .filter(|(_, line)| !line.trim_matches(BLANKS).is_empty() && !line.starts_with([' ', '\t', '#']))
        .all(|(_, line)| key_at(line, Colon::Tight).is_some())
}

/// A line that YAML takes for the edge of a document, or for a directive, or that a merge of two versions left behind.
fn is_marker(line: &str) -> bool {
    line.starts_with('%')
        || ["---", "...", "======="].contains(&line.trim_end_matches(BLANKS))
        || ["<<<<<<< ", "||||||| ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark))
}

pub(super) fn line_end(text: &str, start: usize) -> usize {
    text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |found| start + found + 1)
}
