//! Writes the rows of the prompt's list, and computes what a row costs in characters.

use crate::answers::fill::{escape_value, split_hole};
use crate::dialect::{PromptRule, Whitespace};
use crate::model::skill::Skill;
use crate::model::world::World;
use crate::package::inventory::resources;
use crate::text::escape::{fold, mapped, visible};
use crate::text::template::Template;
use crate::text::words::cut;
use std::borrow::Cow;
use std::cell::OnceCell;

/// Returns the label by which a skill is listed.
type Label<'s> = Box<dyn Fn(&'s Skill) -> &'s str + 's>;

/// How the rows of one listing are written.
pub(super) struct Rows<'a, 's> {
    pub(super) world: &'a World<'a>,
    pub(super) rule: &'a PromptRule,
    /// The template of a row with a description.
    pub(super) row: &'a Template,
    /// `None` if the templates do not use it.
    pub(super) label: Option<Label<'s>>,
}

impl<'s> Rows<'_, 's> {
    /// Appends the row of a skill with this description, which is escaped here.
    pub(super) fn write(&self, skill: &'s Skill, template: &Template, description: &str, out: &mut String) {
        let escape = self.rule.escape;
        let escaped = escape.text(description);
        // These are expensive, so they are computed only if the template uses them, and once.
        let (brief, found) = (OnceCell::new(), OnceCell::new());
        let value = |hole: &str| {
            let (name, in_attribute) = split_hole(hole);
            let value = match name {
                "key" => visible(&skill.key),
                "name" => visible(&skill.name),
                "label" => visible(self.label.as_ref().map(|label| label(skill))?),
                "description" if !in_attribute => return Some(Cow::Borrowed(&*escaped)),
                "description" => Cow::Borrowed(description),
                "brief" => Cow::Borrowed(brief.get_or_init(|| skill.brief()).as_str()),
                "location" => mapped(self.world.fs.display(&skill.path), visible),
                "resources" => Cow::Borrowed(found.get_or_init(|| resources(self.world, skill).counted()).as_str()),
                "source" => visible(&skill.source.label),
                "sandbox" => Cow::Borrowed(if skill.frontmatter.run().sandbox { "true" } else { "" }),
                _ => return None,
            };
            Some(mapped(value, |text| escape_value(escape, in_attribute, text)))
        };
        template.render(&value, out);
    }

    /// The description as a row shows it, and whether it was cut to the dialect's maximum.
    pub(super) fn described(&self, skill: &'s Skill) -> (Cow<'s, str>, bool) {
        let description = match &skill.frontmatter.triggers().when_to_use {
            Some(when) => Cow::Owned(format!("{} {when}", skill.description()).trim_start().to_owned()),
            None => Cow::Borrowed(skill.description()),
        };
        let description = match self.rule.whitespace {
            Whitespace::Keep => description,
            Whitespace::Fold => mapped(description, fold),
        };
        match self.rule.max_description {
            Some(most) if is_longer(&description, most) => (mapped(description, |text| cut(text, most)), true),
            Some(_) | None => (description, false),
        }
    }

    /// The costs of the rows of these skills, for any length of their descriptions.
    pub(super) fn costs(&self, skills: &[&'s Skill]) -> Vec<Cost<'s>> {
        let mut scratch = String::new();
        skills.iter().map(|skill| self.cost(skill, &mut scratch)).collect()
    }

    fn cost(&self, skill: &'s Skill, scratch: &mut String) -> Cost<'s> {
        let (description, _) = self.described(skill);
        let mut with = |text: &str| self.line_cost(skill, self.row, text, scratch);
        let (empty, one, two) = (with(""), with("x"), with("xx"));
        let escape = self.rule.escape;
        let is_plain = [escape.text(&description), escape.attribute(&description)]
            .iter()
            .all(|escaped| escaped.len() == description.len());
        let each = two.saturating_sub(one);
        let chars = description.chars().count();
        Cost { description, chars, empty, frame: one.saturating_sub(each), each, is_plain }
    }

    /// What a row costs if its description is cut to `limit` characters. It never falls as the limit rises.
    pub(super) fn cost_at(&self, skill: &'s Skill, cost: &Cost<'s>, limit: usize, scratch: &mut String) -> usize {
        match cost.chars.min(limit) {
            0 => cost.empty,
            chars if cost.is_plain => cost.frame + chars * cost.each,
            _ => self.line_cost(skill, self.row, &cut(&cost.description, limit), scratch),
        }
    }

    /// What the row of a skill costs with this description.
    pub(super) fn line_cost(
        &self,
        skill: &'s Skill,
        template: &Template,
        description: &str,
        scratch: &mut String,
    ) -> usize {
        scratch.clear();
        self.write(skill, template, description, scratch);
        line_cost(scratch)
    }
}

/// What a row costs, depending on the length of its description.
pub(super) struct Cost<'s> {
    pub(super) description: Cow<'s, str>,
    /// The number of characters of the description.
    pub(super) chars: usize,
    /// The cost of the row without a description.
    empty: usize,
    /// The cost of the row with a description, without the description itself.
    frame: usize,
    /// The cost of each character of the description.
    each: usize,
    /// Whether no character of the description is escaped.
    is_plain: bool,
}

/// The lines of a list.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) text: String,
    /// The number of characters, with a newline for each line.
    pub(super) cost: usize,
    /// The length of `text` and the cost before the last line was added.
    last: (usize, usize),
}

impl Lines {
    /// Adds a line and returns its cost. An empty line is not added and costs nothing.
    pub(super) fn add(&mut self, write: &dyn Fn(&mut String)) -> usize {
        self.last = (self.text.len(), self.cost);
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        write(&mut self.text);
        let cost = line_cost(self.text.get(start..).unwrap_or_default());
        if cost == 0 {
            self.text.truncate(self.last.0);
        }
        self.cost += cost;
        cost
    }

    /// Removes the last line.
    pub(super) fn remove_last(&mut self) {
        self.text.truncate(self.last.0);
        self.cost = self.last.1;
    }
}

/// What a line costs, with its newline. An empty line is left out of a list, so it costs nothing.
pub(super) fn line_cost(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.chars().count() + 1 }
}

/// Whether a text has more than `chars` characters.
fn is_longer(text: &str, chars: usize) -> bool {
    chars < text.len() && text.chars().nth(chars).is_some()
}
