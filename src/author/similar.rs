//! Finds the pairs of similar texts among many, without comparing each text with each other one.
//!
//! How similar two texts are is the weight of the words that they share, divided by the weight of all their words
//! (weighted Jaccard similarity). A word weighs more, the fewer texts have it: the texts "Reads PDF files" and "Reads CSV
//! files" differ in the word that matters.

use crate::text::order::sort_by;
use crate::text::phrases::each_word;
use std::collections::HashMap;

/// How much sums of weights may differ because they are added up in another order.
const ROUNDING: f64 = 1e-9;

/// With how many texts before it a text is compared at most. In a list of many texts nearly all words are in so many of them
/// that each text would be compared with a fixed share of all others.
const MAX_COMPARED: usize = 200;

/// Two similar texts, by their indices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Similar {
    pub(crate) first: usize,
    /// Greater than `first`.
    pub(crate) second: usize,
    /// From 0 to 1, where 1 means that both have the same words.
    pub(crate) score: f64,
    /// The words that only the first text has, rarest first.
    pub(crate) only_first: Vec<String>,
    /// The words that only the second text has, rarest first.
    pub(crate) only_second: Vec<String>,
}

/// The words of one text.
struct Words {
    /// Sorted, the rarest word first.
    ids: Vec<u32>,
    /// What all of them weigh.
    weight: f64,
}

/// The pairs of texts whose similarity is at least `least`. Each text is paired with at most `most` of those before it.
///
/// If two texts are that similar, the words that they share weigh at least `least` times what each text weighs, so the
/// rarest of these words is among the first words of both: those without which the rest of the text weighs less than
/// that. Only texts with such a word in common are compared, those that share the rarest words first, and no more than
/// [`MAX_COMPARED`] with each: among more texts than that, a pair may go unseen that shares no rare word.
pub(crate) fn similar(texts: &[&str], least: f64, most: usize) -> Vec<Similar> {
    let (words, weights, names) = words_of(texts);
    let mut pairs = Vec::new();
    // The texts before the current one that have this word among their first words.
    let mut with_word: Vec<Vec<u32>> = vec![Vec::new(); weights.len()];
    let mut compared_with = vec![usize::MAX; texts.len()];
    for (second, of_second) in words.iter().enumerate() {
        let first_words = first_words(of_second, &weights, least);
        let before = first_words.iter().filter_map(|word| with_word.get(*word as usize)).flatten().take(MAX_COMPARED);
        let mut found = 0;
        for first in before.map(|first| *first as usize) {
            let Some(of_first) = words.get(first).filter(|_| found < most) else { break };
            if compared_with.get(first) == Some(&second) || !may_reach(of_first, of_second, least) {
                continue;
            }
            compared_with[first] = second;
            let score = score(of_first, of_second, &weights);
            if score >= least {
                let [only_first, only_second] = differing(&of_first.ids, &of_second.ids)
                    .map(|ids| ids.iter().filter_map(|id| names.get(*id as usize)).cloned().collect());
                pairs.push(Similar { first, second, score, only_first, only_second });
                found += 1;
            }
        }
        for word in first_words {
            if let Some(texts) = with_word.get_mut(*word as usize) {
                texts.push(second as u32);
            }
        }
    }
    pairs
}

/// The words of each text; and what each word weighs and is called, by its number.
fn words_of(texts: &[&str]) -> (Vec<Words>, Vec<f64>, Vec<String>) {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut counts: Vec<u32> = Vec::new();
    let mut all: Vec<Vec<u32>> = Vec::with_capacity(texts.len());
    for text in texts {
        let mut ids = Vec::new();
        each_word(text, &mut |word| {
            let id = numbers.get(word).copied().unwrap_or_else(|| {
                counts.push(0);
                numbers.insert(word.to_owned(), counts.len() as u32 - 1);
                counts.len() as u32 - 1
            });
            ids.push(id);
        });
        ids.sort_unstable();
        ids.dedup();
        for id in &ids {
            counts[*id as usize] += 1;
        }
        all.push(ids);
    }
    let mut by_rarity: Vec<(u32, String, u32)> =
        numbers.into_iter().map(|(word, id)| (counts.get(id as usize).copied().unwrap_or(1), word, id)).collect();
    sort_by(&mut by_rarity, Ord::cmp);
    let mut rank_of = vec![0; by_rarity.len()];
    for (rank, (_, _, id)) in by_rarity.iter().enumerate() {
        rank_of[*id as usize] = rank as u32;
    }
    let number = texts.len() as f64;
    let weights: Vec<f64> = by_rarity.iter().map(|(count, ..)| (number / f64::from(*count)).ln_1p()).collect();
    let weigh = |ids: &[u32]| ids.iter().filter_map(|id| weights.get(*id as usize)).sum();
    let words = all.into_iter().map(|ids| {
        let mut ids: Vec<u32> = ids.iter().filter_map(|id| rank_of.get(*id as usize).copied()).collect();
        ids.sort_unstable();
        Words { weight: weigh(&ids), ids }
    });
    (words.collect(), weights, by_rarity.into_iter().map(|(_, word, _)| word).collect())
}

/// The words of a text without which the others weigh less than `least` times the text.
fn first_words<'w>(words: &'w Words, weights: &[f64], least: f64) -> &'w [u32] {
    let mut rest = 0.0;
    let others = words.ids.iter().rev().take_while(|word| {
        rest += weights.get(**word as usize).copied().unwrap_or_default();
        rest < least * words.weight * (1.0 - ROUNDING)
    });
    let number = others.count();
    words.ids.get(..words.ids.len() - number).unwrap_or_default()
}

/// Whether two texts of these weights can be that similar.
fn may_reach(a: &Words, b: &Words, least: f64) -> bool {
    a.weight.min(b.weight) >= least * a.weight.max(b.weight) * (1.0 - ROUNDING)
}

/// How similar two texts are.
fn score(a: &Words, b: &Words, weights: &[f64]) -> f64 {
    let (mut shared, mut rest) = (0.0, b.ids.as_slice());
    for id in &a.ids {
        while let Some((first, others)) = rest.split_first() {
            if first > id {
                break;
            }
            rest = others;
            if first == id {
                shared += weights.get(*id as usize).copied().unwrap_or_default();
                break;
            }
        }
    }
    let all = a.weight + b.weight - shared;
    if all > 0.0 { (shared / all).min(1.0) } else { 0.0 }
}

/// The numbers that only one of two sorted lists has.
fn differing(a: &[u32], b: &[u32]) -> [Vec<u32>; 2] {
    let without = |a: &[u32], b: &[u32]| a.iter().copied().filter(|id| b.binary_search(id).is_err()).collect();
    [without(a, b), without(b, a)]
}

#[cfg(test)]
#[path = "../../tests/unit/similar.rs"]
mod tests;
