//! Copies of skills for use: where the copy of a skill is, and [`CopyPlan`], by which copies are made: what is copied, what
//! stays, what is removed, and what is left alone as it is not a copy (rules 20.1 to 20.3). A copy's name is made of its
//! skill's id. Nothing is written here.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::ActivationRule;
use crate::discovery::catalog::{Catalog, FileStatus};
use crate::discovery::extras::Noticed;
use crate::discovery::manifest::is_single_file;
use crate::discovery::scan::{OWN_PREFIX, SKILL_FILE};
use crate::discovery::source::{copy_folders, sources_with};
use crate::discovery::world::World;
use crate::fs::{Entry, FileKind, Fs, FsError, Stamp, reached};
use crate::model::error::Error;
use crate::model::skill::{Location, Skill, State};
use crate::package::files::{OtherKind, Package, Purpose, child, nearest};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::json::Json;
use crate::text::order::sort_by;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Where a skill is read, and under which path the model sees its folder.
pub(crate) struct ActiveLocation {
    pub(crate) path: FsPath,
    pub(crate) dir: String,
}

/// The copy for use, where there is a folder of them; else the skill where it was found (rule 12.2).
pub(crate) fn active_location(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<ActiveLocation, Error> {
    let (Some(rule), Some(active)) = (&catalog.dialect().activation, &world.places.active) else {
        return Ok(ActiveLocation { path: skill.path.clone(), dir: world.fs.display(&skill.dir()).into_owned() });
    };
    let keys = activation_keys(rule, catalog);
    let name = keys.get(skill.key.as_str()).and_then(|key| key.name.clone());
    let Some((name, dir)) = name.and_then(|name| active.child(&name).ok().map(|dir| (name, dir))) else {
        let reason = "its id cannot be turned into a folder name".to_owned();
        return Err(Error::SkillGone { key: visible(&skill.key).into_owned(), reason });
    };
    let path = child(&dir, SKILL_FILE)?;
    if world.fs.metadata(&path)?.is_none() {
        return Err(Error::CopyMissing { key: visible(&skill.key).into_owned(), root: active.clone() });
    }
    let dir = match &world.places.mount {
        Some(mount) => format!("{}/{name}", mount.trim_end_matches('/')),
        None => world.fs.display(&dir).into_owned(),
    };
    Ok(ActiveLocation { path, dir })
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActivationKey {
    /// None where the id gives none.
    pub(crate) name: Option<String>,
    /// Whether it would be another skill's too, but for the hash.
    pub(crate) shared: bool,
}

/// The names of all copies, in byte order of their ids.
pub(crate) struct ActivationKeys<'c>(Vec<(&'c str, ActivationKey)>);

impl ActivationKeys<'_> {
    pub(crate) fn get(&self, id: &str) -> Option<&ActivationKey> {
        let at = self.0.binary_search_by(|(known, _)| (*known).cmp(id)).ok()?;
        self.0.get(at).map(|(_, key)| key)
    }
}

/// Names all copies. Skills that are invalid now count too: their copies stay, under their names.
pub(crate) fn activation_keys<'c>(rule: &ActivationRule, catalog: &'c Catalog) -> ActivationKeys<'c> {
    let mut ids = Vec::new();
    catalog.seen().for_each(|seen| ids.extend(seen.key));
    sort_by(&mut ids, Ord::cmp);
    ids.dedup();
    // Not every file system distinguishes letter cases.
    let mut times: HashMap<String, usize> = HashMap::new();
    for id in &ids {
        *times.entry(plain_key(rule, id).to_ascii_lowercase()).or_default() += 1;
    }
    let mut taken: HashSet<String> = HashSet::new();
    let mut keys = Vec::with_capacity(ids.len());
    for id in ids {
        let plain = plain_key(rule, id);
        let shared = times.get(&plain.to_ascii_lowercase()).is_some_and(|times| *times > 1);
        let name = if shared { format!("{plain}--{:08x}", hash(id)) } else { plain };
        // Another id may be spelled as a key with its hash, or have the hash of this one.
        let is_usable = is_usable(&name) && taken.insert(name.to_ascii_lowercase());
        keys.push((id, ActivationKey { name: is_usable.then_some(name), shared }));
    }
    ActivationKeys(keys)
}

/// Whether a name can be a folder's. Names that begin with a dot are reserved for the engine's own files.
fn is_usable(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.')
}

// Rule 20.1
fn plain_key(rule: &ActivationRule, id: &str) -> String {
    let mut name = String::with_capacity(id.len() + 8);
    for c in id.trim().chars() {
        match c {
            ':' | '/' => name.push_str(&rule.separator),
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') => name.push(c),
            _ => {}
        }
    }
    name
}

/// The lower half of FNV-1a with 64 bits, which does not change between builds or machines.
fn hash(id: &str) -> u32 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    id.bytes().fold(0xcbf2_9ce4_8422_2325, step) as u32
}

#[cfg(test)]
#[path = "../../tests/unit/activate.rs"]
mod tests;

