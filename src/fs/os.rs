//! [`OsFs`], the real disk as an [`Fs`]. Of the file systems, only this file and those in `os/` touch the disk. It maps an [`FsPath`] to a
//! path of the host, and decides which stamps can be trusted. `os/unix` opens files relative to directories through
//! rustix; `os/portable` uses std alone; `os/drive` converts the paths of Windows as text.

mod drive;
#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use portable as host;
#[cfg(unix)]
use unix as host;

use super::{Entry, FilePrefix, Fs, FsError, Metadata, Stamp, found, walk};
#[cfg(unix)]
use super::{Visit, VisitOutcome, Walk};
use crate::path::FsPath;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

/// How old a change must be before a stamp promises anything. Two seconds is the coarsest clock in use (FAT): a
/// second change within one tick of the clock would leave the same stamp.
const SETTLED_AFTER_NANOS: i128 = 2_000_000_000;

/// The real disk.
///
/// Knows neither the environment nor the working directory. A stamp is given only for what has not changed for
/// two seconds. On Windows `C:\x` is the path `/C:/x`, and `\\server\share\x` is `/UNC/server/share/x`.
///
/// ```
/// use skilltree::{Fs, FsPath, OsFs};
/// let nowhere = FsPath::new("/no such folder").unwrap();
/// assert_eq!(OsFs::new().metadata(&nowhere), Ok(None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct OsFs {
    base: Option<PathBuf>,
    /// None for as many as are usual, which is asked of the machine when a tree is large.
    threads: Option<usize>,
}

impl OsFs {
    /// The whole machine.
    pub fn new() -> OsFs {
        OsFs::default()
    }

    /// The disk with `dir`, an absolute path, as its root. Paths are spelled without it.
    ///
    /// It maps names and is no jail: a link that leads out of `dir` is followed by [`Fs::list`] and [`Fs::read`].
    /// [`Fs::canonical`] and [`Fs::read_within`] answer [`FsError::Escapes`].
    pub fn rooted(dir: impl Into<PathBuf>) -> OsFs {
        OsFs { base: Some(dir.into()), threads: None }
    }

    /// Uses at most this many threads for one walk, including the caller's: 1 starts none. By default
    /// there are as many as the machine runs at once, at most 4, and they are begun for large trees alone. Answers do not
    /// depend on it.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> OsFs {
        OsFs { threads: Some(threads), ..self }
    }

    /// How many threads a large tree is shared among.
    fn threads(&self) -> usize {
        let usual = || thread::available_parallelism().map_or(1, |threads| threads.get().min(MAX_USUAL_THREADS));
        self.threads.unwrap_or_else(usual)
    }

    pub(crate) fn host<'p>(&self, path: &'p FsPath) -> Result<Cow<'p, Path>, FsError> {
        let not_found = || FsError::NotFound(path.clone());
        match &self.base {
            None if cfg!(windows) => {
                let verbatim = drive::to_host(path, drive::Prefix::Verbatim).ok_or_else(not_found)?;
                Ok(Cow::Owned(PathBuf::from(verbatim)))
            }
            None => Ok(Cow::Borrowed(Path::new(path.as_str()))),
            Some(base) => {
                let rest = path.as_str().trim_start_matches('/');
                if cfg!(windows) && rest.contains(['\\', ':']) {
                    return Err(not_found());
                }
                Ok(Cow::Owned(if rest.is_empty() { base.clone() } else { base.join(rest) }))
            }
        }
    }

    /// The host's path for other programs. On Windows few of them take a verbatim path, and the command interpreter takes
    /// none for its working directory, so it is the plain spelling wherever that names the same file.
    #[cfg(feature = "processes")]
    pub(crate) fn for_programs<'p>(&self, path: &'p FsPath) -> Result<Cow<'p, Path>, FsError> {
        let plain = if cfg!(windows) && self.base.is_none() { drive::to_program(path) } else { None };
        plain.map_or_else(|| self.host(path), |plain| Ok(Cow::Owned(PathBuf::from(plain))))
    }

    /// What the host's real path `real` is called here; `asked` is for errors.
    pub(crate) fn named(&self, real: &Path, asked: &FsPath) -> Result<FsPath, FsError> {
        let not_utf8 = || FsError::Other { path: asked.clone(), message: "the real path is not UTF-8".to_owned() };
        let Some(base) = &self.base else {
            return real.to_str().and_then(|real| self.parse(real, &FsPath::root())).ok_or_else(not_utf8);
        };
        let base = host::canonical(base, asked)?;
        let rest = real.strip_prefix(&base).map_err(|_| FsError::Escapes(asked.clone()))?;
        let mut path = FsPath::root();
        for name in rest {
            path = name.to_str().and_then(|name| path.child(name).ok()).ok_or_else(not_utf8)?;
        }
        Ok(path)
    }
}

