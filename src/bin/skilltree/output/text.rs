//! In: text from files and arguments. Out: the same, fit for a terminal, and its width in columns.
//! Absent: wrapping.

use skilltree::visible;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// One line: white space folded to single spaces, the rest as [`visible`] shows it.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    if is_plain(text) && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ") {
        return Cow::Borrowed(text);
    }
    let plain = text.trim() == text && !text.contains("  ") && !text.contains(|c: char| c.is_whitespace() && c != ' ');
    if plain {
        return visible(text);
    }
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Cow::Owned(visible(&folded).into_owned())
}

/// Many lines: newlines and tabs stay, the rest is as [`visible`] shows it.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    let is_kept = |c| matches!(c, '\n' | '\t');
    let parts = || text.split_inclusive(is_kept).map(|part| part.split_at(part.trim_end_matches(is_kept).len()));
    if parts().all(|(inside, _)| matches!(visible(inside), Cow::Borrowed(_))) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(parts().flat_map(|(inside, end)| [visible(inside), Cow::Borrowed(end)]).collect())
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
    let mut kept = text.get(..end).unwrap_or_default();
    // Some characters are wider together than each by itself.
    while columns < width(kept) + 1 {
        let Some((last, _)) = kept.char_indices().next_back() else { break };
        kept = kept.get(..last).unwrap_or_default();
    }
    let kept = kept.trim_end_matches('\u{200d}').trim_end();
    Cow::Owned(format!("{kept}…"))
}

/// The text with each of its lines in at most so many columns.
pub(crate) fn cut_lines(text: &str, columns: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| cut(&visible(line), columns).into_owned()).collect();
    lines.join("\n")
}

/// A path, whose end says the most, in at most so many columns: whole, or `…` and its end.
pub(crate) fn cut_path(path: &str, columns: usize) -> Cow<'_, str> {
    if width(path) <= columns {
        return Cow::Borrowed(path);
    }
    let ends = path.char_indices().map(|(at, _)| path.get(at..).unwrap_or_default());
    let kept = ends.into_iter().find(|end| width(end) < columns).unwrap_or_default();
    Cow::Owned(format!("…{kept}"))
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Whether all is printable ASCII, a column a byte. Without a branch a byte, so that it is many bytes at a time.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(0, |odd, byte| odd | u8::from(!matches!(byte, b' '..=b'~'))) == 0
}
