//! In: a document's text. Out: its frontmatter as a map, or why there is none, and its body.
//! Any document with frontmatter: a SKILL.md, a knowledge file, an agent's specification.

use super::{DiagnosticSink, fence};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{Dialect, FieldRole};
use crate::text::frontmatter::{self, Split};
use crate::text::repair::{self, Missed, Repaired, Shape};
use crate::text::yaml::{self, Node, Notice, NoticeKind, Span, Value};
use std::ops::Range;

/// A document, split and read.
pub(crate) struct Front {
    pub(crate) outcome: ReadOutcome,
    /// The bytes of the body: those of the whole text where there is no frontmatter.
    pub(crate) body: Range<usize>,
}

/// What became of the frontmatter.
pub(crate) enum ReadOutcome {
    /// Its fields; spans are bytes of the whole text.
    Map(Vec<(Node, Node)>),
    /// There is none, by this finding.
    Lost(Code),
}

/// Splits and reads a document. None when the text is only a part, and more is needed to tell.
pub(crate) fn front(dialect: &Dialect, sink: &mut DiagnosticSink<'_>, partial: bool) -> Option<Front> {
    let text = sink.source.text();
    let split = frontmatter::split(text);
    if partial && !matches!(&split, Split::Found(parts) if parts.loose_close.is_none()) {
        return None;
    }
    control(sink);
    let (yaml, body, faults) = match split {
        Split::Missing => {
            fence::missing(dialect, sink);
            return Some(Front { outcome: ReadOutcome::Lost(Code::FrontmatterMissing), body: 0..text.len() });
        }
        Split::Unclosed { fence } => {
            fence::unclosed(sink, fence);
            return Some(Front { outcome: ReadOutcome::Lost(Code::FrontmatterUnclosed), body: 0..0 });
        }
        Split::Odd(odd) => (odd.yaml, odd.body, odd.faults),
        Split::Found(parts) => {
            let before = parts.after_comment.then(|| frontmatter::before(text, parts.first_fence));
            if let Some(at) = parts.loose_close {
                let message = "expected exactly `---` to close the frontmatter";
                let fix = sink.fix(at, at, "---".into());
                let finding = sink.over(sink.line(at), Severity::Warning, Code::FrontmatterFence, message.into());
                finding.fix = fix;
                finding.advise("write exactly three dashes");
            }
            (parts.yaml, parts.body, before.into_iter().collect())
        }
    };
    let (outcome, missed) = read_yaml(dialect, sink, &text[yaml.clone()], yaml.start);
    for fault in faults {
        fence::odd(sink, fault);
    }
    let body = missed.map_or(body.start, |missed| yaml.start + missed.body)..body.end;
    Some(Front { outcome, body })
}

/// decisions 3: NUL and other control characters are dropped before anything reads.
fn control(sink: &mut DiagnosticSink<'_>) {
    if let Some(control) = sink.source.control() {
        let times = if control.count == 1 { String::new() } else { format!(", {} in all", control.count) };
        let message = format!("the control character U+{:04X} is removed{times}", u32::from(control.what));
        sink.place(control.at, Severity::Warning, Code::ControlCharacter, message)
            .advise("delete it, or save the file as plain UTF-8 text");
    }
}

fn read_yaml(
    dialect: &Dialect,
    sink: &mut DiagnosticSink<'_>,
    text: &str,
    base: usize,
) -> (ReadOutcome, Option<Missed>) {
    let shape = |key: &str| dialect.shape(key);
    let (span, message) = match yaml::parse(text) {
        Ok(document) => match repair::reread(text, &document, &shape) {
            Some(meant) => return repaired(sink, meant, base, "misleading YAML"),
            None => match document.root {
                None => {
                    noticed(sink, document.notices, base);
                    return (ReadOutcome::Map(Vec::new()), None);
                }
                Some(Node { value: Value::Map(map), .. }) => {
                    noticed(sink, document.notices, base);
                    return (ReadOutcome::Map(rebased(map, base)), None);
                }
                Some(other) => (other.span, format!("expected `key: value` lines, got {}", kind(&other.value))),
            },
        },
        Err(error) => (Span { start: error.at, end: error.at }, error.message),
    };
    if let Some(meant) = repair::repair(text, &shape) {
        return repaired(sink, meant, base, "invalid YAML");
    }
    let message = format!("the frontmatter is not valid YAML: {message}");
    sink.over(moved(span, base), Severity::Error, Code::Yaml, message)
        .advise("write one `key: value` per line, with values in double quotes");
    (ReadOutcome::Lost(Code::Yaml), None)
}

