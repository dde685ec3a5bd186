//! Splits the cleaned text of a file into frontmatter and body, without reading the YAML (rules 4.5, 4.6 and 4.7).

mod odd;

use super::lines::find_byte;
use super::repair::missed;
#[cfg(feature = "author")]
pub(crate) use odd::holds_only_fields;
pub(crate) use odd::{Fault, Odd, Wrong, before};
use std::ops::Range;

/// How a text begins. Offsets are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// Without frontmatter.
    Missing,
    /// With an opening fence at this offset, and no closing one.
    Unclosed { fence: usize },
    /// With frontmatter between two fences.
    Found(Parts),
    /// With frontmatter whose fences are wrong or missing, or that something stands before.
    Odd(Odd),
}

/// The parts of a text with frontmatter, as ranges of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The lines between the fences, including the line ending of the last one.
    pub(crate) yaml: Range<usize>,
    /// Everything after the closing fence's line.
    pub(crate) body: Range<usize>,
    /// Where the opening fence begins.
    pub(crate) first_fence: usize,
    /// Whether there is an HTML comment before the opening fence.
    pub(crate) after_comment: bool,
    /// Where the closing fence begins, if it has more than three dashes.
    pub(crate) loose_close: Option<usize>,
}

/// Splits a text at its fences, and finds frontmatter whose fences are wrong or missing.
pub(crate) fn split(text: &str) -> Split {
    // A line of dashes in the body is no fence.
    let is_fence = |yaml: &str| odd::holds_only_fields(yaml) || missed(yaml).is_some();
    match split_by(text, &is_fence) {
        Split::Missing => odd::odd(text).map_or(Split::Missing, Split::Odd),
        split => split,
    }
}

/// Splits a text at its fences alone: three dashes.
pub(crate) fn split_at_fences(text: &str) -> Split {
    split_by(text, &|_| false)
}

/// `is_fence` says whether a line with more than three dashes below this text closes the frontmatter if nothing else does.
fn split_by(text: &str, is_fence: &dyn Fn(&str) -> bool) -> Split {
    let Some((first_fence, after_comment)) = opening(text) else { return Split::Missing };
    let open_end = line_end(text, first_fence);
    let mut loose = None;
    let mut at = open_end;
    while at < text.len() {
        let end = line_end(text, at);
        match dashes(&text[at..end]) {
            Some(3) => return Split::Found(parts(text, (first_fence, open_end), (at, end), after_comment, None)),
            Some(more) if more > 3 && loose.is_none() => loose = Some((at, end)),
            _ => {}
        }
        at = end;
    }
    match loose.filter(|(at, _)| is_fence(&text[open_end..*at])) {
        Some(close) => Split::Found(parts(text, (first_fence, open_end), close, after_comment, Some(close.0))),
        None => Split::Unclosed { fence: first_fence },
    }
}

/// The frontmatter with its fences, if the file begins with it, both fences are plain `---` lines that end in LF, and
/// the body is ASCII without control characters other than LF. [`split`] finds the same frontmatter in these bytes as
/// in the whole file.
pub(crate) fn plain(bytes: &[u8]) -> Option<&[u8]> {
    const FENCE: &[u8] = b"---\n";
    let mut at = bytes.starts_with(FENCE).then_some(FENCE.len())?;
    while !bytes.get(at..)?.starts_with(FENCE) {
        at += find_byte(bytes.get(at..)?, b'\n')? + 1;
    }
    let (front, rest) = bytes.split_at_checked(at + FENCE.len())?;
    // The loop has no branch, so that the compiler can compare many bytes at once. As a signed number, a byte that is
    // not ASCII is less than a space too.
    let is_odd = |byte: u8| ((byte as i8) < b' ' as i8) & (byte != b'\n');
    (rest.iter().fold(0, |found, byte| found | u8::from(is_odd(*byte))) == 0).then_some(front)
}

fn parts(
    text: &str,
    open: (usize, usize),
    close: (usize, usize),
    after_comment: bool,
    loose_close: Option<usize>,
) -> Parts {
    Parts { yaml: open.1..close.0, body: close.1..text.len(), first_fence: open.0, after_comment, loose_close }
}

/// The offset of the opening fence, and whether there are comments before it.
fn opening(text: &str) -> Option<(usize, bool)> {
    let (start, after_comment) = content_start(text)?;
    let (before, rest) = text.split_at(start);
    let is_at_column_0 = before.is_empty() || before.ends_with('\n');
    let is_fence = dashes(&rest[..line_end(rest, 0)]) == Some(3);
    (is_at_column_0 && is_fence).then_some((start, after_comment))
}

/// Where the first line begins that contains more than white space and comments. 0 if a comment is not closed.
pub(crate) fn body_start(text: &str) -> usize {
    let start = content_start(text).map_or(0, |(start, _)| start);
    text[..start].rfind('\n').map_or(0, |found| found + 1)
}

/// The offset of the first character that is neither white space nor part of a comment, and whether there are comments
/// before it. `None` if a comment is not closed.
fn content_start(text: &str) -> Option<(usize, bool)> {
    let mut rest = text.trim_start();
    let mut after_comment = false;
    while rest.starts_with("<!--") {
        rest = rest.split_once("-->")?.1.trim_start();
        after_comment = true;
    }
    Some((text.len() - rest.len(), after_comment))
}

/// The number of dashes of a line that contains nothing else but trailing spaces and tabs.
fn dashes(line: &str) -> Option<usize> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches([' ', '\t']);
    (!line.is_empty() && line.bytes().all(|byte| byte == b'-')).then_some(line.len())
}

/// Where the line that begins at `start` ends, including its LF.
pub(crate) fn line_end(text: &str, start: usize) -> usize {
    find_byte(&text.as_bytes()[start..], b'\n').map_or(text.len(), |found| start + found + 1)
}

#[cfg(test)]
#[path = "../../tests/unit/frontmatter.rs"]
mod tests;
