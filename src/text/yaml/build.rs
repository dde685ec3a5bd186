//! Builds the tree and the notices from the parser's events. Events say where a node begins but not where it ends, so
//! `cursor` follows the source. The stack is a vector; nodes deeper than `MAX_DEPTH` are on it, but are not built.

use super::{
    Document, MAX_DEPTH, Node, Notice, NoticeKind, Span, Style, Unresolved, Value, Word, duplicate_key, own_tag,
};
use crate::text::escape::quote_yaml;
use std::collections::HashSet;

#[derive(Default)]
pub(super) struct Builder<'t> {
    text: &'t str,
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
    /// Whether of equal keys the last counts.
    last_counts: bool,
}

struct Frame {
    start: usize,
    style: Style,
    is_list: bool,
    properties: Properties,
    inside: Inside,
}

/// The number of a node's anchor, 0 if it has none, and its tag.
type Properties = (usize, Option<String>);

enum Inside {
    List(Vec<Node>),
    Map {
        pairs: Vec<(Node, Node)>,
        key: Option<Node>,
        seen: HashSet<String>,
    },
    /// It is nested too deep, and not built.
    Deep,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: &'t str, tabs: &'t [usize], last_counts: bool) -> Builder<'t> {
        Builder { text, tabs, last_counts, ..Builder::default() }
    }

    /// The document, and the tabs inside scalars for which the parser read a space.
    pub(super) fn finish(self) -> (Document, Vec<usize>) {
        let is_free = |anchor: usize| !self.anchors.anchors.get(anchor).is_some_and(|anchor| anchor.is_referred);
        let words = self.words.into_iter().filter_map(|(anchor, word)| is_free(anchor).then_some(word));
        let document = Document { root: self.root, notices: self.notices, words: words.collect() };
        (document, self.tabs_in_scalars)
    }

    /// Adds a copy of what an alias refers to (rule 5.2).
    pub(super) fn alias(&mut self, anchor: usize, at: usize) {
        self.anchors.anchor(anchor).is_referred = true;
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
        self.open(dash.unwrap_or(at), true, properties);
    }

    /// The offset of the first `- ` of the line that begins at `line`, if the list whose mark is at `at` begins there.
    /// The mark of a list at the indentation of its key is behind the dash.
    fn dash_before(&self, at: usize, line: usize) -> Option<usize> {
        let dash = skip(self.text, line, is_blank);
        let is_dash = dash < at
            && self.byte(dash) == Some(b'-')
            && self.byte(dash + 1).is_none_or(|byte| byte.is_ascii_whitespace());
        (is_dash && (skip(self.text, dash + 1, is_blank) >= at || skip_white(self.text, dash + 1) > at)).then_some(dash)
    }

    pub(super) fn open(&mut self, start: usize, is_list: bool, properties: Properties) {
        let first = self.byte(start);
        let in_flow = matches!(self.open.last(), Some(Frame { style: Style::Flow, .. }));
        let is_flow = in_flow || first == Some(if is_list { b'[' } else { b'{' });
        let style = if is_flow { Style::Flow } else { Style::Block };
        // A mapping's mark may stand at its first `:`; that key has not been read yet.
        if is_list || is_flow {
            self.cursor = self.cursor.max(start + usize::from(matches!(first, Some(b'[' | b'{'))));
        }
        let inside = match is_list {
            _ if self.open.len() >= MAX_DEPTH => Inside::Deep,
            true => Inside::List(Vec::new()),
            false => Inside::Map { pairs: Vec::new(), key: None, seen: HashSet::new() },
        };
        self.open.push(Frame { start, style, is_list, properties, inside });
    }

    pub(super) fn close(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        if frame.style == Style::Flow {
            let mut after = skip_white(self.text, self.cursor);
            while self.byte(after) == Some(b',') {
                after = skip_white(self.text, after + 1);
            }
            // A single pair inside a list has no braces.
            if self.byte(after) == Some(if frame.is_list { b']' } else { b'}' }) {
                self.cursor = after + 1;
            }
        }
        let span = Span { start: frame.start, end: self.cursor.max(frame.start) };
        let value = match frame.inside {
            Inside::List(items) => Value::List(items),
            Inside::Map { pairs, .. } => Value::Map(pairs),
            Inside::Deep => {
                self.notices.extend((!self.is_deep()).then_some(Notice { what: NoticeKind::TooDeep, span }));
                Value::Absent
            }
        };
        let (anchor, tag) = frame.properties;
        let node = Node { value, span, style: frame.style, tag };
        self.anchors.keep(anchor, &node);
        self.attach(node);
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Whether new nodes are beyond the depth that is built.
    fn is_deep(&self) -> bool {
        matches!(self.open.last(), Some(Frame { inside: Inside::Deep, .. }))
    }

    /// The empty span of a scalar that is not written: directly behind its indicator, tag and anchor.
    fn nothing(&self) -> Span {
        let next = skip_white(self.text, self.cursor);
        let has_indicator = matches!(self.byte(next), Some(b':' | b'-' | b'?'));
        let at = if has_indicator { next + 1 } else { self.cursor };
        // Properties on a further line belong to the node there.
        let end = boundary(self.text, skip_properties(self.text, at));
        Span { start: end, end }
    }

    /// The scalar with the tag and the anchor before it, which its author may have meant as words of it. `None` for
    /// keys, block scalars, and scalars with one of YAML's own tags.
    fn word(&self, span: Span, value: &str, style: Style, tag: Option<&str>) -> Option<Word> {
        let is_key = matches!(self.open.last(), Some(Frame { inside: Inside::Map { key: None, .. }, .. }));
        if is_key || self.is_deep() || tag.and_then(own_tag).is_some() || style.is_block_scalar() {
            return None;
        }
        let mut start = skip_white(self.text, self.cursor);
        while matches!(self.byte(start), Some(b':' | b'-' | b'?' | b',')) {
            start = skip_white(self.text, start + 1);
        }
        if !matches!(self.byte(start)?, b'!' | b'&') {
            return None;
        }
        let words = self.text.get(start..skip_properties(self.text, start).min(span.end))?;
        let value = match style {
            Style::Plain if value.is_empty() => words.to_owned(),
            Style::Plain => format!("{words} {value}"),
            _ => self.text.get(start..span.end).filter(|source| !source.contains(['\n', '\r']))?.to_owned(),
        };
        Some(Word { span: Span { start, end: span.end }, value })
    }

    /// Adds the notice for a plain scalar that is followed by white space and `#` on its last line, unless what follows is
    /// clearly meant as a comment (rule 5.8).
    fn notice_comment(&mut self, span: Span, value: &str) {
        // Whether the scalar is the value of a key, and this in a block mapping.
        let (key, is_block) = match self.open.last() {
            Some(Frame { inside: Inside::Map { key: Some(key), .. }, style, .. }) => {
                (Some(key), *style == Style::Block)
            }
            Some(Frame { inside: Inside::List(_), style, .. }) => (None, *style == Style::Block),
            _ => return,
        };
        let text = self.text;
        let hash = skip(text, span.end, is_blank);
        if hash == span.end || self.byte(hash) != Some(b'#') {
            return;
        }
        let line_end = skip(text, hash, |byte| !is_break(byte));
        let hash_word = text[hash + 1..line_end].starts_with(|c: char| !c.is_whitespace());
        if !hash_word && (hash - span.end > 1 || !value.contains(char::is_whitespace)) {
            return;
        }
        let is_one_line = !text[span.start..span.end].contains(['\n', '\r']);
        let (from, to, colon) = match key {
            _ if is_one_line => (span.start, span.start, ""),
            Some(key) if is_block => (key.span.start, key.span.end, ": "),
            _ => return,
        };
        let line_start = text[..from].rfind(['\n', '\r']).map_or(0, |found| found + 1);
        let (before, rest) = (&text[line_start..to], &text[span.end..line_end]);
        let line_with = match hash_word && is_block {
            // Such a `#` probably belongs to the value. In brackets, what follows may as well end the list.
            true => format!("{before}{colon}{}", quote_yaml(&format!("{value}{}", rest.trim_end()))),
            false => format!("{before}{colon}{}{rest}", quote_yaml(value)),
        };
        let key = key.and_then(Node::as_text).map(str::to_owned);
        let what = NoticeKind::Comment { key, value: value.to_owned(), from, line_with, hash_word };
        self.notices.push(Notice { what, span });
    }

    fn attach(&mut self, node: Node) {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut frame.inside {
            Inside::Deep => frame.start = frame.start.min(node.span.start),
            Inside::List(items) => items.push(node),
            Inside::Map { pairs, key, seen } => {
                frame.start = frame.start.min(node.span.start);
                let Some(first) = key.take() else {
                    *key = Some(node);
                    return;
                };
                match &first.value {
                    // Of two equal keys the first wins (rule 5.4), or the last.
                    Value::Text(name) if is_seen(pairs, seen, name) => {
                        let notice = duplicate_key(pairs, name, (&first, &node), self.last_counts);
                        self.notices.push(notice);
                        let known = pairs.iter_mut().find(|(key, _)| key.as_text() == Some(name));
                        if let Some(known) = known.filter(|_| self.last_counts) {
                            *known = (first, node);
                        }
                    }
                    _ => pairs.push((first, node)),
                }
            }
        }
    }
}

