//! What a list costs: in characters with its tags, or by its rows alone (rules 11.1 and 11.13).

use crate::dialect::Budget;
use crate::text::budget::PER_TOKEN;

/// How the cost of a list is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meter {
    unit: Unit,
    /// Whether the lines before and after the rows count, and the last newline does not.
    counts_whole_list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Chars,
    /// A token for every four bytes of a row and its newline.
    Tokens,
}

impl Meter {
    const LIST: Meter = Meter { unit: Unit::Chars, counts_whole_list: true };

    /// How a list is counted, and the most that it may cost: `budget` if the caller gives one, or else what the rule allows
    /// for a window of this many tokens.
    pub(super) fn new(rule: Budget, budget: Option<usize>, window: Option<usize>) -> (Meter, Option<usize>) {
        let share = |tokens: usize, percent: usize| tokens.saturating_mul(percent) / 100;
        let rows = |unit| Meter { unit, counts_whole_list: false };
        match (rule, budget, window) {
            (Budget::Tokens { .. }, Some(tokens), _) => (rows(Unit::Tokens), Some(tokens)),
            (Budget::Tokens { percent, .. }, None, Some(window)) => (rows(Unit::Tokens), Some(share(window, percent))),
            (Budget::Tokens { fallback_chars, .. }, None, None) => (rows(Unit::Chars), Some(fallback_chars)),
            (_, Some(chars), _) => (Meter::LIST, Some(chars)),
            (Budget::Unlimited, None, _) => (Meter::LIST, None),
            (Budget::Chars(chars), None, _) => (Meter::LIST, Some(chars)),
            (Budget::Window { fallback_chars, .. }, None, None) => (Meter::LIST, Some(fallback_chars)),
            (Budget::Window { percent, .. }, None, Some(window)) => {
                (Meter::LIST, Some(share(window.saturating_mul(PER_TOKEN), percent)))
            }
        }
    }

    /// The most that the lines may cost together. Every line costs its newline, which the last line of a list does not
    /// have.
    pub(super) fn limit(self, budget: usize) -> usize {
        budget.saturating_add(usize::from(self.counts_whole_list))
    }

    /// What a list costs whose lines cost this.
    pub(super) fn list_cost(self, lines: usize) -> usize {
        lines.saturating_sub(usize::from(self.counts_whole_list))
    }

    /// What a row costs. An empty line is left out of a list, so it costs nothing.
    pub(super) fn row_cost(self, row: &str) -> usize {
        self.cost_of_size(self.row_size(row))
    }

    /// What the line before or after the rows costs.
    pub(super) fn frame_cost(self, line: &str) -> usize {
        if self.counts_whole_list { self.row_cost(line) } else { 0 }
    }

    /// The size of a row with its newline, which adds up over the parts of the row: characters, or bytes for tokens.
    pub(super) fn row_size(self, row: &str) -> usize {
        match self.unit {
            _ if row.is_empty() => 0,
            Unit::Chars => row.chars().count() + 1,
            Unit::Tokens => row.len() + 1,
        }
    }

    /// The size of a character.
    pub(super) fn char_size(self, c: char) -> usize {
        match self.unit {
            Unit::Chars => 1,
            Unit::Tokens => c.len_utf8(),
        }
    }

    /// What a row of this size costs.
    pub(super) fn cost_of_size(self, size: usize) -> usize {
        match self.unit {
            Unit::Chars => size,
            Unit::Tokens => size.div_ceil(PER_TOKEN),
        }
    }

    /// Whether the cost of a row is the sum of what its parts cost.
    pub(super) fn is_additive(self) -> bool {
        self.unit == Unit::Chars
    }
}
