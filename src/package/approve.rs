//! What the user has approved: whether a skill is approved as it is now, and changes of the store as a [`FileWrite`]. An
//! approval is bound to the skill's real path, and covers the files that [`Purpose::Approve`] includes: if one of them
//! changes, it is not valid until the change is undone. [`Review::of`] reads a skill's folder once, for what a user looks at
//! and for the approval.
//!
//! [`Purpose::Approve`]: crate::package::Purpose::Approve

use crate::diagnostic::Diagnostic;
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{ReadMode, read_content};
use crate::discovery::state::{FileWrite, SmallFileError, read_json_file_by};
use crate::discovery::world::{Trust, World};
use crate::fs::{Fs, FsError, reached};
use crate::model::error::Error;
use crate::model::skill::{Frontmatter, Skill};
use crate::package::contents::{Content, Contents, contents_of};
use crate::package::facts::Facts;
use crate::package::files::{Folder, Purpose, child};
use crate::package::trust::{FOLDER_CHANGED, void};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::{fold, visible};
use crate::text::hosts::add_hosts;
use crate::text::json::Json;
use crate::text::lines::Source;
use crate::text::words::names;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The largest store that is read, in bytes. It lists the files of each approved skill by name.
const STORE_BYTES: u64 = 67_108_864;

/// The most file names stored for one approval, which tell later what has changed. For a skill with more files, only the
/// digest is stored.
const MAX_NAMES: usize = 10_000;

/// The fields of a stored approval by which later changes are told. They decide nothing.
const DESCRIPTION: &str = "description";
const TOOLS: &str = "tools";
const HOSTS: &str = "hosts";

/// What the user has approved, as the store said when it was read.
///
/// An approval covers what is in the skill's folder, including files that symlinks there lead to. It does not cover what
/// the skill's scripts find elsewhere: programs in PATH, and packages that their runtime finds in folders above. Nor does
/// it cover the modes and times of files, environment variables, and what a script downloads or writes while it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals {
    approved: Vec<(String, Json)>,
    trouble: Option<Error>,
}

/// Whether a skill is approved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// Not approved.
    None,
    /// Approved as it is now, with the trust in exactly this.
    Exact(Trust),
    /// Approved earlier, but changed since: these files. Empty where too much was approved to keep its names.
    Changed(Vec<ApprovalChange>),
    /// Approved earlier, but what it is now cannot be read.
    Unread(Error),
    /// Unknown, because the store cannot be used.
    Unknown(Error),
}

impl Approvals {
    /// What a store says. One that is not there, or cannot be used, approves nothing.
    pub fn read(fs: &dyn Fs, store: &FsPath) -> Approvals {
        match stored(fs, store) {
            Ok(stored) => Approvals { approved: stored.approved, trouble: None },
            Err(error) => Approvals { approved: Vec::new(), trouble: Some(error) },
        }
    }

    /// Why the store cannot be used, if so: [`Error::StoreCorrupt`], [`Error::StoreNewer`].
    pub fn trouble(&self) -> Option<&Error> {
        self.trouble.as_ref()
    }

    /// All that is approved, as it is or as it was: the key that it had, and its place, as [`Approvals::revoke_at`] takes it.
    pub fn all(&self) -> impl Iterator<Item = (&str, FsPath)> {
        self.approved.iter().filter_map(|(place, entry)| {
            let key = entry.get("key").and_then(Json::as_text)?;
            Some((key, FsPath::new(place).ok()?))
        })
    }

    /// Whether a skill is approved as it is now. Reads its folder only where the store knows the skill.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::{Approval, Approvals, Review};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let store = FsPath::new("/h/approved.json").unwrap();
    /// let write = {
    ///     let world = World::new(&fs, &places, &());
    ///     let catalog = discover(&world, &dialect("agentskills").unwrap());
    ///     let tea = catalog.find_any("tea")?;
    ///     Review::of(&world, &catalog, tea)?.approve(&world, tea, &store)?
    /// };
    /// fs.file(write.path.as_str(), write.bytes);
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// assert!(matches!(Approvals::read(&fs, &store).of(&world, catalog.find_any("tea")?), Approval::Exact(_)));
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    pub fn of(&self, world: &World<'_>, skill: &Skill) -> Approval {
        if let Some(trouble) = &self.trouble {
            return Approval::Unknown(trouble.clone());
        }
        let Some(entry) = self.entry(world, skill) else { return Approval::None };
        let now = match Contents::of(world, skill, Purpose::Approve) {
            Ok(now) => now,
            Err(error) => return Approval::Unread(error),
        };
        let digest = entry.get("digest").and_then(Json::as_text).and_then(Digest::parse);
        if digest == Some(now.digest()) {
            return Approval::Exact(now.trust(skill));
        }
        Approval::Changed(match entry.get("files") {
            Some(Json::Map(files)) => changed_files(files, &names(&now)),
            _ => Vec::new(),
        })
    }

