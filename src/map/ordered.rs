//! In: keys that have an order, and values. Out: a map and a set that are gone through in the order of the keys. Keys and
//! values lie in vectors; what is looked for is found by their places, which one code for all kinds of them keeps in
//! order. No key is hashed, so none can be chosen to be slow. Absent: what nobody here asks of a map.

use crate::sort;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::iter::Zip;
use std::mem::replace;
use std::ops::RangeFrom;
use std::vec;

/// How many places are moved for a new one at most.
const MOST_IN_RUN: usize = 512;

/// Places in the order of their keys: runs of them, none empty, so that there are few to move for a new one.
#[derive(Clone, Debug, Default)]
struct Order {
    runs: Vec<Vec<usize>>,
}

/// Where a place stands in the order.
#[derive(Clone, Copy)]
struct Spot {
    run: usize,
    at: usize,
}

impl Order {
    /// Where the place is that compares equal, and it; else where it is to be.
    fn find(&self, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<(Spot, usize), Spot> {
        let after = |run: &Vec<usize>| run.first().is_some_and(|place| compare(*place) != Ordering::Greater);
        let run = self.runs.partition_point(after).saturating_sub(1);
        let places = self.runs.get(run).map_or(&[][..], Vec::as_slice);
        match places.binary_search_by(|place| compare(*place)) {
            Ok(at) => Ok((Spot { run, at }, places[at])),
            Err(at) => Err(Spot { run, at }),
        }
    }

    fn insert(&mut self, spot: Spot, place: usize) {
        let Some(run) = self.runs.get_mut(spot.run) else { return self.runs.push(vec![place]) };
        run.insert(spot.at, place);
        if run.len() > MOST_IN_RUN {
            let later = run.split_off(MOST_IN_RUN / 2);
            self.runs.insert(spot.run + 1, later);
        }
    }

    fn remove(&mut self, spot: Spot) {
        let Some(run) = self.runs.get_mut(spot.run) else { return };
        run.remove(spot.at);
        if run.is_empty() {
            self.runs.remove(spot.run);
        }
    }

    /// Another place for what stands at a spot.
    fn set(&mut self, spot: Spot, place: usize) {
        if let Some(old) = self.runs.get_mut(spot.run).and_then(|run| run.get_mut(spot.at)) {
            *old = place;
        }
    }

    /// The place at a spot, which moves on to the next.
    fn step(&self, spot: &mut Spot) -> Option<usize> {
        let run = self.runs.get(spot.run)?;
        let place = *run.get(spot.at)?;
        *spot =
            if spot.at + 1 < run.len() { Spot { at: spot.at + 1, ..*spot } } else { Spot { run: spot.run + 1, at: 0 } };
        Some(place)
    }
}

/// A map in the order of its keys.
#[derive(Clone)]
pub(crate) struct Map<K, V> {
    keys: Vec<K>,
    values: Vec<V>,
    order: Order,
}

impl<K, V> Map<K, V> {
    pub(crate) fn new() -> Map<K, V> {
        Map { keys: Vec::new(), values: Vec::new(), order: Order::default() }
    }

    pub(crate) fn with_capacity(len: usize) -> Map<K, V> {
        Map { keys: Vec::with_capacity(len), ..Map::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        Iter { map: self, next: Spot { run: 0, at: 0 } }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    fn in_order(mut self) -> (Vec<K>, Vec<V>) {
        sort::put(&mut self.order.runs.concat(), &mut |a, b| {
            self.keys.swap(a, b);
            self.values.swap(a, b);
        });
        (self.keys, self.values)
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = V> {
        self.in_order().1.into_iter()
    }
}

impl<K: Ord, V> Map<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<(Spot, usize), Spot>
    where
        K: Borrow<Q>,
    {
        self.order.find(&mut |place| self.keys[place].borrow().cmp(key))
    }

    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().and_then(|(_, place)| self.values.get(place))
    }

    pub(crate) fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().and_then(|(_, place)| Some((self.keys.get(place)?, self.values.get(place)?)))
    }

    /// From this key on.
    pub(crate) fn range(&self, from: RangeFrom<K>) -> Iter<'_, K, V> {
        let next = match self.find(&from.start) {
            Ok((spot, _)) | Err(spot) => spot,
        };
        Iter { map: self, next }
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok((_, place)) => Some(replace(&mut self.values[place], value)),
            Err(spot) => {
                self.push(spot, key, value);
                None
            }
        }
    }

    fn push(&mut self, spot: Spot, key: K, value: V) {
        self.order.insert(spot, self.keys.len());
        self.keys.push(key);
        self.values.push(value);
    }

    pub(crate) fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let at = self.find(&key).map(|(_, place)| place);
        Entry { map: self, key, at }
    }

    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (spot, place) = self.find(key).ok()?;
        Some(self.take(spot, place).1)
    }

    /// The first by its key.
    pub(crate) fn pop_first(&mut self) -> Option<(K, V)> {
        let mut first = Spot { run: 0, at: 0 };
        let place = self.order.step(&mut first)?;
        Some(self.take(Spot { run: 0, at: 0 }, place))
    }

    fn take(&mut self, spot: Spot, place: usize) -> (K, V) {
        // The last one moves to the place that becomes free.
        if let Some(Ok((last, _))) = self.keys.last().map(|last| self.find(last.borrow())) {
            self.order.set(last, place);
        }
        self.order.remove(spot);
        (self.keys.swap_remove(place), self.values.swap_remove(place))
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        for (key, mut value) in std::mem::take(self) {
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
        let Entry { map, key, at } = self;
        let place = at.unwrap_or_else(|spot| {
            map.push(spot, key, value);
            map.len() - 1
        });
        &mut map.values[place]
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
        let place = self.map.order.step(&mut self.next)?;
        Some((self.map.keys.get(place)?, self.map.values.get(place)?))
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
pub(crate) struct Set<K>(Map<K, ()>);

impl<K> Set<K> {
    pub(crate) fn new() -> Set<K> {
        Set(Map::new())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &K> {
        self.0.keys()
    }
}

impl<K: Ord> Set<K> {
    pub(crate) fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&K>
    where
        K: Borrow<Q>,
    {
        self.0.get_key_value(key).map(|(key, ())| key)
    }

    pub(crate) fn first(&self) -> Option<&K> {
        self.iter().next()
    }

    pub(crate) fn pop_first(&mut self) -> Option<K> {
        self.0.pop_first().map(|(key, ())| key)
    }

    /// Whether it is new.
    pub(crate) fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ()).is_none()
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = vec::IntoIter<K>;

    fn into_iter(self) -> vec::IntoIter<K> {
        self.0.in_order().0.into_iter()
    }
}

impl<K> Default for Set<K> {
    fn default() -> Set<K> {
        Set::new()
    }
}

impl<K: Ord> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        self.0.extend(keys.into_iter().map(|key| (key, ())));
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
