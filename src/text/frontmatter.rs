//! Splits the cleaned text of a file into frontmatter and body, without reading the YAML (rules 4.5, 4.6 and 4.7). Finds the
//! frontmatter of a text that does not begin with `---` too: in a code block, without an opening fence, or behind a title,
//! a licence or comments. Lines that may be a part of a document, such as a horizontal rule with `Note: …` below it, are not
//! taken for frontmatter: all of its lines must be fields, and a name or a description must be among them.

pub(crate) use super::lines::line_end;

use super::lines::{find_byte, lines};
use super::repair::{begins_field, key_of, missed};
use std::ops::Range;

/// A fence.
pub(crate) const DASHES: &str = "---";

/// How a text begins. Offsets are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// Without frontmatter.
    Missing,
    /// With an opening fence at this offset, and no closing one.
    Unclosed { fence: usize },
    /// With frontmatter between two fences.
    Found(Parts),
    /// With frontmatter whose fences are wrong or missing, or that something stands before.
    Odd(Odd),
}

/// The parts of a text with frontmatter, as ranges of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The lines between the fences, including the line ending of the last one.
    pub(crate) yaml: Range<usize>,
    /// Everything after the closing fence's line.
    pub(crate) body: Range<usize>,
    pub(crate) first_fence: usize,
    /// Whether there is an HTML comment before the opening fence.
    pub(crate) after_comment: bool,
    /// Where the closing fence begins, if it has more than three dashes.
    pub(crate) loose_close: Option<usize>,
}

/// Splits a text at its fences, and finds frontmatter whose fences are wrong or missing.
pub(crate) fn split(text: &str) -> Split {
    // A line of dashes in the body is no fence.
    let is_fence = |yaml: &str| holds_only_fields(yaml) || missed(yaml).is_some();
    match split_by(text, &is_fence) {
        Split::Missing => odd(text).map_or(Split::Missing, Split::Odd),
        split => split,
    }
}

/// Splits a text at its fences alone: three dashes.
pub(crate) fn split_at_fences(text: &str) -> Split {
    split_by(text, &|_| false)
}

/// `is_fence` says whether a line with more than three dashes below this text closes the frontmatter if nothing else does.
fn split_by(text: &str, is_fence: &dyn Fn(&str) -> bool) -> Split {
    let Some((first_fence, after_comment)) = opening(text) else { return Split::Missing };
    let start = line_end(text, first_fence);
    let found = |(at, end): (usize, usize), loose_close| {
        Split::Found(Parts { yaml: start..at, body: end..text.len(), first_fence, after_comment, loose_close })
    };
    let mut loose = None;
    let mut at = start;
    while at < text.len() {
        let end = line_end(text, at);
        match dashes(&text[at..end]) {
            Some(3) => return found((at, end), None),
            Some(more) if more > 3 && loose.is_none() => loose = Some((at, end)),
            _ => {}
        }
        at = end;
    }
    match loose.filter(|(at, _)| is_fence(&text[start..*at])) {
        Some(close) => found(close, Some(close.0)),
        None => Split::Unclosed { fence: first_fence },
    }
}

/// The frontmatter with its fences, if the file begins with it, both fences are plain `---` lines that end in LF, and
/// the body is ASCII without control characters other than LF, and does not begin with more fields. [`split`] finds the same
/// frontmatter in these bytes as in the whole file.
pub(crate) fn plain(bytes: &[u8]) -> Option<&[u8]> {
    const FENCE: [u8; 4] = *b"---\n";
    let is_fence = |at: usize| Some(bytes.get(at..)?.first_chunk() == Some(&FENCE));
    let mut at = is_fence(0)?.then_some(FENCE.len())?;
    while !is_fence(at)? {
        at += find_byte(bytes.get(at..)?, b'\n')? + 1;
    }
    let (front, rest) = bytes.split_at_checked(at + FENCE.len())?;
    // The loop has no branch, so that the compiler can compare many bytes at once. As a signed number, a byte that is
    // not ASCII is less than a space too.
    let is_odd = |byte: u8| ((byte as i8) < b' ' as i8) & (byte != b'\n');
    let is_plain = rest.iter().fold(0, |found, byte| found | u8::from(is_odd(*byte))) == 0;
    (is_plain && !may_have_fields(rest)).then_some(front)
}

/// Whether a body may begin with more fields, by its first word.
pub(crate) fn may_have_fields(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    let word = body.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
    body.starts_with(DASHES.as_bytes()) || word > 0 && body.get(word) == Some(&b':')
}

