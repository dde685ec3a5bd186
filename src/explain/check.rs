//! Checks skills by the rules of a dialect: [`check()`] returns the findings about files, folders and trees of skills. Whole
//! files are judged, and files that are named in fields (`check/named`) or in the text (`check/references`) must exist. What
//! discovery finds as well has the same severity here (rule 6.12).

mod named;
mod references;

use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::dialect::{Dialect, LinkedFolders, Permitted, ScanRule};
use crate::discovery::catalog::{Catalog, discover_with};
use crate::discovery::manifest::{Document, ReadMode, read_all};
use crate::discovery::scan::{self, ScanResult, WalkedFolders};
use crate::discovery::source::sources;
use crate::discovery::world::World;
use crate::explain::beyond::beyond;
use crate::fs::{FileKind, FilePrefix, FsError};
use crate::loading::knowledge;
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Containment, Origin, Source};
use crate::package::facts::facts;
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::cell::RefCell;
use std::sync::Arc;

/// How strictly to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckRequest {
    /// Whether what is only a matter of style or of other skill systems is a finding as well: unknown fields, names that
    /// are not ASCII, metadata that is not text, lists of tools that are not one text, and references to other skills or
    /// over several files.
    pub strict: bool,
}

impl CheckRequest {
    pub(crate) fn mode(&self) -> ReadMode {
        if self.strict { ReadMode::Strict } else { ReadMode::Check }
    }
}

/// Checks each path: a SKILL.md, the folder of a skill, or a tree of skills. Without paths, checks everything that discovery
/// reads: all sources, the lists of plugins, and the stores of states.
///
/// ```
/// use skilltree::{CheckRequest, FsPath, MemFs, Places, World, check, dialect};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: Tea\ndescription: Makes tea.\n---\n");
/// let (places, tree) = (Places::default(), FsPath::new("/s").unwrap());
/// let world = World::new(&fs, &places, &());
/// let findings = check(&world, &dialect("agentskills").unwrap(), &[tree], &CheckRequest::default()).unwrap();
/// assert_eq!(findings[0].code.as_str(), "name-invalid");
/// ```
///
/// # Errors
/// Returns [`Error::Fs`] for a path that does not exist or cannot be accessed.
pub fn check(
    world: &World<'_>,
    dialect: &Arc<Dialect>,
    paths: &[FsPath],
    ask: &CheckRequest,
) -> Result<Vec<Diagnostic>, Error> {
    let dialect = &dialect.in_world(world);
    if paths.is_empty() {
        return Ok(check_sources(world, dialect, ask).1);
    }
    let mut findings = Vec::new();
    each_file(world, dialect, paths, &mut findings, &mut |world, path, _, findings| {
        read_file(world, dialect, path, ask.mode(), findings);
    })?;
    put_in_order(&mut findings);
    Ok(findings)
}

/// Checks everything that discovery reads, as [`check`] does without paths, and looks beyond it. Returns what was
/// discovered, and the findings.
pub fn check_sources(world: &World<'_>, dialect: &Arc<Dialect>, ask: &CheckRequest) -> (Catalog, Vec<Diagnostic>) {
    let (catalog, mut findings) = check_seen(world, dialect, ask);
    findings.append(&mut beyond(world, &catalog).findings);
    put_in_order(&mut findings);
    (catalog, findings)
}

/// Like [`check_sources`], without looking at what a discovery does not see. This is what a list counts.
pub fn check_seen(world: &World<'_>, dialect: &Arc<Dialect>, ask: &CheckRequest) -> (Catalog, Vec<Diagnostic>) {
    let (dialect, mut findings) = (&dialect.in_world(world), Vec::new());
    let catalog = all_sources(world, dialect, ask.mode(), &mut findings);
    discovered(&catalog, &mut findings);
    put_in_order(&mut findings);
    (catalog, findings)
}

/// What is done with each SKILL.md that is checked. The world reads no file that the check may not read, which the
/// containment says too; it is `None` if the file may be anywhere.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&World<'_>, &FsPath, Option<&Containment>, &mut Vec<Diagnostic>);

