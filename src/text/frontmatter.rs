//! In: a file's cleaned text. Out: where its YAML and its body are, or why there is none (decisions 2).
//! Pure splitting: `text[..yaml.start] + yaml + text[yaml.end..body.start] + body` is the text.
//! Absent: reading the YAML, and findings.

mod odd;

use super::lines::find_byte;
pub(crate) use odd::{Fault, Odd, Wrong, before};
use std::ops::Range;

/// What a text's beginning is. Offsets are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// The first line with anything on it is no fence.
    Missing,
    /// The fence at this offset is never closed.
    Unclosed { fence: usize },
    /// Two fences.
    Found(Parts),
    /// A frontmatter that does not begin the file with `---`.
    Odd(Odd),
}

/// A text with frontmatter, in ranges of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The lines between the fences, with the last one's line ending.
    pub(crate) yaml: Range<usize>,
    /// Everything after the closing fence's line.
    pub(crate) body: Range<usize>,
    /// Where the opening fence begins.
    pub(crate) first_fence: usize,
    /// An HTML comment stands before the opening fence.
    pub(crate) after_comment: bool,
    /// Where a closing line of more than three dashes begins, if that is what closes.
    pub(crate) loose_close: Option<usize>,
}

/// Splits a text at its fences.
pub(crate) fn split(text: &str) -> Split {
    let Some((first_fence, after_comment)) = opening(text) else {
        return odd::odd(text).map_or(Split::Missing, Split::Odd);
    };
    let open_end = line_end(text, first_fence);
    let mut loose = None;
    let mut at = open_end;
    while at < text.len() {
        let end = line_end(text, at);
        match dashes(text, at, end) {
            Some(3) => return Split::Found(parts(text, (first_fence, open_end), (at, end), after_comment, None)),
            Some(more) if more > 3 && loose.is_none() => loose = Some((at, end)),
            _ => {}
        }
        at = end;
    }
    match loose {
        Some(close) => Split::Found(parts(text, (first_fence, open_end), close, after_comment, Some(close.0))),
        None => Split::Unclosed { fence: first_fence },
    }
}

/// The bytes up to the end of the closing fence of a file of the plainest kind: the fences are bare lines, the first one
/// its first, and all behind them is ASCII without control characters but line feeds. What [`split`] says of the frontmatter it says of these alone.
pub(crate) fn plain(bytes: &[u8]) -> Option<&[u8]> {
    const FENCE: &[u8] = b"---\n";
    let mut at = bytes.starts_with(FENCE).then_some(FENCE.len())?;
    while !bytes.get(at..)?.starts_with(FENCE) {
        at += find_byte(bytes.get(at..)?, b'\n')? + 1;
    }
    let (front, rest) = bytes.split_at_checked(at + FENCE.len())?;
    // Without an early way out, this looks at many bytes at once; as a signed number, what is no ASCII is below a blank too.
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

/// The offset of the opening fence, and whether comments were passed over to reach it.
fn opening(text: &str) -> Option<(usize, bool)> {
    let (inked, after_comment) = ink(text)?;
    // At column 0: nothing but a line ending, or the text's beginning, right before it.
    let at_column_0 = inked == 0 || text.get(..inked)?.ends_with('\n');
    let is_fence = dashes(text, inked, line_end(text, inked)) == Some(3);
    (at_column_0 && is_fence).then_some((inked, after_comment))
}

/// Where the first line begins that holds more than blanks and comments, or the text's beginning.
pub(crate) fn body_start(text: &str) -> usize {
    let inked = ink(text).map_or(0, |(inked, _)| inked);
    text.get(..inked).and_then(|before| before.rfind('\n')).map_or(0, |found| found + 1)
}

/// The first character that is neither white space nor part of a comment, and whether comments were passed over.
fn ink(text: &str) -> Option<(usize, bool)> {
    let mut at = 0;
    let mut after_comment = false;
    loop {
        let rest = text.get(at..)?;
        let inked = at + (rest.len() - rest.trim_start().len());
        if !text.get(inked..)?.starts_with("<!--") {
            return Some((inked, after_comment));
        }
        at = inked + text.get(inked..)?.find("-->")? + "-->".len();
        after_comment = true;
    }
}

/// How many dashes a line is, if it is nothing but dashes at column 0 and trailing blanks.
fn dashes(text: &str, start: usize, end: usize) -> Option<usize> {
    let line = text.get(start..end)?;
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches([' ', '\t']);
    (!line.is_empty() && line.bytes().all(|byte| byte == b'-')).then_some(line.len())
}

/// Where the line that begins at `start` ends, its line feed included.
fn line_end(text: &str, start: usize) -> usize {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    find_byte(rest, b'\n').map_or(text.len(), |found| start + found + 1)
}

#[cfg(test)]
#[path = "../../tests/unit/frontmatter.rs"]
mod tests;
