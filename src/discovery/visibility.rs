//! Decides how each skill is offered, beyond what its frontmatter says (topic 9 of the rules): by the fields of its file
//! that the dialect counts, by the settings of the client, the choices of the user and of the project, and the override of
//! the host, which beats all but the skill's own file. `resolve` applies the decision.

use crate::dialect::{Dialect, Permitted};
use crate::discovery::choices::{Choice, Choices};
use crate::discovery::settings::Settings;
use crate::discovery::state::{States, Store};
use crate::discovery::world::{Override, World};
use crate::model::skill::{Decision, Frontmatter, Skill, Visibility};
use crate::text::escape::visible;
use crate::text::glob::Globs;
use crate::text::list::quoted;

const MAX_NAMED: usize = 3;

/// What decides about the skills of a discovery.
pub(crate) struct Deciders<'a> {
    world: &'a World<'a>,
    dialect: &'a Dialect,
    pub(crate) states: States,
    settings: &'a Settings,
    choices: Choices,
    /// Whether the settings and the choices say nothing about any skill, as is usual.
    is_silent: bool,
}

impl<'a> Deciders<'a> {
    pub(crate) fn new(
        world: &'a World<'a>,
        dialect: &'a Dialect,
        states: States,
        settings: &'a Settings,
        choices: Choices,
    ) -> Deciders<'a> {
        let is_silent = settings.is_silent() && choices.is_empty();
        Deciders { world, dialect, states, settings, choices, is_silent }
    }

    /// How a skill is offered, if that is not decided by its flags and its state alone.
    pub(crate) fn decision(&self, skill: &Skill, overridden: Override) -> Option<Decision> {
        if overridden == Override::Off {
            return None;
        }
        let said = if self.is_silent { None } else { self.by_settings_and_choices(skill) };
        // What the host switches on is hidden by its own file alone.
        let said = said.filter(|said| overridden != Override::On || said.visibility < Visibility::UserOnly);
        let decision = match (self.by_own_file(skill), said) {
            (Some(own), Some(said)) if own.visibility < said.visibility => Some(said),
            (own, said) => own.or(said),
        };
        // A skill that is for the user only anyway is so by its frontmatter.
        decision.filter(|decision| decision.visibility != Visibility::UserOnly || !skill.frontmatter.not_for_model)
    }

    /// What the settings and the choices say. Each may narrow what the one before it gives; the user's choice may also
    /// undo a setting, unless an administrator has made it.
    fn by_settings_and_choices(&self, skill: &Skill) -> Option<Decision> {
        let set = self.settings.decision(skill);
        let is_managed = set.is_some_and(|(_, is_managed)| is_managed);
        let mut decision = set.map(|(decision, _)| decision.clone());
        let given = |decision: &Option<Decision>| decision.as_ref().map_or(Visibility::Full, |it| it.visibility);
        if let Some(choice) = self.choices.of(&skill.key, Store::User) {
            if given(&decision) < choice.visibility || !choice.visibility.is_narrowing() && !is_managed {
                decision = Some(chosen(choice));
            }
        }
        let narrowing = self.choices.of(&skill.key, Store::Project);
        match narrowing.filter(|choice| given(&decision) < choice.visibility) {
            Some(choice) => Some(chosen(choice)),
            None => decision,
        }
    }

    /// Whether the dialect hides the skill from the model because of what its file says or does not say.
    fn by_own_file(&self, skill: &Skill) -> Option<Decision> {
        if self.dialect.undescribed == Permitted::No && skill.frontmatter.description.is_none() {
            let message = format!("has no description, so `{}` does not list it", visible(&self.dialect.name));
            return Some(Decision::new(Visibility::UserOnly, message).with_help("give it a description"));
        }
        if self.is_offered(&skill.frontmatter) {
            return None;
        }
        let patterns = &skill.frontmatter.run().paths;
        let shown: Vec<_> = patterns.iter().take(MAX_NAMED).map(|pattern| visible(pattern)).collect();
        let mut named = quoted(&shown, " or ");
        if MAX_NAMED < patterns.len() {
            named.push_str(&format!(", or one of {} more,", patterns.len() - MAX_NAMED));
        }
        let message = format!("offered only while a file that matches {named} is worked on");
        Some(Decision::new(Visibility::UserOnly, message))
    }

    /// Whether a skill has no condition, or one of the files that are being worked on meets it.
    pub(crate) fn is_offered(&self, frontmatter: &Frontmatter) -> bool {
        let (patterns, places) = (&frontmatter.run().paths, self.world.places);
        // `**` alone is no condition.
        if patterns.iter().all(|pattern| pattern == "**") {
            return true;
        }
        if places.touched.is_empty() {
            return false;
        }
        let globs = Globs::new(patterns.iter().map(String::as_str));
        places.touched.iter().any(|file| {
            let below = places.project.as_ref().and_then(|project| file.relative_to(project));
            globs.matches(file.as_str(), below)
        })
    }
}

fn chosen(choice: &Choice) -> Decision {
    let (word, pattern) = (choice.visibility.as_str(), visible(&choice.pattern));
    let message = format!("set to `{word}` by the entry `{pattern}`");
    Decision::new(choice.visibility, message).by(&choice.file, Some(choice.line)).with_help("change this entry")
}
