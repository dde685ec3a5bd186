//! Takes their effect from lines of text that a continuous integration service would obey, such as `::add-mask::` of GitHub
//! and `##vso[task.setvariable]` of Azure Pipelines: a name from a file may begin a line.

use std::borrow::Cow;

/// What begins a command anywhere in a line.
const ANYWHERE: &[&str] = &["##[", "##vso["];

/// What begins a command after white space at the beginning of a line.
const AT_LINE_START: &str = "::";

/// Whether a text may have a command when its styles are removed.
pub(crate) fn may_have_log_commands(text: &str) -> bool {
    text.contains(AT_LINE_START) || text.contains("##")
}

/// The text with an escape in place of the first character of each command.
pub(crate) fn without_log_commands(text: &str) -> Cow<'_, str> {
    if !may_have_log_commands(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let start = beginning(line);
        let (before, rest) = line.split_at(start);
        out.push_str(before);
        let rest = match rest.strip_prefix(AT_LINE_START) {
            Some(after) => {
                out.push_str("\\u{3a}:");
                after
            }
            None => rest,
        };
        let escaped = ANYWHERE.iter().fold(Cow::Borrowed(rest), |rest, mark| match rest.contains(mark) {
            true => Cow::Owned(rest.replace(mark, &mark.replacen('#', "\\u{23}", 1))),
            false => rest,
        });
        out.push_str(&escaped);
    }
    Cow::Owned(out)
}

/// Where a line begins after its white space and the sequences that set its style.
fn beginning(line: &str) -> usize {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start();
        rest = match trimmed.strip_prefix("\u{1b}[").and_then(|style| style.split_once('m')) {
            Some((numbers, after)) if numbers.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';')) => after,
            _ => return line.len() - trimmed.len(),
        };
    }
}
