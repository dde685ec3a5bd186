//! Joins the lines of a value as YAML folds plain and `>` scalars. Indentation does not count: lines that are not valid
//! YAML were meant as a paragraph.

use super::entry::{BLANKS, Line};

/// A value of several lines as YAML folds it, without comments, and where its last line ends.
pub(super) fn folded(head: &str, at: usize, rest: &[Line<'_>]) -> (String, usize) {
    let mut text = head.to_owned();
    let mut end = at + head.len();
    let mut blank_lines = 0;
    for line in rest {
        let inked = line.text.trim_matches(BLANKS);
        if inked.is_empty() {
            blank_lines += 1;
        } else if !inked.starts_with('#') {
            text.push_str(&if blank_lines == 0 { " ".to_owned() } else { "\n".repeat(blank_lines) });
            text.push_str(inked);
            end = line.start + line.text.trim_end_matches(BLANKS).len();
            blank_lines = 0;
        }
    }
    (text, end)
}

/// The lines of a text joined by spaces, with a line break for every blank line.
pub(super) fn fold_paragraphs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut breaks = 0;
    for line in text.split('\n') {
        if line.trim_matches(BLANKS).is_empty() {
            breaks += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(&if breaks == 0 { " ".to_owned() } else { "\n".repeat(breaks) });
        }
        out.push_str(line.trim_end_matches(BLANKS));
        breaks = 0;
    }
    out
}

/// Where the last line that is not blank ends, without its trailing white space.
pub(super) fn last_end(lines: &[Line<'_>]) -> Option<usize> {
    let last = lines.iter().rev().find(|line| !line.is_blank())?;
    Some(last.start + last.text.trim_end_matches(BLANKS).len())
}
