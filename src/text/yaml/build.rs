//! Builds the tree and the notices from the parser's events. Events say where a node begins but not where it ends, so
//! `cursor` follows the source. The stack is a vector; nodes deeper than `MAX_DEPTH` are on it, but are not built.

use std::collections::HashSet;

use super::alias::Anchors;
use super::comment::{Around, cut_off};
use super::place::{block_span, boundary, is_blank, plain_end, quoted_end, skip, skip_properties, skip_white};
use super::{Document, MAX_DEPTH, Node, Notice, NoticeKind, Span, Style, Value, Word, duplicate_key};

/// The tree so far.
pub(super) struct Builder<'t> {
    text: &'t str,
    /// Where the last node ends.
    cursor: usize,
    open: Vec<Frame>,
    root: Option<Node>,
    notices: Vec<Notice>,
    /// Each with the number of its anchor; 0 is none.
    words: Vec<(usize, Word)>,
    anchors: Anchors,
    /// The tabs for which the parser reads a space, and those of them that are inside scalars; ascending.
    tabs: &'t [usize],
    tabs_in_scalars: Vec<usize>,
}

/// A collection that is not closed yet.
struct Frame {
    start: usize,
    style: Style,
    properties: Properties,
    inside: Inside,
}

/// The number of a node's anchor, 0 if it has none, and its tag.
type Properties = (usize, Option<String>);

