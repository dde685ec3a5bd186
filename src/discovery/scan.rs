//! Scans a source: finds its SKILL.md files, reads them, and reports what was passed over. The rule that decides what
//! to enter and read is in `step`; the file system walks by it. The order in which directories are visited does not
//! matter, as levels and symlinks are put in order afterwards (rules 3.3, 3.6, 3.10, 3.12 and 3.13). Which of several
//! skills is used is decided later, by `resolve`.

mod cache;
mod links;
mod repository;
mod step;
mod visits;

pub(crate) use cache::ScanCache;
pub(crate) use links::WalkedFolders;
#[cfg(feature = "archive")]
pub(crate) use repository::find_repository;
pub(crate) use repository::is_repository;
pub(crate) use step::{
    OWN_PREFIX, SKILL_FILE, holds_skill, is_never_entered, is_never_entered_in_any_case, is_plain_folder, is_reserved,
    is_skipped, may_close, skill_file_index,
};
pub(crate) use visits::{
    UNPACK_HELP, another_skill_file, below_link, file_name_case, nearly_skill_file, not_entered, reserved_folder,
    same_file,
};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, LinkedFolders, Permitted, Reading, ScanRule, TwicePath};
use crate::discovery::manifest::{HEAD_BYTES, Manifest, PREFIX_BYTES};
use crate::discovery::source::{Contents, SourceToScan, copy_folders};
use crate::discovery::world::World;
use crate::discovery::{beside, manifest};
use crate::fs::{Entry, FileKind, FsError, Step, Walk};
use crate::model::skill::{ResourceNames, Source};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::locale;
use crate::text::order::sort_by;
use links::LinkResolver;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use step::{ResourceFilter, ResourceFolders};
use visits::{
    Visits, broken_symlink, link_ignored, same_folder, symlink_not_followed, unreachable_source, unreadable_source,
};

/// How many directories of one source are listed at most (rule 3.5).
pub(crate) const MAX_DIRS: usize = 1_000_000;

/// How many duplicates of skills behind symlinks are reported one by one in a source. After that one is reported for
/// each symlink, as many symlinks to many skills would give their product.
const MAX_DUPLICATES: usize = 10_000;

/// Appends `more`, reusing its allocation if `all` is empty.
pub(crate) fn join<T>(all: &mut Vec<T>, mut more: Vec<T>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.append(&mut more);
    }
}

struct Scan<'a, 'r> {
    world: &'a World<'a>,
    dialect: &'a Dialect,
    rule: &'r ScanRule,
    linked_folders: LinkedFolders,
    source: &'a Arc<Source>,
    links: LinkResolver<'r>,
    dirs: usize,
    result: ScanResult,
    resources: ResourceFolders,
    /// Whether the tree may be remembered as a whole: the root has no symlink in its path, and no earlier source has
    /// walked a part of it.
    is_whole: bool,
    cache: Option<&'a mut ScanCache>,
    /// What earlier sources of the same rank have walked.
    walked: &'a WalkedFolders,
    /// What shows whether a folder may hold files beside a SKILL.md that the dialect reads too.
    beside: beside::Names,
}

/// Scans one source. A root that does not exist is normal, and not reported. With a cache, only what has changed since
/// the last discovery is read.
pub(crate) fn scan(
    world: &World<'_>,
    dialect: &Dialect,
    place: &SourceToScan,
    cache: Option<&mut ScanCache>,
    walked: &mut WalkedFolders,
) -> ScanResult {
    walked.begin(place.source.rank);
    let dialect = place.of_package.as_deref().unwrap_or(dialect);
    // What is remembered of a file was read by the dialect's own table.
    let mut cache = cache.filter(|_| place.of_package.is_none());
    let files = place.source.files(world.fs);
    let contained = World { fs: &files, ..*world };
    let mut result = match place.contents {
        Contents::Folders | Contents::FoldersAndFiles | Contents::Plugins => {
            let rule = place.scan_rule(dialect);
            let by = (&*rule, place.linked_folders);
            let mut result = scan_tree(&contained, dialect, by, &place.source, cache.as_deref_mut(), walked);
            let is_skill_itself = result.files.iter().any(|found| found.level == 0);
            if place.contents == Contents::FoldersAndFiles && !is_skill_itself && result.pending.is_empty() {
                // A root that cannot be listed has been reported.
                let more = scan_files(&contained, dialect, &place.source, Some(&rule), cache);
                join(&mut result.files, more.files);
                join(&mut result.pending, more.pending);
                sort_by_path(&mut result.files);
            }
            result
        }
        Contents::Skill => scan_single(&contained, dialect, &place.source, cache),
        Contents::Commands => scan_files(&contained, dialect, &place.source, None, cache),
    };
    if place.of_package.is_some() {
        let of_files = result.files.iter_mut().flat_map(|found| &mut found.manifest.findings);
        for finding in result.findings.iter_mut().chain(of_files).filter(|finding| finding.code == Code::LeadsOut) {
            "the symlink leads out of its package, so it is not followed; copy its target into the package"
                .clone_into(&mut finding.message);
            // What else allows a link does not allow this one.
            finding.help = None;
        }
    }
    remove_copies(world, dialect, &mut result);
    beside::complete(world, dialect, place.contents, &mut result);
    result
}

