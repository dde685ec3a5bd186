//! In: keys that have an order, and values. Out: a map and a set that are gone through in the order of the keys. Keys and
//! values lie in vectors; what is looked for is found by their places, which one code for all kinds of them keeps in
//! order. No key is hashed, so none can be chosen to be slow. Absent: what nobody here asks of a map.

use super::order::{Compare, Order, Spot};
use crate::sort;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::iter::{self, Zip};
use std::mem::{replace, take};
use std::ops::RangeFrom;
use std::vec;

/// Keys, by their places.
#[derive(Clone)]
struct Keys<K> {
    keys: Vec<K>,
    order: Order,
}

/// A key among those that it may be equal to.
struct Sought<'s, K, Q: ?Sized> {
    keys: &'s [K],
    key: &'s Q,
}

impl<K: Borrow<Q>, Q: Ord + ?Sized> Compare for Sought<'_, K, Q> {
    fn compare(&self, place: usize) -> Ordering {
        self.keys[place].borrow().cmp(self.key)
    }
}

impl<K> Keys<K> {
    const fn new() -> Keys<K> {
        Keys { keys: Vec::new(), order: Order::new() }
    }
}

impl<K: Ord> Keys<K> {
    /// Where a key stands in the order, and its place; else where it is to stand.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<(Spot, usize), Spot>
    where
        K: Borrow<Q>,
    {
        self.order.find(&Sought { keys: &self.keys, key })
    }

    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|(_, place)| place)
    }

    /// The place of a key that was there, or is added as the last.
    fn put(&mut self, key: K) -> usize {
        match self.find(&key) {
            Ok((_, place)) => place,
            Err(spot) => self.push(spot, key),
        }
    }

    fn push(&mut self, spot: Spot, key: K) -> usize {
        let place = self.keys.len();
        self.order.insert(spot, place);
        self.keys.push(key);
        place
    }

    /// Takes a key out. The last one moves to its place.
    fn take(&mut self, spot: Spot, place: usize) -> K {
        if let Some(Ok((last, _))) = self.keys.last().map(|last| self.find(last)) {
            self.order.set(last, place);
        }
        self.order.remove(spot);
        self.keys.swap_remove(place)
    }
}

/// A map in the order of its keys.
#[derive(Clone)]
pub(crate) struct Map<K, V> {
    keys: Keys<K>,
    values: Vec<V>,
}

impl<K, V> Map<K, V> {
    pub(crate) const fn new() -> Map<K, V> {
        Map { keys: Keys::new(), values: Vec::new() }
    }

    pub(crate) fn with_capacity(len: usize) -> Map<K, V> {
        Map { keys: Keys::new(), values: Vec::with_capacity(len) }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        Iter { map: self, next: Spot::FIRST }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    fn in_order(self) -> (Vec<K>, Vec<V>) {
        let Map { keys: Keys { mut keys, order }, mut values } = self;
        for (a, b) in sort::swaps(order.places()) {
            keys.swap(a, b);
            values.swap(a, b);
        }
        (keys, values)
    }

    pub(crate) fn into_values(self) -> vec::IntoIter<V> {
        self.in_order().1.into_iter()
    }
}

impl<K: Ord, V> Map<K, V> {
    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.keys.place(key).is_some()
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.values.get(self.keys.place(key)?)
    }

    pub(crate) fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let place = self.keys.place(key)?;
        Some((self.keys.keys.get(place)?, self.values.get(place)?))
    }

    /// From this key on.
    pub(crate) fn range(&self, from: RangeFrom<K>) -> Iter<'_, K, V> {
        let next = match self.keys.find(&from.start) {
            Ok((spot, _)) | Err(spot) => spot,
        };
        Iter { map: self, next }
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let place = self.keys.put(key);
        match self.values.get_mut(place) {
            Some(old) => Some(replace(old, value)),
            None => {
                self.values.push(value);
                None
            }
        }
    }

    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let at = self.keys.find(&key).map(|(_, place)| place);
        Entry { map: self, key, at }
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (spot, place) = self.keys.find(key).ok()?;
        self.keys.take(spot, place);
        Some(self.values.swap_remove(place))
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        let Map { keys: Keys { keys, .. }, values } = take(self);
        for (key, mut value) in keys.into_iter().zip(values) {
            if is_kept(&key, &mut value) {
                self.insert(key, value);
            }
        }
    }
}

