//! In: a catalog and how much room there is. Out: [`Prompt`], the section that lists its skills, and the report of
//! what was shown, shortened and left out. Pure but for the spelling of paths. Absent: bodies, and what a query
//! chooses (`select`).

use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Budget, Fit, PromptRule, Space};
use crate::inventory::resources;
use crate::load::fill;
use crate::pack::{Row, drop_in_order, first_fit, largest_limit};
use crate::path::FsPath;
use crate::skill::{Caller, Skill, State};
use crate::text::escape::{fold, visible};
use crate::text::template::Template;
use crate::text::words::cut;
use crate::world::World;
use std::borrow::Cow;
use std::collections::HashSet;

/// How many characters are taken for a token (decisions 22).
const CHARS_PER_TOKEN: usize = 4;

/// How much room there is, and what the prompt is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptAsk {
    /// Characters that the list may have; none: what the dialect says.
    pub budget: Option<usize>,
    /// The context window in tokens, if it is known.
    pub window: Option<usize>,
    /// What the user asked, for dialects that choose by it.
    pub query: Option<String>,
}

/// The section for the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// All of it: guidance, list and notice. Empty when there is nothing to show.
    pub text: String,
    /// How to use the list.
    pub guidance: String,
    /// The list, with its tags.
    pub list: String,
    /// The sentence that says that skills were left out; empty when none was.
    pub notice: String,
    /// The keys that the list holds, in its order.
    pub shown: Vec<String>,
    /// The keys among them whose description was cut or dropped.
    pub shortened: Vec<String>,
    /// The keys that did not fit.
    pub left_out: Vec<String>,
    /// Characters of the list, newlines and tags included.
    pub cost: usize,
    /// Characters that it may have.
    pub budget: Option<usize>,
    /// Why nothing is shown although there are skills: none of them is active. Else empty.
    pub note: String,
    /// One finding a skill that did not fit.
    pub findings: Vec<Diagnostic>,
    /// Files that the file system has yet to fetch; ask again when they are here.
    pub pending: Vec<FsPath>,
}

/// The section that lists the skills of a catalog.
pub(crate) fn listing(world: &World<'_>, catalog: &Catalog, ask: &PromptAsk) -> Prompt {
    let rule = &catalog.dialect().prompt;
    let mut skills: Vec<&Skill> = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).collect();
    // decisions 22: pinned rows first; the sort keeps the catalog's order among equals.
    skills.sort_by_key(|skill| !skill.meta.pinned);
    let mut prompt = Prompt { budget: ask.budget.or_else(|| budget(rule.budget, ask.window)), ..Prompt::default() };
    // What a row has no place for is not made for it.
    let holes: HashSet<&str> = rule.row.holes().chain(rule.bare_row.holes()).collect();
    let labels = holes.contains("label").then(|| catalog.labels());
    let label = |skill: &Skill| labels.as_ref().map_or_else(String::new, |label| label(skill));
    let line = |skill| Line::new(world, rule, &holes, skill, label(skill));
    let lines: Vec<Line<'_>> = skills.into_iter().map(line).collect();
    let shown = match rule.fit {
        Fit::FirstFit | Fit::Shorten => lay_out(rule, &lines, &mut prompt),
        Fit::DropLeastUsed => keep_names(world, rule, &lines, &mut prompt),
    };
    told_of_caps(&lines, &mut prompt);
    let total = lines.len();
    if !shown.is_empty() {
        prompt.guidance.clone_from(&rule.guidance);
        let lines = [&rule.open].into_iter().chain(&shown).chain([&rule.close]);
        prompt.list = lines.filter(|line| !line.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n");
    }
    prompt.cost = prompt.list.chars().count();
    if !prompt.left_out.is_empty() {
        let (shown, total) = (prompt.shown.len().to_string(), total.to_string());
        fill(&rule.notice, rule.escape, &[("shown", &shown), ("total", &total)], &mut prompt.notice);
    }
    if !prompt.list.is_empty() {
        let (guidance, list, notice) = (&prompt.guidance, &prompt.list, &prompt.notice);
        let mut text = String::with_capacity(guidance.len() + list.len() + notice.len() + 8);
        rule.layout.render(
            &|hole| match hole {
                "guidance" => Some(Cow::Borrowed(guidance.as_str())),
                "list" => Some(Cow::Borrowed(list.as_str())),
                "notice" => Some(Cow::Borrowed(notice.as_str())),
                _ => None,
            },
            &mut text,
        );
        prompt.text = text;
    }
    prompt.note = note(catalog);
    prompt
}