fn sort_by_path(files: &mut [SkillFile]) {
    sort_by(files, |a, b| a.path.cmp(&b.path));
}

/// The real paths of the folders of activated copies. One that cannot be resolved is compared as it was given.
pub(crate) fn real_copy_folders(world: &World<'_>, dialect: &Dialect) -> Vec<FsPath> {
    let folders = copy_folders(dialect, world.places).into_iter();
    folders.map(|dir| world.fs.canonical(&dir).unwrap_or(dir)).collect()
}

/// The finding about a file among activated copies.
pub(crate) fn not_a_source(path: FsPath) -> Diagnostic {
    let message = "activated copies of skills are not a source of skills";
    Diagnostic::new(Severity::Note, Code::NotEntered, path, message)
}

/// Rule 2.11: the copies of activated skills are not a source of skills.
fn remove_copies(world: &World<'_>, dialect: &Dialect, result: &mut ScanResult) {
    let folders = real_copy_folders(world, dialect);
    let ScanResult { files: found, findings, .. } = result;
    found.retain(|found| {
        let is_copy = folders.iter().any(|dir| found.real_path().starts_with(dir));
        if is_copy {
            findings.push(not_a_source(found.path.clone()));
        }
        !is_copy
    });
}

/// Reads the manifest of a SKILL.md, through the cache if there is one.
fn read_manifest(world: &World<'_>, dialect: &Dialect, path: &FsPath, cache: Option<&mut ScanCache>) -> Manifest {
    match cache {
        Some(cache) => cache.manifest(world, dialect, path, false),
        None => manifest::read(world, dialect, path, world.fs.read(path, PREFIX_BYTES).as_ref()),
    }
}

/// Scans a tree of folders by this rule, which need not be the dialect's own. `linked_folders` says how symlinks to
/// folders are followed.
pub(crate) fn scan_tree(
    world: &World<'_>,
    dialect: &Dialect,
    (rule, linked_folders): (&ScanRule, LinkedFolders),
    source: &Arc<Source>,
    mut cache: Option<&mut ScanCache>,
    walked: &mut WalkedFolders,
) -> ScanResult {
    let real = match world.fs.canonical(&source.root) {
        Ok(real) => real,
        Err(error) => return unavailable_root(world, source, error),
    };
    if let Some(path) = walked.walked_as(rule, &real, 0) {
        return ScanResult { findings: vec![same_folder(source.root.clone(), &path)], ..ScanResult::default() };
    }
    let walked_below = walked.starts_below(rule, &real);
    let is_whole = real == source.root && walked_below.is_empty();
    if let Some(cache) = cache.as_deref_mut() {
        cache.begin_scan();
        if let Some(result) = is_whole.then(|| cache.unchanged_tree(world, dialect, source)).flatten() {
            let mut links = LinkResolver::new(rule, real, source.root.clone());
            links.add_closed(&result.closed);
            walked.add(links);
            return result;
        }
    }
    let mut scan = Scan {
        world,
        dialect,
        rule,
        linked_folders,
        source,
        links: LinkResolver::new(rule, real.clone(), source.root.clone()),
        dirs: 0,
        result: ScanResult::default(),
        resources: ResourceFolders::default(),
        is_whole,
        cache,
        walked,
        beside: beside::Names::new(dialect),
    };
    scan.result.beside = Some(HashSet::new());
    for (folder, path) in walked_below {
        let here = folder.rebased(&real, &source.root);
        scan.result.findings.extend(here.map(|here| same_folder(here, &path)));
    }
    scan.walk(rule, &source.root, &real, 0);
    scan.follow_links();
    let (result, links) = scan.finish();
    walked.add(links);
    result
}

