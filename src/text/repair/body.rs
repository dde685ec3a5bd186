//! In: frontmatter that does not parse. Out: where the body begins in it, if its closing fence is missing and a rule
//! in the body was taken for one.
//! Absent: bodies without a heading, which nothing tells from a value's paragraphs.

use super::entry::{BLANKS, begins_field, is_prose, line_end, lines};

/// Where a fence belongs, and where the text behind it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    /// A blank line, or one that closes elsewhere: `...`.
    pub(crate) fence: usize,
    pub(crate) body: usize,
}

/// The body is a heading behind a blank line, or what follows `...`, with prose in it and no field; fields stand before.
pub(super) fn missed(text: &str) -> Option<Missed> {
    let mut has_field = false;
    let mut blank = None;
    let mut found: Option<Missed> = None;
    let mut has_prose = false;
    for (start, line) in lines(text) {
        let inked = line.trim_end_matches(BLANKS);
        if begins_field(line) {
            (has_field, found) = (true, None);
        } else if found.is_some() {
            has_prose |= is_prose(line) && inked != "...";
        } else if has_field && inked == "..." {
            found = Some(Missed { fence: start, body: line_end(text, start) });
        } else if let (true, Some(fence), true) = (has_field, blank, is_heading(line)) {
            found = Some(Missed { fence, body: line_end(text, fence) });
        }
        if found.is_none() {
            has_prose = false;
        }
        blank = inked.is_empty().then_some(start);
    }
    found.filter(|_| has_prose)
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ') && !text.trim().is_empty()
}
