//! Escapes texts for XML, JSON, YAML, messages and rows of a listing. The result is borrowed if nothing changes. Which
//! characters are invisible, and which of them a sequence needs, is decided by the module `invisible`.

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

/// XML with all five escapes, including `'` (rule 11.9, daycare).
pub(crate) fn xml_all_five(text: &str) -> Cow<'_, str> {
    escaped(text, xml_entity, &['&', '<', '>', '"', '\''])
}

/// A text on one line for display, such as a key or a path: control characters, line ends, and characters that are
/// invisible or change the direction of the text are shown as `\u{…}` (rule 7.7). Invisible characters that an
/// emoji or a script needs are not changed. Neither is a `\u{…}` in the text.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    replaced(text, is_shown_by_number, |c, out| {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// Reverses [`visible`]: replaces every `\u{…}` that `visible` writes by its character.
pub(crate) fn reveal(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, opening) in text.match_indices("\\u{") {
        let number = at + opening.len();
        if let Some((c, length)) = shown_by_number(&text[number..]) {
            out.push_str(&text[copied..at]);
            out.push(c);
            copied = number + length;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The text without invisible characters, and without control characters other than tab and newline, except those that
/// an emoji or a script needs (rule 11.9); and whether it was changed. Characters that end a line in Unicode become
/// newlines, so that all lines are seen by whoever splits the text at newlines.
pub(crate) fn unhidden(text: &str) -> (Cow<'_, str>, bool) {
    let is_replaced = |c: char| hides(c) || (c.is_control() && !matches!(c, '\t' | '\n')) || is_line_end(c);
    if is_plain(text) {
        return (Cow::Borrowed(text), false);
    }
    let clean = replaced(text, is_replaced, |c, out| {
        if is_line_end(c) {
            out.push('\n');
        }
    });
    // The length may be the same, as a line end may be replaced by a newline of the same length.
    let changed = matches!(clean, Cow::Owned(_));
    (clean, changed)
}

/// The invisible characters of a text, except those that an emoji or a script needs, with their offsets.
pub(crate) fn hidden_characters(text: &str) -> Vec<(usize, char)> {
    let (mut found, mut removed) = (Vec::new(), 0);
    replaced(text, hides, |c, out| {
        found.push((out.len() + removed, c));
        removed += c.len_utf8();
    });
    found
}

/// A text on one line, without what [`unhidden`] removes and with single spaces, such as a name.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    // Nearly all names are plain.
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    match unhidden(text).0 {
        Cow::Borrowed(clean) => fold(clean),
        Cow::Owned(clean) => Cow::Owned(fold(&clean).into_owned()),
    }
}

/// Whether a character other than the newline ends a line or a paragraph: VT, FF, NEL, U+2028 and U+2029. A carriage
/// return does not; it belongs to the newline after it.
pub(crate) fn is_line_end(c: char) -> bool {
    matches!(c, '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text on one line: trimmed, with one space in place of every run of white space.
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

/// The text as a double-quoted YAML scalar on one line, without invisible characters.
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
            _ if !is_shown_by_number(c) && !is_noncharacter(c) => write!(out, "{c}"),
            '\0'..='\u{ff}' => write!(out, "\\x{:02x}", u32::from(c)),
            '\u{100}'..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(c)),
            _ => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push('"');
    out
}

/// The text as the inside of a JSON string. All characters are escaped that [`visible`] shows by number, not only those
/// that JSON requires, so that they are neither obeyed nor overlooked by whoever reads the JSON. The value is the same.
pub(crate) fn json_inside(text: &str) -> Cow<'_, str> {
    let is_mark = |c: char| matches!(c, '"' | '\\');
    // The loop has no branch, so that the compiler can compare many bytes at once.
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

/// Whether an ASCII character occurs twice in a row.
pub(crate) fn has_pair(text: &str, twice: u8) -> bool {
    let bytes = text.as_bytes();
    let Some((_, next)) = bytes.split_first() else { return false };
    bytes.iter().zip(next).fold(0, |found, (a, b)| found | u8::from((*a == twice) & (*b == twice))) != 0
}

/// Whether the text is printable ASCII. The loop has no branch, so that the compiler can compare many bytes at once.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(0, |odd, byte| odd | u8::from(!matches!(byte, b' '..=b'~'))) == 0
}

fn is_shown_by_number(c: char) -> bool {
    c.is_control() || hides(c) || is_line_end(c)
}

/// Whether YAML counts a character as unprintable that is neither a control character nor invisible.
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Reads the `a}` of a `\u{a}` that [`visible`] may have written: the character, and the number of bytes read.
fn shown_by_number(text: &str) -> Option<(char, usize)> {
    let length = text.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    let (digits, after) = text.split_at(length);
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    (after.starts_with('}') && is_shown_by_number(c)).then_some((c, length + 1))
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
    // Very few texts contain any of them. The loop has no branch, so that the compiler can compare many bytes at once.
    let is_mark = |byte: u8| (byte == b'&') | (byte == b'<') | (byte == b'>') | (byte == b'"') | (byte == b'\'');
    if text.bytes().fold(0, |found, byte| found | u8::from(is_mark(byte))) == 0 {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| is_mark(*byte)) {
        let mark = char::from(byte);
        if special.contains(&mark) {
            out.push_str(&text[copied..at]);
            out.push_str(entity(mark));
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Applies a function that borrows unchanged texts to a text that may be owned.
pub(crate) fn mapped<'t>(text: Cow<'t, str>, map: impl for<'a> Fn(&'a str) -> Cow<'a, str>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => map(text),
        Cow::Owned(text) => match map(&text) {
            // A borrowed result may be a part of the text.
            Cow::Borrowed(same) if same.len() == text.len() => Cow::Owned(text),
            other => Cow::Owned(other.into_owned()),
        },
    }
}

/// The text with every character replaced for which `hit` is true, except invisible ones that a sequence needs; `write`
/// writes the replacement. What is needed depends on what was written before, so that replacing is idempotent. The
/// result is borrowed if nothing was replaced.
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
        (_, rest) = from.split_at(needed.len());
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