/// The result for a source whose root cannot be resolved.
fn unavailable_root(world: &World<'_>, source: &Source, error: FsError) -> ScanResult {
    let mut result = ScanResult::default();
    match error {
        FsError::Pending(path) => result.pending.push(path),
        FsError::NotFound(_) => match world.fs.metadata(&source.root) {
            Ok(Some(metadata)) if metadata.kind == FileKind::Broken => {
                result.findings.push(broken_symlink(source.root.clone(), Severity::Warning));
            }
            Ok(Some(_)) => result.findings.push(unreachable_source(source)),
            Ok(None) | Err(_) => {}
        },
        error => result.findings.push(unreadable_source(source, &error)),
    }
    result
}

impl<'r> Scan<'_, 'r> {
    /// Whether the walk notes resources. It does not see them all where the folders of a skill are not entered.
    fn keeps_resources(&self) -> bool {
        self.world.keeps_resources && self.rule.nested == Permitted::Yes
    }

    /// Walks the real directories below `root`, which has the real path `real` and lies `level` folders below the root
    /// of the source. `rule` is that of the scan, or a narrower one.
    fn walk(&mut self, rule: &ScanRule, root: &FsPath, real: &FsPath, level: usize) {
        let (world, links, walked, reading) = (self.world, &self.links, self.walked, self.dialect.reading);
        let keeps_resources = self.keeps_resources();
        let (beside, names) = (Mutex::new(std::mem::take(&mut self.result.beside)), &self.beside);
        let step = |dir: &FsPath, depth: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            let real_dir = match links.has_single_start() && walked.is_empty() {
                true => None,
                false => dir.rebased(root, real),
            };
            let is_known = |name: &str| {
                let child = real_dir.as_ref().and_then(|dir| dir.child(name).ok());
                child.is_some_and(|child| links.is_start(&child) || walked.is_start(rule, &child, level + depth + 1))
            };
            let resources = match keeps_resources {
                true => ResourceFilter::for_dir(dir.name(), entries),
                false => ResourceFilter::NONE,
            };
            step::steps((rule, reading), level + depth, entries, &is_known, resources, steps);
            if names.may_be_in(entries) {
                let mut beside = beside.lock().unwrap_or_else(PoisonError::into_inner);
                beside.iter_mut().for_each(|folders| _ = folders.insert(dir.clone()));
            }
        };
        let prefix_len = if world.on_read.is_some() { HEAD_BYTES } else { PREFIX_BYTES };
        let ask = Walk { root, step: &step, prefix_len, max_dirs: MAX_DIRS.saturating_sub(self.dirs) };
        let mut visits = Visits {
            world,
            dialect: self.dialect,
            rule,
            source: self.source,
            root,
            real_root: real,
            level,
            dirs: 0,
            cut: Vec::new(),
            links: Vec::new(),
            result: ScanResult::default(),
            resources: std::mem::take(&mut self.resources),
        };
        match &mut self.cache {
            None => world.fs.walk(&ask, &mut |visit| visits.add_visit(visit)),
            Some(cache) => {
                cache.walk(world, (self.dialect, names), &ask, |dir, depth, seen| visits.add_dir(dir, depth, seen))
            }
        }
        self.result.beside = beside.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.dirs += visits.dirs;
        self.links.add_links(visits.links);
        self.links.add_closed(&visits.result.closed);
        self.result.closed.append(&mut visits.result.closed);
        self.resources = visits.resources;
        self.result.findings.append(&mut visits.result.findings);
        self.result.unentered.append(&mut visits.result.unentered);
        self.result.pending.append(&mut visits.result.pending);
        join(&mut self.result.files, visits.result.files);
        if let Some(first) = visits.cut.iter().min() {
            let message = format!("more than {MAX_DIRS} folders; `{first}` and those after it were not searched");
            self.result.findings.push(
                Diagnostic::new(Severity::Warning, Code::ScanTruncated, self.source.root.clone(), message)
                    .help("point the source at a smaller folder"),
            );
        }
    }

    /// Follows symlinks to folders level by level, those of one level in byte order (rule 3.3).
    fn follow_links(&mut self) {
        while let Some(link) = self.links.next_link() {
            if self.linked_folders == LinkedFolders::Ignored {
                let what = format!("follows no symlinks in the source `{}`", self.source.label);
                self.result.findings.push(link_ignored(link.path, &self.dialect.name, &what));
                continue;
            }
            let target = match self.world.fs.canonical(&link.path) {
                Ok(target) => target,
                Err(FsError::Pending(path)) => {
                    self.result.pending.push(path);
                    continue;
                }
                Err(error) => {
                    self.result.findings.push(symlink_not_followed(link.path, &error));
                    continue;
                }
            };
            let has_own_folder = link.dir.starts_with(&target);
            if has_own_folder || self.links.root().starts_with(&target) {
                if !has_own_folder {
                    self.links.leave(&link);
                }
                let message = format!("the symlink leads to `{target}`, a folder that contains it");
                self.result.findings.push(
                    Diagnostic::new(Severity::Warning, Code::LinkCycle, link.path, message).help("remove the symlink"),
                );
                continue;
            }
            if self.linked_folders == LinkedFolders::Inside && !target.starts_with(self.links.root()) {
                let what = format!("follows no symlinks that lead out of the source `{}`", self.source.label);
                self.result.findings.push(link_ignored(link.path, &self.dialect.name, &what));
                continue;
            }
            if let Some(path) = self.walked.walked_as(self.rule, &target, link.level) {
                self.result.findings.push(same_folder(link.path, &path));
                continue;
            }
            if self.links.is_reached(&target, link.level) {
                self.links.add_duplicate(link.path, &target);
                continue;
            }
            let is_whole = self.rule.depth.is_none() && self.rule.nested == Permitted::Yes;
            let is_walked = is_whole && self.links.is_walked(&target);
            let (path, level) = (link.path.clone(), link.level);
            let is_own_skill = self.linked_folders == LinkedFolders::OwnSkill;
            self.links.start_at(target.clone(), link, is_own_skill);
            if is_own_skill {
                let own = ScanRule { depth: Some(level), ..self.rule.clone() };
                self.walk(&own, &path, &target, level);
            } else if !is_walked {
                self.walk(self.rule, &path, &target, level);
            }
        }
    }

    /// Completes the files: their final paths, targets and resources. Remembers the tree in the cache.
    fn finish(mut self) -> (ScanResult, LinkResolver<'r>) {
        if !self.links.is_unused() {
            self.set_listed_paths();
            // Files and folders were listed under other paths.
            self.result.beside = None;
        }
        let keeps_resources = self.keeps_resources();
        let ScanResult { files: found, pending, .. } = &mut self.result;
        let mut resources = if keeps_resources { Some(self.resources) } else { None };
        found.retain_mut(|found| {
            // Until here the target is the file's path in its real folder, even if the file itself is a symlink.
            found.resources = resources.as_mut().and_then(|all| all.take_names(&found.real_path().parent()?));
            found.folder =
                found.target.as_ref().and_then(FsPath::parent).filter(|dir| found.path.parent().as_ref() != Some(dir));
            if found.is_symlink {
                // A symlink that cannot be resolved has been reported when the file was read.
                found.target = self.world.fs.canonical(&found.path).ok();
            }
            found.target.take_if(|target| *target == found.path);
            if found.manifest.pending {
                pending.push(found.path.clone());
            }
            !found.manifest.pending
        });
        sort_by_path(found);
        if let Some(cache) = self.cache.filter(|_| self.is_whole) {
            cache.remember_tree(self.source, self.dirs, &self.result);
        }
        (self.result, self.links)
    }

    /// Sets the path under which each file is listed, now that all symlinks were followed, and reports its other paths.
    fn set_listed_paths(&mut self) {
        // Of two walks that came to one real folder the later one counts.
        let found = std::mem::take(&mut self.result.files).into_iter().rev();
        let mut by_real_dir: Vec<(FsPath, SkillFile)> =
            found.map(|found| (found.real_path().dirname(), found)).collect();
        sort_by(&mut by_real_dir, |(a, _), (b, _)| a.cmp(b));
        by_real_dir.dedup_by(|(a, _), (b, _)| a == b);
        let firsts = match self.rule.twice {
            TwicePath::Real => HashMap::new(),
            TwicePath::First => self.links.take_firsts(str::cmp),
            TwicePath::FirstInLocale => self.links.take_firsts(locale::compare),
        };
        self.report_duplicates(&by_real_dir);
        for (real_dir, found) in by_real_dir {
            let (mut paths, more) = self.links.paths(&real_dir);
            if let (Some(first), Some((level, _))) = (firsts.get(&real_dir), paths.first()) {
                paths.insert(0, (*level, first.clone()));
            }
            let mut paths = paths.into_iter();
            let Some((level, dir)) = paths.next() else {
                debug_assert!(false, "a walk came to {real_dir:?}");
                self.result.files.push(found);
                continue;
            };
            let path = found.path.moved_to(&dir);
            let mut duplicates = Vec::new();
            for (_, other) in paths {
                duplicates.push(same_file(path.moved_to(&other), &path));
            }
            if let Some(last) = duplicates.last_mut().filter(|_| more > 0) {
                let more = if more == 1 { "is 1 more file".to_owned() } else { format!("are {more} more files") };
                last.message.push_str(&format!("; so {more}"));
            }
            self.result.findings.append(&mut duplicates);
            // A file that was read under another path is read again, as names and findings depend on the path.
            let manifest = match found.path == path {
                true => found.manifest,
                false => read_manifest(self.world, self.dialect, &path, self.cache.as_deref_mut()),
            };
            let target = Some(path.moved_to(&real_dir));
            self.result.files.push(SkillFile { path, target, level, manifest, ..found });
        }
    }

    /// Reports, for each symlink to a folder that had been reached already, where the skills below it are listed.
    fn report_duplicates(&mut self, by_real_dir: &[(FsPath, SkillFile)]) {
        let mut findings = Vec::new();
        for (target, link) in &self.links.take_duplicates() {
            let files = links::sorted_entries_within(by_real_dir, target);
            for (real_dir, found) in files.take(MAX_DUPLICATES.saturating_sub(findings.len()).max(1)) {
                let (listed, here) = (self.links.listed_path(real_dir), real_dir.rebased(target, link));
                debug_assert!(listed.is_some() && here.is_some(), "{real_dir:?} is below {target:?}");
                if let (Some(listed), Some(here)) = (listed, here) {
                    findings.push(same_file(found.path.moved_to(&here), &found.path.moved_to(&listed)));
                }
            }
        }
        self.result.findings.append(&mut findings);
    }
}

