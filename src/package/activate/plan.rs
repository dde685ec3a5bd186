//! The plan for a folder of copies, an owned value: what is copied, what stays, what is removed, and what is left alone as
//! it is not a copy (rule 20.2). Nothing is written here.

use super::marker::{self, MARKER, Marker};
use super::{activation_keys, tree};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::catalog::{Catalog, FileStatus};
use crate::discovery::manifest::is_single_file;
use crate::discovery::scan::OWN_PREFIX;
use crate::discovery::source::{copy_folders, sources_with};
use crate::discovery::world::World;
use crate::fs::{Entry, FileKind, FsError, Stamp, reached};
use crate::model::error::Error;
use crate::model::skill::{Location, Skill, State};
use crate::package::files::nearest;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::order::sort_by;
use std::collections::{BTreeMap, BTreeSet};

/// How many bytes of a file are compared with those of its copy. For a longer one its length and stamp decide.
const COMPARED_BYTES: u64 = 67_108_864;

/// How many bytes all skills of a plan may have.
pub(crate) const MAX_PLAN_BYTES: u64 = 4_294_967_296;

/// What is to be done to a folder of copies, so that it holds those of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyPlan {
    /// The folder.
    pub root: FsPath,
    /// The folder whose symlinks are not followed on the way to `root`: the project, as
    /// [`Places::no_links_in`](crate::Places::no_links_in) has it.
    pub no_links_in: Option<FsPath>,
    /// The copies to make, by their names.
    pub copies: Vec<SkillCopy>,
    /// The names of copies that stay as they are.
    pub unchanged: Vec<String>,
    /// The names of copies to remove.
    pub removals: Vec<String>,
    /// What was noticed.
    pub findings: Vec<Diagnostic>,
}

/// One copy to make. It replaces an earlier copy of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillCopy {
    /// Its name, the activation key.
    pub name: String,
    /// The id of the skill.
    pub id: String,
    /// Its SKILL.md.
    pub source: FsPath,
    /// All files, by name.
    pub files: Vec<CopyFile>,
    /// Where the skill's files really were when it was found.
    pub(crate) location: Location,
}

/// One file of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyFile {
    /// What to copy.
    pub from: FsPath,
    /// Its name in the copy, with `/`.
    pub to: String,
    /// Its length when the plan was made.
    pub len: u64,
    /// Its stamp then.
    pub stamp: Option<Stamp>,
}

/// The plan for a folder of copies.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
/// use skilltree::package::activation;
/// let mut fs = MemFs::new();
/// fs.file("/u/skills/personal/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
/// let places = Places { user: FsPath::new("/u").ok(), ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("daycare").unwrap());
/// let plan = activation(&world, &catalog, &FsPath::new("/u/skills/active").unwrap()).unwrap();
/// assert_eq!(plan.copies[0].name, "user--tea");
/// ```
///
/// # Errors
/// [`Error::NotInDialect`] where the dialect has no copies, [`Error::ActivationOverlap`] where the folder is no
/// place for them, [`Error::Fs`] where it cannot be listed.
pub fn activation(world: &World<'_>, catalog: &Catalog, root: &FsPath) -> Result<CopyPlan, Error> {
    let dialect = catalog.dialect();
    let Some(rule) = &dialect.activation else {
        return Err(Error::NotInDialect { dialect: dialect.name.to_string(), what: "activation" });
    };
    check_overlap(world, catalog, root)?;
    let mut plan = CopyPlan {
        root: root.clone(),
        no_links_in: world.places.no_links_in(world.fs).cloned(),
        copies: Vec::new(),
        unchanged: Vec::new(),
        removals: Vec::new(),
        findings: Vec::new(),
    };
    let entries = present(world, root, &mut plan.findings)?;
    let keys = activation_keys(rule, catalog);
    let mut wanted: BTreeMap<&str, &Skill> = BTreeMap::new();
    for skill in catalog.skills().iter().filter(|skill| skill.state != State::Disabled) {
        let Some(key) = keys.get(skill.key.as_str()) else { continue };
        if key.shared {
            plan.findings.push(collision(skill));
        }
        match &key.name {
            Some(name) => _ = wanted.insert(name, skill),
            None => plan.findings.push(no_key(skill)),
        }
    }
    let mut left = MAX_PLAN_BYTES;
    for (name, skill) in &wanted {
        add_skill(world, name, skill, entries.get(*name), &mut plan, &mut left);
    }
    let retained = retained(catalog);
    for (name, entry) in entries.iter().filter(|(name, _)| !wanted.contains_key(name.as_str())) {
        match entry {
            // An invalid skill does not take its predecessor away.
            Some(marker) if retained.includes(marker) => plan.unchanged.push(name.clone()),
            Some(_) => plan.removals.push(name.clone()),
            None => {}
        }
    }
    sort_by(&mut plan.unchanged, Ord::cmp);
    sort_by(&mut plan.findings, |a, b| (&a.path, a.code, &a.message).cmp(&(&b.path, b.code, &b.message)));
    Ok(plan)
}

