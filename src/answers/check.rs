//! In: files, folders and trees of skills. Out: findings, each file judged whole by the rules of a profile, which
//! is a dialect. What its document calls a rule is an error here (decisions 8). Files that the fields name have to be there.
//! Absent: which skill wins.

use crate::answers::knowledge;
use crate::answers::script;
use crate::answers::toolset;
use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::dialect::{Dialect, FieldRole, RootSkill, ScanRule};
use crate::discovery::catalog::discover;
use crate::discovery::manifest::{Document, ReadMode, items, whole};
use crate::discovery::scan::{self, ScanResult, Walked, scan};
use crate::discovery::source::sources;
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Containment, Frontmatter, Origin, ScriptList, Source};
use crate::model::world::World;
use crate::path::FsPath;
use std::collections::HashSet;
use std::sync::Arc;

/// How strictly to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckRequest {
    /// Whether unknown fields, names beyond ASCII and metadata that is no text are findings too.
    pub strict: bool,
}

/// Checks each path: a SKILL.md, a skill's folder, or a tree of skills. Without any, all that a discovery by
/// the dialect looks at: every source, the lists of plugins, the stores of states.
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
/// [`Error::Fs`] for a path that does not exist or cannot be looked at.
pub fn check(
    world: &World<'_>,
    dialect: &Arc<Dialect>,
    paths: &[FsPath],
    ask: &CheckRequest,
) -> Result<Vec<Diagnostic>, Error> {
    let judge = if ask.strict { ReadMode::Strict } else { ReadMode::Check };
    let mut findings = Vec::new();
    if paths.is_empty() {
        let mut walked = Walked::default();
        for place in sources(world, dialect, &mut findings, &mut Vec::new()) {
            account(world, dialect, scan(world, dialect, &place, None, &mut walked), judge, &mut findings);
        }
        discovered(world, dialect, &mut findings);
    }
    let trusted = if paths.is_empty() { Vec::new() } else { trusted(world, dialect) };
    for path in paths {
        let metadata = world.fs.metadata(path)?.ok_or_else(|| Error::Fs(FsError::NotFound(path.clone())))?;
        let dir =
            if metadata.kind == FileKind::Dir { path.clone() } else { path.parent().unwrap_or_else(FsPath::root) };
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

/// What discovery finds besides: in stores of states, and in files as others stand beside them.
fn discovered(world: &World<'_>, dialect: &Arc<Dialect>, findings: &mut Vec<Diagnostic>) {
    let mut known: HashSet<(FsPath, Code)> = HashSet::new();
    known.extend(findings.iter().map(|finding| (finding.path.clone(), finding.code)));
    let catalog = discover(world, dialect);
    let more = catalog.findings().iter().filter(|finding| !known.contains(&(finding.path.clone(), finding.code)));
    findings.extend(more.cloned());
}

/// The roots of the sources that the user trusts.
fn trusted(world: &World<'_>, dialect: &Dialect) -> Vec<FsPath> {
    let places = sources(world, dialect, &mut Vec::new(), &mut Vec::new());
    let of_user = places.into_iter().filter(|place| place.source.containment.is_none());
    of_user.map(|place| place.source.root.clone()).collect()
}

/// Where links at a path and below it, in this folder, may lead. What is checked may be a repository that nobody has
/// looked at yet, and findings show lines of the files that they are about.
fn containment(world: &World<'_>, path: &FsPath, dir: FsPath, trusted: &[FsPath]) -> Option<Containment> {
    let places = world.places;
    if places.follow_links_out || trusted.iter().any(|root| dir.is_within(root)) {
        return None;
    }
    // A path in the project may itself be a link that the project ships; anywhere else it is the user's own.
    let project = places.project.clone().filter(|project| path.is_within(project)).unwrap_or(dir);
    Some(Containment { project, home: places.home.clone(), trusted: trusted.to_vec() })
}

/// Every SKILL.md of a tree, at any depth, whatever the dialect's own scan would take.
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
        level: Origin::Extra,
        root: root.clone(),
        rank: 0,
        namespace: None,
        containment: None,
    });
    let whatever_is_there = ScanRule { depth: None, root: RootSkill::Taken, reserved: [].as_slice().into() };
    let scanned = scan::tree(world, dialect, &whatever_is_there, &source, None, &mut Walked::default());
    let is_empty = scanned.found.is_empty() && !scanned.findings.iter().any(|f| f.severity == Severity::Error);
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
    for found in scanned.found {
        let files = found.source.files(world.fs);
        file(&World { fs: &files, ..*world }, dialect, &found.path, judge, findings);
    }
}

fn file(world: &World<'_>, dialect: &Dialect, path: &FsPath, judge: ReadMode, findings: &mut Vec<Diagnostic>) {
    let Document { mut manifest, bytes, .. } = whole(world.fs, dialect, path, judge);
    findings.append(&mut manifest.findings);
    findings.append(
        &mut knowledge::hint(world, dialect, path, &manifest.frontmatter.needs().knowledge, &manifest.knowledge)
            .findings,
    );
    named(world, dialect, (path, &bytes), &manifest.frontmatter, findings);
}

/// The files that the fields name and that are not there, each at its item.
fn named(
    world: &World<'_>,
    dialect: &Dialect,
    (path, bytes): (&FsPath, &[u8]),
    frontmatter: &Frontmatter,
    findings: &mut Vec<Diagnostic>,
) {
    if !frontmatter.run().toolsets.is_empty() {
        for item in items(dialect, path, bytes, &FieldRole::Toolsets) {
            findings.extend(toolset::fault(world, path, &item.text).map(|finding| item.place(finding)));
        }
    }
    // Where the list cannot be read, that has its finding.
    if matches!(frontmatter.run().scripts, ScriptList::Names(_)) {
        let listed = items(dialect, path, bytes, &FieldRole::Scripts);
        let faults = script::faults(world, path, listed.iter().map(|item| item.text.as_str()));
        for (item, fault) in listed.iter().zip(faults) {
            findings.extend(fault.map(|finding| item.place(finding)));
        }
    }
}
