//! In: how keys compare to one that is looked for. Out: the places of the keys, kept in the order of the keys. This is the
//! part of a map that is the same for all keys. Absent: the keys themselves.

use std::cmp::Ordering;

/// How many places are moved for a new one at most.
pub(super) const MOST_IN_RUN: usize = 512;

/// Places in the order of their keys: runs of them, none empty, so that there are few to move for a new one.
#[derive(Clone)]
pub(super) struct Order {
    runs: Vec<Vec<usize>>,
}

/// Where a place stands in the order.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    run: usize,
    at: usize,
}

/// What is looked for: how the key of a place compares to it. A trait, as a closure would be there in three ways.
pub(super) trait Compare {
    fn compare(&self, place: usize) -> Ordering;
}

impl Spot {
    pub(super) const FIRST: Spot = Spot { run: 0, at: 0 };
}

impl Order {
    pub(super) const fn new() -> Order {
        Order { runs: Vec::new() }
    }

    /// Where the place is that compares equal, and it; else where it is to be.
    pub(super) fn find(&self, sought: &dyn Compare) -> Result<(Spot, usize), Spot> {
        let after = |run: &Vec<usize>| run.first().is_some_and(|place| sought.compare(*place) != Ordering::Greater);
        let run = self.runs.partition_point(after).saturating_sub(1);
        let places = self.runs.get(run).map_or(&[][..], Vec::as_slice);
        match places.binary_search_by(|place| sought.compare(*place)) {
            Ok(at) => Ok((Spot { run, at }, places[at])),
            Err(at) => Err(Spot { run, at }),
        }
    }

    pub(super) fn insert(&mut self, spot: Spot, place: usize) {
        let Some(run) = self.runs.get_mut(spot.run) else { return self.runs.push(vec![place]) };
        run.insert(spot.at, place);
        if run.len() > MOST_IN_RUN {
            let later = run.split_off(MOST_IN_RUN / 2);
            self.runs.insert(spot.run + 1, later);
        }
    }

    pub(super) fn remove(&mut self, spot: Spot) {
        let Some(run) = self.runs.get_mut(spot.run) else { return };
        run.remove(spot.at);
        if run.is_empty() {
            self.runs.remove(spot.run);
        }
    }

    /// Another place for what stands at a spot.
    pub(super) fn set(&mut self, spot: Spot, place: usize) {
        if let Some(old) = self.runs.get_mut(spot.run).and_then(|run| run.get_mut(spot.at)) {
            *old = place;
        }
    }

    /// All places.
    pub(super) fn places(&self) -> Vec<usize> {
        self.runs.concat()
    }

    /// The place at a spot, which moves on to the next.
    pub(super) fn step(&self, spot: &mut Spot) -> Option<usize> {
        loop {
            let run = self.runs.get(spot.run)?;
            if let Some(place) = run.get(spot.at) {
                spot.at += 1;
                return Some(*place);
            }
            *spot = Spot { run: spot.run + 1, at: 0 };
        }
    }

    #[cfg(test)]
    pub(super) fn is_sound(&self) -> bool {
        self.runs.iter().all(|run| (1..=MOST_IN_RUN).contains(&run.len()))
    }
}
