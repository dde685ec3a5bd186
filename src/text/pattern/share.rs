//! Divides a limited total cost among the owners of patterns. Patterns of a project come after the user's own. Within
//! each group, every owner gets the same share, so that an owner whose patterns cost little gets all of them, whatever
//! the patterns of the others cost.

use super::Owned;
use std::collections::HashMap;

/// For each pattern, whether it is within the limit. A pattern without a cost is not wanted, and is not included.
pub(super) fn share(costs: &[Option<usize>], owned: &[Owned], most: usize) -> Vec<bool> {
    if costs.iter().flatten().fold(0_usize, |sum, cost| sum.saturating_add(*cost)) <= most {
        return costs.iter().map(Option::is_some).collect();
    }
    // The patterns are included in the order of the total cost of the owner's patterns up to each. A pattern of several
    // owners counts for each of them, and is at the first of its places, so that no owner can delay that of another.
    let mut asked: HashMap<usize, usize> = HashMap::new();
    let mut places: Vec<Option<(bool, usize)>> = vec![None; costs.len()];
    for Owned { owner, pattern, is_project } in owned {
        let Some(cost) = costs[*pattern] else { continue };
        let sum = asked.entry(*owner).or_insert(0);
        *sum = sum.saturating_add(cost);
        let own = (*is_project, *sum);
        let place = &mut places[*pattern];
        *place = Some(place.map_or(own, |place| place.min(own)));
    }
    let mut order: Vec<((bool, usize), usize, usize)> = Vec::new();
    for (pattern, (place, cost)) in places.into_iter().zip(costs).enumerate() {
        order.extend(place.zip(*cost).map(|(place, cost)| (place, pattern, cost)));
    }
    order.sort_unstable();
    let mut is_included = vec![false; costs.len()];
    let mut left = most;
    for (_, pattern, cost) in order {
        // A pattern that exceeds what is left does not exclude smaller ones.
        if let Some(rest) = left.checked_sub(cost) {
            (left, is_included[pattern]) = (rest, true);
        }
    }
    is_included
}
