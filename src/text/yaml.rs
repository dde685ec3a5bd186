//! In: YAML. Out: a tree of nodes with their source spans, and what a reader should know about it.
//! Built from yaml-rust2's events with an explicit stack: no input recurses, aliases are never followed, and no
//! tree is deeper than `MAX_DEPTH` (decisions 3). Scalars keep their source text (decisions 4).
//! Absent: types; a caller decides what `true`, `7` and `null` mean, or asks for the core schema's.

mod build;
mod comment;
#[cfg(feature = "digest")]
mod core_schema;
mod place;
mod simple;

use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::{ScanError, TScalarStyle};

#[cfg(feature = "digest")]
pub(crate) use core_schema::{typed, typed_key};

use crate::text::json::Json;
use build::Builder;
use place::Places;

/// How many collections may stand inside each other; one that is deeper is absent (decisions 3).
pub(crate) const MAX_DEPTH: usize = 64;

/// One value of a YAML text, with where and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// What it is.
    pub(crate) value: Value,
    /// Where it stands in the text that was parsed.
    pub(crate) span: Span,
    /// How it was written.
    pub(crate) style: Style,
    /// Its tag, resolved, if it has one: `!!str` is `tag:yaml.org,2002:str`.
    pub(crate) tag: Option<String>,
}

impl Node {
    /// The value without its spans and styles. Scalars keep their source text, but that a plain `null` is one. The depth
    /// is bounded by [`MAX_DEPTH`].
    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Value::Text(text) if is_plain_null(self.style, text) => Json::Null,
            Value::Text(text) => Json::from(text.as_str()),
            Value::List(items) => Json::list(items, Node::to_json),
            Value::Map(pairs) => {
                Json::Map(pairs.iter().map(|(key, value)| (key.key_text(), value.to_json())).collect())
            }
            Value::Absent => Json::Null,
        }
    }

    fn key_text(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            Value::List(_) | Value::Map(_) | Value::Absent => self.to_json().to_string(),
        }
    }
}

/// Whether a scalar is `null`, or nothing at all.
pub(crate) fn is_plain_null(style: Style, text: &str) -> bool {
    style == Style::Plain && matches!(text, "" | "~" | "null")
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A scalar's text as written: `1.10` is `1.10`, `null` is `null`, nothing at all is empty and plain.
    Text(String),
    /// The items of a sequence.
    List(Vec<Node>),
    /// The pairs of a mapping in source order; of two equal keys the first (decisions 5).
    Map(Vec<(Node, Node)>),
    /// An alias, or a collection that is nested too deep (decisions 3).
    Absent,
}

/// How a node was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Style {
    /// A scalar without quotes, or an alias.
    Plain,
    /// A scalar in `'`.
    Single,
    /// A scalar in `"`.
    Double,
    /// A scalar after `|`.
    Literal,
    /// A scalar after `>`.
    Folded,
    /// A collection in `[]` or `{}`, or a single pair inside one.
    Flow,
    /// A collection by indentation.
    Block,
}

/// A range of bytes of the text that was parsed.
///
/// It is the exact source: quotes, brackets and a block scalar's header are inside, white space around is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    /// The first byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// A text that parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// None where there is nothing but comments and blanks.
    pub(crate) root: Option<Node>,
    /// In source order.
    pub(crate) notices: Vec<Notice>,
    /// Scalars with a word in front that YAML takes for a tag or an anchor, in source order.
    pub(crate) words: Vec<Word>,
}

/// A scalar behind a tag that is none of YAML's own, or behind an anchor that nothing refers to: `!word` and `&word`
/// are left out of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// From the first of these words to the scalar's end.
    pub(crate) span: Span,
    /// The words and the value.
    pub(crate) value: String,
}

/// Something that a reader of the text should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) what: NoticeKind,
    /// The alias, the collection, the second key, or the plain scalar.
    pub(crate) span: Span,
}

