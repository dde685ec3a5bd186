//! Decides which rows of a list fit into a budget of characters, or by how much to shorten them all. Only costs are
//! computed here; the texts are made by the caller.

/// How many characters of a window, and how many bytes of a text, count as one token (rules 6.13, 11.4 and 11.13).
pub(crate) const PER_TOKEN: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its cost in characters, including its newline.
    pub(crate) whole: usize,
    /// Whether it is never shortened, whatever the budget.
    pub(crate) pinned: bool,
}

/// The number of rows from the first on that fit into the budget, and their cost including `frame`, the cost of the
/// tags around the rows; 0 if there are none.
///
/// The first `pinned` rows are always included, and their cost counts towards the budget, so that a larger budget
/// always shows a superset (rule 11.3). `cost` is called once for each included row, in order, and once for the
/// first that does not fit.
pub(crate) fn first_fit(
    frame: usize,
    rows: usize,
    pinned: usize,
    budget: Option<usize>,
    cost: &mut dyn FnMut(usize) -> usize,
) -> (usize, usize) {
    let most = budget.unwrap_or(usize::MAX);
    let mut taken = 0;
    for row in 0..rows {
        let before = if row == 0 { frame } else { taken };
        let with = before.saturating_add(cost(row));
        if pinned <= row && most < with {
            return (row, taken);
        }
        taken = with;
    }
    (rows, taken)
}

/// Which rows keep their whole text if all rows are included. Rows are cut to their cost in `bare`, in this order,
/// until all fit, except pinned ones. All rows are included even if they do not fit then.
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

/// Whether all rows fit. `cost` is called in order, up to the first row that does not fit.
pub(crate) fn fits(frame: usize, rows: usize, budget: usize, cost: &mut dyn FnMut(usize) -> usize) -> bool {
    first_fit(frame, rows, 0, Some(budget), cost).0 == rows
}

/// The largest limit up to `longest` at which all rows fit; at 0 they always do (rule 11.5).
///
/// `cost_at(row, limit)` is the cost of a row whose text is cut to `limit` characters. It must not decrease as the
/// limit rises.
pub(crate) fn largest_limit(
    frame: usize,
    rows: usize,
    longest: usize,
    budget: usize,
    cost_at: &mut dyn FnMut(usize, usize) -> usize,
) -> usize {
    // All rows fit at `low`, and not at any limit above `high`.
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
