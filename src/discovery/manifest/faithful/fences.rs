//! Finds the fences of a frontmatter as a client does, and reports a frontmatter that the client does not find.

use crate::diagnostic::{Code, Severity};
use crate::dialect::{Beside, Dialect, Fence, HeaderRule, Permitted};
use crate::discovery::manifest::{DiagnosticSink, fence};
use crate::text::frontmatter::{before, body_start, line_end};
use crate::text::yaml::Span;
use std::ops::Range;

const DASHES: &str = "---";

/// The parts of a text with frontmatter, as ranges of bytes.
pub(crate) struct Parts {
    pub(super) yaml: Range<usize>,
    pub(super) body: Range<usize>,
    /// Where the opening fence begins, if the frontmatter ends only with the text.
    pub(super) unclosed: Option<usize>,
    /// Whether the text between the fences is the same if more text follows.
    pub(super) is_certain: bool,
}

/// Why a client finds no frontmatter.
pub(super) enum Missing {
    /// The file begins with a byte order mark.
    ByteOrderMark,
    /// There is no opening fence.
    Opening,
    /// There is no closing fence for the opening one at this byte.
    Closing(usize),
}

/// Splits a text at its fences, which are searched for in its `head`. `len` is the length of the whole.
pub(super) fn split(header: &HeaderRule, head: &str, len: usize) -> Result<Parts, Missing> {
    let (fence, start) = opening(header, head).ok_or(Missing::Opening)?;
    match (closing(header.closing, (head, len), start), header.unclosed) {
        (Some((end, body, is_certain)), _) => {
            Ok(Parts { yaml: start..end, body: body..len, unclosed: None, is_certain })
        }
        (None, Permitted::Yes) => {
            Ok(Parts { yaml: start..head.len(), body: len..len, unclosed: Some(fence), is_certain: false })
        }
        (None, Permitted::No) => Err(Missing::Closing(fence)),
    }
}

/// Where the opening fence begins, and where the YAML behind it does.
fn opening(header: &HeaderRule, text: &str) -> Option<(usize, usize)> {
    let fence = header.opening;
    let skips_blank_lines = header.blank_lines_before == Permitted::Yes;
    let mut start = 0;
    while start < text.len() {
        let (line, end) = line_at(text, start);
        let at = dashes(fence, line).map(|at| start + at);
        match (fence.before, at) {
            (Beside::Text | Beside::Dropped, Some(at)) => return Some((at, at + DASHES.len())),
            (Beside::Text | Beside::Dropped, None) => {}
            (Beside::Nothing | Beside::Blanks, Some(_)) => {
                let is_longer = is_text(fence.after) && line.trim_start().starts_with("----");
                return (!is_longer).then_some((start, end));
            }
            (Beside::Nothing | Beside::Blanks, None) if skips_blank_lines && line.trim().is_empty() => {}
            (Beside::Nothing | Beside::Blanks, None) => return None,
        }
        start = end;
    }
    None
}

/// Where the closing fence and the body begin, and whether more text would not change the former.
fn closing(fence: Fence, (text, len): (&str, usize), mut start: usize) -> Option<(usize, usize, bool)> {
    while start < text.len() {
        let (line, end) = line_at(text, start);
        let Some(at) = dashes(fence, line) else {
            start = end;
            continue;
        };
        let behind = at + DASHES.len();
        let body = match fence.after {
            Beside::Text if behind < line.len() => start + behind,
            Beside::Dropped if behind < line.len() => len,
            Beside::Nothing | Beside::Blanks | Beside::Text | Beside::Dropped => end,
        };
        let yaml_end = if is_text(fence.before) { start + at } else { start };
        // What follows may be a part of the line.
        return Some((yaml_end, body, is_text(fence.after) || text[start..end].ends_with('\n')));
    }
    None
}

