//! The files that belong to a skill for a [`Purpose`]. Everything in the library that hands out, compares, copies or packs
//! files of a skill asks `Folder` or [`Package`], so that what is not listed is not read either (rules 18.2 and 18.3).
//!
//! `purpose` is the table of purposes.

mod purpose;

pub use purpose::Purpose;

use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::is_single_file;
use crate::discovery::scan::holds_skill;
use crate::discovery::world::World;
use crate::fs::{Action, Entry, FileKind, FilePrefix, Fs, FsError, Step, VisitOutcome, Walk, WalkEntry};
use crate::model::error::Error;
use crate::model::skill::{Caller, Location, Skill, State};
use crate::path::FsPath;
use crate::text::order::sort_by;
use crate::text::words::names;
use purpose::{AllowedTargets, Filter, Refused, Rules, joined};
use std::slice::from_ref;

/// What is in the folder of a skill, for one [`Purpose`]. The folder is held open, so that what is read through the
/// package is in the folder that was listed.
///
/// Every entry of the folder is a file, one of `others`, or lies in one of them.
#[non_exhaustive]
pub struct Package<'w> {
    /// The files that belong to the skill, in byte order of their names.
    pub files: Vec<PackageFile>,
    /// Everything else in the folder, in byte order of the names.
    pub others: Vec<OtherEntry>,
    /// The folders that could not be listed: their names below the skill's folder, each with the reason.
    pub(crate) unlisted: Vec<(String, FsError)>,
    pub(crate) folder: Folder<'w>,
    /// Why the files must not be used as if they were all.
    pub(crate) fault: Option<Error>,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackageFile {
    /// Its path below the skill's folder, with `/`.
    pub name: String,
    /// Its real path.
    pub path: FsPath,
    /// Where it leads, if it is a symlink: its real path.
    pub target: Option<FsPath>,
}

/// Something in a skill's folder that is not a file of the skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherEntry {
    /// Its path below the skill's folder, with `/`.
    pub name: String,
    /// What it is.
    pub kind: OtherKind,
    /// Where it leads, if it is a symlink whose target is known: the real path.
    pub target: Option<FsPath>,
}

/// What is no file of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OtherKind {
    /// A folder.
    Folder,
    /// A symlink to a folder inside.
    LinkToFolder,
    /// A symlink that leads out of the skill's folder, or to what in it does not belong to the skill. Never for
    /// [`Purpose::Approve`].
    LinkOutside,
    /// A symlink that leads nowhere.
    LinkToNothing,
    /// A FIFO, a device, a socket. Never opened.
    Special,
    /// An entry that does not belong to the skill by its name, with all that is in it.
    Excluded,
    /// A folder with a SKILL.md of its own, whose files are not listed with this skill. Only for [`Purpose::List`].
    NestedSkill,
    /// An entry whose name is not UTF-8, with all that is in it.
    NotUtf8,
    /// A folder that cannot be listed, or a symlink whose target cannot be determined.
    Unreadable,
    /// A symlink to a folder that contains it. Only for [`Purpose::Archive`], which enters other symlinks to folders.
    LinkCycle,
}

names! {
    OtherKind {
        Folder = "folder", LinkToFolder = "link-to-folder", LinkOutside = "link-outside",
        LinkToNothing = "link-to-nothing", Special = "special", Excluded = "excluded", NestedSkill = "nested-skill",
        NotUtf8 = "not-utf8", Unreadable = "unreadable", LinkCycle = "link-cycle",
    }
}

