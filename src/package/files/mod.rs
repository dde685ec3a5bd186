//! The files that belong to a skill. [`Package`] answers for every [`Purpose`], and everything that hands out, compares,
//! copies or packs files of a skill asks it, so that what is not listed is not read either (rules 18.2 and 18.3).

#[cfg_attr(not(feature = "digest"), allow(dead_code, reason = "only files that are served are asked for by name"))]
mod find;
mod folder;
mod hidden;
mod purpose;
mod walk;

pub(crate) use find::Membership;
pub(crate) use folder::{Folder, child, excluded, nearest};
pub(crate) use hidden::Hidden;
pub(crate) use purpose::Filter;
pub use purpose::Purpose;

use crate::discovery::world::World;
use crate::fs::{FilePrefix, FsError};
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::path::FsPath;

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
    folder: Folder<'w>,
    /// Why the files must not be used as if they were all.
    fault: Option<Error>,
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

impl OtherKind {
    /// `folder`, `link-to-folder`, `link-outside`, `link-to-nothing`, `special`, `excluded`, `nested-skill`, `not-utf8`,
    /// `unreadable` or `link-cycle`.
    pub fn as_str(self) -> &'static str {
        match self {
            OtherKind::Folder => "folder",
            OtherKind::LinkToFolder => "link-to-folder",
            OtherKind::LinkOutside => "link-outside",
            OtherKind::LinkToNothing => "link-to-nothing",
            OtherKind::Special => "special",
            OtherKind::Excluded => "excluded",
            OtherKind::NestedSkill => "nested-skill",
            OtherKind::NotUtf8 => "not-utf8",
            OtherKind::Unreadable => "unreadable",
            OtherKind::LinkCycle => "link-cycle",
        }
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

    /// The folder that was listed.
    pub(crate) fn folder(&self) -> &Folder<'w> {
        &self.folder
    }
}
