//! In: a text whose first line is no `---`. Out: the frontmatter that it has all the same, and what is wrong round it: a code
//! fence, no opening fence, or something before it that is no document of its own.
//! Absent: guessing. Where the lines may be a part of a document, such as a rule and a `Note: …` below it, there is no
//! frontmatter: its lines are all fields, and the name or the description is one of them.

use super::{body_start, dashes, line_end};
use crate::text::repair::key_of;
use std::ops::Range;

/// A frontmatter, in bytes of the text, and what is wrong round it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Odd {
    /// The lines of the fields.
    pub(crate) yaml: Range<usize>,
    /// What follows them, without a code fence that ends the file.
    pub(crate) body: Range<usize>,
    /// In source order.
    pub(crate) faults: Vec<Fault>,
}

/// What is wrong, and what to write for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) what: Wrong,
    /// The first byte of the line that is wrong, or that something is missing before.
    pub(crate) at: usize,
    /// A byte of the first line that `with` replaces, and one of the last.
    pub(crate) lines: (usize, usize),
    /// One or more lines, without the last one's ending.
    pub(crate) with: String,
}

/// What is wrong round a frontmatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// Something stands before it.
    Before,
    /// The fields begin without a fence.
    NoOpening,
    /// A code fence stands before or in place of the opening fence.
    CodeOpening,
    /// A code fence stands in place of the closing fence, or behind it.
    CodeClosing,
    /// The code fence that was opened before the frontmatter ends the file.
    CodeEnd,
}

/// The frontmatter of a text that does not begin with `---`.
pub(super) fn odd(text: &str) -> Option<Odd> {
    let start = body_start(text);
    in_code(text, start).or_else(|| unopened(text, start)).or_else(|| behind_text(text))
}

/// What is wrong where only comments stand before the fence at this byte.
pub(crate) fn before(text: &str, fence: usize) -> Fault {
    Fault { what: Wrong::Before, at: fence, lines: (0, fence), with: opened(text, fence) }
}

/// An opening fence, and what stands before this byte as comments below it.
fn opened(text: &str, before: usize) -> String {
    let mut with = "---".to_owned();
    for line in text.get(..before).unwrap_or_default().lines() {
        let line = line.trim_matches(['\u{feff}', '\r']);
        if !line.trim().is_empty() {
            with.push_str(if line.starts_with('#') { "\n" } else { "\n# " });
            with.push_str(line);
        }
    }
    with
}

/// A file inside of a code fence, or with a code fence for its fences.
fn in_code(text: &str, start: usize) -> Option<Odd> {
    let code = Code::of(line(text, start))?;
    let inner = skip_blank_lines(text, line_end(text, start));
    let is_fenced = dashes(text, inner, line_end(text, inner)) == Some(3);
    let begin = if is_fenced { line_end(text, inner) } else { inner };
    let opening = Fault {
        what: Wrong::CodeOpening,
        at: start,
        lines: (0, if is_fenced { inner } else { start }),
        with: opened(text, start),
    };
    let mut at = begin;
    let mut fields = Fields::default();
    loop {
        let end = line_end(text, at);
        let is_dashes = dashes(text, at, end) == Some(3);
        if is_dashes || code.ends_at(line(text, at)) {
            let yaml = begin..at;
            if !(fields.are_frontmatter() || is_dashes && is_fenced && fields.has_one()) {
                return None;
            }
            let after = if is_dashes { code.end(text, end) } else { None };
            let (body, closing) = match after {
                _ if !is_dashes => (end..text.len(), Some((Wrong::CodeClosing, (at, at), "---"))),
                Some(last) if skip_blank_lines(text, end) == last => {
                    (line_end(text, last)..text.len(), Some((Wrong::CodeClosing, (at, last), "---")))
                }
                Some(last) => (end..last, Some((Wrong::CodeEnd, (last, last), ""))),
                None => (end..text.len(), None),
            };
            let closing = closing.map(|(what, lines, with)| Fault { what, at: lines.1, lines, with: with.to_owned() });
            return Some(Odd { yaml, body, faults: [Some(opening), closing].into_iter().flatten().collect() });
        }
        let is_field = fields.take(line(text, at));
        if end >= text.len() || !(is_field || is_fenced) {
            return None;
        }
        at = end;
    }
}

/// Fields on the first lines, and only the closing fence behind them.
fn unopened(text: &str, start: usize) -> Option<Odd> {
    key_of(line(text, start))?;
    let (yaml, end) = fields(text, start)?;
    let first = line(text, start);
    let with = format!("{}\n{first}", opened(text, start));
    let fault = Fault { what: Wrong::NoOpening, at: start, lines: (0, start), with };
    Some(Odd { yaml, body: end..text.len(), faults: vec![fault] })
}

/// A frontmatter behind comments, a title or a licence.
fn behind_text(text: &str) -> Option<Odd> {
    let mut lead = Lead::default();
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..)?;
        if rest.trim_start_matches([' ', '\t']).starts_with("<!--") {
            at += rest.find("-->")? + "-->".len();
            if !line(text, at).trim().is_empty() {
                return None;
            }
            at = line_end(text, at);
            continue;
        }
        let end = line_end(text, at);
        let mark = rest.len() - rest.trim_start_matches('\u{feff}').len();
        if dashes(text, at + mark, end) == Some(3) {
            if let Some((yaml, close)) = fields(text, end).filter(|_| lead.is_no_document()) {
                return Some(Odd { yaml, body: close..text.len(), faults: vec![before(text, at)] });
            }
        }
        if !lead.take(line(text, at)) {
            return None;
        }
        at = end;
    }
    None
}