impl<'w> Package<'w> {
    /// Lists the folder of a skill. A skill that is one registered file has that file alone.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::{OtherKind, Package, Purpose};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/.git/HEAD", "");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let package = Package::open(&world, catalog.find_any("tea")?, Purpose::Serve)?;
    /// assert_eq!(package.files[0].name, "SKILL.md");
    /// assert_eq!((package.others[0].name.as_str(), package.others[0].kind), (".git", OtherKind::Excluded));
    /// assert_eq!(package.read("SKILL.md", 3)?.bytes, b"---");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooMuch`] over the bounds of the purpose; [`Error::LinkedFolder`] for [`Purpose::Approve`] and a symlink
    /// to a folder outside; [`Error::Fs`] where the folder is not there any more, or, unless for [`Purpose::List`], is
    /// not readable as a whole.
    pub fn open(world: &World<'w>, skill: &Skill, purpose: Purpose) -> Result<Package<'w>, Error> {
        Folder::open(world.fs, &skill.location(), purpose)?.list().complete()
    }

    /// Reads the beginning of one of the files, by its name.
    ///
    /// # Errors
    /// [`Error::Fs`] where it is not one of the files, cannot be read, or leads elsewhere now.
    pub fn read(&self, name: &str, at_most: u64) -> Result<FilePrefix, Error> {
        match self.files.binary_search_by(|file| file.name.as_str().cmp(name)).ok().and_then(|at| self.files.get(at)) {
            Some(file) => Ok(self.folder.read(file, at_most)?),
            None => Err(FsError::NotFound(self.folder.shown_path(name)).into()),
        }
    }

    /// The package, unless there is a reason why its files must not be used as if they were all.
    pub(crate) fn complete(mut self) -> Result<Package<'w>, Error> {
        self.fault.take().map_or(Ok(self), Err)
    }

    /// The paths of the files as they were found.
    pub(crate) fn into_paths(self) -> Vec<FsPath> {
        let folder = self.folder;
        let is_real = folder.shown == folder.root;
        let path = |file: PackageFile| match file.target {
            None if is_real => file.path,
            _ => folder.shown_path(&file.name),
        };
        self.files.into_iter().map(path).collect()
    }
}

/// The folder of one skill.
pub(crate) struct Folder<'w> {
    /// The whole file system, for what a symlink leads to outside.
    whole: &'w dyn Fs,
    /// The folder alone.
    fs: Box<dyn Fs + 'w>,
    /// The path of the folder as it was found, for messages.
    shown: FsPath,
    pub(crate) root: FsPath,
    /// The skill's own file; `None` if only the folder counts.
    own: Option<PackageFile>,
    /// Whether the skill is its own file and no folder.
    is_alone: bool,
    pub(crate) filter: Filter<'w>,
}