/// Fails if copies would be among the skills that they are made of: each time they would be copied again, and more.
fn check_overlap(world: &World<'_>, catalog: &Catalog, root: &FsPath) -> Result<(), Error> {
    let active = reached(world.fs, root);
    // Discovery takes nothing from these, so they may be in a source; but not in a skill, which is copied whole.
    let is_known = copy_folders(catalog.dialect(), world.places).iter().any(|known| reached(world.fs, known) == active);
    let roots = sources_with(world, catalog.dialect(), catalog.settings(), &mut Vec::new(), &mut Vec::new())
        .into_iter()
        .map(|place| place.source.root.clone());
    let skills = catalog.skills().iter().filter(|skill| !is_single_file(&skill.path)).map(Skill::dir);
    for (source_root, may_hold) in roots.map(|root| (root, is_known)).chain(skills.map(|dir| (dir, false))) {
        let source = reached(world.fs, &source_root);
        if source.starts_with(&active) || (active.starts_with(&source) && !may_hold) {
            return Err(Error::ActivationOverlap { root: root.clone(), source_root });
        }
    }
    Ok(())
}

/// The entries of the folder: copies with their markers, and entries that are not copies.
fn present(
    world: &World<'_>,
    root: &FsPath,
    findings: &mut Vec<Diagnostic>,
) -> Result<BTreeMap<String, Option<Marker>>, Error> {
    let listed = match world.fs.list(root) {
        Err(FsError::NotFound(_)) => Vec::new(),
        listed => listed?,
    };
    let mut entries = BTreeMap::new();
    for Entry { name, kind, is_symlink: link, is_lossy: lossy } in listed {
        if name.starts_with(OWN_PREFIX) {
            continue;
        }
        let dir = root.child(&name).ok().filter(|_| kind == FileKind::Dir && !link && !lossy);
        let marker = dir.and_then(|dir| marker::read(world.fs, &dir));
        if marker.is_none() {
            findings.push(foreign(root, &name));
        }
        entries.insert(name, marker);
    }
    Ok(entries)
}

/// Adds what is to be done for one skill.
fn add_skill(
    world: &World<'_>,
    name: &str,
    skill: &Skill,
    entry: Option<&Option<Marker>>,
    plan: &mut CopyPlan,
    left: &mut u64,
) {
    let marker = match entry {
        None => None,
        // The finding about the entry is there already.
        Some(None) => return,
        Some(Some(marker)) => Some(marker),
    };
    let files = tree::files(world, skill, &mut plan.findings).and_then(|files| {
        let total = files.iter().fold(0, |sum: u64, file| sum.saturating_add(file.len));
        let rest =
            left.checked_sub(total).ok_or_else(|| Box::new(tree::too_much_in_all(&skill.dir(), MAX_PLAN_BYTES)))?;
        *left = rest;
        Ok(files)
    });
    let files = match files {
        Ok(files) => files,
        Err(finding) => {
            plan.findings.push(*finding);
            if marker.is_some() {
                plan.unchanged.push(name.to_owned());
            }
            return;
        }
    };
    let dir = plan.root.child(name).ok();
    match marker.zip(dir) {
        Some((marker, dir)) if is_same(world, skill, marker, &dir, &files) => plan.unchanged.push(name.to_owned()),
        _ => {
            let (name, id, source) = (name.to_owned(), skill.key.clone(), skill.path.clone());
            plan.copies.push(SkillCopy { name, id, source, files, location: skill.location() });
        }
    }
}

