//! Remembers the listings and manifests of one discovery for the next one, which lists and reads only what has a new
//! [`Stamp`](crate::fs::Stamp). A stamp is always taken before what it is the stamp of, so that a change in between is
//! noticed the next time; what has no stamp is not remembered. The targets of symlinks are asked for each time, as the
//! stamp of a folder does not change with them. Decisions such as which skill wins are not remembered.

use super::step::ResourceFilter;
use super::step::may_matter;
use super::{ScanResult, SkillFile};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::discovery::manifest::{Manifest, PREFIX_BYTES};
use crate::discovery::world::World;
use crate::discovery::{beside, manifest};
use crate::fs::walk::{by_level, judge};
use crate::fs::{Entry, FileKind, Fs, FsError, Stamp, Walk};
use crate::model::skill::{ResourceNames, Source};
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct ScanCache {
    listings: StampCache<Arc<Vec<Entry>>>,
    manifests: StampCache<Manifest>,
    trees: Vec<Tree>,
    /// How many trees were scanned, in all discoveries and before this one.
    scans: usize,
    scans_before: usize,
    /// Whether the tree that is being scanned has a symlink in it.
    has_links: bool,
    keeps_resources: bool,
}

/// A fully listed, symlink-free tree; unchanged while its directory stamps are unchanged.
struct Tree {
    source: Arc<Source>,
    scan: usize,
    dirs: usize,
    files: Vec<(FsPath, usize, Option<ResourceNames>)>,
    findings: Vec<Diagnostic>,
    unentered: Vec<FsPath>,
    closed: Vec<FsPath>,
    beside: Option<HashSet<FsPath>>,
}

/// The outcome for a directory: the entries that the rule of the scan reports, or why it could not be listed.
pub(super) type ScannedDir = Result<Vec<ScannedEntry>, FsError>;

/// An entry of a directory; its path and manifest if it was read.
pub(super) type ScannedEntry = (Entry, Option<(FsPath, Manifest)>);

impl ScanCache {
    /// Begins a discovery: asks for the stamps of all that is remembered, and drops what the discovery before did not
    /// use.
    pub(crate) fn begin_discovery(&mut self, world: &World<'_>) {
        if self.keeps_resources != world.keeps_resources {
            *self = ScanCache { keeps_resources: world.keeps_resources, ..ScanCache::default() };
        }
        self.listings.begin_round(world.fs);
        self.manifests.begin_round(world.fs);
        self.trees.retain(|tree| self.scans_before < tree.scan);
        self.scans_before = self.scans;
    }

    pub(super) fn begin_scan(&mut self) {
        self.scans += 1;
        self.has_links = false;
        self.listings.begin_scan(self.scans);
    }

    /// The result for the whole tree of a source, if none of its listings has changed. Manifests that have changed are
    /// read again.
    pub(super) fn unchanged_tree(
        &mut self,
        world: &World<'_>,
        dialect: &Dialect,
        source: &Arc<Source>,
    ) -> Option<ScanResult> {
        let at = self.trees.iter().position(|tree| tree.source == *source)?;
        let mut tree = self.trees.swap_remove(at);
        if !self.listings.use_all(&source.root, tree.scan, tree.dirs) {
            return None;
        }
        tree.scan = self.scans;
        let (findings, unentered) = (tree.findings.clone(), tree.unentered.clone());
        let (closed, beside) = (tree.closed.clone(), tree.beside.clone());
        let mut result = ScanResult { findings, unentered, closed, beside, ..ScanResult::default() };
        result.files.reserve_exact(tree.files.len());
        for (path, level, resources) in &tree.files {
            let manifest = self.manifest(world, dialect, path, true);
            if manifest.pending {
                result.pending.push(path.clone());
            } else {
                let mut found = SkillFile::new(source, path.clone(), manifest);
                (found.level, found.resources) = (*level, resources.clone());
                result.files.push(found);
            }
        }
        self.trees.push(tree);
        Some(result)
    }

    /// Remembers the tree of `dirs` directories that was scanned, if it was fully listed and has no symlinks.
    pub(super) fn remember_tree(&mut self, source: &Arc<Source>, dirs: usize, result: &ScanResult) {
        let is_complete = result.pending.is_empty() && self.listings.count(self.scans) == dirs;
        if is_complete && !self.has_links {
            let file = |found: &SkillFile| (found.path.clone(), found.level, found.resources.clone());
            let files = result.files.iter().map(file).collect();
            let (source, findings) = (Arc::clone(source), result.findings.clone());
            let (unentered, closed, beside) = (result.unentered.clone(), result.closed.clone(), result.beside.clone());
            self.trees.push(Tree { source, scan: self.scans, dirs, files, findings, unentered, closed, beside });
        }
    }

