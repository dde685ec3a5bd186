//! Writes text to a stream: with styles or without, with no line that is a command to a log, and with messages broken
//! between words, so that they fit the width of a terminal.

use super::text::{self, cut_path, width};
use crate::reply::Lines;
use anstream::AutoStream;
use anstream::adapter::strip_str;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

/// Size of the buffer for output that is generated line by line.
pub(crate) const BUFFER_BYTES: usize = 1 << 16;

/// Writes bytes unchanged.
pub(crate) fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}

/// Writes text with styles, or without them if the stream has none, in which no line is a command to a log.
pub(crate) fn write_styled<S: anstream::stream::RawStream + anstream::stream::AsLockedWrite>(
    mut to: AutoStream<S>,
    text: &str,
) -> io::Result<()> {
    match to.current_choice() {
        anstream::ColorChoice::Never => {
            let plain = strip_str(text).to_string();
            write(&mut to, without_log_commands(&plain).as_bytes())
        }
        _ => write(&mut to, without_log_commands(text).as_bytes()),
    }
}

/// Writes lines through a buffer and stops writing after the first error.
pub(crate) fn write_lines(to: impl Write, plain: bool, make: Lines) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
    let mut written = Ok(());
    make(&mut |line| {
        // A command may appear only when the styles are removed.
        let stripped = (plain && may_have_log_commands(line)).then(|| strip_str(line).to_string());
        let line = &*without_log_commands(stripped.as_deref().unwrap_or(line));
        // Most lines have styles only at their beginning, so only that part is searched for them.
        let styled = match line.rfind('\u{1b}') {
            _ if !plain => 0,
            None => 0,
            Some(last) => line.get(last..).and_then(|style| style.find('m')).map_or(line.len(), |end| last + end + 1),
        };
        let (styled, rest) = line.split_at(styled);
        if written.is_ok() {
            written = strip_str(styled).try_for_each(|text| to.write_all(text.as_bytes()));
        }
        if written.is_ok() {
            written = to.write_all(rest.as_bytes());
        }
    });
    written.and_then(|()| to.flush())
}

/// The output of a child process: unchanged, except on a terminal, where control characters are escaped.
pub(crate) fn displayable(bytes: Vec<u8>, terminal: bool) -> Vec<u8> {
    if terminal { text::lines(&String::from_utf8_lossy(&bytes)).into_owned().into_bytes() } else { bytes }
}

/// What begins a command anywhere in a line.
const ANYWHERE: &[&str] = &["##[", "##vso["];

/// What begins a command after white space at the beginning of a line.
const AT_LINE_START: &str = "::";

/// Whether a text may have a command when its styles are removed.
fn may_have_log_commands(text: &str) -> bool {
    text.contains(AT_LINE_START) || text.contains("##")
}

/// The text with an escape in place of the first character of each command.
fn without_log_commands(text: &str) -> Cow<'_, str> {
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

/// How far the further lines of a message are indented, compared with its first.
const HANG: usize = 2;
/// Below this width nothing is broken.
const MIN_COLUMNS: usize = 20;

/// The text with each message broken between words to lines of at most so many columns. A path that takes more than half
/// of them is cut at its beginning, as in tables. Commands in backticks stay whole, so that they can be pasted. Lines of
/// source code and rows of tables are not broken.
pub(crate) fn wrapped(text: &str, columns: usize) -> String {
    if columns < MIN_COLUMNS {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let plain = strip_str(line).to_string();
        if width(&plain) <= columns || !is_message(&plain) {
            out.push_str(line);
        } else {
            wrap(line, &plain, columns, &mut out);
        }
        out.push_str(end);
    }
    out
}

/// Whether a line is neither source code, which has a line number or a bar before it, nor a row of a table.
fn is_message(plain: &str) -> bool {
    let text = plain.trim_start();
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').trim_start();
    let is_source = (after_number.len() < text.len() || plain.starts_with(' '))
        && ["| ", "+ ", "- "].iter().any(|bar| after_number.starts_with(bar));
    !is_source && !text.contains("  ")
}