/// How many bytes of a file are compared with those of its copy. For a longer one its length and stamp decide.
const COMPARED_BYTES: u64 = 67_108_864;

pub(crate) const MAX_PLAN_BYTES: u64 = 4_294_967_296;

/// What is to be done to a folder of copies, so that it holds those of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a plan does nothing until it is carried out"]
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
    /// Findings made while planning.
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

impl CopyPlan {
    /// The plan for a folder of copies.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::CopyPlan;
    /// let mut fs = MemFs::new();
    /// fs.file("/u/skills/personal/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
    /// let places = Places { user: FsPath::new("/u").ok(), ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("daycare").unwrap());
    /// let plan = CopyPlan::of(&world, &catalog, &FsPath::new("/u/skills/active").unwrap()).unwrap();
    /// assert_eq!(plan.copies[0].name, "user--tea");
    /// ```
    ///
    /// # Errors
    /// [`Error::NotInDialect`] where the dialect has no copies, [`Error::ActivationOverlap`] where the folder is no
    /// place for them, [`Error::Fs`] where it cannot be listed.
    pub fn of(world: &World<'_>, catalog: &Catalog, root: &FsPath) -> Result<CopyPlan, Error> {
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
        let is_retained = retained(catalog);
        for (name, entry) in entries.iter().filter(|(name, _)| !wanted.contains_key(name.as_str())) {
            match entry {
                // An invalid skill does not take its predecessor away.
                Some(marker) if is_retained(marker) => plan.unchanged.push(name.clone()),
                Some(_) => plan.removals.push(name.clone()),
                None => {}
            }
        }
        sort_by(&mut plan.unchanged, Ord::cmp);
        sort_by(&mut plan.findings, |a, b| (&a.path, a.code, &a.message).cmp(&(&b.path, b.code, &b.message)));
        Ok(plan)
    }
}