/// Most maps are so small that looking through them costs less than a set.
const FEW_PAIRS: usize = 16;

fn is_seen(pairs: &[(Node, Node)], seen: &mut HashSet<String>, name: &str) -> bool {
    let mut texts = pairs.iter().filter_map(|(key, _)| key.as_text());
    if pairs.len() < FEW_PAIRS {
        return texts.any(|text| text == name);
    }
    if seen.is_empty() {
        seen.extend(texts.map(str::to_owned));
    }
    !seen.insert(name.to_owned())
}

/// The size to which all aliases of a document may expand together.
const MAX_EXPANDED_BYTES: usize = 1_048_576;

/// The size of all values with an anchor that are kept for aliases.
const MAX_KEPT_BYTES: usize = MAX_EXPANDED_BYTES;

/// What a value inside a collection counts besides its text, as it takes memory also if it is empty.
const NODE_BYTES: usize = 64;

/// The anchors of a document, by the numbers that the parser gives them; 0 stands for none. Keeps the values that have one,
/// and copies them to where an alias stands for them (rule 5.2). What aliases expand to is bounded by its size, and as deep
/// as any other value.
#[derive(Default)]
struct Anchors {
    anchors: Vec<Anchor>,
    kept_bytes: usize,
    expanded_bytes: usize,
}

