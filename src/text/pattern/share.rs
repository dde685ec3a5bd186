//! In: what each of many patterns costs, whose they are, and how much all of them may cost. Out: those that are in.
//! Patterns that came with a project come after the user's own. Among either, every owner gets the same share, so that
//! one whose patterns cost little has all of them, whatever the others ask for.

use super::Owned;
use std::collections::HashMap;

/// For each pattern whether it is in. One without a cost is not asked for, and is out.
pub(super) fn share(costs: &[Option<usize>], owned: &[Owned], most: usize) -> Vec<bool> {
    if costs.iter().flatten().fold(0_usize, |sum, cost| sum.saturating_add(*cost)) <= most {
        return costs.iter().map(Option::is_some).collect();
    }
    // What an owner has asked for with this pattern and those before it. A pattern of several owners costs each of them,
    // and stands where it comes first: nobody puts it back by asking for it too.
    let mut asked: HashMap<usize, usize> = HashMap::new();
    let mut places: Vec<Option<(bool, usize)>> = vec![None; costs.len()];
    for Owned { owner, pattern, is_project } in owned {
        let Some(cost) = costs.get(*pattern).copied().flatten() else { continue };
        let sum = asked.entry(*owner).or_insert(0);
        *sum = sum.saturating_add(cost);
        if let Some(place) = places.get_mut(*pattern) {
            let own = (*is_project, *sum);
            *place = Some(place.map_or(own, |place| place.min(own)));
        }
    }
    let mut order: Vec<((bool, usize), usize)> = Vec::new();
    for (pattern, place) in places.into_iter().enumerate() {
        order.extend(place.map(|place| (place, pattern)));
    }
    order.sort_unstable();
    let mut is_in = vec![false; costs.len()];
    let mut left = most;
    for (_, pattern) in order {
        let cost = costs.get(pattern).copied().flatten().unwrap_or(usize::MAX);
        // One that is too large for what is left does not keep out those that are smaller.
        if let (Some(rest), Some(is_in)) = (left.checked_sub(cost), is_in.get_mut(pattern)) {
            (left, *is_in) = (rest, true);
        }
    }
    is_in
}
