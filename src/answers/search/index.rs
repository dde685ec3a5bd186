//! The index behind a search: which skills have which words in which fields.
//!
//! Each word of a field is one number of 32 bits, twice: in the words of its skill, from which the index of an edited catalog
//! is made without reading the other skills again, and in the list of its stem, which a search reads.

use super::SearchField;
use super::entry::Entry;
use super::vocabulary::Vocabulary;
use crate::model::skill::{Frontmatter, Triggers};
use crate::text::terms::each_word;
use std::ops::Range;

/// How much of a text is indexed, in bytes. Only bodies are longer.
pub(super) const MOST_BYTES: usize = 65_536;
/// By how many texts a vocabulary may grow, over the words that occur and as many stems, before it is made anew.
const UNUSED_TEXTS: usize = 4_096;
/// How many first letters two stems share that are kept together.
pub(super) const PREFIX_LETTERS: usize = 3;
/// How many lists of stems there are, by their first letters, of which each is five bits.
const PREFIXES: usize = 1 << (5 * PREFIX_LETTERS);

/// A number, a field and a count in 32 bits: the number of a word or of a skill, and how often the one is in the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct InField(u32);

impl InField {
    /// More than sixteen million words or skills are not told apart, and answers are wrong then.
    const NUMBER_BITS: u32 = 24;
    const COUNT_BITS: u32 = 5;
    /// More occurrences count as so many: by then, one more hardly counts.
    const MOST_COUNTED: u32 = (1 << InField::COUNT_BITS) - 1;

    fn new(number: u32, field: SearchField, count: u32) -> InField {
        let count = count.min(InField::MOST_COUNTED) << InField::NUMBER_BITS;
        InField(number | count | (field as u32) << (InField::NUMBER_BITS + InField::COUNT_BITS))
    }

    /// The same field and count with another number.
    fn with(self, number: u32) -> InField {
        InField(self.0 & !((1 << InField::NUMBER_BITS) - 1) | number)
    }

    pub(super) fn number(self) -> u32 {
        self.0 & ((1 << InField::NUMBER_BITS) - 1)
    }

    pub(super) fn count(self) -> u32 {
        self.0 >> InField::NUMBER_BITS & InField::MOST_COUNTED
    }

    /// The place of the field in [`SearchField::ALL`].
    pub(super) fn field(self) -> usize {
        (self.0 >> (InField::NUMBER_BITS + InField::COUNT_BITS)) as usize
    }
}

/// A word that occurs.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsedWord {
    pub(super) number: u32,
    /// See [`letters`].
    pub(super) letters: u32,
}

/// How long the texts of a skill are, in words without stop words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths {
    /// The description, the triggers and `when_to_use`.
    pub(super) description: u32,
    pub(super) body: u32,
}

/// Where the words of a skill end, and how many they are.
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
    /// The words of all skills, one after another.
    words: Vec<InField>,
    /// Where the list of each stem starts in `occurrences`, and where the last one ends. Texts that are no stems have empty lists.
    starts: Vec<u32>,
    /// In which skills and fields each stem occurs, in the order of the skills.
    occurrences: Vec<InField>,
    /// In how many skills each stem occurs.
    skills_with: Vec<u32>,
    /// The words that occur.
    used_words: Vec<UsedWord>,
    /// Where the stems with each beginning start in `by_prefix`, and where the last ones end.
    prefix_starts: Vec<u32>,
    by_prefix: Vec<u32>,
    /// The sums of all lengths.
    totals: [u64; 2],
}

impl Index {
    /// Adds a skill. [`Index::link`] is to be called after the last one.
    pub(super) fn add(&mut self, entry: Entry<'_>, body: Option<&str>) {
        let mut lengths = Lengths::default();
        each_text(entry, &mut |field, text| {
            let words = self.add_text(field, text);
            if !field.is_name() {
                lengths.description += words;
            }
        });
        if let Some(body) = body {
            lengths.body = self.add_text(SearchField::Body, body);
        }
        self.skills.push(Words { end: self.words.len() as u32, lengths });
    }

    /// Adds a skill of another index with the same vocabulary.
    fn add_known(&mut self, from: &Index, skill: usize) {
        self.words.extend_from_slice(from.words_of(skill));
        let lengths = from.lengths(skill);
        self.skills.push(Words { end: self.words.len() as u32, lengths });
    }

    /// Adds the words of a text and returns how many they are. Stop words count in names only.
    fn add_text(&mut self, field: SearchField, text: &str) -> u32 {
        let (start, mut length) = (self.words.len(), 0);
        each_word(first_bytes(text, MOST_BYTES), &mut |word, _| {
            let word = self.vocabulary.add(word);
            if field.is_name() || !self.vocabulary.is_stop_word(word) {
                length += 1;
                self.words.push(InField::new(word, field, 1));
            }
        });
        // Each word is kept once, with its count: a body repeats most of its words.
        let words = &mut self.words;
        words[start..].sort_unstable_by_key(|word| word.number());
        let mut end = start;
        let mut at = start;
        while let Some(word) = words.get(at).copied() {
            let count = words[at..].iter().take_while(|other| other.number() == word.number()).count();
            words[end] = InField::new(word.number(), field, count as u32);
            (end, at) = (end + 1, at + count);
        }
        words.truncate(end);
        length
    }