#[derive(Default)]
struct Anchor {
    is_referred: bool,
    value: Kept,
}

#[derive(Default)]
enum Kept {
    #[default]
    Open,
    Value(Node, usize),
    TooLarge,
}

impl Anchors {
    fn keep(&mut self, anchor: usize, node: &Node) {
        if anchor == 0 {
            return;
        }
        let bytes = bytes_of(node);
        let kept_bytes = self.kept_bytes.saturating_add(bytes).saturating_add(NODE_BYTES);
        let is_kept = kept_bytes <= MAX_KEPT_BYTES;
        self.anchor(anchor).value = if is_kept { Kept::Value(node.clone(), bytes) } else { Kept::TooLarge };
        self.kept_bytes = if is_kept { kept_bytes } else { self.kept_bytes };
    }

    /// The value that an alias in this place stands for, inside so many collections, and whether a part of it is absent
    /// because it is nested too deep. All of it has the place of the alias.
    fn expand(&mut self, anchor: usize, span: Span, depth: usize) -> Result<(Node, bool), Unresolved> {
        let expanded_bytes = self.expanded_bytes;
        let (node, bytes) = match &self.anchor(anchor).value {
            Kept::Open => return Err(Unresolved::Circular),
            Kept::TooLarge => return Err(Unresolved::TooLarge),
            Kept::Value(node, bytes) => (node, expanded_bytes.saturating_add(*bytes)),
        };
        if bytes > MAX_EXPANDED_BYTES {
            return Err(Unresolved::TooLarge);
        }
        let mut is_cut = false;
        let node = copy(node, span, MAX_DEPTH.saturating_sub(depth), &mut is_cut);
        self.expanded_bytes = bytes;
        Ok((node, is_cut))
    }

    fn anchor(&mut self, anchor: usize) -> &mut Anchor {
        if self.anchors.len() <= anchor {
            self.anchors.resize_with(anchor + 1, Anchor::default);
        }
        &mut self.anchors[anchor]
    }
}

/// A copy with at most so many levels of collections. Recurses at most `MAX_DEPTH` times.
fn copy(node: &Node, span: Span, levels: usize, is_cut: &mut bool) -> Node {
    let value = match &node.value {
        Value::List(_) | Value::Map(_) if levels == 0 => {
            *is_cut = true;
            Value::Absent
        }
        Value::List(items) => Value::List(items.iter().map(|item| copy(item, span, levels - 1, is_cut)).collect()),
        Value::Map(pairs) => {
            let mut part = |node| copy(node, span, levels - 1, is_cut);
            Value::Map(pairs.iter().map(|(key, value)| (part(key), part(value))).collect())
        }
        Value::Text(text) => Value::Text(text.clone()),
        Value::Absent => Value::Absent,
    };
    Node { value, span, style: node.style, tag: node.tag.clone() }
}

/// The size of a value. Recurses at most `MAX_DEPTH` times.
fn bytes_of(node: &Node) -> usize {
    let inside = |node| NODE_BYTES.saturating_add(bytes_of(node));
    let own = match &node.value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.iter().map(inside).fold(0, usize::saturating_add),
        Value::Map(pairs) => {
            pairs.iter().flat_map(|(key, value)| [key, value]).map(inside).fold(0, usize::saturating_add)
        }
        Value::Absent => 0,
    };
    own.saturating_add(node.tag.as_ref().map_or(0, String::len))
}