    /// What is different in a skill from what was approved last. Of a skill that was never approved, all is new; so are
    /// the description, the tools and the hosts if the store does not tell what they were.
    pub fn changes(&self, world: &World<'_>, skill: &Skill, review: &Review) -> Changes {
        let entry = self.entry(world, skill);
        let stored = |field: &str| entry.and_then(|entry| entry.get(field));
        let texts = |field: &str| match stored(field) {
            Some(Json::List(items)) => items.iter().filter_map(Json::as_text).collect(),
            Some(Json::Text(text)) => vec![text.as_str()],
            _ => Vec::new(),
        };
        let mut all = Vec::new();
        let mut add = |part, kind, names: Vec<&str>| {
            all.extend(names.into_iter().map(|text| ApprovalChange { part, kind, text: text.to_owned() }));
        };
        let description = Some(review.description.as_str()).filter(|text| !text.is_empty());
        for (part, field, now) in [
            (ChangedPart::Description, DESCRIPTION, description.into_iter().collect::<Vec<_>>()),
            (ChangedPart::Tool, TOOLS, review.tools.iter().map(String::as_str).collect()),
            (ChangedPart::Host, HOSTS, review.hosts.iter().map(String::as_str).collect()),
        ] {
            let before: Vec<&str> = texts(field);
            add(part, ChangeKind::Gone, missing(&before, &now));
            add(part, ChangeKind::New, missing(&now, &before));
        }
        let files = match stored("files") {
            Some(Json::Map(files)) => Some(files.as_slice()),
            _ => None,
        };
        // Without the names of before, nothing can be said of files.
        if let Some(files) = files.or(entry.is_none().then_some(&[])) {
            all.append(&mut changed_files(files, &names(&review.contents)));
        }
        Changes { is_first: entry.is_none(), all }
    }

    fn entry(&self, world: &World<'_>, skill: &Skill) -> Option<&Json> {
        let place = place(world.fs, skill).ok()?;
        self.approved.iter().find(|(known, _)| known == place.as_str()).map(|(_, entry)| entry)
    }
}

impl Contents {
    /// The answer of a host that trusts a skill as it is now: [`Trust::Contents`] with these contents, which must be those for
    /// [`Purpose::Approve`].
    pub fn trust(&self, skill: &Skill) -> Trust {
        let own = self.files.iter().find(|file| file.name == skill.path.name());
        let folder = self.digest();
        debug_assert!(own.is_some(), "the contents of a skill include its own file");
        // Without the file, the digest of the folder takes its place. No file has that digest, so no text is trusted.
        Trust::Contents { folder, manifest: own.map_or(folder, |own| own.digest) }
    }
}

impl Approval {
    /// The answer of a host that goes by approvals.
    pub fn trust(&self) -> Trust {
        match self {
            Approval::Exact(trust) => trust.clone(),
            other => Trust::No(other.void()),
        }
    }

    /// Why a skill that was approved is not trusted any more, or may have been, for a message; `None` if it never
    /// was, or still is.
    ///
    /// ```
    /// use skilltree::package::{Approval, ApprovalChange, ChangeKind, ChangedPart};
    /// let (part, kind) = (ChangedPart::File, ChangeKind::Changed);
    /// let change = ApprovalChange { part, kind, text: "scripts/boil.sh".to_owned() };
    /// let void = Approval::Changed(vec![change]).void().unwrap();
    /// assert_eq!(void, "its approval is no longer valid: `scripts/boil.sh` has changed");
    /// assert_eq!(Approval::None.void(), None);
    /// ```
    pub fn void(&self) -> Option<String> {
        match self {
            Approval::None | Approval::Exact(_) => None,
            Approval::Changed(files) => Some(void(&first_of(files).unwrap_or_else(|| FOLDER_CHANGED.to_owned()))),
            Approval::Unread(Error::LinkedFolder { path, .. }) => {
                Some(void(&format!("the symlink `{path}` leads to a folder outside the skill")))
            }
            Approval::Unread(error) => Some(void(&format!("it cannot be read completely: {error}"))),
            Approval::Unknown(error) => {
                let what = match error {
                    Error::StoreCorrupt { path, .. } => {
                        format!("`{path}` is corrupt, and has to be fixed or moved away first")
                    }
                    Error::StoreNewer { path, version, known } => {
                        format!(
                            "`{path}` has version {version}, newer than {known}, and needs a newer version of skilltree"
                        )
                    }
                    error => error.to_string(),
                };
                Some(format!("its approval cannot be read: {what}"))
            }
        }
    }
}

