//! Decides which rows of the prompt's list fit into its budget, what is shortened and left out, and writes the list.

use super::{PromptRequest, PromptRow, offered};
use crate::dialect::{Budget, Dialect, Escape, Overflow, PromptRule, Whitespace};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::model::skill::{Skill, Source};
use crate::offer::fill::{escape_value, fill_unescaped, split_hole};
use crate::text::budget::{PER_TOKEN, Row, drop_in_order, fits, largest_limit};
use crate::text::escape::{fold, mapped, visible};
use crate::text::order::sort_by;
use crate::text::template::Template;
use crate::text::words::{cut, cut_with_mark};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How many sources are named in the notice of a list for a request, those with the most skills first.
const MAX_SOURCES: usize = 5;
/// How many characters of the label of a source are shown there.
const MAX_LABEL_CHARS: usize = 40;
/// The characters that [`Escape`](crate::dialect::Escape) may replace.
const ESCAPED: [char; 5] = ['&', '<', '>', '"', '\''];

/// The list of the prompt, fitted into its budget by leaving out rows or shortening descriptions. By
/// [`Overflow::DropLeastUsed`] descriptions are dropped and every name stays, so the list exceeds the budget if the names
/// alone do.
pub(super) struct FittedList<'c> {
    /// The rule by which the list is made.
    pub(super) rule: Cow<'c, PromptRule>,
    /// The skills that the model may see, in the order of the list.
    pub(super) skills: Vec<&'c Skill>,
    /// How each of them is listed.
    pub(super) forms: Vec<Form>,
    pub(super) text: String,
    pub(super) cost: usize,
    pub(super) budget: Option<usize>,
    /// What is said of the skills that are left out, if that is not the dialect's sentence.
    pub(super) notice: Option<String>,
    /// The rows of the sources that have short names in the list.
    pub(super) roots: String,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Form {
    LeftOut,
    /// By the row without a description.
    Name,
    /// With this beginning of its description, of which nothing may be left.
    Cut(String),
    Whole,
}

impl<'c> FittedList<'c> {
    pub(super) fn new(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> FittedList<'c> {
        let (rule, window) = effective(catalog, ask.window);
        let (meter, budget) = Meter::new(rule.budget, ask.budget, window);
        let limit = budget.map(|budget| budget.saturating_add(meter.last_newline()));
        let skills = offered(catalog);
        let mut rows = Rows::new(world, catalog, &rule, meter);
        let query = ask.query.as_ref().filter(|_| catalog.dialect().selection.is_none());
        let relevant = query.map(|query| (query.relevant)(catalog, &skills, &query.text));
        let mut fitted = rows.fitted(&skills, limit, relevant.as_deref());
        if !rule.alias_row.source().is_empty() {
            rows.name_roots(&skills);
            let names = meter.row_size(&rows.root_rows());
            let cost = meter.cost_of_size(names.saturating_sub(rule.free_aliases));
            let mut short = rows.fitted(&skills, limit.map(|limit| limit.saturating_sub(cost)), relevant.as_deref());
            short.lines.cost += cost;
            if fitted.gain() < short.gain() {
                fitted = short;
            } else {
                rows.roots.clear();
            }
        }
        let Fitted { mut lines, forms, notice, .. } = fitted;
        if forms.iter().all(|form| *form == Form::LeftOut) {
            lines = Lines::new(meter);
        } else {
            lines.add_frame(&rule.close);
        }
        let (text, cost) = (lines.text, lines.cost.saturating_sub(meter.last_newline()));
        let roots = rows.root_rows();
        FittedList { rule, skills, forms, text, cost, budget, notice, roots }
    }

    /// Whether the description of a listed skill is cut or dropped: to fit the budget, or whatever the budget is, as it
    /// exceeds the dialect's own maximum or only the name is listed.
    pub(super) fn is_shortened(&self, skill: &Skill, form: &Form) -> bool {
        let is_long = |most| is_longer(&whole_description(&self.rule, skill), most);
        match form {
            Form::LeftOut => false,
            Form::Name | Form::Cut(_) => true,
            Form::Whole => skill.is_name_only() || self.rule.max_description.is_some_and(is_long),
        }
    }
}

