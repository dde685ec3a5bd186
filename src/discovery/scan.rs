//! In: one source. Out: every SKILL.md found in it, where it stands, and findings about what was passed over.
//! The rule is pure and handed to the file system's walk; the order of visits does not matter, as levels and
//! links are put in order afterwards (decisions 9–13). Absent: which skill wins, and what a manifest must hold.

mod cache;
mod diagnostics;
mod links;
mod repository;
mod resources;
mod single;
mod stamp_cache;
mod step;
mod visits;
mod walked;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, ScanRule, SourceKind};
use crate::discovery::manifest::{self, Manifest, PREFIX_BYTES};
use crate::discovery::source::{Place, copies};
use crate::fs::{Entry, FileKind, FsError, Step, Walk};
use crate::model::skill::{ResourceNames, Source};
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::order::sort_by;
use diagnostics::{dangling, same_folder, unfollowed, unlisted};
use links::LinkResolver;
use resources::{Noting, ResourceFolders};
use single::single;
use std::sync::Arc;
use visits::Visits;

pub(crate) use cache::ScanCache;
pub(crate) use diagnostics::same_file;
pub(crate) use repository::is_repository;
#[cfg(feature = "archive")]
pub(crate) use repository::repository;
pub(crate) use step::{OWN_PREFIX, SKILL_FILE, holds_skill, is_never_entered};
pub(crate) use walked::Walked;

/// How many directories of one source are looked at (decisions 9).
pub(crate) const MAX_DIRS: usize = 1_000_000;

/// How many skills that links lead to again are named one by one in a source; after that each link names one,
/// as many links to many skills would be a product.
const MAX_AGAIN: usize = 10_000;

/// What a scan of one source saw.
#[derive(Default)]
pub(crate) struct ScanResult {
    /// The SKILL.md files that were read, in byte order of their paths.
    pub(crate) found: Vec<SkillFile>,
    /// What was passed over, and why.
    pub(crate) findings: Vec<Diagnostic>,
    /// Files and folders that the file system has yet to fetch.
    pub(crate) pending: Vec<FsPath>,
}

/// A SKILL.md where it stands; while a scan is under way, where it was walked to.
pub(crate) struct SkillFile {
    /// Where it was found.
    pub(crate) source: Arc<Source>,
    /// What it is called by: left empty here.
    pub(crate) key: String,
    /// Its path, links not resolved.
    pub(crate) path: FsPath,
    /// Its path with links resolved; none where there is none in it.
    pub(crate) target: Option<FsPath>,
    /// The real path of its folder; none where that has no link in it.
    pub(crate) folder: Option<FsPath>,
    /// How many folders below the source its own folder is.
    pub(crate) level: usize,
    /// Whether the file itself is a link.
    pub(crate) linked: bool,
    /// Whether the source is this one skill.
    pub(crate) single: bool,
    /// The files of its conventional folders, where they are kept and known.
    pub(crate) resources: Option<ResourceNames>,
    /// What it says.
    pub(crate) manifest: Manifest,
}

impl SkillFile {
    fn new(source: &Arc<Source>, path: FsPath, manifest: Manifest) -> SkillFile {
        let (source, key) = (Arc::clone(source), String::new());
        let (target, folder, resources) = (None, None, None);
        SkillFile { source, key, path, target, folder, level: 0, linked: false, single: false, resources, manifest }
    }

    /// Its path with links resolved.
    pub(crate) fn real(&self) -> &FsPath {
        self.target.as_ref().unwrap_or(&self.path)
    }
}

/// Puts more behind all; where there is nothing yet, the room of the more is taken over.
pub(crate) fn join<T>(all: &mut Vec<T>, mut more: Vec<T>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.append(&mut more);
    }
}

/// A scan under way.
struct Scan<'a> {
    world: &'a World<'a>,
    dialect: &'a Dialect,
    rule: &'a ScanRule,
    source: &'a Arc<Source>,
    anchors: LinkResolver,
    dirs: usize,
    account: ScanResult,
    resources: ResourceFolders,
    /// Whether the root is no link, nor behind one, and no part of it is left to an earlier source.
    is_whole: bool,
    cache: Option<&'a mut ScanCache>,
    /// What earlier sources of the same rank have been through.
    walked: &'a Walked,
}

/// Scans one source. A root that is not there is normal and silent. With a memory, what has not changed since is
/// not read again.
pub(crate) fn scan(
    world: &World<'_>,
    dialect: &Dialect,
    place: &Place,
    cache: Option<&mut ScanCache>,
    walked: &mut Walked,
) -> ScanResult {
    walked.begin(place.source.rank);
    let files = place.source.files(world.fs);
    let contained = World { fs: &files, ..*world };
    let mut account = match place.reading {
        SourceKind::Folders | SourceKind::Plugins => {
            tree(&contained, dialect, &dialect.scan, &place.source, cache, walked)
        }
        SourceKind::Files => single(&contained, dialect, &place.source, cache),
    };
    leave_copies(world, dialect, &mut account);
    account
}

