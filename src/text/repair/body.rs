//! In: frontmatter that does not parse. Out: where the body begins in it, if its closing fence is missing and a rule
//! in the body was taken for one.
//! Absent: bodies without a heading or a code fence, which nothing tells from a value's paragraphs.

use super::entry::{BLANKS, begins_field, is_prose, line_end};
use crate::text::lines::lines;

/// Where a fence belongs, and where the text behind it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    /// A blank line, or one that closes elsewhere: `...`.
    pub(crate) fence: usize,
    pub(crate) body: usize,
}

/// The body is what follows a blank line, or dots or dashes that close nothing; it begins with no key, and holds prose,
/// and behind a blank line a heading or a code fence too. Fields stand before it and none in it.
pub(super) fn missed(text: &str) -> Option<Missed> {
    let mut has_field = false;
    let mut blank = None;
    let mut found: Option<Missed> = None;
    let (mut has_prose, mut is_told, mut in_code) = (false, false, false);
    for (start, line) in lines(text) {
        let inked = line.trim_end_matches(BLANKS);
        if begins_field(line) && !in_code {
            (has_field, found) = (true, None);
        } else if found.is_none() && has_field {
            let is_mark = inked == "..." || (inked.len() > 3 && inked.bytes().all(|byte| byte == b'-'));
            let fence = if is_mark { Some(start) } else { blank.filter(|_| is_heading(line) || is_prose(line)) };
            found = fence.map(|fence| Missed { fence, body: line_end(text, fence) });
            (has_prose, is_told, in_code) = (false, is_mark, false);
        }
        if found.is_some_and(|found| found.fence < start) {
            let is_code = inked.starts_with("```");
            in_code ^= is_code;
            has_prose |= is_prose(line);
            is_told |= is_heading(line) || is_code;
        }
        blank = inked.is_empty().then_some(start);
    }
    found.filter(|_| has_prose && is_told)
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ') && !text.trim().is_empty()
}
