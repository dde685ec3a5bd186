//! What the model sees of the descriptions.

use super::PromptRequest;
use super::fit::FittedList;
use super::rows;
use super::settings::effective;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::model::skill::Skill;
use crate::text::words::cut;
use std::borrow::Cow;

/// A skill that the model may see, with its description.
pub(crate) struct Described<'c> {
    pub(crate) skill: &'c Skill,
    /// The description of any length, with the text about when to use the skill.
    pub(crate) whole: Cow<'c, str>,
    /// What the prompt shows of it; empty if the skill did not fit.
    pub(crate) shown: Cow<'c, str>,
}

/// The descriptions of the skills that the model may see, in the order of the list.
pub(crate) fn descriptions<'c>(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> Vec<Described<'c>> {
    let FittedList { skills, fitting, .. } = FittedList::new(world, catalog, ask);
    let (rule, _) = effective(catalog, ask.window);
    let described = skills.into_iter().enumerate().map(|(at, skill)| {
        let (capped, _) = rows::described(&rule, skill);
        let is_shown = fitting.left_out.binary_search(&at).is_err() && fitting.bare.binary_search(&at).is_err();
        let shown = match fitting.lengths.get(at) {
            Some(length) if is_shown => Cow::Owned(cut(&capped, *length).into_owned()),
            None if is_shown => capped,
            Some(_) | None => Cow::Borrowed(""),
        };
        Described { skill, whole: rows::whole_description(&rule, skill), shown }
    });
    described.collect()
}
