//! In: a skill, and how a listing words it. Out: its row, written behind the rows before it, and what the row costs in
//! characters. Absent: which rows there are.

use crate::dialect::{PromptRule, Whitespace};
use crate::model::skill::Skill;
use crate::model::world::World;
use crate::package::inventory::resources;
use crate::text::escape::{fold, mapped, visible};
use crate::text::template::Template;
use crate::text::words::cut;
use std::borrow::Cow;
use std::cell::OnceCell;

/// What a skill is listed by.
type Label<'s> = Box<dyn Fn(&'s Skill) -> &'s str + 's>;

/// How the rows of one listing are written.
pub(super) struct Rows<'a, 's> {
    pub(super) world: &'a World<'a>,
    pub(super) rule: &'a PromptRule,
    /// The row of a skill with its description.
    pub(super) row: &'a Template,
    /// None where the rows have no place for it.
    pub(super) label: Option<Label<'s>>,
}

impl<'s> Rows<'_, 's> {
    /// The row of a skill with this description, which is escaped here.
    pub(super) fn write(&self, skill: &'s Skill, template: &Template, description: &str, out: &mut String) {
        let escape = self.rule.escape;
        let escaped = escape.text(description);
        // What costs more than a look is made once, and only where the row has a place for it.
        let (brief, found) = (OnceCell::new(), OnceCell::new());
        let value = |hole: &str| {
            let (name, in_attribute) = hole.strip_prefix('@').map_or((hole, false), |name| (name, true));
            let value = match name {
                "key" => visible(&skill.key),
                "name" => visible(&skill.name),
                "label" => visible(self.label.as_ref().map_or("", |label| label(skill))),
                "description" if !in_attribute => return Some(Cow::Borrowed(&*escaped)),
                "description" => Cow::Borrowed(description),
                "brief" => Cow::Borrowed(brief.get_or_init(|| skill.brief()).as_str()),
                "location" => mapped(self.world.fs.spell(&skill.path), visible),
                "resources" => Cow::Borrowed(found.get_or_init(|| resources(self.world, skill).counted()).as_str()),
                "source" => visible(&skill.source.label),
                "sandbox" => Cow::Borrowed(if skill.frontmatter.run().sandbox { "true" } else { "" }),
                _ => return None,
            };
            Some(mapped(value, |text| if in_attribute { escape.attribute(text) } else { escape.text(text) }))
        };
        template.render(&value, out);
    }

    /// The description as it stands in a row, and whether it is longer than is ever shown.
    pub(super) fn described(&self, skill: &'s Skill) -> (Cow<'s, str>, bool) {
        let description = match &skill.frontmatter.triggers().when {
            Some(when) => Cow::Owned(format!("{} {when}", skill.description()).trim_start().to_owned()),
            None => Cow::Borrowed(skill.description()),
        };
        let description = match self.rule.space {
            Whitespace::Keep => description,
            Whitespace::Fold => mapped(description, fold),
        };
        match self.rule.max_description {
            Some(most) if is_longer(&description, most) => (mapped(description, |text| cut(text, most)), true),
            Some(_) | None => (description, false),
        }
    }

    /// What the rows of these skills cost, whatever their descriptions are cut to.
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

    /// What a row costs when its description is cut to so many characters; it does not fall as they rise.
    pub(super) fn cost_at(&self, skill: &'s Skill, cost: &Cost<'s>, limit: usize, scratch: &mut String) -> usize {
        match cost.chars.min(limit) {
            0 => cost.empty,
            chars if cost.is_plain => cost.frame + chars * cost.each,
            _ => self.line_cost(skill, self.row, &cut(&cost.description, limit), scratch),
        }
    }

    /// What the line costs, with its newline; one that is empty does not stand there.
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

/// What a row costs, by the length of its description.
pub(super) struct Cost<'s> {
    pub(super) description: Cow<'s, str>,
    /// Of the description.
    pub(super) chars: usize,
    /// Without a description.
    empty: usize,
    /// Around one.
    frame: usize,
    /// For each character of it.
    each: usize,
    /// Whether no character of it is escaped.
    is_plain: bool,
}

/// Lines that are written one behind the other.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) text: String,
    /// Characters, with a newline for each line.
    pub(super) cost: usize,
    /// Where the last line began.
    last: (usize, usize),
}

impl Lines {
    /// Adds a line: what it costs. One that is empty does not stand there.
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

    /// Takes the last line back.
    pub(super) fn take_back(&mut self) {
        self.text.truncate(self.last.0);
        self.cost = self.last.1;
    }
}

/// What a line of the list costs, with its newline; one that is empty does not stand there.
pub(super) fn line_cost(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.chars().count() + 1 }
}

/// Whether a text has more characters than these.
fn is_longer(text: &str, chars: usize) -> bool {
    chars < text.len() && text.chars().nth(chars).is_some()
}