/// The complete row of a skill that the model may see.
pub(super) fn whole_row<'c>(
    world: &World<'_>,
    catalog: &'c Catalog,
    skill: &'c Skill,
    ask: &PromptRequest,
) -> PromptRow {
    let (rule, window) = effective(catalog, ask.window);
    let (meter, _) = Meter::new(rule.budget, ask.budget, window);
    let mut row = PromptRow { text: String::new(), cost: 0, in_tokens: meter == Meter::Tokens };
    if !catalog.settings().is_unlisted && offered(catalog).iter().any(|offered| offered.path == skill.path) {
        let rows = Rows::new(world, catalog, &rule, meter);
        rows.write(skill, rows.row, &described(&rule, skill), &mut row.text);
        row.cost = meter.row_cost(&row.text);
    }
    row
}

/// The rule for the prompt, and the size of the context window in tokens by which it counts, as the settings of the client
/// change them. A share of the window that the settings give replaces that of the dialect: all of a window that is smaller
/// by that share.
fn effective(catalog: &Catalog, window: Option<usize>) -> (Cow<'_, PromptRule>, Option<usize>) {
    let (rule, settings) = (&catalog.dialect().prompt, catalog.settings());
    if settings.budget_share.or(settings.max_description).or(settings.max_tokens).is_none() {
        return (Cow::Borrowed(rule), window);
    }
    let mut rule = rule.clone();
    if let Some(tokens) = settings.max_tokens {
        rule.budget = Budget::Tokens { percent: 100, fallback_chars: 0 };
        return (Cow::Owned(rule), Some(tokens));
    }
    rule.max_description = settings.max_description.or(rule.max_description);
    let Some(share) = settings.budget_share else { return (Cow::Owned(rule), window) };
    // Without a window, the dialect's own number of characters grows and shrinks with the share.
    let scaled = |chars: usize, percent: usize| chars.saturating_mul(share) / percent.saturating_mul(10_000).max(1);
    match &mut rule.budget {
        Budget::Tokens { percent, fallback_chars } | Budget::Window { percent, fallback_chars } => {
            (*fallback_chars, *percent) = (scaled(*fallback_chars, *percent), 100);
        }
        // A budget that is no share of the window has no share to scale.
        Budget::Chars(_) | Budget::Unlimited if window.is_none() => {}
        Budget::Chars(chars) => rule.budget = Budget::Window { percent: 100, fallback_chars: *chars },
        Budget::Unlimited => rule.budget = Budget::Window { percent: 100, fallback_chars: usize::MAX },
    }
    (Cow::Owned(rule), window.map(|tokens| tokens.saturating_mul(share) / 1_000_000))
}

/// The description as a row shows it while the budget suffices.
pub(super) fn described<'s>(rule: &PromptRule, skill: &'s Skill) -> Cow<'s, str> {
    if skill.is_name_only() {
        return Cow::Borrowed("");
    }
    let description = whole_description(rule, skill);
    match rule.max_description {
        Some(most) if is_longer(&description, most) => {
            mapped(description, |text| cut_with_mark(text, most, &rule.cut_mark))
        }
        Some(_) | None => description,
    }
}

/// The description with the text about when to use the skill, of any length.
pub(super) fn whole_description<'s>(rule: &PromptRule, skill: &'s Skill) -> Cow<'s, str> {
    let description = match &skill.frontmatter.triggers().when_to_use {
        Some(when) if skill.description().is_empty() => Cow::Borrowed(when.as_str()),
        Some(when) => Cow::Owned(format!("{}{}{when}", skill.description(), rule.when_mark)),
        None => Cow::Borrowed(skill.description()),
    };
    let description = match rule.escape {
        // The rest is left alone when it is escaped again with its row.
        Escape::Angles => mapped(description, |text| rule.escape.text(text)),
        Escape::Plain | Escape::Attributes | Escape::Xml | Escape::XmlAll => description,
    };
    match rule.whitespace {
        Whitespace::Keep => description,
        Whitespace::Trim => mapped(description, |text| Cow::Borrowed(text.trim())),
        Whitespace::Fold => mapped(description, fold),
    }
}