/// The line that begins here, without its ending, and where the next one begins.
fn line_at(text: &str, start: usize) -> (&str, usize) {
    let end = line_end(text, start);
    let line = &text[start..end];
    let line = line.strip_suffix('\n').unwrap_or(line);
    (line.strip_suffix('\r').unwrap_or(line), end)
}

fn is_text(beside: Beside) -> bool {
    matches!(beside, Beside::Text | Beside::Dropped)
}

/// Where the dashes are in a line that is such a fence.
fn dashes(fence: Fence, line: &str) -> Option<usize> {
    let at = line.find(DASHES)?;
    let is_fine = |beside, text: &str| match beside {
        Beside::Nothing => text.is_empty(),
        Beside::Blanks => text.trim().is_empty(),
        Beside::Text | Beside::Dropped => true,
    };
    (is_fine(fence.before, &line[..at]) && is_fine(fence.after, &line[at + DASHES.len()..])).then_some(at)
}

/// What a line must be like, for messages.
fn expected(fence: Fence) -> &'static str {
    match (fence.before, fence.after) {
        (Beside::Text | Beside::Dropped, _) => "contains `---`",
        (_, Beside::Text | Beside::Dropped) => "begins with `---`",
        (Beside::Nothing, Beside::Nothing) => "is exactly `---`",
        (Beside::Nothing, Beside::Blanks) => "is `---`, with nothing but blanks after it",
        (Beside::Blanks, _) => "is `---`, with nothing but blanks around it",
    }
}

/// Reports a frontmatter that a client does not find, and returns the code of the finding.
pub(super) fn report_missing(dialect: &Dialect, missing: Missing, sink: &mut DiagnosticSink<'_>) -> Code {
    let (client, header) = (&dialect.name, &dialect.header);
    let text = sink.source.text();
    let first = if header.blank_lines_before == Permitted::Yes { "first line that is not blank" } else { "first line" };
    let rule = match is_text(header.opening.before) {
        true => format!("`{client}` reads frontmatter only after a `---`"),
        false => format!("`{client}` reads frontmatter only if the {first} {}", expected(header.opening)),
    };
    if let Missing::ByteOrderMark = missing {
        let message = format!("`{client}` reads no frontmatter in a file that begins with a byte order mark");
        sink.at_span(sink.rest_of_line(0), Severity::Error, Code::ByteOrderMark, message)
            .advise("save the file as UTF-8 without byte order mark");
        return Code::ByteOrderMark;
    }
    if let Missing::Closing(fence) = missing {
        let expected = expected(header.closing);
        let message =
            format!("the frontmatter that starts here is not closed: `{client}` expects a line that {expected}");
        fence::report_unclosed(sink, fence, Severity::Error, message);
        return Code::FrontmatterUnclosed;
    }
    // Something that would be a fence elsewhere, or with other characters around it.
    let at = body_start(text);
    if !text[at..].trim_start().starts_with(DASHES) {
        fence::report_missing(dialect, sink, &rule);
        return Code::FrontmatterMissing;
    }
    let are_blanks_fine = header.blank_lines_before == Permitted::Yes && text[..at].trim().is_empty();
    let (code, got, help, fix) = if at == 0 || are_blanks_fine {
        let line = sink.rest_of_line(at);
        let is_indented = text[line.start..line.end].trim() == DASHES;
        let fix = if is_indented { sink.fix(at, at, DASHES.into()) } else { None };
        (Code::FrontmatterFence, "another line", "write `---` as the first line, and nothing else there", fix)
    } else {
        let fix = fence::moving_fix(sink, before(text, at));
        let help =
            "make `---` the first line of the file; what stands before it may become comments between the fields";
        (Code::FrontmatterNotFirst, "something before it", help, fix)
    };
    let span = sink.rest_of_line(at);
    let finding = sink.at_span(Span { start: at, ..span }, Severity::Error, code, format!("{rule}, got {got}"));
    finding.advise(help);
    finding.fix = fix;
    code
}
