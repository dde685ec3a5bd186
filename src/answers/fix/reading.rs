//! What a text says, and whether another text says the same.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::discovery::manifest::{DiagnosticSink, FrontmatterOutcome, ReadMode, front, read_text};
use crate::model::skill::Frontmatter;
use crate::path::FsPath;
use crate::text::lines::Source;
use crate::text::yaml::{Node, Value};
use std::sync::Arc;

/// What was read from the text of a SKILL.md.
pub(super) struct Reading {
    /// The findings about the text.
    pub(super) findings: Vec<Diagnostic>,
    /// The fields; `None` if there is no frontmatter, or it cannot be read.
    pub(super) map: Option<Vec<(Node, Node)>>,
    frontmatter: Arc<Frontmatter>,
    rejected: Option<Code>,
    /// The text without its byte order mark and control characters, in which the spans of the fields are.
    text: String,
    /// The body, with the bytes that it has in the file.
    body: String,
    /// The line of the file in which the body begins.
    pub(super) body_line: usize,
}

impl Reading {
    pub(super) fn new(dialect: &Dialect, path: &FsPath, raw: &str, mode: ReadMode) -> Option<Reading> {
        let manifest = read_text(dialect, path, raw, mode)?.manifest;
        let source = Source::new(raw);
        let front = front(dialect, &mut DiagnosticSink::new(path, &source), false)?;
        let map = match front.outcome {
            FrontmatterOutcome::Map(map) => Some(map),
            FrontmatterOutcome::Missing(_) | FrontmatterOutcome::Lost(_) => None,
        };
        let body = raw.get(source.raw_offset(front.body.start)..source.raw_offset(front.body.end))?.to_owned();
        Some(Reading {
            findings: manifest.findings,
            map,
            frontmatter: manifest.frontmatter,
            rejected: manifest.rejected,
            text: source.text().to_owned(),
            body,
            body_line: source.position(front.body.start).line,
        })
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.frontmatter.name.as_deref()
    }

    /// Whether `after` is the same skill with the same fields and the same body, and no error is new in it.
    pub(super) fn is_kept_by(&self, after: &Reading) -> bool {
        self.is_body_of(after)
            && self.frontmatter == after.frontmatter
            && self.rejected == after.rejected
            && self.has_values_of(after)
            && Code::ALL.iter().all(|code| after.errors(Some(*code)) <= self.errors(Some(*code)))
    }

    /// Whether `after` has the same body and the same values, perhaps with another key, or a value of `except`.
    pub(super) fn differs_in_one_pair(&self, after: &Reading, except: Option<&str>) -> bool {
        let is_excepted = |key: &Node| matches!(&key.value, Value::Text(text) if Some(text.as_str()) == except);
        let pairs = |reading: &Reading| {
            let pairs = reading.map.iter().flatten().filter(|(key, _)| !is_excepted(key)).cloned();
            reading.map.as_ref().map(|_| pairs.collect::<Vec<_>>())
        };
        let (Some(before), Some(new)) = (pairs(self), pairs(after)) else { return false };
        let is_renamed = |((key, _), (new_key, _)): &(&(Node, Node), &(Node, Node))| !key.is_same(new_key);
        self.is_body_of(after)
            && before.len() == new.len()
            && before.iter().zip(&new).all(|((_, value), (_, new_value))| value.is_same(new_value))
            && before.iter().zip(&new).filter(is_renamed).count() <= usize::from(except.is_none())
            && after.errors(None) <= self.errors(None)
    }

    /// Whether `after` has a frontmatter while this text has none, and its body is the end of this text.
    pub(super) fn is_found_by(&self, raw: &str, after: &Reading) -> bool {
        self.map.is_none() && after.map.is_some() && raw.ends_with(&after.body)
    }

    /// How many errors with this code there are; of any code without one.
    pub(super) fn errors(&self, code: Option<Code>) -> usize {
        let is_one =
            |finding: &&Diagnostic| finding.severity == Severity::Error && code.is_none_or(|code| code == finding.code);
        self.findings.iter().filter(is_one).count()
    }

    fn is_body_of(&self, after: &Reading) -> bool {
        self.body == after.body
    }

    /// Whether both texts have the same fields with the same values.
    fn has_values_of(&self, after: &Reading) -> bool {
        let (Some(map), Some(new)) = (&self.map, &after.map) else { return false };
        map.len() == new.len()
            && map.iter().zip(new).all(|((key, value), (new_key, new_value))| {
                key.is_same(new_key) && (value.is_same(new_value) || self.is_source_of(value, new_value))
            })
    }

    /// Whether a text is the source of a list or a map, which counts as text where text is expected (rule 6.4). That it
    /// is expected here is seen from the fields that were read.
    fn is_source_of(&self, value: &Node, text: &Node) -> bool {
        let source = self.text.get(value.span.start..value.span.end).map(str::trim);
        match (&value.value, &text.value) {
            (Value::List(_) | Value::Map(_), Value::Text(text)) => source == Some(text.as_str()),
            _ => false,
        }
    }
}
