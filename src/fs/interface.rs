//! The trait [`Fs`], what its methods ask and answer, and its errors.

use super::{found, walk};
use crate::path::FsPath;
use std::borrow::Cow;
use std::fmt;

/// A file system to read from.
///
/// The contract, which `contract::Holds::check` tests for any implementation: `list` returns each name once, sorted in byte
/// order; `read` returns at most `at_most` bytes, and the length of the whole file; what is not a regular file after
/// following symlinks is [`FsError::NotAFile`] and is not opened for reading; what is not there is
/// [`FsError::NotFound`], and a path below a file [`FsError::NotADirectory`], while [`Fs::metadata`] answers `None` for
/// both; every error has its path. `list`, `read` and `metadata` follow symlinks.
pub trait Fs {
    /// The entries of a directory, sorted by name (bytes).
    ///
    /// # Errors
    /// [`FsError`] when it cannot be listed.
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError>;

    /// The first `at_most` bytes of a regular file, and the length of the whole.
    ///
    /// # Errors
    /// [`FsError`] when it cannot be read, or is no regular file.
    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError>;

    /// Like [`Fs::read`], for a path that a listing reported as a regular file and not a symlink; implementations may
    /// skip the check.
    ///
    /// # Errors
    /// As [`Fs::read`].
    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.read(file, at_most)
    }

    /// The metadata of a path; `None` if it does not exist. A dangling symlink has the kind [`FileKind::Broken`].
    ///
    /// # Errors
    /// [`FsError`] if the file system cannot find out.
    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let Some(parent) = path.parent() else {
            let root = Metadata { kind: FileKind::Dir, is_symlink: false, len: 0, stamp: None };
            return self.list(path).map(|_| Some(root));
        };
        let Some(entries) = found(self.list(&parent))? else { return Ok(None) };
        let Some(entry) = entries.into_iter().find(|entry| !entry.is_lossy && entry.name == path.name()) else {
            return Ok(None);
        };
        let mut metadata = Metadata { kind: entry.kind, is_symlink: entry.is_symlink, len: 0, stamp: None };
        if entry.kind == FileKind::File {
            let head = self.read(path, 0)?;
            (metadata.len, metadata.stamp) = (head.len, head.stamp);
        }
        Ok(Some(metadata))
    }

    /// The metadata of several paths, in their order. An implementation may use several threads.
    fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
        let mut all_metadata = Vec::new();
        paths.iter().for_each(|path| all_metadata.push(self.metadata(path)));
        all_metadata
    }

    /// The path with all symlinks resolved. The default is for a file system without symlinks: it returns the path itself
    /// if something is there.
    ///
    /// # Errors
    /// [`FsError`] if the path does not exist, or its symlinks form a loop.
    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        match self.metadata(path)? {
            Some(_) => Ok(path.clone()),
            // The error tells a path below a file from one that does not exist.
            None => self.list(path).map(|_| path.clone()),
        }
    }

    /// Reads a file below `root`, and never one outside it: neither `rel` nor a symlink may lead out.
    ///
    /// # Errors
    /// [`FsError::Escapes`] if the file lies outside; otherwise as [`Fs::read`].
    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        let file = walk::confine(root, rel)?;
        let real = self.canonical(&file)?;
        if !real.starts_with(&self.canonical(root)?) {
            return Err(FsError::Escapes(file));
        }
        self.read(&real, at_most)
    }

    /// A view that is restricted to the folder at `root`, with unchanged paths. `root` is a path that [`Fs::canonical`]
    /// returned: if a folder of it has become a symlink since, this call and each later call of the view fail. A path
    /// outside the folder fails with [`FsError::Escapes`], and so does a symlink that leads out of it.
    ///
    /// [`OsFs`](crate::fs::OsFs) on Unix holds the folder open, so nothing outside is read even if a folder is replaced by a symlink
    /// during a call. The default resolves paths before and after each call.
    ///
    /// # Errors
    /// [`FsError::Escapes`] if a symlink in `root` leads elsewhere; otherwise as [`Fs::canonical`].
    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        walk::confined(Box::new(self), root)
    }

    /// Lists a tree level by level, by the caller's rule; see [`Walk`]. Visits may come in any order. The caller may take
    /// the contents of a visit; allocations that it leaves are reused for later visits.
    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        walk::walk(self, ask, out);
    }

    /// A path as the host spells it, for people and models.
    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        Cow::Borrowed(path.as_str())
    }

    /// Parses a path as the host spells it, relative to `base`; `None` if the text is not a path.
    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        walk::parse_slashes(text, base)
    }
}

/// The kind of a file, after following symlinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// Anything else: a FIFO, a device, a socket.
    Other,
    /// A symlink whose target does not exist, or that is part of a loop.
    Broken,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name. If `is_lossy`, the closest text to a name that is not UTF-8, which must not be opened.
    pub name: String,
    /// Its kind, after following symlinks.
    pub kind: FileKind,
    /// Whether it is a symlink.
    pub is_symlink: bool,
    /// Whether the real name is not UTF-8, or contains characters that a path may not have.
    pub is_lossy: bool,
}

/// The answer of [`Fs::metadata`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Its kind, after following symlinks.
    pub kind: FileKind,
    /// Whether the path itself is a symlink.
    pub is_symlink: bool,
    /// Length in bytes; 0 if it is not a file.
    pub len: u64,
    /// Changes when the file changes; `None` if the file system cannot guarantee that.
    pub stamp: Option<Stamp>,
}

/// The beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePrefix {
    /// The bytes, at most as many as were requested.
    pub bytes: Vec<u8>,
    /// Length of the whole file in bytes.
    pub len: u64,
    /// Changes when the file changes; `None` if the file system cannot guarantee that.
    pub stamp: Option<Stamp>,
}

