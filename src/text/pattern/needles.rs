//! In: parsed patterns, then a text. Out: which of them the text may hold: those of which a needle, characters that
//! every match has in a row, stands in it; found for all in one pass. Letters count as the patterns take them, without
//! regard to case. Recursion is as deep as a pattern, which is bounded where it is parsed.

use crate::text::automaton::{Automaton, ROOT};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use std::collections::HashMap;

/// The most needles of one pattern: with more it is searched for itself.
const MOST_NEEDLES: usize = 64;

/// How many characters of a needle count: longer ones are no rarer.
const MOST_CHARS: usize = 16;

/// The most characters that are one letter in another case: three, for `k`, `s` and the like.
const MOST_CASES: u32 = 4;

/// A character of a needle: one of these, the first of which stands for all.
#[derive(Clone, Debug)]
pub(super) struct Letter(Vec<char>);

/// Characters in a row.
type Needle = Vec<Letter>;

/// What every match of the pattern has one of; nothing where there is no such thing, or none worth a look.
pub(super) fn required(pattern: &Hir) -> Option<Vec<Needle>> {
    let mut best: Option<Vec<Needle>> = None;
    let mut offer = |needles: Option<Vec<Needle>>| {
        let needles = needles.filter(|needles| worth(needles) > best.as_ref().map_or(0, |best| worth(best)));
        if needles.is_some() {
            best = needles;
        }
    };
    match pattern.kind() {
        HirKind::Repetition(repetition) if repetition.min > 0 => return required(&repetition.sub),
        HirKind::Capture(capture) => return required(&capture.sub),
        HirKind::Alternation(parts) => {
            let mut needles = Vec::new();
            for part in parts {
                needles.extend(required(part)?);
                if needles.len() > MOST_NEEDLES {
                    return None;
                }
            }
            return Some(needles);
        }
        HirKind::Concat(parts) => {
            let mut row = Needle::new();
            for part in parts {
                match letters(part) {
                    Some(letters) => row.extend(letters),
                    None => {
                        offer(Some(vec![std::mem::take(&mut row)]));
                        offer(required(part));
                    }
                }
            }
            offer(Some(vec![row]));
        }
        _ => offer(letters(pattern).map(|row| vec![row])),
    }
    best
}

/// How many characters the shortest has.
fn worth(needles: &[Needle]) -> usize {
    needles.iter().map(Vec::len).min().unwrap_or(0).min(MOST_CHARS)
}

/// The characters of a part that is nothing but characters in a row.
fn letters(part: &Hir) -> Option<Needle> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(Needle::new()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(text.chars().map(|c| Letter(vec![c])).collect())
        }
        HirKind::Class(Class::Unicode(class)) => letter(class).map(|letter| vec![letter]),
        HirKind::Capture(capture) => letters(&capture.sub),
        HirKind::Concat(parts) => {
            let mut row = Needle::new();
            for part in parts {
                row.extend(letters(part)?);
            }
            Some(row)
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Repetition(_) | HirKind::Alternation(_) => None,
    }
}

/// The letter that a class is, all of its cases and nothing else.
fn letter(class: &ClassUnicode) -> Option<Letter> {
    let size = |range: &ClassUnicodeRange| u32::from(range.end()) - u32::from(range.start()) + 1;
    let mut count = 0_u32;
    for range in class.ranges() {
        count = count.saturating_add(size(range));
        if count > MOST_CASES {
            return None;
        }
    }
    let first = class.ranges().first()?.start();
    let mut cases = ClassUnicode::new([ClassUnicodeRange::new(first, first)]);
    cases.try_case_fold_simple().ok()?;
    let chars = || class.ranges().iter().flat_map(|range| range.start()..=range.end());
    (cases == *class).then(|| Letter(chars().collect()))
}

/// The needles of many patterns.
#[derive(Debug, Default)]
pub(super) struct Needles {
    /// What stands for a letter in all its cases, where it is another character.
    cases: HashMap<char, char>,
    /// The same of ASCII.
    ascii: Vec<char>,
    waiting: Vec<(usize, Needle)>,
    automaton: Automaton,
    /// The patterns whose needles end at a node.
    owners: HashMap<u32, Vec<usize>>,
}

impl Needles {
    pub(super) fn add(&mut self, pattern: usize, mut needle: Needle) {
        needle.truncate(MOST_CHARS);
        for letter in &needle {
            if let [first, others @ ..] = letter.0.as_slice() {
                self.cases.extend(others.iter().map(|other| (*other, *first)));
            }
        }
        self.waiting.push((pattern, needle));
    }

    /// Makes them ready, after the last: only now all letters are known that stand for others.
    pub(super) fn link(&mut self) {
        for (pattern, needle) in std::mem::take(&mut self.waiting) {
            let chars = needle.iter().filter_map(|letter| letter.0.first());
            let end =
                chars.fold(ROOT, |node, c| self.automaton.add(node, self.cases.get(c).copied().unwrap_or(*c).into()));
            self.owners.entry(end).or_default().push(pattern);
        }
        self.ascii = ('\0'..='\u{7f}').map(|c| stands_for(&self.cases, c)).collect();
        self.automaton.link();
    }

    /// Calls with the patterns of which a needle stands in the text, perhaps more than once.
    pub(super) fn find(&self, text: &str, hit: &mut dyn FnMut(usize)) {
        let mut reader = self.automaton.reader();
        for c in text.chars() {
            let c = self.ascii.get(c as usize).copied().unwrap_or_else(|| stands_for(&self.cases, c));
            reader.read(Some(c.into()), &mut |node| {
                for pattern in self.owners.get(&node).into_iter().flatten() {
                    hit(*pattern);
                }
            });
        }
    }
}

fn stands_for(cases: &HashMap<char, char>, c: char) -> char {
    cases.get(&c).copied().unwrap_or(c)
}