/// The offset of the opening fence, and whether there are comments before it.
fn opening(text: &str) -> Option<(usize, bool)> {
    let (start, after_comment) = content_start(text)?;
    let (before, rest) = text.split_at(start);
    let is_at_column_0 = before.is_empty() || before.ends_with('\n');
    let is_fence = dashes(&rest[..line_end(rest, 0)]) == Some(3);
    (is_at_column_0 && is_fence).then_some((start, after_comment))
}

/// Where the first line begins that contains more than white space and comments. 0 if a comment is not closed.
pub(crate) fn body_start(text: &str) -> usize {
    let start = content_start(text).map_or(0, |(start, _)| start);
    text[..start].rfind('\n').map_or(0, |found| found + 1)
}

/// The offset of the first character that is neither white space nor part of a comment, and whether there are comments
/// before it. `None` if a comment is not closed.
fn content_start(text: &str) -> Option<(usize, bool)> {
    let mut rest = text.trim_start();
    let mut after_comment = false;
    while rest.starts_with("<!--") {
        rest = rest.split_once("-->")?.1.trim_start();
        after_comment = true;
    }
    Some((text.len() - rest.len(), after_comment))
}

/// The number of dashes of a line that contains nothing else but trailing spaces and tabs.
fn dashes(line: &str) -> Option<usize> {
    // Most lines of a file are not dashes.
    let line = Some(line).filter(|line| line.starts_with('-'))?;
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches([' ', '\t']);
    line.bytes().all(|byte| byte == b'-').then_some(line.len())
}

/// A frontmatter and what is wrong around it. Offsets are in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Odd {
    /// The lines of the fields.
    pub(crate) yaml: Range<usize>,
    /// What follows them, without a code fence that ends the file.
    pub(crate) body: Range<usize>,
    /// What is wrong, in source order.
    pub(crate) faults: Vec<Fault>,
    /// Where the closing fence begins, if it has more than three dashes.
    pub(crate) loose_close: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) what: Wrong,
    /// The first byte of the line that is wrong, or before which something is missing.
    pub(crate) at: usize,
    /// A byte of the first line that `with` replaces, and one of the last.
    pub(crate) lines: (usize, usize),
    /// The corrected lines, without the ending of the last one.
    pub(crate) with: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// There is something before it.
    Before,
    /// The fields begin without a fence.
    NoOpening,
    /// There is a code fence before the opening fence, or in its place.
    CodeOpening,
    /// There is a code fence behind the closing fence, or in its place.
    CodeClosing,
    /// The code fence that was opened before the frontmatter is closed at the end of the file.
    CodeEnd,
}

fn odd(text: &str) -> Option<Odd> {
    let start = body_start(text);
    in_code(text, start).or_else(|| unopened(text, start)).or_else(|| behind_text(text))
}

/// The fault of a text with comments before the fence at this offset.
pub(crate) fn before(text: &str, fence: usize) -> Fault {
    Fault { what: Wrong::Before, at: fence, lines: (0, fence), with: opened(text, fence) }
}

/// An opening fence, with the text before `end` as comments below it.
fn opened(text: &str, end: usize) -> String {
    let mut with = "---".to_owned();
    for line in text[..end].lines() {
        let line = line.trim_matches(['\u{feff}', '\r']);
        if !line.trim().is_empty() {
            with.push_str(if line.starts_with('#') { "\n" } else { "\n# " });
            with.push_str(line);
        }
    }
    with
}

