//! Which folders the `.gitignore` files of a project exclude (rule 2.14). Only the files on the way to a folder are read.

use crate::fs::{Fs, FsError};
use crate::path::FsPath;
use crate::text::glob::Globs;
use std::collections::{HashMap, HashSet};
use std::iter;

/// The name of a file with patterns of what git ignores.
pub(crate) const GITIGNORE: &str = ".gitignore";

/// How many bytes of such a file are read.
const MAX_BYTES: u64 = 65_536;

/// A line of a `.gitignore` file.
struct Rule {
    /// Whether it includes again what an earlier line has excluded.
    is_negated: bool,
    globs: Globs,
}

/// The rules of the `.gitignore` files on the way to a folder.
#[derive(Default)]
pub(crate) struct Ignored {
    /// The folders whose files were read.
    entered: HashSet<FsPath>,
    /// The rules of each file that has some, by the folder that it lies in.
    files: HashMap<FsPath, Vec<Rule>>,
}

impl Ignored {
    /// Reads the file in a folder, unless that was done before. A file that cannot be read excludes nothing.
    pub(crate) fn enter(&mut self, fs: &dyn Fs, dir: &FsPath, pending: &mut Vec<FsPath>) {
        if !self.entered.insert(dir.clone()) {
            return;
        }
        let bytes = match dir.child(GITIGNORE).map(|file| fs.read(&file, MAX_BYTES)) {
            Ok(Ok(prefix)) => prefix.bytes,
            Ok(Err(FsError::Pending(path))) => {
                pending.push(path);
                Vec::new()
            }
            Ok(Err(_)) | Err(_) => Vec::new(),
        };
        let rules: Vec<Rule> = String::from_utf8_lossy(&bytes).lines().filter_map(rule).collect();
        if !rules.is_empty() {
            self.files.insert(dir.clone(), rules);
        }
    }

    /// Whether a folder is excluded by the files in the folders above it. The last rule that matches counts, and the file of
    /// the innermost folder first.
    pub(crate) fn excludes(&self, dir: &FsPath) -> bool {
        if self.files.is_empty() {
            return false;
        }
        let bases = iter::successors(dir.parent(), FsPath::parent);
        let files = bases.filter_map(|base| Some((self.files.get(&base)?, dir.relative_to(&base)?)));
        let mut deciding = files.filter_map(|(rules, path)| {
            // A slash at the start binds a pattern to the folder of the file.
            let bound = format!("/{path}");
            rules.iter().rev().find(|rule| rule.globs.matches(&bound, Some(path)))
        });
        deciding.next().is_some_and(|rule| !rule.is_negated)
    }
}

/// The rule of a line; `None` for a blank line or a comment.
fn rule(line: &str) -> Option<Rule> {
    let line = line.trim_end();
    let (is_negated, pattern) = line.strip_prefix('!').map_or((false, line), |pattern| (true, pattern));
    let pattern = pattern.trim_end_matches('/');
    if pattern.is_empty() || line.starts_with('#') {
        return None;
    }
    Some(Rule { is_negated, globs: Globs::new(std::iter::once(pattern)) })
}
