//! Fits the list for a request: the skills that are relevant to it keep their whole descriptions, the others shrink to
//! names, and what does not fit then is counted by source (rule 11.16).

use super::fit::{Fitting, described_until_full, opened};
use super::meter::Meter;
use super::rows::{Lines, Rows};
use crate::discovery::catalog::Catalog;
use crate::model::skill::{Caller, Skill};
use crate::offer::search::{SearchRequest, search};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::order::sort_by;
use crate::text::words::cut;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// How many sources are named in the notice, those with the most skills first.
const MAX_SOURCES: usize = 5;
/// How many characters of the label of a source are shown there.
const MAX_LABEL_CHARS: usize = 40;

/// The places of the skills that match a request, the best first. A request without words matches all, in the order of the
/// list.
pub(super) fn relevant(catalog: &Catalog, skills: &[&Skill], query: &str) -> Vec<usize> {
    if !query.contains(char::is_alphanumeric) {
        return (0..skills.len()).collect();
    }
    let places: HashMap<&FsPath, usize> = skills.iter().enumerate().map(|(at, skill)| (&skill.path, at)).collect();
    let ask = SearchRequest { limit: usize::MAX, ..SearchRequest::new(query, Caller::Model) };
    search(catalog, &ask).hits.iter().filter_map(|hit| places.get(&hit.path).copied()).collect()
}

/// How a skill is listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    LeftOut,
    Name,
    Whole,
}

/// What the rows of one skill cost.
struct Costs {
    name: usize,
    whole: usize,
}

/// The complete or short rows if all fit. Otherwise pinned skills are listed whole, and with them: if all names fit, every
/// name, and whole descriptions as long as they fit, in the order of relevance; if not, whole descriptions for at most half
/// of what is left of the budget, and then names. `relevant` has the places of the skills that match the request, the
/// best first.
pub(super) fn ranked<'s>(
    rows: &mut Rows<'_, 's>,
    skills: &[&'s Skill],
    limit: Option<usize>,
    relevant: &[usize],
) -> (Lines, Fitting) {
    let (lines, fitting) = described_until_full(rows, skills, limit);
    let (Some(limit), false) = (limit, fitting.left_out.is_empty()) else { return (lines, fitting) };
    let rows = &*rows;
    let forms = forms(rows, skills, limit, relevant);
    let (mut lines, mut fitting) = (opened(rows), Fitting::default());
    let mut left_out = Vec::new();
    for (at, (skill, form)) in skills.iter().zip(forms).enumerate() {
        match form {
            Form::LeftOut => {
                fitting.left_out.push(at);
                left_out.push(*skill);
                continue;
            }
            Form::Whole => _ = lines.add(&|out| rows.write(skill, rows.row, &rows.described(skill).0, out)),
            Form::Name => {
                add_name(rows, skill, &mut lines);
                if !rows.described(skill).0.is_empty() {
                    fitting.shortened.push(at);
                    fitting.bare.push(at);
                }
            }
        }
        fitting.shown.push(at);
    }
    fitting.notice = (!left_out.is_empty()).then(|| notice(&left_out));
    (lines, fitting)
}

/// Adds the row without a description.
fn add_name<'s>(rows: &Rows<'_, 's>, skill: &'s Skill, lines: &mut Lines) -> usize {
    let has_names = rows.rule.name_row.placeholders().next().is_some();
    let template = if has_names { &rows.rule.name_row } else { rows.row };
    lines.add(&|out| rows.write(skill, template, "", out))
}

/// How each skill is listed.
fn forms<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], limit: usize, relevant: &[usize]) -> Vec<Form> {
    let mut scratch = Lines::new(rows.meter);
    let costs: Vec<Costs> = skills
        .iter()
        .map(|skill| Costs {
            whole: scratch.add(&|out| rows.write(skill, rows.row, &rows.described(skill).0, out)),
            name: add_name(rows, skill, &mut scratch),
        })
        .collect();
    let mut forms = vec![Form::LeftOut; skills.len()];
    let mut left = limit.saturating_sub(rows.frame_cost());
    let pinned = skills.iter().take_while(|skill| skill.is_pinned()).count();
    for (form, cost) in forms.iter_mut().zip(&costs).take(pinned) {
        *form = Form::Whole;
        left = left.saturating_sub(cost.whole);
    }
    // The relevant ones first, and then the others in the order of the list.
    let mut is_relevant = vec![false; skills.len()];
    relevant.iter().for_each(|at| is_relevant.get_mut(*at).into_iter().for_each(|it| *it = true));
    let others = (0..skills.len()).filter(|at| is_relevant.get(*at) == Some(&false));
    let order: Vec<usize> = relevant.iter().copied().chain(others).filter(|at| pinned <= *at).collect();
    let cost = |at: usize| costs.get(at).map_or((0, 0), |cost| (cost.name, cost.whole));
    let names = order.iter().fold(0_usize, |sum, at| sum.saturating_add(cost(*at).0));
    // Gives a row to a skill if what it costs more than the present one is left.
    let mut give = |at: usize, wanted: Form, left: &mut usize| {
        let (name, whole) = cost(at);
        let Some(form) = forms.get_mut(at) else { return };
        let of = |form| match form {
            Form::LeftOut => 0,
            Form::Name => name,
            Form::Whole => whole,
        };
        if let Some(rest) = (*left + of(*form)).checked_sub(of(wanted)) {
            (*form, *left) = (wanted, rest);
        }
    };
    if names <= left {
        order.iter().for_each(|at| give(*at, Form::Name, &mut left));
        order.iter().for_each(|at| give(*at, Form::Whole, &mut left));
        return forms;
    }
    left = left.saturating_sub(notice_cost(rows.meter, skills));
    let mut for_descriptions = left / 2;
    left -= for_descriptions;
    relevant.iter().filter(|at| pinned <= **at).for_each(|at| give(*at, Form::Whole, &mut for_descriptions));
    left += for_descriptions;
    let is_listed = forms.iter().map(|form| *form == Form::Whole).collect::<Vec<_>>();
    let unlisted = order.iter().filter(|at| is_listed.get(**at) == Some(&false));
    let mut give = |at: usize| {
        if let (Some(form), Some(rest)) = (forms.get_mut(at), left.checked_sub(cost(at).0)) {
            (*form, left) = (Form::Name, rest);
        }
    };
    unlisted.for_each(|at| give(*at));
    forms
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
