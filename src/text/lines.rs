//! [`Source`]: the text of a file without its byte order mark and control characters, and the line and column in the
//! file of each byte of that text. Also small functions on lines. A lone carriage return does not end a line here.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

/// A line and a column of a file, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// The control characters that were removed from a file: the first one, and how many there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Control {
    pub(crate) at: Position,
    pub(crate) what: char,
    pub(crate) count: usize,
}

/// The text of a file as it is (raw), and without its byte order mark and control characters (cleaned).
///
/// Invariant: the cleaned text is the raw one without the mark and without the characters at `removed`.
#[derive(Clone, Debug)]
pub(crate) struct Source<'t> {
    raw: &'t str,
    text: Cow<'t, str>,
    /// The length of the byte order mark in bytes: 0 or 3. It takes no column.
    bom: usize,
    /// The offsets in the raw text of the removed control characters, ascending. Each is one byte long.
    removed: Vec<usize>,
    /// Made when the first position is asked for, as most files have no finding.
    index: OnceCell<Index>,
    line_bytes_left: Cell<usize>,
}

/// Makes the line and column of an offset cheap to find.
#[derive(Clone, Debug)]
struct Index {
    /// The offset in the raw text of each line's first byte.
    starts: Vec<usize>,
    /// The number of characters before each multiple of `STRIDE_BYTES`, so that a column costs the same on a long line.
    counts: Vec<usize>,
}

const STRIDE_BYTES: usize = 1024;

/// How many bytes of lines the findings of one file hold.
const LINES_BYTES: usize = 1_048_576;