/// Visits each SKILL.md of the paths, or of every source if there are none. Adds the findings about folders.
pub(crate) fn each_file(
    world: &World<'_>,
    dialect: &Arc<Dialect>,
    paths: &[FsPath],
    findings: &mut Vec<Diagnostic>,
    visit: Visit<'_>,
) -> Result<(), Error> {
    if paths.is_empty() {
        let mut walked = WalkedFolders::default();
        for place in sources(world, dialect, findings, &mut Vec::new()) {
            account(world, scan::scan(world, dialect, &place, None, &mut walked), None, findings, visit);
        }
        return Ok(());
    }
    let trusted = trusted(world, dialect);
    for path in paths {
        let metadata = world.fs.metadata(path)?.ok_or_else(|| Error::Fs(FsError::NotFound(path.clone())))?;
        let dir = match metadata.kind {
            FileKind::Dir => path.clone(),
            // Only a folder can be the root.
            _ => path.parent().ok_or_else(|| Error::Fs(FsError::NotFound(path.clone())))?,
        };
        let containment = containment(world, path, dir, &trusted);
        match metadata.kind {
            FileKind::Dir => tree(world, dialect, path, containment.as_ref(), findings, visit),
            _ => {
                let files = ContainedFs::new(world.fs, containment.as_ref());
                visit(&World { fs: &files, ..*world }, path, containment.as_ref(), findings);
            }
        }
    }
    Ok(())
}

/// Checks every SKILL.md that a discovery finds. Most files are checked while the file system lists further folders, so
/// that this takes little longer than the discovery.
fn all_sources(world: &World<'_>, dialect: &Arc<Dialect>, judge: ReadMode, findings: &mut Vec<Diagnostic>) -> Catalog {
    let checked = RefCell::new(Vec::new());
    let check = |world: &World<'_>, source: &Arc<Source>, path: &FsPath, read: Result<&FilePrefix, &FsError>| {
        let mut of_file = Vec::new();
        // A walk reads the beginning of a file, which is the whole of nearly each.
        match read {
            Ok(head) if (head.bytes.len() as u64) < head.len && head.len <= dialect.max_skill_bytes() => {
                read_file(world, dialect, path, judge, &mut of_file);
            }
            read => file(world, dialect, (path, read), judge, &mut of_file),
        }
        checked.borrow_mut().push((path.clone(), Arc::clone(source), of_file));
    };
    let mut found = Vec::new();
    let catalog = discover_with(&World { on_read: Some(&check), ..*world }, dialect, &mut |scanned| {
        findings.extend_from_slice(&scanned.findings);
        found.extend(scanned.files.iter().map(|file| (file.path.clone(), Arc::clone(&file.source))));
    });
    let mut checked = checked.into_inner();
    sort_by(&mut checked, |a, b| a.0.cmp(&b.0));
    for (path, source) in found {
        let first = checked.partition_point(|(other, ..)| *other < path);
        let same = checked.iter_mut().skip(first).take_while(|(other, ..)| *other == path);
        match same.into_iter().find(|(_, other, _)| Arc::ptr_eq(other, &source)) {
            Some((.., of_file)) => findings.append(of_file),
            // A file that no walk has read is a source itself, or was reached through a symlink.
            None => {
                let files = source.files(world.fs);
                read_file(&World { fs: &files, ..*world }, dialect, &path, judge, findings);
            }
        }
    }
    catalog
}

/// Adds the findings that only a discovery makes: about stores of states, and about files in relation to others.
fn discovered(catalog: &Catalog, findings: &mut Vec<Diagnostic>) {
    let key = |finding: &Diagnostic| (finding.path.clone(), finding.code);
    let mut known: Vec<(FsPath, Code)> = findings.iter().map(key).collect();
    sort_by(&mut known, Ord::cmp);
    let more = catalog.findings().iter().filter(|finding| known.binary_search(&key(finding)).is_err());
    findings.extend(more.cloned());
}

/// The roots of the sources that the user trusts.
pub(crate) fn trusted(world: &World<'_>, dialect: &Dialect) -> Vec<FsPath> {
    let places = sources(world, dialect, &mut Vec::new(), &mut Vec::new());
    let of_user = places.into_iter().filter(|place| place.source.containment.is_none());
    of_user.map(|place| place.source.root.clone()).collect()
}

