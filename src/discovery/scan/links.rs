//! Where a directory stands when links lead to it: an anchor is a real folder with the path and level by which a
//! scan reaches it first, level by level, real folders before links, links of one level in byte order
//! (decisions 9, 10). Pure: paths in, paths out.

use super::step::is_never_entered;
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

/// How many places of one folder are named. Links into each other's folders can give it any number.
const MOST_PLACES: usize = 17;

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

impl Link {
    /// Its path in the real folder that holds it.
    fn real(&self) -> FsPath {
        self.dir.child(self.path.name()).unwrap_or_else(|_| self.path.clone())
    }
}

/// A real directory, and how it is reached.
struct Anchor {
    path: FsPath,
    level: usize,
}

/// All anchors of one source, and the links still to follow.
pub(super) struct LinkResolver {
    root: FsPath,
    by_real: HashMap<String, Anchor>,
    /// For each length, whether a path in `by_real` has it: folders above a path are looked up only where one can be.
    lengths: Vec<bool>,
    waiting: BinaryHeap<Reverse<Link>>,
    /// The level whose links are being followed.
    level: usize,
    /// Folders that links of this level reach sooner than before.
    sooner: Vec<FsPath>,
    /// Links that were taken up, by their paths in real folders.
    taken: HashSet<FsPath>,
    /// The paths of all links in real folders, by the folder that holds them.
    by_dir: BTreeMap<FsPath, Vec<FsPath>>,
    /// Links to what is reached already, by the real folder that they lead to.
    again: BTreeMap<FsPath, Vec<FsPath>>,
}

impl LinkResolver {
    pub(super) fn new(real: FsPath, path: FsPath) -> LinkResolver {
        let mut anchors = LinkResolver {
            root: real.clone(),
            lengths: Vec::new(),
            by_real: HashMap::new(),
            waiting: BinaryHeap::new(),
            level: 0,
            sooner: Vec::new(),
            taken: HashSet::new(),
            by_dir: BTreeMap::new(),
            again: BTreeMap::new(),
        };
        anchors.put(&real, Anchor { path, level: 0 });
        anchors
    }

    fn put(&mut self, real: &FsPath, anchor: Anchor) {
        let real = real.as_str();
        self.lengths.resize(self.lengths.len().max(real.len() + 1), false);
        if let Some(length) = self.lengths.get_mut(real.len()) {
            *length = true;
        }
        self.by_real.insert(real.to_owned(), anchor);
    }

    /// The real root of the source.
    pub(super) fn root(&self) -> &FsPath {
        &self.root
    }

    /// Whether a walk began at this real folder.
    pub(super) fn is_walked(&self, real: &FsPath) -> bool {
        self.by_real.contains_key(real.as_str())
    }

    /// Whether no walk but the first began yet.
    pub(super) fn is_single(&self) -> bool {
        self.by_real.len() == 1
    }

    /// Whether no link led anywhere: what was walked stands where it was walked to.
    pub(super) fn is_plain(&self) -> bool {
        self.is_single() && self.again.is_empty()
    }

    /// The real folders that walks began at, each with its path.
    pub(super) fn into_walked(self) -> impl Iterator<Item = (FsPath, FsPath)> {
        self.by_real.into_iter().filter_map(|(real, anchor)| Some((FsPath::new(&real).ok()?, anchor.path)))
    }

    /// Links that a walk came across.
    pub(super) fn add_links(&mut self, links: Vec<Link>) {
        for link in links {
            self.by_dir.entry(link.dir.clone()).or_default().push(link.real());
            self.waiting.push(Reverse(link));
        }
    }

    /// The next link by level and path. Each is followed once, at the first place that it is reached by.
    pub(super) fn next_link(&mut self) -> Option<Link> {
        loop {
            // What a level reaches sooner has its links on levels below: all at once, when the level is done.
            if self.waiting.peek().is_none_or(|Reverse(link)| self.level < link.level) {
                self.reach_below();
            }
            let Reverse(link) = self.waiting.pop()?;
            self.level = link.level;
            if self.taken.insert(link.real()) {
                return Some(link);
            }
        }
    }

    /// Whether a real folder is reached at this level or before.
    pub(super) fn is_reached(&self, real: &FsPath, level: usize) -> bool {
        self.ways(real).first().is_some_and(|way| way.level <= level)
    }

    /// Whether some walk has been through a real folder.
    pub(super) fn is_covered(&self, real: &FsPath) -> bool {
        !self.ways(real).is_empty()
    }

    /// A folder is reached by a link, sooner than by any other way. Links in it are reached sooner too.
    pub(super) fn set(&mut self, real: FsPath, link: Link) {
        self.put(&real, Anchor { path: link.path, level: link.level });
        self.sooner.push(real);
    }

