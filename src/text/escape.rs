//! In: any text. Out: the same text for a place where some of its characters would mean something else:
//! XML, a path shown to a reader, a listing of one row, a YAML scalar. Borrowed where nothing changes.
//! Absent: unescaping of XML, since nothing here reads XML.
//!
//! Which characters are invisible, and which of them a sequence needs, is decided in `invisible` alone.

mod invisible;

pub(crate) use invisible::hides;

use invisible::Kept;
use std::borrow::Cow;
use std::fmt::Write as _;

/// XML text: `&`, `<` and `>` are escaped.
pub(crate) fn xml_text(text: &str) -> Cow<'_, str> {
    escaped(text, xml_entity, &['&', '<', '>'])
}

/// An XML attribute in double quotes: `"` is escaped too.
pub(crate) fn xml_attribute(text: &str) -> Cow<'_, str> {
    escaped(text, xml_entity, &['&', '<', '>', '"'])
}

/// XML with all five escapes, `'` among them (decisions 24, daycare).
pub(crate) fn xml_all_five(text: &str) -> Cow<'_, str> {
    escaped(text, xml_entity, &['&', '<', '>', '"', '\''])
}

/// A text on one line for a reader, such as a key or a path: controls, line ends, and characters that are invisible or
/// turn the direction of the text are shown as `\u{…}` (decisions 24). Invisible characters that an emoji or a script
/// needs stay as they are. What looks like `\u{…}` already stays.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    replaced(text, is_shown_by_number, |c, out| {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// The way back from [`visible`]: `\u{…}` of a character that `visible` would have shown so becomes it.
pub(crate) fn reveal(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, opening) in text.match_indices("\\u{") {
        let rest = text.get(at + opening.len()..).unwrap_or("");
        if let Some((c, used)) = shown_by_number(rest) {
            out.push_str(text.get(copied..at).unwrap_or(""));
            out.push(c);
            copied = at + opening.len() + used;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or(""));
    Cow::Owned(out)
}

/// The text as a listing may show it, and whether it differs from what was written. Control characters other than tab
/// and newline and invisible characters are dropped, except those that an emoji or a script needs (decisions 24).
/// Characters that end a line in Unicode become newlines, so that whoever splits lines sees them all.
pub(crate) fn unhidden(text: &str) -> (Cow<'_, str>, bool) {
    let goes = |c: char| hides(c) || (c.is_control() && !matches!(c, '\t' | '\n')) || is_line_end(c);
    if is_plain(text) {
        return (Cow::Borrowed(text), false);
    }
    let clean = replaced(text, goes, |c, out| {
        if is_line_end(c) {
            out.push('\n');
        }
    });
    // A line end may be replaced by a newline of the same length, so the length alone does not tell.
    let changed = matches!(clean, Cow::Owned(_));
    (clean, changed)
}

/// A character besides the newline that ends a line or a paragraph: VT, FF, NEL, U+2028 and U+2029. A carriage return
/// is none: it belongs to the newline after it, and is dropped as the control character that it is.
pub(crate) fn is_line_end(c: char) -> bool {
    matches!(c, '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text on one line: every run of white space is one space, none at the ends.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    if is_plain(trimmed) && !has_pair(trimmed, b' ') {
        return Cow::Borrowed(trimmed);
    }
    let mut after_space = false;
    let folded = trimmed.chars().all(|c| {
        let fine = !c.is_whitespace() || (c == ' ' && !after_space);
        after_space = c.is_whitespace();
        fine
    });
    if folded {
        return Cow::Borrowed(trimmed);
    }
    let mut out = String::with_capacity(trimmed.len());
    for word in trimmed.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

/// A double-quoted YAML scalar on one line that reads back as exactly this text, every character seen.
pub(crate) fn quote_yaml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        // Writing to a `String` cannot fail.
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            _ if !is_shown_by_number(c) && !is_no_character(c) => write!(out, "{c}"),
            '\0'..='\u{ff}' => write!(out, "\\x{:02x}", u32::from(c)),
            '\u{100}'..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(c)),
            _ => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push('"');
    out
}

