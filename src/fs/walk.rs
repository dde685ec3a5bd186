//! The longer defaults of [`Fs`]: the walk by levels, the confined view, and the parsing of paths. Every implementation cuts a
//! tree where this walk does, and may visit in another order. A walk follows no symlinks; its caller does.

use super::{
    Action, Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Step, Visit, VisitOutcome, Walk, WalkEntry, WalkRule,
    found, spelled_by,
};
use crate::path::FsPath;
use crate::text::order::sort_by;

/// Whether a symlink in the last component of a path is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinalSymlink {
    Follow,
    Keep,
}

/// How many symlinks one path may contain: the number after which Linux reports ELOOP.
const MAX_LINKS: usize = 40;

pub(crate) fn count_symlink(links: &mut usize, target: &str, path: &FsPath) -> Result<(), FsError> {
    *links += 1;
    match *links > MAX_LINKS {
        true => Err(FsError::SymlinkLoop(path.clone())),
        false if target.is_empty() => Err(FsError::NotFound(path.clone())),
        false => Ok(()),
    }
}

/// The path that `rel` names below `root`; refuses an absolute text, and one that climbs.
pub(super) fn confine(root: &FsPath, rel: &str) -> Result<FsPath, FsError> {
    if !rel.starts_with('/') {
        if let Ok(path) = root.join(rel) {
            return Ok(path);
        }
    }
    Err(FsError::Escapes(parse_slashes(rel, root).unwrap_or_else(|| root.clone())))
}

/// Reads a path with `/` between names, from the root or from `base`; `..` is resolved by text alone.
pub(super) fn parse_slashes(text: &str, base: &FsPath) -> Option<FsPath> {
    match text {
        "" => None,
        _ if text.starts_with('/') => FsPath::new(text).ok(),
        _ => FsPath::new(&format!("{}/{text}", base.as_str())).ok(),
    }
}

pub(super) fn walk(fs: &(impl Fs + ?Sized), ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
    by_calls(ask, out, &|dir| fs.list(dir), &|file| fs.read(file, ask.prefix_len));
}

/// The part of [`walk`] that does not depend on the type of the file system, so that it is compiled once.
fn by_calls(
    ask: &Walk<'_>,
    out: &mut dyn FnMut(&mut Visit),
    list: &dyn Fn(&FsPath) -> Result<Vec<Entry>, FsError>,
    read: &dyn Fn(&FsPath) -> Result<FilePrefix, FsError>,
) {
    let mut steps = Vec::new();
    visits(ask, out, |dir, depth, enter| match list(dir) {
        Ok(entries) => {
            let read = |entry: &Entry| Some(read(&dir.child(&entry.name).ok()?));
            listed(judge(ask.step, (dir, depth, &entries), &mut steps, enter, read))
        }
        Err(error) => VisitOutcome::Failed(error),
    });
}

pub(super) fn visits(
    ask: &Walk<'_>,
    out: &mut dyn FnMut(&mut Visit),
    visit: impl FnMut(&FsPath, usize, &mut Vec<FsPath>) -> VisitOutcome,
) {
    by_level(ask.root, ask.max_dirs, visit, |dir, depth, outcome| {
        out(&mut Visit { dir, depth, outcome: outcome.unwrap_or(VisitOutcome::Cut) });
    });
}

pub(super) fn listed(entries: Vec<(Entry, Option<Result<FilePrefix, FsError>>)>) -> VisitOutcome {
    VisitOutcome::Listed(entries.into_iter().map(|(entry, head)| WalkEntry { entry, prefix: head }).collect())
}

/// Runs through the levels in byte order of paths. `visit` lists one directory and adds those to enter; what it
/// answers is handed out, and nothing for a directory that is cut.
///
/// Holds the bound of [`Walk::max_dirs`]: a directory counts when its listing is tried.
pub(crate) fn by_level<T>(
    root: &FsPath,
    max_dirs: usize,
    mut visit: impl FnMut(&FsPath, usize, &mut Vec<FsPath>) -> T,
    mut out: impl FnMut(FsPath, usize, Option<T>),
) {
    let mut left = max_dirs;
    let mut level = vec![root.clone()];
    let mut depth = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        let is_cut = left < level.len();
        for dir in level {
            let outcome = if 0 < left { Some(visit(&dir, depth, &mut next)) } else { None };
            left = left.saturating_sub(1);
            out(dir, depth, outcome);
        }
        depth += 1;
        sort_by(&mut next, Ord::cmp);
        next.dedup();
        if is_cut {
            // Rule 3.5: nothing below a cut level is entered.
            std::mem::take(&mut next).into_iter().for_each(|dir| out(dir, depth, None));
        }
        level = next;
    }
}

