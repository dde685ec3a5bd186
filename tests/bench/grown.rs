//! How much the instructions of a piece of work grow when its input grows by ten.

/// By how much they may grow. What is sorted grows by a little more than ten.
pub(crate) const MOST: f64 = 13.0;

/// Prints the head of the rows for these sizes of the input.
pub(crate) fn head(sizes: [usize; 2]) {
    println!("{:<44} {:>14} {:>14} {:>7}", "instructions", sizes[0], sizes[1], "growth");
}

/// Prints the row of a piece of work. Returns `false` if it grows by more than [`MOST`].
pub(crate) fn holds(what: &str, small: u64, large: u64) -> bool {
    let growth = large as f64 / small.max(1) as f64;
    let note = if growth > MOST { "  too much" } else { "" };
    println!("{what:<44} {small:>14} {large:>14} {growth:>7.1}{note}");
    growth <= MOST
}
