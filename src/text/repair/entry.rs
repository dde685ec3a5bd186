//! In: frontmatter that does not parse. Out: its top-level entries, each a slice that is read alone, and stray lines.
//! An entry is a `key:` line at column 0 and every line up to the next one.
//! Absent: reading an entry; a key with blanks in it is no key here.

use crate::gather::Gather;
use std::ops::Range;

/// What YAML takes for blanks inside a line; a no-break space is text to it.
pub(super) const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// A `key:` line and the lines that belong to it. Offsets other than `start` are bytes of `source`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    /// Where the entry begins in the text.
    pub(super) start: usize,
    /// The entry's lines, line endings included.
    pub(super) source: &'t str,
    /// The key as written, quotes included.
    pub(super) key: Range<usize>,
    /// Where the colon is.
    pub(super) colon: usize,
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
        lines(self.source).map(|(start, text)| Line { start, text }).gather()
    }
}

/// Which lines may be a `key:` line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colon {
    /// The colon is followed by a blank, a quote or the line's end.
    Spaced,
    /// The colon may be followed by anything.
    Tight,
}

/// The entries of a text, and the start and text of each line that belongs to none.
pub(super) fn entries(text: &str) -> (Vec<Entry<'_>>, Vec<Line<'_>>) {
    let mut found: Vec<Entry<'_>> = Vec::new();
    let mut stray = Vec::new();
    let mut is_open = false;
    let colon = if is_tight(text) { Colon::Tight } else { Colon::Spaced };
    for (start, line) in lines(text) {
        if let Some((key, colon)) = key_at(line, colon) {
            found.push(Entry { start, source: "", key, colon });
            is_open = true;
        } else if is_marker(line) {
            is_open = false;
        }
        let end = line_end(text, start);
        match found.last_mut() {
            Some(entry) if is_open => entry.source = text.get(entry.start..end).unwrap_or_default(),
            _ if line.trim_matches(BLANKS).is_empty() || line.trim_start_matches(BLANKS).starts_with('#') => {}
            _ => stray.push(Line { start, text: line }),
        }
    }
    (found, stray)
}

/// The key of a line that is `key:` and more, with its colon.
pub(super) fn key_of(line: &str) -> Option<(Range<usize>, usize)> {
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
        || (rule == Colon::Tight && !after.starts_with("//"));
    fits.then_some((0..key_end, colon))
}

/// Whether every line at column 0 is `word:rest`; only then is a colon without a blank taken for one (decisions 6).
fn is_tight(text: &str) -> bool {
    lines(text)
        .filter(|(_, line)| !line.trim_matches(BLANKS).is_empty() && !line.starts_with([' ', '\t', '#']))
        .all(|(_, line)| key_at(line, Colon::Tight).is_some())
}

/// A line that YAML takes for the edge of a document, or for a directive.
fn is_marker(line: &str) -> bool {
    line.starts_with('%') || ["---", "..."].iter().any(|mark| line.trim_end_matches(BLANKS) == *mark)
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (start, line.strip_suffix('\r').unwrap_or(line))
    })
}

fn line_end(text: &str, start: usize) -> usize {
    text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |found| start + found + 1)
}
