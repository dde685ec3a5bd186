//! The automaton of Aho and Corasick, which finds many sequences of symbols in one pass over a text. Symbols are
//! numbers, and may stand for characters or for words; the crate `aho-corasick` searches for bytes only.

use crate::text::order::sort_by;
use std::collections::HashMap;

/// A set of sequences, each identified by the node at which it ends.
#[derive(Debug)]
pub(crate) struct Automaton {
    /// The node that follows a node by a symbol.
    next: HashMap<(u32, u32), u32>,
    nodes: Vec<Node>,
    /// The nodes that follow the root by the symbols below `FIRST`, as an array, because most steps are such ones.
    first: Vec<u32>,
}

const FIRST: u32 = 128;

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    symbol: u32,
    depth: u32,
    /// The node of the longest proper suffix that is a prefix of a sequence.
    fail: u32,
}

/// The node at which every sequence begins.
pub(crate) const ROOT: u32 = 0;

impl Default for Automaton {
    fn default() -> Automaton {
        let root = Node { parent: ROOT, symbol: 0, depth: 0, fail: ROOT };
        Automaton { next: HashMap::new(), nodes: vec![root], first: Vec::new() }
    }
}

impl Automaton {
    /// Appends a symbol to the sequence that ends at a node, and returns the node at which the longer sequence ends.
    pub(crate) fn add(&mut self, node: u32, symbol: u32) -> u32 {
        let fresh = self.nodes.len() as u32;
        let to = *self.next.entry((node, symbol)).or_insert(fresh);
        if to == fresh {
            let depth = self.nodes[node as usize].depth + 1;
            self.nodes.push(Node { parent: node, symbol, depth, fail: ROOT });
        }
        to
    }

    /// Prepares the set for searching, after the last sequence was added.
    pub(crate) fn link(&mut self) {
        self.first = (0..FIRST).map(|symbol| self.next.get(&(ROOT, symbol)).copied().unwrap_or(ROOT)).collect();
        for at in self.by_depth() {
            let Node { parent, symbol, .. } = self.nodes[at as usize];
            let fail = if parent == ROOT { ROOT } else { self.step(self.nodes[parent as usize].fail, symbol) };
            self.nodes[at as usize].fail = fail;
        }
    }

    /// The nodes other than the root, each after those above it.
    fn by_depth(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (1..self.nodes.len() as u32).collect();
        sort_by(&mut order, |a, b| self.nodes[*a as usize].depth.cmp(&self.nodes[*b as usize].depth));
        order
    }

    /// For each node, the longest marked sequence that is a suffix of its own sequence, or is that itself; [`ROOT`] if
    /// there is none. To be called after [`Automaton::link`].
    pub(crate) fn longest(&self, is_marked: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let mut longest = vec![ROOT; self.nodes.len()];
        for at in self.by_depth() {
            let shorter = longest[self.nodes[at as usize].fail as usize];
            longest[at as usize] = if is_marked(at) { at } else { shorter };
        }
        longest
    }

    /// The number of symbols of the sequence that ends at a node.
    pub(crate) fn length(&self, node: u32) -> usize {
        self.nodes[node as usize].depth as usize
    }

    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { automaton: self, state: ROOT, seen: vec![false; self.nodes.len()] }
    }

    /// The node after reading a symbol at a node.
    fn step(&self, mut from: u32, symbol: u32) -> u32 {
        loop {
            if let Some(to) = self.first.get(symbol as usize).filter(|_| from == ROOT) {
                return *to;
            }
            match self.next.get(&(from, symbol)) {
                Some(to) => return *to,
                None if from == ROOT => return ROOT,
                None => from = self.nodes[from as usize].fail,
            }
        }
    }
}

/// The state of a search in one text.
pub(crate) struct Reader<'a> {
    automaton: &'a Automaton,
    state: u32,
    /// The nodes that were reported.
    seen: Vec<bool>,
}

impl Reader<'_> {
    /// The node of the longest prefix of a sequence that ends at the last symbol read.
    pub(crate) fn state(&self) -> u32 {
        self.state
    }

    /// Reads a symbol; `None` is a symbol that is in no sequence. Calls the function with the nodes of the sequences
    /// that end here, and with other nodes, but with each only once in a text.
    pub(crate) fn read(&mut self, symbol: Option<u32>, hit: &mut dyn FnMut(u32)) {
        self.state = symbol.map_or(ROOT, |symbol| self.automaton.step(self.state, symbol));
        let mut at = self.state;
        while at != ROOT && !self.seen[at as usize] {
            self.seen[at as usize] = true;
            hit(at);
            at = self.automaton.nodes[at as usize].fail;
        }
    }
}
