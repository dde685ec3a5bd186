//! The index behind a search: which skills have which words in which fields.
//!
//! Each word of a field is packed into one or two bytes, twice: in the words of its skill, from which the index of an edited
//! catalog is made without reading the other skills again, and in the list of its stem, which a search reads.

use super::{Entry, SearchField};
use crate::model::skill::{Frontmatter, Triggers};
use crate::text::terms::{each_word, is_stop_word, stem};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

/// How much of a text is indexed, in bytes. Only bodies are longer.
const MOST_BYTES: usize = 65_536;
/// By how many texts a vocabulary may grow, over the words that occur and as many stems, before it is made anew.
const UNUSED_TEXTS: usize = 4_096;
/// How many first letters two stems share that are kept together.
pub(super) const PREFIX_LETTERS: usize = 3;
/// How many lists of stems there are, by their first letters, of which each is five bits.
const PREFIXES: usize = 1 << (5 * PREFIX_LETTERS);
/// How many places a vocabulary has at first.
const FEWEST_PLACES: usize = 64;
/// In place of the stem of a text in the vocabulary that is not met as a word yet, but only as a stem.
const NOT_A_WORD: u32 = u32::MAX;
/// How many words of the vocabulary are found by a short hash. The keyed hash takes several times as long, and is needed for one word in eight of
/// real descriptions. Words that are chosen to have the same short hash are found by their keyed ones.
const RECENT_WORDS: usize = 16_384;
/// More than sixteen million words or skills are not told apart, and answers are wrong then.
const NUMBER_BITS: u32 = 24;
const MOST_NUMBER: u32 = (1 << NUMBER_BITS) - 1;
const COUNT_BITS: u32 = 5;
/// More occurrences count as so many: by then, one more hardly counts.
const MOST_COUNTED: u32 = (1 << COUNT_BITS) - 1;
/// What is above the number of a word of a body, but for the count.
const BODY: u32 = (SearchField::Body as u32) << COUNT_BITS;
/// How many bits of a packed number say how often a word of a body occurs; none of them is set in other fields and for higher
/// counts, which are in a byte behind it.
const SHORT_BITS: u32 = 2;
const MOST_SHORT: u32 = (1 << SHORT_BITS) - 1;

/// In place of the number before the first one that is packed.
const NONE_BEFORE: u32 = u32::MAX;

/// How long the texts of a skill are, in words without stop words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths {
    /// The description, the triggers and `when_to_use`.
    pub(super) description: u32,
    pub(super) body: u32,
}

/// Where the packed words of a skill end, and how many words its texts have.
#[derive(Clone, Copy, Debug)]
struct Words {
    end: u32,
    lengths: Lengths,
}

/// The index of some skills, which have the numbers in which they were added.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub(super) vocabulary: Vocabulary,
    skills: Vec<Words>,
    /// The words of all skills, packed, one skill after another.
    words: Vec<u8>,
    /// Where the list of each stem starts in `occurrences`, and where the last one ends. Texts that are no stems have empty lists.
    starts: Vec<u32>,
    /// In which skills and fields each stem occurs, in the order of the skills, packed.
    occurrences: Vec<u8>,
    /// In how many skills each stem occurs.
    skills_with: Vec<u32>,
    /// The [`letters`] of each word that occurs; 0 for other texts.
    letters: Vec<u32>,
    /// Where the stems with each beginning start in `by_prefix`, and where the last ones end.
    prefix_starts: Vec<u32>,
    by_prefix: Vec<u32>,
    /// The sums of all lengths.
    totals: [u64; 2],
}

impl Index {
    /// Adds a skill. [`Index::link`] is to be called after the last one.
    pub(super) fn add(&mut self, entry: Entry<'_>, body: Option<&str>) {
        let (mut lengths, mut before) = (Lengths::default(), NONE_BEFORE);
        each_text(entry, &mut |field, text| {
            let words = self.add_text(field, text, &mut before);
            if !field.is_name() {
                lengths.description += words;
            }
        });
        if let Some(body) = body {
            lengths.body = self.add_text(SearchField::Body, body, &mut before);
        }
        self.skills.push(Words { end: self.words.len() as u32, lengths });
    }

