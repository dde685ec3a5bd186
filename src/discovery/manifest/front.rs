//! Splits a document into frontmatter and body, and reads the frontmatter as a map, or finds out why there is none. The
//! document may be a SKILL.md, a knowledge file, or any other file with frontmatter.

use super::refused::empty_key;
use super::{DiagnosticSink, faithful, fence, head};
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{Dialect, FieldRole, Reading};
use crate::discovery::extras::Extras;
use crate::text::frontmatter::{self, Split};
use crate::text::repair::{self, Missed, Repaired, Shape};
use crate::text::yaml::{self, Document, Node, Notice, NoticeKind, Span, Value};
use std::ops::Range;

/// A document that was split, and whose frontmatter was read.
pub(crate) struct Front {
    pub(crate) outcome: FrontmatterOutcome,
    /// The bytes of the body; those of the whole text if there is no frontmatter.
    pub(crate) body: Range<usize>,
}

/// The outcome of reading a frontmatter.
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
pub(crate) fn front(extras: Extras, dialect: &Dialect, sink: &mut DiagnosticSink<'_>, partial: bool) -> Option<Front> {
    if dialect.reading == Reading::Faithful {
        return faithful::front(extras, dialect, sink, partial);
    }
    let (text, end) = (head(sink.source), sink.source.text().len());
    let split = split(extras, text);
    if partial && !matches!(&split, Split::Found(parts) if parts.loose_close.is_none()) {
        return None;
    }
    report_control(sink);
    let (yaml, body, faults, loose_close) = match split {
        Split::Missing => {
            fence::report_missing(dialect, sink, "expected `---` on the first line");
            return Some(Front { outcome: FrontmatterOutcome::Missing(Code::FrontmatterMissing), body: 0..end });
        }
        Split::Unclosed { fence } => {
            let message = "the frontmatter that starts here is not closed: expected a `---` line".to_owned();
            fence::report_unclosed(sink, fence, Severity::Error, message);
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
        fence::report_fault(sink, fault);
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

/// Splits a text at its fences, and finds other frontmatter only with the extras.
pub(super) fn split(extras: Extras, text: &str) -> Split {
    match extras {
        Some(extras) => (extras.split)(text),
        None => frontmatter::split_at_fences(text),
    }
}

/// What was read of a frontmatter, and where the body begins if its closing fence is missing.
pub(crate) type Read = (FrontmatterOutcome, Option<Missed>);

/// Reads the YAML of a frontmatter, which begins at `base`. What is not valid, or may mislead, is recovered with the extras
/// alone.
fn read_yaml(extras: Extras, dialect: &Dialect, sink: &mut DiagnosticSink<'_>, (text, base): (&str, usize)) -> Read {
    let (span, message) = match yaml::parse(text) {
        Ok(document) => {
            match extras {
                Some(extras) => {
                    if let Some(meant) = (extras.reread)(dialect, sink, (text, base), &document) {
                        return meant;
                    }
                }
                None => report_misleading(dialect, sink, (text, base), &document),
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
    if let Some(meant) = extras.and_then(|extras| (extras.repair)(dialect, sink, (text, base))) {
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

/// Reports that a valid YAML text may say something else than its author meant.
fn report_misleading(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    (text, base): (&str, usize),
    document: &Document,
) {
    let Some(at) = repair::misleading(text, document, &|key| dialect.shape(key)) else { return };
    let message = "the YAML is valid, but may not say what its author meant; a lean world reads it as it is".to_owned();
    sink.at_span(sink.rest_of_line(base + at), Severity::Warning, Code::NotRead, message)
        .advise("put the value in double quotes, with a space before it");
}

impl Dialect {
    /// The shape that the value of a key should have.
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
            _ => Shape::Unknown,
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
        let message = format!("{instead}: {}", mend.why);
        let finding = sink.at_span(mark, Severity::Warning, Code::YamlRepaired, message);
        finding.fix = fix;
        finding.advise("replace the line with the corrected one");
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

/// Reports what the YAML reader noticed.
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
            NoticeKind::DuplicateKey { key, equal_until } => {
                let message =
                    format!("duplicate key `{}`; the first value is used", crate::text::escape::visible(&key));
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
    let is_blank = |part: Option<&str>| part.is_some_and(|part| part.trim_matches(BLANKS).is_empty());
    let is_alone = is_blank(before.rsplit('\n').next()) && is_blank(after.split('\n').next());
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
