//! A tree that a command compares with another: a folder, an archive, or a folder of a revision in git. It is seen at one path,
//! whatever it is called where it lies, so that paths in two trees are equal where the files have the same place.

use crate::git;
use crate::reply::Failure;
use crate::setup::{self, absolute_path, existing_folder, is_archive, working_directory};
use skilltree::fs::{CachedFs, Entry, FileKind, FilePrefix, Metadata};
use skilltree::{Diagnostic, Fs, FsError, FsPath, OsFs};

/// The name of the folder at which a tree is seen.
const NAME: &str = "tree";

/// A tree as its caller has named it.
pub(crate) struct Tree {
    pub(crate) fs: CachedFs<TreeFs>,
    /// Entries of an archive that are ignored.
    pub(crate) notes: Vec<Diagnostic>,
}

impl Tree {
    /// Opens a folder, an archive, or `git:REVISION:PATH`.
    pub(crate) fn open(text: &str) -> Result<Tree, Failure> {
        let disk = OsFs::new();
        let base = working_directory(&disk);
        let of =
            |inner: Box<dyn Fs + Send + Sync>, root, notes| Tree { fs: CachedFs::new(TreeFs { inner, root }), notes };
        if let Some(named) = text.strip_prefix(git::PREFIX) {
            return Ok(of(Box::new(git::read_tree(named)?), FsPath::root(), Vec::new()));
        }
        let path = absolute_path(&disk, base.as_ref(), text)?;
        if is_archive(&disk, &path) {
            let (archive, notes) = setup::archive(&disk, &path)?;
            return Ok(of(archive, FsPath::root(), notes));
        }
        let folder = existing_folder(&disk, &disk, base.as_ref(), text, "tree")?;
        let root = disk.canonical(&folder).map_err(skilltree::Error::Fs)?;
        Ok(of(Box::new(disk), root, Vec::new()))
    }

    /// The path at which the tree is seen.
    pub(crate) fn root() -> FsPath {
        FsPath::root().join(NAME).unwrap_or_else(|_| FsPath::root())
    }
}

/// A folder of another file system as the one folder below the root. What symlinks lead to outside is not read.
pub(crate) struct TreeFs {
    inner: Box<dyn Fs + Send + Sync>,
    root: FsPath,
}

impl TreeFs {
    /// The path in the other file system; `None` for the root.
    fn inner(&self, path: &FsPath) -> Result<Option<FsPath>, FsError> {
        if *path == FsPath::root() {
            return Ok(None);
        }
        let not_found = || FsError::NotFound(path.clone());
        let below = path.relative_to(&Tree::root()).ok_or_else(not_found)?;
        if below.is_empty() {
            Ok(Some(self.root.clone()))
        } else {
            self.root.join(below).map(Some).map_err(|_| not_found())
        }
    }

    /// The path of a file or folder, with all symlinks resolved; an error if that lies outside.
    fn real(&self, path: &FsPath) -> Result<Option<FsPath>, FsError> {
        let Some(inner) = self.inner(path)? else { return Ok(None) };
        let real = self.inner.canonical(&inner)?;
        if real.starts_with(&self.root) { Ok(Some(real)) } else { Err(FsError::Escapes(path.clone())) }
    }
}

impl Fs for TreeFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        match self.real(dir)? {
            Some(real) => self.inner.list(&real),
            None => Ok(vec![Entry { name: NAME.to_owned(), kind: FileKind::Dir, is_symlink: false, is_lossy: false }]),
        }
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        match self.real(file)? {
            Some(real) => self.inner.read(&real, at_most),
            None => Err(FsError::NotAFile(file.clone())),
        }
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let root = Metadata { kind: FileKind::Dir, is_symlink: false, len: 0, stamp: None };
        match self.inner(path) {
            Ok(Some(inner)) => self.inner.metadata(&inner),
            Ok(None) => Ok(Some(root)),
            Err(FsError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let Some(real) = self.real(path)? else { return Ok(FsPath::root()) };
        match real.relative_to(&self.root) {
            None | Some("") => Ok(Tree::root()),
            Some(below) => Tree::root().join(below).map_err(|_| FsError::NotFound(path.clone())),
        }
    }
}
