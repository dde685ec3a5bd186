//! Decides which rows of the prompt's list fit into its budget, and writes the list.

use super::PromptRequest;
use super::rows::{Lines, Rows, line_cost};
use crate::dialect::{Budget, Overflow, PromptRule};
use crate::discovery::catalog::Catalog;
use crate::model::skill::{Caller, Skill};
use crate::model::world::World;
use crate::text::budget::{Row, drop_in_order, first_fit, fits, largest_limit};
use crate::text::order::sort_by;
use crate::text::words::cut;

/// How many characters count as one token (rule 11.4).
const CHARS_PER_TOKEN: usize = 4;

/// The budget in characters, for a context window of this many tokens.
fn budget_chars(budget: Budget, window: Option<usize>) -> Option<usize> {
    match (budget, window) {
        (Budget::Unlimited, _) => None,
        (Budget::Chars(chars), _) => Some(chars),
        (Budget::Window { fallback_chars, .. }, None) => Some(fallback_chars),
        (Budget::Window { percent, .. }, Some(tokens)) => {
            Some(tokens.saturating_mul(CHARS_PER_TOKEN).saturating_mul(percent) / 100)
        }
    }
}

/// The list of the prompt, fitted into its budget by leaving out rows or shortening descriptions. By
/// [`Overflow::DropLeastUsed`] descriptions are dropped and every name stays, so the list exceeds the budget if the names
/// alone do.
pub(super) struct FittedList<'c> {
    /// The skills that the model may see, in the order of the list.
    pub(super) skills: Vec<&'c Skill>,
    pub(super) lines: Lines,
    pub(super) fitting: Fitting,
    pub(super) budget: Option<usize>,
}

/// Which skills are listed and which are not, as ascending indices into [`FittedList::skills`].
#[derive(Default)]
pub(super) struct Fitting {
    pub(super) shown: Vec<usize>,
    /// Those of `shown` whose descriptions are cut or dropped.
    pub(super) shortened: Vec<usize>,
    pub(super) left_out: Vec<usize>,
}

impl<'c> FittedList<'c> {
    pub(super) fn new(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> FittedList<'c> {
        let rule = &catalog.dialect().prompt;
        let mut skills: Vec<&Skill> = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).collect();
        // Rule 11.2: pinned rows first; the sort keeps the catalog's order among equals.
        sort_by(&mut skills, |a, b| b.frontmatter.pinned.cmp(&a.frontmatter.pinned));
        let budget = ask.budget.or_else(|| budget_chars(rule.budget, ask.window));
        let is_labelled =
            rule.row.placeholders().chain(rule.name_row.placeholders()).any(|hole| hole.ends_with("label"));
        let label = is_labelled.then(|| -> Box<dyn Fn(&'c Skill) -> &'c str + 'c> { Box::new(catalog.labels()) });
        let mut rows = Rows { world, rule, row: &rule.row, label };
        // Every line costs one character for its newline, which the last line does not have.
        let limit = budget.map(|budget| budget.saturating_add(1));
        let (mut lines, mut fitting) = match rule.overflow {
            Overflow::FirstFit => until_full(&rows, &skills, limit),
            Overflow::Shorten => shortened(&mut rows, &skills, limit),
            Overflow::DropLeastUsed => without_least_used(&rows, &skills, limit),
        };
        if fitting.shown.is_empty() {
            lines = Lines::default();
        } else {
            lines.add(&|out| out.push_str(&rule.close));
        }
        if rule.max_description.is_some() {
            add_capped(&rows, &skills, &mut fitting);
        }
        FittedList { skills, lines, fitting, budget }
    }
}

/// The list before its first row.
fn opened(rule: &PromptRule) -> Lines {
    let mut lines = Lines::default();
    lines.add(&|out| out.push_str(&rule.open));
    lines
}

/// What the lines before and after the rows cost.
fn frame_cost(rule: &PromptRule) -> usize {
    line_cost(&rule.open) + line_cost(&rule.close)
}

/// Complete rows until the first that does not fit.
fn until_full<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    let row = |skill: &&'s Skill, out: &mut String| rows.write(skill, rows.row, &rows.described(skill).0, out);
    rows_until_full(rows, skills, limit, &row)
}

