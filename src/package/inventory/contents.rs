//! In: a skill. Out: [`Contents`]: every file in its folder with size and SHA-256, and what is there besides files.
//! For what must be known whole: what is served, what is approved. Bounded, one file in memory at a time.
//! Absent: modes and times, which say nothing of what a file holds.

use super::package::{Package, read_real};
use super::{MAX_DIRS, Purpose};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::manifest::is_alone;
use crate::fs::{Entry, FileKind, FsError, Step, VisitOutcome, Walk};
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::visible;
use crate::text::json::Json;
use std::collections::BTreeMap;

/// How much of a skill's folder is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentScope {
    /// What belongs to the skill as discovery sees it: for serving. At most 512 files and 16 777 216 bytes, as the
    /// Skills extension has it.
    Skill,
    /// All that its scripts could use, `node_modules` and `.git` too, and files that links lead to outside: for
    /// approval. At most 100 000 files, folders and links, and 268 435 456 bytes: a second of work.
    Folder,
}

impl ContentScope {
    fn purpose(self) -> Purpose {
        match self {
            ContentScope::Skill => Purpose::Serve,
            ContentScope::Folder => Purpose::Approve,
        }
    }

    pub(crate) fn max_entries(self) -> usize {
        match self {
            ContentScope::Skill => 512,
            ContentScope::Folder => 100_000,
        }
    }

    pub(crate) fn max_bytes(self) -> u64 {
        match self {
            ContentScope::Skill => 16_777_216,
            ContentScope::Folder => 268_435_456,
        }
    }
}

/// What is in a skill's folder. Names are relative to it, `/` between them, in byte order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The files, those of skills nested in it too. A link to a file inside the folder is one; by [`ContentScope::Folder`]
    /// a link to any file.
    pub files: Vec<FileContent>,
    /// What is no file.
    pub others: Vec<OtherContent>,
    /// What is not covered, and why.
    pub findings: Vec<Diagnostic>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileContent {
    /// Its name.
    pub name: String,
    /// The SHA-256 of its bytes.
    pub digest: Digest,
    /// How many bytes it has.
    pub size: u64,
    /// Where it leads, if it is a link, links resolved.
    pub target: Option<FsPath>,
}

/// What is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherContent {
    /// Its name.
    pub name: String,
    /// What it is.
    pub what: OtherKind,
    /// Where it leads, if it is a link that leads somewhere, links resolved.
    pub target: Option<FsPath>,
}

/// What is no file. What a link leads to is not entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OtherKind {
    /// A folder.
    Folder,
    /// A link to a folder inside.
    LinkToFolder,
    /// A link that leads out of the skill's folder. None by [`ContentScope::Folder`].
    LinkOutside,
    /// A link that leads nowhere.
    LinkToNothing,
    /// A FIFO, a device, a socket. Never opened.
    Special,
}

impl OtherKind {
    /// `folder`, `link-to-folder`, `link-outside`, `link-to-nothing` or `special`.
    pub fn as_str(self) -> &'static str {
        match self {
            OtherKind::Folder => "folder",
            OtherKind::LinkToFolder => "link-to-folder",
            OtherKind::LinkOutside => "link-outside",
            OtherKind::LinkToNothing => "link-to-nothing",
            OtherKind::Special => "special",
        }
    }
}

impl Contents {
    /// One digest for all of it: names, kinds, where links lead, what files hold.
    pub fn digest(&self) -> Digest {
        let target = |target: &Option<FsPath>| target.as_ref().map_or(Json::Null, |target| target.as_str().into());
        let files = self.files.iter().map(|file| {
            let parts =
                [file.name.as_str().into(), "file".into(), target(&file.target), file.digest.to_string().into()];
            Json::List(parts.into())
        });
        let others = self.others.iter().map(|other| {
            Json::List([other.name.as_str().into(), other.what.as_str().into(), target(&other.target)].into())
        });
        Digest::of(Json::List(files.chain(others).collect()).to_string().as_bytes())
    }
}

/// What is in the folder of a skill now. A skill that is one registered file: that file alone.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
/// use skilltree::package::{ContentScope, contents};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/scripts/boil.sh", "");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("agentskills").unwrap());
/// let contents = contents(&world, catalog.seek("tea")?, ContentScope::Skill)?;
/// assert_eq!(contents.files[1].name, "scripts/boil.sh");
/// # Ok::<(), skilltree::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooMuch`] over the bounds of the reach; [`Error::LinkedFolder`] by [`ContentScope::Folder`] for a link to a
/// folder outside; [`Error::Fs`] for what cannot be read, with its path.
pub fn contents(world: &World<'_>, skill: &Skill, reach: ContentScope) -> Result<Contents, Error> {
    let at = skill.location();
    contents_of(&Package::open(world, &at, reach.purpose())?, reach)
}