/// Whether a copy is of this skill, and has every file of it as it is now.
fn is_same(world: &World<'_>, skill: &Skill, marker: &Marker, dir: &FsPath, files: &[CopyFile]) -> bool {
    marker.id == skill.key
        && marker.files.len() == files.len()
        && files.iter().all(|file| marker.files.contains_key(&file.to) && is_same_file(world, marker, dir, file))
}

/// Length and stamp, and the contents where they leave a doubt.
fn is_same_file(world: &World<'_>, marker: &Marker, dir: &FsPath, file: &CopyFile) -> bool {
    let Ok(copy) = dir.join(&file.to) else { return false };
    match world.fs.metadata(&copy) {
        Ok(Some(metadata)) if metadata.kind == FileKind::File && !metadata.is_symlink && metadata.len == file.len => {}
        _ => return false,
    }
    if marker.knows(file) {
        return true;
    }
    if COMPARED_BYTES < file.len {
        return false;
    }
    let read = |path: &FsPath| world.fs.read(path, COMPARED_BYTES).map(|head| head.bytes);
    matches!((read(&file.from), read(&copy)), (Ok(from), Ok(copy)) if from == copy)
}

/// Copies that stay although no skill of the catalog asks for them.
struct Retained<'c> {
    ids: BTreeSet<&'c str>,
    unread: Vec<&'c FsPath>,
}

impl Retained<'_> {
    fn includes(&self, marker: &Marker) -> bool {
        let source = FsPath::new(&marker.source).ok();
        self.ids.contains(marker.id.as_str())
            || source.is_some_and(|source| self.unread.iter().any(|unread| source.starts_with(unread)))
    }
}

/// Files that are seen and are not skills now, and everything where nothing could be read.
fn retained(catalog: &Catalog) -> Retained<'_> {
    let used: BTreeSet<&str> = catalog.skills().iter().map(|skill| skill.key.as_str()).collect();
    let lost = catalog.seen().filter(|seen| matches!(seen.status, FileStatus::Skipped(_)));
    let ids = lost.filter_map(|seen| seen.key).filter(|id| !used.contains(id)).collect();
    let is_unread =
        |finding: &&Diagnostic| matches!(finding.code, Code::SourceUnreadable | Code::Unreadable | Code::ScanTruncated);
    let unread = catalog.findings().iter().filter(is_unread).map(|finding| &finding.path);
    Retained { ids, unread: unread.chain(catalog.pending()).collect() }
}

fn collision(skill: &Skill) -> Diagnostic {
    let message = format!(
        "the ids `{}` and another one map to the same copy name, so both get a hash suffix",
        visible(&skill.key)
    );
    Diagnostic::new(Severity::Warning, Code::ActivationCollision, skill.path.clone(), message)
        .help("rename one of the two folders")
}

fn no_key(skill: &Skill) -> Diagnostic {
    let message =
        format!("the id `{}` cannot be turned into a folder name, so the skill is not copied", visible(&skill.key));
    Diagnostic::new(Severity::Error, Code::ActivationKey, skill.path.clone(), message)
        .help("name the folder with letters, digits, hyphens and dots")
}

fn foreign(root: &FsPath, name: &str) -> Diagnostic {
    let path = nearest(root, name);
    let message =
        format!("`{}` is not a copy of a skill (it contains no `{MARKER}`), so it is left as it is", visible(name));
    Diagnostic::new(Severity::Warning, Code::ForeignEntry, path, message)
        .help("move it away: the folder is for copies only")
}
