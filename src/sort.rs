//! In: a slice and an order. Out: the slice in that order, equals as they were, or as they come. It is the standard
//! library's sort but in a WASM module, where that one would be there once more for every kind of item: there a single
//! sort puts places in order, and the items are moved after. Absent: orders.

use std::cmp::Ordering;

/// Puts items in order; equals stay as they were.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    items.sort_by(compare);
}

/// Puts items in order; equals come as it happens.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn unstable_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    items.sort_unstable_by(compare);
}

#[cfg(target_family = "wasm")]
pub(crate) use by_places as by;
#[cfg(target_family = "wasm")]
pub(crate) use by_places as unstable_by;

#[cfg(any(test, target_family = "wasm"))]
pub(crate) fn by_places<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    put_in_order(items.len(), &mut Slice { items, compare });
}

/// Items of any kind, by their places. A trait, as a closure would be there in three ways.
#[cfg(any(test, target_family = "wasm"))]
trait Items {
    fn compare(&self, a: usize, b: usize) -> Ordering;
    fn swap(&mut self, a: usize, b: usize);
}

#[cfg(any(test, target_family = "wasm"))]
struct Slice<'s, T, C> {
    items: &'s mut [T],
    compare: C,
}

#[cfg(any(test, target_family = "wasm"))]
impl<T, C: Fn(&T, &T) -> Ordering> Items for Slice<'_, T, C> {
    fn compare(&self, a: usize, b: usize) -> Ordering {
        (self.compare)(&self.items[a], &self.items[b])
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }
}

#[cfg(any(test, target_family = "wasm"))]
fn put_in_order(len: usize, items: &mut dyn Items) {
    for (a, b) in swaps(places(len, items)) {
        items.swap(a, b);
    }
}

/// The places of items in their order, by merging runs that double in length.
#[cfg(any(test, target_family = "wasm"))]
fn places(len: usize, items: &dyn Items) -> Vec<usize> {
    let mut from: Vec<usize> = (0..len).collect();
    let mut into = Vec::with_capacity(len);
    let mut run = 1;
    while run < len {
        for pair in from.chunks(run * 2) {
            let (mut left, mut right) = pair.split_at(run.min(pair.len()));
            while let ([a, lefts @ ..], [b, rights @ ..]) = (left, right) {
                if items.compare(*a, *b) == Ordering::Greater {
                    into.push(*b);
                    right = rights;
                } else {
                    into.push(*a);
                    left = lefts;
                }
            }
            into.extend_from_slice(left);
            into.extend_from_slice(right);
        }
        std::mem::swap(&mut from, &mut into);
        into.clear();
        run *= 2;
    }
    from
}

/// What to swap, one after another, so that the item of every place in `order` comes to where the place stands there.
#[cfg(any(test, target_family = "wasm"))]
pub(crate) fn swaps(mut order: Vec<usize>) -> Vec<(usize, usize)> {
    let mut swaps = Vec::new();
    for start in 0..order.len() {
        let mut at = start;
        // Along the circle that the places make.
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            swaps.push((at, from));
            at = from;
        }
    }
    swaps
}

#[cfg(test)]
#[path = "../tests/unit/sort.rs"]
mod tests;
