//! In: what rows cost, in characters, and a budget. Out: which rows are shown, or how far to shorten them all.
//! Absent: texts, skills, wording. This is arithmetic on lengths.

/// One row of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its cost in characters, its newline included.
    pub(crate) whole: usize,
    /// In whatever it costs, and what it costs is not there for the others.
    pub(crate) pinned: bool,
}

/// Takes the rows in order until the first that does not fit: how many, and what they and the frame round them cost,
/// nothing where none is in. The first `pinned` are in whatever they cost, and what they cost is not there for the others:
/// so a larger budget always shows a superset (decisions 22). `frame` is the cost of the tags round the rows.
///
/// `cost` is asked once for each row taken, in order, and once for the first that does not fit.
pub(crate) fn first_fit(
    frame: usize,
    rows: usize,
    pinned: usize,
    budget: Option<usize>,
    cost: &mut dyn FnMut(usize) -> usize,
) -> (usize, usize) {
    let budget = budget.unwrap_or(usize::MAX);
    let mut taken = 0;
    for row in 0..rows {
        let before = if row == 0 { frame } else { taken };
        let with = before.saturating_add(cost(row));
        if pinned <= row && budget < with {
            return (row, taken);
        }
        taken = with;
    }
    (rows, taken)
}

/// Which rows keep their whole text when every row stays: they are cut down to `bare` in this order until all fit,
/// pinned ones never. What does not fit even then stays all the same.
pub(crate) fn drop_in_order(
    frame: usize,
    rows: &[Row],
    bare: &[usize],
    order: &[usize],
    budget: Option<usize>,
) -> Vec<bool> {
    let mut is_whole = vec![true; rows.len()];
    let mut cost = rows.iter().fold(frame, |cost, row| cost.saturating_add(row.whole));
    for at in order {
        if cost <= budget.unwrap_or(usize::MAX) {
            break;
        }
        if let (Some(row), Some(bare), Some(is_whole)) = (rows.get(*at), bare.get(*at), is_whole.get_mut(*at)) {
            if !row.pinned && *bare < row.whole {
                cost = cost.saturating_sub(row.whole - bare);
                *is_whole = false;
            }
        }
    }
    is_whole
}

/// Whether all these rows fit. `cost` is asked in order, and not beyond the first row that does not fit.
pub(crate) fn fits(frame: usize, rows: usize, budget: usize, cost: &mut dyn FnMut(usize) -> usize) -> bool {
    first_fit(frame, rows, 0, Some(budget), cost).0 == rows
}

/// The largest limit, at most `longest`, at which all rows fit, which they do at 0 (decisions 47).
///
/// `cost_at(row, limit)` is what a row costs when its text is cut to `limit` characters, and must not
/// fall as the limit rises.
pub(crate) fn largest_limit(
    frame: usize,
    rows: usize,
    longest: usize,
    budget: usize,
    cost_at: &mut dyn FnMut(usize, usize) -> usize,
) -> usize {
    // Everything fits at `low`, and at nothing above `high`.
    let (mut low, mut high) = (0, longest);
    while low < high {
        let middle = high - (high - low) / 2;
        if fits(frame, rows, budget, &mut |row| cost_at(row, middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[cfg(test)]
#[path = "../../tests/unit/pack.rs"]
mod tests;