/// The same for a folder that is held.
pub(crate) fn contents_of(package: &Package<'_>, reach: ContentScope) -> Result<Contents, Error> {
    contents_to(package, reach, None, &mut |_, _| Ok(()))
}

/// What [`contents_to`] hands on.
#[cfg_attr(not(any(feature = "scripts", feature = "toolsets", feature = "forks")), allow(dead_code))]
pub(crate) enum Met<'a> {
    /// A file, or a link to one, and the bytes that its digest is of.
    File(&'a [u8]),
    /// What is no file.
    Other(OtherKind),
}

/// Takes the name of what was met, and where it leads if it is a link.
pub(crate) type Take<'a> = dyn FnMut((&str, Option<&FsPath>), Met<'_>) -> Result<(), Error> + 'a;

/// The same without the entry `without`. Each thing is handed on as it is counted, a folder before what is in it: the
/// bytes of a file are those that were hashed, and are read once.
pub(crate) fn contents_to(
    package: &Package<'_>,
    reach: ContentScope,
    without: Option<&str>,
    take: &mut Take<'_>,
) -> Result<Contents, Error> {
    let at = package.at;
    let dir = at.path.parent().unwrap_or_else(FsPath::root);
    let metadata = Looking { package, dir: &dir, reach };
    let mut found = if is_alone(&at.path) { BTreeMap::new() } else { metadata.listed()? };
    let mut out = Contents::default();
    let mut left_bytes = reach.max_bytes();
    without.and_then(|name| found.remove(name));
    // The skill's own file counts wherever it leads: it is what is read when the skill is used.
    let own = if package.is_linked() { Found::Link(FileKind::File) } else { Found::File };
    found.insert(at.path.name().to_owned(), own);
    metadata.count(&found)?;
    for (name, found) in found {
        let (what, target) = match found {
            Found::File => (None, None),
            Found::Folder => (Some(OtherKind::Folder), None),
            Found::Special => (Some(OtherKind::Special), None),
            Found::Link(kind) => followed(package, &name, kind)?,
        };
        match what {
            // Only here it is known which links are files.
            None if reach == ContentScope::Skill && out.files.len() == reach.max_entries() => {
                return Err(metadata.too_many());
            }
            None => {
                let bytes = metadata.file(&name, target.as_ref(), &mut left_bytes)?;
                take((&name, target.as_ref()), Met::File(&bytes))?;
                out.files.push(FileContent { name, digest: Digest::of(&bytes), size: bytes.len() as u64, target });
            }
            Some(what) => {
                take((&name, target.as_ref()), Met::Other(what))?;
                if what == OtherKind::LinkOutside {
                    let path = dir.join(&name).unwrap_or_else(|_| dir.clone());
                    out.findings.push(not_covered(path, target.as_ref()));
                }
                out.others.push(OtherContent { name, what, target });
            }
        }
    }
    Ok(out)
}

/// What stands in a folder, by its listing.
enum Found {
    File,
    Folder,
    Link(FileKind),
    Special,
}

/// One look at a skill's folder.
struct Looking<'a> {
    package: &'a Package<'a>,
    /// The folder as found, for messages.
    dir: &'a FsPath,
    reach: ContentScope,
}