/// The frontmatter of a file that is one code block, or that has code fences in place of its fences.
fn in_code(text: &str, start: usize) -> Option<Odd> {
    let code = Code::of(line(text, start))?;
    let inner = skip_blank_lines(text, line_end(text, start));
    let is_fenced = dashes(line(text, inner)) == Some(3);
    let begin = if is_fenced { line_end(text, inner) } else { inner };
    let opening = Fault {
        what: Wrong::CodeOpening,
        at: start,
        lines: (0, if is_fenced { inner } else { start }),
        with: opened(text, start),
    };
    let (mut fields, mut are_fields, mut loose) = (Fields::default(), true, None);
    let mut at = begin;
    // The line that closes the frontmatter, and whether it consists of dashes.
    let ((at, end), is_dashes) = loop {
        let end = line_end(text, at);
        let dashes = dashes(line(text, at));
        if dashes.is_some_and(|count| count > 3) && is_fenced && are_fields && fields.has_one() && !fields.has_body {
            loose = loose.or(Some((at, end)));
        }
        if dashes == Some(3) {
            loose = None;
            break ((at, end), true);
        }
        if code.ends_at(line(text, at)) || end >= text.len() && loose.is_some() {
            // Like without the code fence, more dashes close the frontmatter if nothing else does.
            break (loose.unwrap_or((at, end)), loose.is_some());
        }
        are_fields &= fields.take(line(text, at));
        if end >= text.len() || !(are_fields || is_fenced) {
            return None;
        }
        at = end;
    };
    let is_text = !is_dashes && !are_fields;
    if is_text || !(fields.are_frontmatter() || is_dashes && is_fenced && fields.has_one()) {
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
    let mut faults = vec![opening];
    faults.extend(closing.map(|(what, lines, with)| Fault { what, at: lines.1, lines, with: with.to_owned() }));
    Some(Odd { yaml: begin..at, body, faults, loose_close: loose.map(|(at, _)| at) })
}

fn unopened(text: &str, start: usize) -> Option<Odd> {
    key_of(line(text, start))?;
    let (yaml, end) = fields(text, start)?;
    let first = line(text, start);
    let with = format!("{}\n{first}", opened(text, start));
    let fault = Fault { what: Wrong::NoOpening, at: start, lines: (0, start), with };
    Some(Odd { yaml, body: end..text.len(), faults: vec![fault], loose_close: None })
}

/// The frontmatter behind comments, a title or a licence.
fn behind_text(text: &str) -> Option<Odd> {
    let mut lead = Lead::default();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
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
        if dashes(&text[at + mark..end]) == Some(3) {
            if let Some((yaml, close)) = fields(text, end).filter(|_| lead.is_no_document()) {
                let faults = vec![before(text, at)];
                return Some(Odd { yaml, body: close..text.len(), faults, loose_close: None });
            }
        }
        if !lead.take(line(text, at)) {
            return None;
        }
        at = end;
    }
    None
}

/// The lines of the frontmatter that begins at this offset, and where the line of its closing fence ends.
fn fields(text: &str, begin: usize) -> Option<(Range<usize>, usize)> {
    let (fields, yaml, end) = fields_to_fence(text, begin)?;
    fields.are_frontmatter().then_some((yaml, end))
}

fn fields_to_fence(text: &str, begin: usize) -> Option<(Fields, Range<usize>, usize)> {
    let mut fields = Fields::default();
    let mut at = begin;
    while at < text.len() {
        let end = line_end(text, at);
        if dashes(line(text, at)) == Some(3) {
            return Some((fields, begin..at, end));
        }
        if !fields.take(line(text, at)) {
            return None;
        }
        at = end;
    }
    None
}

/// The fields that a body begins with, perhaps behind another fence, up to the fence that closes them.
pub(crate) fn more_fields(body: &str) -> Option<Range<usize>> {
    let first = skip_blank_lines(body, 0);
    let is_fence = dashes(line(body, first)) == Some(3);
    let begin = if is_fence { skip_blank_lines(body, line_end(body, first)) } else { first };
    key_of(line(body, begin))?;
    let (mut fields, yaml, _) = fields_to_fence(body, begin)?;
    // Blank lines before the fence are not between the fields.
    fields.is_behind_blank = false;
    fields.are_frontmatter().then_some(yaml)
}

/// Whether all of these lines can be those of a frontmatter, and none looks like the beginning of the body.
pub(crate) fn holds_only_fields(yaml: &str) -> bool {
    let mut fields = Fields::default();
    lines(yaml).all(|(_, line)| fields.take(line)) && !fields.has_body
}

/// What is known about lines that may be the fields of a frontmatter.
#[derive(Default)]
struct Fields {
    has_name: bool,
    has_description: bool,
    /// Whether there is a blank line before the last line.
    has_blank: bool,
    is_behind_blank: bool,
    /// Whether there is a comment or an item behind a blank line, which may be a heading or a list of the body, and no field
    /// that is common to all dialects behind it.
    has_body: bool,
}

impl Fields {
    /// Adds a line, and returns whether it can be one of a frontmatter: a key, a comment, an item, an indented line, or
    /// one that closes a flow collection.
    fn take(&mut self, line: &str) -> bool {
        let is_behind_blank = std::mem::replace(&mut self.is_behind_blank, line.trim().is_empty());
        self.has_blank |= is_behind_blank && !line.trim().is_empty();
        self.has_body |= is_behind_blank && (line.starts_with('#') || line.starts_with("- "));
        if let Some((key, _)) = key_of(line) {
            let key = key.trim_matches(['"', '\'']);
            self.has_name |= key == "name";
            self.has_description |= key == "description";
            // A sentence such as `Note: …` in the body is none of the fields.
            self.has_body =
                !begins_field(line) && (self.has_body || is_behind_blank && line.starts_with(char::is_uppercase));
            return true;
        }
        line.trim().is_empty() || line.starts_with([' ', '\t', '#', ']', '}']) || line.starts_with("- ")
    }