/// Maps the parser's lines (which also end at a lone CR) and columns to byte offsets. Its own index counts bytes inside block
/// scalars and characters elsewhere, so it is not used. Every offset is a character boundary.
pub(super) struct Places<'t> {
    text: &'t str,
    /// The offset of the first byte of each line, and the number of characters before it.
    lines: Vec<(usize, usize)>,
    /// The offset of each character; empty if all are ASCII.
    bytes: Vec<usize>,
}

impl<'t> Places<'t> {
    pub(super) fn new(text: &'t str) -> Places<'t> {
        let mut lines = vec![(0, 0)];
        let mut bytes = Vec::new();
        let is_ascii = text.is_ascii();
        for (number, (at, c)) in text.char_indices().enumerate() {
            if !is_ascii {
                bytes.push(at);
            }
            if c == '\n' || (c == '\r' && text.as_bytes().get(at + 1) != Some(&b'\n')) {
                lines.push((at + 1, number + 1));
            }
        }
        Places { text, lines, bytes }
    }

    /// The offset of a line (from 1) and column (from 0). A position behind the last character is the end of the text.
    pub(super) fn byte(&self, line: usize, column: usize) -> usize {
        let Some(&(start, before)) = self.lines.get(line.saturating_sub(1)) else { return self.text.len() };
        if self.bytes.is_empty() {
            return start.saturating_add(column).min(self.text.len());
        }
        self.bytes.get(before.saturating_add(column)).copied().unwrap_or(self.text.len())
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn is_break(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn is_white(byte: u8) -> bool {
    is_blank(byte) || is_break(byte)
}

/// The first offset from `at` on whose byte is not one of these, or the end of the text.
fn skip(text: &str, at: usize, is_one: impl Fn(u8) -> bool) -> usize {
    let at = at.min(text.len());
    text.as_bytes()[at..].iter().position(|&byte| !is_one(byte)).map_or(text.len(), |count| at + count)
}

/// The first offset from `at` on that is neither white space nor part of a comment.
fn skip_white(text: &str, mut at: usize) -> usize {
    loop {
        at = skip(text, at, is_white);
        if text.as_bytes().get(at) != Some(&b'#') {
            return at;
        }
        at = skip(text, at, |byte| !is_break(byte));
    }
}

/// Where the tags and anchors end that follow on this line.
fn skip_properties(text: &str, mut at: usize) -> usize {
    loop {
        let next = skip(text, at, is_blank);
        if !matches!(text.as_bytes().get(next), Some(b'!' | b'&')) {
            return at;
        }
        at = skip(text, next, |byte| !is_white(byte));
    }
}

/// Where a plain scalar ends. Its source contains the characters of its value in order, and more white space.
fn plain_end(text: &str, start: usize, value: &str) -> usize {
    let mut at = start;
    for _ in value.bytes().filter(|&byte| !is_white(byte)) {
        at = skip(text, at, is_white) + 1;
    }
    boundary(text, at)
}

fn quoted_end(text: &str, start: usize, style: Style) -> usize {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match (style, byte) {
            (Style::Double, b'\\') => at += 2,
            (Style::Single, b'\'') if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            (Style::Double, b'"') | (Style::Single, b'\'') => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The lines of a block scalar from its header on. `after` is where the source before it ends, and `content` the offset
/// and column of its first line that is not blank.
fn block_span(text: &str, after: usize, value: &str, content: (usize, usize)) -> Span {
    // Behind a directive the header is not found, and the span begins with the content.
    let start = block_header(text, after).unwrap_or(content.0);
    let header_end = skip(text, start, |byte| matches!(byte, b'|' | b'>' | b'+' | b'-' | b'0'..=b'9'));
    if value.bytes().all(|byte| byte == b'\n') {
        return Span { start, end: header_end };
    }
    let mut end = header_end;
    let mut line = content.0;
    while line < text.len() {
        let line_end = skip(text, line, |byte| !is_break(byte));
        let inked = skip(text, line, |byte| byte == b' ').min(line_end);
        // The offset of the first line is that of its content, behind the indentation.
        let is_content = line == content.0 || inked - line >= content.1;
        let is_empty = skip(text, inked, is_blank) >= line_end;
        if !is_empty && !is_content {
            break;
        }
        if !is_empty {
            end = line + text[line..line_end].trim_end_matches([' ', '\t']).len();
        }
        line = line_end + if text[line_end..].starts_with("\r\n") { 2 } else { 1 };
    }
    Span { start, end }
}

/// The offset of the next `|` or `>` behind indicators, properties and comments.
fn block_header(text: &str, after: usize) -> Option<usize> {
    let mut at = after;
    loop {
        at = skip_white(text, at);
        match text.as_bytes().get(at)? {
            b'|' | b'>' => return Some(at),
            b':' | b'-' | b'?' => at += 1,
            b'!' | b'&' => at = skip_properties(text, at),
            _ => return None,
        }
    }
}

/// The first character boundary from `at` on, or the end of the text.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}
