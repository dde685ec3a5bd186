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

/// Which rows are in, as indexes into what was packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed {
    /// The pinned rows, then the others, both in the order given.
    pub(crate) shown: Vec<usize>,
    /// In the order given.
    pub(crate) left_out: Vec<usize>,
    /// The rows shown and the frame round them; nothing when nothing is shown.
    pub(crate) cost: usize,
}

/// Takes all pinned rows, then the others in order until the first that does not fit: so a larger
/// budget always shows a superset (decisions 22). `frame` is the cost of the tags round the rows.
pub(crate) fn first_fit(frame: usize, rows: &[Row], budget: Option<usize>) -> Packed {
    let budget = budget.unwrap_or(usize::MAX);
    let mut packed = Packed::default();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.pinned) {
        packed.take(frame, index, row.whole);
    }
    let mut full = false;
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| !row.pinned) {
        full = full || packed.with(frame, row.whole) > budget;
        if full {
            packed.left_out.push(index);
        } else {
            packed.take(frame, index, row.whole);
        }
    }
    packed
}

impl Packed {
    /// The cost with one row more.
    fn with(&self, frame: usize, row: usize) -> usize {
        let before = if self.shown.is_empty() { frame } else { self.cost };
        before.saturating_add(row)
    }

    fn take(&mut self, frame: usize, index: usize, row: usize) {
        self.cost = self.with(frame, row);
        self.shown.push(index);
    }
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

/// The largest limit, at most `longest`, at which all rows fit; `None` when they do not fit even at 0
/// (decisions 47).
///
/// `cost_at(row, limit)` is what a row costs when its text is cut to `limit` characters, and must not
/// fall as the limit rises.
pub(crate) fn largest_limit(
    frame: usize,
    rows: usize,
    longest: usize,
    budget: usize,
    cost_at: &dyn Fn(usize, usize) -> usize,
) -> Option<usize> {
    let fits = |limit: usize| {
        let mut cost = if rows == 0 { 0 } else { frame };
        (0..rows).all(|row| {
            cost = cost.saturating_add(cost_at(row, limit));
            cost <= budget
        })
    };
    if !fits(0) {
        return None;
    }
    // Everything fits at `low`, and at nothing above `high`.
    let (mut low, mut high) = (0, longest);
    while low < high {
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

#[cfg(test)]
#[path = "../tests/unit/pack.rs"]
mod tests;
