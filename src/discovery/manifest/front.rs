//! Splits a document into frontmatter and body, and reads the frontmatter as a map, or finds out why there is none and
//! suggests how to fix it. The document may be a SKILL.md, a knowledge file, or any other file with frontmatter. Only
//! `---` counts as a fence (rules 4.7 and 4.8): what merely looks like one is used for the suggestion.

use super::refused::empty_key;
use super::{DiagnosticSink, faithful, head};
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialect::{COMMON_FIELDS, Dialect, FieldRole, Necessity, Reading};
use crate::discovery::extras::Extras;
use crate::text::frontmatter::{DASHES, Fault, Split, Wrong, body_start};
use crate::text::repair::{Missed, Repaired, Shape};
use crate::text::words::excerpt;
use crate::text::yaml::{Document, Node, Notice, NoticeKind, Span, Value};
use crate::text::{frontmatter, repair, yaml};
use std::ops::Range;

/// A document that was split, and whose frontmatter was read.
pub(crate) struct Front {
    pub(crate) outcome: FrontmatterOutcome,
    /// The bytes of the body; those of the whole text if there is no frontmatter.
    pub(crate) body: Range<usize>,
}

pub(crate) enum FrontmatterOutcome {
    /// Its fields. Spans are bytes of the whole text.
    Map(Vec<(Node, Node)>),
    /// There is none, for which the finding with this code gives the reason.
    Missing(Code),
    /// It could not be read, for which the finding with this code gives the reason.
    Lost(Code),
}

/// Splits a document and reads its frontmatter, which is searched for at its beginning alone (rule 4.3). `None` if
/// `partial` says that the text is a prefix, and more is needed.
pub(crate) fn front(extras: &Extras, dialect: &Dialect, sink: &mut DiagnosticSink<'_>, partial: bool) -> Option<Front> {
    if dialect.reading == Reading::Faithful {
        return faithful::front(extras, dialect, sink, partial);
    }
    let (text, end) = (head(sink.source), sink.source.text().len());
    let split = (extras.split)(text);
    if partial && !matches!(&split, Split::Found(parts) if parts.loose_close.is_none()) {
        return None;
    }
    report_control(sink);
    let (yaml, body, faults, loose_close) = match split {
        Split::Missing => {
            report_missing(dialect, sink, "expected `---` on the first line");
            return Some(Front { outcome: FrontmatterOutcome::Missing(Code::FrontmatterMissing), body: 0..end });
        }
        Split::Unclosed { fence } => {
            let message = "the frontmatter that starts here is not closed: expected a `---` line".to_owned();
            report_unclosed(sink, fence, Severity::Error, message);
            return Some(Front { outcome: FrontmatterOutcome::Lost(Code::FrontmatterUnclosed), body: 0..0 });
        }
        Split::Odd(odd) => (odd.yaml, odd.body, odd.faults, odd.loose_close),
        Split::Found(parts) => {
            let before = parts.after_comment.then(|| frontmatter::before(text, parts.first_fence));
            (parts.yaml, parts.body, before.into_iter().collect(), parts.loose_close)
        }
    };
    let (outcome, missed) = read_yaml(extras, dialect, sink, (&text[yaml.clone()], yaml.start));
    // Dashes behind the beginning of the body belong to it.
    if let Some(at) = loose_close.filter(|_| missed.is_none()) {
        let message = "expected exactly `---` to close the frontmatter";
        let fix = sink.fix(at, at, "---".into());
        let finding = sink.at_span(sink.rest_of_line(at), Severity::Warning, Code::FrontmatterFence, message.into());
        finding.fix = fix;
        finding.advise("write exactly three dashes");
    }
    for fault in faults {
        report_fault(sink, fault);
    }
    let body_end = if body.end == text.len() { end } else { body.end };
    let body = missed.map_or(body.start, |missed| yaml.start + missed.body)..body_end;
    Some(Front { outcome, body })
}

/// Reports control characters. Rule 4.4: NUL and others have been removed from the text.
pub(super) fn report_control(sink: &mut DiagnosticSink<'_>) {
    if let Some(control) = sink.source.control() {
        let times = if control.count == 1 { String::new() } else { format!(", {} in all", control.count) };
        let message = format!("the control character U+{:04X} is removed{times}", u32::from(control.what));
        sink.at_position(control.at, Severity::Warning, Code::ControlCharacter, message)
            .advise("delete it, or save the file as plain UTF-8 text");
    }
}

/// What was read of a frontmatter, and where the body begins if its closing fence is missing.
pub(crate) type Read = (FrontmatterOutcome, Option<Missed>);