impl<'t> Source<'t> {
    pub(crate) fn new(raw: &'t str) -> Source<'t> {
        let unmarked = raw.strip_prefix('\u{feff}').unwrap_or(raw);
        let bom = raw.len() - unmarked.len();
        let has_controls =
            has_below_space(unmarked) && unmarked.bytes().fold(false, |found, byte| found | is_removed(byte));
        let (mut text, mut removed) = (Cow::Borrowed(unmarked), Vec::new());
        if has_controls {
            text = unmarked.chars().filter(|&c| !u8::try_from(c).is_ok_and(is_removed)).collect();
            let controls = unmarked.bytes().enumerate().filter(|&(_, byte)| is_removed(byte));
            removed.extend(controls.map(|(at, _)| at + bom));
        }
        Source { raw, text, bom, removed, index: OnceCell::new(), line_bytes_left: Cell::new(LINES_BYTES) }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut starts = vec![self.bom];
            let ends = self.raw.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            starts.extend(ends.map(|(at, _)| at + 1));
            let (mut counts, mut count) = (vec![0], 0);
            for chunk in self.raw.as_bytes().chunks(STRIDE_BYTES) {
                count += characters(chunk);
                counts.push(count);
            }
            Index { starts, counts }
        })
    }

    pub(crate) fn has_byte_order_mark(&self) -> bool {
        self.bom > 0
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The cleaned text of the first bytes of the file, up to a character that is cut off.
    pub(crate) fn prefix(&self, raw_bytes: usize) -> &str {
        let removed = self.removed.partition_point(|&at| at < raw_bytes);
        let mut end = raw_bytes.saturating_sub(self.bom + removed).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        &self.text[..end]
    }

    pub(crate) fn control(&self) -> Option<Control> {
        let &at = self.removed.first()?;
        let what = self.raw[at..].chars().next()?;
        Some(Control { at: self.raw_position(at), what, count: self.removed.len() })
    }

    /// The position in the file of a byte of the cleaned text. An offset beyond the end is taken for the end.
    pub(crate) fn position(&self, at: usize) -> Position {
        self.raw_position(self.raw_offset(at))
    }

    /// The offset in the raw text of a byte of the cleaned text. An offset beyond the end is taken for the end.
    pub(crate) fn raw_offset(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        // `removed[i] - bom - i` is the offset in the cleaned text at which the i-th character is missing. It never
        // decreases as `i` rises, so it can be searched by halves.
        let mut low = 0;
        let mut high = self.removed.len();
        while low < high {
            let middle = low + (high - low) / 2;
            if self.removed[middle] <= at + self.bom + middle {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        at + self.bom + low
    }

    /// A line of the file without its ending; `number` counts from 1.
    pub(crate) fn line(&self, number: usize) -> Option<&str> {
        let start = *self.index().starts.get(number.checked_sub(1)?)?;
        let line = match self.index().starts.get(number) {
            Some(&next) => &self.raw[start..next - 1],
            None => return Some(&self.raw[start..]),
        };
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// A line of the file for a finding, while the findings may hold it: thousands of findings on one long line would each hold
    /// a copy.
    pub(crate) fn line_text(&self, number: usize) -> Option<String> {
        let line = self.line(number)?;
        self.line_bytes_left.set(self.line_bytes_left.get().checked_sub(line.len())?);
        Some(line.to_owned())
    }

    fn raw_position(&self, at: usize) -> Position {
        let starts = &self.index().starts;
        let begun = &starts[..starts.partition_point(|&start| start <= at)];
        // The first line begins behind the byte order mark.
        let start = begun.last().map_or(self.bom, |start| *start);
        Position { line: begun.len().max(1), column: self.characters_between(start, at.min(self.raw.len())) + 1 }
    }

    fn characters_between(&self, start: usize, end: usize) -> usize {
        if end.saturating_sub(start) < STRIDE_BYTES {
            return characters(self.raw.as_bytes().get(start..end).unwrap_or_default());
        }
        self.characters_before(end) - self.characters_before(start)
    }

    fn characters_before(&self, at: usize) -> usize {
        let stride = at / STRIDE_BYTES;
        self.index().counts[stride] + characters(&self.raw.as_bytes()[stride * STRIDE_BYTES..at])
    }
}

/// The text with LF in place of every CRLF; a lone carriage return stays (rule 4.2).
pub(crate) fn with_lf(text: &str) -> Cow<'_, str> {
    // The faster test comes first: 0.6, 1.1 and more instructions a byte.
    if has_below_space(text) && text.as_bytes().contains(&b'\r') && text.contains("\r\n") {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a text contains an ASCII control character other than LF, which is rare. DEL does not count. The loop has no
/// branch, so that the compiler can compare many bytes at once.
pub(crate) fn has_below_space(text: &str) -> bool {
    text.bytes().fold(0, |found, byte| found | u8::from((byte < b' ') & (byte != b'\n'))) != 0
}

/// The lines without their endings, each with the offset of its first byte.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at = if start < text.len() { line_end(text, start) } else { return None };
        let line = &text[start..at];
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some((start, line.strip_suffix('\r').unwrap_or(line)))
    })
}

/// Where the line that begins at `start` ends, including its LF.
pub(crate) fn line_end(text: &str, start: usize) -> usize {
    find_byte(&text.as_bytes()[start..], b'\n').map_or(text.len(), |found| start + found + 1)
}

/// The index of the first byte that is `wanted`. Compares eight bytes at a time, which for short lines is faster than
/// `str::find`.
pub(crate) fn find_byte(bytes: &[u8], wanted: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut rest = bytes;
    while let Some((word, after)) = rest.split_first_chunk() {
        let word = u64::from_le_bytes(*word) ^ (ONES * u64::from(wanted));
        // The lowest high bit that is set belongs to the first byte that has become 0.
        let zeros = word.wrapping_sub(ONES) & !word & HIGHS;
        if zeros != 0 {
            return Some(bytes.len() - rest.len() + zeros.trailing_zeros() as usize / 8);
        }
        rest = after;
    }
    rest.iter().position(|byte| *byte == wanted).map(|at| bytes.len() - rest.len() + at)
}

/// The valid text at the beginning of `bytes`, up to a character that their end cuts off if they are only the beginning
/// of a file (`is_partial`).
///
/// # Errors
/// The index of the first byte that is not UTF-8.
pub(crate) fn decode_utf8(bytes: &[u8], is_partial: bool) -> Result<&str, usize> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // No bytes have no chunk.
        Err(error) if is_partial && error.error_len().is_none() => {
            Ok(bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid()))
        }
        Err(error) => Err(error.valid_up_to()),
    }
}

/// NUL and the other C0 control characters except tab, LF and CR (rule 4.4).
fn is_removed(byte: u8) -> bool {
    (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r')
}

/// The number of characters that begin in these bytes of a UTF-8 text.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
#[path = "../../tests/unit/lines.rs"]
mod tests;