/// The inside of a JSON string. Besides what JSON asks for, everything is escaped that [`visible`] shows by number, so that
/// no reader of the JSON obeys or misses it; the value is the same.
pub(crate) fn json_inside(text: &str) -> Cow<'_, str> {
    let is_mark = |c: char| matches!(c, '"' | '\\');
    // As in `is_plain`: without a branch a byte.
    let is_odd = |byte: u8| !matches!(byte, b' '..=b'~') | (byte == b'"') | (byte == b'\\');
    if text.bytes().fold(0, |odd, byte| odd | u8::from(is_odd(byte))) == 0 {
        return Cow::Borrowed(text);
    }
    replaced(
        text,
        |c| is_mark(c) || is_shown_by_number(c),
        |c, out| {
            // Writing to a `String` cannot fail.
            let _ = match c {
                '\n' => write!(out, "\\n"),
                '\r' => write!(out, "\\r"),
                '\t' => write!(out, "\\t"),
                '"' | '\\' => write!(out, "\\{c}"),
                _ => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}")),
            };
        },
    )
}

/// Whether an ASCII character stands twice in a row.
pub(crate) fn has_pair(text: &str, twice: u8) -> bool {
    let bytes = text.as_bytes();
    let next = bytes.get(1..).unwrap_or_default();
    bytes.iter().zip(next).fold(0, |found, (a, b)| found | u8::from((*a == twice) & (*b == twice))) != 0
}

/// Whether all is printable ASCII. Without a branch a byte, so that it is many bytes at a time.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(0, |odd, byte| odd | u8::from(!matches!(byte, b' '..=b'~'))) == 0
}

fn is_shown_by_number(c: char) -> bool {
    c.is_control() || hides(c) || is_line_end(c)
}

/// The two that YAML counts as unprintable.
fn is_no_character(c: char) -> bool {
    matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Reads `a}` of `\u{a}`: the character, and how many bytes it took.
fn shown_by_number(rest: &str) -> Option<(char, usize)> {
    let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    let after = rest.get(digits..)?;
    let c = char::from_u32(u32::from_str_radix(rest.get(..digits)?, 16).ok()?)?;
    (after.starts_with('}') && is_shown_by_number(c)).then_some((c, digits + 1))
}

fn xml_entity(c: char) -> &'static str {
    match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        _ => "&apos;",
    }
}

fn escaped<'t>(text: &'t str, entity: fn(char) -> &'static str, special: &[char]) -> Cow<'t, str> {
    // Nearly no text has any of them. Without a branch a byte, so that it is many bytes at a time.
    let is_mark = |byte: u8| (byte == b'&') | (byte == b'<') | (byte == b'>') | (byte == b'"') | (byte == b'\'');
    if text.bytes().fold(0, |found, byte| found | u8::from(is_mark(byte))) == 0 {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| is_mark(*byte)) {
        let mark = char::from(byte);
        if special.contains(&mark) {
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push_str(entity(mark));
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// What a function that borrows where it changes nothing makes of a text that may be owned.
pub(crate) fn mapped<'t>(text: Cow<'t, str>, map: impl for<'a> Fn(&'a str) -> Cow<'a, str>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => map(text),
        Cow::Owned(text) => match map(&text) {
            // It may be a part of it.
            Cow::Borrowed(same) if same.len() == text.len() => Cow::Owned(text),
            other => Cow::Owned(other.into_owned()),
        },
    }
}

/// The text with every character that is `hit` written by `write` instead, except invisible ones that a sequence needs.
/// What is needed is decided by what was written before it, so that doing this twice is doing it once. Borrowed where
/// nothing was replaced.
fn replaced(text: &str, hit: impl Fn(char) -> bool, mut write: impl FnMut(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(&hit) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut kept, mut changed) = (Kept::default(), false);
    let mut rest = text;
    while let Some(at) = rest.find(&hit) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let needed = kept.needed(&out, from);
        out.push_str(needed);
        rest = from.get(needed.len()..).unwrap_or_default();
        if needed.is_empty() {
            let mut chars = rest.chars();
            chars.next().into_iter().for_each(|c| write(c, &mut out));
            rest = chars.as_str();
            changed = true;
        }
    }
    out.push_str(rest);
    if changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
#[path = "../../tests/unit/escape.rs"]
mod tests;