/// `` `a.sh` has changed, and 2 more differ ``: changed before new before gone.
fn first_of(files: &[ApprovalChange]) -> Option<String> {
    let kinds = [(ChangeKind::Changed, "has changed"), (ChangeKind::New, "is new"), (ChangeKind::Gone, "is gone")];
    let mut found = kinds.iter().filter_map(|(kind, what)| Some((files.iter().find(|file| file.kind == *kind)?, what)));
    let (file, what) = found.next()?;
    let first = format!("`{}` {what}", visible(&file.text));
    Some(match files.len() - 1 {
        0 => first,
        1 => format!("{first}, and one more differs"),
        more => format!("{first}, and {more} more differ"),
    })
}

impl Review {
    /// The change by which a skill is approved as it was in a review, which the user has seen.
    ///
    /// # Errors
    /// [`Error::StoreCorrupt`] and [`Error::StoreNewer`] for a store that cannot be used, which is never written over;
    /// [`Error::TooMuch`] where it would grow over its bound; [`Error::Fs`] where the skill is gone.
    pub fn approve(&self, world: &World<'_>, skill: &Skill, store: &FsPath) -> Result<FileWrite, Error> {
        let place = place(world.fs, skill)?;
        let names = names(&self.contents);
        let files = names.into_iter().map(|(name, what)| (name, Json::from(what))).collect::<Vec<_>>();
        let files = (files.len() <= MAX_NAMES).then_some(Json::Map(files));
        let digest = self.contents.digest().to_string();
        let texts = |texts: &[String]| Json::List(texts.iter().map(|text| Json::from(text.as_str())).collect());
        changed(world.fs, store, |approved| {
            let entry = Json::map([("key", Json::from(skill.key.as_str())), ("digest", Json::from(digest))]);
            let entry = entry
                .with(DESCRIPTION, Some(self.description.as_str()))
                .with(TOOLS, Some(texts(&self.tools)))
                .with(HOSTS, Some(texts(&self.hosts)))
                .with("files", files);
            match approved.iter_mut().find(|(known, _)| known == place.as_str()) {
                Some((_, old)) => *old = entry,
                None => approved.push((place.as_str().to_owned(), entry)),
            }
        })
    }
}

impl Approvals {
    /// The change that revokes the approval of a skill; `None` if it is not approved. It need not be readable.
    ///
    /// # Errors
    /// As [`Review::approve`].
    pub fn revoke(world: &World<'_>, skill: &Skill, store: &FsPath) -> Result<Option<FileWrite>, Error> {
        Approvals::revoke_at(world.fs, &place(world.fs, skill)?, store)
    }

    /// Like [`Approvals::revoke`], for a place as [`Approvals::all`] has it: the skill need not exist any more.
    ///
    /// # Errors
    /// As [`Review::approve`].
    pub fn revoke_at(fs: &dyn Fs, place: &FsPath, store: &FsPath) -> Result<Option<FileWrite>, Error> {
        let mut is_there = false;
        let write = changed(fs, store, |approved| {
            let before = approved.len();
            approved.retain(|(known, _)| known != place.as_str());
            is_there = approved.len() < before;
        })?;
        Ok(is_there.then_some(write))
    }
}

/// What an approval is bound to: the path of the skill's file in the real path of its folder. The target of a file
/// that is a symlink does not count, so that its approval is not valid for other folders.
fn place(fs: &dyn Fs, skill: &Skill) -> Result<FsPath, Error> {
    let dir = fs.canonical(&skill.dir())?;
    Ok(child(&dir, skill.path.name())?)
}

/// The entries of a folder by name, each with a few words that change when it does.
fn names(contents: &Contents) -> BTreeMap<String, String> {
    let to = |what: &str, target: &Option<FsPath>| match target {
        Some(target) => format!("{what} -> {}", target.as_str()),
        None => what.to_owned(),
    };
    let files = contents.files.iter().map(|file| (file.name.clone(), to(&file.digest.to_string(), &file.target)));
    let others = contents.others.iter().map(|other| (other.name.clone(), to(other.kind.as_str(), &other.target)));
    files.chain(others).collect()
}

