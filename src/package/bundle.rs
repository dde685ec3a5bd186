//! In: a folder. Out: the files that go along when it is packed or embedded, links to what is inside followed; and,
//! by the feature `archive`, [`pack`]: a skill as a `.skill` file. Bounded; what is left out is told of.
//! Absent: whether the skill is a good one (`check`), and writing it anywhere.

use crate::text::order::sort_by;
#[cfg(feature = "archive")]
mod pack;

#[cfg(feature = "archive")]
pub use pack::{Packed, PackedFile, pack};

use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::fs::{Entry, FileKind, Fs, FsError};
use crate::model::error::Error;
use crate::package::inventory::Purpose;
use crate::path::FsPath;
use crate::text::escape::visible;

/// How many files and folders are gathered, as many as an archive may hold.
const MAX_ENTRIES: usize = 10_000;

/// How many folders deep is looked: no archive may be deeper.
const MAX_DEPTH: usize = 32;

/// What is gathered from a folder.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Names relative to the folder, in byte order, and the real paths of the files.
    pub(crate) files: Vec<(String, FsPath)>,
    /// What is left out, but for folders that are never entered.
    pub(crate) findings: Vec<Diagnostic>,
}

/// The files of a folder and of all folders in it, by a view that is confined to it: `real` is its path there, `root`
/// its path in messages. `.git`, `node_modules` and their like are passed over.
///
/// # Errors
/// [`Error::TooMuch`] over the bounds; [`Error::Fs`] for what cannot be listed.
pub(crate) fn gather(fs: &dyn Fs, real: &FsPath, root: &FsPath) -> Result<Gathered, Error> {
    let too_much = |limit: usize, what| Error::TooMuch { path: root.clone(), limit: limit as u64, what };
    let mut gathered = Gathered::default();
    let mut left = MAX_ENTRIES;
    // Each folder, and the real folders that it lies in, its own last.
    let mut waiting = vec![(root.clone(), vec![real.clone()])];
    while let Some((dir, trail)) = waiting.pop() {
        if MAX_DEPTH < trail.len() {
            return Err(too_much(MAX_DEPTH, "nested folders"));
        }
        for entry in fs.list(trail.last().unwrap_or(real))? {
            if !Purpose::Archive.takes(&entry.name) {
                continue;
            }
            left = left.checked_sub(1).ok_or_else(|| too_much(MAX_ENTRIES, "files and folders"))?;
            let path = dir.child(&entry.name).unwrap_or_else(|_| dir.clone());
            match followed(fs, real, &trail, &entry, &path)? {
                Ok((FileKind::Dir, real)) => waiting.push((path, [trail.as_slice(), &[real]].concat())),
                Ok((_, real)) => {
                    let name = path.below(root).unwrap_or_default().to_owned();
                    gathered.files.push((name, real));
                }
                Err(finding) => gathered.findings.push(finding),
            }
        }
    }
    sort_by(&mut gathered.files, Ord::cmp);
    put_in_order(&mut gathered.findings);
    Ok(gathered)
}

/// What an entry is and its real path, links followed; or why it is left out.
fn followed(
    fs: &dyn Fs,
    root: &FsPath,
    trail: &[FsPath],
    entry: &Entry,
    path: &FsPath,
) -> Result<Result<(FileKind, FsPath), Diagnostic>, Error> {
    let left_out = |severity, code, why: &str| {
        let message = format!("`{}` is left out: {why}", visible(path.name()));
        Ok(Err(Diagnostic::new(severity, code, path.clone(), message)))
    };
    let outside = "the symlink leads out of the folder";
    if entry.lossy {
        return left_out(Severity::Error, Code::PathNotUtf8, "its name is not UTF-8");
    }
    match entry.kind {
        FileKind::Missing => {
            return left_out(
                Severity::Warning,
                Code::LinkDangling,
                "broken symlink: its target does \
             not exist",
            );
        }
        FileKind::Other => return left_out(Severity::Warning, Code::EntryRefused, "it is not a file or folder"),
        FileKind::File | FileKind::Dir => {}
    }
    let above = trail.last().unwrap_or(root);
    let own = above.child(&entry.name).unwrap_or_else(|_| above.clone());
    if !entry.link {
        return Ok(Ok((entry.kind, own)));
    }
    let real = match fs.canonical(&own) {
        Err(FsError::Escapes(_)) => return left_out(Severity::Warning, Code::NotCovered, outside),
        real => real?,
    };
    if entry.kind == FileKind::Dir && trail.contains(&real) {
        return left_out(Severity::Warning, Code::LinkCycle, "the symlink leads to a folder that contains it");
    }
    if real.below(root).is_some_and(|rest| !rest.split('/').all(|name| Purpose::Archive.takes(name))) {
        return left_out(Severity::Warning, Code::NotCovered, "the symlink leads into a folder that is left out");
    }
    Ok(Ok((entry.kind, real)))
}