/// Fails if copies would be among the skills that they are made of: each time they would be copied again, and more.
fn check_overlap(world: &World<'_>, catalog: &Catalog, root: &FsPath) -> Result<(), Error> {
    let active = reached(world.fs, root);
    // Discovery takes nothing from these, so they may be in a source; but not in a skill, which is copied whole.
    let is_known = copy_folders(catalog.dialect(), world.places).iter().any(|known| reached(world.fs, known) == active);
    let roots = sources_with(world, catalog.dialect(), catalog.settings(), &mut Noticed::default())
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
        let marker = dir.and_then(|dir| read_marker(world.fs, &dir));
        if marker.is_none() {
            findings.push(foreign(root, &name));
        }
        entries.insert(name, marker);
    }
    Ok(entries)
}

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
    let files = files(world, skill, &mut plan.findings).and_then(|files| {
        let total = files.iter().fold(0, |sum: u64, file| sum.saturating_add(file.len));
        *left = left.checked_sub(total).ok_or_else(|| {
            too_large(skill, format!("all copies together would have more than {MAX_PLAN_BYTES} bytes"))
        })?;
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

/// Compares length and stamp, and the contents where they leave a doubt.
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

/// Whether a copy stays although no skill of the catalog asks for it: it was made of a file that is seen and is not a skill
/// now, or of one where nothing could be read.
fn retained(catalog: &Catalog) -> impl Fn(&Marker) -> bool {
    let used: BTreeSet<&str> = catalog.skills().iter().map(|skill| skill.key.as_str()).collect();
    let lost = catalog.seen().filter(|seen| matches!(seen.status, FileStatus::Skipped(_)));
    let ids: BTreeSet<&str> = lost.filter_map(|seen| seen.key).filter(|id| !used.contains(id)).collect();
    let is_unread =
        |finding: &&Diagnostic| matches!(finding.code, Code::SourceUnreadable | Code::Unreadable | Code::ScanTruncated);
    let unread = catalog.findings().iter().filter(is_unread).map(|finding| &finding.path);
    let unread: Vec<&FsPath> = unread.chain(catalog.pending()).collect();
    move |marker| {
        let source = FsPath::new(&marker.source).ok();
        ids.contains(marker.id.as_str())
            || source.is_some_and(|source| unread.iter().any(|unread| source.starts_with(unread)))
    }
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

/// How many bytes one skill may have to be copied, as many as an approval covers.
pub(crate) const MAX_SKILL_BYTES: u64 = Purpose::Copy.rules().max_bytes;

/// The files of a copy, by name. An error is the finding that says why there is none.
fn files(world: &World<'_>, skill: &Skill, findings: &mut Vec<Diagnostic>) -> Result<Vec<CopyFile>, Box<Diagnostic>> {
    let package = Package::open(world, skill, Purpose::Copy).map_err(|error| not_listed(skill, error))?;
    for other in &package.others {
        let why = match other.kind {
            OtherKind::LinkToFolder | OtherKind::LinkOutside | OtherKind::Unreadable => {
                "symlinks to folders, and symlinks that lead out of the skill's folder, are not copied"
            }
            OtherKind::NotUtf8 => "the name is not UTF-8, so it is not copied",
            _ => continue,
        };
        let path = package.folder.shown_path(&other.name);
        let finding = Diagnostic::new(Severity::Warning, Code::CopyFailed, path, why);
        findings.push(finding.help("copy the file into the skill"));
    }
    // The skill's own file, whatever its name, is where the model looks for it (rule 20.5).
    let own = skill.path.name();
    let to = |name: &str| if name == own { SKILL_FILE.to_owned() } else { name.to_owned() };
    let from: BTreeMap<String, FsPath> =
        package.files.iter().map(|file| (to(&file.name), package.folder.shown_path(&file.name))).collect();
    let mut left = MAX_SKILL_BYTES;
    let mut files = Vec::with_capacity(from.len());
    for (to, from) in from {
        let (len, stamp) = match world.fs.metadata(&from) {
            Ok(Some(metadata)) if metadata.kind == FileKind::File => (metadata.len, metadata.stamp),
            Ok(_) => return Err(failed(&from, &FsError::NotFound(from.clone()).to_string())),
            Err(error) => return Err(failed(&from, &error.to_string())),
        };
        // Holes in a file count as its other bytes do: they are bytes when they are copied.
        left = left.checked_sub(len).ok_or_else(|| {
            too_large(skill, format!("its files have more than {MAX_SKILL_BYTES} bytes, holes included"))
        })?;
        files.push(CopyFile { from, to, len, stamp });
    }
    Ok(files)
}

/// The finding about a folder that cannot be listed as a whole.
fn not_listed(skill: &Skill, error: Error) -> Box<Diagnostic> {
    match error {
        Error::TooMuch { path, limit, what } => {
            let message = format!("the skill has more than {limit} {what}, so it is not copied");
            Box::new(Diagnostic::new(Severity::Error, Code::ScanTruncated, path, message))
        }
        Error::Fs(error) => {
            // The folder is read at its real path, and its files are named by where they were found.
            let found = error.path().relative_to(&skill.location().dir).and_then(|name| skill.dir().join(name).ok());
            let error = match found {
                Some(found) => error.at(found),
                None => error,
            };
            failed(error.path(), &error.to_string())
        }
        error => failed(&skill.dir(), &error.to_string()),
    }
}

fn too_large(skill: &Skill, why: String) -> Box<Diagnostic> {
    let message = format!("the skill's copy is not updated because {why}");
    let finding = Diagnostic::new(Severity::Error, Code::CopyFailed, skill.dir(), message);
    Box::new(finding.help("remove large files from the skill"))
}

fn failed(path: &FsPath, why: &str) -> Box<Diagnostic> {
    let message = format!("the skill could not be copied completely, so its copy is not updated: {}", visible(why));
    let finding = Diagnostic::new(Severity::Error, Code::CopyFailed, path.clone(), message);
    Box::new(finding.help("check that all its files can be read"))
}

/// The marker's name, in the copy's folder.
pub(crate) const MARKER: &str = ".skilltree-copy";

const MARKER_BYTES: u64 = 16_777_216;

#[derive(Debug, Default, PartialEq, Eq)]
struct Marker {
    id: String,
    /// The SKILL.md that the copy was made of.
    source: String,
    /// The files by their names in the copy: length, and the stamp of what was copied.
    files: BTreeMap<String, (String, Option<String>)>,
}

impl Marker {
    /// Whether a file was copied as it is now. Without a stamp nothing is certain.
    fn knows(&self, file: &CopyFile) -> bool {
        let known = self.files.get(&file.to);
        known.is_some_and(|(len, stamp)| *len == file.len.to_string() && stamp.is_some() && *stamp == shown(file.stamp))
    }
}

/// The marker of a copy's folder; `None` if the folder is not a copy.
fn read_marker(fs: &dyn Fs, dir: &FsPath) -> Option<Marker> {
    let head = fs.read_within(dir, MARKER, MARKER_BYTES).ok()?;
    let json = Json::parse(std::str::from_utf8(&head.bytes).ok()?).ok()?;
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_text).map(str::to_owned);
    let Some(Json::List(rows)) = json.get("files") else { return None };
    let row = |row: &Json| Some((text(row, "name")?, (text(row, "len")?, text(row, "stamp"))));
    let files = rows.iter().filter_map(row).collect();
    Some(Marker { id: text(&json, "id")?, source: text(&json, "source")?, files })
}

#[cfg(feature = "host")]
pub(crate) fn marker(copy: &SkillCopy) -> String {
    let row = |file: &CopyFile| {
        Json::map([("name", Json::from(file.to.as_str())), ("len", Json::from(file.len.to_string()))])
            .with("stamp", shown(file.stamp))
    };
    let json = Json::map([
        ("id", Json::from(copy.id.as_str())),
        ("source", Json::from(copy.source.as_str())),
        ("files", Json::List(copy.files.iter().map(row).collect())),
    ]);
    format!("{json}\n")
}

fn shown(stamp: Option<Stamp>) -> Option<String> {
    stamp.map(|Stamp(parts)| parts.map(|part| format!("{part:x}")).join("."))
}