impl<'w> Folder<'w> {
    /// Opens the folder of the skill at a location. An error if it is no longer at the path that discovery resolved.
    pub(crate) fn open(fs: &'w dyn Fs, at: &Location, purpose: Purpose) -> Result<Folder<'w>, FsError> {
        let held = fs.confined(&at.dir).map_err(|error| moved(error, &at.path))?;
        Ok(Folder::new(fs, held, at, purpose))
    }

    /// Like [`Folder::open`], but nothing keeps the folder from being exchanged meanwhile: for names alone. A file system
    /// that cannot hold a folder open would resolve each path twice more.
    pub(crate) fn for_names(fs: &'w dyn Fs, at: &Location) -> Folder<'w> {
        Folder::new(fs, Box::new(fs), at, Purpose::List)
    }

    fn new(whole: &'w dyn Fs, fs: Box<dyn Fs + 'w>, at: &Location, purpose: Purpose) -> Folder<'w> {
        let filter = purpose.filter();
        let is_alone = is_single_file(&at.path);
        let own = (is_alone || filter.rules.includes_linked_manifest).then(|| {
            let name = at.path.name().to_owned();
            let is_linked = at.dir.child(&name).ok().as_ref() != Some(&at.file);
            PackageFile { name, path: at.file.clone(), target: is_linked.then(|| at.file.clone()) }
        });
        let shown = at.path.parent().unwrap_or_else(FsPath::root);
        Folder { whole, fs, shown, root: at.dir.clone(), own, is_alone, filter }
    }

    /// Opens a folder that need not be a skill's.
    #[cfg(any(feature = "archive", feature = "os"))]
    pub(crate) fn of_directory(fs: &'w dyn Fs, dir: &FsPath, purpose: Purpose) -> Result<Folder<'w>, FsError> {
        let (root, filter) = (fs.canonical(dir)?, purpose.filter());
        let held = fs.confined(&root)?;
        Ok(Folder { whole: fs, fs: held, shown: dir.clone(), root, own: None, is_alone: false, filter })
    }

    /// Excludes what is at or below these names.
    pub(crate) fn without(mut self, hidden: &'w [String]) -> Folder<'w> {
        self.filter.hidden = hidden;
        self
    }

    #[cfg(feature = "digest")]
    pub(crate) fn without_marker(mut self) -> Folder<'w> {
        self.filter.rules.excludes_marker = true;
        self
    }

    /// The path of an entry as it was found, for messages.
    pub(crate) fn shown_path(&self, name: &str) -> FsPath {
        nearest(&self.shown, name)
    }

    #[cfg(feature = "digest")]
    pub(crate) fn too_many_bytes(&self) -> Error {
        Error::TooMuch { path: self.shown.clone(), limit: self.filter.rules.max_bytes, what: "bytes" }
    }

    fn is_own(&self, name: &str) -> bool {
        self.own.as_ref().is_some_and(|own| own.name == name)
    }

    pub(crate) fn includes(&self, name: &str) -> bool {
        self.filter.includes(name, false)
    }

    /// The folder as a file system of its own, for real paths in it.
    pub(crate) fn view(&self) -> &dyn Fs {
        &*self.fs
    }

    /// Reads the beginning of a file of the skill. Its own file may be a symlink to anywhere, but only to the same
    /// place as when it was found.
    pub(crate) fn read(&self, file: &PackageFile, at_most: u64) -> Result<FilePrefix, FsError> {
        if self.is_own(&file.name) {
            let found = self.root.join(&file.name).map_err(|_| FsError::NotFound(file.path.clone()))?;
            let now = self.whole.canonical(&found)?;
            if now != file.path {
                return Err(moved(FsError::Escapes(now), &self.shown_path(&file.name)));
            }
            return match file.target.is_some() {
                true => read_unlinked(self.whole, &file.path, at_most),
                false => self.fs.read(&file.path, at_most),
            };
        }
        match file.path.starts_with(&self.root) {
            true => self.fs.read(&file.path, at_most),
            false => read_unlinked(self.whole, &file.path, at_most),
        }
    }

    pub(crate) fn read_own(&self, at_most: u64) -> Result<FilePrefix, FsError> {
        let own = self.own.as_ref().ok_or_else(|| FsError::NotFound(self.shown.clone()))?;
        self.read(own, at_most)
    }

    #[cfg(feature = "digest")]
    pub(crate) fn metadata(&self, file: &PackageFile) -> Result<Option<crate::fs::Metadata>, FsError> {
        if file.path.starts_with(&self.root) { self.fs.metadata(&file.path) } else { self.whole.metadata(&file.path) }
    }

    /// What a symlink is, by what it leads to. An error for a folder outside where symlinks may lead anywhere, and where the
    /// target cannot be determined.
    fn follow(&self, path: &FsPath, kind: FileKind) -> Result<Found, Error> {
        let rules = self.filter.rules;
        let to_nothing = |target| Found::Other { kind: OtherKind::LinkToNothing, target };
        match kind {
            FileKind::Broken if rules.enters_symlinks => return Ok(to_nothing(None)),
            FileKind::Other if rules.enters_symlinks => return Ok(Found::other(OtherKind::Special)),
            _ => {}
        }
        let target = match self.whole.canonical(path) {
            Ok(target) => target,
            Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::SymlinkLoop(_)) => {
                return Ok(to_nothing(None));
            }
            Err(FsError::Escapes(_)) if rules.targets != AllowedTargets::Anywhere => {
                return Ok(Found::other(OtherKind::LinkOutside));
            }
            Err(error) => return Err(error.into()),
        };
        let below = target.relative_to(&self.root);
        let is_allowed = match rules.targets {
            AllowedTargets::Anywhere => true,
            AllowedTargets::Inside => below.is_some(),
            AllowedTargets::Included => below.is_some_and(|name| name.is_empty() || self.includes(name)),
        };
        let kind = match kind {
            _ if !is_allowed => OtherKind::LinkOutside,
            FileKind::File if below.is_some() && matches!(self.membership(&target), Ok(Membership::OfAnotherSkill)) => {
                OtherKind::LinkOutside
            }
            FileKind::File => return Ok(Found::File { path: target.clone(), target: Some(target) }),
            FileKind::Dir if below.is_none() => return Err(Error::LinkedFolder { path: path.clone(), target }),
            FileKind::Dir => OtherKind::LinkToFolder,
            FileKind::Other => OtherKind::Special,
            FileKind::Broken => OtherKind::LinkToNothing,
        };
        Ok(Found::Other { kind, target: Some(target) })
    }
}

enum Found {
    File { path: FsPath, target: Option<FsPath> },
    Other { kind: OtherKind, target: Option<FsPath> },
}

impl Found {
    fn other(kind: OtherKind) -> Found {
        Found::Other { kind, target: None }
    }
}

fn read_unlinked(fs: &dyn Fs, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    let dir = file.parent().ok_or_else(|| FsError::NotAFile(file.clone()))?;
    fs.confined(&dir)?.read(file, at_most)
}

/// The error for a folder that cannot be entered without a symlink, as it concerns the skill in it.
fn moved(error: FsError, skill: &FsPath) -> FsError {
    match error {
        FsError::Escapes(_) => FsError::Other {
            path: skill.clone(),
            message: "a symlink in its path has changed since the skill was found; run discovery again".to_owned(),
        },
        error => error,
    }
}

/// The path of an entry of a folder.
pub(crate) fn child(dir: &FsPath, name: &str) -> Result<FsPath, FsError> {
    dir.child(name).map_err(|error| FsError::Other { path: dir.clone(), message: error.to_string() })
}

/// Where a finding about an entry of a folder belongs: to its path, or to the folder's if the name cannot be part of one.
pub(crate) fn nearest(dir: &FsPath, name: &str) -> FsPath {
    dir.join(name).unwrap_or_else(|_| dir.clone())
}

/// The error for a file that is there and belongs to no skill.
pub(crate) fn excluded(path: FsPath) -> Error {
    let message = "version control data and installed packages are not part of a skill".to_owned();
    Error::Fs(FsError::Other { path, message })
}

/// The folders at the top of the skill's to which a walk is limited, and then to the files directly in them.
type Only = Option<&'static [&'static str]>;

