//! Deals out a budget to descriptions, one character at a time (rule 11.14).

use super::fit::{Fitting, described_until_full, opened};
use super::rows::{Lines, Rows};
use crate::model::skill::Skill;
use std::borrow::Cow;

/// The characters that [`Escape`](crate::dialect::Escape) may replace.
const ESCAPED: [char; 5] = ['&', '<', '>', '"', '\''];

/// The first of these that fits: complete rows, short rows, rows with descriptions that are cut to different lengths, or
/// each row without a description that fits.
pub(super) fn dealt_out<'s>(rows: &mut Rows<'_, 's>, skills: &[&'s Skill], limit: Option<usize>) -> (Lines, Fitting) {
    let (lines, fitting) = described_until_full(rows, skills, limit);
    let (Some(limit), false) = (limit, fitting.left_out.is_empty()) else { return (lines, fitting) };
    let rows = &*rows;
    let mut scratch = String::new();
    let mut bare = rows.frame_cost();
    for skill in skills {
        bare = bare.saturating_add(rows.line_cost(skill, rows.row, "", &mut scratch));
    }
    match limit.checked_sub(bare) {
        Some(left) => with_shares(rows, skills, left),
        None => each_that_fits(rows, skills, limit),
    }
}

/// The description of a row, and how much of it is shown.
struct Share<'s> {
    description: Cow<'s, str>,
    /// How many bytes of the description are shown.
    shown: usize,
    /// The size of the row as it is shown.
    size: usize,
    /// The size of the row with any description, without the description itself.
    frame: usize,
    /// How often the row contains the description.
    times: usize,
    /// The sizes of the characters of [`ESCAPED`] in the row; `None` if no character of the description is escaped.
    escaped: Option<[usize; ESCAPED.len()]>,
}

impl<'s> Share<'s> {
    fn new(rows: &Rows<'_, 's>, skill: &'s Skill, scratch: &mut String) -> Share<'s> {
        let (description, _) = rows.described(skill);
        let mut size = |text: &str| rows.row_size(skill, rows.row, text, scratch);
        let (empty, one, two) = (size(""), size("x"), size("xx"));
        let times = two.saturating_sub(one);
        let escape = rows.rule.escape;
        let is_plain = escape.text(&description).len() == description.len()
            && escape.attribute(&description).len() == description.len();
        let escaped = (!is_plain).then(|| ESCAPED.map(|c| size(&format!("x{c}")).saturating_sub(one)));
        Share { description, shown: 0, size: empty, frame: one.saturating_sub(times), times, escaped }
    }

    /// The next character, and the size of the row with it; `None` if all of the description is shown.
    fn next(&self, rows: &Rows<'_, 's>) -> Option<(char, usize)> {
        let next = self.description.get(self.shown..)?.chars().next()?;
        let place = ESCAPED.iter().position(|escaped| *escaped == next);
        let escaped = self.escaped.zip(place).and_then(|(sizes, place)| sizes.get(place).copied());
        let more = escaped.unwrap_or(self.times * rows.meter.char_size(next));
        Some((next, if self.shown == 0 { self.frame + more } else { self.size + more }))
    }
}

/// All rows. Each description in turn gets one more character, until for none of them the next one fits. Takes time in
/// proportion to the characters that are shown: the rest of the budget never grows, so that a row whose next character
/// does not fit gets no more.
fn with_shares<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], mut left: usize) -> (Lines, Fitting) {
    let mut scratch = String::new();
    let mut shares: Vec<Share<'s>> = skills.iter().map(|skill| Share::new(rows, skill, &mut scratch)).collect();
    let mut growing: Vec<usize> = (0..shares.len()).collect();
    while !growing.is_empty() {
        growing.retain(|at| {
            let Some(share) = shares.get_mut(*at) else { return false };
            let Some((next, size)) = share.next(rows) else { return false };
            let more = rows.meter.cost_of_size(size).saturating_sub(rows.meter.cost_of_size(share.size));
            let Some(rest) = left.checked_sub(more) else { return false };
            left = rest;
            share.size = size;
            share.shown += next.len_utf8();
            true
        });
    }
    let mut lines = opened(rows);
    let (mut shortened, mut bare, mut cut_chars) = (Vec::new(), Vec::new(), 0);
    let mut lengths = Vec::with_capacity(shares.len());
    for (at, (skill, share)) in skills.iter().zip(&shares).enumerate() {
        let shown = share.description.get(..share.shown).unwrap_or_default();
        let cost = lines.add(&|out| rows.write(skill, rows.row, shown, out));
        debug_assert_eq!(cost, rows.meter.cost_of_size(share.size), "the row of {:?}", skill.key);
        lengths.push(shown.chars().count());
        if share.shown < share.description.len() {
            cut_chars += share.description.get(share.shown..).map_or(0, |cut| cut.chars().count());
            shortened.push(at);
            bare.extend((share.shown == 0).then_some(at));
        }
    }
    let shown = (0..skills.len()).collect();
    (lines, Fitting { shown, shortened, bare, cut_chars, lengths, ..Fitting::default() })
}

/// The rows without descriptions, in order. One that does not fit is passed over.
fn each_that_fits<'s>(rows: &Rows<'_, 's>, skills: &[&'s Skill], limit: usize) -> (Lines, Fitting) {
    let (mut lines, mut fitting) = (opened(rows), Fitting::default());
    let has_names = rows.rule.name_row.placeholders().next().is_some();
    let template = if has_names { &rows.rule.name_row } else { rows.row };
    let close = rows.meter.frame_cost(&rows.rule.close);
    for (at, skill) in skills.iter().enumerate() {
        lines.add(&|out| rows.write(skill, template, "", out));
        if limit < lines.cost.saturating_add(close) && !skill.is_pinned() {
            lines.remove_last();
            fitting.left_out.push(at);
            continue;
        }
        fitting.shown.push(at);
        let description = rows.described(skill).0;
        if !description.is_empty() {
            fitting.cut_chars += description.chars().count();
            fitting.shortened.push(at);
            fitting.bare.push(at);
        }
    }
    (lines, fitting)
}