/// Asks the rule about one listing, reads what it wants read, and adds the directories that it enters. Answers with
/// the entries that were reported or read. `steps` is a buffer for the rule's answer.
pub(crate) fn judge<T>(
    step: &WalkRule<'_>,
    (dir, depth, entries): (&FsPath, usize, &[Entry]),
    steps: &mut Vec<Step>,
    enter: &mut Vec<FsPath>,
    mut read: impl FnMut(&Entry) -> Option<T>,
) -> Vec<(Entry, Option<T>)> {
    steps.clear();
    step(dir, depth, entries, steps);
    let mut noted = Vec::with_capacity(steps.iter().filter(|step| step.action != Action::Enter).count());
    for step in steps {
        let Some(entry) = entries.get(step.entry) else { continue };
        let is_entered =
            step.action == Action::Enter && entry.kind == FileKind::Dir && !entry.is_symlink && !entry.is_lossy;
        if let Some(path) = is_entered.then(|| dir.child(&entry.name).ok()).flatten() {
            enter.push(path);
            continue;
        }
        let is_read = step.action == Action::Read && !entry.is_lossy;
        noted.push((entry.clone(), if is_read { read(entry) } else { None }));
    }
    noted
}

/// A view of one folder, over a file system that cannot keep a folder open. It resolves every path before and after it is used,
/// so a folder that is replaced by a link in between is noticed. One that is replaced and put back between the two is not:
/// that takes descriptors.
struct Confined<'f> {
    fs: Box<dyn Fs + 'f>,
    root: FsPath,
}

/// The view of `root`, which must be a real path.
pub(super) fn confined<'f>(fs: Box<dyn Fs + 'f>, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
    let view = Confined { fs, root: root.clone() };
    view.real(root)?;
    Ok(Box::new(view))
}

impl Confined<'_> {
    /// The path with links resolved, which must lie in the folder.
    fn real(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real = if path.starts_with(&self.root) { self.fs.canonical(path)? } else { path.clone() };
        if real.starts_with(&self.root) { Ok(real) } else { Err(FsError::Escapes(path.clone())) }
    }

    /// Asks about the real path, and makes sure that it was one while it was asked about.
    fn ask<T>(&self, path: &FsPath, ask: impl FnOnce(&FsPath) -> Result<T, FsError>) -> Result<T, FsError> {
        let real = self.real(path)?;
        let answer = ask(&real).map_err(|error| error.at(path.clone()))?;
        if self.fs.canonical(&real)? == real { Ok(answer) } else { Err(FsError::Escapes(path.clone())) }
    }
}

impl Fs for Confined<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.ask(dir, |real| self.fs.list(real))
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.ask(file, |real| self.fs.read(real, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let Some(parent) = path.parent().filter(|_| *path != self.root) else {
            return self.ask(path, |real| self.fs.metadata(real));
        };
        let looked = self.ask(&parent, |real| match real.child(path.name()) {
            Ok(real) => self.fs.metadata(&real),
            Err(_) => Ok(None),
        });
        match looked {
            Ok(Some(metadata)) if metadata.is_symlink => match self.real(path) {
                Err(error @ (FsError::Escapes(_) | FsError::Pending(_))) => Err(error),
                Ok(_) | Err(_) => Ok(Some(metadata)),
            },
            looked => found(looked).map(Option::flatten),
        }
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.real(path)
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        if root.starts_with(&self.root) {
            confined(Box::new(&*self.fs), root)
        } else {
            Err(FsError::Escapes(root.clone()))
        }
    }

    /// The walk of the file system itself, each directory of which is looked at again.
    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        let real = match self.real(ask.root) {
            Ok(real) if real == *ask.root => real,
            Ok(_) => return walk(self, ask, out),
            Err(error) => return visits(ask, out, |_, _, _| VisitOutcome::Failed(error.clone())),
        };
        self.fs.walk(&Walk { root: &real, ..*ask }, &mut |visit| {
            if matches!(visit.outcome, VisitOutcome::Listed(_)) {
                match self.fs.canonical(&visit.dir) {
                    Ok(now) if now == visit.dir => {}
                    Ok(_) => visit.outcome = VisitOutcome::Failed(FsError::Escapes(visit.dir.clone())),
                    Err(error) => visit.outcome = VisitOutcome::Failed(error),
                }
            }
            out(visit);
        });
    }

    spelled_by!(fs);
}