/// decisions 41: copies for use are never a source.
fn leave_copies(world: &World<'_>, dialect: &Dialect, account: &mut ScanResult) {
    let mut real = Vec::new();
    for dir in copies(dialect, world.places) {
        real.extend(world.fs.canonical(&dir).ok());
    }
    let ScanResult { found, findings, .. } = account;
    found.retain(|found| {
        let is_copy = real.iter().any(|dir| found.real().is_within(dir));
        if is_copy {
            let message = "activated copies of skills are not a source of skills";
            findings.push(Diagnostic::new(Severity::Note, Code::NotEntered, found.path.clone(), message));
        }
        !is_copy
    });
}

/// What a SKILL.md says now.
fn said(world: &World<'_>, dialect: &Dialect, path: &FsPath, cache: Option<&mut ScanCache>) -> Manifest {
    match cache {
        Some(cache) => cache.manifest(world.fs, dialect, path, false),
        None => manifest::read(world.fs, dialect, path, world.fs.read(path, PREFIX_BYTES).as_ref()),
    }
}

/// Scans a tree, by this rule instead of the dialect's own.
pub(crate) fn tree(
    world: &World<'_>,
    dialect: &Dialect,
    rule: &ScanRule,
    source: &Arc<Source>,
    mut cache: Option<&mut ScanCache>,
    walked: &mut Walked,
) -> ScanResult {
    let real = match world.fs.canonical(&source.root) {
        Ok(real) => real,
        Err(error) => return no_root(world, source, error),
    };
    if let Some(path) = walked.covering(&real) {
        return ScanResult { findings: vec![same_folder(source.root.clone(), &path)], ..ScanResult::default() };
    }
    let again = walked.below(&real);
    // A tree is remembered where all of it is this source's own.
    let is_whole = real == source.root && again.is_empty();
    if let Some(cache) = cache.as_deref_mut() {
        cache.begin();
        if let Some(account) = is_whole.then(|| cache.tree(world.fs, dialect, source)).flatten() {
            walked.add([(real, source.root.clone())].into_iter());
            return account;
        }
    }
    let mut scan = Scan {
        world,
        dialect,
        rule,
        source,
        anchors: LinkResolver::new(real.clone(), source.root.clone()),
        dirs: 0,
        account: ScanResult::default(),
        resources: ResourceFolders::default(),
        is_whole,
        cache,
        walked,
    };
    for (folder, path) in again {
        let here = folder.below(&real).and_then(|rel| source.root.join(rel).ok());
        scan.account.findings.extend(here.map(|here| same_folder(here, &path)));
    }
    scan.walk(&source.root, &real, 0);
    scan.follow_links();
    let (account, anchors) = scan.finish();
    walked.add(anchors.into_walked());
    account
}

fn no_root(world: &World<'_>, source: &Source, error: FsError) -> ScanResult {
    let mut account = ScanResult::default();
    match error {
        FsError::Pending(path) => account.pending.push(path),
        FsError::NotFound(_) => {
            if matches!(world.fs.metadata(&source.root), Ok(Some(metadata)) if metadata.kind == FileKind::Missing) {
                account.findings.push(dangling(source.root.clone(), Severity::Warning));
            }
        }
        error => account.findings.push(unlisted(source, &error)),
    }
    account
}

