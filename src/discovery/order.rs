//! The orders of skills, for a catalog and for the list of the prompt (rule 8.4).

use crate::dialect::Order;
use crate::discovery::manifest::is_single_file;
use crate::discovery::resolve::Shadowed;
use crate::model::skill::{Origin, Skill};
use crate::path::FsPath;
use crate::text::locale;
use crate::text::order::sort_by;
use std::cmp::{Ordering, min_by};
use std::collections::HashMap;

/// The rank of the source of a skill, and the path of the skill.
type Place<'s> = (usize, &'s FsPath);

/// For each skill that shadows others, by its path: the place of the first of these.
pub(crate) type Lowest<'s> = HashMap<&'s FsPath, Place<'s>>;

/// Puts the skills of a catalog in this order. `project` is the folder of the project.
pub(crate) fn put_in_order(order: &Order, shadowed: &[Shadowed], project: Option<&FsPath>, skills: &mut [Skill]) {
    let lowest = lowest(order, shadowed);
    sort_by(skills, |a, b| compare(order, &lowest, a, b));
    if matches!(order, Order::HighestScopeThenKey | Order::HighestScopeThenLocale) {
        let is_for_project = *order == Order::HighestScopeThenKey;
        let by_key = if is_for_project { Order::Key } else { Order::Locale };
        let is_in_project = |skill: &Skill| project.is_some_and(|project| skill.source.root.starts_with(project));
        let is_one = |a: &Skill, b: &Skill| {
            let is_joined = !is_for_project || a.source.origin == Origin::Project || a.source.rank == b.source.rank;
            is_joined && a.source.scope == b.source.scope && is_in_project(a) == is_in_project(b)
        };
        for neighbours in skills.chunk_by_mut(is_one) {
            sort_by(neighbours, |a, b| compare(&by_key, &lowest, a, b).then_with(|| a.path.cmp(&b.path)));
        }
    }
}

/// Compares two skills by this order. `lowest` says where skills that shadow others stand, where the order depends on it.
pub(crate) fn compare(order: &Order, lowest: &Lowest<'_>, a: &Skill, b: &Skill) -> Ordering {
    match order {
        Order::Key => a.key.cmp(&b.key),
        Order::SourceThenName => {
            let place = |skill| place(order, lowest, skill).0;
            (place(a), &a.name, &a.path).cmp(&(place(b), &b.name, &b.path))
        }
        Order::NameThenPath => (&a.name, &a.path).cmp(&(&b.name, &b.path)),
        Order::SourceThenPath | Order::SourceThenLastPath => {
            by_place(order, &place(order, lowest, a), &place(order, lowest, b))
        }
        Order::HighestSourceThenLocale => {
            let rank = |skill: &Skill| if is_single_file(&skill.path) { None } else { Some(skill.source.rank) };
            rank(b).cmp(&rank(a)).then_with(|| compare(&Order::Locale, lowest, a, b))
        }
        Order::HighestSourceThenKey | Order::HighestScopeThenKey | Order::HighestScopeThenLocale => {
            (b.source.rank, &a.key, &a.path).cmp(&(a.source.rank, &b.key, &b.path))
        }
        Order::Locale => locale::compare(&a.key, &b.key).then_with(|| a.path.cmp(&b.path)),
        Order::HighestSource => b.source.rank.cmp(&a.source.rank).then_with(|| by_folders(&a.path, &b.path)),
        Order::Scopes(scopes) => {
            let place =
                |skill: &Skill| scopes.iter().position(|scope| *scope == skill.source.scope).unwrap_or(usize::MAX);
            (place(a), &a.key, &a.path).cmp(&(place(b), &b.key, &b.path))
        }
    }
}

/// Compares places by the rank, and then by the path as the order has it.
fn by_place(order: &Order, a: &Place<'_>, b: &Place<'_>) -> Ordering {
    let by_path = match order {
        Order::SourceThenLastPath => a.1.depth().cmp(&b.1.depth()).then_with(|| by_folders(b.1, a.1)),
        _ => by_folders(a.1, b.1),
    };
    a.0.cmp(&b.0).then(by_path)
}

/// Compares paths folder by folder, as folders are listed: `a` comes before `a-b`.
pub(crate) fn by_folders(a: &FsPath, b: &FsPath) -> Ordering {
    // The end of a folder's name comes before every byte of a longer one.
    let rank = |byte: u8| (byte != b'/').then_some(byte);
    a.as_str().bytes().map(rank).cmp(b.as_str().bytes().map(rank))
}

/// Where a skill stands among the sources: at the place of the lowest skill that it shadows.
fn place<'s>(order: &Order, lowest: &'s Lowest<'_>, skill: &'s Skill) -> Place<'s> {
    let own = (skill.source.rank, &skill.path);
    lowest.get(&skill.path).map_or(own, |shadowed| min_by(own, *shadowed, |a, b| by_place(order, a, b)))
}

/// Where the skills stand that shadow others, if the order depends on it.
pub(crate) fn lowest<'s>(order: &Order, shadowed: &'s [Shadowed]) -> Lowest<'s> {
    let mut lowest = Lowest::new();
    match order {
        Order::SourceThenName | Order::SourceThenPath | Order::SourceThenLastPath => {}
        Order::Key
        | Order::NameThenPath
        | Order::HighestSource
        | Order::HighestSourceThenLocale
        | Order::HighestSourceThenKey
        | Order::HighestScopeThenKey
        | Order::HighestScopeThenLocale
        | Order::Locale
        | Order::Scopes(_) => return lowest,
    }
    for Shadowed { skill, by } in shadowed {
        let here = (skill.source.rank, &skill.path);
        let place = lowest.entry(by).or_insert(here);
        *place = min_by(here, *place, |a, b| by_place(order, a, b));
    }
    lowest
}
