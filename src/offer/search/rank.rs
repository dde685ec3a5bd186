//! How well a skill fits a request: BM25 over several fields (BM25F), with whole numbers for sums and a logarithm of our own, so that the result is the same to the byte on every platform (rule 28.4).

use super::SearchField;
use super::index::{Index, PREFIX_LETTERS, letters};
use crate::text::terms::{each_word, is_stop_word, stem};
use crate::text::words::{first_chars, is_slip};
use std::collections::BTreeMap;

/// How much of a request is read, in characters.
const MOST_CHARS: usize = 16_384;
/// How many words that no skill has are compared with all words of the skills.
const MOST_UNKNOWN: usize = 16;
/// How many pairs of stems are compared for a common beginning. Two thousand words of a request and sixty thousand of skills need
/// about a tenth of it; it bounds the time for skills that are made to be slow, to about 40 ms.
const MOST_COMPARED: usize = 4_194_304;
/// The fewest letters of a word in which a typing mistake is forgiven.
const FEWEST_LETTERS: usize = 4;

/// What an occurrence counts in each field, in the order of [`SearchField::ALL`].
const FIELD_WEIGHTS: [f64; SearchField::ALL.len()] = [2.5, 2.5, 1.0, 1.5, 1.0, 0.9];
/// How soon more occurrences in one skill stop to count (`k1` of BM25).
const SATURATION: f64 = 1.5;
/// How soon more occurrences in the request stop to count (`k3` of BM25). A long request repeats common words.
const REQUEST_SATURATION: f64 = 3.0;
/// How many words are added to each length before lengths are compared. This is BM25 with a `b` of `mean / (mean + 15)`:
/// one line tells little by its length (`b` 0.4 for ten words), a page tells more (0.7 for 35, 0.97 for 500).
const LENGTH_SMOOTHING: f64 = 15.0;
/// What a word with one typing mistake counts.
const MISTYPED: f64 = 0.5;
/// What a word counts at most that only begins as one of the request.
const RELATED: f64 = 0.35;
/// What such a word counts at least to count in bodies. A long text has words that begin as any word of a request, so that those
/// would tell nothing but its length.
const LEAST_RELATED_IN_BODIES: f64 = 0.2;
/// How much of two stems must be equal at least, from their first letter on: the product of the two shares.
const LEAST_RELATION: f64 = 0.3;
/// The unit in which scores are added up.
const UNITS: f64 = 1_048_576.0;
/// How many parts of a point a score has.
const PARTS: i64 = 1_000;

/// What each stem counts for a request; the stems that count nothing are left out.
pub(super) type Weights = BTreeMap<u32, f64>;

/// What the stems of the index count for a request.
pub(super) fn weights(index: &Index, request: &str) -> Weights {
    let mut asked = stems(request, &|word| !is_stop_word(word));
    if asked.is_empty() {
        asked = stems(request, &|_| true);
    }
    let mut weights = Weights::new();
    let mut unknown = 0;
    for (stem, (word, times)) in &asked {
        match index.vocabulary.number(stem).filter(|stem| index.skills_with(*stem) > 0) {
            Some(stem) => {
                let times = f64::from(*times);
                raise(&mut weights, stem, (REQUEST_SATURATION + 1.0) * times / (REQUEST_SATURATION + times));
            }
            None if unknown < MOST_UNKNOWN => {
                unknown += 1;
                add_mistyped(index, word, &mut weights);
            }
            None => {}
        }
    }
    let mut left = MOST_COMPARED;
    for stem in asked.keys() {
        let known = index.with_prefix_of(stem);
        let of_stem = index.vocabulary.number(stem).map_or(0, |stem| index.skills_with(stem));
        let rarity_of_stem = rarity(of_stem, index.len());
        let Some(rest) = left.checked_sub(known.len()) else { break };
        left = rest;
        for known in known {
            let text = index.vocabulary.text(*known);
            let equal = stem.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count();
            debug_assert!(equal >= PREFIX_LETTERS, "they are in one list");
            let relation = (equal * equal) as f64 / (stem.len() * text.len()) as f64;
            if relation >= LEAST_RELATION {
                // A rarer word tells no more than the word that was asked for.
                let rarity = rarity(index.skills_with(*known), index.len()).max(f64::MIN_POSITIVE);
                raise(&mut weights, *known, RELATED * relation * (rarity_of_stem / rarity).min(1.0));
            }
        }
    }
    weights
}

/// The stems of a request, each with its first word, and how often it is there.
fn stems(request: &str, is_counted: &dyn Fn(&str) -> bool) -> BTreeMap<String, (String, u32)> {
    let mut stems: BTreeMap<String, (String, u32)> = BTreeMap::new();
    each_word(first_chars(request, MOST_CHARS), &mut |word, _| {
        if is_counted(word) {
            stems.entry(stem(word).into_owned()).or_insert_with(|| (word.to_owned(), 0)).1 += 1;
        }
    });
    stems
}

