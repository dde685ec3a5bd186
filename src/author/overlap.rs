//! Finds skills that a model may confuse: [`Overlap::all`] compares what the model is shown of them.
//!
//! How similar two descriptions are is the weight of the words that they share, divided by the weight of all their words
//! (weighted Jaccard similarity). A word weighs more, the fewer texts have it: the texts "Reads PDF files" and "Reads CSV
//! files" differ in the word that matters.

use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::model::skill::{Skill, Triggers};
use crate::offer::list::{Described, PromptRequest, descriptions};
use crate::text::escape::visible;
use crate::text::lower::lower;
use crate::text::order::sort_by;
use crate::text::phrases::each_word;
use std::collections::HashMap;

/// How similar two descriptions must be at least, from 0 to 1. Chosen on real skills: below it, most pairs differ in what
/// they are for.
const LEAST_SIMILARITY: f64 = 0.5;
/// From this similarity on, descriptions are called nearly the same.
const NEARLY_THE_SAME: f64 = 0.8;
/// With how many skills before it a skill is paired at most for one reason. Ten thousand equal skills would be fifty million
/// pairs.
const MOST_PAIRS: usize = 10;
const MOST_WORDS: usize = 3;

/// Two skills that a model may confuse.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Overlap {
    /// The key of the skill that comes first in the prompt.
    pub a: String,
    /// The key of the other skill.
    pub b: String,
    /// How much they have in common, from 0 to 1. Texts that are the same have 1.
    pub score: f64,
    /// What they have in common, and in which words they differ. Several reasons are separated by `; `.
    pub reason: String,
}

impl Overlap {
    /// The pairs of skills that a model may confuse, those with most in common first. Only skills that the model may see are
    /// compared.
    ///
    /// Two skills are a pair if their descriptions have the same words in the same order; if the words that they share, of which
    /// rare ones count more, weigh at least half of all their words; if what the prompt shows of their descriptions is the
    /// same, once these are cut to its budget; or if all triggers of one are triggers of the other. Of skills with the same text,
    /// each is paired with the first one alone; and for any other reason, each with at most ten of those before it. A description
    /// is compared with at most 200 of those before it, which share its rarest words.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover};
    /// use skilltree::author::Overlap;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Brews a cup of tea.\n---\n");
    /// fs.file("/s/cup/SKILL.md", "---\nname: cup\ndescription: Brews a cup of tea!\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let pairs = Overlap::all(&world, &catalog, &PromptRequest::default());
    /// assert_eq!((pairs[0].a.as_str(), pairs[0].b.as_str(), pairs[0].score), ("cup", "tea", 1.0));
    /// ```
    pub fn all(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Vec<Overlap> {
        let listed = descriptions(world, catalog, ask);
        let mut pairs = Pairs::default();
        let first_with_text = add_same_descriptions(&listed, &mut pairs);
        add_same_when_cut(&listed, &mut pairs);
        add_similar_descriptions(&listed, &first_with_text, &mut pairs);
        add_triggers(&listed, &mut pairs);
        let key = |at: usize| listed.get(at).map(|one| one.skill.key.clone()).unwrap_or_default();
        let found = pairs.by_place.into_iter().map(|((a, b), found)| (a, b, found));
        let mut found: Vec<(usize, usize, Found)> = found.collect();
        sort_by(&mut found, |a, b| b.2.score.total_cmp(&a.2.score).then((a.0, a.1).cmp(&(b.0, b.1))));
        let pairs =
            found.into_iter().map(|(a, b, Found { score, reason })| Overlap { a: key(a), b: key(b), score, reason });
        pairs.collect()
    }
}

struct Found {
    score: f64,
    reason: String,
}

/// The pairs found so far, by the places of their skills in the list, the lower one first.
#[derive(Default)]
struct Pairs {
    by_place: HashMap<(usize, usize), Found>,
}

impl Pairs {
    fn add(&mut self, (one, other): (usize, usize), score: f64, reason: String) {
        // Two decimals, and never 1 for less.
        let score = (score * 100.0).floor() / 100.0;
        let known = self.by_place.entry((one.min(other), one.max(other)));
        let found = known.or_insert_with(|| Found { score, reason: String::new() });
        found.score = found.score.max(score);
        if !found.reason.is_empty() {
            found.reason.push_str("; ");
        }
        found.reason.push_str(&reason);
    }

