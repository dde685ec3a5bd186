//! In: the skills that a model may see. Out: [`CueIndex`]: what they are matched by, prepared once for a catalog, so
//! that a message costs one pass over it (decisions 37). Absent: ranking beyond the kind of the match.

use crate::skill::{Caller, Cues, Skill};
use crate::text::pattern::{Pattern, PatternError};
use crate::text::phrases::Phrases;
use std::collections::HashMap;
use std::sync::OnceLock;

/// How a skill was matched, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cue {
    /// By its name.
    Name,
    /// By a keyword or a verb.
    Phrase,
    /// By a pattern.
    Pattern,
}

/// What the skills of a catalog are matched by. Skills are named by their place in it.
#[derive(Debug, Default)]
pub(crate) struct CueIndex {
    phrases: Phrases,
    owners: HashMap<u32, Vec<(usize, Cue)>>,
    /// Patterns as written, with the skill; compiled when a message first needs them.
    written: Vec<(usize, String)>,
    compiled: OnceLock<Vec<Compiled>>,
    /// Whether any skill has triggers besides its name.
    pub(crate) has_triggers: bool,
}

#[derive(Debug)]
struct Compiled {
    place: usize,
    pattern: Result<Pattern, PatternError>,
}

impl CueIndex {
    pub(crate) fn new(skills: &[Skill]) -> CueIndex {
        let mut index = CueIndex::default();
        for (place, skill) in skills.iter().enumerate().filter(|(_, skill)| skill.is_for(Caller::Model)) {
            let Cues { keywords, verbs, patterns, .. } = skill.meta.cues();
            index.add(&skill.key, place, Cue::Name);
            for phrase in keywords.iter().chain(verbs) {
                index.add(phrase, place, Cue::Phrase);
            }
            index.written.extend(patterns.iter().map(|pattern| (place, pattern.clone())));
            index.has_triggers |= !(keywords.is_empty() && verbs.is_empty() && patterns.is_empty());
        }
        index.phrases.link();
        index
    }

    fn add(&mut self, phrase: &str, place: usize, cue: Cue) {
        if let Some(number) = self.phrases.add(phrase) {
            self.owners.entry(number).or_default().push((place, cue));
        }
    }

    /// The skills that the text names, or that a keyword or verb in it stands for, with their strongest cue.
    pub(crate) fn said(&self, text: &str) -> HashMap<usize, Cue> {
        let mut said: HashMap<usize, Cue> = HashMap::new();
        self.phrases.find(text, &mut |number| {
            for (place, cue) in self.owners.get(&number).into_iter().flatten() {
                let best = said.entry(*place).or_insert(*cue);
                *best = (*best).min(*cue);
            }
        });
        said
    }

    /// Calls with the skills of which a pattern is found in the text, and with those of which one does not compile.
    pub(crate) fn patterned(&self, text: &str, found: &mut dyn FnMut(usize, Result<(), &PatternError>)) {
        let compile = |(place, text): &(usize, String)| Compiled { place: *place, pattern: Pattern::new(text) };
        for one in self.compiled.get_or_init(|| self.written.iter().map(compile).collect()) {
            match &one.pattern {
                Ok(pattern) if pattern.is_in(text) => found(one.place, Ok(())),
                Ok(_) => {}
                Err(error) => found(one.place, Err(error)),
            }
        }
    }
}