/// A stem counts once, by the strongest reason.
fn raise(weights: &mut Weights, stem: u32, weight: f64) {
    let known = weights.entry(stem).or_insert(weight);
    *known = known.max(weight);
}

/// Adds the words that differ from an unknown one by one letter.
fn add_mistyped(index: &Index, word: &str, weights: &mut Weights) {
    if word.chars().nth(FEWEST_LETTERS - 1).is_none() {
        return;
    }
    let asked = letters(word);
    for (known, _) in index.used_words().filter(|(_, letters)| (letters ^ asked).count_ones() <= 2) {
        if is_slip(word, index.vocabulary.text(known)) {
            raise(weights, index.vocabulary.stem_of(known), MISTYPED);
        }
    }
}

/// The score of each skill, in thousandths of a point.
pub(super) fn scores(index: &Index, weights: &Weights) -> Vec<i64> {
    let mut scores = vec![0_i64; index.len()];
    let [mean_description, mean_body] = index.mean_lengths();
    let smoothed = |length: u32, mean: f64| (f64::from(length) + LENGTH_SMOOTHING) / (mean + LENGTH_SMOOTHING);
    for (stem, weight) in weights {
        let in_bodies = counts_in_bodies(*weight);
        let weight = weight * rarity(index.skills_with(*stem), index.len()) * UNITS;
        let mut occurrences = index.occurrences(*stem).peekable();
        while let Some(skill) = occurrences.peek().map(|first| first.number()) {
            let lengths = index.lengths(skill as usize);
            let (mut names, mut description, mut body) = (0.0, 0.0, 0.0);
            while let Some(occurrence) = occurrences.next_if(|occurrence| occurrence.number() == skill) {
                let (field, count) = (occurrence.field(), f64::from(occurrence.count()));
                match SearchField::ALL[field] {
                    SearchField::Name | SearchField::Alias => names += count * FIELD_WEIGHTS[field],
                    SearchField::Body if !in_bodies => {}
                    SearchField::Body => body += count * FIELD_WEIGHTS[field],
                    _ => description += count * FIELD_WEIGHTS[field],
                }
            }
            let frequency = names
                + description / smoothed(lengths.description, mean_description)
                + body / smoothed(lengths.body, mean_body);
            let points = weight * frequency * (SATURATION + 1.0) / (frequency + SATURATION);
            if let Some(score) = scores.get_mut(skill as usize) {
                *score += points.ceil() as i64;
            }
        }
    }
    let part = UNITS as i64 / PARTS;
    // A word that nearly all skills have counts next to nothing, but they are found by it.
    scores.iter_mut().filter(|score| **score > 0).for_each(|score| *score = (*score / part).max(1));
    scores
}

/// Whether a stem with this weight counts in bodies.
fn counts_in_bodies(weight: f64) -> bool {
    LEAST_RELATED_IN_BODIES < weight
}

/// The fields of a skill in which a stem occurs that counts.
pub(super) fn matched(index: &Index, weights: &Weights, skill: usize) -> Vec<SearchField> {
    let mut is_matched = [false; SearchField::ALL.len()];
    for word in index.words_of(skill) {
        let weight = weights.get(&index.vocabulary.stem_of(word.number()));
        let is_body = word.field() == SearchField::Body as usize;
        is_matched[word.field()] |= weight.is_some_and(|weight| !is_body || counts_in_bodies(*weight));
    }
    SearchField::ALL.into_iter().filter(|field| is_matched[*field as usize]).collect()
}

/// What a word counts that so many of all skills have: its inverse document frequency, to the power of 1.25, as rare words
/// tell more in a long request.
fn rarity(skills: u32, of_all: usize) -> f64 {
    let (skills, all) = (f64::from(skills), of_all as f64);
    let rarity = logarithm(1.0 + (all - skills + 0.5) / (skills + 0.5));
    rarity * rarity.sqrt().sqrt()
}

/// The natural logarithm of a number of at least 1, to about twelve digits. That of the standard library may differ in its
/// last digit between platforms; sums, products and quotients do not.
fn logarithm(number: f64) -> f64 {
    let (mut rest, mut halvings) = (number, 0.0);
    while rest > std::f64::consts::SQRT_2 {
        rest /= 2.0;
        halvings += 1.0;
    }
    // ln r = 2 (s + s³/3 + s⁵/5 + …) for s = (r - 1) / (r + 1), which is below 0.172 here.
    let s = (rest - 1.0) / (rest + 1.0);
    let mut sum = 0.0;
    for n in (0..8).rev() {
        sum = sum * s * s + 1.0 / f64::from(2 * n + 1);
    }
    halvings * std::f64::consts::LN_2 + 2.0 * s * sum
}