/// Reads the YAML of a frontmatter, which begins at `base`. What is not valid, or may mislead, is recovered with the extras
/// alone.
fn read_yaml(extras: &Extras, dialect: &Dialect, sink: &mut DiagnosticSink<'_>, (text, base): (&str, usize)) -> Read {
    let (span, message) = match yaml::parse(text) {
        Ok(document) => {
            if let Some(meant) = (extras.reread)(dialect, sink, (text, base), &document) {
                return meant;
            }
            match document.root {
                None => {
                    report_notices(sink, document.notices, base);
                    return (FrontmatterOutcome::Map(Vec::new()), None);
                }
                Some(Node { value: Value::Map(map), .. }) => {
                    report_notices(sink, document.notices, base);
                    return (FrontmatterOutcome::Map(rebased_map(map, base)), None);
                }
                Some(other) => (other.span, format!("expected `key: value` lines, got {}", type_name(&other.value))),
            }
        }
        Err(error) => (Span { start: error.at, end: error.at }, error.message),
    };
    if let Some(meant) = (extras.repair)(dialect, sink, (text, base)) {
        return meant;
    }
    let message = format!("the frontmatter is not valid YAML: {message}");
    sink.at_span(moved_span(span, base), Severity::Error, Code::Yaml, message)
        .advise("write one `key: value` per line, with values in double quotes");
    (FrontmatterOutcome::Lost(Code::Yaml), None)
}

/// What the author of a valid YAML text meant, if that is something else than it says.
pub(crate) fn reread(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    (text, base): (&str, usize),
    document: &Document,
) -> Option<Read> {
    let meant = repair::reread(text, document, &|key| dialect.shape(key))?;
    Some(take_repaired(sink, meant, base, "misleading YAML"))
}

/// What the author of a text meant that is not valid YAML.
pub(crate) fn repair(dialect: &Dialect, sink: &mut DiagnosticSink<'_>, (text, base): (&str, usize)) -> Option<Read> {
    let meant = repair::repair(text, &|key| dialect.shape(key))?;
    Some(take_repaired(sink, meant, base, "invalid YAML"))
}

/// In place of [`reread`] in a lean world: reports that a valid YAML text may say something else than its author meant.
pub(crate) fn report_misleading(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    (text, base): (&str, usize),
    document: &Document,
) -> Option<Read> {
    let at = repair::misleading(text, document, &|key| dialect.shape(key))?;
    let message = "the YAML is valid, but may not say what its author meant; a lean world reads it as it is".to_owned();
    sink.at_span(sink.rest_of_line(base + at), Severity::Warning, Code::NotRead, message)
        .advise("put the value in double quotes, with a space before it");
    None
}

impl Dialect {
    pub(super) fn shape(&self, key: &str) -> Shape {
        match self.role_of(key) {
            None if self.has_nested_fields(key) => Shape::Map,
            Some(FieldRole::Metadata) => Shape::Map,
            Some(
                FieldRole::Name
                | FieldRole::Description
                | FieldRole::Version
                | FieldRole::License
                | FieldRole::Compatibility
                | FieldRole::ArgumentHint
                | FieldRole::Namespace
                | FieldRole::WhenToUse
                | FieldRole::Brief,
            ) => Shape::Text,
            Some(_) => Shape::Other,
            None => Shape::Unknown,
        }
    }
}

/// Takes a frontmatter that was repaired, and reports each repaired line. `instead` says what the YAML was.
pub(super) fn take_repaired(
    sink: &mut DiagnosticSink<'_>,
    meant: Repaired,
    base: usize,
    instead: &str,
) -> (FrontmatterOutcome, Option<Missed>) {
    let text = &sink.source.text()[base..];
    for mend in meant.mends {
        let mark = moved_span(repair::mark(text, &mend), base);
        let fix = sink.fix(base + mend.line_start, base + mend.end, mend.with);
        // Lines that are wrong only together have no correction of their own.
        let fix = fix.filter(|fix| sink.source.line(fix.line) != Some(fix.with.as_str()));
        let help = match fix {
            Some(_) => "replace the line with the corrected one",
            None => "write one `key: value` per line, with values in double quotes",
        };
        let message = format!("{instead}: {}", mend.why);
        let finding = sink.at_span(mark, Severity::Warning, Code::YamlRepaired, message);
        finding.fix = fix;
        finding.advise(help);
    }
    report_notices(sink, meant.notices, base);
    if let Some(missed) = meant.missed {
        let at = base + missed.fence;
        let fix = match missed.fence < missed.body {
            true => sink.fix(at, at, "---".into()),
            false => sink.fix_lines(at, at, format!("---\n{}", sink.slice(sink.rest_of_line(at)).unwrap_or_default())),
        };
        let message = "missing `---` before the text that starts here; read as if it were there";
        let finding = sink.at_span(sink.rest_of_line(at), Severity::Warning, Code::FrontmatterFence, message.into());
        finding.fix = fix;
        finding.advise("add a `---` line between the last field and the text");
    }
    let map = match meant.root.value {
        Value::Map(map) => rebased_map(map, base),
        other @ (Value::Text(_) | Value::List(_) | Value::Absent) => {
            let got = type_name(&other);
            debug_assert!(false, "the frontmatter of {:?} was repaired into {got}", sink.path);
            let message = format!("the frontmatter is not valid YAML: the repaired text is {got}, expected a mapping");
            sink.for_file(Severity::Error, Code::Yaml, &message);
            return (FrontmatterOutcome::Lost(Code::Yaml), meant.missed);
        }
    };
    (FrontmatterOutcome::Map(map), meant.missed)
}

