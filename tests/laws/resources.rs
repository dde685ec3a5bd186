//! The law of resources: what the walk of a discovery keeps of them is what listing each skill's folders tells.

use super::finding::machine;
use super::grow::{Item, Plan, linked, plain, roots};
use super::{dialects, hold, places, words};
use crate::common::Random;
use pretty_assertions::assert_eq;
use skilltree::fs::FsCall;
use skilltree::package::resources;
use skilltree::{Catalog, IncrementalDiscovery, World, commands, discover, report};
use std::cell::Cell;

const FOLDERS: &[&str] = &["scripts", "references", "assets", "Scripts", "data"];

/// Names of files that belong to a skill and that do not, and names that look like a SKILL.md.
const FILES: &[&str] = &[
    "run.sh",
    "a b",
    ".env",
    "übung.md",
    "x\ny",
    "scripts",
    ".git",
    "node_modules",
    ".skilltree-x",
    ".svn",
    "SKILL.md.txt",
];

/// Gives folders of this tree, with a SKILL.md or without, folders and links for resources, and something in them.
fn furnish(random: &mut Random, plan: &mut Plan, has_links: bool) {
    for _ in 0..3 + random.below(10) {
        let dirs: Vec<String> =
            plan.0.iter().filter(|(_, item)| **item == Item::Dir).map(|(at, _)| at.clone()).collect();
        let holders: Vec<String> =
            plan.0.keys().filter_map(|at| at.strip_suffix("/SKILL.md")).map(str::to_owned).collect();
        let holder = if holders.is_empty() || random.one_in(4) { random.pick(&dirs) } else { random.pick(&holders) };
        if plan.0.get(holder) != Some(&Item::Dir) {
            continue;
        }
        let folder = format!("{holder}/{}", random.pick::<&str>(FOLDERS));
        let all: Vec<String> = plan.0.keys().cloned().collect();
        let target = |random: &mut Random| match random.below(5) {
            0 => "nowhere".to_owned(),
            1 => "..".to_owned(),
            2 => format!("{holder}/SKILL.md"),
            _ => random.pick(&all).clone(),
        };
        let item = match random.below(8) {
            0 if has_links => Item::Link(target(random)),
            1 => Item::File(b"no folder".to_vec()),
            2 => Item::Fifo,
            _ => Item::Dir,
        };
        if *plan.0.entry(folder.clone()).or_insert(item) != Item::Dir {
            continue;
        }
        for _ in 0..random.below(5) {
            let at = format!("{folder}/{}", random.pick::<&str>(FILES));
            let item = match random.below(6) {
                0 if has_links => Item::Link(target(random)),
                1 => Item::Dir,
                2 => Item::Fifo,
                _ => Item::File(b"text".to_vec()),
            };
            plan.0.entry(at).or_insert(item);
        }
        if random.one_in(6) {
            let name = random.pick::<&str>(&["SKILL.md", "skill.md", "Skill.md.txt"]);
            plan.0.entry(format!("{folder}/{name}")).or_insert(Item::File(words::manifest(random).into_bytes()));
        }
    }
}

fn listed(world: &World<'_>, catalog: &Catalog) -> String {
    format!("{:#}", report::list(world, catalog, &commands(catalog, &[])))
}

/// What a catalog with resources says is what one without says.
#[track_caller]
fn tells_the_same(case: &str, world: &World<'_>, kept: &Catalog, plain: &Catalog) {
    for (kept, plain) in kept.skills().iter().zip(plain.skills()) {
        assert_eq!(resources(world, kept), resources(world, plain), "{case}: {}", plain.path);
    }
    let whole = listed(world, plain);
    assert_eq!(listed(world, kept), whole, "{case}");
    assert_eq!(format!("{:#}", report::List::new(world, kept, &[])), whole, "{case}: written");
}

#[test]
fn resources_of_the_walk_are_those_that_are_listed() {
    let (lists_kept, lists_plain) = (Cell::new(0), Cell::new(0));
    hold(30, |random| {
        for dialect in dialects() {
            let has_links = random.one_in(2);
            let grow = if has_links { linked } else { plain };
            let mut plan = grow(random, &roots(&dialect));
            furnish(random, &mut plan, has_links);
            let (places, machine) = (places(), machine());
            let mut live = IncrementalDiscovery::new(dialect.clone());
            let mut fs = plan.tree().mem();
            for _ in 0..3 {
                let world = World::new(&fs, &places, &machine);
                let lists = |catalog: &Catalog| {
                    fs.reset();
                    listed(&world, catalog);
                    fs.calls(FsCall::List)
                };
                let (kept, plain) = (discover(&world.with_resources(), &dialect), discover(&world, &dialect));
                tells_the_same(&format!("{}: in memory", dialect.name), &world, &kept, &plain);
                let refreshed = live.refresh(&world.with_resources());
                tells_the_same(&format!("{}: refreshed", dialect.name), &world, &refreshed, &plain);
                assert_eq!(format!("{refreshed:?}"), format!("{kept:?}"), "{}: refreshed", dialect.name);
                // Where no link is, each folder was listed by the walk, and not again.
                assert!(has_links || lists(&kept) == 0, "{}: no folder is listed again", dialect.name);
                lists_kept.set(lists_kept.get() + lists(&kept));
                lists_plain.set(lists_plain.get() + lists(&plain));
                let before = plan.clone();
                furnish(random, &mut plan, has_links);
                plan.change(&before, &mut fs);
            }
            #[cfg(all(unix, feature = "os"))]
            if random.one_in(4) {
                let (disk, _folder) = plan.tree().disk();
                let world = World::new(&disk, &places, &machine);
                let (kept, plain) = (discover(&world.with_resources(), &dialect), discover(&world, &dialect));
                tells_the_same(&format!("{}: on the disk", dialect.name), &world, &kept, &plain);
            }
        }
    });
    let (kept, plain) = (lists_kept.get(), lists_plain.get());
    assert!(kept * 2 < plain, "{kept} lists with links, and {plain} without what the walk has seen");
}
