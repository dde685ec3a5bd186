//! Parses YAML into a tree of nodes with source spans and notices. The tree is built from yaml-rust2's events with an
//! explicit stack: no input causes recursion, no tree is deeper than `MAX_DEPTH` (rule 5.1), and what aliases expand to is
//! bounded (rule 5.2). Scalars keep their source text (rule 5.3): the caller decides what `true`, `7` and `null` mean, or
//! uses the core schema.

mod build;
#[cfg(feature = "digest")]
mod core_schema;
mod simple;
mod string;

pub(crate) use build::boundary;
#[cfg(feature = "digest")]
pub(crate) use core_schema::{typed, typed_key};
#[cfg(feature = "author")]
pub(crate) use string::written_string;
pub(crate) use string::{is_date, is_number, is_string, shortest_number};

use super::json::Json;
use build::{Builder, Places};
use std::borrow::Cow;
use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::TScalarStyle;

/// The deepest nesting of collections; a deeper one is [`Value::Absent`] (rule 5.1).
pub(crate) const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) span: Span,
    pub(crate) style: Style,
    /// Its tag, resolved, if it has one: `!!str` is `tag:yaml.org,2002:str`.
    pub(crate) tag: Option<String>,
}

impl Style {
    pub(crate) fn is_quoted(self) -> bool {
        matches!(self, Style::Single | Style::Double)
    }

    pub(crate) fn is_block_scalar(self) -> bool {
        matches!(self, Style::Literal | Style::Folded)
    }
}

impl Node {
    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

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
                let name = |key: &Node| key.as_text().map_or_else(|| key.to_json().to_string(), str::to_owned);
                Json::Map(pairs.iter().map(|(key, value)| (name(key), value.to_json())).collect())
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
}

/// The name of a tag that YAML knows itself: `str` of `!!str`.
pub(crate) fn own_tag(tag: &str) -> Option<&str> {
    const OWN: &[&str] =
        &["str", "int", "float", "bool", "null", "binary", "timestamp", "map", "seq", "set", "omap", "pairs", "merge"];
    tag.strip_prefix("tag:yaml.org,2002:").filter(|name| OWN.contains(name))
}

/// Whether a scalar is null: plain, and one of the words that YAML has for nothing, or empty.
pub(crate) fn is_plain_null(style: Style, text: &str) -> bool {
    style == Style::Plain && string::is_null(text)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A scalar, with its text as written: `1.10` is `1.10`, and `null` is `null`. A scalar that is not written is
    /// empty and plain.
    Text(String),
    List(Vec<Node>),
    /// The pairs of a mapping in source order. Of two equal keys, only one is included: the first (rule 5.4), unless the
    /// caller asks for the last.
    Map(Vec<(Node, Node)>),
    /// An alias that was not resolved, or a collection that is nested too deep (rules 5.1 and 5.2).
    Absent,
}

/// How many pairs of a mapping are searched for the one that a later pair repeats.
const SEARCHED_PAIRS: usize = 64;

/// The notice about a pair whose key is that of an earlier one.
pub(crate) fn duplicate_key(
    pairs: &[(Node, Node)],
    key: &str,
    (again, value): (&Node, &Node),
    last_counts: bool,
) -> Notice {
    let first = pairs.iter().take(SEARCHED_PAIRS).find(|(first, _)| first.as_text() == Some(key));
    let equal_until = first.filter(|(_, first)| first.is_same(value)).map(|_| value.span.end.max(again.span.end));
    Notice { what: NoticeKind::DuplicateKey { key: key.to_owned(), equal_until, last_counts }, span: again.span }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Style {
    /// A scalar without quotes, or an alias that was not resolved.
    Plain,
    Single,
    Double,
    Literal,
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
    pub(crate) start: usize,
    pub(crate) end: usize,
}

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
    pub(crate) value: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) what: NoticeKind,
    /// The alias, the collection, the second key, or the plain scalar.
    pub(crate) span: Span,
}

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
        /// Whether the value of the second was kept.
        last_counts: bool,
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
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Unresolved::TooLarge => "the YAML aliases of a document may expand to at most 1 MiB",
            Unresolved::Circular => "the YAML alias refers to a value that it is a part of",
        }
    }
}