/// Where symlinks at and below a path may lead; `None` if anywhere. `dir` is the folder that is checked. It may be an
/// unreviewed repository, and findings quote lines of the files that they are about.
pub(crate) fn containment(world: &World<'_>, path: &FsPath, dir: FsPath, trusted: &[FsPath]) -> Option<Containment> {
    let places = world.places;
    if places.follow_links_out || trusted.iter().any(|root| dir.starts_with(root)) {
        return None;
    }
    // A path in the project may itself be a symlink of the project. Elsewhere the user has chosen the path.
    let project = places.project.clone().filter(|project| path.starts_with(project)).unwrap_or(dir);
    Some(Containment { project, home: places.home.clone(), trusted: trusted.to_vec() })
}

/// Checks every SKILL.md of a tree at any depth, even those that the dialect's own scan does not find.
fn tree(
    world: &World<'_>,
    dialect: &Dialect,
    root: &FsPath,
    containment: Option<&Containment>,
    findings: &mut Vec<Diagnostic>,
    visit: Visit<'_>,
) {
    let files = ContainedFs::new(world.fs, containment);
    let world = &World { fs: &files, ..*world };
    let source = Arc::new(Source {
        label: root.name().to_owned(),
        scope: "extra".to_owned(),
        origin: Origin::Extra,
        root: root.clone(),
        rank: 0,
        namespace: None,
        nested_in: None,
        containment: None,
    });
    let whatever_is_there = ScanRule {
        depth: None,
        root: Permitted::Yes,
        reserved: [].as_slice().into(),
        hidden: Permitted::Yes,
        linked_files: Permitted::Yes,
        skipped: dialect.scan.skipped.clone(),
    };
    let scanned = scan::scan_tree(
        world,
        dialect,
        (&whatever_is_there, LinkedFolders::Followed),
        &source,
        None,
        &mut WalkedFolders::default(),
    );
    let is_empty = scanned.files.is_empty() && !scanned.findings.iter().any(|f| f.severity == Severity::Error);
    account(world, scanned, containment, findings, visit);
    if is_empty {
        findings.push(
            Diagnostic::new(Severity::Error, Code::NoSkill, root.clone(), "no SKILL.md here or below")
                .help("name a SKILL.md file, the folder of a skill, or a folder that contains skills"),
        );
    }
}

/// Visits the files that a scan has found. `containment` is that of sources which have none themselves.
fn account(
    world: &World<'_>,
    mut scanned: ScanResult,
    containment: Option<&Containment>,
    findings: &mut Vec<Diagnostic>,
    visit: Visit<'_>,
) {
    findings.append(&mut scanned.findings);
    for found in scanned.files {
        let files = found.source.files(world.fs);
        let containment = found.source.containment.as_deref().or(containment);
        visit(&World { fs: &files, ..*world }, &found.path, containment, findings);
    }
}

fn read_file(world: &World<'_>, dialect: &Dialect, path: &FsPath, judge: ReadMode, findings: &mut Vec<Diagnostic>) {
    let read = world.fs.read(path, dialect.max_skill_bytes() + 1);
    file(world, dialect, (path, read.as_ref()), judge, findings);
}

/// Checks a SKILL.md of which as much was read as it may have bytes.
fn file(
    world: &World<'_>,
    dialect: &Dialect,
    (path, read): (&FsPath, Result<&FilePrefix, &FsError>),
    judge: ReadMode,
    findings: &mut Vec<Diagnostic>,
) {
    let Document { mut manifest, body_start, .. } = read_all(world.extras, dialect, path, read, judge);
    let bytes = read.map_or(&[][..], |read| &read.bytes);
    findings.append(&mut manifest.findings);
    findings.append(
        &mut knowledge::hint(world, dialect, path, &manifest.frontmatter.needs().knowledge, &manifest.knowledge)
            .findings,
    );
    named::report_missing(world, dialect, (path, bytes), &manifest.frontmatter, findings);
    if judge == ReadMode::Strict {
        findings.append(&mut facts(world.fs, path));
    }
    if manifest.rejected.is_none() {
        references::report(world, (path, bytes, body_start), judge, findings);
    }
}