/// What a notice is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoticeKind {
    Alias,
    TooDeep,
    /// The second of two equal keys; its value was dropped.
    DuplicateKey(String),
    /// A plain scalar that a comment cuts off (decisions 6).
    Comment {
        /// The scalar's key, if it is a mapping's value.
        key: Option<String>,
        /// The scalar as YAML reads it.
        value: String,
        /// A byte of the first line that `line_with` replaces; the last is the one where the scalar ends.
        from: usize,
        /// The line with the scalar quoted: the span's first line, or the key's where the scalar has several lines.
        line_with: String,
        /// The `#` is directly followed by a character that is no blank.
        hash_word: bool,
    },
}

/// Why a text is no YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError {
    /// A byte of the text, or its end.
    pub(crate) at: usize,
    /// One line, lowercase, no full stop.
    pub(crate) message: String,
}

/// Reads the one document of a text. Time and memory are linear in its length.
pub(crate) fn parse(text: &str) -> Result<Document, YamlError> {
    match simple::read(text) {
        Some(document) => Ok(document),
        None => from_events(text),
    }
}

pub(crate) fn from_events(text: &str) -> Result<Document, YamlError> {
    // yaml-rust2 takes a NUL for the end of the text (decisions 3).
    if let Some(at) = text.find('\0') {
        return Err(YamlError { at, message: "expected YAML without NUL".to_owned() });
    }
    if let Some(at) = long_directive(text) {
        let message = format!("expected directives of at most {MAX_DIRECTIVE_BYTES} bytes");
        return Err(YamlError { at, message });
    }
    let places = Places::new(text);
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::new(text);
    let mut documents = 0_usize;
    loop {
        let (event, mark) = parser.next_token().map_err(|error| not_yaml(&error, &places))?;
        let (line, column) = (mark.line(), mark.col());
        let at = places.byte(line, column);
        match event {
            Event::StreamEnd => return Ok(builder.finish()),
            Event::DocumentStart if documents > 0 => {
                return Err(YamlError { at, message: "expected one document, got a second".to_owned() });
            }
            Event::DocumentStart => documents += 1,
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
            Event::Alias(anchor) => builder.alias(anchor, at),
            Event::Scalar(value, style, anchor, tag) => {
                builder.scalar(value, style_of(style), (anchor, tag_text(tag)), (at, column));
            }
            Event::SequenceStart(_, tag) => builder.open_list(at, places.line_start(line), tag_text(tag)),
            Event::MappingStart(_, tag) => builder.open_map(at, tag_text(tag)),
            Event::SequenceEnd | Event::MappingEnd => builder.close(),
        }
    }
}

/// How long a directive may be: every tag that uses a `%TAG` has a copy of its prefix.
const MAX_DIRECTIVE_BYTES: usize = 256;

/// Where the first directive begins that is longer than that. They stand before all else but comments.
fn long_directive(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let inked = line.trim();
        if !inked.is_empty() && !inked.starts_with(['%', '#']) {
            return None;
        }
        if inked.starts_with('%') && MAX_DIRECTIVE_BYTES < inked.len() {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn not_yaml(error: &ScanError, places: &Places<'_>) -> YamlError {
    let mark = error.marker();
    let reason = error.info().replace(['\n', '\r'], " ");
    YamlError { at: places.byte(mark.line(), mark.col()), message: format!("not valid YAML: {reason}") }
}

fn style_of(style: TScalarStyle) -> Style {
    match style {
        TScalarStyle::Plain => Style::Plain,
        TScalarStyle::SingleQuoted => Style::Single,
        TScalarStyle::DoubleQuoted => Style::Double,
        TScalarStyle::Literal => Style::Literal,
        TScalarStyle::Folded => Style::Folded,
    }
}

fn tag_text(tag: Option<Tag>) -> Option<String> {
    tag.map(|tag| format!("{}{}", tag.handle, tag.suffix))
}

#[cfg(test)]
#[path = "../../tests/unit/yaml.rs"]
mod tests;