    /// Adds a skill of another index with the same vocabulary.
    pub(super) fn add_known(&mut self, from: &Index, skill: usize) {
        self.words.extend_from_slice(from.words.get(from.range(skill)).unwrap_or_default());
        self.skills.push(Words { end: self.words.len() as u32, lengths: from.lengths(skill) });
    }

    /// Adds the words of a text and returns how many they are. Stop words count in names only.
    fn add_text(&mut self, field: SearchField, text: &str, before: &mut u32) -> u32 {
        let mut words = Vec::new();
        each_word(first_bytes(text, MOST_BYTES), &mut |word, _| {
            let word = self.vocabulary.add(word);
            if field.is_name() || !self.vocabulary.is_stop_word(word) {
                words.push(word);
            }
        });
        // Each word is kept once, with its count: a body repeats most of its words.
        words.sort_unstable();
        for same in words.chunk_by(|a, b| a == b) {
            InField::new(same[0], field, same.len() as u32).pack(*before, |byte| self.words.push(byte));
            *before = same[0];
        }
        words.len() as u32
    }

    /// Makes the vocabulary anew from the words that occur, if it has many others.
    pub(super) fn forget_unused_words(&mut self) {
        if self.vocabulary.ends.len() <= 2 * self.used_words().count() + UNUSED_TEXTS {
            return;
        }
        let mut vocabulary = Vocabulary::default();
        let mut numbers = vec![0; self.vocabulary.ends.len()];
        for (word, _) in self.used_words() {
            numbers[word as usize] = vocabulary.add(self.vocabulary.text(word));
        }
        let (words, mut start) = (std::mem::take(&mut self.words), 0);
        for skill in &mut self.skills {
            let mut before = NONE_BEFORE;
            for word in PackedNumbers::new(&words[start..skill.end as usize]) {
                let word = word.with(numbers[word.number() as usize]);
                word.pack(before, |byte| self.words.push(byte));
                before = word.number();
            }
            start = skill.end as usize;
            skill.end = self.words.len() as u32;
        }
        self.vocabulary = vocabulary;
        self.link();
    }

    /// Makes the lists that a search reads.
    pub(super) fn link(&mut self) {
        self.words.shrink_to_fit();
        self.vocabulary.shrink_to_fit();
        let texts = self.vocabulary.ends.len();
        let (mut is_used, mut skills_with, mut starts) = (vec![false; texts], vec![0; texts], vec![0; texts + 1]);
        self.each_occurrence(|word, stem, before, occurrence| {
            is_used[word] = true;
            skills_with[stem] += u32::from(before != occurrence.number());
            occurrence.pack(before, |_| starts[stem + 1] += 1);
        });
        add_up(&mut starts);
        let mut next = starts.clone();
        let mut occurrences = vec![0; next[texts] as usize];
        self.each_occurrence(|_, stem, before, occurrence| {
            occurrence.pack(before, |byte| {
                occurrences[next[stem] as usize] = byte;
                next[stem] += 1;
            });
        });
        let sum = |length: fn(&Lengths) -> u32| self.skills.iter().map(|skill| u64::from(length(&skill.lengths))).sum();
        self.totals = [sum(|lengths| lengths.description), sum(|lengths| lengths.body)];
        (self.skills_with, self.occurrences) = (skills_with, occurrences);
        self.starts = starts;
        let of_word = |(word, is_used)| if is_used { letters(self.vocabulary.text(word)) } else { 0 };
        self.letters = (0..).zip(is_used).map(of_word).collect();
        self.link_prefixes();
    }

    /// Calls a function with each word of each skill, by its number: with its stem, the skill before that has this stem, and what
    /// is to be packed into the list of the stem.
    fn each_occurrence(&self, mut each: impl FnMut(usize, usize, u32, InField)) {
        let mut last = vec![NONE_BEFORE; self.vocabulary.ends.len()];
        for skill in 0..self.skills.len() as u32 {
            for word in self.words_of(skill as usize) {
                let stem = self.vocabulary.stem_of(word.number()) as usize;
                each(word.number() as usize, stem, std::mem::replace(&mut last[stem], skill), word.with(skill));
            }
        }
    }

