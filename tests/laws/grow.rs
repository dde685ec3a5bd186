//! In: numbers from a seed, and the folders that a dialect looks at. Out: a plan of a tree: folders, files and
//! links, to be built in memory or on the disk in any order. Absent: what is found in it.

use super::words;
use crate::common::{Random, Tree};
use skilltree::dialect::{Base, SourceKind, SourceRule};
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
        self.shuffled(None)
    }

    /// The tree, its parts added in another order.
    pub(crate) fn shuffled(&self, random: Option<&mut Random>) -> Tree {
        let mut parts: Vec<_> = self.0.iter().collect();
        if let Some(random) = random {
            for at in (1..parts.len()).rev() {
                parts.swap(at, random.below(at + 1));
            }
        }
        parts.into_iter().fold(Tree::default(), |tree, (at, item)| match item {
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
    let root = |source: &SourceRule| match source.base {
        Base::Home => Some(format!("/home/{}", source.path)),
        Base::Project => Some(format!("/project/{}", source.path)),
        _ => None,
    };
    let named = super::places().roots.into_iter().map(|root| root.to_string());
    // Folders of plugins hold folders of skills, and are tested for themselves.
    let folders = dialect.sources.iter().filter(|source| source.reading == SourceKind::Folders);
    folders.filter_map(root).chain(named).collect()
}

/// A tree of skills below these folders and one that is no source, without links.
pub(crate) fn plain(random: &mut Random, roots: &[String]) -> Plan {
    let mut plan = Plan::default();
    for dir in ["/home", "/project", "/elsewhere"] {
        plan.make(dir);
    }
    for _ in 0..4 + random.below(10) {
        let mut at = if random.one_in(6) { "/elsewhere".to_owned() } else { random.pick(roots).clone() };
        plan.make(&at);
        for _ in 0..random.below(4) {
            let below = format!("{at}/{}", random.pick(NAMES));
            if !matches!(plan.0.get(&below), None | Some(Item::Dir)) {
                break;
            }
            plan.make(&below);
            at = below;
        }
        fill(random, &mut plan, &at);
    }
    plan
}

fn fill(random: &mut Random, plan: &mut Plan, dir: &str) {
    match random.below(12) {
        0 => plan.put(format!("{dir}/skill.md"), Item::File(words::manifest(random).into_bytes())),
        1 => plan.put(format!("{dir}/SKILL.md"), Item::Fifo),
        2 => plan.put(format!("{dir}/SKILL.md"), Item::Dir),
        3 => plan.put(format!("{dir}/notes.txt"), Item::File(b"text".to_vec())),
        _ => plan.put(format!("{dir}/SKILL.md"), Item::File(words::manifest(random).into_bytes())),
    }
}

/// The same with links: to folders and files, to themselves, to folders above, to nothing.
pub(crate) fn linked(random: &mut Random, roots: &[String]) -> Plan {
    let mut plan = plain(random, roots);
    for number in 0..1 + random.below(8) {
        let dirs = plan.dirs();
        let dir = random.pick(&dirs).clone();
        let named = [format!("l{number}"), "SKILL.md".to_owned(), "tea".to_owned(), "node_modules".to_owned()];
        let at = format!("{dir}/{}", named[if random.one_in(3) { 1 + random.below(3) } else { 0 }]);
        let target = match random.below(9) {
            0 => "nowhere".to_owned(),
            1 => ".".to_owned(),
            2 if dir.matches('/').count() > 1 => "..".to_owned(),
            3 => at.rsplit('/').next().unwrap_or_default().to_owned(),
            4 => random.pick(&plan.0.keys().cloned().collect::<Vec<_>>()).clone(),
            5 => random.pick(&plan.files()).clone(),
            _ => random.pick(&dirs).clone(),
        };
        plan.put(at, Item::Link(target));
    }
    plan
}
