//! Strategies for trees. A [`Sketch`] says what a tree is like without the folders that a dialect looks at; with these
//! it becomes a [`Plan`] of folders, files and symlinks, which is built in memory or on the disk in any order.

use super::words;
use crate::common::Tree;
use crate::parts::{Part, part};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use skilltree::{Dialect, MemFs};
use std::collections::BTreeMap;

/// Names that collide, that are never entered, and that need care.
const NAMES: &[&str] =
    &["a", "b", "tea", "Tea", "tea-2", "two words", "übung", "node_modules", ".git", "x&y", "<b>", "a\nb", "SKILL.md"];

/// One thing of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    File(Vec<u8>),
    Dir,
    Link(String),
    Fifo,
}

/// What stands at which path. Every folder of a path is there too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan(pub(crate) BTreeMap<String, Item>);

impl Plan {
    pub(crate) fn tree(&self) -> Tree {
        self.ordered(&[])
    }

    /// The tree, its parts added in the order of these numbers.
    pub(crate) fn ordered(&self, order: &[u16]) -> Tree {
        let mut parts: Vec<_> = self.0.iter().enumerate().collect();
        parts.sort_by_key(|(number, _)| order.get(*number).copied());
        parts.into_iter().map(|(_, part)| part).fold(Tree::default(), |tree, (at, item)| match item {
            Item::File(bytes) => tree.with(at, bytes.clone()),
            Item::Dir => tree.with_dir(at),
            Item::Link(target) => tree.with_link(at, target),
            Item::Fifo => tree.with_other(at),
        })
    }

    /// Makes a tree that was built from `before` the tree of this plan. What is the same is left alone.
    pub(crate) fn change(&self, before: &Plan, fs: &mut MemFs) {
        for (at, _) in before.0.iter().filter(|(at, item)| self.0.get(*at) != Some(item)) {
            fs.remove(at);
        }
        for (at, item) in self.0.iter().filter(|(at, item)| before.0.get(*at) != Some(item)) {
            match item {
                Item::File(bytes) => fs.file(at, bytes.clone()),
                Item::Dir => fs.dir(at),
                Item::Link(target) => fs.link(at, target),
                Item::Fifo => fs.other(at),
            };
        }
    }

    fn put(&mut self, at: String, item: Item) {
        self.0.entry(at).or_insert(item);
    }

    fn dirs(&self) -> Vec<String> {
        self.0.iter().filter(|(_, item)| **item == Item::Dir).map(|(at, _)| at.clone()).collect()
    }

    pub(crate) fn files(&self) -> Vec<String> {
        self.0.iter().filter(|(_, item)| matches!(item, Item::File(_))).map(|(at, _)| at.clone()).collect()
    }

    /// A folder and all above it.
    fn make(&mut self, dir: &str) {
        let ends = dir.match_indices('/').map(|(at, _)| at).skip(1).chain([dir.len()]);
        for end in ends {
            self.put(dir[..end].to_owned(), Item::Dir);
        }
    }
}

/// The folders that a dialect looks at, from low to high.
pub(crate) fn roots(dialect: &Dialect) -> Vec<String> {
    let named = super::places().roots.into_iter().map(|root| root.to_string());
    sources(dialect).into_iter().map(|(_, root)| root).chain(named).collect()
}

/// The rules for sources of folders of skills, each with the folder that it names, from low to high.
pub(crate) fn sources(dialect: &Dialect) -> Vec<(Part, String)> {
    let root = |source: Part| match source.at("base").text() {
        base @ ("home" | "project") => Some(format!("/{base}/{}", source.at("path").text())),
        _ => None,
    };
    // Folders of plugins hold folders of skills, and are for [`plugins`].
    let folders = part(dialect, "sources").rows().filter(|source| matches!(source.at("kind").text(), "" | "folders"));
    folders.filter_map(|source| Some((source, root(source)?))).collect()
}

/// The rules for the user's folders of plugins, each with the folders of skills of some plugins there.
pub(crate) fn plugins(dialect: &Dialect) -> Vec<(Part, Vec<String>)> {
    let of_rule = |source: Part| {
        let skills = source.at("kind").at("plugins.skills").text();
        let path = source.at("path").text();
        let is_plugins = source.at("kind").text() == "plugins" && source.at("base").text() == "home";
        is_plugins.then(|| ["a", "b", "c"].map(|name| format!("/home/{path}/{name}/{skills}")).to_vec())
    };
    part(dialect, "sources").rows().filter_map(|source| Some((source, of_rule(source)?))).collect()
}

/// What a tree of skills is like, below whatever folders.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    branches: Vec<Branch>,
    links: Vec<Link>,
}