impl Fs for OsFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        host::list(&self.host(dir)?, dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        host::read(&self.host(file)?, file, at_most)
    }

    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        host::read_listed(&self.host(file)?, file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        found(self.host(path).and_then(|host| host::metadata(&host, path)))
    }

    fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
        let metadata = |paths: &[&FsPath]| paths.iter().map(|path| self.metadata(path)).collect::<Vec<_>>();
        let threads = if paths.len() < ALONE_LOOKS { 1 } else { self.threads().max(1) };
        let mut shares = paths.chunks(paths.len().div_ceil(threads).max(1));
        let Some(own) = shares.next() else { return Vec::new() };
        thread::scope(|scope| {
            let begin = |share| (share, thread::Builder::new().spawn_scoped(scope, move || metadata(share)));
            let others: Vec<_> = shares.map(begin).collect();
            let mut all_metadata = metadata(own);
            for (share, other) in others {
                // Where no thread can be had, and where one has failed, it is done here.
                all_metadata.extend(other.ok().and_then(|other| other.join().ok()).unwrap_or_else(|| metadata(share)));
            }
            all_metadata
        })
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real = host::canonical(&self.host(path)?, path)?;
        self.named(&real, path)
    }

    #[cfg(unix)]
    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        let file = walk::confine(root, rel)?;
        let dir = unix::Dir::open(&self.host(root)?, &file, unix::PASS)?;
        let rest = file.relative_to(root).ok_or_else(|| FsError::Escapes(file.clone()))?;
        if let Some(head) = dir.read_unlinked(rest, &file, at_most)? {
            return Ok(head);
        }
        // A link stands in the way: go again by the real names, from the directory opened before, so that what is
        // swapped meanwhile is refused and not followed.
        let real = self.canonical(&file)?;
        let escapes = || FsError::Escapes(file.clone());
        let real_root = self.canonical(root)?;
        let rest = real.relative_to(&real_root).ok_or_else(escapes)?;
        dir.read_unlinked(rest, &file, at_most)?.ok_or_else(escapes)
    }

    #[cfg(unix)]
    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        Ok(Box::new(unix::Confined::open(self, root)?))
    }

    #[cfg(unix)]
    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        match self.host(ask.root).and_then(|host| unix::Dir::open(&host, ask.root, unix::LIST)) {
            Ok(root) => root.walk(ask, &|| self.threads(), out),
            Err(error) => walk::visits(ask, out, |_, _, _| VisitOutcome::Failed(error.clone())),
        }
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        let plain =
            if cfg!(windows) && self.base.is_none() { drive::to_host(path, drive::Prefix::Plain) } else { None };
        plain.map_or(Cow::Borrowed(path.as_str()), Cow::Owned)
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        match self.base {
            None if cfg!(windows) => drive::from_host(text, base),
            _ => walk::parse_slashes(text, base),
        }
    }
}

/// How many paths are looked at without another thread, which costs more than fewer of them give.
const ALONE_LOOKS: usize = 500;

/// More than these wait for one another, and for the disk.
const MAX_USUAL_THREADS: usize = 4;

/// A stamp, unless one of the times of change (nanoseconds since 1970) is too close to now, or ahead of it.
fn stamp(modified: i128, changed: i128, len: u64, [id, device]: [i128; 2]) -> Option<Stamp> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_nanos();
    if i128::try_from(now).ok()? - modified.max(changed) < SETTLED_AFTER_NANOS {
        return None;
    }
    // The low half of each number: 584 years of nanoseconds, and every identifier there is.
    Some(Stamp([modified as u64, changed as u64, len, id as u64, device as u64]))
}
