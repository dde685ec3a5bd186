//! Follows symlinks to folders: decides under which path each real folder is listed, and which symlinks are still to be
//! followed. A folder belongs to the shortest way that leads to it: level by level, real folders before symlinks,
//! symlinks of one level in byte order (rules 3.3, 3.4 and 3.6). Remembers too which folders the sources of one rank
//! have been through: a thousand plugins may lead to one tree, which is walked for the first of them, and again only
//! where the limit of depth lets a later one read more of it, so that the work depends on what is on the disk and not
//! on the number of ways to it. Works on paths alone and asks no file system.

use super::step::{is_reserved, is_skipped, reads_skill_at};
use crate::dialect::ScanRule;
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::cmp::Ordering;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::ops::Bound;

/// How many paths of one folder are reported. Symlinks into each other's folders can give it any number.
const MAX_REPORTED_PATHS: usize = 17;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    /// The level of the directory that it leads to. The first field, so that links are sorted by level, then path.
    pub(super) level: usize,
    pub(super) path: FsPath,
    pub(super) dir: FsPath,
}

impl Link {
    /// The path of the symlink in the real folder that holds it.
    fn real_path(&self) -> FsPath {
        self.path.moved_to(&self.dir)
    }
}

/// The real folders of one source that walks started at, and the symlinks still to follow.
pub(super) struct LinkResolver<'r> {
    rule: &'r ScanRule,
    root: FsPath,
    starts: HashMap<String, WalkStart>,
    /// Whether `starts` has a path of this length in bytes, so that only folders of such a length are looked up.
    has_start_of_length: Vec<bool>,
    waiting: BinaryHeap<Reverse<Link>>,
    /// The level whose links are being followed.
    level: usize,
    /// Folders that links of this level reach sooner than any other way.
    reached_sooner: Vec<FsPath>,
    /// Links that were followed, by their real paths.
    followed: HashSet<FsPath>,
    /// The real paths of all links, each with the real folder that holds it.
    links: BTreeMap<FsPath, FsPath>,
    /// Links to folders that had been reached already, each after the real folder that it leads to.
    duplicates: Vec<(FsPath, FsPath)>,
    /// The real folders in which walks entered no further folders, because of the skill in them (rule 3.18).
    closed: HashSet<FsPath>,
    /// The real folders of links that were not followed because of where the root lies.
    left: Vec<FsPath>,
}

