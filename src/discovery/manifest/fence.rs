//! Reports a frontmatter that is missing, not closed, or oddly placed, and suggests how to fix it. Only `---` counts as
//! a fence (rules 4.7 and 4.8): what merely looks like one is used for the suggestion.

use super::DiagnosticSink;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialect::{COMMON_FIELDS, Dialect, FieldRole, Necessity};
use crate::text::frontmatter::{Fault, Wrong, body_start};
use crate::text::words::excerpt;
use crate::text::yaml::Span;

/// How many lines are searched for something similar to a fence.
const MAX_LINES: usize = 2_000;

/// What to do, and a fix if writing one line is enough.
type Help = (String, Option<Fix>);

/// Reports that there is no opening fence. `rule` says what was expected.
pub(super) fn report_missing(dialect: &Dialect, sink: &mut DiagnosticSink<'_>, rule: &str) {
    let text = sink.source.text();
    let (help, fix) = help_for_missing_opening(sink).unwrap_or_else(|| (advice_to_start(dialect), None));
    let got = if has_only_carriage_returns(text) {
        ", got a file of one line: its lines end in carriage returns without line feeds"
    } else {
        ""
    };
    // Without line feeds the first line is the whole text.
    let line = if has_only_carriage_returns(text) { Span { start: 0, end: 0 } } else { sink.rest_of_line(0) };
    set_help(sink.at_span(line, Severity::Error, Code::FrontmatterMissing, format!("{rule}{got}")), help, fix);
}

/// Tells how to write a frontmatter, with the fields that the dialect expects.
fn advice_to_start(dialect: &Dialect) -> String {
    let asked = dialect.fields.iter().filter(|field| field.necessity != Necessity::Optional);
    let asked: Vec<String> = asked.map(|field| format!("`{}`", field.path)).collect();
    match asked.as_slice() {
        [] => "no field is required; to add some, such as `description`, put them first, between two `---` lines"
            .to_owned(),
        [one] => format!("start the file with `---`, the field {one}, and `---`"),
        several => format!("start the file with `---`, the fields {}, and `---`", several.join(" and ")),
    }
}

/// Reports that the fence at this byte is never closed.
pub(super) fn report_unclosed(sink: &mut DiagnosticSink<'_>, fence: usize, severity: Severity, message: String) {
    let (help, fix) =
        help_for_missing_closing(sink, fence).unwrap_or_else(|| ("add a `---` line after the last field".into(), None));
    set_help(sink.at_span(sink.rest_of_line(fence), severity, Code::FrontmatterUnclosed, message), help, fix);
}

/// How many bytes of text before a frontmatter a fix may move.
const MAX_MOVED_BYTES: usize = 4_096;

/// Reports a frontmatter that does not start or end as it should, but was read.
pub(super) fn report_fault(sink: &mut DiagnosticSink<'_>, fault: Fault) {
    let Fault { what, at, lines: (from, to), mut with } = fault;
    let (code, message, help) = match what {
        Wrong::Before => (
            Code::FrontmatterNotFirst,
            "text before the frontmatter: most clients expect `---` on the first line",
            "move it below the frontmatter, or turn it into comments between the fields",
        ),
        Wrong::NoOpening => (
            Code::FrontmatterFence,
            "missing `---` before the first field; read as if it were there",
            "add a `---` line before the fields",
        ),
        Wrong::CodeOpening => (
            Code::FrontmatterFence,
            "expected `---`, got a code fence; read as `---`",
            "remove the code fence and start the file with `---`",
        ),
        Wrong::CodeClosing => (
            Code::FrontmatterFence,
            "expected `---` to close the frontmatter, got a code fence; read as `---`",
            "remove the code fence and put `---` after the fields",
        ),
        Wrong::CodeEnd => (
            Code::FrontmatterFence,
            "the code fence around the frontmatter ends here; the line is ignored",
            "remove the line",
        ),
    };
    let mut last = 0;
    // If the line that the fix writes has a fix already, both are applied.
    if what == Wrong::NoOpening {
        let line = sink.source.position(at).line;
        let mended = sink.findings.iter().find_map(|found| found.fix.as_ref().filter(|fix| fix.line == line));
        if let (Some(fix), Some((before, _))) = (mended, with.rsplit_once('\n')) {
            (with, last) = (format!("{before}\n{}", fix.with), fix.last);
        }
    }
    let fix = moving_fix(sink, Fault { what, at, lines: (from, to), with });
    let fix = fix.map(|fix| Fix { last: fix.last.max(last), ..fix });
    set_help(sink.at_span(sink.rest_of_line(at), Severity::Warning, code, message.into()), help.into(), fix);
}

/// The fix for something before a frontmatter.
pub(super) fn moving_fix(sink: &DiagnosticSink<'_>, Fault { lines: (from, to), with, .. }: Fault) -> Option<Fix> {
    if with.len() <= MAX_MOVED_BYTES { sink.fix_lines(from, to, with) } else { None }
}

/// Adds a suggestion to a finding.
fn set_help(finding: &mut Diagnostic, help: String, fix: Option<Fix>) {
    finding.help = Some(help);
    finding.fix = fix;
}

