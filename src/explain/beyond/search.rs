//! Searches folders for SKILL.md files, level by level and in byte order, up to a limit of entries and levels.

use super::looked_no_further;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::manifest::is_skill_file;
use crate::fs::{FileKind, Fs, FsError};
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::collections::BTreeMap;

/// How many entries of the folders of a source are looked at. A package manager's folder may hold a million.
const MAX_ENTRIES: usize = 10_000;

/// How many levels of folders below the root of a source are looked at.
const MAX_LEVELS: usize = 16;

/// What a search found.
#[derive(Default)]
pub(super) struct Search {
    /// The SKILL.md files, by level and path.
    pub(super) files: Vec<FsPath>,
    /// Where it was cut short.
    pub(super) cuts: Vec<Diagnostic>,
    /// The folders that the file system has yet to fetch.
    pub(super) pending: Vec<FsPath>,
}

impl Search {
    /// Searches these folders, which lie in the source with this root, and all below them. Symlinks are not followed.
    pub(super) fn below(fs: &dyn Fs, root: &FsPath, starts: Vec<FsPath>) -> Search {
        let mut search = Search::default();
        let (mut left, mut deepest) = (MAX_ENTRIES, None);
        let mut waiting: BTreeMap<usize, Vec<FsPath>> = BTreeMap::new();
        for start in starts {
            waiting.entry(start.depth() - root.depth()).or_default().push(start);
        }
        while let Some((level, mut folders)) = waiting.pop_first() {
            if MAX_LEVELS < level {
                deepest = deepest.or_else(|| folders.into_iter().min());
                continue;
            }
            sort_by(&mut folders, Ord::cmp);
            for folder in folders {
                if !search.list(fs, root, &folder, &mut left, waiting.entry(level + 1).or_default()) {
                    let limit = format!("only {MAX_ENTRIES} entries outside of the normal search were examined");
                    search.cuts.push(looked_no_further(root.clone(), &folder, &limit));
                    return search;
                }
            }
        }
        if let Some(first) = deepest {
            let limit = format!("only {MAX_LEVELS} levels of folders were examined");
            search.cuts.push(looked_no_further(root.clone(), &first, &limit));
        }
        search
    }

    /// Takes the entries of a folder, and adds the folders in it to `next`. False if there are more than are left.
    fn list(&mut self, fs: &dyn Fs, root: &FsPath, folder: &FsPath, left: &mut usize, next: &mut Vec<FsPath>) -> bool {
        let entries = match fs.list(folder) {
            Ok(entries) => entries,
            Err(FsError::Pending(path)) => {
                self.pending.push(path);
                return true;
            }
            // Why a source cannot be listed, discovery says.
            Err(_) if folder == root => return true,
            Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => return true,
            Err(error) => {
                let message = format!("the folder could not be listed: {}", error.reason());
                let cut = Diagnostic::new(Severity::Note, Code::LookedNoFurther, folder.clone(), message);
                self.cuts.push(cut.help("allow the user to list the folder"));
                return true;
            }
        };
        for entry in entries {
            let Some(rest) = left.checked_sub(1) else { return false };
            *left = rest;
            let path = folder.child(&entry.name).ok().filter(|_| !entry.is_lossy);
            match (path, entry.kind) {
                (Some(path), FileKind::File) if is_skill_file(&entry.name) && !entry.is_symlink => {
                    self.files.push(path)
                }
                (Some(path), FileKind::Dir) if !entry.is_symlink => next.push(path),
                _ => {}
            }
        }
        true
    }
}
