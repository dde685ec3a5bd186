//! Where a directory stands when links lead to it: an anchor is a real folder with the path and level by which a
//! scan reaches it first, level by level, real folders before links, links of one level in byte order
//! (decisions 9, 10). Pure: paths in, paths out.

use super::step::NEVER_ENTERED;
use crate::path::FsPath;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A link to a directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    /// The level of what it leads to. First, so that links come level by level, in byte order of their paths.
    pub(super) level: usize,
    /// Its path as walked.
    pub(super) path: FsPath,
    /// The real folder that holds it.
    pub(super) dir: FsPath,
}

/// A real directory, and how it is reached.
struct Anchor {
    path: FsPath,
    level: usize,
}

/// All anchors of one source, and the links still to follow.
pub(super) struct Anchors {
    root: FsPath,
    by_real: HashMap<FsPath, Anchor>,
    waiting: BTreeSet<Link>,
    /// Links that were taken up, by real folder and name.
    taken: HashSet<(FsPath, String)>,
    /// The names of all links, by the real folder that holds them.
    by_dir: BTreeMap<FsPath, Vec<String>>,
    /// Links to what is reached already, by the real folder that they lead to.
    again: BTreeMap<FsPath, Vec<FsPath>>,
}

impl Anchors {
    pub(super) fn new(real: FsPath, path: FsPath) -> Anchors {
        Anchors {
            by_real: HashMap::from([(real.clone(), Anchor { path, level: 0 })]),
            root: real,
            waiting: BTreeSet::new(),
            taken: HashSet::new(),
            by_dir: BTreeMap::new(),
            again: BTreeMap::new(),
        }
    }

    /// The real root of the source.
    pub(super) fn root(&self) -> &FsPath {
        &self.root
    }

    /// Whether a walk began at this real folder.
    pub(super) fn is_walked(&self, real: &FsPath) -> bool {
        self.by_real.contains_key(real)
    }

    /// Links that a walk came across.
    pub(super) fn add_links(&mut self, links: Vec<Link>) {
        for link in links {
            self.by_dir.entry(link.dir.clone()).or_default().push(link.path.name().to_owned());
            self.waiting.insert(link);
        }
    }

    /// The next link by level and path. Each is followed once, at the first place that it is reached by.
    pub(super) fn next_link(&mut self) -> Option<Link> {
        while let Some(link) = self.waiting.pop_first() {
            if self.taken.insert((link.dir.clone(), link.path.name().to_owned())) {
                return Some(link);
            }
        }
        None
    }

    /// Whether a real folder is reached at this level or before.
    pub(super) fn is_reached(&self, real: &FsPath, level: usize) -> bool {
        self.soonest(real).is_some_and(|(reached, ..)| reached <= level)
    }

    /// Whether some walk has been through a real folder.
    pub(super) fn is_covered(&self, real: &FsPath) -> bool {
        self.soonest(real).is_some()
    }

    /// A folder is reached by a link, sooner than by any other way. Links in it are reached sooner too.
    pub(super) fn set(&mut self, real: FsPath, link: Link) {
        let anchor = Anchor { path: link.path, level: link.level };
        for (dir, names) in under(&self.by_dir, &real) {
            // A sooner way to this folder, if there is one, has its links waiting already.
            let Some((level, path)) = way(&real, &anchor, dir).and_then(|(level, rel)| Some((level, anchor.at(rel)?)))
            else {
                continue;
            };
            for name in names.iter().filter(|name| !self.taken.contains(&(dir.clone(), name.to_string()))) {
                if let Ok(path) = path.child(name) {
                    self.waiting.insert(Link { level: level + 1, path, dir: dir.clone() });
                }
            }
        }
        self.by_real.insert(real, anchor);
    }

    /// A link to what is reached already.
    pub(super) fn note_again(&mut self, link: FsPath, target: &FsPath) {
        self.again.entry(target.clone()).or_default().push(link);
    }

    /// The links to what was reached already, with the real folder that they lead to.
    pub(super) fn again(&self) -> impl Iterator<Item = (&FsPath, &FsPath)> {
        self.again.iter().flat_map(|(target, links)| links.iter().map(move |link| (target, link)))
    }

    /// Where a real folder stands: its level and its path by the soonest way.
    pub(super) fn first(&self, real: &FsPath) -> Option<(usize, FsPath)> {
        let (level, anchor, rel) = self.soonest(real)?;
        Some((level, anchor.at(rel)?))
    }

    /// Every path by which walks come to a real folder, with its level; the one where it stands comes first.
    pub(super) fn places(&self, real: &FsPath) -> Vec<(usize, FsPath)> {
        let mut places: Vec<_> =
            self.ways(real).filter_map(|(level, anchor, rel)| Some((level, anchor.at(rel)?))).collect();
        places.sort();
        places
    }

    /// An anchor is set only where it is sooner than all others, so no two ways tie for the first.
    fn soonest<'a>(&'a self, real: &'a FsPath) -> Option<(usize, &'a Anchor, &'a str)> {
        self.ways(real).min_by_key(|(level, ..)| *level)
    }

    /// The ways that walks come to a real folder: level, anchor, and the path from there.
    fn ways<'a>(&'a self, real: &'a FsPath) -> impl Iterator<Item = (usize, &'a Anchor, &'a str)> {
        // With the root alone there is nothing to look up on the way to it.
        let alone = (self.by_real.len() == 1).then(|| self.by_real.iter().next()).flatten();
        let start = if alone.is_some() { None } else { Some(real.clone()) };
        let above = std::iter::successors(start, FsPath::parent).filter_map(|from| self.by_real.get_key_value(&from));
        alone.into_iter().chain(above).filter_map(move |(from, anchor)| {
            let (level, rel) = way(from, anchor, real)?;
            Some((level, anchor, rel))
        })
    }
}

impl Anchor {
    /// The path of what lies below it.
    fn at(&self, rel: &str) -> Option<FsPath> {
        self.path.join(rel).ok()
    }
}

/// The level of a real folder by way of a reached one, and the path from there, if a walk takes it.
fn way<'r>(from: &FsPath, anchor: &Anchor, real: &'r FsPath) -> Option<(usize, &'r str)> {
    let rel = real.below(from)?;
    if rel.split('/').any(|name| NEVER_ENTERED.contains(&name)) {
        return None;
    }
    let depth = if rel.is_empty() { 0 } else { rel.matches('/').count() + 1 };
    Some((anchor.level + depth, rel))
}

/// What a map of paths holds at a folder and below it, the folder first.
pub(super) fn under<'m, T>(
    map: &'m BTreeMap<FsPath, T>,
    dir: &FsPath,
) -> impl Iterator<Item = (&'m FsPath, &'m T)> + use<'m, T> {
    let itself = map.get_key_value(dir);
    // Below `/a` stands what begins with `/a/`; `/a-` comes before, `/a0` after.
    let below = dir.child("\u{1}").ok().map(|first| map.range(first..));
    let dir = dir.clone();
    itself.into_iter().chain(below.into_iter().flatten().take_while(move |(path, _)| path.is_within(&dir)))
}
