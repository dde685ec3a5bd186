//! Cuts a Markdown text at the end of a paragraph.

use super::lines::lines;
use super::markdown::fence_marker;

/// The longest beginning of a text that has at most this many bytes and ends with a whole paragraph; empty if not even the
/// first one fits. A fenced code block is never cut, whatever blank lines are in it.
pub(crate) fn whole_paragraphs(text: &str, at_most: usize) -> &str {
    if text.len() <= at_most {
        return text;
    }
    let mut fence: Option<&str> = None;
    // The ends of the last line that is not blank, and of the last paragraph that fits.
    let (mut end, mut kept) = (0, 0);
    for (start, line) in lines(text) {
        let is_blank = line.trim().is_empty();
        if is_blank && fence.is_none() {
            kept = end;
        }
        if !is_blank {
            end = start + line.len();
        }
        if at_most < end {
            return text.get(..kept).unwrap_or("");
        }
        fence = match (fence, fence_marker(line)) {
            (Some(open), Some((marker, info))) if marker.starts_with(open) && info.trim().is_empty() => None,
            (None, Some((marker, _))) => Some(marker),
            (fence, _) => fence,
        };
    }
    // Only blank lines at its end did not fit.
    text.get(..end).unwrap_or("")
}

#[cfg(test)]
#[path = "../../tests/unit/paragraphs.rs"]
mod tests;
