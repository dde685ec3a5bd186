//! The parts of Markdown that the server needs: headings, links and code spans, by places in a whole document; and text
//! from files made safe for Markdown.

use crate::percent;
use skilltree::author::Outline;
use skilltree::visible;
use std::borrow::Cow;
use std::ops::Range;

/// A heading: its level, its text, and the bytes of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) text: String,
    pub(super) line: Range<usize>,
}

/// The lines from a byte on that are not fenced code, each with the place of its first byte.
pub(super) fn prose(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    Outline::prose(text.get(from..).unwrap_or_default()).map(move |(start, line)| (start + from, line))
}

/// The headings that begin with `#`.
pub(super) fn headings(text: &str, from: usize) -> Vec<Heading> {
    let heading = |(start, line): (usize, &str)| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let level = line[indent..].bytes().take_while(|byte| *byte == b'#').count();
        let rest = &line[indent + level..];
        let is_heading = indent < 4 && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
        let text = rest.trim().trim_end_matches('#').trim_end();
        is_heading.then(|| Heading { level, text: text.to_owned(), line: start..start + line.len() })
    };
    prose(text, from).filter_map(heading).collect()
}

/// The targets of links and images, and the code spans, from a byte on, with their places.
pub(super) fn targets(text: &str, from: usize) -> impl Iterator<Item = (&str, Range<usize>)> {
    let found = Outline::mentions(text.get(from..).unwrap_or_default());
    found.filter_map(move |range| {
        let place = range.start + from..range.end + from;
        Some((text.get(place.clone())?, place))
    })
}

/// The path of a link without its fragment, with percent-encoded bytes decoded where that is possible.
pub(super) fn path_of(target: &str) -> Cow<'_, str> {
    let path = target.split(['#', '?']).next().unwrap_or("");
    percent::decoded(path).map_or(Cow::Borrowed(path), Cow::Owned)
}

/// A text from a file as Markdown that shows it: on one line, without invisible characters, and with nothing that
/// Markdown or HTML would read within a paragraph, addresses included.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).chars() {
        if "\\`*_[]<>&~|#!".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.replace("://", "\\://").replace("www.", "www\\.")
}

/// A text from a file as a block of code.
pub(super) fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let shown: Vec<String> = text.lines().map(|line| visible(line).into_owned()).collect();
    format!("{fence}text\n{}\n{fence}", shown.join("\n"))
}