/// A folder from which a walk starts: the skill's own, or one that a symlink leads to.
struct Start {
    /// Its name below the skill's folder, empty for that itself.
    name: String,
    root: FsPath,
    /// The symlinks passed on the way to it, each with the root of the walk that found it.
    passed: Vec<(FsPath, FsPath)>,
}

impl Start {
    fn depth(&self) -> usize {
        if self.name.is_empty() { 0 } else { self.name.split('/').count() }
    }

    /// The name of a folder below the skill's.
    fn name_of(&self, dir: &FsPath) -> String {
        match dir.relative_to(&self.root) {
            None | Some("") => self.name.clone(),
            Some(below) => joined(&self.name, below),
        }
    }

    /// The walk to start from a symlink that this one found; `None` if its target contains it.
    fn through(&self, name: &str, link: &FsPath, target: &FsPath) -> Option<Start> {
        let mut passed = self.passed.clone();
        passed.push((self.root.clone(), link.clone()));
        let is_cycle = passed.iter().any(|(root, link)| target.starts_with(root) && link.starts_with(target));
        (!is_cycle).then(|| Start { name: name.to_owned(), root: target.clone(), passed })
    }
}

#[derive(Default)]
struct Progress {
    files: Vec<PackageFile>,
    others: Vec<OtherEntry>,
    /// Symlinks, which are followed after the walk: their names, paths, and what they lead to.
    links: Vec<(String, FsPath, FileKind)>,
    folders: usize,
    /// How many of the others do not belong to the skill.
    excluded: usize,
    /// The first reason to refuse the folder.
    pub(crate) fault: Option<Error>,
    /// The folders that could not be listed, each with the reason.
    unlisted: Vec<(String, FsError)>,
}