    /// Puts the links below the folders that were reached sooner where they are reached by now.
    fn reach_below(&mut self) {
        let mut sooner = std::mem::take(&mut self.sooner);
        sort_by(&mut sooner, Ord::cmp);
        // What is below the one before it is looked through with that one.
        sooner.dedup_by(|later, before| later.is_within(before));
        let dirs = sooner.iter().flat_map(|real| under(&self.by_dir, real)).map(|(dir, _)| dir);
        let mut dirs: Vec<&FsPath> = dirs.collect();
        sort_by(&mut dirs, Ord::cmp);
        dirs.dedup();
        let mut found = Vec::new();
        for dir in dirs {
            let links = self.by_dir.get(dir).map_or(&[][..], Vec::as_slice);
            let way = self.ways(dir).into_iter().next();
            let Some((level, path)) = way.and_then(|way| Some((way.level + 1, way.path()?))) else { continue };
            for real in links.iter().filter(|real| !self.taken.contains(*real)) {
                found.extend(path.child(real.name()).ok().map(|path| Link { level, path, dir: dir.clone() }));
            }
        }
        self.waiting.extend(found.into_iter().map(Reverse));
    }

    /// A link to what is reached already.
    pub(super) fn note_again(&mut self, link: FsPath, target: &FsPath) {
        self.again.entry(target.clone()).or_default().push(link);
    }

    /// The links to what was reached already, with the real folder that they lead to.
    pub(super) fn again(&self) -> impl Iterator<Item = (&FsPath, &FsPath)> {
        self.again.iter().flat_map(|(target, links)| links.iter().map(move |link| (target, link)))
    }

    /// The path at which a real folder stands.
    pub(super) fn place(&self, real: &FsPath) -> Option<FsPath> {
        self.ways(real).first().and_then(Way::path)
    }

    /// The paths by which walks come to a real folder, with their levels; the one where it stands comes first. And
    /// how many there are more.
    pub(super) fn places(&self, real: &FsPath) -> (Vec<(usize, FsPath)>, usize) {
        let ways = self.ways(real);
        let places = ways.iter().take(MOST_PLACES).filter_map(|way| Some((way.level, way.path()?)));
        (places.collect(), ways.len().saturating_sub(MOST_PLACES))
    }

    /// The ways by which walks come to a real folder, the soonest first.
    fn ways<'w>(&'w self, real: &'w FsPath) -> Vec<Way<'w>> {
        let text = real.as_str();
        let mut ways = Vec::new();
        let mut end = if real.depth() == 0 { 0 } else { text.len() };
        let mut depth = 0;
        loop {
            let from = text.get(..end.max(1)).unwrap_or("/");
            if let Some(anchor) =
                self.lengths.get(from.len()).filter(|is_one| **is_one).and_then(|_| self.by_real.get(from))
            {
                let rel = text.get(end + 1..).unwrap_or("");
                ways.push(Way { level: anchor.level + depth, anchor, rel });
            }
            let Some((above, name)) = text.get(..end).and_then(|from| from.rsplit_once('/')) else { break };
            if is_never_entered(name) {
                break;
            }
            (end, depth) = (above.len(), depth + 1);
        }
        // An anchor is set only where it is sooner than all others, so no two ways have one level.
        sort_by(&mut ways, |a, b| a.level.cmp(&b.level));
        ways
    }
}

/// The way from a reached folder down to a real one, which a walk takes.
struct Way<'w> {
    level: usize,
    anchor: &'w Anchor,
    rel: &'w str,
}

impl Way<'_> {
    fn path(&self) -> Option<FsPath> {
        self.anchor.path.join(self.rel).ok()
    }
}

/// What a map of paths holds at a folder and below it, the folder first.
fn under<'m, T>(map: &'m BTreeMap<FsPath, T>, dir: &FsPath) -> impl Iterator<Item = (&'m FsPath, &'m T)> + use<'m, T> {
    let itself = map.get_key_value(dir);
    // Below `/a` stands what begins with `/a/`; `/a-` comes before, `/a0` after.
    let first = dir.child("\u{1}").unwrap_or_else(|_| dir.clone());
    let dir = dir.clone();
    itself.into_iter().chain(map.range(first..).take_while(move |(path, _)| path.is_within(&dir)))
}

/// What a list that is sorted by path holds at a folder and below it, the folder first.
pub(super) fn under_in<'m, T>(
    sorted: &'m [(FsPath, T)],
    dir: &FsPath,
) -> impl Iterator<Item = &'m (FsPath, T)> + use<'m, T> {
    let itself = sorted.binary_search_by(|(path, _)| path.cmp(dir)).ok().and_then(|at| sorted.get(at));
    let prefix = format!("{}/", dir.as_str().trim_end_matches('/'));
    let start = sorted.partition_point(|(path, _)| path.as_str() <= prefix.as_str());
    let below = sorted.iter().skip(start).take_while(move |(path, _)| path.as_str().starts_with(&prefix));
    itself.into_iter().chain(below)
}
