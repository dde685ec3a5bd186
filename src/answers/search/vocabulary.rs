//! The words of an index, each once, and the stems that they are searched by. A word is stemmed when it is first met, as that
//! takes longer than to find it here.

use crate::text::terms::{is_stop_word, stem};
use std::collections::HashMap;
use std::sync::Arc;

/// Texts by number, and numbers by text.
#[derive(Clone, Debug, Default)]
struct Numbered {
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Numbered {
    /// The number of a text, which is added if it is new.
    fn add(&mut self, text: Arc<str>) -> u32 {
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }
}

/// The words and their stems, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    words: Numbered,
    stems: Numbered,
    /// The stem of each word; `None` for a stop word, which has none.
    stem_of: Vec<u32>,
    is_stop: Vec<bool>,
}

impl Vocabulary {
    /// The number of a word in lower case, which is added if it is new.
    pub(super) fn add(&mut self, word: &str) -> u32 {
        if let Some(number) = self.words.numbers.get(word) {
            return *number;
        }
        let text = Arc::<str>::from(word);
        let stem = stem(word);
        let stem = if *stem == *word { Arc::clone(&text) } else { Arc::from(&*stem) };
        self.stem_of.push(self.stems.add(stem));
        self.is_stop.push(is_stop_word(word));
        self.words.add(text)
    }

    /// How many words there are.
    pub(super) fn words(&self) -> usize {
        self.words.texts.len()
    }

    /// How many stems there are.
    pub(super) fn stems(&self) -> usize {
        self.stems.texts.len()
    }

    /// A word, by its number.
    pub(super) fn word(&self, word: u32) -> &str {
        self.words.texts.get(word as usize).map_or("", |text| text)
    }

    /// Whether a word says nothing about what a text is about.
    pub(super) fn is_stop_word(&self, word: u32) -> bool {
        self.is_stop.get(word as usize).is_some_and(|is_stop| *is_stop)
    }

    /// The number of the stem of a word.
    pub(super) fn stem_of(&self, word: u32) -> u32 {
        self.stem_of.get(word as usize).copied().unwrap_or_default()
    }

    /// A stem, by its number.
    pub(super) fn stem(&self, stem: u32) -> &str {
        self.stems.texts.get(stem as usize).map_or("", |text| text)
    }

    /// The number of a stem, if it is known.
    pub(super) fn stem_number(&self, stem: &str) -> Option<u32> {
        self.stems.numbers.get(stem).copied()
    }
}