fn is_longer(text: &str, chars: usize) -> bool {
    chars < text.len() && text.chars().nth(chars).is_some()
}

/// How the cost of a list is counted (rules 11.1 and 11.13).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meter {
    /// In characters, with the lines before and after the rows, and without the last newline.
    List,
    /// In characters of the rows.
    Chars,
    /// By the rows: a token for every four bytes of a row and its newline.
    Tokens,
}

impl Meter {
    /// How a list is counted, and the most that it may cost: `budget` if the caller gives one, or else what the rule allows
    /// for a window of this many tokens.
    fn new(rule: Budget, budget: Option<usize>, window: Option<usize>) -> (Meter, Option<usize>) {
        let share = |tokens: usize, percent: usize| tokens.saturating_mul(percent) / 100;
        let of_rule = match rule {
            Budget::Tokens { percent, fallback_chars } => {
                let tokens = budget.or(window.map(|window| share(window, percent)));
                return tokens.map_or((Meter::Chars, Some(fallback_chars)), |tokens| (Meter::Tokens, Some(tokens)));
            }
            Budget::Unlimited => None,
            Budget::Chars(chars) => Some(chars),
            Budget::Window { percent, fallback_chars } => {
                Some(window.map_or(fallback_chars, |window| share(window.saturating_mul(PER_TOKEN), percent)))
            }
        };
        (Meter::List, budget.or(of_rule))
    }

    /// What the lines of a list cost more than the list: the newline of the last line.
    fn last_newline(self) -> usize {
        usize::from(self == Meter::List)
    }

    /// What a row costs. An empty line is left out of a list, so it costs nothing.
    fn row_cost(self, row: &str) -> usize {
        self.cost_of_size(self.row_size(row))
    }

    /// What the line before or after the rows costs.
    fn frame_cost(self, line: &str) -> usize {
        if self == Meter::List { self.row_cost(line) } else { 0 }
    }

    /// The size of a row with its newline, which adds up over the parts of the row: characters, or bytes for tokens.
    fn row_size(self, row: &str) -> usize {
        match self {
            _ if row.is_empty() => 0,
            Meter::List | Meter::Chars => row.chars().count() + 1,
            Meter::Tokens => row.len() + 1,
        }
    }

    fn cost_of_size(self, size: usize) -> usize {
        if self == Meter::Tokens { size.div_ceil(PER_TOKEN) } else { size }
    }
}

struct Lines {
    text: String,
    cost: usize,
    meter: Meter,
    /// The length of `text` and the cost before the last line was added.
    last: (usize, usize),
}

impl Lines {
    fn new(meter: Meter) -> Lines {
        Lines { text: String::new(), cost: 0, meter, last: (0, 0) }
    }

    /// Adds a row and returns its cost. An empty line is not added and costs nothing.
    fn add(&mut self, write: &dyn Fn(&mut String)) -> usize {
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
    fn add_frame(&mut self, line: &str) {
        let before = self.cost;
        self.add(&|out| out.push_str(line));
        self.cost = before + self.meter.frame_cost(line);
    }

    fn remove_last(&mut self) {
        self.text.truncate(self.last.0);
        self.cost = self.last.1;
    }
}

/// A list without its last line, and how each skill is listed in it.
struct Fitted {
    lines: Lines,
    forms: Vec<Form>,
    /// How many characters are cut off the descriptions by [`Overflow::RoundRobin`].
    cut_chars: usize,
    notice: Option<String>,
}

impl Fitted {
    fn new(lines: Lines, forms: Vec<Form>) -> Fitted {
        Fitted { lines, forms, cut_chars: 0, notice: None }
    }

    /// How much a list shows; of two lists, the one with more is used.
    fn gain(&self) -> (usize, Reverse<usize>, Reverse<usize>) {
        let shown = self.forms.iter().filter(|form| **form != Form::LeftOut).count();
        (shown, Reverse(self.cut_chars), Reverse(self.lines.cost))
    }
}

/// The size of the row of a skill, depending on its description.
struct Measured<'s> {
    skill: &'s Skill,
    description: Cow<'s, str>,
    chars: usize,
    /// The size without a description.
    empty: usize,
    /// The size with any description, without the description itself.
    frame: usize,
    /// How often the row contains the description.
    times: usize,
    /// Whether no character of the description is escaped.
    is_plain: bool,
}

