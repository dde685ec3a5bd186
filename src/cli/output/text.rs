//! Prepares text from files and arguments for a terminal, and measures its width.

use skilltree::visible;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A message on one line, escaped by [`visible`]: its line breaks become spaces, and other blanks stay, as names and paths have them.
pub(crate) fn one_line(message: &str) -> Cow<'_, str> {
    if !message.contains(['\n', '\r']) {
        return visible(message);
    }
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Cow::Owned(visible(&lines.join(" ")).into_owned())
}

/// The text on one line: white space becomes single spaces, and the rest is escaped by [`visible`].
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

/// The text on several lines: newlines and tabs are preserved, and the rest is escaped by [`visible`].
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    let is_kept = |c| matches!(c, '\n' | '\t');
    let parts = || text.split_inclusive(is_kept).map(|part| part.split_at(part.trim_end_matches(is_kept).len()));
    if parts().all(|(inside, _)| matches!(visible(inside), Cow::Borrowed(_))) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(parts().flat_map(|(inside, end)| [visible(inside), Cow::Borrowed(end)]).collect())
}

/// The width of the text in columns.
pub(crate) fn width(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.width() }
}

/// Cuts the text to a number of columns; a cut text ends in `…`.
pub(crate) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if text.len() <= columns || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let (mut taken, mut end) = (0, 0);
    for (at, c) in text.char_indices() {
        let wide = c.width().unwrap_or(0);
        // Characters without a width belong to the character before them.
        if wide > 0 {
            end = at;
        }
        if taken + wide + 1 > columns {
            break;
        }
        taken += wide;
    }
    let (mut kept, _) = text.split_at(end);
    // Some characters are wider in combination than separately.
    while columns < width(kept) + 1 {
        let Some((last, _)) = kept.char_indices().next_back() else { break };
        (kept, _) = kept.split_at(last);
    }
    let kept = kept.trim_end_matches('\u{200d}').trim_end();
    Cow::Owned(format!("{kept}…"))
}

/// Cuts each line of the text to a number of columns.
pub(crate) fn cut_lines(text: &str, columns: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| cut(&visible(line), columns).into_owned()).collect();
    lines.join("\n")
}

/// Cuts the beginning of a path, whose end is more informative; a cut path begins with `…`. It is cut before a `/` if at
/// least its last name fits.
pub(crate) fn cut_path(path: &str, columns: usize) -> Cow<'_, str> {
    if width(path) <= columns {
        return Cow::Borrowed(path);
    }
    let mut ends = path.char_indices().map(|(at, _)| path.split_at(at).1).filter(|end| width(end) < columns);
    let longest = ends.next().unwrap_or_default();
    let at = longest.find('/').filter(|at| at + 1 < longest.len());
    let kept = at.map_or(longest, |at| longest.split_at(at).1);
    Cow::Owned(format!("…{kept}"))
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Whether the text is printable ASCII, one column per byte. A fold without branches is vectorized.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(0, |odd, byte| odd | u8::from(!matches!(byte, b' '..=b'~'))) == 0
}
