//! In: pieces of work. Out: their times, taken turn by turn, as a table: least, median, most, and the ratio of the
//! median to that of the piece that is the base, beside the goal where there is one. No time is asserted.
#![allow(dead_code, reason = "each bench uses a part")]

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One piece of work, which answers with a number above 0.
pub(crate) struct Work<'a> {
    what: &'a str,
    /// The piece that it is held against, by its place.
    base: usize,
    /// The most that the ratio to the base should be.
    goal: Option<f64>,
    run: Box<dyn FnMut() -> usize + 'a>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(what: &'a str, run: impl FnMut() -> usize + 'a) -> Work<'a> {
        Work { what, base: 0, goal: None, run: Box::new(run) }
    }

    #[must_use]
    pub(crate) fn over(self, base: usize) -> Work<'a> {
        Work { base, ..self }
    }

    #[must_use]
    pub(crate) fn goal(self, goal: f64) -> Work<'a> {
        Work { goal: Some(goal), ..self }
    }
}

pub(crate) fn head() {
    println!(
        "{:<14} {:<24} {:>10} {:>10} {:>10} {:>8} {:>7}",
        "tree", "what", "least", "median", "most", "÷ base", "goal"
    );
}

/// Does each piece once a turn, prints the table, and gives the medians.
pub(crate) fn take(tree: &str, turns: usize, work: &mut [Work<'_>]) -> Vec<Duration> {
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); work.len()];
    for _ in 0..turns {
        for (work, times) in work.iter_mut().zip(&mut times) {
            let begun = Instant::now();
            assert!(black_box((work.run)()) > 0, "{tree}: {} has no answer", work.what);
            times.push(begun.elapsed());
        }
    }
    times.iter_mut().for_each(|times| times.sort());
    let medians: Vec<Duration> = times.iter().map(|times| times[turns / 2]).collect();
    for ((work, times), median) in work.iter().zip(&times).zip(&medians) {
        let goal = work.goal.map_or(String::new(), |goal| format!("{goal:.2}"));
        println!(
            "{tree:<14} {:<24} {:>8.2}ms {:>8.2}ms {:>8.2}ms {:>8.3} {goal:>7}",
            work.what,
            millis(times[0]),
            millis(*median),
            millis(times[turns - 1]),
            ratio(*median, medians[work.base]),
        );
    }
    medians
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

pub(crate) fn ratio(time: Duration, to: Duration) -> f64 {
    time.as_secs_f64() / to.as_secs_f64().max(f64::MIN_POSITIVE)
}
