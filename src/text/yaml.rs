//! Parses YAML into a tree of nodes with source spans and notices. The tree is built from yaml-rust2's events with an
//! explicit stack: no input causes recursion, no tree is deeper than `MAX_DEPTH` (rule 5.1), and what aliases expand to is
//! bounded (rule 5.2). Scalars keep their source text (rule 5.3): the caller decides what `true`, `7` and `null` mean, or
//! uses the core schema.

mod alias;
mod build;
mod comment;
#[cfg(feature = "digest")]
mod core_schema;
mod place;
mod simple;
mod string;
mod tabs;
#[cfg(feature = "author")]
mod written;

use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::{ScanError, TScalarStyle};

#[cfg(feature = "digest")]
pub(crate) use core_schema::{typed, typed_key};

use crate::text::json::Json;
use build::Builder;
pub(crate) use build::is_own_tag;
use place::Places;
pub(crate) use place::boundary;
use std::borrow::Cow;
pub(crate) use string::is_string;
#[cfg(feature = "author")]
pub(crate) use written::written_string;

/// The deepest nesting of collections; a deeper one is [`Value::Absent`] (rule 5.1).
pub(crate) const MAX_DEPTH: usize = 64;

/// A value of a YAML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The value itself.
    pub(crate) value: Value,
    /// Where it is in the text that was parsed.
    pub(crate) span: Span,
    /// How it was written.
    pub(crate) style: Style,
    /// Its tag, resolved, if it has one: `!!str` is `tag:yaml.org,2002:str`.
    pub(crate) tag: Option<String>,
}

impl Style {
    /// Whether it is that of a scalar in quotes.
    pub(crate) fn is_quoted(self) -> bool {
        matches!(self, Style::Single | Style::Double)
    }

    /// Whether it is that of a block scalar.
    pub(crate) fn is_block_scalar(self) -> bool {
        matches!(self, Style::Literal | Style::Folded)
    }
}

impl Node {
    /// Whether an alias in this text stands for the node. Its parts then have the place of the alias too.
    pub(crate) fn is_alias(&self, text: &str) -> bool {
        text.get(self.span.start..).is_some_and(|source| source.starts_with('*'))
    }

    /// The value without its spans and styles. A plain `null` becomes null, and all other scalars strings. Recurses at
    /// most [`MAX_DEPTH`] times.
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

    /// Whether two values are the same for every reader of YAML, wherever they are and however they are written. Recurses
    /// at most [`MAX_DEPTH`] times.
    pub(crate) fn is_same(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::Text(text), Value::Text(new)) => {
                text == new
                    && is_string(self) == is_string(other)
                    && is_plain_null(self.style, text) == is_plain_null(other.style, new)
            }
            (Value::List(items), Value::List(new)) => {
                items.len() == new.len() && items.iter().zip(new).all(|(item, new)| item.is_same(new))
            }
            (Value::Map(pairs), Value::Map(new)) => {
                let is_same = |((key, value), (new_key, new_value)): (&(Node, Node), &(Node, Node))| {
                    key.is_same(new_key) && value.is_same(new_value)
                };
                pairs.len() == new.len() && pairs.iter().zip(new).all(is_same)
            }
            (Value::Absent, Value::Absent) => true,
            _ => false,
        }
    }

    fn key_text(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            Value::List(_) | Value::Map(_) | Value::Absent => self.to_json().to_string(),
        }
    }
}

/// Whether a scalar is null: plain and `null`, `~` or empty.
pub(crate) fn is_plain_null(style: Style, text: &str) -> bool {
    style == Style::Plain && matches!(text, "" | "~" | "null")
}

/// The value of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A scalar, with its text as written: `1.10` is `1.10`, and `null` is `null`. A scalar that is not written is
    /// empty and plain.
    Text(String),
    /// The items of a sequence.
    List(Vec<Node>),
    /// The pairs of a mapping in source order. Of two equal keys, only one is included: the first
    /// (rule 5.4).
    Map(Vec<(Node, Node)>),
    /// An alias that was not resolved, or a collection that is nested too deep (rules 5.1 and 5.2).
    Absent,
}

/// How many pairs of a mapping are searched for the one that a later pair repeats.
const SEARCHED_PAIRS: usize = 64;

/// The notice about a pair whose key is that of an earlier one.
pub(crate) fn duplicate_key(pairs: &[(Node, Node)], key: &str, (again, value): (&Node, &Node)) -> Notice {
    let is_it = |(first, _): &&(Node, Node)| matches!(&first.value, Value::Text(text) if text == key);
    let first = pairs.iter().take(SEARCHED_PAIRS).find(is_it);
    let equal_until = first.filter(|(_, first)| first.is_same(value)).map(|_| value.span.end.max(again.span.end));
    Notice { what: NoticeKind::DuplicateKey { key: key.to_owned(), equal_until }, span: again.span }
}

