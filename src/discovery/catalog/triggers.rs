//! In: the skills that a model may see. Out: [`TriggerIndex`]: what they are matched by, prepared once for a catalog, so
//! that a message costs one pass over it (decisions 37). Absent: ranking beyond the kind of the match.

use crate::model::skill::{Caller, Origin, Skill, Triggers};
use crate::text::pattern::{Owned, PatternError, Patterns};
use crate::text::phrases::{Longest, Phrases};
use std::collections::HashMap;
use std::sync::OnceLock;

/// How a skill was matched, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trigger {
    /// By its name.
    Name,
    /// By a keyword or a verb.
    Phrase,
    /// By a pattern.
    Pattern,
}

/// What the skills of a catalog are matched by. Skills are named by their place in it.
#[derive(Debug, Default)]
pub(crate) struct TriggerIndex {
    phrases: Phrases,
    owners: HashMap<u32, Vec<(usize, Trigger)>>,
    /// The names among the phrases.
    names: Longest,
    /// The skills that the patterns are of.
    patterns: Vec<Owned>,
    written: Vec<String>,
    /// Made when a message first needs them.
    prepared: OnceLock<Patterns>,
    /// Whether any skill has triggers besides its name.
    pub(crate) has_triggers: bool,
}

impl TriggerIndex {
    pub(crate) fn new(skills: &[Skill]) -> TriggerIndex {
        let mut index = TriggerIndex::default();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (place, skill) in skills.iter().enumerate().filter(|(_, skill)| skill.is_for(Caller::Model)) {
            let Triggers { keywords, verbs, patterns, .. } = skill.frontmatter.triggers();
            index.add(&skill.key, place, Trigger::Name);
            for phrase in keywords.iter().chain(verbs) {
                index.add(phrase, place, Trigger::Phrase);
            }
            for pattern in patterns {
                let fresh = places.len();
                let number = *places.entry(pattern).or_insert(fresh);
                if number == fresh {
                    index.written.push(pattern.clone());
                }
                let is_project = skill.source.level == Origin::Project;
                index.patterns.push(Owned { owner: place, pattern: number, is_project });
            }
            index.has_triggers |= !(keywords.is_empty() && verbs.is_empty() && patterns.is_empty());
        }
        index.phrases.link();
        let owners = &index.owners;
        let is_name = |(_, cue): &(usize, Trigger)| *cue == Trigger::Name;
        index.names = index.phrases.longest(&|number| owners.get(&number).is_some_and(|of| of.iter().any(is_name)));
        index
    }

    fn add(&mut self, phrase: &str, place: usize, cue: Trigger) {
        if let Some(number) = self.phrases.add(phrase) {
            self.owners.entry(number).or_default().push((place, cue));
        }
    }

    /// The skills that the text names, or that a keyword or verb in it stands for, with their strongest cue. A name that
    /// only stands within a longer one is no mention of its skill.
    pub(crate) fn said(&self, text: &str) -> HashMap<usize, Trigger> {
        let mut said: HashMap<usize, Trigger> = HashMap::new();
        let mentioned = self.phrases.find_longest(&self.names, text);
        self.phrases.find(text, &mut |number| {
            let is_said = |cue: &Trigger| *cue != Trigger::Name || mentioned.contains(&number);
            for (place, cue) in self.owners.get(&number).into_iter().flatten().filter(|(_, cue)| is_said(cue)) {
                let best = said.entry(*place).or_insert(*cue);
                *best = (*best).min(*cue);
            }
        });
        said
    }

    /// Calls with the skills of which a pattern is found in the text, and with those of which one is not looked for.
    pub(crate) fn patterned(&self, text: &str, found: &mut dyn FnMut(usize, Result<(), &PatternError>)) {
        let prepare =
            || Patterns::new(&self.written.iter().map(String::as_str).collect::<Vec<_>>(), self.patterns.clone());
        let mut answers = vec![None; self.written.len()];
        self.prepared.get_or_init(prepare).find(text, &mut |number, answer| {
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