/// decisions 19: where a dialect has states, a section without skills says how many could be in it.
fn note(catalog: &Catalog) -> String {
    let in_state = |state| catalog.skills().iter().filter(|skill| skill.state == state).count();
    match in_state(State::Enabled) {
        enabled if 0 < enabled && catalog.dialect().states.is_some() && in_state(State::Active) == 0 => {
            format!("{enabled} enabled, none active; `skilltree state KEY active` gives one to the model")
        }
        _ => String::new(),
    }
}

fn budget(budget: Budget, window: Option<usize>) -> Option<usize> {
    match (budget, window) {
        (Budget::Unlimited, _) => None,
        (Budget::Chars(chars), _) => Some(chars),
        (Budget::Window { otherwise, .. }, None) => Some(otherwise),
        (Budget::Window { percent, .. }, Some(tokens)) => {
            Some(tokens.saturating_mul(CHARS_PER_TOKEN).saturating_mul(percent) / 100)
        }
    }
}

/// One skill as it may stand in the list.
struct Line<'s> {
    skill: &'s Skill,
    label: String,
    description: Cow<'s, str>,
    location: String,
    /// Counts of scripts and references, where the row has a place for them.
    resources: String,
    brief: String,
    /// Whether the description is longer than is ever shown.
    is_capped: bool,
    whole: String,
}

impl<'s> Line<'s> {
    fn new(world: &World<'_>, rule: &PromptRule, holes: &HashSet<&str>, skill: &'s Skill, label: String) -> Line<'s> {
        let description = match &skill.meta.cues().when {
            Some(when) => Cow::Owned(format!("{} {when}", skill.description()).trim_start().to_owned()),
            None => Cow::Borrowed(skill.description()),
        };
        let description = match (rule.space, description) {
            (Space::Keep, description) => description,
            (Space::Fold, Cow::Borrowed(description)) => fold(description),
            (Space::Fold, Cow::Owned(description)) => Cow::Owned(fold(&description).into_owned()),
        };
        let is_capped = rule.max_description.is_some_and(|most| description.chars().nth(most).is_some());
        let description = match rule.max_description.filter(|_| is_capped) {
            Some(most) => Cow::Owned(cut(&description, most).into_owned()),
            None => description,
        };
        let where_held = |hole: &str, make: &dyn Fn() -> String| match holes.contains(hole) {
            true => make(),
            false => String::new(),
        };
        let location = where_held("location", &|| visible(&world.fs.spell(&skill.path)).into_owned());
        let resources = where_held("resources", &|| resources(world, skill).counted());
        let brief = where_held("brief", &|| skill.brief());
        let mut line = Line { skill, label, description, location, resources, brief, is_capped, whole: String::new() };
        line.whole = line.render(rule, &rule.row, &line.description);
        line
    }

    fn render(&self, rule: &PromptRule, template: &Template, description: &str) -> String {
        let (key, name) = (visible(&self.skill.key), visible(&self.skill.name));
        let (label, source) = (visible(&self.label), visible(&self.skill.source.label));
        let holes = [
            ("key", &*key),
            ("name", &*name),
            ("label", &*label),
            ("description", description),
            ("brief", &*self.brief),
            ("location", &*self.location),
            ("resources", &*self.resources),
            ("source", &*source),
            ("sandbox", if self.skill.meta.run().sandbox { "true" } else { "" }),
        ];
        let mut row = String::with_capacity(120 + description.len());
        fill(template, rule.escape, &holes, &mut row);
        row
    }

    fn cut(&self, rule: &PromptRule, limit: usize) -> String {
        self.render(rule, &rule.row, &cut(&self.description, limit))
    }

    fn row(&self, text: &str) -> Row {
        Row { whole: line_cost(text), pinned: self.skill.meta.pinned }
    }
}

/// What a line of the list costs, with its newline; a line that is empty does not stand there.
fn line_cost(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.chars().count() + 1 }
}

/// How much the lines may cost: the last one has no newline, so there is room for one character more.
fn room(prompt: &Prompt) -> Option<usize> {
    prompt.budget.map(|budget| budget.saturating_add(1))
}

