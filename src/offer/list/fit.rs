//! Decides which rows of the prompt's list fit into its budget, and writes the list.

use super::meter::Meter;
use super::offer::offered;
use super::ranked::ranked;
use super::round_robin::dealt_out;
use super::rows::{Lines, Rows};
use super::settings::effective;
use super::{PromptRequest, PromptRow};
use crate::dialect::Overflow;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::model::skill::Skill;
use crate::path::FsPath;
use crate::text::budget::{Row, drop_in_order, first_fit, fits, largest_limit};
use crate::text::order::sort_by;
use crate::text::words::cut;
use std::cmp::Reverse;

/// The list of the prompt, fitted into its budget by leaving out rows or shortening descriptions. By
/// [`Overflow::DropLeastUsed`] descriptions are dropped and every name stays, so the list exceeds the budget if the names
/// alone do.
pub(super) struct FittedList<'c> {
    /// The skills that the model may see, in the order of the list.
    pub(super) skills: Vec<&'c Skill>,
    pub(super) lines: Lines,
    pub(super) fitting: Fitting,
    /// What the list costs.
    pub(super) cost: usize,
    pub(super) budget: Option<usize>,
    /// The rows of the sources that have short names in the list.
    pub(super) roots: String,
}

/// Which skills are listed and which are not, as ascending indices into [`FittedList::skills`].
#[derive(Default)]
pub(super) struct Fitting {
    pub(super) shown: Vec<usize>,
    /// Those of `shown` whose descriptions are cut or dropped.
    pub(super) shortened: Vec<usize>,
    /// How many of `shortened` would be shown with more of their descriptions if the budget were larger.
    pub(super) shortened_to_fit: usize,
    /// Those of `shortened` whose descriptions are dropped.
    pub(super) bare: Vec<usize>,
    pub(super) left_out: Vec<usize>,
    /// How many characters of the description of each skill are shown; empty unless the budget cuts descriptions.
    #[cfg_attr(not(feature = "author"), allow(dead_code, reason = "overlaps alone go by it"))]
    pub(super) lengths: Vec<usize>,
    /// How many characters are cut off the descriptions of `shown` to fit the budget.
    pub(super) cut_chars: usize,
    /// What is said of `left_out`, if that is not the dialect's sentence.
    pub(super) notice: Option<String>,
}

