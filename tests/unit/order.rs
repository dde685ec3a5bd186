//! The stable sort that is compiled once.

use super::sort_by;

#[test]
fn it_sorts_and_keeps_the_order_of_equal_items() {
    let mut state = 7_u32;
    for len in 0..200 {
        let mut items: Vec<(u32, usize)> = Vec::new();
        for at in 0..len {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            items.push(((state >> 16) % 20, at));
        }
        let mut expected = items.clone();
        expected.sort_by_key(|(key, _)| *key);
        sort_by(&mut items, |(a, _), (b, _)| a.cmp(b));
        assert_eq!(items, expected);
    }
}