fn missing<'t>(texts: &[&'t str], others: &[&str]) -> Vec<&'t str> {
    let others: BTreeSet<&str> = others.iter().copied().collect();
    texts.iter().copied().filter(|text| !others.contains(text)).collect()
}

/// The files that are not as before: those that are gone, that have changed, and that are new, each in byte order of names.
fn changed_files(before: &[(String, Json)], now: &BTreeMap<String, String>) -> Vec<ApprovalChange> {
    let before: BTreeMap<&str, Option<&str>> =
        before.iter().map(|(name, what)| (name.as_str(), what.as_text())).collect();
    let change = |kind, name: &str| ApprovalChange { part: ChangedPart::File, kind, text: name.to_owned() };
    let (mut files, mut changed) = (Vec::new(), Vec::new());
    for (name, what) in &before {
        match now.get(*name) {
            None => files.push(change(ChangeKind::Gone, name)),
            Some(now) if Some(now.as_str()) != *what => changed.push(change(ChangeKind::Changed, name)),
            Some(_) => {}
        }
    }
    let new = now.keys().filter(|name| !before.contains_key(name.as_str()));
    files.append(&mut changed);
    files.extend(new.map(|name| change(ChangeKind::New, name)));
    files
}

#[derive(Default)]
struct Stored {
    /// All of its bytes; `None` if there is no file.
    bytes: Option<Vec<u8>>,
    fields: Vec<(String, Json)>,
    approved: Vec<(String, Json)>,
}

fn stored(fs: &dyn Fs, store: &FsPath) -> Result<Stored, Error> {
    let corrupt = |reason| Error::StoreCorrupt { path: store.clone(), reason };
    let read = read_json_file_by(Json::parse_unique, fs, store, STORE_BYTES).map_err(|trouble| match trouble {
        SmallFileError::Pending(path) => Error::Fs(FsError::Pending(path)),
        SmallFileError::Corrupt(reason) => corrupt(reason),
    })?;
    let Some((bytes, json)) = read else { return Ok(Stored::default()) };
    let version = match json.get("version") {
        Some(Json::Number(version)) => version.parse().ok(),
        _ => None,
    };
    match version {
        Some(VERSION) => {}
        Some(version) if VERSION < version => {
            return Err(Error::StoreNewer { path: store.clone(), version, known: VERSION });
        }
        _ => return Err(corrupt(format!("expected the version {VERSION}"))),
    }
    match (json.get("approved").cloned(), json) {
        (Some(Json::Map(approved)), Json::Map(fields)) => Ok(Stored { bytes: Some(bytes), fields, approved }),
        _ => Err(corrupt("expected an object with an object `approved`".to_owned())),
    }
}

const VERSION: u64 = 1;

/// The store with other approvals; all that it holds besides stays.
fn changed(fs: &dyn Fs, store: &FsPath, change: impl FnOnce(&mut Vec<(String, Json)>)) -> Result<FileWrite, Error> {
    let Stored { bytes: replaces, mut fields, mut approved } = stored(fs, store)?;
    change(&mut approved);
    approved.sort_by(|a, b| a.0.cmp(&b.0));
    if fields.is_empty() {
        fields.push(("version".to_owned(), Json::Number(VERSION.to_string())));
    }
    let json = Json::Map(fields).with("approved", Some(Json::Map(approved)));
    let bytes = format!("{json:#}\n").into_bytes();
    if STORE_BYTES < bytes.len() as u64 {
        return Err(Error::TooMuch { path: store.clone(), limit: STORE_BYTES, what: "bytes" });
    }
    Ok(FileWrite { private: true, ..FileWrite::at_real(reached(fs, store), bytes, replaces) })
}

const MAX_HOSTS: usize = 1_000;

/// What a user looks at before approving a skill. All of it is from the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Review {
    /// What the approval covers, as [`Purpose::Approve`] includes it.
    pub contents: Contents,
    /// What a reader of the files does not see: invisible characters, encoded data, compiled files, and the like. These
    /// are the findings about files that [`check`](crate::check()) has if it is strict.
    pub facts: Vec<Diagnostic>,
    /// What the model is told about the skill, on one line: its description, and when to use it.
    pub description: String,
    /// The tools, permissions and toolsets that the skill asks for, as they are written, in byte order.
    pub tools: Vec<String>,
    /// The hosts that the addresses in its files name, with and without the control characters that loading removes, in
    /// byte order; no more than 1 000 of them.
    pub hosts: Vec<String>,
}

