//! Writes the rows of the prompt's list, and computes what a row costs.

use super::meter::Meter;
use crate::dialect::{PromptRule, Whitespace};
use crate::discovery::world::World;
use crate::model::skill::Skill;
use crate::offer::fill::{escape_value, fill_unescaped, split_hole};
use crate::package::inventory::resources;
use crate::path::FsPath;
use crate::text::escape::{fold, mapped, visible};
use crate::text::template::Template;
use crate::text::words::{cut, cut_with_mark};
use std::borrow::Cow;
use std::cell::OnceCell;

/// Returns the label by which a skill is listed.
type Label<'s> = Box<dyn Fn(&'s Skill) -> &'s str + 's>;

/// How the rows of one listing are written.
pub(super) struct Rows<'a, 's> {
    pub(super) world: &'a World<'a>,
    pub(super) rule: &'a PromptRule,
    pub(super) meter: Meter,
    /// The template of a row with a description.
    pub(super) row: &'a Template,
    /// `None` if the templates do not use it.
    pub(super) label: Option<Label<'s>>,
    /// The sources that have short names in locations: `r0` for the first.
    pub(super) roots: Vec<&'s FsPath>,
}

impl<'s> Rows<'_, 's> {
    /// Appends the row of a skill with this description, which is escaped here.
    pub(super) fn write(&self, skill: &'s Skill, template: &Template, description: &str, out: &mut String) {
        // A skill that is listed by name only has the same row whatever the budget.
        let (template, description) =
            if skill.is_name_only() { (&self.rule.name_row, "") } else { (template, description) };
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
                "path" => return Some(mapped(self.world.fs.display(&skill.path), visible)),
                "description" => Cow::Borrowed(description),
                "brief" => Cow::Borrowed(brief.get_or_init(|| skill.brief()).as_str()),
                "location" => self.location(skill),
                "resources" => Cow::Borrowed(found.get_or_init(|| resources(self.world, skill).counted()).as_str()),
                // Only a key that was qualified begins with it.
                "place" => visible(skill.source.nested_in.as_deref().filter(|place| skill.key.starts_with(place))?),
                "source" => visible(&skill.source.label),
                "sandbox" => Cow::Borrowed(if skill.frontmatter.run().sandbox { "true" } else { "" }),
                _ => return None,
            };
            Some(mapped(value, |text| escape_value(escape, in_attribute, text)))
        };
        template.render(&value, out);
    }

    fn location(&self, skill: &'s Skill) -> Cow<'_, str> {
        let root = &skill.source.root;
        let alias = self.roots.iter().position(|known| *known == root);
        match alias.zip(skill.path.relative_to(root)) {
            Some((number, below)) => Cow::Owned(format!("r{number}/{}", visible(below))),
            None => mapped(self.world.fs.display(&skill.path), visible),
        }
    }

    /// The rows of the sources that have short names.
    pub(super) fn root_rows(&self) -> String {
        let mut rows = String::new();
        for (number, root) in self.roots.iter().enumerate() {
            rows.push_str(if number == 0 { "" } else { "\n" });
            let path = self.world.fs.display(root);
            fill_unescaped(
                &self.rule.alias_row,
                &[("alias", &format!("r{number}")), ("path", &visible(&path))],
                &mut rows,
            );
        }
        rows
    }

    /// The description as a row shows it, and whether it was cut to the dialect's maximum, or dropped as only the name
    /// is listed.
    pub(super) fn described(&self, skill: &'s Skill) -> (Cow<'s, str>, bool) {
        described(self.rule, skill)
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
        let is_plain = self.meter.is_additive()
            && [escape.text(&description), escape.attribute(&description)]
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
        self.meter.cost_of_size(self.row_size(skill, template, description, scratch))
    }

    /// The size of the row of a skill with this description.
    pub(super) fn row_size(
        &self,
        skill: &'s Skill,
        template: &Template,
        description: &str,
        scratch: &mut String,
    ) -> usize {
        scratch.clear();
        self.write(skill, template, description, scratch);
        self.meter.row_size(scratch)
    }

    /// What the lines before and after the rows cost.
    pub(super) fn frame_cost(&self) -> usize {
        self.meter.frame_cost(&self.rule.open) + self.meter.frame_cost(&self.rule.close)
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
    /// Whether each character costs the same, as none is escaped and the costs add up.
    is_plain: bool,
}

/// The lines of a list.
pub(super) struct Lines {
    pub(super) text: String,
    /// What the lines cost.
    pub(super) cost: usize,
    meter: Meter,
    /// The length of `text` and the cost before the last line was added.
    last: (usize, usize),
}

impl Lines {
    pub(super) fn new(meter: Meter) -> Lines {
        Lines { text: String::new(), cost: 0, meter, last: (0, 0) }
    }

    /// Adds a row and returns its cost. An empty line is not added and costs nothing.
    pub(super) fn add(&mut self, write: &dyn Fn(&mut String)) -> usize {
        self.last = (self.text.len(), self.cost);
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        write(&mut self.text);
        let line = self.text.get(start..).unwrap_or_default();
        let cost = self.meter.row_cost(line);
        if line.is_empty() {
            self.text.truncate(self.last.0);
        }
        self.cost += cost;
        cost
    }

    /// Adds the line before or after the rows.
    pub(super) fn add_frame(&mut self, line: &str) {
        let before = self.cost;
        self.add(&|out| out.push_str(line));
        self.cost = before + self.meter.frame_cost(line);
    }

    /// Removes the last line.
    pub(super) fn remove_last(&mut self) {
        self.text.truncate(self.last.0);
        self.cost = self.last.1;
    }
}

/// The description as a row shows it while the budget suffices, and whether it was cut to the dialect's maximum, or dropped
/// as only the name is listed.
pub(super) fn described<'s>(rule: &PromptRule, skill: &'s Skill) -> (Cow<'s, str>, bool) {
    if skill.is_name_only() {
        return (Cow::Borrowed(""), true);
    }
    let description = whole_description(rule, skill);
    match rule.max_description {
        Some(most) if is_longer(&description, most) => {
            (mapped(description, |text| cut_with_mark(text, most, &rule.cut_mark)), true)
        }
        Some(_) | None => (description, false),
    }
}

/// The description with the text about when to use the skill, of any length.
pub(super) fn whole_description<'s>(rule: &PromptRule, skill: &'s Skill) -> Cow<'s, str> {
    let description = match &skill.frontmatter.triggers().when_to_use {
        Some(when) => Cow::Owned(format!("{} {when}", skill.description()).trim_start().to_owned()),
        None => Cow::Borrowed(skill.description()),
    };
    match rule.whitespace {
        Whitespace::Keep => description,
        Whitespace::Fold => mapped(description, fold),
    }
}

/// Whether a text has more than `chars` characters.
fn is_longer(text: &str, chars: usize) -> bool {
    chars < text.len() && text.chars().nth(chars).is_some()
}
