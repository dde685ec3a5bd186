//! The law of resources: what the walk of a discovery keeps of them is what listing each skill's folders tells.

use super::finding::machine;
use super::grow::{Item, Plan, linked, plain, roots, skill_file};
use super::{dialects, places};
use crate::common::property;
use crate::parts::part;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use skilltree::fs::FsCall;
use skilltree::{Catalog, IncrementalDiscovery, World, commands, discover};
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

/// A folder for resources, or what stands in its place, and what is in it.
#[derive(Clone, Debug)]
struct Furniture {
    /// The folder that it is put into: one with a SKILL.md, or any.
    is_anywhere: bool,
    holder: Index,
    name: &'static str,
    kind: Kind,
    inside: Vec<(&'static str, Kind)>,
    skill_file: Option<(&'static str, Item)>,
}

#[derive(Clone, Debug)]
enum Kind {
    Dir,
    File,
    Fifo,
    Link(Target),
}

/// Where a symlink leads.
#[derive(Clone, Debug)]
enum Target {
    Nowhere,
    Above,
    SkillFile,
    Anything(Index),
}

fn kind(dirs: u32, files: u32) -> impl Strategy<Value = Kind> {
    let target = prop_oneof![
        1 => Just(Target::Nowhere),
        1 => Just(Target::Above),
        1 => Just(Target::SkillFile),
        2 => any::<Index>().prop_map(Target::Anything),
    ];
    prop_oneof![
        dirs => Just(Kind::Dir),
        files => Just(Kind::File),
        1 => Just(Kind::Fifo),
        1 => target.prop_map(Kind::Link),
    ]
}

/// Folders and links for resources, and something in them.
fn furniture() -> impl Strategy<Value = Vec<Furniture>> {
    let name = select(&["SKILL.md", "skill.md", "Skill.md.txt"][..]);
    let skill_file = prop::option::weighted(1.0 / 6.0, (name, skill_file()));
    let inside = vec((select(FILES), kind(1, 3)), 0..5);
    let one = (prop::bool::weighted(0.25), any::<Index>(), select(FOLDERS), kind(5, 1), inside, skill_file);
    let one = one.prop_map(|(is_anywhere, holder, name, kind, inside, skill_file)| Furniture {
        is_anywhere,
        holder,
        name,
        kind,
        inside,
        skill_file,
    });
    vec(one, 1..=14)
}

impl Furniture {
    /// Without links, folders stand in their places.
    fn put_into(&self, plan: &mut Plan, has_links: bool) {
        let holders: Vec<String> =
            plan.0.keys().filter_map(|at| at.strip_suffix("/SKILL.md")).map(str::to_owned).collect();
        let dirs: Vec<String> =
            plan.0.iter().filter(|(_, item)| **item == Item::Dir).map(|(at, _)| at.clone()).collect();
        let holder = self.holder.get(if holders.is_empty() || self.is_anywhere { &dirs } else { &holders });
        if plan.0.get(holder) != Some(&Item::Dir) {
            return;
        }
        let all: Vec<String> = plan.0.keys().cloned().collect();
        let item = |kind: &Kind| match kind {
            Kind::Dir => Item::Dir,
            Kind::Link(_) if !has_links => Item::Dir,
            Kind::File => Item::File(b"text".to_vec()),
            Kind::Fifo => Item::Fifo,
            Kind::Link(Target::Nowhere) => Item::Link("nowhere".to_owned()),
            Kind::Link(Target::Above) => Item::Link("..".to_owned()),
            Kind::Link(Target::SkillFile) => Item::Link(format!("{holder}/SKILL.md")),
            Kind::Link(Target::Anything(index)) => Item::Link(index.get(&all).clone()),
        };
        let folder = format!("{holder}/{}", self.name);
        if *plan.0.entry(folder.clone()).or_insert_with(|| item(&self.kind)) != Item::Dir {
            return;
        }
        for (name, kind) in &self.inside {
            plan.0.entry(format!("{folder}/{name}")).or_insert_with(|| item(kind));
        }
        if let Some((name, file)) = &self.skill_file {
            plan.0.entry(format!("{folder}/{name}")).or_insert_with(|| file.clone());
        }
    }
}

/// Gives the folders of this tree, with a SKILL.md or without, these resources.
fn furnish(plan: &mut Plan, furniture: &[Furniture], has_links: bool) {
    furniture.iter().for_each(|one| one.put_into(plan, has_links));
}

fn listed(world: &World<'_>, catalog: &Catalog) -> String {
    format!("{:#}", catalog.to_json(world, &commands(catalog, &[])))
}

/// What a catalog with resources says is what one without says.
#[track_caller]
fn tells_the_same(case: &str, world: &World<'_>, kept: &Catalog, plain: &Catalog) {
    for (kept, plain) in kept.skills().iter().zip(plain.skills()) {
        assert_eq!(kept.resources(world), plain.resources(world), "{case}: {}", plain.path);
    }
    let whole = listed(world, plain);
    assert_eq!(listed(world, kept), whole, "{case}");
    assert_eq!(format!("{:#}", kept.json_text(world, &[], &[], None)), whole, "{case}: written");
}

#[test]
fn resources_of_the_walk_are_those_that_are_listed() {
    let (lists_kept, lists_plain) = (Cell::new(0), Cell::new(0));
    let cases = prop_oneof![
        (Just(false), plain(), vec(furniture(), 1..=5), prop::bool::weighted(0.25)),
        (Just(true), linked(), vec(furniture(), 1..=5), prop::bool::weighted(0.25)),
    ];
    let name = "resources_of_the_walk_are_those_that_are_listed";
    property::check(name, 30, cases, |(has_links, tree, rounds, is_on_disk)| {
        for dialect in dialects() {
            let mut plan = tree.plan(&roots(&dialect));
            let (places, machine) = (places(), machine());
            let mut live = IncrementalDiscovery::new(dialect.clone());
            let mut fs = plan.tree().mem();
            for furniture in &rounds {
                let before = plan.clone();
                furnish(&mut plan, furniture, has_links);
                plan.change(&before, &mut fs);
                let world = World::new(&fs, &places, &machine);
                let lists = |catalog: &Catalog| {
                    fs.reset();
                    listed(&world, catalog);
                    fs.calls(FsCall::List)
                };
                let (kept, plain) = (discover(&world.with_resources(), &dialect), discover(&world, &dialect));
                tells_the_same(&format!("{}: in memory", dialect.name()), &world, &kept, &plain);
                let refreshed = live.refresh(&world.with_resources());
                tells_the_same(&format!("{}: refreshed", dialect.name()), &world, &refreshed, &plain);
                assert_eq!(format!("{refreshed:?}"), format!("{kept:?}"), "{}: refreshed", dialect.name());
                // Where no link is, each folder was listed by the walk, and not again, if folders of skills are entered.
                let is_entered = part(&dialect, "scan.nested").text() == "yes";
                assert!(has_links || !is_entered || lists(&kept) == 0, "{}: no folder is listed again", dialect.name());
                lists_kept.set(lists_kept.get() + lists(&kept));
                lists_plain.set(lists_plain.get() + lists(&plain));
            }
            #[cfg(not(unix))]
            let _ = is_on_disk;
            #[cfg(unix)]
            if is_on_disk {
                let (disk, _folder) = plan.tree().disk();
                let world = World::new(&disk, &places, &machine);
                let (kept, plain) = (discover(&world.with_resources(), &dialect), discover(&world, &dialect));
                tells_the_same(&format!("{}: on the disk", dialect.name()), &world, &kept, &plain);
            }
        }
        Ok(())
    });
    let (kept, plain) = (lists_kept.get(), lists_plain.get());
    assert!(kept * 2 < plain, "{kept} lists with links, and {plain} without what the walk has seen");
}