impl Review {
    /// Reads all that an approval of a skill covers.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::Review;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\nallowed-tools: Read\n---\n");
    /// fs.file("/s/tea/scripts/boil.sh", "curl https://kettle.example/boil\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let review = Review::of(&world, &catalog, catalog.find_any("tea")?)?;
    /// assert_eq!((&review.tools[..], &review.hosts[..]), (&["Read".to_owned()][..], &["kettle.example".to_owned()][..]));
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Contents::of`].
    pub fn of(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<Review, Error> {
        let (review, fault) = Review::partial(world, catalog, skill)?;
        fault.map_or(Ok(review), Err)
    }

    /// Reads as much of it as can be read, and says why that is not all: with [`Error::LinkedFolder`], what symlinks to
    /// folders outside lead to is missing, and [`Contents::others`] names these links.
    ///
    /// # Errors
    /// [`Error::Fs`] for a file that cannot be read, and [`Error::TooMuch`] where all files have too many bytes.
    pub fn partial(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<(Review, Option<Error>), Error> {
        let mut package = Folder::open(world.fs, &skill.location(), Purpose::Approve)?.list();
        let fault = package.fault.take();
        let (mut facts, mut hosts) = (Facts::new(&skill.path, &package), BTreeSet::new());
        let mut frontmatter: Arc<Frontmatter> = Arc::default();
        let contents = contents_of(&package, &mut |name, _, content| {
            let Content::File(bytes) = content else { return Ok(()) };
            facts.add(name, bytes, bytes.len() as u64);
            // Shells and other interpreters run scripts with any bytes in them, so no file is left out as binary.
            for lines in pieces(bytes) {
                let text = String::from_utf8_lossy(lines);
                let source = Source::new(&text);
                add_hosts(&text, &mut hosts);
                if source.text().len() < text.len() {
                    add_hosts(source.text(), &mut hosts);
                }
            }
            if name == skill.path.name() {
                let document = read_content(world.extras, catalog.dialect(), &skill.path, bytes, ReadMode::Load);
                frontmatter = document.map(|document| document.manifest.frontmatter).unwrap_or_default();
            }
            Ok(())
        })?;
        let (run, when_to_use) = (frontmatter.run(), &frontmatter.triggers().when_to_use);
        let described = [&frontmatter.description, when_to_use].into_iter().flatten();
        let allowed = frontmatter.allowed_tools.iter().flatten();
        let tools: BTreeSet<&String> = allowed.chain(&run.permissions).chain(&run.toolsets).collect();
        let review = Review {
            contents,
            facts: facts.findings,
            description: fold(&described.map(String::as_str).collect::<Vec<_>>().join("\n")).into_owned(),
            tools: tools.into_iter().cloned().collect(),
            hosts: hosts.into_iter().take(MAX_HOSTS).collect(),
        };
        Ok((review, fault))
    }
}

/// A file in pieces of whole lines, of which the last may be long, as a large file is not copied as a whole.
fn pieces(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    const BYTES: usize = 1 << 20;
    std::iter::from_fn(move || {
        let line_end = rest.iter().skip(BYTES).position(|byte| *byte == b'\n');
        let (piece, after) = rest.split_at(line_end.map_or(rest.len(), |at| BYTES + at + 1));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// What is different in a skill from what was approved last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Whether the skill was never approved, so that all of it is new.
    pub is_first: bool,
    /// The changes: of the description, the tools, the hosts and the files, in this order.
    pub all: Vec<ApprovalChange>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalChange {
    /// What has changed.
    pub part: ChangedPart,
    /// How it has changed.
    pub kind: ChangeKind,
    /// The description, the tool, the host, or the name of the file.
    pub text: String,
}

/// A part of a skill that is compared with the last approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangedPart {
    /// The description. A new one has two changes: the old one is gone, and the new one is new.
    Description,
    /// A tool that the skill asks for.
    Tool,
    /// A host that a file names.
    Host,
    /// A file, or another entry of the folder.
    File,
}

names! { ChangedPart { Description = "description", Tool = "tool", Host = "host", File = "file" } }

/// How something has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It is there now, and was not.
    New,
    /// It was there, and is not now.
    Gone,
    /// It has other content or is of another kind, or the symlink leads elsewhere. Only for files.
    Changed,
}

names! { ChangeKind { New = "new", Gone = "gone", Changed = "changed" } }

impl std::fmt::Display for ApprovalChange {
    /// One line of a diff: `+ host: kettle.example`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = match self.kind {
            ChangeKind::New => '+',
            ChangeKind::Gone => '-',
            ChangeKind::Changed => '~',
        };
        write!(f, "{sign} {}: {}", self.part.as_str(), visible(&self.text))
    }
}