/// The lines of a frontmatter from here on, and where the line of its closing fence ends.
fn fields(text: &str, begin: usize) -> Option<(Range<usize>, usize)> {
    let mut fields = Fields::default();
    let mut at = begin;
    while at < text.len() {
        let end = line_end(text, at);
        if dashes(text, at, end) == Some(3) {
            return fields.are_frontmatter().then_some((begin..at, end));
        }
        if !fields.take(line(text, at)) {
            return None;
        }
        at = end;
    }
    None
}

/// What is known of some lines that may be fields.
#[derive(Default)]
struct Fields {
    has_name: bool,
    has_description: bool,
    has_blank: bool,
}

impl Fields {
    /// Whether a line can be one of a frontmatter: a key, a comment, an item, or what is indented or closes a list.
    fn take(&mut self, line: &str) -> bool {
        self.has_blank |= line.trim().is_empty();
        if let Some((key, _)) = key_of(line) {
            let key = line.get(key).unwrap_or_default().trim_matches(['"', '\'']);
            self.has_name |= key == "name";
            self.has_description |= key == "description";
            return true;
        }
        line.trim().is_empty() || line.starts_with([' ', '\t', '#', ']', '}']) || line.starts_with("- ")
    }

    fn has_one(&self) -> bool {
        self.has_name || self.has_description
    }

    /// Blank lines are rare between fields, and usual between paragraphs.
    fn are_frontmatter(&self) -> bool {
        (self.has_name && self.has_description) || (self.has_one() && !self.has_blank)
    }
}

/// What stands before a fence.
#[derive(Default)]
struct Lead {
    /// Lines that are none of the others, but those of the paragraph that goes on.
    plain_lines: usize,
    has_heading: bool,
    /// Such lines of the paragraph that goes on, and whether it speaks of a licence.
    open_lines: usize,
    is_licence: bool,
    /// Inside of `/*`.
    in_comment: bool,
}

/// The longest title, in bytes.
const MAX_TITLE: usize = 160;

impl Lead {
    /// Takes one more line; false where there is a document before the fence.
    fn take(&mut self, line: &str) -> bool {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if self.in_comment || line.starts_with("/*") {
            self.in_comment = !line.contains("*/");
        } else if line.is_empty() {
            self.close();
        } else if line.starts_with('#') {
            self.has_heading = true;
        } else if !is_aside(line) {
            self.open_lines += if line.len() > MAX_TITLE { 2 } else { 1 };
            self.is_licence |= speaks_of_licence(line);
        }
        self.plain_lines < 2
    }

    fn close(&mut self) {
        if !self.is_licence {
            self.plain_lines += self.open_lines;
        }
        (self.open_lines, self.is_licence) = (0, false);
    }

    /// One line is a title, where no heading is.
    fn is_no_document(&mut self) -> bool {
        self.close();
        self.plain_lines == 0 || (self.plain_lines == 1 && !self.has_heading)
    }
}

/// Comments of other languages, badges and rules.
fn is_aside(line: &str) -> bool {
    let is_rule = |mark: char| line.len() > 2 && line.chars().all(|c| c == mark);
    ["//", "%", ";", "{/*", "{#", "{{!", "[//]:", "[comment]:", "[![", "!["].iter().any(|mark| line.starts_with(mark))
        || ['-', '=', '*', '_'].into_iter().any(is_rule)
}

fn speaks_of_licence(line: &str) -> bool {
    const WORDS: [&str; 8] =
        ["copyright", "license", "licence", "licensed", "permission", "warranty", "warranties", "redistribution"];
    let mut words = line.split(|c: char| !c.is_ascii_alphabetic());
    line.contains('©')
        || line.contains("SPDX-")
        || words.any(|word| WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

/// A code fence: its mark and how often it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Code {
    mark: char,
    length: usize,
}

impl Code {
    /// The fence that a line is.
    fn of(line: &str) -> Option<Code> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = line.len() - line.trim_start_matches(mark).len();
        let info = line.get(length..)?;
        (length >= 3 && (mark == '~' || !info.contains('`'))).then_some(Code { mark, length })
    }

    /// Whether a line ends what this fence began.
    fn ends_at(self, line: &str) -> bool {
        let line = line.trim_end();
        Code::of(line)
            .is_some_and(|code| code.mark == self.mark && code.length >= self.length && line.len() == code.length)
    }

    /// The line that ends the file or the frontmatter: nothing stands behind it, or nothing between it and `from`. A code
    /// fence in between opens code of the body's own.
    fn end(self, text: &str, from: usize) -> Option<usize> {
        let first = skip_blank_lines(text, from);
        if self.ends_at(line(text, first)) {
            return Some(first);
        }
        let mut inside: Option<Code> = None;
        let mut at = first;
        while at < text.len() {
            let (end, text_line) = (line_end(text, at), line(text, at));
            match inside {
                Some(code) if code.ends_at(text_line) => inside = None,
                Some(_) => {}
                None if self.ends_at(text_line) && text.get(end..).is_none_or(|rest| rest.trim().is_empty()) => {
                    return Some(at);
                }
                None => inside = Code::of(text_line),
            }
            at = end;
        }
        None
    }
}

/// The line that begins here, without its ending.
fn line(text: &str, at: usize) -> &str {
    let line = text.get(at..line_end(text, at)).unwrap_or_default();
    line.trim_end_matches(['\n', '\r'])
}

/// Where the first line begins from here on that is not blank.
fn skip_blank_lines(text: &str, mut at: usize) -> usize {
    while at < text.len() && line(text, at).trim().is_empty() {
        at = line_end(text, at);
    }
    at
}