struct Rows<'a, 's> {
    world: &'a World<'a>,
    rule: &'a PromptRule,
    meter: Meter,
    /// The template of a row with a description.
    row: &'a Template,
    /// The template of a row without one.
    name_row: &'a Template,
    /// The label by which a skill is listed; `None` if the templates do not use it.
    label: Option<Box<dyn Fn(&'s Skill) -> &'s str + 's>>,
    /// The second name of a skill; `None` if the templates do not use it.
    second_name: Option<Box<dyn Fn(&'s Skill) -> Option<&'s str> + 's>>,
    /// The roots of the sources that have short names in locations: `r0` for the first.
    roots: Vec<&'s Source>,
    dialect: &'s Dialect,
}

impl<'a, 's> Rows<'a, 's> {
    fn new(world: &'a World<'a>, catalog: &'s Catalog, rule: &'a PromptRule, meter: Meter) -> Rows<'a, 's> {
        let uses = |name| rule.row.placeholders().chain(rule.name_row.placeholders()).any(|hole| hole.ends_with(name));
        let label = uses("label").then(|| Box::new(catalog.labels()) as Box<_>);
        let second_name = uses("second_name").then(|| {
            let names = catalog.second_names();
            let name_of = move |skill: &'s Skill| {
                names.get(skill.name.as_str()).filter(|named| named.path == skill.path).map(|named| named.name.as_str())
            };
            Box::new(name_of) as Box<_>
        });
        let (row, name_row) = (&rule.row, &rule.name_row);
        let (roots, dialect) = (Vec::new(), catalog.dialect());
        Rows { world, rule, meter, row, name_row, label, second_name, roots, dialect }
    }

    /// Gives short names to the sources of these skills, the highest first.
    fn name_roots(&mut self, skills: &[&'s Skill]) {
        let mut sources: Vec<&Source> = skills.iter().map(|skill| &*skill.source).collect();
        sort_by(&mut sources, |a, b| b.rank.cmp(&a.rank));
        sources.dedup_by(|a, b| a.root == b.root);
        self.roots = sources;
    }

    /// Appends the row of a skill with this description, which is escaped here.
    fn write(&self, skill: &'s Skill, template: &Template, description: &str, out: &mut String) {
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
                "resources" => Cow::Borrowed(found.get_or_init(|| skill.resources(self.world).counted()).as_str()),
                // Only a key that was qualified begins with it.
                "place" => visible(skill.source.nested_in.as_deref().filter(|place| skill.key.starts_with(place))?),
                "second_name" => visible(self.second_name.as_ref().and_then(|second_name| second_name(skill))?),
                "source" => visible(&skill.source.label),
                "scope" => visible(&skill.source.scope),
                "sandbox" => Cow::Borrowed(if skill.frontmatter.run().sandbox { "true" } else { "" }),
                _ => return None,
            };
            Some(mapped(value, |text| escape_value(escape, in_attribute, text)))
        };
        template.render(&value, out);
    }

