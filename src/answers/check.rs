//! Checks skills by the rules of a dialect: [`check`] returns the findings about files, folders and trees of skills. A rule
//! of the dialect's document that discovery tolerates is an error here (rule 6.9), and files that are named in fields
//! must exist.

use crate::answers::knowledge;
use crate::answers::script;
use crate::answers::toolset;
use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::dialect::{Dialect, FieldRole, RootSkill, ScanRule};
use crate::discovery::catalog::discover;
use crate::discovery::manifest::{Document, ReadMode, items, read_whole};
use crate::discovery::scan::{self, ScanResult, WalkedFolders, scan};
use crate::discovery::source::sources;
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Containment, Frontmatter, Origin, ScriptList, Source};
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::sync::Arc;

/// How strictly to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckRequest {
    /// Whether unknown fields, names that are not ASCII and metadata that is not text are findings as well.
    pub strict: bool,
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
    let judge = if ask.strict { ReadMode::Strict } else { ReadMode::Check };
    let mut findings = Vec::new();
    if paths.is_empty() {
        let mut walked = WalkedFolders::default();
        for place in sources(world, dialect, &mut findings, &mut Vec::new()) {
            account(world, dialect, scan(world, dialect, &place, None, &mut walked), judge, &mut findings);
        }
        discovered(world, dialect, &mut findings);
    }
    let trusted = if paths.is_empty() { Vec::new() } else { trusted(world, dialect) };
    for path in paths {
        let metadata = world.fs.metadata(path)?.ok_or_else(|| Error::Fs(FsError::NotFound(path.clone())))?;
        let dir = match metadata.kind {
            FileKind::Dir => path.clone(),
            // Only a folder can be the root.
            _ => path.parent().ok_or_else(|| Error::Fs(FsError::NotFound(path.clone())))?,
        };
        let containment = containment(world, path, dir, &trusted);
        match metadata.kind {
            FileKind::Dir => tree(world, dialect, path, containment, judge, &mut findings),
            _ => {
                let files = ContainedFs::new(world.fs, containment.as_ref());
                file(&World { fs: &files, ..*world }, dialect, path, judge, &mut findings);
            }
        }
    }
    put_in_order(&mut findings);
    Ok(findings)
}

/// Adds the findings that only a discovery makes: about stores of states, and about files in relation to others.
fn discovered(world: &World<'_>, dialect: &Arc<Dialect>, findings: &mut Vec<Diagnostic>) {
    let key = |finding: &Diagnostic| (finding.path.clone(), finding.code);
    let mut known: Vec<(FsPath, Code)> = findings.iter().map(key).collect();
    sort_by(&mut known, Ord::cmp);
    let catalog = discover(world, dialect);
    let more = catalog.findings().iter().filter(|finding| known.binary_search(&key(finding)).is_err());
    findings.extend(more.cloned());
}

/// The roots of the sources that the user trusts.
fn trusted(world: &World<'_>, dialect: &Dialect) -> Vec<FsPath> {
    let places = sources(world, dialect, &mut Vec::new(), &mut Vec::new());
    let of_user = places.into_iter().filter(|place| place.source.containment.is_none());
    of_user.map(|place| place.source.root.clone()).collect()
}

/// Where symlinks at and below a path may lead; `None` if anywhere. `dir` is the folder that is checked. It may be an
/// unreviewed repository, and findings quote lines of the files that they are about.
fn containment(world: &World<'_>, path: &FsPath, dir: FsPath, trusted: &[FsPath]) -> Option<Containment> {
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
    containment: Option<Containment>,
    judge: ReadMode,
    findings: &mut Vec<Diagnostic>,
) {
    let files = ContainedFs::new(world.fs, containment.as_ref());
    let world = &World { fs: &files, ..*world };
    let source = Arc::new(Source {
        label: root.name().to_owned(),
        scope: "extra".to_owned(),
        origin: Origin::Extra,
        root: root.clone(),
        rank: 0,
        namespace: None,
        containment: None,
    });
    let whatever_is_there = ScanRule { depth: None, root: RootSkill::Accepted, reserved: [].as_slice().into() };
    let scanned = scan::scan_tree(world, dialect, &whatever_is_there, &source, None, &mut WalkedFolders::default());
    let is_empty = scanned.files.is_empty() && !scanned.findings.iter().any(|f| f.severity == Severity::Error);
    account(world, dialect, scanned, judge, findings);
    if is_empty {
        findings.push(
            Diagnostic::new(Severity::Error, Code::NoSkill, root.clone(), "no SKILL.md here or below")
                .help("name a SKILL.md, a folder that holds one, or a tree of such folders"),
        );
    }
}

fn account(
    world: &World<'_>,
    dialect: &Dialect,
    mut scanned: ScanResult,
    judge: ReadMode,
    findings: &mut Vec<Diagnostic>,
) {
    findings.append(&mut scanned.findings);
    for found in scanned.files {
        let files = found.source.files(world.fs);
        file(&World { fs: &files, ..*world }, dialect, &found.path, judge, findings);
    }
}

fn file(world: &World<'_>, dialect: &Dialect, path: &FsPath, judge: ReadMode, findings: &mut Vec<Diagnostic>) {
    let Document { mut manifest, bytes, .. } = read_whole(world.fs, dialect, path, judge);
    findings.append(&mut manifest.findings);
    findings.append(
        &mut knowledge::hint(world, dialect, path, &manifest.frontmatter.needs().knowledge, &manifest.knowledge)
            .findings,
    );
    named(world, dialect, (path, &bytes), &manifest.frontmatter, findings);
}

/// Adds a finding for each file that a field names and that does not exist, at the position of its item.
fn named(
    world: &World<'_>,
    dialect: &Dialect,
    (path, bytes): (&FsPath, &[u8]),
    frontmatter: &Frontmatter,
    findings: &mut Vec<Diagnostic>,
) {
    if !frontmatter.run().toolsets.is_empty() {
        for item in items(dialect, path, bytes, &FieldRole::Toolsets) {
            findings.extend(toolset::fault(world, path, &item.text).map(|finding| item.locate(finding)));
        }
    }
    // A list that cannot be read has its own finding.
    if matches!(frontmatter.run().scripts, ScriptList::Names(_)) {
        let listed = items(dialect, path, bytes, &FieldRole::Scripts);
        let faults = script::faults(world, path, listed.iter().map(|item| item.text.as_str()));
        for (item, fault) in listed.iter().zip(faults) {
            findings.extend(fault.map(|finding| item.locate(finding)));
        }
    }
}
