//! The size and SHA-256 of each file of a skill, for serving and for approvals. Modes and times are not included.

use super::facts::leads_out;
use super::files::{OtherEntry, OtherKind, Package, PackageFile, Purpose};
use crate::diagnostic::Diagnostic;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::json::Json;

/// What is in a skill's folder. Names are relative to it, with `/`, in byte order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The files, those of nested skills included. A symlink to a file inside the folder is one; by
    /// [`Purpose::Approve`] a symlink to any file.
    pub files: Vec<FileContent>,
    /// Folders, symlinks that lead to no file of the skill, and special files. What is excluded by its name is not
    /// among them.
    pub others: Vec<OtherEntry>,
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
    /// Where it leads, if it is a symlink: its real path.
    pub target: Option<FsPath>,
}

impl Contents {
    /// One digest for all of it: names, kinds, where symlinks lead, what files hold.
    pub fn digest(&self) -> Digest {
        let target = |target: &Option<FsPath>| target.as_ref().map_or(Json::Null, |target| target.as_str().into());
        let files = self.files.iter().map(|file| {
            let parts =
                [file.name.as_str().into(), "file".into(), target(&file.target), file.digest.to_string().into()];
            Json::List(parts.into())
        });
        let others = self.others.iter().map(|other| {
            Json::List([other.name.as_str().into(), other.kind.as_str().into(), target(&other.target)].into())
        });
        Digest::of(Json::List(files.chain(others).collect()).to_string().as_bytes())
    }

    /// What is in the folder of a skill now. A skill that is one registered file: that file alone.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::{Contents, Purpose};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/scripts/boil.sh", "");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let contents = Contents::of(&world, catalog.find_any("tea")?, Purpose::Serve)?;
    /// assert_eq!(contents.files[1].name, "scripts/boil.sh");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooMuch`] over the limits of the purpose; [`Error::LinkedFolder`] by [`Purpose::Approve`] for a symlink to
    /// a folder outside; [`Error::Fs`] for what cannot be read, with its path.
    pub fn of(world: &World<'_>, skill: &Skill, purpose: Purpose) -> Result<Contents, Error> {
        contents_of(&Package::open(world, skill, purpose)?, &mut |_, _, _| Ok(()))
    }
}

/// An entry whose contents are known.
#[cfg_attr(not(feature = "processes"), allow(dead_code))]
pub(crate) enum Content<'a> {
    /// A file, or a symlink to one, and the bytes that its digest is of.
    File(&'a [u8]),
    Other(OtherKind),
}

/// Called with the name of an entry, where it leads if it is a symlink, and what it holds.
pub(crate) type Visitor<'a> = dyn FnMut(&str, Option<&FsPath>, Content<'_>) -> Result<(), Error> + 'a;

/// The contents of a package. Each entry is handed to `visit` as it is counted, a folder before what is in it. The bytes
/// of a file are those that were hashed, and are read once.
pub(crate) fn contents_of(package: &Package<'_>, visit: &mut Visitor<'_>) -> Result<Contents, Error> {
    let mut out = Contents::default();
    let mut left_bytes = package.folder.filter.rules.max_bytes;
    let files = package.files.iter().map(|file| (&file.name, Entry::File(file)));
    let others = package.others.iter().map(|other| (&other.name, Entry::Other(other)));
    let mut entries: Vec<(&String, Entry<'_>)> = files.chain(others).collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    for (name, entry) in entries {
        match entry {
            Entry::File(file @ PackageFile { target, .. }) => {
                let bytes = read(package, file, &mut left_bytes)?;
                visit(name, target.as_ref(), Content::File(&bytes))?;
                let (digest, size) = (Digest::of(&bytes), bytes.len() as u64);
                out.files.push(FileContent { name: name.clone(), digest, size, target: target.clone() });
            }
            Entry::Other(OtherEntry { kind: OtherKind::Excluded | OtherKind::NotUtf8, .. }) => {}
            Entry::Other(other) => {
                let target = other.target.as_ref();
                visit(name, target, Content::Other(other.kind))?;
                if other.kind == OtherKind::LinkOutside {
                    out.findings.push(leads_out(&package.folder.shown_path(name), target));
                }
                out.others.push(other.clone());
            }
        }
    }
    Ok(out)
}

enum Entry<'p> {
    File(&'p PackageFile),
    Other(&'p OtherEntry),
}

fn read(package: &Package<'_>, file: &PackageFile, left_bytes: &mut u64) -> Result<Vec<u8>, Error> {
    let folder = &package.folder;
    let head = crate::fs::read_bounded(*left_bytes, |at_most| folder.read(file, at_most))?;
    let size = head.len.max(head.bytes.len() as u64);
    *left_bytes = left_bytes.checked_sub(size).ok_or_else(|| folder.too_many_bytes())?;
    Ok(head.bytes)
}