impl Progress {
    fn add(&mut self, name: String, found: Found) {
        match found {
            Found::File { path, target } => self.files.push(PackageFile { name, path, target }),
            Found::Other { kind, target } => {
                self.excluded += usize::from(kind == OtherKind::Excluded);
                self.others.push(OtherEntry { name, kind, target });
            }
        }
    }

    /// How many entries belong to the skill.
    fn entries(&self) -> usize {
        self.files.len() + self.others.len() + self.links.len() - self.excluded
    }

    fn append(&mut self, mut walked: Progress) {
        self.files.append(&mut walked.files);
        self.others.append(&mut walked.others);
        self.links.append(&mut walked.links);
        self.folders += walked.folders;
        self.excluded += walked.excluded;
        self.fault = self.fault.take().or(walked.fault);
        self.unlisted.append(&mut walked.unlisted);
    }
}

impl<'w> Folder<'w> {
    pub(crate) fn list(self) -> Package<'w> {
        self.listed(None)
    }

    /// The files directly in these folders of the skill's folder, and nothing else.
    pub(crate) fn list_in(self, folders: &'static [&'static str]) -> Package<'w> {
        self.listed(Some(folders))
    }

    fn listed(self, only: Only) -> Package<'w> {
        let rules = self.filter.rules;
        let mut all = Progress { files: Vec::from_iter(self.own.clone()), ..Progress::default() };
        let mut unfollowed = None;
        let start = Start { name: String::new(), root: self.root.clone(), passed: Vec::new() };
        let mut waiting = if self.is_alone { Vec::new() } else { vec![start] };
        while let Some(start) = waiting.pop() {
            self.walk_from(&start, only, &mut all);
            for (name, path, kind) in std::mem::take(&mut all.links) {
                let mut found = self.follow(&path, kind).unwrap_or_else(|error| {
                    let found = match &error {
                        Error::LinkedFolder { target, .. } => {
                            Found::Other { kind: OtherKind::LinkOutside, target: Some(target.clone()) }
                        }
                        _ => Found::other(OtherKind::Unreadable),
                    };
                    unfollowed.get_or_insert(error);
                    found
                });
                if let (Found::Other { kind: kind @ OtherKind::LinkToFolder, target: Some(target) }, true) =
                    (&mut found, rules.enters_symlinks)
                {
                    match start.through(&name, &path, target) {
                        Some(next) => waiting.push(next),
                        None => *kind = OtherKind::LinkCycle,
                    }
                }
                all.add(name, found);
            }
            if all.fault.is_some() {
                break;
            }
        }
        let unfollowed = unfollowed.filter(|_| Refused::Unfollowed <= rules.refused);
        let fault = all.fault.take().or_else(|| self.too_many(&all)).or(unfollowed);
        sort_by(&mut all.files, |a, b| a.name.cmp(&b.name));
        sort_by(&mut all.others, |a, b| a.name.cmp(&b.name));
        Package { files: all.files, others: all.others, unlisted: all.unlisted, folder: self, fault }
    }

    fn too_many(&self, all: &Progress) -> Option<Error> {
        let Rules { max_entries: (max_entries, what), max_files, .. } = self.filter.rules;
        if max_entries < all.entries() {
            return Some(self.too_much(max_entries, what));
        }
        (max_files < all.files.len()).then(|| self.too_much(max_files, "files"))
    }

    fn too_many_folders(&self) -> Error {
        let Rules { max_entries: (max_entries, what), max_folders, .. } = self.filter.rules;
        if max_entries < max_folders { self.too_much(max_entries, what) } else { self.too_much(max_folders, "folders") }
    }

    fn too_much(&self, limit: usize, what: &'static str) -> Error {
        Error::TooMuch { path: self.shown.clone(), limit: limit as u64, what }
    }

    /// Walks through a folder and what is in it, and adds it to what was found before.
    fn walk_from(&self, start: &Start, only: Only, all: &mut Progress) {
        let (filter, depth) = (self.filter, start.depth());
        let step = |at: &FsPath, level: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            step(&filter, only, (&start.name_of(at), depth + level), entries, steps);
        };
        let max_dirs = filter.rules.max_folders.saturating_sub(all.folders);
        let mut walked = Progress::default();
        self.fs.walk(&Walk { root: &start.root, step: &step, prefix_len: 0, max_dirs }, &mut |visit| {
            let name = start.name_of(&visit.dir);
            let (kind, fault, noted) = match visit.take() {
                VisitOutcome::Restarted => {
                    walked = Progress::default();
                    return;
                }
                VisitOutcome::Cut => (OtherKind::Unreadable, Some(self.too_many_folders()), Vec::new()),
                VisitOutcome::Failed(error) => {
                    walked.unlisted.push((name.clone(), error.clone()));
                    (OtherKind::Unreadable, Some(Error::Fs(error)), Vec::new())
                }
                VisitOutcome::Listed(noted) if self.is_nested(&name, &noted) => {
                    (OtherKind::NestedSkill, None, Vec::new())
                }
                VisitOutcome::Listed(noted) => {
                    let max = filter.rules.max_depth;
                    let is_too_deep = max <= depth + visit.depth;
                    (OtherKind::Folder, is_too_deep.then(|| self.too_much(max, "nested folders")), noted)
                }
            };
            walked.folders += 1;
            if let Some(fault) = fault.filter(|_| Refused::Unlisted <= filter.rules.refused) {
                walked.fault.get_or_insert(fault);
            }
            self.note(&visit.dir, &name, noted, &mut walked, all.entries());
            // The folder of a later start has been recorded as the symlink that leads to it.
            if visit.dir != start.root {
                walked.add(name, Found::other(kind));
            }
        });
        all.append(walked);
    }

    /// Whether a folder that was visited belongs to another skill, by the entries that were noted.
    fn is_nested(&self, name: &str, noted: &[WalkEntry]) -> bool {
        let has_skill = || noted.iter().any(|noted| holds_skill(from_ref(&noted.entry)));
        self.filter.rules.excludes_nested_skills && !name.is_empty() && has_skill()
    }

    /// Records the entries of one folder, but for the skill's own file.
    fn note(&self, dir: &FsPath, dir_name: &str, noted: Vec<WalkEntry>, walked: &mut Progress, before: usize) {
        let rules = self.filter.rules;
        for entry in noted.into_iter().map(|noted| noted.entry) {
            // With one more than is allowed it is known that there are too many.
            if rules.max_entries.0 < before + walked.entries() {
                return;
            }
            let name = joined(dir_name, &entry.name);
            if self.is_own(&name) {
                continue;
            }
            let found = match (self.filter.sort(dir_name, &entry), dir.child(&entry.name)) {
                (Sorted::Other(OtherKind::Excluded), _) => Found::other(OtherKind::Excluded),
                (Sorted::Other(OtherKind::NotUtf8), _) | (_, Err(_)) => {
                    if Refused::Unnamed <= rules.refused {
                        walked.fault.get_or_insert(Error::Fs(not_utf8(dir, &entry.name)));
                    }
                    Found::other(OtherKind::NotUtf8)
                }
                (Sorted::Link(kind), Ok(path)) => {
                    walked.links.push((name, path, kind));
                    continue;
                }
                (Sorted::File, Ok(path)) => Found::File { path, target: None },
                (Sorted::Other(kind), Ok(_)) => Found::other(kind),
            };
            walked.add(name, found);
        }
    }
}