fn scan_single(
    world: &World<'_>,
    dialect: &Dialect,
    source: &Arc<Source>,
    cache: Option<&mut ScanCache>,
) -> ScanResult {
    let mut result = ScanResult::default();
    let path = match registered_file(world, source) {
        Ok(path) => path,
        Err(FsError::Pending(path)) => {
            result.pending.push(path);
            return result;
        }
        Err(error) => {
            let message =
                format!("the skill that `{}` registers does not exist: {}", visible(&source.label), error.reason());
            result.findings.push(
                Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
                    .help("register a SKILL.md, or a folder that contains one"),
            );
            return result;
        }
    };
    if dialect.reading == Reading::Faithful && path.name() != SKILL_FILE && !manifest::is_single_file(&path) {
        result.findings.push(nearly_skill_file(path));
        return result;
    }
    let manifest = read_manifest(world, dialect, &path, cache);
    if manifest.pending {
        result.pending.push(path);
        return result;
    }
    if path.name() != SKILL_FILE && !manifest::is_single_file(&path) {
        result.findings.push(file_name_case(path.clone()));
    }
    // A path that cannot be resolved has been reported when its file was read.
    let real = |path: &FsPath| world.fs.canonical(path).ok().filter(|real| real != path);
    let (target, folder) = (real(&path), path.parent().and_then(|dir| real(&dir)));
    let is_link = |path: &FsPath| matches!(world.fs.metadata(path), Ok(Some(found)) if found.is_symlink);
    let is_symlink = is_link(&source.root) || is_link(&path);
    let found = SkillFile::new(source, path, manifest);
    result.files.push(SkillFile { target, folder, is_symlink, is_single: true, ..found });
    result
}

