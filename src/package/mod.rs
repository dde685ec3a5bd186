//! Which files belong to a skill. One table, [`Purpose`], says so for listing, serving, approving, copying and archiving;
//! `Folder` opens the folder of a skill for a purpose, and [`Package`] is what is in it.
//!
//! - `files/purpose` is the table: what each purpose includes. `files` has the only walk that decides
//!   which files belong to a skill.
//! - `inventory` names the files for models and listings; `file` and `body` read one file and the SKILL.md.
//! - `contents` hashes the files, for `approve` (what the user looks at and has approved) and `serve` (resources for MCP
//!   clients). `facts` finds what a reviewer of the files does not see.
//! - `trust` compares what is read with what is trusted. The decision to trust is the host's.
//! - `activate` plans copies; `bundle` packs archives; `embed` puts a folder into a program.

pub(crate) mod activate;
#[cfg(feature = "digest")]
pub(crate) mod approve;
pub(crate) mod body;
#[cfg(feature = "archive")]
pub(crate) mod bundle;
#[cfg(feature = "digest")]
pub(crate) mod contents;
#[cfg(feature = "os")]
pub(crate) mod embed;
pub(crate) mod facts;
pub(crate) mod file;
pub(crate) mod files;
pub(crate) mod inventory;
#[cfg(feature = "digest")]
pub(crate) mod serve;
pub(crate) mod trust;

pub use activate::{CopyFile, CopyPlan, SkillCopy};
#[cfg(feature = "digest")]
pub use approve::{Approval, ApprovalChange, Approvals, ChangeKind, ChangedPart, Changes, Differences, Review};
#[cfg(feature = "archive")]
pub use bundle::{Packed, PackedFile};
#[cfg(feature = "digest")]
pub use contents::{Contents, FileContent, OtherContent};
pub use file::{FilePart, FileRequest};
pub use files::{OtherEntry, OtherKind, Package, PackageFile, Purpose};
pub use inventory::Resources;
#[cfg(feature = "digest")]
pub use serve::{Served, ServedChild, ServedEntry, ServedFile, ServedResource, ServedSkill};
pub use trust::ExpectedContents;

#[cfg(feature = "archive")]
use crate::dialect::Dialect;
use crate::discovery::catalog::Catalog;
#[cfg(feature = "digest")]
use crate::discovery::state::FileWrite;
#[cfg(feature = "digest")]
use crate::discovery::world::Fingerprint;
use crate::discovery::world::World;
#[cfg(feature = "os")]
use crate::fs::EmbeddedFs;
#[cfg(feature = "digest")]
use crate::fs::Fs;
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::path::FsPath;
#[cfg(feature = "os")]
use std::path::Path;
#[cfg(feature = "archive")]
use std::sync::Arc;

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
        activate::activation(world, catalog, root)
    }
}

impl FilePart {
    /// Reads a part of a skill's file.
    ///
    /// ```
    /// use skilltree::{Caller, FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::{FilePart, FileRequest};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/kinds.md", "green, black");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let ask = FileRequest { caller: Caller::Model, name: "kinds.md".to_owned(), offset: 7 };
    /// let part = FilePart::read(&world, &catalog, &catalog.skills()[0], &ask).unwrap();
    /// assert_eq!(part.text.as_deref(), Some("black"));
    /// ```
    ///
    /// # Errors
    /// [`Error::NotForModel`] and its kin when the caller may not have the skill; [`Error::Fs`] for what is no file of its
    /// folder; [`Error::BelongsToOtherSkill`]; [`Error::ReadDenied`]; [`Error::BadArguments`] for an offset that is none.
    pub fn read(world: &World<'_>, catalog: &Catalog, skill: &Skill, ask: &FileRequest) -> Result<FilePart, Error> {
        file::file(world, catalog, skill, ask)
    }
}

impl Skill {
    /// The files of a skill but for its SKILL.md, by their absolute paths, in byte order. What cannot be listed is left out.
    pub fn files(&self, world: &World<'_>) -> Vec<FsPath> {
        inventory::inventory(world, self)
    }

    /// The files in a skill's conventional folders: as they were listed by a discovery [with resources](World::with_resources),
    /// else as they are now. What cannot be listed is left out.
    pub fn resources(&self, world: &World<'_>) -> Resources {
        inventory::resources(world, self)
    }
}

#[cfg(feature = "digest")]
impl Contents {
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
        contents::contents(world, skill, purpose)
    }

    /// What a skill holds, for a host that trusts it as it is now.
    pub fn fingerprint(&self, skill: &Skill) -> Fingerprint {
        approve::fingerprint(skill, self)
    }
}