    /// Like [`Fs::walk`], but from the cache. The outcome is `None` for a directory that was not visited, as there were
    /// too many.
    pub(super) fn walk(
        &mut self,
        world: &World<'_>,
        (dialect, beside): (&Dialect, &beside::Names),
        ask: &Walk<'_>,
        mut out: impl FnMut(&FsPath, usize, Option<ScannedDir>),
    ) {
        let mut steps = Vec::new();
        let visit = |dir: &FsPath, depth: usize, enter: &mut Vec<FsPath>| {
            let entries = self.listing(world.fs, beside, dir)?;
            let mut read = |entry: &Entry| {
                let path = dir.child(&entry.name).ok()?;
                let is_regular_file = entry.kind == FileKind::File && !entry.is_symlink;
                let manifest = self.manifest(world, dialect, &path, is_regular_file);
                Some((path, manifest))
            };
            Ok(judge(ask.step, (dir, depth, &entries), &mut steps, enter, &mut read))
        };
        by_level(ask.root, ask.max_dirs, visit, |dir, depth, outcome| out(&dir, depth, outcome));
    }

    /// The manifest of a SKILL.md. `is_regular_file` says whether a listing has shown a regular file and no symlink.
    pub(super) fn manifest(
        &mut self,
        world: &World<'_>,
        dialect: &Dialect,
        path: &FsPath,
        is_regular_file: bool,
    ) -> Manifest {
        if let Some(manifest) = self.manifests.get(path) {
            return manifest.clone();
        }
        let head =
            if is_regular_file { world.fs.read_listed(path, PREFIX_BYTES) } else { world.fs.read(path, PREFIX_BYTES) };
        let stamp = head.as_ref().ok().and_then(|head| head.stamp);
        let manifest = manifest::read(world, dialect, path, head.as_ref());
        self.manifests.insert(path, stamp.filter(|_| !manifest.pending), manifest.clone());
        manifest
    }

    /// The entries of a directory that a scan may report, enter or read, and those that `beside` names.
    fn listing(&mut self, fs: &dyn Fs, beside: &beside::Names, dir: &FsPath) -> Result<Arc<Vec<Entry>>, FsError> {
        if let Some(entries) = self.listings.get(dir) {
            let has_links = entries.iter().any(|entry| entry.is_symlink);
            if !has_links || update_links(fs, dir, Arc::make_mut(entries).as_mut_slice()) {
                self.has_links |= has_links;
                return Ok(Arc::clone(entries));
            }
        }
        let stamp = self.listings.current_stamp(dir);
        let stamp = stamp.unwrap_or_else(|| fs.metadata(dir).ok().flatten().and_then(|metadata| metadata.stamp));
        let mut entries = fs.list(dir)?;
        // The target of a symlink whose name is not UTF-8 could not be asked for the next time.
        let can_be_updated = !entries.iter().any(|entry| entry.is_lossy && entry.is_symlink);
        let mut resources = match self.keeps_resources {
            true => ResourceFilter::for_dir(dir.name(), &entries),
            false => ResourceFilter::NONE,
        };
        entries.retain(|entry| may_matter(entry) || resources.takes(entry) || beside.may_be(entry));
        self.has_links |= entries.iter().any(|entry| entry.is_symlink);
        let entries = Arc::new(entries);
        self.listings.insert(dir, stamp.filter(|_| can_be_updated), Arc::clone(&entries));
        Ok(entries)
    }
}

/// Asks again what the symlinks in a listing lead to. False if that cannot be told, so that the directory has to be
/// listed again.
fn update_links(fs: &dyn Fs, dir: &FsPath, entries: &mut [Entry]) -> bool {
    for entry in entries.iter_mut().filter(|entry| entry.is_symlink) {
        let Ok(path) = dir.child(&entry.name) else { return false };
        match fs.metadata(&path) {
            Ok(Some(metadata)) => entry.kind = metadata.kind,
            Ok(None) | Err(_) => return false,
        }
    }
    true
}

/// How many paths are looked at together: enough to share among threads, few enough to hold the answers in memory.
const BATCH: usize = 8_192;

/// A cache of values by path.
struct StampCache<T> {
    items: Vec<Item<T>>,
    /// The index at which the path that is asked for next is expected.
    next: usize,
    /// The index of each path; built when a path is not where it was expected.
    index: Option<HashMap<FsPath, usize>>,
    uses: usize,
    scan: usize,
}