impl Scan<'_> {
    /// Walks the real directories below `root`, whose real path and level are known.
    fn walk(&mut self, root: &FsPath, real: &FsPath, level: usize) {
        let (rule, world, known, walked) = (self.rule, self.world, &self.anchors, self.walked);
        let keeps_resources = self.world.keeps_resources;
        let step = |dir: &FsPath, depth: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            let below = match known.is_single() && walked.is_empty() {
                true => None,
                false => dir.below(root).and_then(|rel| real.join(rel).ok()),
            };
            let is_known = |name: &str| {
                below
                    .as_ref()
                    .and_then(|dir| dir.child(name).ok())
                    .is_some_and(|child| known.is_walked(&child) || walked.has(&child))
            };
            let noting = match keeps_resources {
                true => Noting::of(dir.name(), entries),
                false => Noting::NOTHING,
            };
            step::steps(rule, level + depth, entries, &is_known, noting, steps);
        };
        let ask = Walk { root, step: &step, head: PREFIX_BYTES, max_dirs: MAX_DIRS.saturating_sub(self.dirs) };
        let mut visits = Visits::new(self.world, self.dialect, rule, self.source, root, real, level);
        visits.resources = std::mem::take(&mut self.resources);
        match &mut self.cache {
            None => world.fs.walk(&ask, &mut |visit| visits.take(visit)),
            Some(cache) => cache.walk(world.fs, self.dialect, &ask, |dir, depth, seen| visits.saw(dir, depth, seen)),
        }
        self.dirs += visits.dirs;
        self.anchors.add_links(visits.links);
        self.resources = visits.resources;
        self.account.findings.append(&mut visits.account.findings);
        self.account.pending.append(&mut visits.account.pending);
        join(&mut self.account.found, visits.account.found);
        if let Some(first) = visits.cut.iter().min() {
            let message = format!("more than {MAX_DIRS} folders; `{first}` and those after it were not searched");
            self.account.findings.push(
                Diagnostic::new(Severity::Warning, Code::ScanTruncated, self.source.root.clone(), message)
                    .help("point the source at a smaller folder"),
            );
        }
    }

    /// Follows links level by level, those of one level in byte order (decisions 9).
    fn follow_links(&mut self) {
        while let Some(link) = self.anchors.next_link() {
            let target = match self.world.fs.canonical(&link.path) {
                Ok(target) => target,
                Err(FsError::Pending(path)) => {
                    self.account.pending.push(path);
                    continue;
                }
                Err(error) => {
                    self.account.findings.push(unfollowed(link.path, &error));
                    continue;
                }
            };
            if link.dir.is_within(&target) || self.anchors.root().is_within(&target) {
                let message = format!("the symlink leads to `{target}`, a folder that contains it");
                self.account.findings.push(
                    Diagnostic::new(Severity::Warning, Code::LinkCycle, link.path, message).help(
                        "remove the \
                         symlink",
                    ),
                );
                continue;
            }
            if let Some(path) = self.walked.covering(&target) {
                self.account.findings.push(same_folder(link.path, &path));
                continue;
            }
            if self.anchors.is_reached(&target, link.level) {
                self.anchors.note_again(link.path, &target);
                continue;
            }
            let covered = self.rule.depth.is_none() && self.anchors.is_covered(&target);
            let (path, level) = (link.path.clone(), link.level);
            self.anchors.set(target.clone(), link);
            if !covered {
                self.walk(&path, &target, level);
            }
        }
    }

    /// Puts every file where it stands, and says where else it was seen.
    fn finish(mut self) -> (ScanResult, LinkResolver) {
        if !self.anchors.is_plain() {
            self.put_in_place();
        }
        let ScanResult { found, pending, .. } = &mut self.account;
        let mut resources = Some(self.resources).filter(|_| self.world.keeps_resources);
        found.retain_mut(|found| {
            // As it was walked to: where the file itself leads is no matter.
            found.resources = resources.as_mut().and_then(|all| all.of_skill(&found.real().parent()?));
            // A file that is a link leads elsewhere than the folder that it lies in.
            found.folder =
                found.target.as_ref().and_then(FsPath::parent).filter(|dir| found.path.parent().as_ref() != Some(dir));
            if found.linked {
                found.target = self.world.fs.canonical(&found.path).ok();
            }
            found.target.take_if(|target| *target == found.path);
            if found.manifest.pending {
                pending.push(found.path.clone());
            }
            !found.manifest.pending
        });
        sort_by(found, |a, b| a.path.cmp(&b.path));
        if let Some(cache) = self.cache.filter(|_| self.is_whole) {
            cache.remember(self.source, self.dirs, &self.account);
        }
        (self.account, self.anchors)
    }

    /// Puts the files where they stand after all links were followed.
    fn put_in_place(&mut self) {
        // Of two walks that came to one real folder the later one counts.
        let mut by_real: Vec<(FsPath, SkillFile)> = Vec::new();
        for found in std::mem::take(&mut self.account.found).into_iter().rev() {
            by_real.extend(found.real().parent().map(|real_dir| (real_dir, found)));
        }
        sort_by(&mut by_real, |(a, _), (b, _)| a.cmp(b));
        by_real.dedup_by(|(a, _), (b, _)| a == b);
        self.note_links_again(&by_real);
        for (real_dir, found) in by_real {
            let (places, more) = self.anchors.places(&real_dir);
            let mut places = places.into_iter();
            let Some((level, dir)) = places.next() else { continue };
            let Ok(path) = dir.child(found.path.name()) else { continue };
            let mut notes = Vec::new();
            for (_, other) in places {
                notes.extend(other.child(path.name()).ok().map(|other| same_file(other, &path)));
            }
            if let Some(last) = notes.last_mut().filter(|_| more > 0) {
                last.message.push_str(&format!("; so are {more} more files"));
            }
            self.account.findings.append(&mut notes);
            // What was read under another path is read again: names, folders and findings are those of this one.
            let manifest = match found.path == path {
                true => found.manifest,
                false => said(self.world, self.dialect, &path, self.cache.as_deref_mut()),
            };
            let target = real_dir.child(path.name()).ok();
            self.account.found.push(SkillFile { path, target, level, manifest, ..found });
        }
    }
}

impl Scan<'_> {
    /// Says of each link to a folder that is in the scan already where the skills below it stand.
    fn note_links_again(&mut self, by_real: &[(FsPath, SkillFile)]) {
        let mut findings = Vec::new();
        for (target, link) in self.anchors.again() {
            let files = links::under_in(by_real, target).map(|(dir, found)| (dir, found.path.name()));
            for (real_dir, name) in files.take(MAX_AGAIN.saturating_sub(findings.len()).max(1)) {
                let Some(stands) = self.anchors.place(real_dir).and_then(|dir| dir.child(name).ok()) else { continue };
                let rel = real_dir.below(target).unwrap_or("");
                if let Some(path) = link.join(rel).ok().and_then(|dir| dir.child(name).ok()) {
                    findings.push(same_file(path, &stands));
                }
            }
        }
        self.account.findings.append(&mut findings);
    }
}
