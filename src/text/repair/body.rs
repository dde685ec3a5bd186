//! Finds the beginning of the body in frontmatter that is not valid YAML because its closing fence is missing, and a
//! rule in the body was taken for it. A body without a heading or a code block cannot be distinguished from a value,
//! and is not found.

use super::entry::{BLANKS, begins_field, is_prose, line_end};
use crate::text::lines::lines;

/// Where the missing fence belongs, and where the body begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    /// The start of a blank line, of `...`, or of more than three dashes.
    pub(crate) fence: usize,
    pub(crate) body: usize,
}

/// Finds the body behind a blank line, `...`, or more than three dashes. There are fields before it and none in it, it
/// does not begin with a key, and it contains prose, and behind a blank line also a heading or a code block.
pub(super) fn missed(text: &str) -> Option<Missed> {
    let mut has_field = false;
    let mut blank = None;
    let mut found: Option<Missed> = None;
    let (mut has_prose, mut is_evident, mut in_code) = (false, false, false);
    for (start, line) in lines(text) {
        let inked = line.trim_end_matches(BLANKS);
        if begins_field(line) && !in_code {
            (has_field, found) = (true, None);
        } else if found.is_none() && has_field {
            let is_mark = inked == "..." || (inked.len() > 3 && inked.bytes().all(|byte| byte == b'-'));
            let fence = if is_mark { Some(start) } else { blank.filter(|_| is_heading(line) || is_prose(line)) };
            found = fence.map(|fence| Missed { fence, body: line_end(text, fence) });
            (has_prose, is_evident, in_code) = (false, is_mark, false);
        }
        if found.is_some_and(|found| found.fence < start) {
            let is_code = inked.starts_with("```");
            in_code ^= is_code;
            has_prose |= is_prose(line);
            is_evident |= is_heading(line) || is_code;
        }
        blank = inked.is_empty().then_some(start);
    }
    found.filter(|_| has_prose && is_evident)
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ') && !text.trim().is_empty()
}