pub(super) fn report_notices(sink: &mut DiagnosticSink<'_>, notices: Vec<Notice>, base: usize) {
    for notice in notices {
        let span = moved_span(notice.span, base);
        match notice.what {
            NoticeKind::Alias(unresolved) => {
                let message = format!("{}; the value is ignored", unresolved.reason());
                sink.at_span(span, Severity::Warning, Code::YamlAlias, message).advise("write the value itself");
            }
            NoticeKind::TooDeep => {
                let message = format!("expected at most {} levels of nesting; the value is ignored", yaml::MAX_DEPTH);
                sink.at_span(span, Severity::Warning, Code::YamlTooDeep, message);
            }
            NoticeKind::DuplicateKey { key, equal_until, last_counts } => {
                let used = if last_counts { "last" } else { "first" };
                let message =
                    format!("duplicate key `{}`; the {used} value is used", crate::text::escape::visible(&key));
                let fix = match equal_until {
                    Some(end) => removal(sink, Span { end: base + end, ..span }),
                    // Readers that accept a key twice may still expect one before the colon.
                    None if key.is_empty() => empty_key(sink, span.start),
                    None => None,
                };
                let help = match equal_until {
                    Some(_) => "remove one of them",
                    None => "keep the intended one: some clients use the last one, and others reject the file",
                };
                let finding = sink.at_span(span, Severity::Warning, Code::DuplicateKey, message);
                finding.fix = fix;
                finding.advise(help);
            }
            NoticeKind::Comment { value, from, line_with, hash_word, .. } => {
                let severity = if hash_word { Severity::Warning } else { Severity::Note };
                let shown = crate::text::words::cut(&value, 40).into_owned();
                let message = format!(
                    "` #` starts a comment, so the value ends before it: `{}`",
                    crate::text::escape::visible(&shown)
                );
                let fix = sink.fix(base + from, base + notice.span.end, line_with);
                // The comment, which may be meant as a part of the value, follows it.
                let whole = Span { end: sink.rest_of_line(span.end).end, ..span };
                let finding = sink.at_span(whole, severity, Code::YamlComment, message);
                finding.fix = fix;
                finding.advise("put the whole value in double quotes if the `#` belongs to it");
            }
        }
    }
}

/// The fix that removes the lines of a pair; `None` if something else is on them.
fn removal(sink: &DiagnosticSink<'_>, pair: Span) -> Option<Fix> {
    let text = sink.source.text();
    let (before, after) = (text.get(..pair.start)?, text.get(pair.end..)?);
    let (before, after) = (before.trim_end_matches(BLANKS), after.trim_start_matches(BLANKS));
    let is_alone = (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'));
    if is_alone { sink.fix_lines(pair.start, pair.end, String::new()) } else { None }
}

/// What YAML takes for white space inside a line.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// Moves the spans of a map from the text of the frontmatter to that of the document.
pub(super) fn rebased_map(mut map: Vec<(Node, Node)>, base: usize) -> Vec<(Node, Node)> {
    for (key, value) in &mut map {
        rebase_node(key, base);
        rebase_node(value, base);
    }
    map
}

pub(super) fn moved_span(span: Span, base: usize) -> Span {
    Span { start: base + span.start, end: base + span.end }
}

/// Depth is bounded by `yaml::MAX_DEPTH`.
fn rebase_node(node: &mut Node, base: usize) {
    node.span = moved_span(node.span, base);
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| rebase_node(item, base)),
        Value::Map(map) => map.iter_mut().for_each(|(key, value)| {
            rebase_node(key, base);
            rebase_node(value, base);
        }),
        Value::Text(_) | Value::Absent => {}
    }
}