    /// Puts the stems that occur together by their first letters.
    fn link_prefixes(&mut self) {
        let used = (0..self.skills_with.len() as u32).filter(|stem| self.skills_with(*stem) > 0);
        let prefixes = used.filter_map(|stem| Some((stem, prefix(self.vocabulary.text(stem))?)));
        let mut starts = vec![0_u32; PREFIXES + 1];
        prefixes.clone().for_each(|(_, prefix)| starts[prefix + 1] += 1);
        add_up(&mut starts);
        let mut next = starts.clone();
        let mut by_prefix = vec![0; next[PREFIXES] as usize];
        for (stem, prefix) in prefixes {
            by_prefix[next[prefix] as usize] = stem;
            next[prefix] += 1;
        }
        self.by_prefix = by_prefix;
        self.prefix_starts = starts;
    }

    pub(super) fn len(&self) -> usize {
        self.skills.len()
    }

    fn range(&self, skill: usize) -> Range<usize> {
        let end = |skill: usize| self.skills.get(skill).map_or(self.words.len(), |entry| entry.end as usize);
        skill.checked_sub(1).map_or(0, end)..end(skill)
    }

    pub(super) fn words_of(&self, skill: usize) -> PackedNumbers<'_> {
        PackedNumbers::new(self.words.get(self.range(skill)).unwrap_or_default())
    }

    pub(super) fn lengths(&self, skill: usize) -> Lengths {
        self.skills.get(skill).map_or_else(Lengths::default, |entry| entry.lengths)
    }

    /// How long the descriptions and the bodies are in the mean.
    pub(super) fn mean_lengths(&self) -> [f64; 2] {
        self.totals.map(|total| total as f64 / self.skills.len().max(1) as f64)
    }

    /// Where a stem occurs, in the order of the skills.
    pub(super) fn occurrences(&self, stem: u32) -> PackedNumbers<'_> {
        PackedNumbers::new(slice(&self.occurrences, &self.starts, stem as usize))
    }

    pub(super) fn skills_with(&self, stem: u32) -> u32 {
        self.skills_with.get(stem as usize).copied().unwrap_or_default()
    }

    /// The words that occur in any skill, each with its [`letters`].
    pub(super) fn used_words(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(self.letters.iter().copied()).filter(|(_, letters)| *letters > 0)
    }

    /// The stems that occur and begin with the same letters as this one.
    pub(super) fn with_prefix_of(&self, stem: &str) -> &[u32] {
        prefix(stem).map_or(&[], |prefix| slice(&self.by_prefix, &self.prefix_starts, prefix))
    }
}

/// The text up to so many bytes, and up to the end of a character.
fn first_bytes(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Calls a function with each text of a skill that is indexed, but for its body.
fn each_text(entry: Entry<'_>, each: &mut dyn FnMut(SearchField, &str)) {
    let Frontmatter { name, description, .. } = &**entry.frontmatter();
    let Triggers { keywords, verbs, when_to_use, .. } = entry.frontmatter().triggers();
    each(SearchField::Name, entry.key());
    let others = [Some(entry.name()), name.as_deref().filter(|name| *name != entry.name())];
    // A key often ends in the name, which then is no other name.
    others
        .into_iter()
        .flatten()
        .filter(|name| !entry.key().ends_with(*name))
        .for_each(|name| each(SearchField::Alias, name));
    description.iter().for_each(|text| each(SearchField::Description, text));
    keywords.iter().chain(verbs).for_each(|text| each(SearchField::Triggers, text));
    when_to_use.iter().for_each(|text| each(SearchField::WhenToUse, text));
}

/// Which letters a word has, one bit for each; several letters share a bit. One letter more, less or other changes two bits at
/// most, which rules out nearly all words at a glance.
pub(super) fn letters(word: &str) -> u32 {
    word.chars().fold(0, |letters, c| letters | 1 << (c as u32 & 31))
}

/// The number of the first letters of a stem; `None` if these are not ASCII letters.
fn prefix(stem: &str) -> Option<usize> {
    let letters = stem.as_bytes().get(..PREFIX_LETTERS).filter(|letters| letters.iter().all(u8::is_ascii_lowercase))?;
    Some(letters.iter().fold(0, |number, letter| number << 5 | usize::from(letter & 31)))
}

/// Makes starts of counts, of which each is one place behind its own.
fn add_up(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

/// The items of one list of several that are behind each other.
fn slice<'a, T>(items: &'a [T], starts: &[u32], list: usize) -> &'a [T] {
    let (Some(start), Some(end)) = (starts.get(list), starts.get(list + 1)) else { return &[] };
    items.get(*start as usize..*end as usize).unwrap_or_default()
}