/// What a walk does with the entries of the folder `dir`, given by its path below the skill's folder.
fn step(filter: &Filter<'_>, only: Only, (dir, depth): (&str, usize), entries: &[Entry], steps: &mut Vec<Step>) {
    let rules = filter.rules;
    if rules.max_depth <= depth {
        return;
    }
    let is_nested = rules.excludes_nested_skills && !dir.is_empty() && holds_skill(entries);
    for (at, entry) in entries.iter().enumerate() {
        let is_folder = || {
            let may_be = entry.kind == FileKind::Dir && !entry.is_symlink;
            may_be && matches!(filter.sort(dir, entry), Sorted::Other(OtherKind::Folder))
        };
        let act = match only {
            // The file that makes it another skill's is noted, so that the visit can be told from others.
            _ if is_nested => holds_skill(from_ref(entry)).then_some(Action::Report),
            None => Some(if is_folder() { Action::Enter } else { Action::Report }),
            Some(names) if depth == 0 => (names.contains(&entry.name.as_str()) && is_folder()).then_some(Action::Enter),
            Some(_) => (!is_folder()).then_some(Action::Report),
        };
        steps.extend(act.map(|act| Step { entry: at, action: act }));
    }
}

/// What an entry is by its listing, before symlinks are followed.
enum Sorted {
    File,
    Link(FileKind),
    Other(OtherKind),
}