struct Item<T> {
    path: FsPath,
    /// The stamp for which `value` is valid; without one the value is never used again.
    stamp: Option<Stamp>,
    /// The stamp that the path had when it was last looked at.
    current: Option<Stamp>,
    /// The number of its last use in this round; 0 if it was not used yet.
    used: usize,
    scan: usize,
    value: T,
}

impl<T> Default for StampCache<T> {
    fn default() -> StampCache<T> {
        StampCache { items: Vec::new(), next: 0, index: None, uses: 0, scan: 0 }
    }
}

impl<T> StampCache<T> {
    /// Begins a round: drops what the round before did not use, and asks for the current stamps of all other items.
    pub(super) fn begin_round(&mut self, fs: &dyn Fs) {
        self.items.retain(|item| item.used != 0 && item.stamp.is_some());
        sort_by(&mut self.items, |a, b| a.used.cmp(&b.used));
        (self.next, self.index, self.uses) = (0, None, 0);
        for items in self.items.chunks_mut(BATCH) {
            let mut paths = Vec::new();
            paths.reserve_exact(items.len());
            items.iter().for_each(|item| paths.push(&item.path));
            let all_metadata = fs.metadata_all(&paths);
            for (item, metadata) in items.iter_mut().zip(all_metadata) {
                // A path that cannot be looked at has no stamp, so its value is not used.
                (item.current, item.used) = (metadata.ok().flatten().and_then(|metadata| metadata.stamp), 0);
            }
        }
    }

    pub(super) fn begin_scan(&mut self, scan: usize) {
        self.scan = scan;
    }

    pub(super) fn count(&self, scan: usize) -> usize {
        self.items.iter().filter(|item| item.scan == scan).count()
    }

    /// Uses all `count` items that an earlier scan used, beginning with the path `first`, if all are still valid.
    /// Otherwise uses none and returns false.
    pub(super) fn use_all(&mut self, first: &FsPath, scan: usize, count: usize) -> bool {
        let Some(from) = self.find(first) else { return false };
        let Some(items) = self.items.get_mut(from..from.saturating_add(count)) else { return false };
        let is_valid = |item: &Item<T>| item.scan == scan && item.stamp.is_some() && item.stamp == item.current;
        if !items.iter().all(is_valid) {
            return false;
        }
        for item in items {
            self.uses += 1;
            (item.used, item.scan) = (self.uses, self.scan);
        }
        self.next = from + count;
        true
    }

    /// The stamp that a path of the cache had when the round began; `None` for a path that is not in the cache.
    pub(super) fn current_stamp(&mut self, path: &FsPath) -> Option<Option<Stamp>> {
        let at = self.find(path)?;
        Some(self.items[at].current)
    }

    pub(super) fn get(&mut self, path: &FsPath) -> Option<&mut T> {
        let at = self.find(path)?;
        let item = self.items.get_mut(at).filter(|item| item.stamp.is_some() && item.stamp == item.current)?;
        self.uses += 1;
        (item.used, item.scan) = (self.uses, self.scan);
        Some(&mut item.value)
    }

    /// Stores the value of a path, in place of an earlier one. A value without a stamp is not stored.
    pub(super) fn insert(&mut self, path: &FsPath, stamp: Option<Stamp>, value: T) {
        self.uses += 1;
        let (used, scan) = (self.uses, self.scan);
        match self.find(path) {
            Some(at) => {
                let item = &mut self.items[at];
                (item.stamp, item.current, item.value) = (stamp, stamp, value);
                (item.used, item.scan) = (used, scan);
            }
            None if stamp.is_some() => {
                if let Some(index) = &mut self.index {
                    index.insert(path.clone(), self.items.len());
                }
                self.items.push(Item { path: path.clone(), stamp, current: stamp, used, scan, value });
            }
            None => {}
        }
    }

    fn find(&mut self, path: &FsPath) -> Option<usize> {
        let is_at = |at: usize| self.items.get(at).is_some_and(|item| item.path == *path);
        let expected = (self.next.saturating_sub(1)..=self.next).find(|at| is_at(*at));
        let at = expected.or_else(|| {
            let items = &self.items;
            let index = self
                .index
                .get_or_insert_with(|| items.iter().enumerate().map(|(at, item)| (item.path.clone(), at)).collect());
            index.get(path).copied()
        })?;
        self.next = at + 1;
        Some(at)
    }
}
