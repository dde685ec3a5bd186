//! The words of an index and the stems that they are searched by, each text once. A word is stemmed when it is first met, as
//! that takes longer than to find it here.

use crate::text::terms::{is_stop_word, stem};
use std::collections::HashMap;
use std::sync::Arc;

/// In place of the stem of a text that is not met as a word yet, but only as a stem.
const NOT_A_WORD: u32 = u32::MAX;
/// How many words are found by a short hash. The keyed hash of the map takes several times as long, and is needed for one word in
/// eight of real descriptions. Words that are chosen to have the same short hash are found by their keyed ones.
const RECENT_WORDS: usize = 16_384;

/// Words and stems, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
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
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        let text = Arc::<str>::from(text);
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        self.stem_of.push(NOT_A_WORD);
        self.is_stop.push(false);
        number
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// A word or a stem, by its number.
    pub(super) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
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
        self.numbers.get(text).copied()
    }
}

/// The place of a word in `recent`: its hash by FNV-1a.
fn place(word: &str) -> usize {
    word.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) as usize
        % RECENT_WORDS
}
