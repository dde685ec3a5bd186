//! A stable sort that is compiled once. The standard library's sorts are compiled again for each type and each order,
//! 3,400 bytes each in the WASM module; a call of [`sort_by`] takes 300.

use std::cmp::Ordering;

/// Like [`slice::sort_by`], but sorts indices and moves each item at most once to its place.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order = sorted_indices(items.len(), &|a, b| compare(&items[a], &items[b]));
    move_into_order(&mut order, &mut |a, b| items.swap(a, b));
}

/// The indices below `len` in their order; empty if that is the order they are in.
fn sorted_indices(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    if (1..len).all(|at| compare(at - 1, at).is_le()) {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Moves the item at `order[n]` to `n`, for each `n`: swaps along each cycle of the permutation, and marks a place that is
/// done by its own index.
fn move_into_order(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        while order[at] != start {
            let from = order[at];
            swap(at, from);
            order[at] = at;
            at = from;
        }
        order[at] = at;
    }
}

#[cfg(test)]
#[path = "../../tests/unit/order.rs"]
mod tests;
