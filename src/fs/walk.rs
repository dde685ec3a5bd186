//! The defaults of [`Fs`] in terms of `list` and `read`: metadata, confined reads, parsing of paths, and the walk by
//! levels, whose order and bound every implementation shares. A walk follows no symlinks; its caller does.

use super::{
    Action, Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Step, Visit, VisitOutcome, Walk, WalkEntry, WalkRule,
};
use crate::path::FsPath;
use crate::text::order::sort_by;

/// The metadata of a path from the listing of its parent; for a file, the length and stamp from an empty read.
pub(super) fn look_by_listing(fs: &(impl Fs + ?Sized), path: &FsPath) -> Result<Option<Metadata>, FsError> {
    let Some(parent) = path.parent() else {
        return fs.list(path).map(|_| Some(Metadata { kind: FileKind::Dir, is_symlink: false, len: 0, stamp: None }));
    };
    let entries = match fs.list(&parent) {
        Ok(entries) => entries,
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(entry) = entries.into_iter().find(|entry| !entry.is_lossy && entry.name == path.name()) else {
        return Ok(None);
    };
    let mut metadata = Metadata { kind: entry.kind, is_symlink: entry.is_symlink, len: 0, stamp: None };
    if entry.kind == FileKind::File {
        let head = fs.read(path, 0)?;
        (metadata.len, metadata.stamp) = (head.len, head.stamp);
    }
    Ok(Some(metadata))
}

/// The path itself, if something is there, for a file system without symlinks.
pub(super) fn canonical_by_listing(fs: &(impl Fs + ?Sized), path: &FsPath) -> Result<FsPath, FsError> {
    match fs.metadata(path)? {
        Some(_) => Ok(path.clone()),
        // The error tells a path below a file from one that does not exist.
        None => fs.list(path).map(|_| path.clone()),
    }
}

/// Whether a symlink in the last component of a path is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinalSymlink {
    Follow,
    Keep,
}

/// How many symlinks one path may contain: the number after which Linux reports ELOOP.
const MAX_LINKS: usize = 40;

/// Counts a symlink in a path, and checks its target.
pub(crate) fn count_symlink(links: &mut usize, target: &str, path: &FsPath) -> Result<(), FsError> {
    *links += 1;
    match *links > MAX_LINKS {
        true => Err(FsError::SymlinkLoop(path.clone())),
        false if target.is_empty() => Err(FsError::NotFound(path.clone())),
        false => Ok(()),
    }
}

/// Resolves both paths, compares them, then reads the resolved one.
pub(super) fn read_within(
    fs: &(impl Fs + ?Sized),
    root: &FsPath,
    rel: &str,
    at_most: u64,
) -> Result<FilePrefix, FsError> {
    let file = confine(root, rel)?;
    let real = fs.canonical(&file)?;
    if !real.starts_with(&fs.canonical(root)?) {
        return Err(FsError::Escapes(file));
    }
    fs.read(&real, at_most)
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
    if text.is_empty() {
        return None;
    }
    if text.starts_with('/') {
        return FsPath::new(text).ok();
    }
    FsPath::new(&format!("{}/{text}", base.as_str())).ok()
}

/// Walks by [`Fs::list`] and [`Fs::read`].
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

/// Hands out the visits of a walk by levels.
pub(super) fn visits(
    ask: &Walk<'_>,
    out: &mut dyn FnMut(&mut Visit),
    visit: impl FnMut(&FsPath, usize, &mut Vec<FsPath>) -> VisitOutcome,
) {
    by_level(ask.root, ask.max_dirs, visit, |dir, depth, outcome| {
        out(&mut Visit { dir, depth, outcome: outcome.unwrap_or(VisitOutcome::Cut) });
    });
}

/// The outcome of a directory whose entries were noted.
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
        let mut cut = false;
        for dir in level {
            let outcome = match left.checked_sub(1) {
                Some(rest) => {
                    left = rest;
                    Some(visit(&dir, depth, &mut next))
                }
                None => {
                    cut = true;
                    None
                }
            };
            out(dir, depth, outcome);
        }
        depth += 1;
        sort_by(&mut next, Ord::cmp);
        next.dedup();
        if cut {
            // Rule 3.5: nothing below a cut level is entered.
            std::mem::take(&mut next).into_iter().for_each(|dir| out(dir, depth, None));
        }
        level = next;
    }
}

/// Asks the rule about one listing, reads what it wants read, and adds the directories that it enters. Answers with
/// the entries that were noted or read. `steps` is a buffer for the rule's answer.
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
