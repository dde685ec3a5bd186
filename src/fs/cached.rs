//! [`CachedFs`], which asks another file system for each folder and each file once and remembers the answers.

use super::{Entry, FilePrefix, Fs, FsError, Metadata, Step, Visit, VisitOutcome, Walk, locked, spelled_by, walk};
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A file system that asks another one for each folder and each file once, for work that reads the same tree several
/// times. It never forgets an answer, so it shows the tree as it was when it was first asked. [`FsError::Pending`] is
/// not remembered.
///
/// Folders and files are remembered by their real paths, so that one which symlinks lead to is listed and read once,
/// too. The first walk of a tree is a walk of the other file system. Each view that [`Fs::confined`] returns remembers
/// its answers separately from those of the whole.
///
/// ```
/// use skilltree::fs::{CachedFs, FsCall};
/// use skilltree::{Fs, FsPath, MemFs};
/// let mut fs = MemFs::new();
/// fs.file("/tea/SKILL.md", "Boil water.");
/// let cached = CachedFs::new(&fs);
/// for _ in 0..2 {
///     assert_eq!(cached.list(&FsPath::new("/tea")?)?.len(), 1);
/// }
/// assert_eq!(fs.calls(FsCall::List), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CachedFs<F> {
    fs: F,
    known: Arc<Mutex<Known>>,
    /// What each confined view remembers, by its root.
    views: Arc<Mutex<HashMap<FsPath, Arc<Mutex<Known>>>>>,
}

#[derive(Default)]
struct Known {
    answers: HashMap<FsPath, Answers>,
    /// The folders that were listed by themselves or as the root of a walk. All other listed folders lie below these.
    starts: Vec<FsPath>,
}

/// The answers about one path. Errors may have another path to the same file.
#[derive(Clone, Default)]
struct Answers {
    canonical: Option<Answer<FsPath>>,
    metadata: Option<Answer<Option<Metadata>>>,
    entries: Option<Answer<Arc<[Entry]>>>,
    /// The prefix of the file, after the number of bytes that were requested.
    prefix: Option<(u64, Answer<FilePrefix>)>,
}

/// Of most paths one thing is known, and an answer is large.
type Answer<T> = Box<Result<T, FsError>>;

impl<F: Fs> CachedFs<F> {
    /// A cache over `fs` that knows nothing yet.
    pub fn new(fs: F) -> CachedFs<F> {
        CachedFs { fs, known: Arc::default(), views: Arc::default() }
    }

    /// The answer about a path that is remembered in this place, or else that which `ask` returns.
    fn answer<T: Clone>(
        &self,
        path: &FsPath,
        place: fn(&mut Answers) -> &mut Option<Answer<T>>,
        ask: impl FnOnce() -> Result<T, FsError>,
    ) -> Result<T, FsError> {
        let known = locked(&self.known).answers.get_mut(path).and_then(|known| place(known).as_deref().cloned());
        if let Some(known) = known {
            return known;
        }
        let answer = ask();
        if is_final(&answer) {
            remember(&self.known, path, |known| *place(known) = Some(Box::new(answer.clone())));
        }
        answer
    }

    /// The path by which a file or folder is remembered: its real path, or the path itself if that cannot be found out.
    fn identity(&self, path: &FsPath) -> FsPath {
        self.canonical(path).unwrap_or_else(|_| path.clone())
    }

    /// The entries of the folder `dir`, which is remembered as `identity`.
    fn entries(&self, identity: &FsPath, dir: &FsPath) -> Result<Arc<[Entry]>, FsError> {
        let list = || {
            let entries = self.fs.list(dir).map(Arc::from);
            if is_final(&entries) {
                locked(&self.known).starts.push(identity.clone());
            }
            entries
        };
        self.answer(identity, |known| &mut known.entries, list).map_err(|error| error.at(dir.clone()))
    }