/// What to do about a missing opening fence, by what the file begins with; `None` if nothing is similar to one.
fn help_for_missing_opening(sink: &DiagnosticSink<'_>) -> Option<Help> {
    let text = sink.source.text();
    if has_only_carriage_returns(text) {
        return Some(("save the file with line feeds as line endings".into(), None));
    }
    if is_link_stub(text) {
        let help = "this looks like a symbolic link that was stored as text; replace it with the file itself or a real \
                 link";
        return Some((help.into(), None));
    }
    let start = body_start(text);
    let mut lines = lines(text, start).filter(|(_, line)| !line.trim().is_empty());
    let (at, first) = lines.next()?;
    let next = lines.next().map_or("", |(_, line)| line);
    if first.trim() == "+++" {
        let help = "write the fields as YAML, one `key: value` per line, between two `---` lines";
        return Some((help.into(), None));
    }
    if first.starts_with('{') {
        return Some(("add a `---` line before the `{` and one after its `}`".into(), None));
    }
    if is_field(first) {
        return Some(("add a `---` line before the fields and one after them".into(), None));
    }
    if first.starts_with("```") && (next.trim_end() == "---" || is_field(next)) {
        return Some(("remove the code fence and put the frontmatter between two `---` lines".into(), None));
    }
    if (is_similar_to_fence(first) || has_short_text(first)) && is_field(next) {
        let number = sink.source.position(at).line;
        let help = advice_to_replace(number, first);
        return Some((help, sink.fix(at, at, "---".into())));
    }
    let pairs = self::lines(text, start).zip(self::lines(text, start).skip(1));
    let ((fence, _), _) =
        pairs.into_iter().find(|((_, line), (_, next))| line.trim_end() == "---" && is_field(next))?;
    let number = sink.source.position(fence).line;
    Some((format!("the frontmatter starts on line {number}: move the text before it to below its end"), None))
}

/// What to do about a missing closing fence, by what follows the fields; `None` if nothing is similar to one.
fn help_for_missing_closing(sink: &DiagnosticSink<'_>, fence: usize) -> Option<Help> {
    let number = |at| sink.source.position(at).line;
    let mut has_field = false;
    let mut in_code = false;
    let mut blank_line = None;
    // The first byte of the text after the fields, and of the blank line before it.
    let mut text_start: Option<(usize, Option<usize>)> = None;
    for (at, line) in lines(sink.source.text(), fence).skip(1) {
        let trimmed = line.trim_end();
        in_code ^= text_start.is_some() && trimmed.starts_with("```");
        if is_field(line) && !in_code {
            (has_field, text_start) = (true, None);
            if trimmed.ends_with("---") {
                return Some((format!("move the `---` at the end of line {} to a line of its own", number(at)), None));
            }
        } else if has_field && text_start.is_none() {
            if trimmed == "..." || is_similar_to_fence(line) || trimmed.starts_with("```") {
                return Some((advice_to_replace(number(at), line), sink.fix(at, at, "---".into())));
            }
            if line.starts_with("---") {
                return Some((
                    format!("move the `---` at the start of line {} to a line of its own", number(at)),
                    None,
                ));
            }
            let is_text = !line.starts_with(|c: char| c.is_whitespace() || "-]}\"'".contains(c)) && !is_key(line);
            text_start = (is_text && !trimmed.is_empty()).then_some((at, blank_line));
        }
        blank_line = trimmed.is_empty().then_some(at);
    }
    let (at, blank_line) = text_start?;
    let fix = blank_line.and_then(|blank| sink.fix(blank, blank, "---".into()));
    Some((format!("add a `---` line before line {}, where the text starts", number(at)), fix))
}

/// The lines from a byte on, each with its first byte.
fn lines(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    debug_assert!(text.is_char_boundary(start), "a line starts at byte {start}");
    let lines = text.get(start..).into_iter().flat_map(crate::text::lines::lines);
    lines.take(MAX_LINES).map(move |(at, line)| (start + at, line.trim_end_matches('\r')))
}

/// Whether a line starts one of the two fields that nearly every skill has.
fn is_field(line: &str) -> bool {
    let mut fields = COMMON_FIELDS.iter().filter(|(_, role)| matches!(role, FieldRole::Name | FieldRole::Description));
    let rest = fields.find_map(|(name, _)| line.trim_start().strip_prefix(name));
    rest.is_some_and(|rest| rest.trim_start().starts_with([':', '\u{ff1a}']))
}

/// Whether a line may be a field of any name.
fn is_key(line: &str) -> bool {
    let key = line.split_once(':').map_or("", |(key, _)| key);
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.\"'".contains(c))
}

/// Whether a line is three dashes followed by a word or a comment.
fn has_short_text(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|word| word.trim_start_matches([' ', '#']).len() < 12)
}

/// Whether a line was probably meant as a fence: dashes or another mark, with white space, invisible characters or a
/// backslash around them.
fn is_similar_to_fence(line: &str) -> bool {
    let trimmed =
        line.trim_matches(|c: char| c.is_whitespace() || "\\\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}".contains(c));
    let dashes =
        trimmed.trim_start_matches(|c: char| "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}".contains(c));
    let is_mark = |mark: char| trimmed.chars().count() > 2 && trimmed.chars().all(|c| c == mark);
    (!trimmed.is_empty() && dashes.is_empty()) || ['*', '=', '_', '~', '+'].into_iter().any(is_mark)
}

/// Whether a text is nothing but the path of a file: a checkout without support for symlinks writes such files.
fn is_link_stub(text: &str) -> bool {
    let path = text.trim();
    path.contains('/') && path.ends_with(".md") && !path.contains(['\n', '\r', ' '])
}

/// Whether a text has carriage returns, but no line feeds.
fn has_only_carriage_returns(text: &str) -> bool {
    text.trim_end().contains('\r') && !text.contains('\n')
}

/// Tells to replace a line that is similar to a fence.
fn advice_to_replace(number: usize, line: &str) -> String {
    format!("line {number} is `{}`: write `---` alone on the line, without indentation", excerpt(line, 40))
}