impl Filter<'_> {
    /// Sorts an entry of a folder that belongs to the skill. `dir` is the folder's path below the skill's.
    fn sort(&self, dir: &str, entry: &Entry) -> Sorted {
        match (entry.is_lossy, entry.is_symlink, entry.kind) {
            _ if !self.includes_entry(dir, &entry.name, entry.kind == FileKind::Dir) => {
                Sorted::Other(OtherKind::Excluded)
            }
            // It cannot be opened.
            (true, ..) => Sorted::Other(OtherKind::NotUtf8),
            (false, true, kind) => Sorted::Link(kind),
            (false, false, FileKind::File) => Sorted::File,
            (false, false, FileKind::Dir) => Sorted::Other(OtherKind::Folder),
            (false, false, FileKind::Other | FileKind::Broken) => Sorted::Other(OtherKind::Special),
        }
    }
}

fn not_utf8(dir: &FsPath, name: &str) -> FsError {
    match dir.child(name) {
        Ok(path) => {
            FsError::Other { path, message: "its name is not UTF-8, so it cannot be read; rename it".to_owned() }
        }
        Err(error) => FsError::Other { path: dir.clone(), message: error.to_string() },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    Member,
    /// A nested skill's, or one's that the caller may not see.
    OfAnotherSkill,
    Excluded,
}

impl Folder<'_> {
    /// Whose the file at a real path in the folder is.
    pub(crate) fn membership(&self, real: &FsPath) -> Result<Membership, FsError> {
        let name = real.relative_to(&self.root).ok_or_else(|| FsError::Escapes(real.clone()))?;
        if !self.filter.is_shown(name) {
            return Ok(Membership::OfAnotherSkill);
        }
        let mut folder = real.parent();
        while let Some(at) = folder.filter(|at| *at != self.root && at.starts_with(&self.root)) {
            if self.filter.rules.excludes_nested_skills && holds_skill(&self.fs.list(&at)?) {
                return Ok(Membership::OfAnotherSkill);
            }
            folder = at.parent();
        }
        Ok(if self.includes(name) { Membership::Member } else { Membership::Excluded })
    }
}

