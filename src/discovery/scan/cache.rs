//! In: the directories and files of a scan, again and again. Out: what is there now, listed and read only where its
//! stamp says that it has changed. A stamp is taken before what it stands for, so a change in between is seen the
//! next time; without a stamp nothing is remembered. What links lead to is asked every time, as no stamp of the
//! folder tells of it. Absent: which skill wins, what a host answers; nothing that is decided is remembered.

use super::resources::Noting;
use super::stamp_cache::StampCache;
use super::step::{Sort, sort};
use super::{ScanResult, SkillFile};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::discovery::manifest::{self, Manifest, PREFIX_BYTES};
use crate::fs::walk::{by_level, judge};
use crate::fs::{Entry, FileKind, Fs, FsError, Walk};
use crate::model::skill::{ResourceNames, Source};
use crate::model::world::World;
use crate::path::FsPath;
use std::sync::Arc;

/// What scans remember from one discovery to the next.
#[derive(Default)]
pub(crate) struct ScanCache {
    listings: StampCache<Arc<Vec<Entry>>>,
    manifests: StampCache<Manifest>,
    trees: Vec<Tree>,
    /// How many trees were scanned, and how many before this discovery.
    scans: usize,
    scans_before: usize,
    /// Whether the tree that is scanned has a link in it.
    has_links: bool,
    /// Whether the names of resources are among what is remembered.
    keeps_resources: bool,
}

/// A tree without links of which everything could be listed, so that it is the same as long as its listings are.
struct Tree {
    source: Arc<Source>,
    scan: usize,
    dirs: usize,
    files: Vec<(FsPath, usize, Option<ResourceNames>)>,
    findings: Vec<Diagnostic>,
}

/// What became of a directory, as far as a scan goes: each entry that its rule wants, read where it is to be.
pub(super) type Listed = Result<Vec<Taken>, FsError>;

/// An entry; its path and what it says, if it was to be read.
pub(super) type Taken = (Entry, Option<(FsPath, Manifest)>);

impl ScanCache {
    /// Begins a discovery: looks at all that is remembered. What the one before did not come by is forgotten.
    pub(crate) fn turn(&mut self, world: &World<'_>) {
        if self.keeps_resources != world.keeps_resources {
            *self = ScanCache { keeps_resources: world.keeps_resources, ..ScanCache::default() };
        }
        self.listings.turn(world.fs);
        self.manifests.turn(world.fs);
        self.trees.retain(|tree| self.scans_before < tree.scan);
        self.scans_before = self.scans;
    }

    /// Begins the scan of a tree.
    pub(super) fn begin(&mut self) {
        self.scans += 1;
        self.has_links = false;
        self.listings.begin(self.scans);
    }

    /// The whole tree that is scanned, if no listing of it has changed, with what its files say now.
    pub(super) fn tree(&mut self, fs: &dyn Fs, dialect: &Dialect, source: &Arc<Source>) -> Option<ScanResult> {
        let at = self.trees.iter().position(|tree| tree.source == *source)?;
        let mut tree = self.trees.swap_remove(at);
        if !self.listings.pass_all(&source.root, tree.scan, tree.dirs) {
            return None;
        }
        tree.scan = self.scans;
        let mut account = ScanResult { findings: tree.findings.clone(), ..ScanResult::default() };
        account.found.reserve_exact(tree.files.len());
        for (path, level, resources) in &tree.files {
            let manifest = self.manifest(fs, dialect, path, true);
            if manifest.pending {
                account.pending.push(path.clone());
            } else {
                let found = SkillFile::new(source, path.clone(), manifest);
                account.found.push(SkillFile { level: *level, resources: resources.clone(), ..found });
            }
        }
        self.trees.push(tree);
        Some(account)
    }

    /// Remembers the tree that was scanned, of so many directories, if it is such a one.
    pub(super) fn remember(&mut self, source: &Arc<Source>, dirs: usize, account: &ScanResult) {
        let is_whole = account.pending.is_empty() && self.listings.count(self.scans) == dirs;
        if is_whole && !self.has_links {
            let file = |found: &SkillFile| (found.path.clone(), found.level, found.resources.clone());
            let files = account.found.iter().map(file).collect();
            let (source, findings) = (Arc::clone(source), account.findings.clone());
            self.trees.push(Tree { source, scan: self.scans, dirs, files, findings });
        }
    }

    /// Walks by levels; nothing stands for a directory that is cut.
    pub(super) fn walk(
        &mut self,
        fs: &dyn Fs,
        dialect: &Dialect,
        ask: &Walk<'_>,
        mut out: impl FnMut(&FsPath, usize, Option<Listed>),
    ) {
        let mut steps = Vec::new();
        let visit = |dir: &FsPath, depth: usize, enter: &mut Vec<FsPath>| {
            let entries = self.listing(fs, dir)?;
            let mut read = |entry: &Entry| {
                let path = dir.child(&entry.name).ok()?;
                let is_plain = entry.kind == FileKind::File && !entry.link;
                let manifest = self.manifest(fs, dialect, &path, is_plain);
                Some((path, manifest))
            };
            Ok(judge(ask.step, (dir, depth, &entries), &mut steps, enter, &mut read))
        };
        by_level(ask.root, ask.max_dirs, visit, |dir, depth, outcome| out(&dir, depth, outcome));
    }

    /// What a SKILL.md says; `is_plain` where a listing says that it is a regular file and no link.
    pub(super) fn manifest(&mut self, fs: &dyn Fs, dialect: &Dialect, path: &FsPath, is_plain: bool) -> Manifest {
        if let Some(manifest) = self.manifests.get(path) {
            return manifest.clone();
        }
        let head = if is_plain { fs.read_listed(path, PREFIX_BYTES) } else { fs.read(path, PREFIX_BYTES) };
        let stamp = head.as_ref().ok().and_then(|head| head.stamp);
        let manifest = manifest::read(fs, dialect, path, head.as_ref());
        self.manifests.keep(path, stamp.filter(|_| !manifest.pending), manifest.clone());
        manifest
    }

    /// The entries of a directory that a scan may want.
    fn listing(&mut self, fs: &dyn Fs, dir: &FsPath) -> Result<Arc<Vec<Entry>>, FsError> {
        if let Some(kept) = self.listings.get(dir) {
            if kept.iter().any(|entry| entry.link) {
                self.has_links = true;
                for entry in Arc::make_mut(kept).iter_mut().filter(|entry| entry.link) {
                    let metadata = dir.child(&entry.name).ok().and_then(|path| fs.metadata(&path).ok().flatten());
                    entry.kind = metadata.map_or(FileKind::Missing, |metadata| metadata.kind);
                }
            }
            return Ok(Arc::clone(kept));
        }
        let stamp = self.listings.now(dir);
        let stamp = stamp.unwrap_or_else(|| fs.metadata(dir).ok().flatten().and_then(|metadata| metadata.stamp));
        let mut entries = fs.list(dir)?;
        // What a link of a name that is no path leads to could not be asked again.
        let is_asked = !entries.iter().any(|entry| entry.lossy && entry.link);
        let mut noting = match self.keeps_resources {
            true => Noting::of(dir.name(), &entries),
            false => Noting::NOTHING,
        };
        let is_wanted = |entry: &Entry| entry.link || entry.kind == FileKind::Dir || !matches!(sort(entry), Sort::Rest);
        entries.retain(|entry| is_wanted(entry) || noting.takes(entry));
        self.has_links |= entries.iter().any(|entry| entry.link);
        let entries = Arc::new(entries);
        self.listings.keep(dir, stamp.filter(|_| is_asked), Arc::clone(&entries));
        Ok(entries)
    }
}