    /// An index of other skills: `next` has for each of them its number in this index, or adds it to the new one.
    pub(super) fn replaced<'s>(mut self, next: impl Iterator<Item = Next<'s>>) -> Index {
        let mut new = Index { vocabulary: std::mem::take(&mut self.vocabulary), ..Index::default() };
        for skill in next {
            match skill {
                Next::Known(number) => new.add_known(&self, number),
                Next::New(entry, body) => new.add(entry, body.as_deref()),
            }
        }
        new.link();
        if new.vocabulary.len() > 2 * new.used_words.len() + UNUSED_TEXTS {
            new.forget_unused_words();
            new.link();
        }
        new
    }

    /// Makes the vocabulary anew from the words that occur.
    fn forget_unused_words(&mut self) {
        let mut vocabulary = Vocabulary::default();
        let mut numbers = vec![0; self.vocabulary.len()];
        for word in &self.used_words {
            numbers[word.number as usize] = vocabulary.add(self.vocabulary.text(word.number));
        }
        for word in &mut self.words {
            *word = word.with(numbers[word.number() as usize]);
        }
        self.vocabulary = vocabulary;
    }

    /// Makes the lists that a search reads.
    pub(super) fn link(&mut self) {
        self.words.shrink_to_fit();
        let texts = self.vocabulary.len();
        let stem_of = |word: &InField| self.vocabulary.stem_of(word.number()) as usize;
        let mut is_used = vec![false; texts];
        let mut starts = vec![0_u32; texts + 1];
        for word in &self.words {
            starts[stem_of(word) + 1] += 1;
            is_used[word.number() as usize] = true;
        }
        add_up(&mut starts);
        let mut next = starts.clone();
        let mut last = vec![u32::MAX; texts];
        self.skills_with = vec![0; texts];
        self.occurrences = vec![InField(0); self.words.len()];
        self.totals = [0, 0];
        for skill in 0..self.skills.len() {
            let lengths = self.lengths(skill);
            self.totals[0] += u64::from(lengths.description);
            self.totals[1] += u64::from(lengths.body);
            for word in &self.words[self.range(skill)] {
                let stem = stem_of(word);
                self.occurrences[next[stem] as usize] = word.with(skill as u32);
                next[stem] += 1;
                if last[stem] != skill as u32 {
                    last[stem] = skill as u32;
                    self.skills_with[stem] += 1;
                }
            }
        }
        self.starts = starts;
        let used = (0..is_used.len() as u32).filter(|word| is_used[*word as usize]);
        self.used_words =
            used.map(|number| UsedWord { number, letters: letters(self.vocabulary.text(number)) }).collect();
        self.link_prefixes();
    }

    /// Puts the stems that occur together by their first letters.
    fn link_prefixes(&mut self) {
        let used = (0..self.skills_with.len() as u32).filter(|stem| self.skills_with(*stem) > 0);
        let prefixes: Vec<(u32, usize)> =
            used.filter_map(|stem| Some((stem, prefix(self.vocabulary.text(stem))?))).collect();
        let mut starts = vec![0_u32; PREFIXES + 1];
        prefixes.iter().for_each(|(_, prefix)| starts[prefix + 1] += 1);
        add_up(&mut starts);
        let mut next = starts.clone();
        self.by_prefix = vec![0; prefixes.len()];
        for (stem, prefix) in prefixes {
            self.by_prefix[next[prefix] as usize] = stem;
            next[prefix] += 1;
        }
        self.prefix_starts = starts;
    }

    /// How many skills there are.
    pub(super) fn len(&self) -> usize {
        self.skills.len()
    }

    fn range(&self, skill: usize) -> Range<usize> {
        let end = |skill: usize| self.skills.get(skill).map_or(self.words.len(), |entry| entry.end as usize);
        skill.checked_sub(1).map_or(0, end)..end(skill)
    }

    /// The words of a skill.
    pub(super) fn words_of(&self, skill: usize) -> &[InField] {
        self.words.get(self.range(skill)).unwrap_or_default()
    }

    pub(super) fn lengths(&self, skill: usize) -> Lengths {
        self.skills.get(skill).map_or_else(Lengths::default, |entry| entry.lengths)
    }

    /// How long the descriptions and the bodies are in the mean.
    pub(super) fn mean_lengths(&self) -> [f64; 2] {
        self.totals.map(|total| total as f64 / self.skills.len().max(1) as f64)
    }

    /// Where a stem occurs, in the order of the skills.
    pub(super) fn occurrences(&self, stem: u32) -> &[InField] {
        slice(&self.occurrences, &self.starts, stem as usize)
    }

    /// In how many skills a stem occurs.
    pub(super) fn skills_with(&self, stem: u32) -> u32 {
        self.skills_with.get(stem as usize).copied().unwrap_or_default()
    }

    /// The words that occur in any skill.
    pub(super) fn used_words(&self) -> &[UsedWord] {
        &self.used_words
    }

    /// The stems that occur and begin with the same letters as this one.
    pub(super) fn with_prefix_of(&self, stem: &str) -> &[u32] {
        prefix(stem).map_or(&[], |prefix| slice(&self.by_prefix, &self.prefix_starts, prefix))
    }
}

/// A skill of a new index.
pub(super) enum Next<'s> {
    /// It is the one with this number in the index before.
    Known(usize),
    /// It is new or has changed.
    New(Entry<'s>, Option<String>),
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