#[cfg(feature = "digest")]
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
        approve::review(world, catalog, skill)
    }

    /// The change by which a skill is approved as it was in a review, which the user has seen.
    ///
    /// # Errors
    /// [`Error::JsonFileCorrupt`] and [`Error::StoreNewer`] for a store that cannot be used, which is never written over;
    /// [`Error::TooMuch`] where it would grow over its bound; [`Error::Fs`] where the skill is gone.
    pub fn approve(&self, world: &World<'_>, skill: &Skill, store: &FsPath) -> Result<FileWrite, Error> {
        approve::approve(world, skill, self, store)
    }
}

#[cfg(feature = "digest")]
impl Approvals {
    /// The change that revokes the approval of a skill; `None` if it is not approved. It need not be readable.
    ///
    /// # Errors
    /// As [`Review::approve`].
    pub fn revoke(world: &World<'_>, skill: &Skill, store: &FsPath) -> Result<Option<FileWrite>, Error> {
        approve::revoke(world, skill, store)
    }

    /// Like [`Approvals::revoke`], for a place as [`Approvals::all`] has it: the skill need not exist any more.
    ///
    /// # Errors
    /// As [`Review::approve`].
    pub fn revoke_at(fs: &dyn Fs, place: &FsPath, store: &FsPath) -> Result<Option<FileWrite>, Error> {
        approve::revoke_at(fs, place, store)
    }
}

#[cfg(feature = "archive")]
impl Packed {
    /// Packs a skill's folder: all files in it, those of nested skills included. `.git`, `node_modules` and symlinks that
    /// lead out are left out, symlinks inside become what they lead to, and empty folders are dropped. A file that begins
    /// with `#!` is a program (mode 755, else 644).
    ///
    /// The folder in the zip is named as the frontmatter says, or else as `folder` is. It does not judge the skill:
    /// [`check`](crate::check()) does.
    ///
    /// ```
    /// use skilltree::{Fs, FsPath, MemFs, Places, World, dialect};
    /// use skilltree::fs::ArchiveFs;
    /// use skilltree::package::Packed;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/.git/HEAD", "");
    /// let places = Places::default();
    /// let world = World::new(&fs, &places, &());
    /// let packed = Packed::of(&world, &dialect("agentskills").unwrap(), &FsPath::new("/s/tea").unwrap())?;
    /// let archive = ArchiveFs::new(packed.bytes).unwrap();
    /// assert_eq!(archive.read(&FsPath::new("/tea/SKILL.md").unwrap(), 3)?.bytes, b"---");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooMuch`] over the usual [`ArchiveLimits`](crate::fs::ArchiveLimits); [`Error::NotPacked`] where there is no SKILL.md in the folder,
    /// or an archive would refuse what is in it; [`Error::Fs`] for what cannot be read.
    pub fn of(world: &World<'_>, dialect: &Arc<Dialect>, folder: &FsPath) -> Result<Packed, Error> {
        bundle::pack(world, dialect, folder)
    }
}

#[cfg(feature = "os")]
impl EmbeddedFs {
    /// A Rust expression: the table of all files in a folder, by `include_bytes!` and absolute path.
    ///
    /// In byte order of names. `.git`, `node_modules` and the like are left out; symlinks that stay inside are followed.
    /// A relative path begins at the working directory, which for a `build.rs` is its package's folder.
    ///
    /// ```no_run
    /// // build.rs, with `skilltree` among the `[build-dependencies]`
    /// fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     println!("cargo::rerun-if-changed=skills");
    ///     let file = std::path::Path::new(&std::env::var("OUT_DIR")?).join("skills.rs");
    ///     Ok(std::fs::write(file, skilltree::fs::EmbeddedFs::table("skills")?)?)
    /// }
    /// ```
    ///
    /// In the program, with `skilltree` among the `[dependencies]`:
    ///
    /// ```ignore
    /// use skilltree::fs::EmbeddedFs;
    /// static SKILLS: EmbeddedFs = EmbeddedFs::new("/bundled", include!(concat!(env!("OUT_DIR"), "/skills.rs")));
    /// ```
    ///
    /// # Errors
    /// [`Error::NotPacked`] for what cannot be embedded: a symlink that leads out of the folder, that is broken, or that leads to
    /// a folder that contains it, a FIFO, a name that is not UTF-8. [`Error::TooMuch`] over 10 000 files and folders, or 32 folders in one another.
    /// [`Error::Fs`] for what cannot be read.
    pub fn table(dir: impl AsRef<Path>) -> Result<String, Error> {
        embed::table(dir)
    }
}
