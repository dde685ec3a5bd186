//! A skill's folder as a `.skill` file: a zip with one folder, named as the skill. Its bytes are the same for the same
//! files on every machine. What a reader would refuse is not packed.

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::discovery::manifest::{ReadMode, is_skill_file, read_whole};
use crate::discovery::scan::find_repository;
use crate::discovery::world::World;
use crate::fs::{ArchiveFs, ArchiveLimits, ZipFile, read_bounded, zip};
use crate::model::error::Error;
use crate::package::facts::left_out;
use crate::package::files::{Folder, Purpose};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::sync::Arc;

/// A skill as a `.skill` file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packed {
    /// The folder in it.
    pub name: String,
    /// The zip.
    pub bytes: Vec<u8>,
    /// What it holds, in byte order of names.
    pub files: Vec<PackedFile>,
    /// What was left out.
    pub findings: Vec<Diagnostic>,
}

/// A file in a `.skill` file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackedFile {
    /// Its name below the skill's folder.
    pub name: String,
    /// How many bytes it has unpacked.
    pub size: u64,
}

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
        // Everything is read through the one folder that is opened here, whatever its path leads to meanwhile.
        let package = Folder::of_directory(world.fs, folder, Purpose::Archive)?.list().complete()?;
        let held = &package.folder;
        let not_packed = |reason: String| Error::NotPacked { path: folder.clone(), reason };
        let Some(own) = package.files.iter().find(|file| is_skill_file(&file.name)) else {
            return Err(not_packed("it contains no SKILL.md, or its SKILL.md is a symlink that leads out".to_owned()));
        };
        if let Some(repository) = find_repository(package.files.iter().map(|file| file.name.as_str())) {
            let repository = visible(&repository).into_owned();
            return Err(not_packed(format!(
                "it contains the repository `{repository}`, which an archive must not contain"
            )));
        }
        let Some(name) = name(&World { fs: held.view(), ..*world }, &dialect.in_world(world), folder, &own.path) else {
            return Err(not_packed("neither the skill nor its folder has a name".to_owned()));
        };
        let limits = ArchiveLimits::default();
        let too_much = || Error::TooMuch { path: folder.clone(), limit: limits.bytes, what: "bytes" };
        let mut left = limits.bytes;
        let mut files = Vec::with_capacity(package.files.len());
        let mut zipped = Vec::with_capacity(package.files.len());
        for file in &package.files {
            let rel = file.name.clone();
            let head = read_bounded(left, |at_most| held.read(file, at_most))?;
            let size = head.bytes.len() as u64;
            left = left.checked_sub(head.len.max(size)).ok_or_else(too_much)?;
            zipped.push(ZipFile {
                name: format!("{name}/{rel}"),
                executable: head.bytes.starts_with(b"#!"),
                bytes: head.bytes,
            });
            files.push(PackedFile { name: rel, size });
        }
        let bytes = zip(&zipped).ok_or_else(|| not_packed("it is too large for a zip archive".to_owned()))?;
        let archive = ArchiveFs::new(bytes.as_slice()).map_err(|error| not_packed(error.to_string()))?;
        if let Some(note) = archive.notes().first() {
            return Err(not_packed(note.message.clone()));
        }
        Ok(Packed { name, bytes, files, findings: left_out(&package) })
    }
}

/// What the skill says it is called, where a folder can be called so on every system; else its folder's name. None if
/// the folder is the root, which has none.
fn name(world: &World<'_>, dialect: &Dialect, folder: &FsPath, own: &FsPath) -> Option<String> {
    let said = read_whole(world, dialect, own, ReadMode::Load).manifest.frontmatter.name.clone();
    let usual = |name: &String| {
        FsPath::root().child(name).is_ok() && !name.contains(|c: char| c.is_control() || matches!(c, '\\' | ':'))
    };
    said.filter(usual).or_else(|| Some(folder.name().to_owned()).filter(|name| !name.is_empty()))
}