    /// The prefix of a file, which is remembered as `identity`; if it is not known yet, that which `read` returns. Uses
    /// the memory of `buffer`.
    fn prefix(
        &self,
        identity: &FsPath,
        file: &FsPath,
        at_most: u64,
        buffer: &mut Vec<u8>,
        read: &dyn Fn() -> Result<FilePrefix, FsError>,
    ) -> Result<FilePrefix, FsError> {
        let prefix = locked(&self.known).answers.get(identity).and_then(|known| {
            let (requested, prefix) = known.prefix.as_ref()?;
            let prefix = (**prefix).as_ref();
            let is_enough = at_most <= *requested
                || prefix.is_ok_and(|prefix| usize::try_from(prefix.len) == Ok(prefix.bytes.len()));
            is_enough.then(|| match prefix {
                Ok(prefix) => Ok(first_bytes(prefix, at_most, std::mem::take(buffer))),
                Err(error) => Err(error.clone()),
            })
        });
        let prefix = prefix.unwrap_or_else(|| {
            let prefix = read();
            self.remember_prefix(identity, at_most, &prefix);
            prefix
        });
        prefix.map_err(|error| error.at(file.clone()))
    }

    fn remember_prefix(&self, identity: &FsPath, at_most: u64, prefix: &Result<FilePrefix, FsError>) {
        if is_final(prefix) {
            let prefix = prefix.as_ref().map(|prefix| first_bytes(prefix, at_most, Vec::new())).map_err(FsError::clone);
            remember(&self.known, identity, |known| known.prefix = Some((at_most, Box::new(prefix))));
        }
    }

    /// Walks a tree of which nothing is known yet, as the other file system does, and remembers it. `real` is the real
    /// path of the root.
    fn first_walk(&self, ask: &Walk<'_>, real: &FsPath, out: &mut dyn FnMut(&mut Visit)) {
        let known = &self.known;
        let identity = |dir: &FsPath| dir.rebased(ask.root, real).unwrap_or_else(|| dir.clone());
        let step = |dir: &FsPath, depth: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            remember(known, &identity(dir), |known| known.entries = Some(Box::new(Ok(Arc::from(entries)))));
            (ask.step)(dir, depth, entries, steps);
        };
        locked(known).starts.push(real.clone());
        self.fs.walk(&Walk { step: &step, ..*ask }, &mut |visit| {
            match &visit.outcome {
                VisitOutcome::Listed(noted) => {
                    let dir = identity(&visit.dir);
                    for noted in noted {
                        let Some(prefix) = &noted.prefix else { continue };
                        let file = self.identity_of_entry(&dir, &visit.dir, &noted.entry);
                        file.iter().for_each(|file| self.remember_prefix(file, ask.prefix_len, prefix));
                    }
                }
                VisitOutcome::Failed(FsError::Pending(_)) | VisitOutcome::Cut | VisitOutcome::Restarted => {}
                VisitOutcome::Failed(error) => {
                    remember(&self.known, &identity(&visit.dir), |known| {
                        known.entries = Some(Box::new(Err(error.clone())))
                    });
                }
            }
            out(visit);
        });
    }

    /// Walks a tree of which most is known, depth first. Which directories are cut is defined by levels, so a walk that
    /// passes its bound begins again by levels.
    fn walk_again(&self, ask: &Walk<'_>, real: &FsPath, out: &mut dyn FnMut(&mut Visit)) {
        let (mut steps, mut enter, mut left) = (Vec::new(), Vec::new(), ask.max_dirs);
        // The memory of a prefix that the caller has left in its visit.
        let mut buffer = Vec::new();
        let mut open = vec![(ask.root.clone(), 0)];
        while let Some((dir, depth)) = open.pop() {
            let Some(rest) = left.checked_sub(1) else {
                out(&mut Visit { dir: ask.root.clone(), depth: 0, outcome: VisitOutcome::Restarted });
                return walk::walk(self, ask, out);
            };
            left = rest;
            let moved = if real == ask.root { None } else { dir.rebased(ask.root, real) };
            let identity = moved.as_ref().unwrap_or(&dir);
            let outcome = match self.entries(identity, &dir) {
                Err(error) => VisitOutcome::Failed(error),
                Ok(entries) => {
                    let read = |entry: &Entry| {
                        let file = dir.child(&entry.name).ok()?;
                        let is_same = *identity == dir && !entry.is_symlink;
                        let moved = if is_same { None } else { self.identity_of_entry(identity, &dir, entry) };
                        let read = || self.fs.read(&file, ask.prefix_len);
                        let identity = moved.as_ref().unwrap_or(&file);
                        Some(self.prefix(identity, &file, ask.prefix_len, &mut buffer, &read))
                    };
                    walk::listed(walk::judge(ask.step, (&dir, depth, &entries), &mut steps, &mut enter, read))
                }
            };
            sort_by(&mut enter, Ord::cmp);
            enter.dedup();
            open.extend(enter.drain(..).map(|dir| (dir, depth + 1)));
            let mut visit = Visit { dir, depth, outcome };
            out(&mut visit);
            if let VisitOutcome::Listed(noted) = visit.outcome {
                let prefixes = noted.into_iter().filter_map(|noted| noted.prefix?.ok());
                buffer = prefixes.map(|prefix| prefix.bytes).next().unwrap_or(buffer);
            }
        }
    }

    /// The path by which the file of an entry is remembered; `None` if it can have no path. `identity` is that of `dir`.
    fn identity_of_entry(&self, identity: &FsPath, dir: &FsPath, entry: &Entry) -> Option<FsPath> {
        match entry.is_symlink {
            true => dir.child(&entry.name).ok().map(|path| self.identity(&path)),
            false => identity.child(&entry.name).ok(),
        }
    }
}