impl Looking<'_> {
    fn listed(&self) -> Result<BTreeMap<String, Found>, Error> {
        let reach = self.reach;
        let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            steps.extend(reach.purpose().steps(entries));
        };
        let max_dirs = match reach {
            ContentScope::Skill => MAX_DIRS,
            ContentScope::Folder => reach.max_entries(),
        };
        let root = &self.package.at.dir;
        let ask = Walk { root, step: &step, head: 0, max_dirs };
        let mut found = BTreeMap::new();
        let mut fault = None;
        self.package.fs.walk(&ask, &mut |visit| match visit.take() {
            VisitOutcome::Again => {
                found.clear();
                fault = None;
            }
            VisitOutcome::Cut => {
                let error = Error::TooMuch { path: self.dir.clone(), limit: max_dirs as u64, what: "folders" };
                fault.get_or_insert(error);
            }
            VisitOutcome::Failed(error) => drop(fault.get_or_insert(Error::Fs(error))),
            VisitOutcome::Listed(noted) => {
                if let Some(name) = visit.dir.below(root).filter(|name| !name.is_empty()) {
                    found.insert(name.to_owned(), Found::Folder);
                }
                for Entry { name, kind, link, lossy } in noted.into_iter().map(|noted| noted.entry) {
                    if lossy {
                        fault.get_or_insert(Error::Fs(not_utf8(&visit.dir, &name)));
                    }
                    let Ok(path) = visit.dir.child(&name) else { continue };
                    let Some(name) = path.below(root) else { continue };
                    let what = match (link, kind) {
                        (true, kind) => Found::Link(kind),
                        (false, FileKind::File) => Found::File,
                        (false, _) => Found::Special,
                    };
                    found.insert(name.to_owned(), what);
                }
            }
        });
        match fault {
            Some(fault) => Err(fault),
            None => {
                found.retain(|name, _| self.package.takes(name));
                Ok(found)
            }
        }
    }

    /// Refuses too many before one is read.
    fn count(&self, found: &BTreeMap<String, Found>) -> Result<(), Error> {
        let is_counted = |found: &&Found| self.reach == ContentScope::Folder || matches!(found, Found::File);
        let count = found.values().filter(is_counted).count();
        if count <= self.reach.max_entries() { Ok(()) } else { Err(self.too_many()) }
    }

    fn too_many(&self) -> Error {
        let what = match self.reach {
            ContentScope::Skill => "files",
            ContentScope::Folder => "files, folders and links",
        };
        Error::TooMuch { path: self.dir.clone(), limit: self.reach.max_entries() as u64, what }
    }

    fn file(&self, name: &str, target: Option<&FsPath>, left_bytes: &mut u64) -> Result<Vec<u8>, Error> {
        let package = self.package;
        let head = crate::fs::read_bounded(*left_bytes, |at_most| match target {
            _ if name == package.at.path.name() => package.read_own(at_most),
            Some(target) if !target.is_within(&package.at.dir) => read_real(package.whole, target, at_most),
            target => package.fs.read(target.unwrap_or(&package.path(name)), at_most),
        })?;
        let too_much = || Error::TooMuch { path: self.dir.clone(), limit: self.reach.max_bytes(), what: "bytes" };
        let size = head.bytes.len() as u64;
        *left_bytes = left_bytes.checked_sub(head.len.max(size)).ok_or_else(too_much)?;
        Ok(head.bytes)
    }
}

/// What a link leads to; no [`OtherKind`] for a file that counts.
pub(super) fn followed(
    package: &Package<'_>,
    name: &str,
    kind: FileKind,
) -> Result<(Option<OtherKind>, Option<FsPath>), Error> {
    let path = package.path(name);
    let is_served = package.purpose != Purpose::Approve;
    let target = match package.whole.canonical(&path) {
        Ok(target) => target,
        Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::LinkLoop(_)) => {
            return Ok((Some(OtherKind::LinkToNothing), None));
        }
        Err(FsError::Escapes(_)) if is_served => return Ok((Some(OtherKind::LinkOutside), None)),
        Err(error) => return Err(error.into()),
    };
    let below = target.below(&package.at.dir);
    let what = match kind {
        _ if name == package.at.path.name() => None,
        _ if is_served && below.is_none_or(|name| !name.is_empty() && !package.takes(name)) => {
            Some(OtherKind::LinkOutside)
        }
        FileKind::File => None,
        FileKind::Dir if below.is_none() => return Err(Error::LinkedFolder { path, target }),
        FileKind::Dir => Some(OtherKind::LinkToFolder),
        FileKind::Other => Some(OtherKind::Special),
        FileKind::Missing => Some(OtherKind::LinkToNothing),
    };
    Ok((what, Some(target)))
}

fn not_covered(path: FsPath, target: Option<&FsPath>) -> Diagnostic {
    let to = target.map_or_else(String::new, |target| format!(" to `{}`", visible(target.as_str())));
    let message = format!("the symlink leads out of the skill{to}, so it is not part of it");
    Diagnostic::new(Severity::Note, Code::NotCovered, path, message).help("copy the file into the skill")
}

fn not_utf8(dir: &FsPath, name: &str) -> FsError {
    let path = dir.child(name).unwrap_or_else(|_| dir.clone());
    FsError::Other { path, message: "its name is not UTF-8, so it cannot be read; rename it".to_owned() }
}