enum Inside {
    List(Vec<Node>),
    Map { pairs: Vec<(Node, Node)>, key: Option<Node>, seen: HashSet<String> },
    DeepList,
    DeepMap,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: &'t str, tabs: &'t [usize]) -> Builder<'t> {
        Builder {
            text,
            cursor: 0,
            open: Vec::new(),
            root: None,
            notices: Vec::new(),
            words: Vec::new(),
            anchors: Anchors::default(),
            tabs,
            tabs_in_scalars: Vec::new(),
        }
    }

    /// The document, and the tabs inside scalars for which the parser read a space.
    pub(super) fn finish(self) -> (Document, Vec<usize>) {
        let is_free = |anchor: usize| !self.anchors.is_referred(anchor);
        let words = self.words.into_iter().filter_map(|(anchor, word)| is_free(anchor).then_some(word));
        let document = Document { root: self.root, notices: self.notices, words: words.collect() };
        (document, self.tabs_in_scalars)
    }

    /// Adds a copy of what an alias refers to (rule 5.2).
    pub(super) fn alias(&mut self, anchor: usize, at: usize) {
        self.anchors.refer(anchor);
        let end = skip(self.text, at, |byte| !byte.is_ascii_whitespace() && !b",[]{}".contains(&byte));
        let span = Span { start: at, end };
        self.cursor = end;
        let mut node = Node { value: Value::Absent, span, style: Style::Plain, tag: None };
        if !self.is_deep() {
            match self.anchors.expand(anchor, span, self.open.len()) {
                Ok((value, is_cut)) => {
                    node = value;
                    self.notices.extend(is_cut.then_some(Notice { what: NoticeKind::TooDeep, span }));
                }
                Err(reason) => self.notices.push(Notice { what: NoticeKind::Alias(reason), span }),
            }
        }
        self.attach(node);
    }

    /// Adds a scalar with its anchor and its tag. `content` is the offset and the column of its mark.
    pub(super) fn scalar(
        &mut self,
        mut value: String,
        style: Style,
        (anchor, tag): Properties,
        content: (usize, usize),
    ) {
        let start = content.0;
        let is_empty = style == Style::Plain && value.is_empty();
        let span = match style {
            Style::Plain if is_empty => self.nothing(),
            Style::Single | Style::Double => Span { start, end: quoted_end(self.text, start, style) },
            Style::Literal | Style::Folded => block_span(self.text, self.cursor, &value, content),
            _ => Span { start, end: plain_end(self.text, start, &value) },
        };
        // At the end of the text, the parser gives a block scalar without lines a newline.
        let keeps_newlines = || self.text[span.start..span.end].contains('+');
        if style.is_block_scalar() && value.trim_matches('\n').is_empty() && !keeps_newlines() {
            value.clear();
        }
        if anchor > 0 || tag.is_some() {
            let word = self.word(span, &value, style, tag.as_deref());
            self.words.extend(word.map(|word| (anchor, word)));
        }
        self.cursor = span.end;
        let tabs = &self.tabs[self.tabs.partition_point(|tab| *tab < span.start)..];
        self.tabs_in_scalars.extend(tabs.iter().take_while(|tab| **tab < span.end));
        if is_empty && tag.is_none() && self.open.is_empty() {
            return;
        }
        if style == Style::Plain && !is_empty {
            self.notice_comment(span, &value);
        }
        let node = Node { value: Value::Text(value), span, style, tag };
        self.anchors.keep(anchor, &node);
        self.attach(node);
    }

    /// Opens a list whose mark is at `at`. `line` is where the line of the mark begins.
    pub(super) fn open_list(&mut self, at: usize, line: usize, properties: Properties) {
        let is_value = matches!(
            self.open.last(),
            Some(Frame { style: Style::Block, inside: Inside::Map { key: Some(_), .. }, .. })
        );
        // Other lists are not searched for a dash, which would be slow for many of them on one line.
        let dash = if is_value { self.dash_before(at, line) } else { None };
        let start = dash.unwrap_or(at);
        let style = if self.is_flow(start, b'[') { Style::Flow } else { Style::Block };
        let inside = if self.open.len() < MAX_DEPTH { Inside::List(Vec::new()) } else { Inside::DeepList };
        self.open_frame(Frame { start, style, properties, inside });
    }

    /// The offset of the first `- ` of the line that begins at `line`, if the list whose mark is at `at` begins there.
    /// The mark of a list at the indentation of its key is behind the dash.
    fn dash_before(&self, at: usize, line: usize) -> Option<usize> {
        let dash = skip(self.text, line, is_blank);
        let is_dash = dash < at
            && self.text.as_bytes().get(dash) == Some(&b'-')
            && (self.text.as_bytes().get(dash + 1)).is_none_or(u8::is_ascii_whitespace);
        (is_dash && (skip(self.text, dash + 1, is_blank) >= at || skip_white(self.text, dash + 1) > at)).then_some(dash)
    }

    /// Opens a map whose mark is at `at`.
    pub(super) fn open_map(&mut self, at: usize, properties: Properties) {
        let style = if self.is_flow(at, b'{') { Style::Flow } else { Style::Block };
        let inside = if self.open.len() < MAX_DEPTH {
            Inside::Map { pairs: Vec::new(), key: None, seen: HashSet::new() }
        } else {
            Inside::DeepMap
        };
        self.open_frame(Frame { start: at, style, properties, inside });
    }

    /// Closes the innermost collection.
    pub(super) fn close(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        if frame.style == Style::Flow {
            let bracket = if matches!(frame.inside, Inside::List(_) | Inside::DeepList) { b']' } else { b'}' };
            let after = self.skip_commas();
            // A single pair inside a list has no braces.
            if self.text.as_bytes().get(after) == Some(&bracket) {
                self.cursor = after + 1;
            }
        }
        let span = Span { start: frame.start, end: self.cursor.max(frame.start) };
        let (value, was_built) = match frame.inside {
            Inside::List(items) => (Value::List(items), true),
            Inside::Map { pairs, .. } => (Value::Map(pairs), true),
            Inside::DeepList | Inside::DeepMap => (Value::Absent, false),
        };
        if !was_built && !self.is_deep() {
            self.notices.push(Notice { what: NoticeKind::TooDeep, span });
        }
        let (anchor, tag) = frame.properties;
        let node = Node { value, span, style: frame.style, tag };
        self.anchors.keep(anchor, &node);
        self.attach(node);
    }

    fn open_frame(&mut self, frame: Frame) {
        // A mapping's mark may stand at its first `:`; that key has not been read yet.
        if matches!(frame.inside, Inside::List(_) | Inside::DeepList) || frame.style == Style::Flow {
            let is_bracket = self.text.as_bytes().get(frame.start).is_some_and(|byte| b"[{".contains(byte));
            self.cursor = self.cursor.max(if is_bracket { frame.start + 1 } else { frame.start });
        }
        self.open.push(frame);
    }

    /// Whether new nodes are beyond the depth that is built.
    fn is_deep(&self) -> bool {
        matches!(self.open.last(), Some(Frame { inside: Inside::DeepList | Inside::DeepMap, .. }))
    }

    fn is_flow(&self, at: usize, bracket: u8) -> bool {
        let inside_flow = matches!(self.open.last(), Some(Frame { style: Style::Flow, .. }));
        inside_flow || self.text.as_bytes().get(at) == Some(&bracket)
    }

    /// The empty span of a scalar that is not written: directly behind its indicator, tag and anchor.
    fn nothing(&self) -> Span {
        let next = skip_white(self.text, self.cursor);
        let has_indicator = matches!(self.text.as_bytes().get(next), Some(b':' | b'-' | b'?'));
        let at = if has_indicator { next + 1 } else { self.cursor };
        // Properties on a further line belong to the node there.
        let end = boundary(self.text, skip_properties(self.text, at));
        Span { start: end, end }
    }

    /// The scalar with the tag and the anchor before it, which its author may have meant as words of it. `None` for
    /// keys, block scalars, and scalars with one of YAML's own tags.
    fn word(&self, span: Span, value: &str, style: Style, tag: Option<&str>) -> Option<Word> {
        let is_key = matches!(self.open.last(), Some(Frame { inside: Inside::Map { key: None, .. }, .. }));
        if is_key || self.is_deep() || tag.is_some_and(is_own_tag) || style.is_block_scalar() {
            return None;
        }
        let start = self.properties()?;
        let words = self.text.get(start..skip_properties(self.text, start).min(span.end))?;
        let value = match style {
            Style::Plain if value.is_empty() => words.to_owned(),
            Style::Plain => format!("{words} {value}"),
            _ => self.text.get(start..span.end).filter(|source| !source.contains(['\n', '\r']))?.to_owned(),
        };
        Some(Word { span: Span { start, end: span.end }, value })
    }

    /// Where the tag or the anchor of the next node begins.
    fn properties(&self) -> Option<usize> {
        let mut at = self.cursor;
        loop {
            at = skip_white(self.text, at);
            match self.text.as_bytes().get(at)? {
                b'!' | b'&' => return Some(at),
                b':' | b'-' | b'?' | b',' => at += 1,
                _ => return None,
            }
        }
    }

    fn skip_commas(&self) -> usize {
        let mut at = skip_white(self.text, self.cursor);
        while self.text.as_bytes().get(at) == Some(&b',') {
            at = skip_white(self.text, at + 1);
        }
        at
    }

    fn notice_comment(&mut self, span: Span, value: &str) {
        let around = match self.open.last() {
            Some(Frame { inside: Inside::Map { key: Some(key), .. }, style, .. }) => match style {
                Style::Block => Around::BlockValue(key),
                _ => Around::FlowValue(key),
            },
            Some(Frame { inside: Inside::List(_), .. }) => Around::Item,
            _ => return,
        };
        let notice = cut_off(self.text, span, value, &around);
        self.notices.extend(notice);
    }

    fn attach(&mut self, node: Node) {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut frame.inside {
            Inside::DeepList | Inside::DeepMap => frame.start = frame.start.min(node.span.start),
            Inside::List(items) => items.push(node),
            Inside::Map { pairs, key, seen } => {
                frame.start = frame.start.min(node.span.start);
                let Some(first) = key.take() else {
                    *key = Some(node);
                    return;
                };
                match &first.value {
                    // Of two equal keys the first wins (rule 5.4).
                    Value::Text(name) if is_seen(pairs, seen, name) => {
                        let notice = duplicate_key(pairs, name, (&first, &node));
                        self.notices.push(notice);
                    }
                    _ => pairs.push((first, node)),
                }
            }
        }
    }
}

/// Whether a tag is one that YAML knows itself, such as `!!str`.
pub(crate) fn is_own_tag(tag: &str) -> bool {
    const OWN: &[&str] =
        &["str", "int", "float", "bool", "null", "binary", "timestamp", "map", "seq", "set", "omap", "pairs", "merge"];
    tag.strip_prefix("tag:yaml.org,2002:").is_some_and(|name| OWN.contains(&name))
}

/// Most maps are so small that looking through them costs less than a set.
const FEW_PAIRS: usize = 16;

/// Whether a map has this key already.
fn is_seen(pairs: &[(Node, Node)], seen: &mut HashSet<String>, name: &str) -> bool {
    let texts = pairs.iter().filter_map(|(key, _)| match &key.value {
        Value::Text(text) => Some(text),
        Value::List(_) | Value::Map(_) | Value::Absent => None,
    });
    if pairs.len() < FEW_PAIRS {
        return texts.into_iter().any(|text| text == name);
    }
    if seen.is_empty() {
        seen.extend(texts.cloned());
    }
    !seen.insert(name.to_owned())
}