/// An opaque value: two equal stamps of one path promise the same content. It may change although the content has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp(pub [u64; 5]);

/// The parameters of a walk: where it begins, its rule, and its limit.
///
/// The walk lists `root`, asks `step` what to do with each entry, and goes on with the directories that `step`
/// says to enter, level by level. **Symlinks are never entered**, whatever `step` says: they are reported with
/// the visit, and the caller follows them. A level that would pass `max_dirs` is cut: its directories are
/// taken in byte order of their paths while they fit, and nothing below them is entered. Every directory that was
/// to be entered and was not has a visit that says [`VisitOutcome::Cut`]. The root may be a symlink.
pub struct Walk<'a> {
    /// The directory to begin with.
    pub root: &'a FsPath,
    /// What to do with the entries of one directory.
    pub step: &'a WalkRule<'a>,
    /// How many bytes of a file [`Action::Read`] wants.
    pub prefix_len: u64,
    /// How many directories may be listed.
    pub max_dirs: usize,
}

/// The caller's rule: from a directory, its depth below the root of the walk (0) and its entries, what to do with
/// these, added to a list that comes empty. A pure function: it may be called from several threads, and again for a
/// directory that was asked about.
pub(crate) type WalkRule<'a> = dyn Fn(&FsPath, usize, &[Entry], &mut Vec<Step>) + Sync + 'a;

/// One decision of the caller's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The entry, by its place in the listing.
    pub entry: usize,
    /// What to do with it.
    pub action: Action,
}

/// What to do with an entry. Entries without a [`Step`] are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Hand it out with the visit.
    Report,
    /// Go into the directory. What cannot be entered (a link, a file, a lossy name) is handed out instead.
    Enter,
    /// Read the head of the file, and hand it out; a lossy name is handed out without.
    Read,
}

/// What was found at one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The directory.
    pub dir: FsPath,
    /// Its depth below the root of the walk.
    pub depth: usize,
    /// What became of it.
    pub outcome: VisitOutcome,
}

impl Visit {
    /// What became of the directory, out of the visit, which says [`VisitOutcome::Cut`] then.
    pub fn take(&mut self) -> VisitOutcome {
        std::mem::replace(&mut self.outcome, VisitOutcome::Cut)
    }
}

/// What became of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitOutcome {
    /// It was listed; these are its entries that were reported or read.
    Listed(Vec<WalkEntry>),
    /// It was not listed, nor anything below it, as the walk was at its bound.
    Cut,
    /// Nothing became of it yet: the walk begins again, and what it handed out before does not count. A walk that
    /// goes depth first comes to this when it passes its bound, as the cut is defined by levels.
    Restarted,
    /// It could not be listed.
    Failed(FsError),
}

/// An entry that the rule wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkEntry {
    /// The entry.
    pub entry: Entry,
    /// Its head, where it was to be read.
    pub prefix: Option<Result<FilePrefix, FsError>>,
}

/// Why a call of a file system failed. Every variant has the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FsError {
    /// The path does not exist.
    NotFound(FsPath),
    /// The permissions forbid reading it.
    Denied(FsPath),
    /// A regular file was wanted.
    NotAFile(FsPath),
    /// A directory was wanted.
    NotADirectory(FsPath),
    /// The symlinks on the way form a loop.
    SymlinkLoop(FsPath),
    /// It lies outside the folder that it must stay in.
    Escapes(FsPath),
    /// The file system has to ask its own caller first. It never becomes a finding; the call is repeated later.
    Pending(FsPath),
    /// Anything else, in the host's words.
    Other {
        /// The path.
        path: FsPath,
        /// The host's words.
        message: String,
    },
}

impl std::error::Error for FsError {}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if matches!(self, FsError::Other { .. }) { ":" } else { "" };
        write!(f, "`{}`{separator} {}", self.path(), self.predicate())
    }
}

impl FsError {
    /// The path that the error is about.
    pub fn path(&self) -> &FsPath {
        match self {
            FsError::NotFound(path)
            | FsError::Denied(path)
            | FsError::NotAFile(path)
            | FsError::NotADirectory(path)
            | FsError::SymlinkLoop(path)
            | FsError::Escapes(path)
            | FsError::Pending(path)
            | FsError::Other { path, .. } => path,
        }
    }

    /// The message without its path, for a sentence that names the path already: `it does not exist`.
    pub(crate) fn reason(&self) -> String {
        match self {
            FsError::Other { message, .. } => message.clone(),
            _ => format!("it {}", self.predicate()),
        }
    }

    /// What is said of the path; the host's words for [`FsError::Other`].
    fn predicate(&self) -> &str {
        match self {
            FsError::NotFound(_) => "does not exist",
            FsError::Denied(_) => "may not be read (permission denied)",
            FsError::NotAFile(_) => "is not a regular file",
            FsError::NotADirectory(_) => "is not a directory",
            FsError::SymlinkLoop(_) => "is a symlink loop",
            FsError::Escapes(_) => "leads outside its folder",
            FsError::Pending(_) => "is not available yet",
            FsError::Other { message, .. } => message,
        }
    }

    /// The same error about another path, for a file system that asks another one by other paths.
    #[must_use]
    pub fn at(self, path: FsPath) -> FsError {
        match self {
            FsError::NotFound(_) => FsError::NotFound(path),
            FsError::Denied(_) => FsError::Denied(path),
            FsError::NotAFile(_) => FsError::NotAFile(path),
            FsError::NotADirectory(_) => FsError::NotADirectory(path),
            FsError::SymlinkLoop(_) => FsError::SymlinkLoop(path),
            FsError::Escapes(_) => FsError::Escapes(path),
            FsError::Pending(_) => FsError::Pending(path),
            FsError::Other { message, .. } => FsError::Other { path, message },
        }
    }
}