/// The words of an index and the stems that they are searched by, each text once, by number. A word is stemmed when it is first
/// met, as that takes longer than to find it here. Bodies have a hundred thousand of them, so the texts are in one piece and
/// found by a table of numbers, which takes a quarter of the memory of a map that owns them.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
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

    pub(super) fn text(&self, number: u32) -> &str {
        let end = |number: usize| self.ends.get(number).map_or(0, |end| *end as usize);
        let number = number as usize;
        self.texts.get(number.checked_sub(1).map_or(0, end)..end(number)).unwrap_or_default()
    }

    /// Whether a word says nothing about what a text is about.
    pub(super) fn is_stop_word(&self, word: u32) -> bool {
        self.is_stop.get(word as usize).is_some_and(|is_stop| *is_stop)
    }

    pub(super) fn stem_of(&self, word: u32) -> u32 {
        self.stem_of.get(word as usize).copied().unwrap_or_default()
    }

    /// The number of a word or a stem, if it is known.
    pub(super) fn number(&self, text: &str) -> Option<u32> {
        self.places.get(self.place_of(text))?.checked_sub(1)
    }
}

/// The place of a word in `recent`: its hash by FNV-1a.
fn place(word: &str) -> usize {
    word.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) as usize
        % RECENT_WORDS
}

/// A number, a field and a count in 32 bits: the number of a word or of a skill, and how often the one is in the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct InField(u32);

impl InField {
    pub(super) fn new(number: u32, field: SearchField, count: u32) -> InField {
        InField(number | ((field as u32) << COUNT_BITS | count.min(MOST_COUNTED)) << NUMBER_BITS)
    }

    /// The same field and count with another number.
    pub(super) fn with(self, number: u32) -> InField {
        InField(self.0 & !MOST_NUMBER | number)
    }

    pub(super) fn number(self) -> u32 {
        self.0 & MOST_NUMBER
    }

    pub(super) fn count(self) -> u32 {
        self.0 >> NUMBER_BITS & MOST_COUNTED
    }

    /// The place of the field in [`SearchField::ALL`].
    pub(super) fn field(self) -> usize {
        (self.0 >> (NUMBER_BITS + COUNT_BITS)) as usize
    }

    /// Calls a function with the bytes that it takes behind one with the number `before`. Nearly all are of bodies, and in order:
    /// of these, the difference of the numbers and the count are one number, seven bits a byte, the lowest first.
    pub(super) fn pack(self, before: u32, mut each: impl FnMut(u8)) {
        let field_and_count = self.0 >> NUMBER_BITS;
        let short = field_and_count.checked_sub(BODY).filter(|count| *count <= MOST_SHORT).unwrap_or_default();
        let mut rest = (self.number().wrapping_sub(before) & MOST_NUMBER) << SHORT_BITS | short;
        while rest > 127 {
            each(rest as u8 | 128);
            rest >>= 7;
        }
        each(rest as u8);
        if short == 0 {
            each(field_and_count as u8);
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct PackedNumbers<'a> {
    bytes: std::slice::Iter<'a, u8>,
    before: u32,
}

impl<'a> PackedNumbers<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> PackedNumbers<'a> {
        PackedNumbers { bytes: bytes.iter(), before: NONE_BEFORE }
    }
}

impl Iterator for PackedNumbers<'_> {
    type Item = InField;

    fn next(&mut self) -> Option<InField> {
        let (mut packed, mut bits) = (0, 0);
        loop {
            let byte = *self.bytes.next()?;
            packed |= u32::from(byte & 127) << bits;
            if byte < 128 {
                break;
            }
            bits += 7;
        }
        let field_and_count = match packed & MOST_SHORT {
            0 => u32::from(*self.bytes.next()?),
            count => BODY | count,
        };
        self.before = self.before.wrapping_add(packed >> SHORT_BITS) & MOST_NUMBER;
        Some(InField(self.before | field_and_count << NUMBER_BITS))
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/packed.rs"]
mod tests;