/// Names that are asked for, as files that are served are.
#[cfg(feature = "digest")]
impl Folder<'_> {
    /// Reads a file of the skill by its name, with its real path; `None` if there is no such file.
    pub(crate) fn read_named(&self, name: &str, at_most: u64) -> Result<Option<(FsPath, FilePrefix)>, FsError> {
        if let Some(own) = self.own.as_ref().filter(|own| own.name == name) {
            return self.read(own, at_most).map(|head| Some((own.path.clone(), head)));
        }
        // A folder that is a symlink is not part of the skill: its files are served where they are.
        let (dir_name, _) = name.rsplit_once('/').unwrap_or(("", name));
        let Ok((dir, path)) = self.root.join(dir_name).and_then(|dir| Ok((dir, self.root.join(name)?))) else {
            return Ok(None);
        };
        if self.is_alone || !self.includes(name) || some_if_there(self.fs.canonical(&dir))? != Some(dir) {
            return Ok(None);
        }
        let Some(real) = some_if_there(self.fs.canonical(&path))? else { return Ok(None) };
        if !real.relative_to(&self.root).is_some_and(|name| self.includes(name)) {
            return Ok(None);
        }
        let file = PackageFile { name: name.to_owned(), path: real, target: None };
        Ok(some_if_there(self.read(&file, at_most))?.map(|head| (file.path, head)))
    }

    /// The names of what is directly in a folder of the skill, each with whether it is a folder; `None` if there is no
    /// such folder. The name of the skill's own folder is empty.
    pub(crate) fn children(&self, name: &str) -> Result<Option<Vec<(String, bool)>>, Error> {
        let Some(dir) = self.folder(name)? else { return Ok(None) };
        let own = self.own.iter().filter(|_| self.is_alone).map(|own| (own.name.clone(), false));
        let mut children: Vec<(String, bool)> = own.collect();
        for entry in if self.is_alone { Vec::new() } else { self.fs.list(&dir)? } {
            let Ok(path) = dir.child(&entry.name) else { continue };
            let is_folder = match self.filter.sort(name, &entry) {
                Sorted::File => false,
                Sorted::Other(OtherKind::Folder) => true,
                Sorted::Link(_) if name.is_empty() && self.is_own(&entry.name) => false,
                Sorted::Link(kind) if matches!(self.follow(&path, kind)?, Found::File { .. }) => false,
                Sorted::Link(_) | Sorted::Other(_) => continue,
            };
            children.push((entry.name, is_folder));
        }
        Ok(Some(children))
    }

    /// The real path of a folder of the skill by its name; `None` if there is no such folder.
    fn folder(&self, name: &str) -> Result<Option<FsPath>, FsError> {
        if name.is_empty() {
            return Ok(Some(self.root.clone()));
        }
        let Some(dir) = self.root.join(name).ok().filter(|_| !self.is_alone && self.filter.includes(name, true)) else {
            return Ok(None);
        };
        let metadata = self.fs.metadata(&dir)?;
        // The real path says that no folder on the way is a symlink.
        let is_there = metadata.is_some_and(|metadata| metadata.kind == FileKind::Dir && !metadata.is_symlink)
            && some_if_there(self.fs.canonical(&dir))?.as_ref() == Some(&dir);
        Ok(is_there.then_some(dir))
    }
}

/// None for what is no file of the folder.
#[cfg(feature = "digest")]
fn some_if_there<T>(answer: Result<T, FsError>) -> Result<Option<T>, FsError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::NotAFile(_)) => Ok(None),
        Err(FsError::Escapes(_) | FsError::SymlinkLoop(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The real folders and files of skills that a caller may not see, those among them that are invalid: what their
/// authors meant to hide is not known. Sorted, each once.
pub(crate) struct Hidden(Vec<FsPath>);

impl Hidden {
    pub(crate) fn of(catalog: &Catalog, caller: Caller) -> Hidden {
        let mut hidden = Vec::new();
        let is_hidden = |skill: &&Skill| !skill.is_for(caller) || skill.state == State::Disabled;
        let shadowed = catalog.shadowed().iter().map(|shadowed| &shadowed.skill);
        for skill in catalog.skills().iter().chain(shadowed).filter(is_hidden) {
            let Location { path, dir, file } = skill.location();
            if !is_single_file(&path) {
                hidden.push(dir);
            }
            hidden.push(file);
        }
        for (path, folder) in catalog.skipped() {
            hidden.push(if is_single_file(path) { path.clone() } else { folder.clone() });
        }
        sort_by(&mut hidden, Ord::cmp);
        hidden.dedup();
        Hidden(hidden)
    }

    /// The names of those that are in a skill's folder. The folder itself is not among them, whatever else is in it.
    pub(crate) fn within(&self, at: &Location) -> Vec<String> {
        let first = at.dir.before_all_below();
        let start = self.0.partition_point(|path| *path < first);
        let within = self.0[start..].iter().take_while(|path| path.starts_with(&at.dir));
        let others = within.filter(|path| **path != at.file);
        others.filter_map(|path| path.relative_to(&at.dir).map(str::to_owned)).collect()
    }
}