impl Dialect {
    /// What the value of a key should be.
    fn shape(&self, key: &str) -> Shape {
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

/// What was recovered, with a finding for each line; `instead` is what YAML makes of it.
fn repaired(
    sink: &mut DiagnosticSink<'_>,
    meant: Repaired,
    base: usize,
    instead: &str,
) -> (ReadOutcome, Option<Missed>) {
    let text = &sink.source.text()[base..];
    for mend in meant.mends {
        let mark = moved(repair::mark(text, &mend), base);
        let fix = sink.fix(base + mend.line_start, base + mend.end, mend.with);
        let message = format!("{instead}: {}", mend.why);
        let finding = sink.over(mark, Severity::Warning, Code::YamlRepaired, message);
        finding.fix = fix;
        finding.advise("replace the line with the corrected one");
    }
    noticed(sink, meant.notices, base);
    if let Some(missed) = meant.missed {
        let at = base + missed.fence;
        let fix = sink.fix(at, at, "---".into());
        let message = "missing `---` before the text that starts here; read as if it were there";
        let finding = sink.over(sink.line(at), Severity::Warning, Code::FrontmatterFence, message.into());
        finding.fix = fix;
        finding.advise("add a `---` line between the last field and the text");
    }
    let map = match meant.root.value {
        Value::Map(map) => rebased(map, base),
        Value::Text(_) | Value::List(_) | Value::Absent => Vec::new(),
    };
    (ReadOutcome::Map(map), meant.missed)
}

fn noticed(sink: &mut DiagnosticSink<'_>, notices: Vec<Notice>, base: usize) {
    for notice in notices {
        let span = moved(notice.span, base);
        match notice.what {
            NoticeKind::Alias => {
                sink.over(
                    span,
                    Severity::Warning,
                    Code::YamlAlias,
                    "YAML aliases are not supported; the value is ignored".into(),
                )
                .advise("write the value itself");
            }
            NoticeKind::TooDeep => {
                let message = format!("expected at most {} levels of nesting; the value is ignored", yaml::MAX_DEPTH);
                sink.over(span, Severity::Warning, Code::YamlTooDeep, message);
            }
            NoticeKind::DuplicateKey(key) => {
                let message =
                    format!("duplicate key `{}`; the first value is used", crate::text::escape::visible(&key));
                sink.over(span, Severity::Warning, Code::DuplicateKey, message).advise("remove one of them");
            }
            NoticeKind::Comment { value, from, line_with, hash_word, .. } => {
                let severity = if hash_word { Severity::Warning } else { Severity::Note };
                let shown = crate::text::words::cut(&value, 40).into_owned();
                let message = format!(
                    "` #` starts a comment, so the value ends before it: `{}`",
                    crate::text::escape::visible(&shown)
                );
                let fix = sink.fix(base + from, base + notice.span.end, line_with);
                // What belongs to the value, if anything, goes on behind it.
                let whole = Span { end: sink.line(span.end).end, ..span };
                let finding = sink.over(whole, severity, Code::YamlComment, message);
                finding.fix = fix;
                finding.advise("put the whole value in double quotes if the `#` belongs to it");
            }
        }
    }
}

/// Moves the spans of a map from its own text to the document's. Depth is bounded by `yaml::MAX_DEPTH`.
fn rebased(mut map: Vec<(Node, Node)>, base: usize) -> Vec<(Node, Node)> {
    for (key, value) in &mut map {
        rebase(key, base);
        rebase(value, base);
    }
    map
}

fn moved(span: Span, base: usize) -> Span {
    Span { start: base + span.start, end: base + span.end }
}

fn rebase(node: &mut Node, base: usize) {
    node.span = moved(node.span, base);
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| rebase(item, base)),
        Value::Map(map) => map.iter_mut().for_each(|(key, value)| {
            rebase(key, base);
            rebase(value, base);
        }),
        Value::Text(_) | Value::Absent => {}
    }
}

/// What a value is, for messages.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Text(_) => "text",
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
        Value::Absent => "nothing",
    }
}
