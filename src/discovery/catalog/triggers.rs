//! Finds the skills that a message names, or that its words or a pattern select. The index is built once for a catalog,
//! so that each message is searched once, however many skills there are (rules 10.4 and 10.5). How the skills that
//! match are ranked and shown is decided in `offer::select`.

use crate::model::skill::{Caller, Origin, Skill, Triggers};
use crate::text::pattern::{Owned, PatternError, Patterns};
use crate::text::phrases::{Longest, Phrases};
use std::collections::HashMap;
use std::sync::OnceLock;

/// How a skill was selected, the strongest way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trigger {
    /// By its name.
    Name,
    /// By a keyword or a verb.
    Phrase,
    /// By a pattern.
    Pattern,
}

/// What the skills of a catalog are selected by. Skills are given by their index in the catalog.
#[derive(Debug, Default)]
pub(crate) struct TriggerIndex {
    phrases: Phrases,
    /// The skills that each phrase selects, by the number of the phrase.
    owners: Vec<Vec<(usize, Trigger)>>,
    /// Those phrases that are names of skills.
    names: Longest,
    patterns: Vec<Owned>,
    /// The texts of the patterns, each once.
    pattern_texts: Vec<String>,
    /// The compiled patterns; computed when first needed.
    compiled: OnceLock<Patterns>,
    pub(crate) has_triggers: bool,
}

impl TriggerIndex {
    pub(crate) fn new(skills: &[Skill]) -> TriggerIndex {
        let mut index = TriggerIndex::default();
        let mut pattern_numbers: HashMap<&str, usize> = HashMap::new();
        for (at, skill) in skills.iter().enumerate().filter(|(_, skill)| skill.is_for(Caller::Model)) {
            let Triggers { keywords, verbs, patterns, .. } = skill.frontmatter.triggers();
            index.add(&skill.key, at, Trigger::Name);
            for phrase in keywords.iter().chain(verbs) {
                index.add(phrase, at, Trigger::Phrase);
            }
            for pattern in patterns {
                let fresh = pattern_numbers.len();
                let number = *pattern_numbers.entry(pattern).or_insert(fresh);
                if number == fresh {
                    index.pattern_texts.push(pattern.clone());
                }
                let is_project = skill.source.origin == Origin::Project;
                index.patterns.push(Owned { owner: at, pattern: number, is_project });
            }
            index.has_triggers |= !(keywords.is_empty() && verbs.is_empty() && patterns.is_empty());
        }
        index.phrases.link();
        let owners = &index.owners;
        let is_name = |(_, trigger): &(usize, Trigger)| *trigger == Trigger::Name;
        index.names =
            index.phrases.longest(&|number| owners.get(number as usize).is_some_and(|of| of.iter().any(is_name)));
        index
    }

    fn add(&mut self, phrase: &str, skill: usize, trigger: Trigger) {
        if let Some(number) = self.phrases.add(phrase) {
            let number = number as usize;
            self.owners.resize_with(self.owners.len().max(number + 1), Vec::new);
            self.owners[number].push((skill, trigger));
        }
    }

    /// The skills that a text names, or that a keyword or verb in it selects, each with its strongest trigger. A name
    /// that is a part of a longer name does not count.
    pub(crate) fn by_words(&self, text: &str) -> HashMap<usize, Trigger> {
        let mut selected: HashMap<usize, Trigger> = HashMap::new();
        let longest_names = self.phrases.find_longest(&self.names, text);
        self.phrases.find(text, &mut |number| {
            let counts = |trigger: &Trigger| *trigger != Trigger::Name || longest_names.binary_search(&number).is_ok();
            let skills = self.owners.get(number as usize).into_iter().flatten();
            for (skill, trigger) in skills.filter(|(_, trigger)| counts(trigger)) {
                let best = selected.entry(*skill).or_insert(*trigger);
                *best = (*best).min(*trigger);
            }
        });
        selected
    }

    /// Calls `found` for each skill with a pattern that matches the text, and for each skill with a pattern that cannot
    /// be used.
    pub(crate) fn by_patterns(&self, text: &str, found: &mut dyn FnMut(usize, Result<(), &PatternError>)) {
        let prepare =
            || Patterns::new(&self.pattern_texts.iter().map(String::as_str).collect::<Vec<_>>(), self.patterns.clone());
        let mut answers = vec![None; self.pattern_texts.len()];
        self.compiled.get_or_init(prepare).find(text, &mut |number, answer| {
            if let Some(known) = answers.get_mut(number) {
                *known = Some(answer);
            }
        });
        for Owned { owner, pattern, .. } in &self.patterns {
            if let Some(answer) = answers.get(*pattern).copied().flatten() {
                found(*owner, answer);
            }
        }
    }
}