impl<'c> FittedList<'c> {
    /// The complete row of a skill that the model may see.
    pub(super) fn row(world: &World<'_>, catalog: &'c Catalog, skill: &'c Skill, ask: &PromptRequest) -> PromptRow {
        let (rule, window) = effective(catalog, ask.window);
        let (meter, _) = Meter::new(rule.budget, ask.budget, window);
        let mut row = PromptRow { text: String::new(), cost: 0, in_tokens: !meter.is_additive() };
        if !catalog.settings().is_unlisted && offered(catalog).iter().any(|offered| offered.path == skill.path) {
            let label: Box<dyn Fn(&'c Skill) -> &'c str + 'c> = Box::new(catalog.labels());
            let rows = Rows { world, rule: &rule, meter, row: &rule.row, label: Some(label), roots: Vec::new() };
            rows.write(skill, &rule.row, &rows.described(skill).0, &mut row.text);
            row.cost = meter.row_cost(&row.text);
        }
        row
    }

    pub(super) fn new(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> FittedList<'c> {
        let (rule, window) = effective(catalog, ask.window);
        let rule = &*rule;
        let skills = offered(catalog);
        let (meter, budget) = Meter::new(rule.budget, ask.budget, window);
        let is_labelled =
            rule.row.placeholders().chain(rule.name_row.placeholders()).any(|hole| hole.ends_with("label"));
        let label = is_labelled.then(|| -> Box<dyn Fn(&'c Skill) -> &'c str + 'c> { Box::new(catalog.labels()) });
        let mut rows = Rows { world, rule, meter, row: &rule.row, label, roots: Vec::new() };
        let limit = budget.map(|budget| meter.limit(budget));
        let query = ask.query.as_ref().filter(|_| catalog.dialect().selection.is_none());
        let by_relevance = query.map(|query| (query.relevant)(catalog, &skills, &query.text));
        let fitted = |rows: &mut Rows<'_, 'c>| match &by_relevance {
            Some(relevant) => ranked(rows, &skills, limit, relevant),
            None => fitted(rows, &skills, limit),
        };
        let (mut lines, mut fitting) = fitted(&mut rows);
        let is_cut = !fitting.shortened.is_empty() || !fitting.left_out.is_empty();
        if is_cut && !rule.alias_row.source().is_empty() {
            rows.row = &rule.row;
            rows.roots = roots(&skills);
            let (short_lines, short) = fitted(&mut rows);
            let gain = |lines: &Lines, it: &Fitting| (it.shown.len(), Reverse(it.cut_chars), Reverse(lines.cost));
            if gain(&lines, &fitting) < gain(&short_lines, &short) {
                (lines, fitting) = (short_lines, short);
            } else {
                rows.roots.clear();
            }
        }
        if fitting.shown.is_empty() {
            lines = Lines::new(meter);
        } else {
            lines.add_frame(&rule.close);
        }
        let is_described = |at: &&usize| skills.get(**at).is_some_and(|skill| !skill.is_name_only());
        fitting.shortened_to_fit = fitting.shortened.iter().filter(is_described).count();
        if rule.max_description.is_some() || skills.iter().any(|skill| skill.is_name_only()) {
            add_capped(&rows, &skills, &mut fitting);
        }
        let cost = meter.list_cost(lines.cost);
        let roots = rows.root_rows();
        FittedList { skills, lines, fitting, cost, budget, roots }
    }
}

/// The rows that fit, as the dialect fits them.
fn fitted<'s>(rows: &mut Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    match rows.rule.overflow {
        Overflow::FirstFit => until_full(rows, skills, limit),
        Overflow::EachFit => each_that_fits(rows, skills, limit),
        Overflow::Shorten => shortened(rows, skills, limit),
        Overflow::RoundRobin => dealt_out(rows, skills, limit),
        Overflow::DropLeastUsed => without_least_used(rows, skills, limit),
    }
}

/// The roots of the sources of these skills, in the order in which they first occur.
fn roots<'s>(skills: &[&'s Skill]) -> Vec<&'s FsPath> {
    let mut roots: Vec<&FsPath> = Vec::new();
    for skill in skills {
        if !roots.contains(&&skill.source.root) {
            roots.push(&skill.source.root);
        }
    }
    roots
}

/// The list before its first row.
pub(super) fn opened(rows: &Rows<'_, '_>) -> Lines {
    let mut lines = Lines::new(rows.meter);
    lines.add_frame(&rows.rule.open);
    lines
}

/// Complete rows until the first that does not fit.
fn until_full<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    let row = |skill: &&'s Skill, out: &mut String| rows.write(skill, rows.row, &rows.described(skill).0, out);
    rows_until_full(rows, skills, limit, &row)
}

/// Complete rows without those that do not fit. Pinned rows are always included.
fn each_that_fits<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    let mut lines = opened(rows);
    let mut fitting = Fitting::default();
    let end = rows.meter.frame_cost(&rows.rule.close);
    for (at, skill) in skills.iter().enumerate() {
        lines.add(&|out| rows.write(skill, rows.row, &rows.described(skill).0, out));
        if skill.is_pinned() || limit.is_none_or(|limit| lines.cost + end <= limit) {
            fitting.shown.push(at);
        } else {
            lines.remove_last();
            fitting.left_out.push(at);
        }
    }
    (lines, fitting)
}

/// Complete rows until the first that does not fit; if there is one, short rows, which then replace the complete ones.
pub(super) fn described_until_full<'s>(
    rows: &mut Rows<'_, 's>,
    skills: &[&'s Skill],
    limit: Option<usize>,
) -> (Lines, Fitting) {
    let (lines, fitting) = until_full(rows, skills, limit);
    if fitting.left_out.is_empty() || rows.rule.short_row.placeholders().next().is_none() {
        return (lines, fitting);
    }
    rows.row = &rows.rule.short_row;
    until_full(rows, skills, limit)
}