/// Reads the Markdown files directly in the root of a source. With a rule they are skills beside folders: names that the rule
/// skips, SKILL.md, and files without frontmatter are passed over (rule 3.19). Without one they are command files: each is
/// named as the file, and the fields for the name and for paths do not count (rule 3.17).
fn scan_files(
    world: &World<'_>,
    dialect: &Dialect,
    source: &Arc<Source>,
    rule: Option<&ScanRule>,
    mut cache: Option<&mut ScanCache>,
) -> ScanResult {
    let mut result = ScanResult::default();
    let entries = match world.fs.list(&source.root) {
        Ok(entries) => entries,
        Err(error) => return unavailable_root(world, source, error),
    };
    for entry in entries.iter().filter(|entry| entry.kind == FileKind::File && !entry.is_lossy) {
        let name = &*entry.name;
        let is_markdown = name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ending == "md");
        if !is_markdown || rule.is_some_and(|rule| is_skipped(rule, name) || manifest::is_skill_file(name)) {
            continue;
        }
        let Ok(path) = source.root.child(name) else { continue };
        let mut manifest = read_manifest(world, dialect, &path, cache.as_deref_mut());
        let is_command = rule.is_none();
        if manifest.pending {
            result.pending.push(path);
            continue;
        } else if is_command {
            let frontmatter = Arc::make_mut(&mut manifest.frontmatter);
            frontmatter.name = None;
            if let Some(run) = &mut frontmatter.run {
                run.paths.clear();
            }
        } else if manifest.rejected == Some(Code::FrontmatterMissing) {
            continue;
        }
        let real = |path: &FsPath| world.fs.canonical(path).ok().filter(|real| real != path);
        let (target, folder) = (real(&path), real(&source.root));
        let found = SkillFile::new(source, path, manifest);
        result.files.push(SkillFile { target, folder, is_single: true, is_command, ..found });
    }
    result
}

