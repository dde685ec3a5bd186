//! The orders of skills, for a catalog and for the list of the prompt (rule 8.4).

use crate::dialect::Order;
use crate::discovery::resolve::Shadowed;
use crate::model::skill::Skill;
use crate::path::FsPath;
use std::cmp::Ordering;
use std::collections::HashMap;

/// For each skill that shadows others, by its path: the rank and the path of the first of these by rank and path.
pub(crate) type Lowest<'s> = HashMap<&'s FsPath, (usize, &'s FsPath)>;

/// Compares two skills by this order. `lowest` says where skills that shadow others stand, where the order depends on it.
pub(crate) fn compare(order: &Order, lowest: &Lowest<'_>, a: &Skill, b: &Skill) -> Ordering {
    match order {
        Order::Key => a.key.cmp(&b.key),
        Order::SourceThenName => (place(lowest, a).0, &a.name, &a.path).cmp(&(place(lowest, b).0, &b.name, &b.path)),
        Order::NameThenPath => (&a.name, &a.path).cmp(&(&b.name, &b.path)),
        Order::SourceThenPath => place(lowest, a).cmp(&place(lowest, b)),
        Order::HighestSource => (b.source.rank, &a.path).cmp(&(a.source.rank, &b.path)),
        Order::Scopes(scopes) => {
            let place =
                |skill: &Skill| scopes.iter().position(|scope| *scope == skill.source.scope).unwrap_or(usize::MAX);
            (place(a), &a.key, &a.path).cmp(&(place(b), &b.key, &b.path))
        }
    }
}

/// Where a skill stands among the sources: at the place of the lowest skill that it shadows.
fn place<'s>(lowest: &'s Lowest<'_>, skill: &'s Skill) -> (usize, &'s FsPath) {
    let own = (skill.source.rank, &skill.path);
    lowest.get(&skill.path).map_or(own, |(rank, path)| own.min((*rank, *path)))
}

/// Where the skills stand that shadow others, if the order depends on it.
pub(crate) fn lowest<'s>(order: &Order, shadowed: &'s [Shadowed]) -> Lowest<'s> {
    let mut lowest = Lowest::new();
    match order {
        Order::SourceThenName | Order::SourceThenPath => {}
        Order::Key | Order::NameThenPath | Order::HighestSource | Order::Scopes(_) => return lowest,
    }
    for Shadowed { skill, by } in shadowed {
        let here = (skill.source.rank, &skill.path);
        let place = lowest.entry(by).or_insert(here);
        *place = here.min(*place);
    }
    lowest
}