    fn location(&self, skill: &'s Skill) -> Cow<'_, str> {
        let root = &skill.source.root;
        let alias = self.roots.iter().position(|known| known.root == *root);
        match alias.zip(skill.path.relative_to(root)) {
            Some((number, below)) => Cow::Owned(format!("r{number}/{}", visible(below))),
            None => match self.dialect.listed_path(skill) {
                Cow::Borrowed(path) => mapped(self.world.fs.display(path), visible),
                Cow::Owned(path) => mapped(Cow::Owned(self.world.fs.display(&path).into_owned()), visible),
            },
        }
    }

    /// The rows of the sources that have short names.
    fn root_rows(&self) -> String {
        let mut rows = String::new();
        for (number, source) in self.roots.iter().enumerate() {
            let root = source.real_root.as_ref().unwrap_or(&source.root);
            rows.push_str(if number == 0 { "" } else { "\n" });
            let (alias, path) = (format!("r{number}"), self.world.fs.display(root));
            fill_unescaped(&self.rule.alias_row, &[("alias", &alias), ("path", &visible(&path))], &mut rows);
        }
        rows
    }

    fn add(&self, lines: &mut Lines, skill: &'s Skill, form: &Form) -> usize {
        lines.add(&|out| match form {
            Form::LeftOut => {}
            Form::Name => self.write(skill, self.name_row, "", out),
            Form::Cut(description) => self.write(skill, self.row, description, out),
            Form::Whole => self.write(skill, self.row, &described(self.rule, skill), out),
        })
    }

    fn opened(&self) -> Lines {
        let mut lines = Lines::new(self.meter);
        lines.add_frame(&self.rule.open);
        lines
    }

    fn listed(&self, skills: &[&'s Skill], forms: Vec<Form>) -> Fitted {
        let mut lines = self.opened();
        for (skill, form) in skills.iter().zip(&forms) {
            self.add(&mut lines, skill, form);
        }
        Fitted::new(lines, forms)
    }

    /// What the lines before and after the rows cost.
    fn frame_cost(&self) -> usize {
        self.meter.frame_cost(&self.rule.open) + self.meter.frame_cost(&self.rule.close)
    }

    fn row_size(&self, skill: &'s Skill, template: &Template, description: &str, scratch: &mut String) -> usize {
        scratch.clear();
        self.write(skill, template, description, scratch);
        self.meter.row_size(scratch)
    }

    /// What the row of each skill costs without a description.
    fn bare_costs(&self, skills: &[&'s Skill], template: &Template) -> impl Iterator<Item = usize> {
        let mut scratch = String::new();
        skills.iter().map(move |skill| self.meter.cost_of_size(self.row_size(skill, template, "", &mut scratch)))
    }

    /// The sizes of the rows of these skills, for any length of their descriptions.
    fn measured(&self, skills: &[&'s Skill]) -> Vec<Measured<'s>> {
        let mut scratch = String::new();
        let measured = skills.iter().map(|skill| {
            let description = described(self.rule, skill);
            let mut size = |text: &str| self.row_size(skill, self.row, text, &mut scratch);
            let (empty, one, two) = (size(""), size("x"), size("xx"));
            let times = two.saturating_sub(one);
            let escape = self.rule.escape;
            let is_plain = escape.text(&description).len() == description.len()
                && escape.attribute(&description).len() == description.len();
            let chars = description.chars().count();
            Measured { skill, description, chars, empty, frame: one.saturating_sub(times), times, is_plain }
        });
        measured.collect()
    }

    /// The rows that fit, as the dialect fits them, or for a request if there is one: `relevant` has the places of the skills
    /// that match it, the best first.
    fn fitted(&mut self, skills: &[&'s Skill], limit: Option<usize>, relevant: Option<&[usize]>) -> Fitted {
        let rule = self.rule;
        (self.row, self.name_row) = (&rule.row, &rule.name_row);
        match rule.overflow {
            Overflow::EachFit if relevant.is_none() => return self.that_fit(skills, limit, &Form::Whole, false),
            Overflow::DropLeastUsed if relevant.is_none() => return self.without_least_used(skills, limit),
            _ => {}
        }
        let whole = self.that_fit(skills, limit, &Form::Whole, true);
        let is_complete = |fitted: &Fitted| !fitted.forms.contains(&Form::LeftOut);
        let Some(limit) = limit.filter(|_| !is_complete(&whole)) else { return whole };
        if rule.overflow == Overflow::FirstFit && relevant.is_none() {
            return whole;
        }
        if rule.short_row.placeholders().next().is_some() {
            self.row = &rule.short_row;
            let short = self.that_fit(skills, Some(limit), &Form::Whole, true);
            if is_complete(&short) {
                return short;
            }
        }
        if relevant.is_none() && rule.overflow != Overflow::RoundRobin {
            return self.shortened(skills, limit);
        }
        if rule.name_row.placeholders().next().is_none() {
            self.name_row = self.row;
        }
        match relevant {
            Some(relevant) => self.ranked(skills, limit, relevant),
            None => self.dealt_out(skills, limit),
        }
    }

    /// Rows in this form without those that do not fit, or until the first of these. Pinned rows, which come first, are always
    /// included.
    fn that_fit(&self, skills: &[&'s Skill], limit: Option<usize>, form: &Form, until_full: bool) -> Fitted {
        let mut lines = self.opened();
        let close = self.meter.frame_cost(&self.rule.close);
        let mut is_full = false;
        let forms = skills.iter().map(|skill| {
            if is_full {
                return Form::LeftOut;
            }
            self.add(&mut lines, skill, form);
            if skill.is_pinned() || limit.is_none_or(|limit| lines.cost.saturating_add(close) <= limit) {
                return form.clone();
            }
            lines.remove_last();
            is_full = until_full;
            Form::LeftOut
        });
        let forms = forms.collect();
        Fitted::new(lines, forms)
    }

    /// All rows. The least used skills lose their descriptions until the rest fits; among equally used ones, the last first.
    fn without_least_used(&self, skills: &[&'s Skill], limit: Option<usize>) -> Fitted {
        let mut lines = self.opened();
        let whole = |skill: &&'s Skill| {
            let cost = self.add(&mut lines, skill, &Form::Whole);
            Row { whole: cost, pinned: skill.is_pinned() }
        };
        let whole: Vec<Row> = skills.iter().map(whole).collect();
        if limit.is_none_or(|limit| lines.cost + self.meter.frame_cost(&self.rule.close) <= limit) {
            return Fitted::new(lines, vec![Form::Whole; skills.len()]);
        }
        let bare: Vec<usize> = self.bare_costs(skills, self.name_row).collect();
        let mut order: Vec<usize> = (0..skills.len()).rev().collect();
        let ranks: Vec<u64> = skills.iter().map(|skill| self.world.host.rank(skill)).collect();
        sort_by(&mut order, |a, b| ranks.get(*a).cmp(&ranks.get(*b)));
        let is_whole = drop_in_order(self.frame_cost(), &whole, &bare, &order, limit);
        let form = |is_whole| if is_whole { Form::Whole } else { Form::Name };
        self.listed(skills, is_whole.into_iter().map(form).collect())
    }

    /// All rows, with their descriptions cut to the largest length at which they fit; or else as many names as fit (rule
    /// 11.5).
    fn shortened(&self, skills: &[&'s Skill], limit: usize) -> Fitted {
        let mut bare = self.bare_costs(skills, self.row);
        if !fits(self.frame_cost(), skills.len(), limit, &mut |_| bare.next().unwrap_or(0)) {
            return self.that_fit(skills, Some(limit), &Form::Name, true);
        }
        let rows = self.measured(skills);
        let mut scratch = String::new();
        let mut cost_at = |at: usize, most: usize| {
            let Some(row) = rows.get(at) else { return 0 };
            let size = match row.chars.min(most) {
                0 => row.empty,
                shown if row.is_plain && self.meter != Meter::Tokens => row.frame + shown * row.times,
                _ => self.row_size(row.skill, self.row, &cut(&row.description, most), &mut scratch),
            };
            self.meter.cost_of_size(size)
        };
        let longest = rows.iter().map(|row| row.chars).max().unwrap_or(0);
        let most = largest_limit(self.frame_cost(), rows.len(), longest, limit, &mut cost_at);
        let form = |row: &Measured<'_>| match most < row.chars {
            true => Form::Cut(cut(&row.description, most).into_owned()),
            false => Form::Whole,
        };
        self.listed(skills, rows.iter().map(form).collect())
    }

    /// All rows, if they fit without descriptions: each description in turn gets one more character, until for none of them
    /// the next one fits (rule 11.14). Otherwise each row without a description that fits.
    fn dealt_out(&self, skills: &[&'s Skill], limit: usize) -> Fitted {
        let bare = self.bare_costs(skills, self.row).fold(self.frame_cost(), usize::saturating_add);
        let Some(mut left) = limit.checked_sub(bare) else {
            let mut fitted = self.that_fit(skills, Some(limit), &Form::Name, false);
            fitted.cut_chars = self.drop_descriptions(skills, &mut fitted.forms);
            return fitted;
        };
        let mut scratch = String::new();
        let mut shares: Vec<Share<'s>> = Vec::with_capacity(skills.len());
        for row in self.measured(skills) {
            let mut escaped = |c: char| {
                let size = self.row_size(row.skill, self.row, &format!("x{c}"), &mut scratch);
                size.saturating_sub(row.frame + row.times)
            };
            let escaped = (!row.is_plain).then(|| ESCAPED.map(&mut escaped));
            shares.push(Share { shown: 0, size: row.empty, escaped, row });
        }
        // This takes time in proportion to the characters that are shown: the rest of the budget never grows, so that a row
        // whose next character does not fit gets no more.
        let mut growing: Vec<&mut Share<'s>> = shares.iter_mut().collect();
        while !growing.is_empty() {
            growing.retain_mut(|share| {
                let Some((next, size)) = share.next(self.meter) else { return false };
                let more = self.meter.cost_of_size(size).saturating_sub(self.meter.cost_of_size(share.size));
                let Some(rest) = left.checked_sub(more) else { return false };
                left = rest;
                share.size = size;
                share.shown += next.len_utf8();
                true
            });
        }
        let mut cut_chars = 0;
        let forms = shares.iter().map(|share| match share.row.description.split_at_checked(share.shown) {
            Some((shown, cut)) if !cut.is_empty() => {
                cut_chars += cut.chars().count();
                Form::Cut(shown.to_owned())
            }
            Some(_) | None => Form::Whole,
        });
        let forms = forms.collect();
        let fitted = Fitted { cut_chars, ..self.listed(skills, forms) };
        debug_assert_eq!(
            fitted.lines.cost + self.meter.frame_cost(&self.rule.close) + left,
            limit,
            "the sizes are right"
        );
        fitted
    }

    /// Counts the characters of the descriptions of those that are listed by name. Of a skill without a description, the name
    /// is all.
    fn drop_descriptions(&self, skills: &[&'s Skill], forms: &mut [Form]) -> usize {
        let mut chars = 0;
        for (skill, form) in skills.iter().zip(forms).filter(|(_, form)| **form == Form::Name) {
            let description = described(self.rule, skill);
            chars += description.chars().count();
            if description.is_empty() {
                *form = Form::Whole;
            }
        }
        chars
    }

    /// The list for a request: the skills that are relevant to it keep their whole descriptions, the others shrink to names,
    /// and what does not fit then is counted by source (rule 11.16). Pinned skills are listed whole, and with them: if all
    /// names fit, every name, and whole descriptions as long as they fit, in the order of relevance; if not, whole
    /// descriptions for at most half of what is left of the budget, and then names.
    fn ranked(&self, skills: &[&'s Skill], limit: usize, relevant: &[usize]) -> Fitted {
        let mut fitted = self.listed(skills, self.forms(skills, limit, relevant));
        let left_out = skills.iter().zip(&fitted.forms).filter(|(_, form)| **form == Form::LeftOut);
        let left_out: Vec<&Skill> = left_out.map(|(skill, _)| *skill).collect();
        fitted.notice = (!left_out.is_empty()).then(|| notice(&left_out));
        self.drop_descriptions(skills, &mut fitted.forms);
        fitted
    }

    /// How each skill is listed for a request.
    fn forms(&self, skills: &[&'s Skill], limit: usize, relevant: &[usize]) -> Vec<Form> {
        let mut scratch = Lines::new(self.meter);
        let mut cost = |skill: &&'s Skill, form| self.add(&mut scratch, skill, form);
        let costs: Vec<[usize; 2]> =
            skills.iter().map(|skill| [cost(skill, &Form::Name), cost(skill, &Form::Whole)]).collect();
        let mut forms = vec![Form::LeftOut; skills.len()];
        let mut left = limit.saturating_sub(self.frame_cost());
        let pinned = skills.iter().take_while(|skill| skill.is_pinned()).count();
        for (form, [_, whole]) in forms.iter_mut().zip(&costs).take(pinned) {
            *form = Form::Whole;
            left = left.saturating_sub(*whole);
        }
        // The relevant ones first, and then the others in the order of the list.
        let mut is_relevant = vec![false; skills.len()];
        relevant.iter().for_each(|at| is_relevant.get_mut(*at).into_iter().for_each(|it| *it = true));
        let relevant: Vec<usize> = relevant.iter().copied().filter(|at| pinned <= *at).collect();
        let others = (pinned..skills.len()).filter(|at| is_relevant.get(*at) == Some(&false));
        let order: Vec<usize> = relevant.iter().copied().chain(others).collect();
        // Gives rows to skills if what they cost more than the present ones is left.
        let mut give = |places: &[usize], wanted: Form, left: &mut usize| {
            for at in places {
                let (Some(form), Some([name, whole])) = (forms.get_mut(*at), costs.get(*at)) else { continue };
                let present = match form {
                    Form::LeftOut => 0,
                    Form::Name => *name,
                    Form::Cut(_) | Form::Whole => continue,
                };
                let cost = if wanted == Form::Name { name } else { whole };
                if let Some(rest) = (*left + present).checked_sub(*cost) {
                    (*form, *left) = (wanted.clone(), rest);
                }
            }
        };
        let names =
            order.iter().filter_map(|at| costs.get(*at)).fold(0_usize, |sum, [name, _]| sum.saturating_add(*name));
        if names <= left {
            give(&order, Form::Name, &mut left);
            give(&order, Form::Whole, &mut left);
        } else {
            left = left.saturating_sub(notice_cost(self.meter, skills));
            let mut for_descriptions = left / 2;
            left -= for_descriptions;
            give(&relevant, Form::Whole, &mut for_descriptions);
            left += for_descriptions;
            give(&order, Form::Name, &mut left);
        }
        forms
    }
}

struct Share<'s> {
    row: Measured<'s>,
    /// How many bytes of the description are shown.
    shown: usize,
    size: usize,
    /// The sizes of the characters of [`ESCAPED`] in the row; `None` if no character of the description is escaped.
    escaped: Option<[usize; ESCAPED.len()]>,
}

impl Share<'_> {
    /// The next character, and the size of the row with it; `None` if all of the description is shown.
    fn next(&self, meter: Meter) -> Option<(char, usize)> {
        let next = self.row.description.get(self.shown..)?.chars().next()?;
        let place = ESCAPED.iter().position(|escaped| *escaped == next);
        let escaped = self.escaped.zip(place).and_then(|(sizes, place)| sizes.get(place).copied());
        let plain = if meter == Meter::Tokens { next.len_utf8() } else { 1 };
        let more = escaped.unwrap_or(self.row.times * plain);
        Some((next, if self.shown == 0 { self.row.frame + more } else { self.size + more }))
    }
}

/// Says how many skills are not listed, by source.
fn notice(left_out: &[&Skill]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    left_out.iter().for_each(|skill| *counts.entry(&skill.source.label).or_default() += 1);
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    sort_by(&mut counts, |a, b| (Reverse(a.1), a.0).cmp(&(Reverse(b.1), b.0)));
    let shown = counts.iter().take(MAX_SOURCES);
    let mut parts: Vec<String> = shown.map(|(label, count)| format!("{}: {count}", short_label(label))).collect();
    let rest: usize = counts.iter().skip(MAX_SOURCES).map(|(_, count)| count).sum();
    if 0 < rest {
        parts.push(format!("elsewhere: {rest}"));
    }
    format!("and {} more ({}): search for them", left_out.len(), parts.join(", "))
}

fn short_label(label: &str) -> String {
    cut(&visible(label), MAX_LABEL_CHARS).into_owned()
}

/// The most that the notice about any of these skills can cost.
fn notice_cost(meter: Meter, skills: &[&Skill]) -> usize {
    let mut labels: Vec<String> = Vec::new();
    for skill in skills {
        let label = short_label(&skill.source.label);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    sort_by(&mut labels, |a, b| (Reverse(a.len()), a).cmp(&(Reverse(b.len()), b)));
    let many = skills.len();
    let parts: Vec<String> = labels.iter().take(MAX_SOURCES).map(|label| format!("{label}: {many}")).collect();
    // The layout puts blank lines before the notice.
    meter.row_cost(&format!("\n\nand {many} more ({}, elsewhere: {many}): search for them", parts.join(", ")))
}