/// Writes rows until the first that does not fit.
fn rows_until_full<'s>(
    rows: &Rows<'_, 's>,
    skills: &[&'s Skill],
    limit: Option<usize>,
    row: &dyn Fn(&&'s Skill, &mut String),
) -> (Lines, Fitting) {
    let mut lines = opened(rows.rule);
    let pinned = skills.iter().take_while(|skill| skill.frontmatter.pinned).count();
    let mut cost = |at: usize| skills.get(at).map_or(0, |skill| lines.add(&|out| row(skill, out)));
    let (shown, _) = first_fit(frame_cost(rows.rule), skills.len(), pinned, limit, &mut cost);
    if shown < skills.len() {
        lines.remove_last();
    }
    (lines, Fitting { shown: (0..shown).collect(), left_out: (shown..skills.len()).collect(), ..Fitting::default() })
}

/// The first of these that fits: complete rows, short rows, rows with all descriptions cut to the same length, or as many
/// names as fit (rule 11.5).
fn shortened<'s>(rows: &mut Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    let (mut lines, mut fitting) = until_full(rows, skills, limit);
    if !fitting.left_out.is_empty() && rows.rule.short_row.placeholders().next().is_some() {
        rows.row = &rows.rule.short_row;
        (lines, fitting) = until_full(rows, skills, limit);
    }
    let rows = &*rows;
    let (Some(budget), false) = (limit, fitting.left_out.is_empty()) else { return (lines, fitting) };
    let mut scratch = String::new();
    let mut bare = |at: usize| skills.get(at).map_or(0, |skill| rows.line_cost(skill, rows.row, "", &mut scratch));
    if fits(frame_cost(rows.rule), skills.len(), budget, &mut bare) {
        return cut_to_one_length(rows, skills, budget);
    }
    let row = |skill: &&'s Skill, out: &mut String| rows.write(skill, &rows.rule.name_row, "", out);
    let (lines, mut fitting) = rows_until_full(rows, skills, limit, &row);
    fitting.shortened.clone_from(&fitting.shown);
    (lines, fitting)
}

/// All rows, with their descriptions cut to the largest length at which they fit.
fn cut_to_one_length<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], budget: usize) -> (Lines, Fitting) {
    let costs = rows.costs(skills);
    let longest = costs.iter().map(|cost| cost.chars).max().unwrap_or(0);
    let mut scratch = String::new();
    let mut cost_at = |at: usize, limit: usize| match (skills.get(at), costs.get(at)) {
        (Some(skill), Some(cost)) => rows.cost_at(skill, cost, limit, &mut scratch),
        _ => 0,
    };
    let limit = largest_limit(frame_cost(rows.rule), skills.len(), longest, budget, &mut cost_at);
    let mut lines = opened(rows.rule);
    let mut shortened = Vec::new();
    for (at, (skill, cost)) in skills.iter().zip(&costs).enumerate() {
        lines.add(&|out| rows.write(skill, rows.row, &cut(&cost.description, limit), out));
        if limit < cost.chars {
            shortened.push(at);
        }
    }
    (lines, Fitting { shown: (0..skills.len()).collect(), shortened, left_out: Vec::new() })
}

/// All rows. The least used skills lose their descriptions until the rest fits; among equally used ones, the last first.
fn without_least_used<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    let rule = rows.rule;
    let shown: Vec<usize> = (0..skills.len()).collect();
    let mut lines = opened(rule);
    let whole = |skill: &&'s Skill| {
        let cost = lines.add(&|out| rows.write(skill, &rule.row, &rows.described(skill).0, out));
        Row { whole: cost, pinned: skill.frontmatter.pinned }
    };
    let whole: Vec<Row> = skills.iter().map(whole).collect();
    if limit.is_none_or(|limit| lines.cost + line_cost(&rule.close) <= limit) {
        return (lines, Fitting { shown, ..Fitting::default() });
    }
    let mut scratch = String::new();
    let bare: Vec<usize> = skills.iter().map(|skill| rows.line_cost(skill, &rule.name_row, "", &mut scratch)).collect();
    let mut order: Vec<usize> = (0..skills.len()).rev().collect();
    let ranks: Vec<u64> = skills.iter().map(|skill| rows.world.host.rank(skill)).collect();
    sort_by(&mut order, |a, b| ranks.get(*a).cmp(&ranks.get(*b)));
    let is_whole = drop_in_order(frame_cost(rule), &whole, &bare, &order, limit);
    let mut lines = opened(rule);
    let mut shortened = Vec::new();
    for (at, (skill, is_whole)) in skills.iter().zip(is_whole).enumerate() {
        if is_whole {
            lines.add(&|out| rows.write(skill, &rule.row, &rows.described(skill).0, out));
        } else {
            lines.add(&|out| rows.write(skill, &rule.name_row, "", out));
            shortened.push(at);
        }
    }
    (lines, Fitting { shown, shortened, left_out: Vec::new() })
}

/// Adds the skills to `shortened` whose descriptions exceed the dialect's own maximum, whatever the budget is.
fn add_capped<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], fitting: &mut Fitting) {
    let is_capped = |at: &usize| skills.get(*at).is_some_and(|skill| rows.described(skill).1);
    let mut short = std::mem::take(&mut fitting.shortened).into_iter().peekable();
    for at in &fitting.shown {
        // Both are ascending, and `shortened` is a subset of `shown`.
        if short.next_if_eq(at).is_some() || is_capped(at) {
            fitting.shortened.push(*at);
        }
    }
}
