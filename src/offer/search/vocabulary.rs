//! The words of an index and the stems that they are searched by, each text once. A word is stemmed when it is first met, as
//! that takes longer than to find it here.

use crate::text::terms::{is_stop_word, stem};
use std::hash::{BuildHasher, RandomState};

/// In place of the stem of a text that is not met as a word yet, but only as a stem.
const NOT_A_WORD: u32 = u32::MAX;
/// How many words are found by a short hash. The keyed hash takes several times as long, and is needed for one word in eight of
/// real descriptions. Words that are chosen to have the same short hash are found by their keyed ones.
const RECENT_WORDS: usize = 16_384;

/// Words and stems, by number. Bodies have a hundred thousand of them, so the texts are in one piece and found by a table of
/// numbers, which takes a quarter of the memory of a map that owns them.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    /// All texts, one behind the other.
    texts: String,
    /// Where each text ends.
    ends: Vec<u32>,
    /// The number of a text plus one at the place of its hash, or at the next free one; 0 at a free place. At least a quarter of
    /// the places, whose count is a power of two, is free.
    places: Vec<u32>,
    hashes: RandomState,
    /// The number of the stem of each word.
    stem_of: Vec<u32>,
    is_stop: Vec<bool>,
    /// The word that was met last at each place. See [`place`].
    recent: Vec<u32>,
}

impl Vocabulary {
    /// The number of a word in lower case, which is added if it is new.
    pub(super) fn add(&mut self, word: &str) -> u32 {
        let place = place(word);
        if let Some(number) = self.recent.get(place).filter(|number| self.text(**number) == word) {
            return *number;
        }
        let number = self.number_or_add(word);
        self.recent.resize(RECENT_WORDS, number);
        self.recent[place] = number;
        if self.stem_of(number) == NOT_A_WORD {
            let stem = stem(word);
            let stem = if *stem == *word { number } else { self.number_or_add(&stem) };
            self.stem_of[number as usize] = stem;
            self.is_stop[number as usize] = is_stop_word(word);
        }
        number
    }

    fn number_or_add(&mut self, text: &str) -> u32 {
        if let Some(number) = self.number(text) {
            return number;
        }
        let number = self.ends.len() as u32;
        self.texts.push_str(text);
        self.ends.push(self.texts.len() as u32);
        self.stem_of.push(NOT_A_WORD);
        self.is_stop.push(false);
        if self.places.len() / 4 * 3 < self.ends.len() {
            self.places = vec![0; (2 * self.places.len()).max(FEWEST_PLACES)];
            (0..number).for_each(|known| self.enter(known));
        }
        self.enter(number);
        number
    }

    /// Puts a text, which is not there yet, at its place.
    fn enter(&mut self, number: u32) {
        let place = self.place_of(self.text(number));
        if let Some(place) = self.places.get_mut(place) {
            *place = number + 1;
        }
    }

    /// The place where a text is, or where it would be.
    fn place_of(&self, text: &str) -> usize {
        let last = self.places.len().saturating_sub(1);
        let mut at = self.hashes.hash_one(text) as usize & last;
        while let Some(number) = self.places.get(at).and_then(|entry| entry.checked_sub(1)) {
            if self.text(number) == text {
                break;
            }
            at = (at + 1) & last;
        }
        at
    }

    /// Gives back the memory that only more texts would need.
    pub(super) fn shrink_to_fit(&mut self) {
        self.texts.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.stem_of.shrink_to_fit();
        self.is_stop.shrink_to_fit();
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A word or a stem, by its number.
    pub(super) fn text(&self, number: u32) -> &str {
        let end = |number: usize| self.ends.get(number).map_or(0, |end| *end as usize);
        let number = number as usize;
        self.texts.get(number.checked_sub(1).map_or(0, end)..end(number)).unwrap_or_default()
    }

    /// Whether a word says nothing about what a text is about.
    pub(super) fn is_stop_word(&self, word: u32) -> bool {
        self.is_stop.get(word as usize).is_some_and(|is_stop| *is_stop)
    }

    /// The number of the stem of a word.
    pub(super) fn stem_of(&self, word: u32) -> u32 {
        self.stem_of.get(word as usize).copied().unwrap_or_default()
    }

    /// The number of a word or a stem, if it is known.
    pub(super) fn number(&self, text: &str) -> Option<u32> {
        self.places.get(self.place_of(text))?.checked_sub(1)
    }
}

/// How many places there are at first.
const FEWEST_PLACES: usize = 64;

/// The place of a word in `recent`: its hash by FNV-1a.
fn place(word: &str) -> usize {
    word.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) as usize
        % RECENT_WORDS
}