impl NoticeKind {
    pub(crate) fn move_offsets(&mut self, place: &dyn Fn(usize) -> usize) {
        match self {
            NoticeKind::Comment { from, .. } => *from = place(*from),
            NoticeKind::DuplicateKey { equal_until: Some(end), .. } => *end = place(*end),
            NoticeKind::DuplicateKey { equal_until: None, .. } | NoticeKind::Alias(_) | NoticeKind::TooDeep => {}
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError {
    /// The offset of the error; at most the length of the text.
    pub(crate) at: usize,
    /// One line, in lower case, without a full stop.
    pub(crate) message: String,
}

/// What yaml-rust2 says about a tab directly behind the colon of a key, which YAML allows before a scalar.
const TAB_REFUSED: &str = "':' must be followed by a valid YAML whitespace";

/// Parses a text of one document. Time and memory are linear in its length.
pub(crate) fn parse(text: &str) -> Result<Document, YamlError> {
    parse_by(text, false)
}

/// Like [`parse`]. Of equal keys the first counts, or the last.
pub(crate) fn parse_by(text: &str, last_counts: bool) -> Result<Document, YamlError> {
    simple::read(text).map_or_else(|| from_events(text, last_counts), Ok)
}

pub(crate) fn from_events(text: &str, last_counts: bool) -> Result<Document, YamlError> {
    // yaml-rust2 takes a NUL for the end of the text (rule 4.4).
    if let Some(at) = text.find('\0') {
        return Err(YamlError { at, message: "expected YAML without NUL".to_owned() });
    }
    if let Some(at) = long_directive(text) {
        let message = format!("expected directives of at most {MAX_DIRECTIVE_BYTES} bytes");
        return Err(YamlError { at, message });
    }
    let refused = match read_events(text, &[], last_counts) {
        Err(error) if error.message.ends_with(TAB_REFUSED) => error,
        read => return read.map(|(document, _)| document),
    };
    // The parser reads a space in place of such a tab; nothing else depends on which of the two it is. A tab before a `- `
    // stays, as YAML does not allow a list there.
    let is_replaced = |(colon, _): &(usize, &str)| {
        let value = text[colon + 1..].trim_start_matches([' ', '\t']);
        !value.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    let mut tabs: Vec<usize> = text.match_indices(":\t").filter(is_replaced).map(|(colon, _)| colon + 1).collect();
    if tabs.is_empty() {
        return Err(refused);
    }
    let (document, in_scalars) = read_events(text, &tabs, last_counts)?;
    if in_scalars.is_empty() {
        return Ok(document);
    }
    tabs.retain(|tab| in_scalars.binary_search(tab).is_err());
    read_events(text, &tabs, last_counts).map(|(document, _)| document)
}

/// Parses a text with a space in place of each of these tabs, and returns those of them that are inside scalars.
fn read_events(text: &str, tabs: &[usize], last_counts: bool) -> Result<(Document, Vec<usize>), YamlError> {
    let spaced = match tabs {
        [] => Cow::Borrowed(text),
        _ => text.char_indices().map(|(at, c)| if tabs.binary_search(&at).is_ok() { ' ' } else { c }).collect(),
    };
    let places = Places::new(text);
    let mut parser = Parser::new_from_str(&spaced);
    let mut builder = Builder::new(text, tabs, last_counts);
    let mut documents = 0_usize;
    loop {
        let (event, mark) = parser.next_token().map_err(|error| {
            let at = places.byte(error.marker().line(), error.marker().col());
            YamlError { at, message: format!("not valid YAML: {}", error.info().replace(['\n', '\r'], " ")) }
        })?;
        let (line, column) = (mark.line(), mark.col());
        let at = places.byte(line, column);
        let tag_text = |tag: Option<Tag>| tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
        match event {
            Event::StreamEnd => return Ok(builder.finish()),
            Event::DocumentStart if documents > 0 => {
                return Err(YamlError { at, message: "expected one document, got a second".to_owned() });
            }
            Event::DocumentStart => documents += 1,
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
            Event::Alias(anchor) => builder.alias(anchor, at),
            Event::Scalar(value, style, anchor, tag) => {
                let style = match style {
                    TScalarStyle::Plain => Style::Plain,
                    TScalarStyle::SingleQuoted => Style::Single,
                    TScalarStyle::DoubleQuoted => Style::Double,
                    TScalarStyle::Literal => Style::Literal,
                    TScalarStyle::Folded => Style::Folded,
                };
                builder.scalar(value, style, (anchor, tag_text(tag)), (at, column));
            }
            Event::SequenceStart(anchor, tag) => {
                builder.open_list(at, places.byte(line, 0), (anchor, tag_text(tag)));
            }
            Event::MappingStart(anchor, tag) => builder.open(at, false, (anchor, tag_text(tag))),
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
        match line.trim() {
            inked if inked.starts_with('%') && MAX_DIRECTIVE_BYTES < inked.len() => return Some(at),
            inked if inked.is_empty() || inked.starts_with(['%', '#']) => {}
            _ => return None,
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
#[path = "../../tests/unit/yaml.rs"]
mod tests;
