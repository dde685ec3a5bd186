//! In: sequences of symbols, then a text of such symbols. Out: which sequences stand in it, in one pass: the automaton of
//! Aho and Corasick. Absent: what a symbol is.

use crate::text::order::sort_by;
use std::collections::HashMap;

/// A set of sequences, each known by the node at which it ends.
#[derive(Debug)]
pub(crate) struct Automaton {
    /// From a node, by a symbol, to the next.
    next: HashMap<(u32, u32), u32>,
    nodes: Vec<Node>,
    /// From the root by the first symbols, which most texts are made of: nearly all that is read leads back to it.
    first: Vec<u32>,
}

/// How many symbols have a place in `first`.
const FIRST: u32 = 128;

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    symbol: u32,
    depth: u32,
    /// The node of the longest suffix that is a beginning too.
    fail: u32,
}

/// Where every sequence begins.
pub(crate) const ROOT: u32 = 0;

impl Default for Automaton {
    fn default() -> Automaton {
        let root = Node { parent: ROOT, symbol: 0, depth: 0, fail: ROOT };
        Automaton { next: HashMap::new(), nodes: vec![root], first: Vec::new() }
    }
}

impl Automaton {
    /// Makes the sequence that ends at a node longer: the node at which it ends now.
    pub(crate) fn add(&mut self, node: u32, symbol: u32) -> u32 {
        let fresh = self.nodes.len() as u32;
        let to = *self.next.entry((node, symbol)).or_insert(fresh);
        if to == fresh {
            let depth = self.node(node).depth + 1;
            self.nodes.push(Node { parent: node, symbol, depth, fail: ROOT });
        }
        to
    }

    /// Makes the set ready, after the last sequence.
    pub(crate) fn link(&mut self) {
        self.first = (0..FIRST).map(|symbol| self.next.get(&(ROOT, symbol)).copied().unwrap_or(ROOT)).collect();
        let mut order: Vec<u32> = (1..self.nodes.len() as u32).collect();
        sort_by(&mut order, |a, b| self.node(*a).depth.cmp(&self.node(*b).depth));
        for at in order {
            let Node { parent, symbol, .. } = self.node(at);
            let fail = if parent == ROOT { ROOT } else { self.step(self.node(parent).fail, symbol) };
            if let Some(node) = self.nodes.get_mut(at as usize) {
                node.fail = fail;
            }
        }
    }

    /// For each node the longest of the marked sequences that its own ends with, itself where it is one; the root for
    /// none. For after the set is ready.
    pub(crate) fn longest(&self, is_marked: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let mut order: Vec<u32> = (1..self.nodes.len() as u32).collect();
        sort_by(&mut order, |a, b| self.node(*a).depth.cmp(&self.node(*b).depth));
        let mut longest = vec![ROOT; self.nodes.len()];
        for at in order {
            let shorter = longest.get(self.node(at).fail as usize).copied().unwrap_or(ROOT);
            if let Some(found) = longest.get_mut(at as usize) {
                *found = if is_marked(at) { at } else { shorter };
            }
        }
        longest
    }

    /// How many symbols the sequence has that ends at a node.
    pub(crate) fn length(&self, node: u32) -> usize {
        self.node(node).depth as usize
    }

    /// For one text.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { automaton: self, state: ROOT, seen: vec![false; self.nodes.len()] }
    }

    fn step(&self, mut from: u32, symbol: u32) -> u32 {
        loop {
            if let Some(to) = self.first.get(symbol as usize).filter(|_| from == ROOT) {
                return *to;
            }
            match self.next.get(&(from, symbol)) {
                Some(to) => return *to,
                None if from == ROOT => return ROOT,
                None => from = self.node(from).fail,
            }
        }
    }

    fn node(&self, at: u32) -> Node {
        self.nodes.get(at as usize).copied().unwrap_or(Node { parent: ROOT, symbol: 0, depth: 0, fail: ROOT })
    }
}

/// A text that is being read.
pub(crate) struct Reader<'a> {
    automaton: &'a Automaton,
    state: u32,
    seen: Vec<bool>,
}

impl Reader<'_> {
    /// The node of the longest beginning of a sequence that stands right before here.
    pub(crate) fn state(&self) -> u32 {
        self.state
    }

    /// Reads a symbol, none for one that is in no sequence. Calls with the nodes of the sequences that end here, each
    /// once a text; with other nodes too.
    pub(crate) fn read(&mut self, symbol: Option<u32>, hit: &mut dyn FnMut(u32)) {
        self.state = symbol.map_or(ROOT, |symbol| self.automaton.step(self.state, symbol));
        let mut at = self.state;
        while at != ROOT && self.seen.get(at as usize) == Some(&false) {
            if let Some(seen) = self.seen.get_mut(at as usize) {
                *seen = true;
            }
            hit(at);
            at = self.automaton.node(at).fail;
        }
    }
}