/// How a node was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Style {
    /// A scalar without quotes, or an alias that was not resolved.
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
/// It includes quotes, brackets and the header of a block scalar, but not the white space around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    /// The first byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// A parsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// `None` if the text contains nothing but comments and white space.
    pub(crate) root: Option<Node>,
    /// In source order.
    pub(crate) notices: Vec<Notice>,
    /// Scalars behind a word that YAML takes for a tag or an anchor, in source order.
    pub(crate) words: Vec<Word>,
}

/// A scalar behind a tag that is not one of YAML's own, or an anchor that no alias refers to. Its author may have meant
/// the `!word` or `&word` as part of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// From the first of these words to the end of the scalar.
    pub(crate) span: Span,
    /// The value including the words.
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
    /// An alias whose value is absent.
    Alias(Unresolved),
    TooDeep,
    /// The second of two equal keys; one of their values was dropped.
    DuplicateKey {
        key: String,
        /// Where the dropped value ends, if it is equal to the one that was kept.
        equal_until: Option<usize>,
    },
    /// A plain scalar that a comment cuts off (rule 5.8).
    Comment {
        /// The scalar's key, if it is a mapping's value.
        key: Option<String>,
        /// The scalar as YAML reads it.
        value: String,
        /// An offset in the first line that `line_with` replaces. The last such line is the one where the scalar ends.
        from: usize,
        /// The line with the scalar in quotes: the first line of the span, or that of the key if the scalar has several
        /// lines.
        line_with: String,
        /// Whether the `#` is directly followed by a character that is not white space.
        hash_word: bool,
    },
}

/// Why an alias was not resolved (rule 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// Together with the other aliases of the document, it would expand to more than is allowed.
    TooLarge,
    /// It refers to a value that it is a part of.
    Circular,
}

impl Unresolved {
    /// The reason, for a message.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Unresolved::TooLarge => "the YAML aliases of a document may expand to at most 1 MiB",
            Unresolved::Circular => "the YAML alias refers to a value that it is a part of",
        }
    }
}

impl NoticeKind {
    /// Changes the offsets in it.
    pub(crate) fn move_offsets(&mut self, place: &dyn Fn(usize) -> usize) {
        match self {
            NoticeKind::Comment { from, .. } => *from = place(*from),
            NoticeKind::DuplicateKey { equal_until: Some(end), .. } => *end = place(*end),
            NoticeKind::DuplicateKey { equal_until: None, .. } | NoticeKind::Alias(_) | NoticeKind::TooDeep => {}
        }
    }
}

/// Why a text is not valid YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError {
    /// The offset of the error; at most the length of the text.
    pub(crate) at: usize,
    /// One line, in lower case, without a full stop.
    pub(crate) message: String,
}

/// Parses a text of one document. Time and memory are linear in its length.
pub(crate) fn parse(text: &str) -> Result<Document, YamlError> {
    match simple::read(text) {
        // It has no equal keys.
        Some(document) => Ok(document),
        None => from_events(text),
    }
}

pub(crate) fn from_events(text: &str) -> Result<Document, YamlError> {
    // yaml-rust2 takes a NUL for the end of the text (rule 4.4).
    if let Some(at) = text.find('\0') {
        return Err(YamlError { at, message: "expected YAML without NUL".to_owned() });
    }
    if let Some(at) = long_directive(text) {
        let message = format!("expected directives of at most {MAX_DIRECTIVE_BYTES} bytes");
        return Err(YamlError { at, message });
    }
    let refused = match read_events(text, &[]) {
        Err(error) if error.message.ends_with(tabs::REFUSED) => error,
        read => return read.map(|(document, _)| document),
    };
    let mut after_colons = tabs::after_colons(text);
    if after_colons.is_empty() {
        return Err(refused);
    }
    let (document, in_scalars) = read_events(text, &after_colons)?;
    if in_scalars.is_empty() {
        return Ok(document);
    }
    after_colons.retain(|tab| in_scalars.binary_search(tab).is_err());
    read_events(text, &after_colons).map(|(document, _)| document)
}

/// Parses a text with a space in place of each of these tabs, and returns those of them that are inside scalars.
fn read_events(text: &str, tabs: &[usize]) -> Result<(Document, Vec<usize>), YamlError> {
    let spaced = if tabs.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(tabs::with_spaces(text, tabs)) };
    let places = Places::new(text);
    let mut parser = Parser::new_from_str(&spaced);
    let mut builder = Builder::new(text, tabs);
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
            Event::SequenceStart(anchor, tag) => {
                builder.open_list(at, places.line_start(line), (anchor, tag_text(tag)));
            }
            Event::MappingStart(anchor, tag) => builder.open_map(at, (anchor, tag_text(tag))),
            Event::SequenceEnd | Event::MappingEnd => builder.close(),
        }
    }
}

/// The longest directive, as every tag that uses a `%TAG` contains a copy of its prefix.
const MAX_DIRECTIVE_BYTES: usize = 256;

/// The offset of the first directive that is too long. Only comments and blank lines precede directives.
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