/// What stands under a key, or is to.
pub(crate) struct Entry<'m, K, V> {
    map: &'m mut Map<K, V>,
    key: K,
    at: Result<usize, Spot>,
}

impl<'m, K: Ord, V> Entry<'m, K, V> {
    pub(crate) fn or_insert(self, value: V) -> &'m mut V {
        let Map { keys, values } = self.map;
        let place = self.at.unwrap_or_else(|spot| {
            values.push(value);
            keys.push(spot, self.key)
        });
        &mut values[place]
    }

    pub(crate) fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert(V::default())
    }
}

/// Goes through a map.
pub(crate) struct Iter<'m, K, V> {
    map: &'m Map<K, V>,
    next: Spot,
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<(&'m K, &'m V)> {
        let Map { keys, values } = self.map;
        let place = keys.order.step(&mut self.next)?;
        Some((keys.keys.get(place)?, values.get(place)?))
    }
}

impl<'m, K, V> IntoIterator for &'m Map<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Iter<'m, K, V> {
        self.iter()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = Zip<vec::IntoIter<K>, vec::IntoIter<V>>;

    fn into_iter(self) -> Zip<vec::IntoIter<K>, vec::IntoIter<V>> {
        let (keys, values) = self.in_order();
        keys.into_iter().zip(values)
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Map<K, V>) -> bool {
        self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for Map<K, V> {}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, items: I) {
        items.into_iter().for_each(|(key, value)| drop(self.insert(key, value)));
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(items: I) -> Map<K, V> {
        let mut map = Map::new();
        map.extend(items);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(items: [(K, V); N]) -> Map<K, V> {
        Map::from_iter(items)
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// A set in order.
#[derive(Clone)]
pub(crate) struct Set<K>(Keys<K>);

impl<K> Set<K> {
    pub(crate) const fn new() -> Set<K> {
        Set(Keys::new())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.keys.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.keys.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &K> {
        let mut next = Spot::FIRST;
        iter::from_fn(move || self.0.keys.get(self.0.order.step(&mut next)?))
    }

    pub(crate) fn first(&self) -> Option<&K> {
        self.iter().next()
    }
}

impl<K: Ord> Set<K> {
    pub(crate) fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.place(key).is_some()
    }

    /// Whether it is new.
    pub(crate) fn insert(&mut self, key: K) -> bool {
        let known = self.len();
        self.0.put(key) == known
    }

    pub(crate) fn pop_first(&mut self) -> Option<K> {
        let mut first = Spot::FIRST;
        let place = self.0.order.step(&mut first)?;
        Some(self.0.take(Spot::FIRST, place))
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = vec::IntoIter<K>;

    fn into_iter(self) -> vec::IntoIter<K> {
        let Keys { mut keys, order } = self.0;
        sort::swaps(order.places()).into_iter().for_each(|(a, b)| keys.swap(a, b));
        keys.into_iter()
    }
}

impl<K> Default for Set<K> {
    fn default() -> Set<K> {
        Set::new()
    }
}

impl<K: Ord> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        keys.into_iter().for_each(|key| {
            self.0.put(key);
        });
    }
}

impl<K: Ord> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Set<K> {
        let mut set = Set::new();
        set.extend(keys);
        set
    }
}

impl<K: Ord, const N: usize> From<[K; N]> for Set<K> {
    fn from(keys: [K; N]) -> Set<K> {
        Set::from_iter(keys)
    }
}

impl<K: fmt::Debug> fmt::Debug for Set<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
#[path = "../../tests/unit/map.rs"]
mod tests;
