//! The pauses between looks, for what happens in between.

use super::next_interval;
use std::time::Duration;

/// The pauses in seconds after looks of which `!` found something changed, or came after a request.
#[track_caller]
fn check(usual: u64, looks: &str, expect: &[u64]) {
    let usual = Duration::from_secs(usual);
    let mut last = usual;
    let got: Vec<u64> = looks
        .chars()
        .map(|look| {
            last = next_interval(usual, last, look == '!');
            last.as_secs()
        })
        .collect();
    assert_eq!(got, expect, "{usual:?} {looks}");
}

#[test]
fn pauses() {
    check(2, "......", &[4, 8, 16, 30, 30, 30]);
    check(2, "...!..!!.", &[4, 8, 16, 2, 4, 8, 2, 2, 4]);
    check(1, "......", &[2, 4, 8, 16, 30, 30]);
    check(20, "..!.", &[30, 30, 20, 30]);
    check(30, "..!.", &[30, 30, 30, 30]);
    check(3_600, "..!.", &[3_600, 3_600, 3_600, 3_600]);
    check(u64::MAX, "..", &[u64::MAX, u64::MAX]);
}