/// The file that a registration names: itself, or the SKILL.md in the folder that it names.
fn registered_file(world: &World<'_>, source: &Source) -> Result<FsPath, FsError> {
    let root = &source.root;
    let metadata = world.fs.metadata(root)?.ok_or_else(|| FsError::NotFound(root.clone()))?;
    if metadata.kind != FileKind::Dir {
        return Ok(root.clone());
    }
    let failed = |message: String| FsError::Other { path: root.clone(), message };
    let entries = world.fs.list(root)?;
    let exact = || entries.iter().position(|entry| entry.name == SKILL_FILE);
    match step::skill_file_index(entries.iter()).or_else(exact) {
        Some(index) => root.child(&entries[index].name).map_err(|error| failed(error.to_string())),
        None => Err(failed("the folder contains no SKILL.md".to_owned())),
    }
}

#[derive(Default)]
pub(crate) struct ScanResult {
    /// The SKILL.md files that were read, in byte order of their paths.
    pub(crate) files: Vec<SkillFile>,
    pub(crate) findings: Vec<Diagnostic>,
    /// The folders, not reached through a symlink, that were seen and not entered: because of their names, or as they lie
    /// below the limit of depth.
    pub(crate) unentered: Vec<FsPath>,
    /// The real folders whose folders were not entered, because of the skill in them (rule 3.18).
    pub(crate) closed: Vec<FsPath>,
    /// Files and folders that the file system has yet to fetch.
    pub(crate) pending: Vec<FsPath>,
    /// The folders that may hold files beside a SKILL.md which the dialect reads too, as their listings show; `None` if
    /// that is not known. All folders from the files up to the root of the source were listed.
    pub(crate) beside: Option<HashSet<FsPath>>,
}

pub(crate) struct SkillFile {
    pub(crate) source: Arc<Source>,
    /// The key of the skill. A scan leaves it empty; `resolve` fills it in.
    pub(crate) key: String,
    /// Its path, symlinks not resolved. While the scan is under way, the path under which it was walked.
    pub(crate) path: FsPath,
    /// Its path with symlinks resolved; `None` if that is `path`.
    pub(crate) target: Option<FsPath>,
    /// The real path of its folder; `None` if that is the parent of `path`.
    pub(crate) folder: Option<FsPath>,
    /// How many folders below the root of the source its folder lies.
    pub(crate) level: usize,
    pub(crate) is_symlink: bool,
    /// Whether it is a skill of its own, not the SKILL.md of a folder.
    pub(crate) is_single: bool,
    pub(crate) is_command: bool,
    /// The files in its resource folders, if they were asked for and are all known.
    pub(crate) resources: Option<ResourceNames>,
    pub(crate) manifest: Manifest,
}

impl SkillFile {
    fn new(source: &Arc<Source>, path: FsPath, manifest: Manifest) -> SkillFile {
        let (source, key) = (Arc::clone(source), String::new());
        let (target, folder, resources) = (None, None, None);
        let (level, is_symlink, is_single, is_command) = (0, false, false, false);
        SkillFile { source, key, path, target, folder, level, is_symlink, is_single, is_command, resources, manifest }
    }

    pub(crate) fn real_path(&self) -> &FsPath {
        self.target.as_ref().unwrap_or(&self.path)
    }
}
