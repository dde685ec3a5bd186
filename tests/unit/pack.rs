//! Packing: which rows are in, how far all are shortened, and the two laws of a budget.

use super::{Row, drop_in_order, first_fit, fits, largest_limit};
use crate::property;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

const FRAME: usize = 10;

/// Costs of rows, the pinned ones, which have a `!`, first; the answer as `how many are taken | cost`.
#[track_caller]
fn check(case: &str, rows: &str, budget: Option<usize>, expect: &str) {
    let costs: Vec<usize> = rows.split_whitespace().map(|row| row.trim_end_matches('!').parse().unwrap_or(0)).collect();
    let mut asked = Vec::new();
    let mut cost = |row: usize| {
        asked.push(row);
        costs[row]
    };
    let (taken, total) = first_fit(FRAME, costs.len(), rows.matches('!').count(), budget, &mut cost);
    assert_eq!(format!("{taken} | {total}"), expect, "{case}");
    assert_eq!(asked, (0..costs.len().min(taken + 1)).collect::<Vec<_>>(), "{case}: what is asked for");
}

#[test]
fn takes_rows_until_the_first_that_does_not_fit() {
    check("nothing", "", Some(100), "0 | 0");
    check("no budget", "5 5", None, "2 | 20");
    check("exactly full", "5 5", Some(20), "2 | 20");
    check("one too few", "5 5", Some(19), "1 | 15");
    check("22: a later smaller row stays out", "5 9 1", Some(20), "1 | 15");
    check("22: what pinned rows cost is not there for the others", "3! 5 5", Some(18), "2 | 18");
    check("22: pinned rows are always in", "30! 30! 5", Some(20), "2 | 70");
    check("a free row beside too many pinned ones", "30! 0", Some(20), "1 | 40");
    check("not even the frame", "0", Some(9), "0 | 0");
    check("sums beyond counting", &format!("{0}! {0}!", usize::MAX), Some(1), &format!("2 | {}", usize::MAX));
}

#[test]
fn shortens_fairly() {
    /// Texts of these lengths, on rows that cost 3 besides.
    #[track_caller]
    fn check(case: &str, texts: &[usize], budget: usize, expect: Option<usize>) {
        let longest = texts.iter().copied().max().unwrap_or(0);
        let mut cost_at = |row: usize, limit: usize| 3 + texts.get(row).copied().unwrap_or(0).min(limit);
        let found = fits(FRAME, texts.len(), budget, &mut |row| cost_at(row, 0))
            .then(|| largest_limit(FRAME, texts.len(), longest, budget, &mut cost_at));
        assert_eq!(found, expect, "{case}");
    }
    check("47: all whole", &[4, 8], 28, Some(8));
    check("47: the longest gives first", &[4, 8], 27, Some(7));
    check("47: all give", &[4, 8], 22, Some(3));
    check("47: names alone", &[4, 8], 16, Some(0));
    check("47: not even names", &[4, 8], 15, None);
    check("no rows", &[], 0, Some(0));
}

#[test]
fn budgets_are_kept_and_monotone() {
    let cases = (vec(0..20_usize, 0..12), any::<Index>());
    property::check("budgets_are_kept_and_monotone", 500, cases, |(costs, pinned)| {
        let pinned = pinned.index(costs.len() + 1);
        let free: usize = costs.iter().take(pinned).sum();
        let mut smaller = 0;
        for budget in 0..120 {
            let (taken, cost) = first_fit(FRAME, costs.len(), pinned, Some(budget), &mut |row| costs[row]);
            let note = format!("budget {budget}, {pinned} of {costs:?}");
            assert!(cost <= budget || cost == FRAME + free, "{note}");
            assert!(smaller <= taken && pinned <= taken, "{note}");
            smaller = taken;
        }
        Ok(())
    });
}

#[track_caller]
fn drops(case: &str, whole: &[(usize, bool)], bare: &[usize], order: &[usize], budget: Option<usize>, expect: &[bool]) {
    let rows: Vec<Row> = whole.iter().map(|(whole, pinned)| Row { whole: *whole, pinned: *pinned }).collect();
    assert_eq!(drop_in_order(2, &rows, bare, order, budget), expect, "{case}");
}

#[test]
fn dropping_in_order() {
    let rows = [(10, false), (10, false), (10, false)];
    drops("rule 11.6: all fit", &rows, &[4, 4, 4], &[2, 1, 0], Some(32), &[true, true, true]);
    drops("rule 11.6: one too many", &rows, &[4, 4, 4], &[1, 2, 0], Some(31), &[true, false, true]);
    drops("rule 11.6: as few as will do", &rows, &[4, 4, 4], &[1, 2, 0], Some(26), &[true, false, true]);
    drops("rule 11.6: names stay", &rows, &[4, 4, 4], &[1, 2, 0], Some(0), &[false, false, false]);
    drops("rule 11.6: no budget", &rows, &[4, 4, 4], &[0, 1, 2], None, &[true, true, true]);
    drops("rule 11.2: pinned", &[(10, true), (10, false)], &[4, 4], &[0, 1], Some(0), &[true, false]);
    drops("rule 11.6: nothing to drop", &[(4, false), (10, false)], &[4, 4], &[0, 1], Some(1), &[true, false]);
    drops("rule 11.6: no rows", &[], &[], &[], Some(0), &[]);
    drops("rule 11.6: beyond counting", &[(usize::MAX, false)], &[1], &[0], Some(9), &[false]);
}
