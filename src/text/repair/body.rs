//! Finds the beginning of the body in frontmatter that is not valid YAML because its closing fence is missing, and a
//! rule in the body was taken for it. A body without a heading or a code block cannot be distinguished from a value,
//! and is not found.

use super::entry::{BLANKS, begins_field, is_prose, line_end};
use crate::text::lines::lines;

/// Where the missing fence belongs, and where the body begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    /// The start of the line that stands in place of the fence: a blank line, `...`, more than three dashes or a similar
    /// mark. The start of the body if the fence is to be inserted.
    pub(crate) fence: usize,
    pub(crate) body: usize,
}

/// Finds the body behind a blank line or a mark, or at a code fence. There are fields before it and none in it, it does not
/// begin with a key, and it contains prose or code, and behind a blank line also a heading or a code block.
pub(crate) fn missed(text: &str) -> Option<Missed> {
    let mut has_field = false;
    let mut blank = None;
    let mut found: Option<Missed> = None;
    let (mut has_text, mut is_evident, mut in_code) = (false, false, false);
    for (start, line) in lines(text) {
        let inked = line.trim_end_matches(BLANKS);
        let is_code = inked.starts_with("```") || inked.starts_with("~~~");
        if begins_field(line) && !in_code {
            (has_field, found, in_code) = (true, None, false);
        } else if found.is_none() && has_field {
            let is_mark = inked == "..." || is_mark(inked);
            let fence = match blank {
                _ if is_mark => Some((start, line_end(text, start))),
                Some(blank) if is_heading(line) || is_prose(line) => Some((blank, line_end(text, blank))),
                // The code begins with the body, unless its fence closes the frontmatter.
                _ if is_code => Some((start, if opens_code(&text[start..]) { start } else { line_end(text, start) })),
                _ => None,
            };
            found = fence.map(|(fence, body)| Missed { fence, body });
            (has_text, is_evident, in_code) = (false, is_mark || is_code, false);
        }
        if found.is_some_and(|found| found.body <= start) {
            in_code ^= is_code;
            has_text |= is_prose(line);
            is_evident |= is_heading(line) || is_code;
        }
        blank = inked.is_empty().then_some(start);
    }
    found.filter(|_| has_text && is_evident)
}

/// Whether a line without its trailing blanks looks like a fence: at least two dashes of any kind, apart from three hyphens,
/// or at least three of another mark with which rules are drawn.
fn is_mark(line: &str) -> bool {
    const DASHES: [char; 8] = ['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}'];
    let are_all = |is_one: &dyn Fn(char) -> bool, least| line.chars().count() >= least && line.chars().all(is_one);
    are_all(&|c| DASHES.contains(&c), 2) && line != "---"
        || line.starts_with('\u{2014}') && are_all(&|c| c == '\u{2014}', 1)
        || ['*', '_', '=', '+'].iter().any(|mark| are_all(&|c| c == *mark, 3))
}

/// Whether the code fence on the first line opens a block: a language follows it, or the number of fences is even.
fn opens_code(text: &str) -> bool {
    let is_fence = |line: &&str| line.starts_with("```") || line.starts_with("~~~");
    let mut fences = text.lines().filter(is_fence);
    let has_language = fences.next().is_some_and(|line| !line.trim_end().trim_start_matches(['`', '~']).is_empty());
    has_language || fences.count() % 2 == 1
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ') && !text.trim().is_empty()
}