impl<'r> LinkResolver<'r> {
    /// A resolver for a source that is scanned by this rule and whose root has the real path `real` and is listed as `path`.
    pub(super) fn new(rule: &'r ScanRule, real: FsPath, path: FsPath) -> LinkResolver<'r> {
        let mut resolver = LinkResolver {
            rule,
            root: real.clone(),
            has_start_of_length: Vec::new(),
            starts: HashMap::new(),
            waiting: BinaryHeap::new(),
            level: 0,
            reached_sooner: Vec::new(),
            followed: HashSet::new(),
            links: BTreeMap::new(),
            duplicates: Vec::new(),
            closed: HashSet::new(),
            left: Vec::new(),
        };
        resolver.add_start(WalkStart { real, path, level: 0, is_own_skill: false });
        resolver
    }

    fn add_start(&mut self, start: WalkStart) {
        let real = start.real.as_str().to_owned();
        self.has_start_of_length.resize(self.has_start_of_length.len().max(real.len() + 1), false);
        self.has_start_of_length[real.len()] = true;
        self.starts.insert(real, start);
    }

    pub(super) fn root(&self) -> &FsPath {
        &self.root
    }

    /// Whether a walk started at this real folder.
    pub(super) fn is_start(&self, real: &FsPath) -> bool {
        self.starts.contains_key(real.as_str())
    }

    /// Whether the only walk so far started at the root.
    pub(super) fn has_single_start(&self) -> bool {
        self.starts.len() == 1
    }

    /// Whether no symlink led to a folder, so that every file is listed under the path it was walked by.
    pub(super) fn is_unused(&self) -> bool {
        self.has_single_start() && self.duplicates.is_empty()
    }

    /// Adds the real folders in which a walk entered no further folders.
    pub(super) fn add_closed(&mut self, closed: &[FsPath]) {
        self.closed.extend(closed.iter().cloned());
    }

    pub(super) fn add_links(&mut self, links: Vec<Link>) {
        for link in links {
            self.links.insert(link.real_path(), link.dir.clone());
            self.waiting.push(Reverse(link));
        }
    }

    /// Takes the next link to follow, by level and path. Each is followed once, under the first path that leads to it.
    pub(super) fn next_link(&mut self) -> Option<Link> {
        loop {
            // Folders reached sooner on this level have links on lower levels only: these are added together, once the
            // level is finished.
            if self.waiting.peek().is_none_or(|Reverse(link)| self.level < link.level) {
                self.add_links_reached_sooner();
            }
            let Reverse(link) = self.waiting.pop()?;
            self.level = link.level;
            if self.followed.insert(link.real_path()) {
                return Some(link);
            }
        }
    }

    /// Notes a link that is not followed as the root lies in the folder that it leads to: a source elsewhere follows it.
    pub(super) fn leave(&mut self, link: &Link) {
        self.left.push(link.dir.clone());
    }

    /// Whether a real folder is reached at this level or a higher one.
    pub(super) fn is_reached(&self, real: &FsPath, level: usize) -> bool {
        self.ways(real).first().is_some_and(|way| way.level <= level)
    }

    /// Whether a walk has been through a real folder.
    pub(super) fn is_walked(&self, real: &FsPath) -> bool {
        !self.ways(real).is_empty()
    }

    /// Records that `link` reaches the folder `real` sooner than any other way does. `is_own_skill` says whether only the
    /// SKILL.md in it is read.
    pub(super) fn start_at(&mut self, real: FsPath, link: Link, is_own_skill: bool) {
        self.reached_sooner.push(real.clone());
        self.add_start(WalkStart { real, path: link.path, level: link.level, is_own_skill });
    }

    /// Queues the links below the folders that were reached sooner, under the paths that lead to them now.
    fn add_links_reached_sooner(&mut self) {
        let mut sooner = std::mem::take(&mut self.reached_sooner);
        sort_by(&mut sooner, Ord::cmp);
        // A folder below another one is searched together with it.
        sooner.dedup_by(|later, before| later.starts_with(before));
        let below = |real: &FsPath| self.links.range(real.before_all_below()..);
        let links = sooner.iter().flat_map(|real| below(real).take_while(|(link, _)| link.starts_with(real)));
        let mut links: Vec<(&FsPath, &FsPath)> = links.filter(|(link, _)| !self.followed.contains(*link)).collect();
        sort_by(&mut links, |(_, a), (_, b)| a.cmp(b));
        let mut found = Vec::new();
        for links in links.chunk_by(|(_, a), (_, b)| a == b) {
            let way = links.first().and_then(|(_, dir)| self.ways(dir).first().map(|way| (way.level + 1, way.path())));
            let Some((level, path)) = way else { continue };
            found.extend(links.iter().map(|(real, dir)| Link {
                level,
                path: real.moved_to(&path),
                dir: (*dir).clone(),
            }));
        }
        self.waiting.extend(found.into_iter().map(Reverse));
    }

    /// Records a link to a folder that was reached already.
    pub(super) fn add_duplicate(&mut self, link: FsPath, target: &FsPath) {
        self.duplicates.push((target.clone(), link));
    }

    /// Takes the links beside the folders that they lead to whose names come before those of the folders, by the real paths
    /// of these: of several the first in this order.
    pub(super) fn take_firsts(&mut self, compare: fn(&str, &str) -> Ordering) -> HashMap<FsPath, FsPath> {
        let mut firsts: HashMap<FsPath, FsPath> = HashMap::new();
        for (real, link) in &self.duplicates {
            let Some(known) = firsts.get(real).cloned().or_else(|| self.listed_path(real)) else { continue };
            let is_before = compare(link.name(), known.name()).is_lt();
            if is_before && link.parent() == known.parent() {
                firsts.insert(real.clone(), link.clone());
            }
        }
        self.duplicates.retain(|(real, link)| firsts.get(real) != Some(link));
        firsts
    }

    /// Takes the links to folders that had been reached already, each after the real folder, and sorted by that.
    pub(super) fn take_duplicates(&mut self) -> Vec<(FsPath, FsPath)> {
        let mut duplicates = std::mem::take(&mut self.duplicates);
        sort_by(&mut duplicates, |(a, _), (b, _)| a.cmp(b));
        duplicates
    }

    /// The path under which a real folder is listed; `None` if no walk comes to it.
    pub(super) fn listed_path(&self, real: &FsPath) -> Option<FsPath> {
        self.ways(real).first().map(Way::path)
    }

    /// The paths by which walks come to a real folder, each with its level, beginning with the one that it is listed
    /// under; and how many more there are.
    pub(super) fn paths(&self, real: &FsPath) -> (Vec<(usize, FsPath)>, usize) {
        let ways = self.ways(real);
        let paths = ways.iter().take(MAX_REPORTED_PATHS).map(|way| (way.level, way.path()));
        (paths.collect(), ways.len().saturating_sub(MAX_REPORTED_PATHS))
    }

    /// Whether no walk came from this real folder into the folders in it.
    fn is_closed(&self, real: &str) -> bool {
        !self.closed.is_empty() && FsPath::new(real).is_ok_and(|real| self.closed.contains(&real))
    }

    /// The ways by which walks come to a real folder, the shortest first.
    fn ways<'w>(&'w self, real: &'w FsPath) -> Vec<Way<'w>> {
        let mut ways = Vec::new();
        let (mut above, mut depth) = (real.as_str(), 0);
        loop {
            let has_length = self.has_start_of_length.get(above.len()).is_some_and(|has_one| *has_one);
            let start = if has_length { self.starts.get(above) } else { None };
            if let Some(start) = start {
                let names = real.as_str()[above.len()..].trim_start_matches('/');
                if !start.leaves_out(self.rule, names) {
                    ways.push(Way { level: start.level + depth, start, names });
                }
            }
            let Some((parent, name)) = above.rsplit_once('/').filter(|(_, name)| !name.is_empty()) else { break };
            if is_skipped(self.rule, name) {
                break;
            }
            (above, depth) = (if parent.is_empty() { "/" } else { parent }, depth + 1);
            if self.is_closed(above) {
                break;
            }
        }
        // A walk starts only where it comes sooner than all others, so no two ways have one level.
        sort_by(&mut ways, |a, b| a.level.cmp(&b.level));
        ways
    }
}

/// The way from a folder that a walk started at down to a real folder.
struct Way<'w> {
    level: usize,
    start: &'w WalkStart,
    /// The names below the start, with `/` between them.
    names: &'w str,
}

