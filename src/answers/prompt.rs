//! In: a catalog and how much room there is. Out: [`Prompt`], the section that lists its skills, and the report of
//! what was shown, shortened and left out. Pure but for the spelling of paths. Absent: bodies, and what a query
//! chooses (`select`).

use crate::answers::load::fill;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Budget, Overflow, PromptRule};
use crate::discovery::catalog::Catalog;
use crate::model::skill::{Caller, Skill, State};
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::budget::{Row, drop_in_order, first_fit, fits, largest_limit};
use crate::text::escape::visible;
use crate::text::order::sort_by;
use crate::text::words::cut;
use std::borrow::Cow;
use std::collections::HashSet;

mod rows;

use rows::{Lines, Rows, line_cost};

/// How many characters are taken for a token (decisions 22).
const CHARS_PER_TOKEN: usize = 4;

/// How much room there is, and what the prompt is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptRequest {
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
pub(crate) fn listing(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Prompt {
    let rule = &catalog.dialect().prompt;
    let Section { skills, lines, fitting, budget } = Section::new(world, catalog, ask);
    let key = |at: &usize| skills.get(*at).map(|skill| skill.key.clone());
    let mut prompt = Prompt {
        budget,
        cost: lines.cost.saturating_sub(1),
        list: lines.text,
        shown: fitting.shown.iter().filter_map(key).collect(),
        shortened: fitting.shortened.iter().filter_map(key).collect(),
        left_out: fitting.left_out.iter().filter_map(key).collect(),
        note: note(catalog),
        ..Prompt::default()
    };
    for at in &fitting.left_out {
        prompt.findings.extend(skills.get(*at).map(|skill| left_out_finding(skill)));
    }
    if !prompt.shown.is_empty() {
        prompt.guidance = rule.guidance.to_string();
    }
    if !prompt.left_out.is_empty() {
        let (shown, total) = (prompt.shown.len().to_string(), skills.len().to_string());
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
    prompt
}

/// The keys of skills that the prompt does not show whole.
pub(crate) struct NotWhole<'c> {
    pub(crate) left_out: HashSet<&'c str>,
    /// Those whose descriptions are cut or dropped.
    pub(crate) shortened: HashSet<&'c str>,
}

/// What does not fit into the prompt.
pub(crate) fn not_whole<'c>(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> NotWhole<'c> {
    let Section { skills, fitting, .. } = Section::new(world, catalog, ask);
    let keys = |places: Vec<usize>| {
        let mut keys = HashSet::new();
        places.into_iter().for_each(|at| keys.extend(skills.get(at).map(|skill| skill.key.as_str())));
        keys
    };
    NotWhole { left_out: keys(fitting.left_out), shortened: keys(fitting.shortened) }
}

fn left_out_finding(skill: &Skill) -> Diagnostic {
    let message = format!("the skill `{}` did not fit into the prompt", visible(&skill.key));
    Diagnostic::new(Severity::Warning, Code::LeftOut, skill.path.clone(), message)
        .help("shorten descriptions, or use a larger budget")
}

/// decisions 19: where a dialect has states, a section without skills says how many could be in it.
fn note(catalog: &Catalog) -> String {
    let in_state = |state| catalog.skills().iter().filter(|skill| skill.state == state).count();
    match in_state(State::Enabled) {
        enabled if 0 < enabled && catalog.dialect().states.is_some() && in_state(State::Active) == 0 => {
            format!("{enabled} enabled, none active: the model sees no skill until one is active")
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

/// The list, and what became of each skill.
struct Section<'c> {
    /// The skills that the model may see, in the list's order.
    skills: Vec<&'c Skill>,
    lines: Lines,
    fitting: Fitting,
    budget: Option<usize>,
}

/// Which rows there are, as places among the skills, in their order.
#[derive(Default)]
struct Fitting {
    shown: Vec<usize>,
    shortened: Vec<usize>,
    left_out: Vec<usize>,
}

impl<'c> Section<'c> {
    fn new(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> Section<'c> {
        let rule = &catalog.dialect().prompt;
        let mut skills: Vec<&Skill> = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).collect();
        // decisions 22: pinned rows first; the sort keeps the catalog's order among equals.
        sort_by(&mut skills, |a, b| b.frontmatter.pinned.cmp(&a.frontmatter.pinned));
        let budget = ask.budget.or_else(|| budget(rule.budget, ask.window));
        let is_labelled = rule.row.holes().chain(rule.bare_row.holes()).any(|hole| hole.ends_with("label"));
        let label = is_labelled.then(|| -> Box<dyn Fn(&'c Skill) -> &'c str + 'c> { Box::new(catalog.labels()) });
        let mut rows = Rows { world, rule, row: &rule.row, label };
        // The last line has no newline, so there is room for one character more.
        let room = budget.map(|budget| budget.saturating_add(1));
        let (mut lines, mut fitting) = match rule.fit {
            Overflow::FirstFit => in_order(&rows, &skills, room),
            Overflow::Shorten => shortened(&mut rows, &skills, room),
            Overflow::DropLeastUsed => names_kept(&rows, &skills, room),
        };
        if fitting.shown.is_empty() {
            lines = Lines::default();
        } else {
            lines.add(&|out| out.push_str(&rule.close));
        }
        if rule.max_description.is_some() {
            told_of_caps(&rows, &skills, &mut fitting);
        }
        Section { skills, lines, fitting, budget }
    }
}

/// The lines before the rows.
fn opened(rule: &PromptRule) -> Lines {
    let mut lines = Lines::default();
    lines.add(&|out| out.push_str(&rule.open));
    lines
}

fn frame(rule: &PromptRule) -> usize {
    line_cost(&rule.open) + line_cost(&rule.close)
}

/// Whole rows until the first that does not fit; none is made after it.
fn in_order<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], room: Option<usize>) -> (Lines, Fitting) {
    let row = |skill: &&'s Skill, out: &mut String| rows.write(skill, rows.row, &rows.described(skill).0, out);
    fitted(rows, skills, room, &row)
}

fn fitted<'s>(
    rows: &Rows<'_, 's>,
    skills: &[&'s Skill],
    room: Option<usize>,
    row: &dyn Fn(&&'s Skill, &mut String),
) -> (Lines, Fitting) {
    let mut lines = opened(rows.rule);
    let pinned = skills.iter().take_while(|skill| skill.frontmatter.pinned).count();
    let mut cost = |at: usize| skills.get(at).map_or(0, |skill| lines.add(&|out| row(skill, out)));
    let (shown, _) = first_fit(frame(rows.rule), skills.len(), pinned, room, &mut cost);
    if shown < skills.len() {
        lines.take_back();
    }
    (lines, Fitting { shown: (0..shown).collect(), left_out: (shown..skills.len()).collect(), ..Fitting::default() })
}

/// Whole rows; else short ones; else those with all descriptions cut to one length; else names alone (decisions 47).
fn shortened<'s>(rows: &mut Rows<'_, 's>, skills: &[&'s Skill], room: Option<usize>) -> (Lines, Fitting) {
    let (mut lines, mut fitting) = in_order(rows, skills, room);
    if !fitting.left_out.is_empty() && rows.rule.short_row.holes().next().is_some() {
        rows.row = &rows.rule.short_row;
        (lines, fitting) = in_order(rows, skills, room);
    }
    let rows = &*rows;
    let (Some(budget), false) = (room, fitting.left_out.is_empty()) else { return (lines, fitting) };
    let mut scratch = String::new();
    let mut bare = |at: usize| skills.get(at).map_or(0, |skill| rows.line_cost(skill, rows.row, "", &mut scratch));
    if fits(frame(rows.rule), skills.len(), budget, &mut bare) {
        return cut_alike(rows, skills, budget);
    }
    let row = |skill: &&'s Skill, out: &mut String| rows.write(skill, &rows.rule.bare_row, "", out);
    let (lines, mut fitting) = fitted(rows, skills, room, &row);
    fitting.shortened.clone_from(&fitting.shown);
    (lines, fitting)
}

/// All rows, their descriptions cut to the largest length at which they fit.
fn cut_alike<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], budget: usize) -> (Lines, Fitting) {
    let costs = rows.costs(skills);
    let longest = costs.iter().map(|cost| cost.chars).max().unwrap_or(0);
    let mut scratch = String::new();
    let mut cost_at = |at: usize, limit: usize| match (skills.get(at), costs.get(at)) {
        (Some(skill), Some(cost)) => rows.cost_at(skill, cost, limit, &mut scratch),
        _ => 0,
    };
    let limit = largest_limit(frame(rows.rule), skills.len(), longest, budget, &mut cost_at);
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

/// Every row, the least used skills without their descriptions; of those used alike the last one first.
fn names_kept<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], room: Option<usize>) -> (Lines, Fitting) {
    let rule = rows.rule;
    let shown: Vec<usize> = (0..skills.len()).collect();
    let mut lines = opened(rule);
    let whole = |skill: &&'s Skill| {
        let cost = lines.add(&|out| rows.write(skill, &rule.row, &rows.described(skill).0, out));
        Row { whole: cost, pinned: skill.frontmatter.pinned }
    };
    let whole: Vec<Row> = skills.iter().map(whole).collect();
    if room.is_none_or(|room| lines.cost + line_cost(&rule.close) <= room) {
        return (lines, Fitting { shown, ..Fitting::default() });
    }
    let mut scratch = String::new();
    let bare: Vec<usize> = skills.iter().map(|skill| rows.line_cost(skill, &rule.bare_row, "", &mut scratch)).collect();
    let mut order: Vec<usize> = (0..skills.len()).rev().collect();
    let ranks: Vec<u64> = skills.iter().map(|skill| rows.world.host.rank(skill)).collect();
    sort_by(&mut order, |a, b| ranks.get(*a).cmp(&ranks.get(*b)));
    let is_whole = drop_in_order(frame(rule), &whole, &bare, &order, room);
    let mut lines = opened(rule);
    let mut shortened = Vec::new();
    for (at, (skill, is_whole)) in skills.iter().zip(is_whole).enumerate() {
        if is_whole {
            lines.add(&|out| rows.write(skill, &rule.row, &rows.described(skill).0, out));
        } else {
            lines.add(&|out| rows.write(skill, &rule.bare_row, "", out));
            shortened.push(at);
        }
    }
    (lines, Fitting { shown, shortened, left_out: Vec::new() })
}

/// What is never shown whole is shortened, whatever the budget.
fn told_of_caps<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], fitting: &mut Fitting) {
    let is_capped = |at: &usize| skills.get(*at).is_some_and(|skill| rows.described(skill).1);
    let mut short = std::mem::take(&mut fitting.shortened).into_iter().peekable();
    for at in &fitting.shown {
        // Both are in order, and what is shortened is shown.
        if short.next_if_eq(at).is_some() || is_capped(at) {
            fitting.shortened.push(*at);
        }
    }
}
