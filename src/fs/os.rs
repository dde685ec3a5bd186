//! [`OsFs`], the real disk as an [`Fs`]. Only this file and those in `os/` touch the disk. It maps an [`FsPath`] to a
//! path of the host, and decides which stamps can be trusted. `os/unix` opens files relative to directories through
//! rustix; `os/portable` uses std alone; `os/drive` converts the paths of Windows as text.

#[cfg(unix)]
mod confined;
#[cfg(any(windows, test))]
mod drive;
#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use portable as host;
#[cfg(unix)]
use unix as host;

use super::{Entry, FilePrefix, Fs, FsError, Metadata, Stamp, walk};
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
#[derive(Clone, Debug)]
pub struct OsFs {
    base: Option<PathBuf>,
    /// None for as many as are usual, which is asked of the machine when a tree is large.
    threads: Option<usize>,
}

impl Default for OsFs {
    fn default() -> OsFs {
        OsFs::new()
    }
}

impl OsFs {
    /// The whole machine.
    pub fn new() -> OsFs {
        OsFs { base: None, threads: None }
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

    /// The host's path.
    pub(crate) fn host<'p>(&self, path: &'p FsPath) -> Result<Cow<'p, Path>, FsError> {
        match &self.base {
            None => whole(path).ok_or_else(|| FsError::NotFound(path.clone())),
            Some(base) => {
                let rest = path.as_str().trim_start_matches('/');
                if cfg!(windows) && rest.contains(['\\', ':']) {
                    return Err(FsError::NotFound(path.clone()));
                }
                Ok(Cow::Owned(if rest.is_empty() { base.clone() } else { base.join(rest) }))
            }
        }
    }

    /// The host's path for other programs. On Windows few of them take a verbatim path, and the command interpreter takes
    /// none for its working directory, so it is the plain spelling wherever that names the same file.
    #[cfg(feature = "processes")]
    pub(crate) fn for_programs<'p>(&self, path: &'p FsPath) -> Result<Cow<'p, Path>, FsError> {
        #[cfg(windows)]
        if let Some(plain) = drive::to_program(path).filter(|_| self.base.is_none()) {
            return Ok(Cow::Owned(PathBuf::from(plain)));
        }
        self.host(path)
    }

    /// What the host's real path `real` is called here; `asked` is for errors.
    pub(crate) fn named(&self, real: &Path, asked: &FsPath) -> Result<FsPath, FsError> {
        let Some(base) = &self.base else {
            return real.to_str().and_then(unwhole).ok_or_else(|| not_utf8(asked));
        };
        let base = host::canonical(base, asked)?;
        let rest = real.strip_prefix(&base).map_err(|_| FsError::Escapes(asked.clone()))?;
        let mut path = FsPath::root();
        for name in rest {
            path = name.to_str().and_then(|name| path.child(name).ok()).ok_or_else(|| not_utf8(asked))?;
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
        match self.host(path).and_then(|host| host::metadata(&host, path)) {
            Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => Ok(None),
            metadata => metadata.map(Some),
        }
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
        let dir = unix::Dir::open(&self.host(root)?, &file)?;
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
        Ok(Box::new(confined::Confined::open(self, root)?))
    }

    #[cfg(unix)]
    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        match self.host(ask.root).and_then(|host| unix::Dir::open_to_list(&host, ask.root)) {
            Ok(root) => root.walk(ask, &|| self.threads(), out),
            Err(error) => walk::visits(ask, out, |_, _, _| VisitOutcome::Failed(error.clone())),
        }
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        match self.base {
            None => spell_whole(path),
            Some(_) => Cow::Borrowed(path.as_str()),
        }
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        match self.base {
            None => parse_whole(text, base),
            Some(_) => walk::parse_slashes(text, base),
        }
    }
}

#[cfg(windows)]
fn whole(path: &FsPath) -> Option<Cow<'_, Path>> {
    drive::to_host(path, drive::Prefix::Verbatim).map(|text| Cow::Owned(PathBuf::from(text)))
}

#[cfg(not(windows))]
fn whole(path: &FsPath) -> Option<Cow<'_, Path>> {
    Some(Cow::Borrowed(Path::new(path.as_str())))
}

#[cfg(windows)]
fn unwhole(real: &str) -> Option<FsPath> {
    drive::from_host(real, &FsPath::root())
}

#[cfg(not(windows))]
fn unwhole(real: &str) -> Option<FsPath> {
    FsPath::new(real).ok()
}

#[cfg(windows)]
fn spell_whole(path: &FsPath) -> Cow<'_, str> {
    drive::to_host(path, drive::Prefix::Plain).map_or(Cow::Borrowed(path.as_str()), Cow::Owned)
}

#[cfg(not(windows))]
fn spell_whole(path: &FsPath) -> Cow<'_, str> {
    Cow::Borrowed(path.as_str())
}

#[cfg(windows)]
fn parse_whole(text: &str, base: &FsPath) -> Option<FsPath> {
    drive::from_host(text, base)
}

#[cfg(not(windows))]
fn parse_whole(text: &str, base: &FsPath) -> Option<FsPath> {
    walk::parse_slashes(text, base)
}

/// How many paths are looked at without another thread, which costs more than fewer of them give.
const ALONE_LOOKS: usize = 500;

/// More than these wait for one another, and for the disk.
const MAX_USUAL_THREADS: usize = 4;

fn not_utf8(asked: &FsPath) -> FsError {
    FsError::Other { path: asked.clone(), message: "the real path is not UTF-8".to_owned() }
}

/// The time now, in nanoseconds since 1970; `None` before then.
fn now_nanos() -> Option<i128> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().and_then(|age| i128::try_from(age.as_nanos()).ok())
}

/// A stamp, unless one of the times of change (nanoseconds since 1970) is too close to now, or ahead of it.
fn stamp(modified: i128, changed: i128, len: u64, [id, device]: [i128; 2]) -> Option<Stamp> {
    let newest = modified.max(changed);
    if now_nanos()? - newest < SETTLED_AFTER_NANOS {
        return None;
    }
    // The low half of each number: 584 years of nanoseconds, and every identifier there is.
    Some(Stamp([modified as u64, changed as u64, len, id as u64, device as u64]))
}
