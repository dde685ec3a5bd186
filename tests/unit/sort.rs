use super::*;
use std::cell::Cell;

/// Numbers that look thrown, the same ones every time.
fn thrown(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[test]
fn the_sort_by_places_is_the_standard_one_equals_kept_as_they_were() {
    let mut seed = 7;
    for len in (0..70).chain([255, 256, 257, 1_000]) {
        for kinds in [1, 2, 5, 1_000_000] {
            let mut ours: Vec<(u64, usize)> = (0..len).map(|n| (thrown(&mut seed) % kinds, n)).collect();
            let mut theirs = ours.clone();
            by_places(&mut ours, |a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs, "{len} items of {kinds} kinds");
        }
    }
}

#[test]
fn it_asks_as_often_as_a_merge_may() {
    let mut seed = 3;
    let mut items: Vec<u64> = (0..1_024).map(|_| thrown(&mut seed)).collect();
    let asked = Cell::new(0);
    by_places(&mut items, |a, b| {
        asked.set(asked.get() + 1);
        a.cmp(b)
    });
    assert!(items.is_sorted());
    assert!(asked.get() <= 1_024 * 10, "{asked:?}");
}
