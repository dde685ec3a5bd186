//! A tree that a command compares with another: a folder, an archive, or a folder of a revision in git. It is seen at one path,
//! whatever it is called where it lies, so that paths in two trees are equal where the files have the same place. One that is
//! itself the folder of a skill is seen a second time in a folder of skills, as clients search skills in such folders alone.

use crate::git;
use crate::reply::Failure;
use crate::setup::{self, absolute_path, archive_at, existing_folder, working_directory};
use crate::verify::records::name_of;
use skilltree::fs::{CachedFs, Entry, FilePrefix, Metadata, OverlayFs};
use skilltree::{Diagnostic, Fs, FsError, FsPath, OsFs};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tree as its caller has named it.
pub(crate) struct Tree {
    pub(crate) fs: CachedFs<OverlayFs<'static>>,
    /// Whether it is the folder of a skill.
    pub(crate) is_skill: bool,
    /// Entries of an archive that are ignored.
    pub(crate) notes: Vec<Diagnostic>,
    /// Where the tree is.
    place: FsPath,
    /// What each symlink of a revision says, by its path.
    links: Option<BTreeMap<String, String>>,
}

impl Tree {
    /// Opens a folder, an archive, or `git:REVISION:PATH`.
    pub(crate) fn open(text: &str) -> Result<Tree, Failure> {
        let disk = OsFs::new();
        let base = working_directory(&disk);
        let path = absolute_path(&disk, base.as_ref(), text)?;
        if let Some(named) = text.strip_prefix(git::PREFIX) {
            let (files, links) = git::read_tree(named)?;
            return Ok(Tree { links: Some(links), ..Tree::of(files, FsPath::root(), Vec::new(), path) });
        }
        if let Some(at) = archive_at(&disk, &path).filter(|at| disk.list(at).is_err()) {
            let (archive, notes) = setup::archive(&disk, &at)?;
            let files = OverlayFs::new().mount(at, archive);
            let root = existing_folder(&disk, &files, base.as_ref(), text, "tree")?;
            return Ok(Tree::of(files, root, notes, path));
        }
        let folder = existing_folder(&disk, &disk, base.as_ref(), text, "tree")?;
        let root = disk.canonical(&folder).map_err(skilltree::Error::Fs)?;
        Ok(Tree::of(disk, root, Vec::new(), path))
    }

    fn of(inner: impl Fs + Send + Sync + 'static, root: FsPath, notes: Vec<Diagnostic>, place: FsPath) -> Tree {
        let (folder, top) = (Arc::new(FolderFs { inner, root }), FsPath::root());
        let is_skill = top.child("SKILL.md").is_ok_and(|manifest| matches!(folder.metadata(&manifest), Ok(Some(_))));
        let mut fs = OverlayFs::new().mount(Tree::root(), Arc::clone(&folder));
        if is_skill {
            let above = Tree::above_skill();
            let named = name_of(&folder, &top).and_then(|name| above.child(&name).ok());
            fs = fs.mount(named.unwrap_or_else(|| below_top("skills/skill")), folder);
        }
        Tree { fs: CachedFs::new(fs), is_skill, notes, place, links: None }
    }

    /// What the symlink at a path says.
    pub(crate) fn link(&self, path: &FsPath) -> Option<String> {
        let real = self.fs.canonical(&path.parent()?).ok()?.child(path.name()).ok()?;
        let below = Tree::below(&real)?;
        match &self.links {
            Some(links) => links.get(below).cloned(),
            None => {
                let link = std::fs::read_link(&*OsFs::new().display(&self.place.join(below).ok()?)).ok()?;
                Some(link.to_string_lossy().into_owned())
            }
        }
    }

    /// The path below the tree of what is seen in it.
    pub(crate) fn below(path: &FsPath) -> Option<&str> {
        let in_skill = || Some(path.relative_to(&Tree::above_skill())?.split_once('/').map_or("", |(_, at)| at));
        path.relative_to(&Tree::root()).or_else(in_skill)
    }

    /// A finding about what is seen in the tree, with the path where that is.
    pub(crate) fn at_its_place(&self, mut finding: Diagnostic) -> Diagnostic {
        if let Some(path) = Tree::below(&finding.path).and_then(|below| self.place.join(below).ok()) {
            finding.path = path;
        }
        finding
    }

    /// The path at which the tree is seen.
    pub(crate) fn root() -> FsPath {
        below_top("tree")
    }

    /// The path of the folder in which a tree is seen that is the folder of a skill: there it has the name of the skill.
    pub(crate) fn above_skill() -> FsPath {
        below_top("skills")
    }
}

fn below_top(path: &str) -> FsPath {
    FsPath::root().join(path).unwrap_or_else(|_| FsPath::root())
}

/// A folder of another file system, with its root at `/`. What symlinks lead to outside is not read.
struct FolderFs<F> {
    inner: F,
    root: FsPath,
}

impl<F: Fs> FolderFs<F> {
    /// The path in the other file system.
    fn inner(&self, path: &FsPath) -> Result<FsPath, FsError> {
        match path.relative_to(&FsPath::root()) {
            None | Some("") => Ok(self.root.clone()),
            Some(below) => self.root.join(below).map_err(|_| FsError::NotFound(path.clone())),
        }
    }

    /// The path of a file or folder there, with all symlinks resolved; an error if that lies outside.
    fn real(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real = self.inner.canonical(&self.inner(path)?)?;
        if real.starts_with(&self.root) { Ok(real) } else { Err(FsError::Escapes(path.clone())) }
    }
}

impl<F: Fs> Fs for FolderFs<F> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.inner.list(&self.real(dir)?)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.inner.read(&self.real(file)?, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.inner.metadata(&self.inner(path)?)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        match self.real(path)?.relative_to(&self.root) {
            None | Some("") => Ok(FsPath::root()),
            Some(below) => FsPath::root().join(below).map_err(|_| FsError::NotFound(path.clone())),
        }
    }
}