    fn has_one(&self) -> bool {
        self.has_name || self.has_description
    }

    /// Whether the lines are the fields of a frontmatter. Blank lines are rare between fields, and common between
    /// paragraphs.
    fn are_frontmatter(&self) -> bool {
        let has_blank = self.has_blank || self.is_behind_blank;
        !self.has_body && ((self.has_name && self.has_description) || (self.has_one() && !has_blank))
    }
}

/// What is known about the text before a fence.
#[derive(Default)]
struct Lead {
    /// The number of lines of text in the paragraphs that have ended, except those about a licence.
    plain_lines: usize,
    has_heading: bool,
    /// The number of lines of text in the current paragraph.
    open_lines: usize,
    is_licence: bool,
    in_comment: bool,
}

/// The longest title, in bytes.
const MAX_TITLE: usize = 160;

impl Lead {
    /// Adds a line, and returns whether the lines so far may be something other than a document.
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
            self.is_licence |= mentions_licence(line);
        }
        self.plain_lines < 2
    }

    fn close(&mut self) {
        if !self.is_licence {
            self.plain_lines += self.open_lines;
        }
        (self.open_lines, self.is_licence) = (0, false);
    }

    /// Whether the lines so far are not a document of their own. A single line is a title, unless there is a heading.
    fn is_no_document(&mut self) -> bool {
        self.close();
        self.plain_lines == 0 || (self.plain_lines == 1 && !self.has_heading)
    }
}

/// Whether a line is a comment of another language, a badge or a horizontal rule.
fn is_aside(line: &str) -> bool {
    let is_rule = |mark: char| line.len() > 2 && line.chars().all(|c| c == mark);
    ["//", "%", ";", "{/*", "{#", "{{!", "[//]:", "[comment]:", "[![", "!["].iter().any(|mark| line.starts_with(mark))
        || ['-', '=', '*', '_'].into_iter().any(is_rule)
}

fn mentions_licence(line: &str) -> bool {
    const WORDS: [&str; 8] =
        ["copyright", "license", "licence", "licensed", "permission", "warranty", "warranties", "redistribution"];
    let mut words = line.split(|c: char| !c.is_ascii_alphabetic());
    line.contains('©')
        || line.contains("SPDX-")
        || words.any(|word| WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

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
        let info = &line[length..];
        (length >= 3 && (mark == '~' || !info.contains('`'))).then_some(Code { mark, length })
    }

    /// Whether a line closes the code block that this fence opens.
    fn ends_at(self, line: &str) -> bool {
        let line = line.trim_end();
        Code::of(line)
            .is_some_and(|code| code.mark == self.mark && code.length >= self.length && line.len() == code.length)
    }

    /// The start of the line that closes the code block behind the frontmatter: the first line from `from` on that is
    /// not blank, or the last line of the file. Other code fences belong to code blocks of the body, and so does one of
    /// these two lines if one of these blocks needs it.
    fn end(self, text: &str, from: usize) -> Option<usize> {
        let first = skip_blank_lines(text, from);
        if self.ends_at(line(text, first)) {
            let (inside, _) = blocks(text, line_end(text, first));
            return inside.is_none().then_some(first);
        }
        let last = text.trim_end().rfind('\n').map_or(0, |found| found + 1);
        let (_, before_last) = blocks(text, first);
        (first <= last && self.ends_at(line(text, last)) && before_last.is_none()).then_some(last)
    }
}

/// The code block of the body that is open at the end of a text, if one is, and the one that is open at its last line that is
/// not blank. A block may be in a list or a quotation.
fn blocks(text: &str, from: usize) -> (Option<Code>, Option<Code>) {
    let (mut inside, mut before_last): (Option<Code>, Option<Code>) = (None, None);
    let text = text.trim_end();
    for (_, line) in lines(text.get(from..).unwrap_or_default()) {
        before_last = inside;
        let is_mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || "->*+.)".contains(c);
        let line = line.trim_start_matches(is_mark);
        inside = match inside {
            Some(code) if code.ends_at(line) => None,
            Some(code) => Some(code),
            None => Code::of(line),
        };
    }
    (inside, before_last)
}

/// The line that begins at this offset, without its ending.
fn line(text: &str, at: usize) -> &str {
    text[at..line_end(text, at)].trim_end_matches(['\n', '\r'])
}

/// The start of the first line from this offset on that is not blank, or the end of the text.
fn skip_blank_lines(text: &str, mut at: usize) -> usize {
    while at < text.len() && line(text, at).trim().is_empty() {
        at = line_end(text, at);
    }
    at
}

#[cfg(test)]
#[path = "../../tests/unit/frontmatter.rs"]
mod tests;
