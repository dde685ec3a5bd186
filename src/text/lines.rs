//! In: a file's text. Out: the text that the readers work on, and the way back from it to line and column of the file.
//! Dropped on the way: one leading byte order mark, and control characters that YAML and terminals choke on.
//! Absent: any judgement on what was dropped; a lone carriage return ends no line here.

use std::borrow::Cow;
use std::cell::OnceCell;

/// A line and a column of a file, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// The control characters that a file lost: the first one, and how many there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Control {
    pub(crate) at: Position,
    pub(crate) what: char,
    pub(crate) count: usize,
}

/// A file's text as it is, and as the readers see it.
///
/// Invariant: the cleaned text is the raw one without the mark and without the characters at `dropped`.
#[derive(Clone, Debug)]
pub(crate) struct Source<'t> {
    raw: &'t str,
    text: Cow<'t, str>,
    /// Bytes of the dropped byte order mark: 0 or 3. It takes no column.
    bom: usize,
    /// Raw offsets of the dropped controls, ascending; each is one byte.
    dropped: Vec<usize>,
    /// Made when the first place is asked for: most files have no finding.
    index: OnceCell<Index>,
}

/// What makes a place cheap to find.
#[derive(Clone, Debug)]
struct Index {
    /// Raw offset of each line's first byte.
    starts: Vec<usize>,
    /// Characters before each multiple of `STRIDE_BYTES`, so that a column costs the same on a very long line.
    counts: Vec<usize>,
}

const STRIDE_BYTES: usize = 1024;

impl<'t> Source<'t> {
    pub(crate) fn new(raw: &'t str) -> Source<'t> {
        let bom = if raw.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let kept = raw.get(bom..).unwrap_or_default();
        let has_controls = has_below_blank(kept) && kept.bytes().fold(false, |found, byte| found | is_dropped(byte));
        let dropped: Vec<usize> = if has_controls {
            kept.bytes().enumerate().filter(|&(_, byte)| is_dropped(byte)).map(|(at, _)| at + bom).collect()
        } else {
            Vec::new()
        };
        let text = if has_controls {
            Cow::Owned(kept.chars().filter(|&c| !u8::try_from(c).is_ok_and(is_dropped)).collect())
        } else {
            Cow::Borrowed(kept)
        };
        Source { raw, text, bom, dropped, index: OnceCell::new() }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut starts = vec![self.bom];
            let ends = self.raw.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
            starts.extend(ends.map(|(at, _)| at + 1));
            let mut counts = vec![0];
            for chunk in self.raw.as_bytes().chunks(STRIDE_BYTES) {
                counts.push(counts.last().copied().unwrap_or_default() + characters(chunk));
            }
            Index { starts, counts }
        })
    }

    /// The text without what was dropped.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The first control character that was dropped, if any was.
    pub(crate) fn control(&self) -> Option<Control> {
        let &first = self.dropped.first()?;
        let what = self.raw.get(first..)?.chars().next()?;
        Some(Control { at: self.raw_position(first), what, count: self.dropped.len() })
    }

    /// The place in the file of a byte of the cleaned text; beyond its end, the end.
    pub(crate) fn position(&self, at: usize) -> Position {
        let at = at.min(self.text.len());
        // `dropped[i] - bom - i` is where the cleaned text closed over the i-th dropped character; it never decreases.
        let mut low = 0;
        let mut high = self.dropped.len();
        while low < high {
            let middle = low + (high - low) / 2;
            match self.dropped.get(middle) {
                Some(&raw) if raw <= at + self.bom + middle => low = middle + 1,
                _ => high = middle,
            }
        }
        self.raw_position(at + self.bom + low)
    }

    /// A line of the file without its ending.
    pub(crate) fn line(&self, number: usize) -> Option<&str> {
        let start = *self.index().starts.get(number.checked_sub(1)?)?;
        let line = match self.index().starts.get(number) {
            Some(&next) => self.raw.get(start..next - 1)?,
            None => return self.raw.get(start..),
        };
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    fn raw_position(&self, at: usize) -> Position {
        let line = self.index().starts.partition_point(|&start| start <= at).max(1);
        let start = self.index().starts.get(line - 1).copied().unwrap_or_default();
        Position { line, column: self.characters_before(at).saturating_sub(self.characters_before(start)) + 1 }
    }

    fn characters_before(&self, at: usize) -> usize {
        let at = at.min(self.raw.len());
        let stride = at / STRIDE_BYTES;
        let rest = self.raw.as_bytes().get(stride * STRIDE_BYTES..at).unwrap_or_default();
        self.index().counts.get(stride).copied().unwrap_or_default() + characters(rest)
    }
}

/// The text with every CRLF as LF; a lone carriage return stays (decisions 1).
pub(crate) fn with_lf(text: &str) -> Cow<'_, str> {
    // One byte is looked for faster than two.
    if text.as_bytes().contains(&b'\r') && text.contains("\r\n") {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a text has anything below a blank but LF, which most have not. Without a branch a byte, so that it is many
/// bytes at a time.
pub(crate) fn has_below_blank(text: &str) -> bool {
    text.bytes().fold(0, |found, byte| found | u8::from((byte < b' ') & (byte != b'\n'))) != 0
}

/// The lines without their endings, each with its first byte.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (start, line.strip_suffix('\r').unwrap_or(line))
    })
}

/// Where a byte comes first. Eight at a time: most lines are short, and `find` has its price for each of them.
pub(crate) fn find_byte(bytes: &[u8], wanted: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let chunks = bytes.chunks_exact(8);
    let rest = chunks.remainder();
    for (n, chunk) in chunks.enumerate() {
        let word = chunk.try_into().map_or(0, u64::from_le_bytes) ^ (ONES * u64::from(wanted));
        // The lowest high bit that is set belongs to the first byte that has become 0.
        let zeros = word.wrapping_sub(ONES) & !word & HIGHS;
        if zeros != 0 {
            return Some(8 * n + zeros.trailing_zeros() as usize / 8);
        }
    }
    rest.iter().position(|byte| *byte == wanted).map(|at| bytes.len() - rest.len() + at)
}

/// NUL and the other C0 controls but tab, LF and CR (decisions 3).
fn is_dropped(byte: u8) -> bool {
    (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r')
}

/// How many characters begin in these bytes of a UTF-8 text.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
#[path = "../../tests/unit/lines.rs"]
mod tests;
