//! In: any text. Out: the same text for a place where some of its characters would mean something else:
//! XML, a path shown to a reader, a listing of one row, a YAML scalar. Borrowed where nothing changes.
//! Absent: unescaping of XML, since nothing here reads XML.

mod invisible;

use invisible::{Neighbours, hides};
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

/// A key or path for a reader: what controls, ends a line, hides or turns the text is shown as `\u{…}`
/// (decisions 24). What looks like that already stays.
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

/// The text without control characters other than tab and newline, and without invisible or
/// bidirectional format characters, and whether any went. Joiners between letters of scripts that need
/// them, and between emoji, stay (decisions 24).
pub(crate) fn unhidden(text: &str) -> (Cow<'_, str>, bool) {
    let goes = |c: char| hides(c) || (c.is_control() && !matches!(c, '\t' | '\n'));
    if is_plain(text) || !text.contains(goes) {
        return (Cow::Borrowed(text), false);
    }
    let mut out = String::with_capacity(text.len());
    let mut kept = Neighbours::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !goes(c) || kept.need(c, chars.peek().copied()) {
            out.push(c);
            kept.push(c);
        }
    }
    let dropped = out.len() < text.len();
    (if dropped { Cow::Owned(out) } else { Cow::Borrowed(text) }, dropped)
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
    c.is_control() || hides(c) || matches!(c, '\u{2028}' | '\u{2029}')
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

/// The text with every character that is `hit` written by `write` instead.
fn replaced(text: &str, hit: impl Fn(char) -> bool, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let Some(first) = text.find(&hit) else {
        return Cow::Borrowed(text);
    };
    let (plain, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(plain);
    for c in rest.chars() {
        if hit(c) {
            write(c, &mut out);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
#[path = "../../tests/unit/escape.rs"]
mod tests;
