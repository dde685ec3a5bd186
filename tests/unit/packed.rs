//! Packed words in fields: whatever is packed is there again, in its order and in few bytes.

use super::*;
use pretty_assertions::assert_eq;

/// How many bytes these take, each a number and a count, after they were found again.
#[track_caller]
fn check(field: SearchField, items: &[(u32, u32)]) -> usize {
    let (mut bytes, mut before) = (Vec::new(), NONE_BEFORE);
    for (number, count) in items {
        InField::new(*number, field, *count).pack(before, |byte| bytes.push(byte));
        before = *number;
    }
    let found: Vec<(usize, u32, u32)> =
        PackedNumbers::new(&bytes).map(|found| (found.field(), found.number(), found.count())).collect();
    let expect: Vec<(usize, u32, u32)> =
        items.iter().map(|(number, count)| (field as usize, *number, (*count).min(MOST_COUNTED))).collect();
    assert_eq!(found, expect, "{field:?}");
    bytes.len()
}

#[test]
fn packed() {
    assert_eq!(check(SearchField::Body, &[]), 0);
    assert_eq!(check(SearchField::Body, &[(0, 1), (0, 3), (30, 2), (61, 1)]), 4, "one byte each");
    assert_eq!(check(SearchField::Body, &[(31, 1), (9_000, 3)]), 5, "far apart");
    assert_eq!(check(SearchField::Body, &[(0, 4), (1, 31), (2, 32), (3, u32::MAX)]), 8, "often");
    assert_eq!(check(SearchField::Body, &[(MOST_NUMBER, 1), (0, 1), (7, 1), (6, 31)]), 8, "not in order");
    for field in SearchField::ALL {
        let counts = (0..40).map(|number| (number * number * 9_001, number + 1));
        check(field, &counts.clone().collect::<Vec<_>>());
        check(field, &counts.rev().collect::<Vec<_>>());
    }
}