/// Writes rows until the first that does not fit.
fn rows_until_full<'s>(
    rows: &Rows<'_, 's>,
    skills: &[&'s Skill],
    limit: Option<usize>,
    row: &dyn Fn(&&'s Skill, &mut String),
) -> (Lines, Fitting) {
    let mut lines = opened(rows);
    let pinned = skills.iter().take_while(|skill| skill.is_pinned()).count();
    let mut cost = |at: usize| skills.get(at).map_or(0, |skill| lines.add(&|out| row(skill, out)));
    let (shown, _) = first_fit(rows.frame_cost(), skills.len(), pinned, limit, &mut cost);
    if shown < skills.len() {
        lines.remove_last();
    }
    (lines, Fitting { shown: (0..shown).collect(), left_out: (shown..skills.len()).collect(), ..Fitting::default() })
}

/// The first of these that fits: complete rows, short rows, rows with all descriptions cut to the same length, or as many
/// names as fit (rule 11.5).
fn shortened<'s>(rows: &mut Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    let (lines, fitting) = described_until_full(rows, skills, limit);
    let rows = &*rows;
    let (Some(budget), false) = (limit, fitting.left_out.is_empty()) else { return (lines, fitting) };
    let mut scratch = String::new();
    let mut bare = |at: usize| skills.get(at).map_or(0, |skill| rows.line_cost(skill, rows.row, "", &mut scratch));
    if fits(rows.frame_cost(), skills.len(), budget, &mut bare) {
        return cut_to_one_length(rows, skills, budget);
    }
    let row = |skill: &&'s Skill, out: &mut String| rows.write(skill, &rows.rule.name_row, "", out);
    let (lines, mut fitting) = rows_until_full(rows, skills, limit, &row);
    fitting.shortened.clone_from(&fitting.shown);
    fitting.bare.clone_from(&fitting.shown);
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
    let limit = largest_limit(rows.frame_cost(), skills.len(), longest, budget, &mut cost_at);
    let mut lines = opened(rows);
    let mut shortened = Vec::new();
    for (at, (skill, cost)) in skills.iter().zip(&costs).enumerate() {
        lines.add(&|out| rows.write(skill, rows.row, &cut(&cost.description, limit), out));
        if limit < cost.chars {
            shortened.push(at);
        }
    }
    let bare = if limit == 0 { shortened.clone() } else { Vec::new() };
    let lengths = vec![limit; skills.len()];
    (lines, Fitting { shown: (0..skills.len()).collect(), shortened, bare, lengths, ..Fitting::default() })
}

/// All rows. The least used skills lose their descriptions until the rest fits; among equally used ones, the last first.
fn without_least_used<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    let rule = rows.rule;
    let shown: Vec<usize> = (0..skills.len()).collect();
    let mut lines = opened(rows);
    let whole = |skill: &&'s Skill| {
        let cost = lines.add(&|out| rows.write(skill, &rule.row, &rows.described(skill).0, out));
        Row { whole: cost, pinned: skill.is_pinned() }
    };
    let whole: Vec<Row> = skills.iter().map(whole).collect();
    if limit.is_none_or(|limit| lines.cost + rows.meter.frame_cost(&rule.close) <= limit) {
        return (lines, Fitting { shown, ..Fitting::default() });
    }
    let mut scratch = String::new();
    let bare: Vec<usize> = skills.iter().map(|skill| rows.line_cost(skill, &rule.name_row, "", &mut scratch)).collect();
    let mut order: Vec<usize> = (0..skills.len()).rev().collect();
    let ranks: Vec<u64> = skills.iter().map(|skill| rows.world.host.rank(skill)).collect();
    sort_by(&mut order, |a, b| ranks.get(*a).cmp(&ranks.get(*b)));
    let is_whole = drop_in_order(rows.frame_cost(), &whole, &bare, &order, limit);
    let mut lines = opened(rows);
    let mut shortened = Vec::new();
    for (at, (skill, is_whole)) in skills.iter().zip(is_whole).enumerate() {
        if is_whole {
            lines.add(&|out| rows.write(skill, &rule.row, &rows.described(skill).0, out));
        } else {
            lines.add(&|out| rows.write(skill, &rule.name_row, "", out));
            shortened.push(at);
        }
    }
    (lines, Fitting { shown, bare: shortened.clone(), shortened, ..Fitting::default() })
}

/// Adds the skills to `shortened` whose descriptions are not shown in full whatever the budget is: they exceed the
/// dialect's own maximum, or only the name is listed.
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