    /// Adds a pair of the first of each group of equal texts with each of the others. Returns these first ones.
    fn add_groups(&mut self, mut texts: Vec<(String, usize)>, reason: &str) -> Vec<usize> {
        sort_by(&mut texts, Ord::cmp);
        let mut firsts = Vec::new();
        for group in texts.chunk_by(|(a, _), (b, _)| a == b) {
            if let Some(((_, first), others)) = group.split_first() {
                firsts.push(*first);
                others.iter().for_each(|(_, other)| self.add((*first, *other), 1.0, reason.to_owned()));
            }
        }
        firsts
    }
}

/// Adds the pairs whose descriptions have the same words in the same order. Returns the first skill of each description.
fn add_same_descriptions(listed: &[Described<'_>], pairs: &mut Pairs) -> Vec<usize> {
    let words = |text: &str| {
        let mut words = String::with_capacity(text.len());
        each_word(text, &mut |word| {
            words.push_str(word);
            words.push(' ');
        });
        words
    };
    let all = listed.iter().enumerate().map(|(at, one)| (words(&one.whole), at));
    let texts = all.filter(|(words, _)| !words.is_empty()).collect();
    let mut firsts = pairs.add_groups(texts, "the descriptions are the same");
    firsts.sort_unstable();
    firsts
}

/// Adds the pairs of which the prompt shows the same text, although their descriptions differ.
fn add_same_when_cut(listed: &[Described<'_>], pairs: &mut Pairs) {
    let cut = listed.iter().enumerate().filter(|(_, one)| !one.shown.is_empty() && one.shown != one.whole);
    let texts: Vec<(String, usize)> = cut.map(|(at, one)| (one.shown.clone(), at)).collect();
    let mut new = Pairs::default();
    new.add_groups(texts, "the prompt cuts both descriptions before they differ");
    for (places, found) in new.by_place {
        if !pairs.by_place.contains_key(&places) {
            pairs.add(places, found.score, found.reason);
        }
    }
}

/// Adds the pairs with similar descriptions among these skills.
fn add_similar_descriptions(listed: &[Described<'_>], places: &[usize], pairs: &mut Pairs) {
    let texts: Vec<&str> = places.iter().filter_map(|at| listed.get(*at)).map(|one| &*one.whole).collect();
    for pair in similar(&texts, LEAST_SIMILARITY, MOST_PAIRS) {
        if let (Some(a), Some(b)) = (places.get(pair.first), places.get(pair.second)) {
            pairs.add((*a, *b), pair.score, difference(&pair));
        }
    }
}

/// In which words two descriptions differ.
fn difference(pair: &Similar) -> String {
    let words = |words: &[String]| {
        let shown: Vec<String> = words.iter().take(MOST_WORDS).map(|word| format!("`{}`", visible(word))).collect();
        let more = if words.len() > MOST_WORDS { ", …" } else { "" };
        format!("{}{more}", shown.join(", "))
    };
    let but = match (words(&pair.only_first), words(&pair.only_second)) {
        (first, second) if !first.is_empty() && !second.is_empty() => {
            format!("only the first says {first}, and only the second says {second}")
        }
        (first, _) if !first.is_empty() => format!("only the first says {first}"),
        (_, second) if !second.is_empty() => format!("only the second says {second}"),
        _ => "they have the same words in another order".to_owned(),
    };
    let how = if pair.score < NEARLY_THE_SAME { "similar" } else { "nearly the same" };
    format!("the descriptions are {how}: {but}")
}

/// Adds the pairs in which all triggers of one skill are triggers of the other.
fn add_triggers(listed: &[Described<'_>], pairs: &mut Pairs) {
    let triggers: Vec<Vec<String>> = listed.iter().map(|one| triggers_of(one.skill)).collect();
    let mut with_trigger: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, of_one) in triggers.iter().enumerate() {
        of_one.iter().for_each(|trigger| with_trigger.entry(trigger).or_default().push(at));
    }
    for (at, of_one) in triggers.iter().enumerate() {
        let with_each = of_one.iter().filter_map(|trigger| with_trigger.get(trigger.as_str()));
        let Some(candidates) = with_each.min_by_key(|places| places.len()) else { continue };
        let contains = |other: &&usize| {
            triggers.get(**other).is_some_and(|all| {
                let is_counted = of_one.len() < all.len() || (of_one.len() == all.len() && **other < at);
                is_counted && of_one.iter().all(|trigger| all.binary_search(trigger).is_ok())
            })
        };
        for other in candidates.iter().filter(contains).take(MOST_PAIRS) {
            let Some(all) = triggers.get(*other) else { continue };
            let score = of_one.len() as f64 / all.len() as f64;
            let reason = match of_one.len() == all.len() {
                true => "the triggers are the same".to_owned(),
                false if at < *other => "all triggers of the first are triggers of the second".to_owned(),
                false => "all triggers of the second are triggers of the first".to_owned(),
            };
            pairs.add((at, *other), score, reason);
        }
    }
}

/// The triggers of a skill in lower case, each with its kind in front; sorted.
fn triggers_of(skill: &Skill) -> Vec<String> {
    let Triggers { keywords, verbs, patterns, .. } = skill.frontmatter.triggers();
    let words = |kind: &'static str, words: &[String]| -> Vec<String> {
        words.iter().map(|word| format!("{kind} {}", lower(word.trim()))).collect()
    };
    let mut all = words("keyword", keywords);
    all.extend(words("verb", verbs));
    // A pattern means something else in lower case.
    all.extend(patterns.iter().map(|pattern| format!("pattern {pattern}")));
    all.sort_unstable();
    all.dedup();
    all
}

/// How much sums of weights may differ because they are added up in another order.
const ROUNDING: f64 = 1e-9;

/// With how many texts before it a text is compared at most. In a list of many texts nearly all words are in so many of them
/// that each text would be compared with a fixed share of all others.
const MAX_COMPARED: usize = 200;

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

struct Words {
    /// Sorted, the rarest word first.
    ids: Vec<u32>,
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
            let (lighter, heavier) = (of_first.weight.min(of_second.weight), of_first.weight.max(of_second.weight));
            // Texts of too different weights cannot be that similar.
            if compared_with.get(first) == Some(&second) || lighter < least * heavier * (1.0 - ROUNDING) {
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
