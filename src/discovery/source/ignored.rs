//! Which folders the `.gitignore` files of a project exclude (rule 2.14). Only the files on the way to a folder are read.

use crate::fs::{Fs, FsError};
use crate::path::FsPath;
use crate::text::glob::Globs;

/// The name of a file with patterns of what git ignores.
const GITIGNORE: &str = ".gitignore";

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
pub(super) struct Ignored {
    /// The rules of each file with the folder that it lies in, the outermost first.
    files: Vec<(FsPath, Vec<Rule>)>,
}

impl Ignored {
    /// Reads the file in a folder, unless that was done before. A file that cannot be read excludes nothing.
    pub(super) fn enter(&mut self, fs: &dyn Fs, dir: &FsPath, pending: &mut Vec<FsPath>) {
        if self.files.iter().any(|(known, _)| known == dir) {
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
        let rules = String::from_utf8_lossy(&bytes).lines().filter_map(rule).collect();
        self.files.push((dir.clone(), rules));
    }

    /// Whether a folder is excluded by the files in the folders above it. The last rule that matches counts.
    pub(super) fn excludes(&self, dir: &FsPath) -> bool {
        let mut is_excluded = false;
        for (base, rules) in self.files.iter().filter(|(base, _)| base != dir && dir.starts_with(base)) {
            let Some(path) = dir.relative_to(base) else { continue };
            // A slash at the start binds a pattern to the folder of the file.
            let bound = format!("/{path}");
            if let Some(rule) = rules.iter().rev().find(|rule| rule.globs.matches(&bound, Some(path))) {
                is_excluded = !rule.is_negated;
            }
        }
        is_excluded
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