/// The type of a value, for messages.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Text(_) => "text",
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
        Value::Absent => "nothing",
    }
}

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
    } else if has_doubled_returns(text) {
        ", got lines that end in two carriage returns before the line feed"
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
fn report_fault(sink: &mut DiagnosticSink<'_>, fault: Fault) {
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

pub(super) fn moving_fix(sink: &DiagnosticSink<'_>, Fault { lines: (from, to), with, .. }: Fault) -> Option<Fix> {
    if with.len() <= MAX_MOVED_BYTES { sink.fix_lines(from, to, with) } else { None }
}

pub(super) fn set_help(finding: &mut Diagnostic, help: String, fix: Option<Fix>) {
    finding.help = Some(help);
    finding.fix = fix;
}

/// What to do about a missing opening fence, by what the file begins with; `None` if nothing is similar to one.
fn help_for_missing_opening(sink: &DiagnosticSink<'_>) -> Option<Help> {
    let text = sink.source.text();
    if has_only_carriage_returns(text) || has_doubled_returns(text) {
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
    if let Some(help) = help_for_field_behind(sink, at) {
        return Some(help);
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

/// What to do about a field behind the opening fence that begins at this byte, on its line.
pub(super) fn help_for_field_behind(sink: &DiagnosticSink<'_>, fence: usize) -> Option<Help> {
    let field = sink.slice(sink.rest_of_line(fence))?.strip_prefix(DASHES)?.trim_start_matches(['-', ' ', '\t']);
    repair::key_of(field)?;
    let fix = sink.fix_lines(fence, fence, format!("{DASHES}\n{field}"));
    Some((format!("move `{}` to a line of its own, below the `---`", excerpt(field, 40)), fix))
}

/// More fields at the beginning of a body, between fences. The fence before them is reported if the file is checked.
pub(super) fn fields_in_body(body: &Range<usize>, is_checked: bool, sink: &mut DiagnosticSink<'_>) -> Option<String> {
    let (before, text) = head(sink.source).split_at_checked(body.start)?;
    let fence = before.trim_end().rfind('\n')? + 1;
    let fields = frontmatter::more_fields(text)?;
    let found = Some(format!("{DASHES}\n{}{DASHES}\n", &text[fields.clone()]));
    if is_checked {
        let number = |at| sink.source.position(at).line;
        let lines = match text[..fields.start].rfind(DASHES) {
            Some(second) => format!("lines {} to {}", number(fence), number(body.start + second)),
            None => "this line".to_owned(),
        };
        let message = "this fence closes the frontmatter, but more fields follow it".to_owned();
        let finding = sink.at_span(sink.rest_of_line(fence), Severity::Warning, Code::FrontmatterFence, message);
        finding.advise(&format!("remove {lines}, so that all fields are between two `---` lines"));
    }
    found
}

/// What to do about a missing closing fence, by what follows the fields; `None` if nothing is similar to one.
pub(super) fn help_for_missing_closing(sink: &DiagnosticSink<'_>, fence: usize) -> Option<Help> {
    let number = |at| sink.source.position(at).line;
    let mut has_field = false;
    let mut in_code = false;
    let mut blank_line = None;
    // The first byte of the text after the fields, and of the blank line before it.
    let mut text_start: Option<(usize, Option<usize>)> = None;
    let text = sink.source.text();
    for (at, line) in lines(text, fence).skip(1) {
        let trimmed = line.trim_end();
        in_code ^= text_start.is_some() && trimmed.starts_with("```");
        if is_field(line) && !in_code {
            (has_field, text_start) = (true, None);
            if trimmed.ends_with("---") {
                return Some((format!("move the `---` at the end of line {} to a line of its own", number(at)), None));
            }
        } else if has_field && text_start.is_none() {
            let is_fence = is_similar_to_fence(line) || trimmed.starts_with("```");
            if trimmed == "..." || (is_fence && !begins_code(text, at)) {
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
    let line = sink.slice(sink.rest_of_line(at)).unwrap_or_default();
    let fix = match blank_line {
        Some(blank) => sink.fix(blank, blank, "---".into()),
        // Other lines may continue the value before them.
        None if line.starts_with("# ") || begins_code(text, at) => sink.fix_lines(at, at, format!("---\n{line}")),
        None => None,
    };
    Some((format!("add a `---` line before line {}, where the text starts", number(at)), fix))
}

/// Whether a code block begins at a line: the fence has a language, or a partner further below.
fn begins_code(text: &str, at: usize) -> bool {
    let mut lines = lines(text, at).map(|(_, line)| line.trim());
    let Some((first, mark)) = lines.next().and_then(|first| Some((first, first.get(..3)?))) else { return false };
    let is_code = matches!(mark, "```" | "~~~");
    is_code && (!first.trim_start_matches(['`', '~']).is_empty() || lines.any(|line| line.starts_with(mark)))
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

fn has_only_carriage_returns(text: &str) -> bool {
    text.trim_end().contains('\r') && !text.contains('\n')
}

/// Whether the first line is a fence whose line ending was converted twice.
fn has_doubled_returns(text: &str) -> bool {
    text.starts_with("---\r\r\n")
}

fn advice_to_replace(number: usize, line: &str) -> String {
    format!("line {number} is `{}`: write `---` alone on the line, without indentation", excerpt(line, 40))
}