/// A folder with one entry.
#[derive(Clone, Debug)]
struct Branch {
    /// Whether it lies where no dialect looks.
    is_elsewhere: bool,
    root: Index,
    names: Vec<&'static str>,
    entry: (&'static str, Item),
}

/// A symlink.
#[derive(Clone, Debug)]
struct Link {
    dir: Index,
    /// Its name; with none it has one that nothing else has.
    name: Option<&'static str>,
    target: Target,
}

/// Where a symlink leads.
#[derive(Clone, Debug)]
enum Target {
    Nowhere,
    Itself,
    ItsFolder,
    Above,
    Anything(Index),
    File(Index),
    Dir(Index),
}

impl Sketch {
    /// The tree below these folders, one that is no source, and the folders that hold them.
    pub(crate) fn plan(&self, roots: &[String]) -> Plan {
        let mut plan = Plan::default();
        for dir in ["/home", "/project", "/elsewhere"] {
            plan.make(dir);
        }
        for branch in &self.branches {
            let mut at = if branch.is_elsewhere { "/elsewhere".to_owned() } else { branch.root.get(roots).clone() };
            plan.make(&at);
            for name in &branch.names {
                let below = format!("{at}/{name}");
                if !matches!(plan.0.get(&below), None | Some(Item::Dir)) {
                    break;
                }
                plan.make(&below);
                at = below;
            }
            let (name, item) = &branch.entry;
            plan.put(format!("{at}/{name}"), item.clone());
        }
        for (number, link) in self.links.iter().enumerate() {
            link.put_into(&mut plan, number);
        }
        plan
    }
}

impl Link {
    fn put_into(&self, plan: &mut Plan, number: usize) {
        let (dirs, files) = (plan.dirs(), plan.files());
        let dir = self.dir.get(&dirs);
        let name = self.name.map_or_else(|| format!("l{number}"), str::to_owned);
        let target = match &self.target {
            Target::Itself => name.clone(),
            Target::ItsFolder => ".".to_owned(),
            Target::Above if dir.matches('/').count() > 1 => "..".to_owned(),
            Target::Anything(index) => index.get(&plan.0.keys().cloned().collect::<Vec<_>>()).clone(),
            Target::File(index) if !files.is_empty() => index.get(&files).clone(),
            Target::Dir(index) => index.get(&dirs).clone(),
            Target::Nowhere | Target::Above | Target::File(_) => "nowhere".to_owned(),
        };
        plan.put(format!("{dir}/{name}"), Item::Link(target));
    }
}

/// A tree of skills without links.
pub(crate) fn plain() -> impl Strategy<Value = Sketch> {
    vec(branch(), 1..=16).prop_map(|branches| Sketch { branches, links: Vec::new() })
}

/// A tree of skills with links: to folders and files, to themselves, to folders above, to nothing.
pub(crate) fn linked() -> impl Strategy<Value = Sketch> {
    (plain(), vec(link(), 1..=8)).prop_map(|(sketch, links)| Sketch { links, ..sketch })
}

/// A tree of skills, with links or without.
pub(crate) fn any_tree() -> impl Strategy<Value = Sketch> {
    prop_oneof![plain(), linked()]
}

/// A SKILL.md as some author might have written it.
pub(crate) fn skill_file() -> impl Strategy<Value = Item> {
    words::manifest().prop_map(|text| Item::File(text.into_bytes()))
}

fn branch() -> impl Strategy<Value = Branch> {
    let entry = prop_oneof![
        8 => skill_file().prop_map(|item| ("SKILL.md", item)),
        1 => skill_file().prop_map(|item| ("skill.md", item)),
        1 => Just(("SKILL.md", Item::Fifo)),
        1 => Just(("SKILL.md", Item::Dir)),
        1 => Just(("notes.txt", Item::File(b"text".to_vec()))),
    ];
    (prop::bool::weighted(1.0 / 6.0), any::<Index>(), vec(select(NAMES), 0..4), entry)
        .prop_map(|(is_elsewhere, root, names, entry)| Branch { is_elsewhere, root, names, entry })
}

fn link() -> impl Strategy<Value = Link> {
    let name = prop_oneof![
        2 => Just(None),
        1 => select(&["SKILL.md", "tea", "node_modules"][..]).prop_map(Some),
    ];
    let target = prop_oneof![
        1 => Just(Target::Nowhere),
        1 => Just(Target::ItsFolder),
        1 => Just(Target::Above),
        1 => Just(Target::Itself),
        1 => any::<Index>().prop_map(Target::Anything),
        1 => any::<Index>().prop_map(Target::File),
        3 => any::<Index>().prop_map(Target::Dir),
    ];
    (any::<Index>(), name, target).prop_map(|(dir, name, target)| Link { dir, name, target })
}
