//! In: text from files and arguments. Out: the same, fit for a terminal, and its width in columns.
//! Absent: wrapping.

use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Controls, line ends, and characters that are invisible or turn the text round, as `\u{…}`. Joiners stay.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.is_control() || is_hidden(c))
}

/// One line: white space folded to single spaces, the rest as [`escaped`].
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    if is_plain(text) && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ") {
        return Cow::Borrowed(text);
    }
    let plain = text.trim() == text && !text.contains("  ") && !text.contains(|c: char| c.is_whitespace() && c != ' ');
    if plain {
        return escaped(text);
    }
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Cow::Owned(escaped(&folded).into_owned())
}

/// Many lines: control characters other than tab and newline as `\u{…}`, nothing else changed.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.is_control() && c != '\n' && c != '\t')
}

/// How many columns the text takes.
pub(crate) fn width(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.width() }
}

/// The text in at most so many columns: whole, or its beginning and `…`.
pub(crate) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if text.len() <= columns || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let (mut taken, mut end) = (0, 0);
    for (at, c) in text.char_indices() {
        let wide = c.width().unwrap_or(0);
        // What has no width of its own stays with what it stands on.
        if wide > 0 {
            end = at;
        }
        if taken + wide + 1 > columns {
            break;
        }
        taken += wide;
    }
    let kept = text.get(..end).unwrap_or_default().trim_end_matches('\u{200d}').trim_end();
    Cow::Owned(format!("{kept}…"))
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Whether all is printable ASCII, a column a byte. Without a branch a byte, so that it is many bytes at a time.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(0, |odd, byte| odd | u8::from(!matches!(byte, b' '..=b'~'))) == 0
}

fn escape(text: &str, hide: impl Fn(char) -> bool) -> Cow<'_, str> {
    if is_plain(text) || !text.contains(&hide) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hide(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Zero-width joiners are not hidden: scripts and emoji need them, and they turn nothing round.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