fn remember<T>(known: &Mutex<Known>, path: &FsPath, with: impl FnOnce(&mut Answers) -> T) -> T {
    let mut known = locked(known);
    match known.answers.get_mut(path) {
        Some(answers) => with(answers),
        None => with(known.answers.entry(path.clone()).or_default()),
    }
}

fn is_final<T>(answer: &Result<T, FsError>) -> bool {
    !matches!(answer, Err(FsError::Pending(_)))
}

/// A copy of a prefix, or of its beginning, in the memory of `bytes`.
fn first_bytes(prefix: &FilePrefix, at_most: u64, mut bytes: Vec<u8>) -> FilePrefix {
    let end = usize::try_from(at_most).unwrap_or(usize::MAX).min(prefix.bytes.len());
    bytes.clear();
    bytes.extend_from_slice(prefix.bytes.get(..end).unwrap_or_default());
    FilePrefix { bytes, ..*prefix }
}

impl<F: Fs> Fs for CachedFs<F> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.entries(&self.identity(dir), dir).map(|entries| entries.to_vec())
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.prefix(&self.identity(file), file, at_most, &mut Vec::new(), &|| self.fs.read(file, at_most))
    }

    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.prefix(&self.identity(file), file, at_most, &mut Vec::new(), &|| self.fs.read_listed(file, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.answer(path, |known| &mut known.metadata, || self.fs.metadata(path))
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.answer(path, |known| &mut known.canonical, || self.fs.canonical(path))
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        self.fs.read_within(root, rel, at_most)
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        let fs = self.fs.confined(root)?;
        let known = Arc::clone(locked(&self.views).entry(root.clone()).or_default());
        Ok(Box::new(CachedFs { fs, known, views: Arc::clone(&self.views) }))
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        let Ok(real) = self.canonical(ask.root) else { return self.fs.walk(ask, out) };
        // Whether the folder, or one below it, was listed.
        let known = locked(&self.known);
        let is_listed = known.answers.get(&real).is_some_and(|known| known.entries.is_some())
            || known.starts.iter().any(|start| start.starts_with(&real));
        drop(known);
        if is_listed { self.walk_again(ask, &real, out) } else { self.first_walk(ask, &real, out) }
    }

    spelled_by!(fs);
}