/// The rows that stand, in order, and the report.
fn lay_out(rule: &PromptRule, lines: &[Line<'_>], prompt: &mut Prompt) -> Vec<String> {
    let (frame, budget) = (line_cost(&rule.open) + line_cost(&rule.close), room(prompt));
    let whole: Vec<Row> = lines.iter().map(|line| line.row(&line.whole)).collect();
    let packed = first_fit(frame, &whole, budget);
    let (Fit::Shorten, Some(budget), false) = (rule.fit, budget, packed.left_out.is_empty()) else {
        return report(lines, &packed.shown, &packed.left_out, |line| line.whole.clone(), prompt);
    };
    let longest = lines.iter().map(|line| line.description.chars().count()).max().unwrap_or(0);
    let cost = |at: usize, limit: usize| lines.get(at).map_or(0, |line| line_cost(&line.cut(rule, limit)));
    let all: Vec<usize> = (0..lines.len()).collect();
    // decisions 47
    if let Some(limit) = largest_limit(frame, lines.len(), longest, budget, &cost) {
        let is_cut = |line: &&Line<'_>| limit < line.description.chars().count();
        prompt.shortened = lines.iter().filter(is_cut).map(|line| line.skill.key.clone()).collect();
        return report(lines, &all, &[], |line| line.cut(rule, limit), prompt);
    }
    let bare = |line: &Line<'_>| line.render(rule, &rule.bare_row, "");
    let rows: Vec<Row> = lines.iter().map(|line| line.row(&bare(line))).collect();
    let packed = first_fit(frame, &rows, Some(budget));
    let kept = packed.shown.iter().filter_map(|at| lines.get(*at));
    prompt.shortened = kept.map(|line| line.skill.key.clone()).collect();
    report(lines, &packed.shown, &packed.left_out, bare, prompt)
}

/// Every row, the least used skills without their descriptions; of those used alike the last one first.
fn keep_names(world: &World<'_>, rule: &PromptRule, lines: &[Line<'_>], prompt: &mut Prompt) -> Vec<String> {
    let whole: Vec<Row> = lines.iter().map(|line| line.row(&line.whole)).collect();
    let bare: Vec<String> = lines.iter().map(|line| line.render(rule, &rule.bare_row, "")).collect();
    let costs: Vec<usize> = bare.iter().map(|row| line_cost(row)).collect();
    let mut order: Vec<usize> = (0..lines.len()).rev().collect();
    let ranks: Vec<u64> = lines.iter().map(|line| world.host.rank(line.skill)).collect();
    order.sort_by_key(|at| ranks.get(*at));
    let frame = line_cost(&rule.open) + line_cost(&rule.close);
    let is_whole = drop_in_order(frame, &whole, &costs, &order, room(prompt));
    prompt.shown = lines.iter().map(|line| line.skill.key.clone()).collect();
    let dropped = lines.iter().zip(&is_whole).filter(|(_, is_whole)| !**is_whole);
    prompt.shortened = dropped.map(|(line, _)| line.skill.key.clone()).collect();
    let rows = lines.iter().zip(bare).zip(is_whole);
    rows.map(|((line, bare), is_whole)| if is_whole { line.whole.clone() } else { bare }).collect()
}

/// What is never shown whole is shortened, whatever the budget.
fn told_of_caps(lines: &[Line<'_>], prompt: &mut Prompt) {
    if lines.iter().any(|line| line.is_capped) {
        let shown: HashSet<&String> = prompt.shown.iter().collect();
        let short: HashSet<&String> = prompt.shortened.iter().collect();
        let is_short = |line: &&Line<'_>| {
            let key = &line.skill.key;
            short.contains(key) || (line.is_capped && shown.contains(key))
        };
        prompt.shortened = lines.iter().filter(is_short).map(|line| line.skill.key.clone()).collect();
    }
}

fn report(
    lines: &[Line<'_>],
    shown: &[usize],
    left_out: &[usize],
    text: impl Fn(&Line<'_>) -> String,
    prompt: &mut Prompt,
) -> Vec<String> {
    for line in left_out.iter().filter_map(|at| lines.get(*at)) {
        prompt.left_out.push(line.skill.key.clone());
        let message = format!("the skill `{}` did not fit into the prompt", visible(&line.skill.key));
        prompt.findings.push(
            Diagnostic::new(Severity::Warning, Code::LeftOut, line.skill.path.clone(), message)
                .help("shorten descriptions, or give the list a larger budget"),
        );
    }
    let shown: Vec<&Line<'_>> = shown.iter().filter_map(|at| lines.get(*at)).collect();
    prompt.shown = shown.iter().map(|line| line.skill.key.clone()).collect();
    shown.into_iter().map(text).collect()
}