impl Way<'_> {
    /// The path under which the walk comes to the folder.
    fn path(&self) -> FsPath {
        self.start.path.appended(self.names)
    }
}

/// The entries of a list sorted by path for a folder and everything below it, the folder first.
pub(super) fn sorted_entries_within<'m, T>(
    sorted: &'m [(FsPath, T)],
    dir: &FsPath,
) -> impl Iterator<Item = &'m (FsPath, T)> + use<'m, T> {
    let itself = sorted.binary_search_by(|(path, _)| path.cmp(dir)).ok().map(|at| &sorted[at]);
    let first = dir.before_all_below();
    let start = sorted.partition_point(|(path, _)| *path < first);
    let dir = dir.clone();
    itself.into_iter().chain(sorted[start..].iter().take_while(move |(path, _)| path.starts_with(&dir)))
}

/// The folders at which walks for earlier sources of the same rank started.
#[derive(Default)]
pub(crate) struct WalkedFolders {
    rank: usize,
    starts: BTreeMap<FsPath, WalkStart>,
    /// The real folders in which these walks entered no further folders.
    closed: HashSet<FsPath>,
    /// The folders in which a walk left a link that a later source may follow. It walks them once more, and no third time.
    left: HashSet<FsPath>,
}

pub(super) struct WalkStart {
    pub(super) real: FsPath,
    pub(super) path: FsPath,
    /// How many folders it lies below the root of its source, as the walk came to it.
    pub(super) level: usize,
    /// Whether the walk reads only the SKILL.md in the folder itself, as a symlink leads to it.
    pub(super) is_own_skill: bool,
}

