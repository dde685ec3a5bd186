//! Splits frontmatter that is not valid YAML into top-level entries, which are parsed separately, and stray lines.
//!
//! An entry is a `key:` line at column 0 and every line up to the next one. A field that is common to all dialects
//! begins an entry even if it is indented or has a full-width colon. A word with spaces in it is not a key here.

use crate::text::lines::lines;
use crate::text::yaml::{Node, Value};

/// What YAML takes for white space inside a line; a no-break space is text to it.
pub(super) const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// The fields that are common to all dialects (rule 6.1). The tables of the dialects are in a higher layer.
pub(super) const FIELDS: [&str; 8] =
    ["name", "description", "version", "license", "compatibility", "metadata", "allowed-tools", "argument-hint"];

/// Characters that look like a space and are text to YAML.
pub(super) const WIDE_BLANKS: [char; 2] = ['\u{a0}', '\u{3000}'];

/// A `key:` line and the lines that belong to it. Offsets other than `start` and `line_start` are bytes of `source`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    /// Where the entry begins in the text.
    pub(super) start: usize,
    /// Where its first line begins: before `start` if the key is indented.
    pub(super) line_start: usize,
    /// The entry's lines, including line endings.
    pub(super) source: &'t str,
    /// The key as written, including quotes. The source begins with it.
    pub(super) key: &'t str,
    /// Where the colon is.
    pub(super) colon: usize,
    /// The first byte behind the colon.
    pub(super) after: usize,
    /// Whether some of its lines are inside a tag such as `<example>`, and are not keys for this reason.
    pub(super) has_tag: bool,
    /// The indentation of the keys beside it.
    pub(super) indentation: usize,
    /// The number of keys above it in the tree.
    pub(super) depth: usize,
}

/// A line of an entry, without its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// The offset of its first byte in the entry's source.
    pub(super) start: usize,
    pub(super) text: &'t str,
}

impl Line<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The number of leading spaces and tabs.
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

    /// Whether these pairs, which YAML reads from the entry, are not what its author meant: a field without a space
    /// behind its colon became a part of a longer key, or lines inside a tag became keys.
    pub(super) fn is_misread(&self, pairs: &[(Node, Node)]) -> bool {
        let is_it = |node: &Node| matches!(&node.value, Value::Text(text) if text == self.key);
        (self.has_tag && pairs.len() > 1)
            || (is_field(self.key) && !pairs.first().is_some_and(|(first, _)| is_it(first)))
    }

    /// The indentation of the key.
    pub(super) fn indent(&self) -> usize {
        self.start - self.line_start
    }

    /// What follows the colon on the key's line, trimmed.
    pub(super) fn head(&self) -> &'t str {
        let after = &self.source[self.after..];
        after.split_once('\n').map_or(after, |(head, _)| head).trim_matches(BLANKS)
    }

    /// Whether the value ends on the key's line, judged by its first and last character.
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

/// What must follow the colon of a `key:` line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colon {
    /// White space, a quote or the end of the line.
    Spaced,
    /// Anything except `//`.
    Tight,
}

/// The entries of a text, and the lines that belong to no entry.
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
        if open.is_some() && tags.is_inside(line) {
            found.last_mut().into_iter().for_each(|entry| entry.has_tag = true);
        } else if let Some(entry) = begin(line, colon, open) {
            found.push(Entry { start: start + entry.start, line_start: start, ..entry });
            is_open = true;
        } else if is_marker(line) {
            is_open = false;
        }
        tags.open(line, &text[end..]);
        match found.last_mut() {
            Some(entry) if is_open => entry.source = &text[entry.start..end],
            _ if line.trim_matches(BLANKS).is_empty() || line.trim_start_matches(BLANKS).starts_with('#') => {}
            _ => stray.push(Line { start, text: line }),
        }
    }
    (found, stray)
}

/// The entry that begins on this line, if one does; its `start` is an offset in the line. `open` is the entry that the
/// line would belong to otherwise.
fn begin<'t>(line: &'t str, colon: Colon, open: Option<&Entry<'_>>) -> Option<Entry<'t>> {
    let entry = |start, key, colon, after| Entry { start, key, colon, after, ..Entry::default() };
    let tight_field = || key_at(line, Colon::Tight).filter(|(key, _)| is_field(key));
    if let Some((key, colon)) = key_at(line, colon).or_else(tight_field) {
        return Some(entry(0, key, colon, colon + 1));
    }
    if let Some((key, colon)) = wide_key(line) {
        return Some(entry(0, key, colon, colon + WIDE_COLON.len_utf8()));
    }
    let inked = line.trim_start_matches([' ', '\t']);
    let start = line.len() - inked.len();
    let (key, colon) = key_of(inked).filter(|_| start > 0)?;
    let is_one = open.is_none_or(|open| open.indent() == start || (is_field(key) && open.ends_on_its_line()));
    is_one.then(|| entry(start, key, colon, colon + 1))
}

