//! What a text says, and whether another text says the same.

use super::Dialects;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::extras;
use crate::discovery::manifest::{
    DiagnosticSink, FrontmatterOutcome, ReadMode, front, is_left_out, is_refused, read_text,
};
use crate::model::skill::Frontmatter;
use crate::path::FsPath;
use crate::text::frontmatter::{Split, holds_only_fields, split};
use crate::text::lines::Source;
use crate::text::yaml::{Node, Style, Value};
use std::sync::Arc;

/// What was read from the text of a SKILL.md.
pub(super) struct Reading {
    /// The findings about the text.
    pub(super) findings: Vec<Diagnostic>,
    /// Those of the client, if files are read as it does.
    pub(super) findings_of_client: Vec<Diagnostic>,
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
    pub(super) fn new(dialects: Dialects<'_>, path: &FsPath, raw: &str, mode: ReadMode) -> Option<Reading> {
        let dialect = dialects.meant;
        let manifest = read_text(extras::ALL, dialect, path, raw, mode)?.manifest;
        let of_client = dialects.client.and_then(|client| read_text(extras::ALL, client, path, raw, mode));
        let source = Source::new(raw);
        let front = front(extras::ALL, dialect, &mut DiagnosticSink::new(path, &source), false)?;
        let map = match front.outcome {
            FrontmatterOutcome::Map(map) => Some(map),
            FrontmatterOutcome::Missing(_) | FrontmatterOutcome::Lost(_) => None,
        };
        let body = raw.get(source.raw_offset(front.body.start)..source.raw_offset(front.body.end))?.to_owned();
        Some(Reading {
            findings: manifest.findings,
            findings_of_client: of_client.map_or_else(Vec::new, |document| document.manifest.findings),
            map,
            frontmatter: manifest.frontmatter,
            rejected: manifest.rejected,
            text: source.text().to_owned(),
            body,
            body_line: source.position(front.body.start).line,
        })
    }

    /// The line of the file in which a node begins.
    pub(super) fn line_of(&self, node: &Node) -> usize {
        self.line_at(node.span.start)
    }

    /// The line of the file that closes the frontmatter.
    pub(super) fn closing_line(&self) -> usize {
        match split(&self.text) {
            Split::Found(parts) => self.line_at(parts.yaml.end),
            Split::Missing | Split::Unclosed { .. } | Split::Odd(_) => 0,
        }
    }

    fn line_at(&self, byte: usize) -> usize {
        self.text.get(..byte).map_or(0, |before| before.matches('\n').count() + 1)
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
        self.map.is_none() && after.map.is_some() && raw.ends_with(&after.body) && after.holds_only_fields()
    }

    /// Whether no line of the frontmatter looks like one of a body.
    fn holds_only_fields(&self) -> bool {
        matches!(split(&self.text), Split::Found(parts) if holds_only_fields(&self.text[parts.yaml.clone()]))
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
                self.is_kept_key(key, new_key) && self.is_kept_in(value, new_value)
            })
    }

    /// Whether a value of the other text is this one. That of a scalar that some readers refuse (rule 5.12) is its text.
    /// Recurses at most [`MAX_DEPTH`](crate::text::yaml::MAX_DEPTH) times.
    fn is_kept_in(&self, value: &Node, new: &Node) -> bool {
        match (&value.value, &new.value) {
            (Value::Text(text), Value::Text(read)) => {
                // A block scalar that is read as a text is written in quotes without the newline at its end (rule 6.2).
                let is_block = value.style.is_block_scalar() && new.style == Style::Double;
                text == read && (value.is_same(new) || is_refused(value)) || is_block && text.trim() == read
            }
            (Value::List(items), Value::List(read)) => {
                items.len() == read.len() && items.iter().zip(read).all(|(item, read)| self.is_kept_in(item, read))
            }
            (Value::Map(pairs), Value::Map(read)) => {
                let is_kept = |((key, value), (new_key, new)): (&(Node, Node), &(Node, Node))| {
                    self.is_kept_key(key, new_key) && self.is_kept_in(value, new)
                };
                pairs.len() == read.len() && pairs.iter().zip(read).all(is_kept)
            }
            _ => value.is_same(new) || self.is_source_of(value, new),
        }
    }

    fn is_kept_key(&self, key: &Node, new: &Node) -> bool {
        self.is_kept_in(key, new) || is_left_out(key) && matches!(&new.value, Value::Text(text) if text.is_empty())
    }

    /// Whether a text is the source of a list or a map, which counts as text where text is expected (rule 6.4). That it
    /// is expected here is seen from the fields that were read.
    fn is_source_of(&self, value: &Node, text: &Node) -> bool {
        match (&value.value, &text.value) {
            (Value::List(_) | Value::Map(_), Value::Text(text)) => self.source_of(value) == text.as_str(),
            _ => false,
        }
    }

    /// The source of a value.
    pub(super) fn source_of(&self, value: &Node) -> &str {
        self.text.get(value.span.start..value.span.end).unwrap_or_default().trim()
    }
}