fn wrap(line: &str, plain: &str, columns: usize, out: &mut String) {
    // The place of a finding is one path, whatever blanks are in it.
    if let Some(path) = plain.trim_start().strip_prefix("--> ") {
        let (before, after) = line.rsplit_once(path).unwrap_or((line, ""));
        let room = columns.saturating_sub(width(plain) - width(path));
        out.push_str(&format!("{before}{}{after}", cut_path(path, room)));
        return;
    }
    let indent = plain.len() - plain.trim_start().len();
    let hang = match plain.trim_start() {
        text if text.starts_with("= ") => text.find(": ").map_or(indent, |colon| indent + colon + 2),
        _ => indent + HANG,
    };
    let hang = hang.min(columns / 2);
    let mut used = indent;
    out.push_str(&" ".repeat(indent));
    let mut is_first = true;
    for word in words(line.trim_start()) {
        let word = shortened(word, columns);
        let wide = width(&strip_str(&word).to_string());
        if is_first {
            is_first = false;
        } else if columns < used + 1 + wide {
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            used = hang;
        } else {
            out.push(' ');
            used += 1;
        }
        out.push_str(&word);
        used += wide;
    }
}

/// The words of a line. What is in backticks belongs to one word.
fn words(line: &str) -> Vec<&str> {
    let (mut words, mut start, mut is_quoted) = (Vec::new(), 0, false);
    for (at, c) in line.char_indices() {
        match c {
            '`' => is_quoted = !is_quoted,
            ' ' if !is_quoted => {
                words.extend(line.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    words.extend(line.get(start..));
    words
}

/// A path that is too wide, without its beginning; any other word as it is.
fn shortened(word: &str, columns: usize) -> Cow<'_, str> {
    let (quote, path) = word.strip_prefix('`').map_or(("", word), |path| ("`", path));
    let is_path = path.starts_with('/') && !path.contains([' ', '\u{1b}']);
    if !is_path || width(word) <= columns / 2 {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("{quote}{}", cut_path(path, columns / 2 - quote.len())))
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn messages_are_broken_between_words() {
        let cases = [
            ("short", "note: all is well\n", "note: all is well\n"),
            (
                "a message",
                "error: the skill has no description, which a model chooses it by\n",
                "error: the skill has no\n  description, which a model\n  chooses it by\n",
            ),
            (
                "an indented one",
                "  help: add a line with a description of the skill",
                "  help: add a line with a\n    description of the skill",
            ),
            (
                "the help of a block",
                "  = help: add a line with a description of it",
                "  = help: add a line with a\n          description of it",
            ),
            (
                "a command stays whole",
                "note: one finding; `skilltree check --home /somewhere/else` shows it",
                "note: one finding;\n  `skilltree check --home /somewhere/else`\n  shows it",
            ),
            (
                "a path loses its beginning",
                "/home/me/work/.claude/skills/tea/SKILL.md: error: no description",
                "…/tea/SKILL.md: error: no\n  description",
            ),
            (
                "in backticks, too",
                "`/home/me/work/.claude/skills/tea` is not a folder that is searched",
                "`…/skills/tea` is not a folder\n  that is searched",
            ),
            ("the place of a finding", " --> /home/me/my skills/tea/SKILL.md:3:1", " --> …/tea/SKILL.md:3:1"),
            (
                "source code",
                "12 | description: a long line of the file that is shown as it is",
                "12 | description: a long line of the file that is shown as it is",
            ),
            (
                "a correction",
                "12 + description: \"a long line of the file that is shown as it is\"",
                "12 + description: \"a long line of the file that is shown as it is\"",
            ),
            (
                "a number begins a message",
                "2 findings in 2 files (1 error, 1 warning)",
                "2 findings in 2 files (1 error,\n  1 warning)",
            ),
            (
                "a row of a table",
                "  /home/me/.claude/skills/tea  does not exist",
                "  /home/me/.claude/skills/tea  does not exist",
            ),
            (
                "styles take no room",
                "\u{1b}[1merror\u{1b}[0m: the skill has no description",
                "\u{1b}[1merror\u{1b}[0m: the skill has no\n  description",
            ),
        ];
        for (case, text, expected) in cases {
            assert_eq!(wrapped(text, 32), expected, "{case}");
        }
        assert_eq!(wrapped("a text of several words", 3), "a text of several words", "no room at all");
    }
}