const WIDE_COLON: char = '\u{ff1a}';

/// A field with a full-width colon, which keyboards for Chinese and Japanese produce, and the offset of the colon.
fn wide_key(line: &str) -> Option<(&str, usize)> {
    let (key, _) = line.split_once(WIDE_COLON)?;
    is_field(key).then_some((key, key.len()))
}

fn is_field(key: &str) -> bool {
    FIELDS.contains(&key)
}

/// Whether a line begins with a field that is common to all dialects.
pub(crate) fn begins_field(line: &str) -> bool {
    key_of(line).is_some_and(|(key, _)| is_field(key))
}

/// Whether a line at column 0 is neither a key, a comment nor an item.
pub(super) fn is_prose(line: &str) -> bool {
    line.starts_with(|c: char| !c.is_whitespace() && c != '#') && !line.starts_with("- ") && key_of(line).is_none()
}

/// A tag such as `<example>` that is open inside a value, up to its `</example>`.
#[derive(Default)]
struct Tags {
    closing: Option<String>,
    /// How often a closing tag was searched for. Each search reads the rest of the text.
    searches: usize,
}

impl Tags {
    /// Whether a line is inside a tag. The tag is closed behind the line that contains its closing tag.
    fn is_inside(&mut self, line: &str) -> bool {
        let is_inside = self.closing.is_some();
        self.closing.take_if(|closing| line.contains(closing.as_str()));
        is_inside
    }

    /// Opens the last tag of a line if it is closed in `rest`, unless one is open.
    fn open(&mut self, line: &str, rest: &str) {
        let tag = line.rsplit_once('<').and_then(|(_, tag)| tag.split_once('>'));
        let Some((name, _)) = tag.filter(|_| self.closing.is_none()) else { return };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_name && self.searches < MAX_SEARCHES {
            self.searches += 1;
            self.closing = Some(format!("</{name}>")).filter(|closing| rest.contains(closing));
        }
    }
}

/// How often a closing tag is searched for in one text.
const MAX_SEARCHES: usize = 64;

/// The key that a line begins with, including quotes, and the offset of its colon.
pub(crate) fn key_of(line: &str) -> Option<(&str, usize)> {
    key_at(line, Colon::Spaced)
}

fn key_at(line: &str, rule: Colon) -> Option<(&str, usize)> {
    let key_end = match line.chars().next()? {
        quote @ ('"' | '\'') => line[1..].find(quote)? + 2,
        first if first.is_ascii_alphabetic() || first == '_' => {
            line.find(|c: char| !(c.is_ascii_alphanumeric() || "_.-".contains(c)))?
        }
        _ => return None,
    };
    let (key, rest) = line.split_at(key_end);
    let rest = rest.trim_start_matches([' ', '\t']);
    let colon = line.len() - rest.len();
    let after = rest.strip_prefix(':')?;
    let fits = after.is_empty()
        || after.starts_with([' ', '\t', '"', '\''])
        || after.starts_with(WIDE_BLANKS)
        || (rule == Colon::Tight && !after.starts_with("//"));
    fits.then_some((key, colon))
}

/// The offset of a colon that has no white space on either side: with a value in quotes, or any value of a field that
/// is common to all dialects.
pub(super) fn tight_colon(line: &str) -> Option<usize> {
    let (key, colon) = key_at(line, Colon::Tight).filter(|(key, colon)| key.len() == *colon)?;
    let after = &line[colon + 1..];
    // Behind a blank, the last three begin a comment, an anchor or a tag.
    let is_plain = !after.starts_with([' ', '\t', '#', '&', '!']);
    let is_tight = after.starts_with(['"', '\'']) || (is_plain && is_field(key));
    (is_tight && !after.is_empty()).then_some(colon)
}

/// Whether every line at column 0 is `word:rest`. Only then does a colon without a space behind it end a key (rule
/// 5.6).
fn is_tight(text: &str) -> bool {
    lines(text)
        .filter(|(_, line)| !line.trim_matches(BLANKS).is_empty() && !line.starts_with([' ', '\t', '#']))
        .all(|(_, line)| key_at(line, Colon::Tight).is_some())
}

/// Whether a line is the mark of a YAML document's beginning or end, a line of dashes, a directive, or the mark of a merge conflict.
fn is_marker(line: &str) -> bool {
    line.starts_with('%')
        || ["...", "======="].contains(&line.trim_end_matches(BLANKS))
        || line.trim_end_matches(BLANKS).len() > 2 && line.trim_end_matches(BLANKS).bytes().all(|byte| byte == b'-')
        || ["<<<<<<< ", "||||||| ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark))
}

/// Where the line that begins at `start` ends, including its LF.
pub(super) fn line_end(text: &str, start: usize) -> usize {
    text[start..].find('\n').map_or(text.len(), |found| start + found + 1)
}
