//! Finds in a text what a reader does not see or cannot read: invisible characters, text behind a long blank run, and encoded
//! data. These are facts: each of them has honest uses.

use crate::text::escape::hidden_characters;
use std::ops::Range;

/// How many blanks in one line, or blank lines, a reader may take for the end. Texts are aligned with fewer.
const BLANKS: usize = 100;
const BLANK_LINES: usize = 30;
/// From this length on, letters and digits without a space are taken for encoded data. A SHA-512 in hexadecimal digits has 128
/// characters and is no instruction; names and paths are shorter.
const ENCODED_CHARS: usize = 129;
/// How many characters a line has at least that is one of several lines of encoded data. MIME and PEM use 64 and 76.
const ENCODED_LINE_CHARS: usize = 60;
/// How many escapes such as `\x41` in a row are taken for encoded data.
const ESCAPES: usize = 33;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unseen {
    pub(crate) what: What,
    pub(crate) first: Range<usize>,
    /// How many characters are concerned in all places; for [`What::AfterBlanks`], how many places there are.
    pub(crate) count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Characters that are invisible or change the direction of the text, and that no emoji or script needs.
    Invisible(char),
    /// Text behind so many blanks or blank lines that a reader may not expect any.
    AfterBlanks,
    /// Base64 or hexadecimal digits, of more than a line.
    Encoded,
}

/// What a reader of the text does not see, each kind once. Takes time in proportion to the text.
pub(crate) fn unseen(text: &str) -> Vec<Unseen> {
    let mut found = Vec::new();
    // A byte order mark is no part of the text.
    let mut hidden = hidden_characters(text).into_iter().filter(|(at, c)| *at > 0 || *c != '\u{feff}');
    if let Some((at, c)) = hidden.next() {
        found.push(Unseen { what: What::Invisible(c), first: at..at + c.len_utf8(), count: 1 + hidden.count() });
    }
    found.extend(after_blanks(text));
    found.extend(encoded(text));
    found
}

fn after_blanks(text: &str) -> Option<Unseen> {
    let (mut places, mut blanks, mut blank_lines, mut is_blank_line) = (Vec::new(), 0, 0, true);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => {
                blank_lines = if is_blank_line { blank_lines + 1 } else { 0 };
                (blanks, is_blank_line) = (0, true);
            }
            _ if c.is_whitespace() => blanks += 1,
            _ => {
                // At the beginning there is nothing before the blanks to take for all.
                if blanks >= BLANKS || (is_blank_line && blank_lines >= BLANK_LINES) {
                    places.push(at);
                }
                (blanks, is_blank_line) = (0, false);
            }
        }
    }
    let first = *places.first()?;
    let end = text.get(first..)?.find(['\n', '\r']).map_or(text.len(), |length| first + length);
    Some(Unseen { what: What::AfterBlanks, first: first..end, count: places.len() })
}

fn encoded(text: &str) -> Option<Unseen> {
    let (mut first, mut count): (Option<Range<usize>>, usize) = (None, 0);
    let mut add = |place: Range<usize>| {
        count += place.len();
        first.get_or_insert(place);
    };
    // The lines of encoded data before the current line: where they are, and how many.
    let mut block: Option<(Range<usize>, usize)> = None;
    let mut start = 0;
    // The last line, which is empty, ends the last block.
    for line in text.split_inclusive('\n').chain([""]) {
        let inked = line.trim();
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        if inked.len() >= ENCODED_LINE_CHARS && is_encoded(inked) {
            let (begin, lines) = block.map_or((at, 0), |(place, lines)| (place.start, lines));
            block = Some((begin..at + inked.len(), lines + 1));
            continue;
        }
        // The last line of a block is shorter.
        if let Some((place, _)) = block.take().filter(|(place, lines)| *lines > 1 || place.len() >= ENCODED_CHARS) {
            add(place);
        }
        for place in words(inked) {
            add(at + place.start..at + place.end);
        }
    }
    first.map(|first| Unseen { what: What::Encoded, first, count })
}

fn words(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for word in line.split(|c: char| !is_base64(c)) {
        if word.len() >= ENCODED_CHARS && is_encoded(word) {
            found.push(start..start + word.len());
        }
        // The character that ends a word may have several bytes.
        start += word.len();
        start += line.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    let mut rest = 0;
    while let Some(at) = line.get(rest..).and_then(|part| part.find("\\x")).map(|at| rest + at) {
        let is_escape =
            |bytes: &[u8]| matches!(bytes, [b'\\', b'x', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
        let number =
            line.as_bytes().get(at..).unwrap_or_default().chunks(4).take_while(|bytes| is_escape(bytes)).count();
        if number >= ESCAPES {
            found.push(at..at + 4 * number);
        }
        rest = at + (4 * number).max(2);
    }
    found
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

/// Whether a text without spaces is base64 or hexadecimal digits rather than a word, a number or a path.
fn is_encoded(text: &str) -> bool {
    let has = |is_one: fn(&u8) -> bool| text.bytes().any(|byte| is_one(&byte));
    let (digits, lower, upper) = (has(u8::is_ascii_digit), has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    let is_hexadecimal = digits && (lower || upper) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    // In base64 one character in 64 is a `/`; in a path, more than one in twelve.
    let is_no_path = text.matches('/').count() * 12 < text.len();
    is_hexadecimal || (digits && lower && upper && is_no_path && text.chars().all(is_base64))
}

#[cfg(test)]
#[path = "../../tests/unit/unseen.rs"]
mod tests;