impl WalkStart {
    /// Whether this walk has left nothing to read in the folder that lies `below` folders further down, for a walk that
    /// comes to it at `level`. Where the depth is limited, the walk that is nearer to its root there reads more.
    fn has_read(&self, rule: &ScanRule, below: usize, level: usize) -> bool {
        rule.depth.is_none() || self.level + below <= level
    }

    /// Whether this walk never comes to the folder at this path below its start: it reads only a skill at its start, or the
    /// first name is reserved.
    pub(super) fn leaves_out(&self, rule: &ScanRule, names: &str) -> bool {
        let first = names.split('/').next().unwrap_or_default();
        (self.is_own_skill && !names.is_empty()) || (self.level == 0 && is_reserved(rule, first))
    }
}

impl WalkedFolders {
    /// Begins a source of this rank. A source of another rank has a precedence of its own, and is walked completely.
    pub(super) fn begin(&mut self, rank: usize) {
        if self.rank != rank {
            *self = WalkedFolders { rank, ..WalkedFolders::default() };
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Whether the walk of an earlier source by this rule started at exactly this folder, and left nothing to read there
    /// for a walk that comes to it at `level`.
    pub(super) fn is_start(&self, rule: &ScanRule, real: &FsPath, level: usize) -> bool {
        self.starts.get(real).is_some_and(|start| start.has_read(rule, 0, level))
    }

    /// The path under which an earlier source has walked a folder by this rule; `None` if none has, or if something is left
    /// to read there for a walk that comes to it at `level`.
    pub(super) fn walked_as(&self, rule: &ScanRule, real: &FsPath, level: usize) -> Option<FsPath> {
        let (mut above, mut below) = (Some(real.clone()), 0);
        while let Some(at) = above.filter(|_| !self.starts.is_empty()) {
            // A skill that is not read at this level does not keep the walk from the folders beside it.
            let is_left = below > 0 || !reads_skill_at(rule, level);
            if is_left && self.closed.contains(&at) {
                return None;
            }
            let names = real.relative_to(&at).unwrap_or_default();
            let has_read = |start: &&WalkStart| start.has_read(rule, below, level) && !start.leaves_out(rule, names);
            if let Some(start) = self.starts.get(&at).filter(has_read) {
                return real.rebased(&at, &start.path);
            }
            if is_skipped(rule, at.name()) {
                return None;
            }
            (above, below) = (at.parent(), below + 1);
        }
        None
    }

    /// The outermost folders below the root `real` of a source that earlier sources have walked by this rule and left
    /// nothing to read in, each with the path under which it was walked.
    pub(super) fn starts_below(&self, rule: &ScanRule, real: &FsPath) -> Vec<(FsPath, FsPath)> {
        let mut found: Vec<(FsPath, FsPath)> = Vec::new();
        let mut from = Bound::Included(real.before_all_below());
        while let Some((folder, start)) = self.starts.range((from, Bound::Unbounded)).next() {
            if !folder.starts_with(real) {
                break;
            }
            match found.last().filter(|(last, _)| folder.starts_with(last)) {
                Some((last, _)) => from = Bound::Included(last.after_all_below()),
                None => {
                    from = Bound::Excluded(folder.clone());
                    if start.has_read(rule, 0, folder.depth() - real.depth()) {
                        found.push((folder.clone(), start.path.clone()));
                    }
                }
            }
        }
        found
    }

    /// Adds what the walks of a source have been through: the folders at which they started, and those in which they
    /// entered no further folders.
    pub(super) fn add(&mut self, mut links: LinkResolver<'_>) {
        self.closed.extend(links.closed);
        sort_by(&mut links.left, Ord::cmp);
        // Of the folders behind it in this order, those below it come first.
        let has_left_in = |real: &FsPath| {
            let next = |from: &FsPath| links.left.get(links.left.partition_point(|dir| dir < from));
            next(real) == Some(real) || next(&real.before_all_below()).is_some_and(|dir| dir.starts_with(real))
        };
        for start in links.starts.into_values().filter(|start| !start.is_own_skill) {
            if has_left_in(&start.real) && self.left.insert(start.real.clone()) {
                continue;
            }
            if self.starts.get(&start.real).is_none_or(|before| start.level < before.level) {
                self.starts.insert(start.real.clone(), start);
            }
        }
    }
}
