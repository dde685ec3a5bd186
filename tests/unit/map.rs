use super::{Map, Set};
use crate::map::order::MOST_IN_RUN;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers that look thrown, the same ones every time.
struct Thrown(u64);

impl Thrown {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// The same, whatever is looked at.
#[track_caller]
fn same(ours: &Map<String, u64>, theirs: &BTreeMap<String, u64>) {
    assert_eq!((ours.len(), ours.is_empty()), (theirs.len(), theirs.is_empty()));
    assert!(ours.iter().eq(theirs));
    assert!(ours.keys().eq(theirs.keys()));
    assert!(ours.keys.order.is_sound());
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
}

#[test]
fn the_ordered_map_is_the_standard_one_whatever_is_done_to_it() {
    for (seed, kinds) in [(1, 4), (2, 300), (3, 5_000)] {
        let mut thrown = Thrown(seed);
        let mut ours: Map<String, u64> = Map::default();
        let mut theirs = BTreeMap::new();
        for round in 0..30_000 {
            let (key, value) = (thrown.below(kinds).to_string(), thrown.below(100));
            match thrown.below(8) {
                0 | 1 => assert_eq!(ours.insert(key.clone(), value), theirs.insert(key, value)),
                2 => assert_eq!(ours.entry(key.clone()).or_insert(value), theirs.entry(key).or_insert(value)),
                3 => {
                    *ours.entry(key.clone()).or_default() += 1;
                    *theirs.entry(key).or_default() += 1;
                }
                4 => assert_eq!(ours.remove(key.as_str()), theirs.remove(key.as_str())),
                5 => assert_eq!(ours.get(key.as_str()), theirs.get(key.as_str())),
                6 => assert_eq!(ours.get_key_value(&key), theirs.get_key_value(&key)),
                _ => assert_eq!(ours.contains_key(&key), theirs.contains_key(&key)),
            }
            if round % 2_000 == 0 {
                same(&ours, &theirs);
                for from in theirs.keys().flat_map(|key| [key.clone(), format!("{key}/")]) {
                    assert!(ours.range(from.clone()..).take(3).eq(theirs.range(from..).take(3)));
                }
            }
        }
        same(&ours, &theirs);
        let again: Map<String, u64> = theirs.clone().into_iter().rev().collect();
        assert_eq!(ours, again);
        assert!(ours.clone().into_iter().eq(theirs.clone()));
        assert!(ours.clone().into_values().eq(theirs.clone().into_values()));
        ours.retain(|key, value| key.len() < 4 && *value % 2 == 0);
        theirs.retain(|key, value| key.len() < 4 && *value % 2 == 0);
        same(&ours, &theirs);
        assert_eq!(ours == again, theirs.len() == again.len());
    }
}

#[test]
fn nothing_is_left_of_what_is_taken_out_one_by_one() {
    let numbers = 0..5 * MOST_IN_RUN as u64;
    for keys in [Vec::from_iter(numbers.clone()), Vec::from_iter(numbers.rev())] {
        let mut map: Map<u64, u64> = Map::with_capacity(keys.len());
        map.extend(keys.iter().map(|key| (*key, key * 2)));
        for (left, key) in (0..keys.len()).rev().zip(&keys) {
            assert_eq!((map.remove(key), map.remove(key), map.len()), (Some(key * 2), None, left));
        }
        assert!(map.is_empty() && map.keys.order.places().is_empty());
        assert_eq!(map.insert(1, 1), None);
    }
}

#[test]
fn the_ordered_set_is_the_standard_one() {
    let mut thrown = Thrown(5);
    let mut ours: Set<String> = Set::from(["b".to_owned(), "a".to_owned(), "b".to_owned()]);
    let mut theirs = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
    for _ in 0..3_000 {
        let key = thrown.below(1_000).to_string();
        assert_eq!(ours.contains(key.as_str()), theirs.contains(key.as_str()));
        assert_eq!(ours.insert(key.clone()), theirs.insert(key));
    }
    assert_eq!((ours.len(), ours.is_empty()), (theirs.len(), theirs.is_empty()));
    assert!(ours.iter().eq(&theirs));
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    for _ in 0..500 {
        assert_eq!(ours.first(), theirs.first());
        assert_eq!(ours.pop_first(), theirs.pop_first());
    }
    assert!(ours.into_iter().eq(theirs));
    assert!(Set::<u32>::default().is_empty() && Map::from([(1, 2)]).contains_key(&1));
}
