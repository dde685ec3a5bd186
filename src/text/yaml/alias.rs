//! Keeps the values that have an anchor, and copies them to where an alias stands for them (rule 5.2). What aliases
//! expand to is bounded by its size, and as deep as any other value.

use super::{MAX_DEPTH, Node, Span, Unresolved, Value};

/// The size to which all aliases of a document may expand together.
const MAX_EXPANDED_BYTES: usize = 1_048_576;

/// The size of all values with an anchor that are kept for aliases.
const MAX_KEPT_BYTES: usize = MAX_EXPANDED_BYTES;

/// What a value inside a collection counts besides its text, as it takes memory also if it is empty.
const NODE_BYTES: usize = 64;

/// The anchors of a document, by the numbers that the parser gives them. 0 stands for none.
#[derive(Default)]
pub(super) struct Anchors {
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
    /// Its value has not ended yet.
    #[default]
    Open,
    /// Its value, and the size of it.
    Value(Node, usize),
    TooLarge,
}

impl Anchors {
    /// Keeps a value for the aliases that refer to it.
    pub(super) fn keep(&mut self, anchor: usize, node: &Node) {
        if anchor == 0 {
            return;
        }
        let bytes = bytes_of(node);
        let kept_bytes = self.kept_bytes.saturating_add(bytes).saturating_add(NODE_BYTES);
        self.anchor(anchor).value = match kept_bytes <= MAX_KEPT_BYTES {
            true => Kept::Value(node.clone(), bytes),
            false => Kept::TooLarge,
        };
        if kept_bytes <= MAX_KEPT_BYTES {
            self.kept_bytes = kept_bytes;
        }
    }

    /// Notes that an alias refers to an anchor, wherever it is.
    pub(super) fn refer(&mut self, anchor: usize) {
        self.anchor(anchor).is_referred = true;
    }

    pub(super) fn is_referred(&self, anchor: usize) -> bool {
        self.anchors.get(anchor).is_some_and(|anchor| anchor.is_referred)
    }

    /// The value that an alias in this place stands for, inside so many collections, and whether a part of it is absent
    /// because it is nested too deep. All of it has the place of the alias.
    pub(super) fn expand(&mut self, anchor: usize, span: Span, depth: usize) -> Result<(Node, bool), Unresolved> {
        let expanded_bytes = self.expanded_bytes;
        let (node, bytes) = match &self.anchor(anchor).value {
            Kept::Open => return Err(Unresolved::Circular),
            Kept::TooLarge => return Err(Unresolved::TooLarge),
            Kept::Value(node, bytes) => (node, *bytes),
        };
        let bytes = expanded_bytes.saturating_add(bytes);
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
            pairs.iter().map(|(key, value)| inside(key).saturating_add(inside(value))).fold(0, usize::saturating_add)
        }
        Value::Absent => 0,
    };
    own.saturating_add(node.tag.as_ref().map_or(0, String::len))
}
