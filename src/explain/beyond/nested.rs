//! Finds the folders below the project that hold sources of skills which a dialect reads only while a file there is being
//! worked on (rule 2.14).

use super::{Beyond, looked_no_further};
use crate::dialect::{Dialect, Reach, SourceRule};
use crate::discovery::scan::{is_never_entered, is_plain_folder};
use crate::discovery::source::base;
use crate::discovery::source::ignored::{GITIGNORE, Ignored};
use crate::discovery::world::World;
use crate::fs::{Entry, FsError};
use crate::model::skill::ContainedFs;
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::collections::HashSet;

/// How many entries of the project are looked at.
const MAX_ENTRIES: usize = 100_000;

/// The folders below the project, by level and path, in which there is such a source that no touched file brings into play.
/// Folders that git ignores are left out, with all below them.
pub(super) fn folders(world: &World<'_>, dialect: &Dialect, found: &mut Beyond) -> Vec<FsPath> {
    let places = world.places;
    let rules = dialect.sources.iter().filter(|rule| rule.reach == Reach::Below && !places.only_roots);
    let rules: Vec<(&SourceRule, &FsPath)> = rules.filter_map(|rule| Some((rule, base(rule.base, places)?))).collect();
    let mut tops: Vec<&FsPath> = rules.iter().map(|(_, top)| *top).collect();
    tops.dedup();
    // A symlink of the project that leads out of it is followed no more than by a discovery.
    let containment = places.containment(Vec::new());
    let files = ContainedFs::new(world.fs, containment.as_ref());
    let world = &World { fs: &files, ..*world };
    let mut folders = Vec::new();
    for top in tops {
        let rules = rules.iter().filter(|(_, base)| *base == top).map(|(rule, _)| *rule).collect();
        let (ignored, roots) = (Ignored::default(), roots(dialect, top));
        let mut walk = Walk { world, top, rules, roots, ignored, left: MAX_ENTRIES, folders: Vec::new() };
        walk.run(found);
        folders.append(&mut walk.folders);
    }
    folders
}

/// The sources of the project itself, which discovery searches.
fn roots(dialect: &Dialect, top: &FsPath) -> HashSet<FsPath> {
    dialect.sources.iter().filter_map(|rule| top.join(&rule.path).ok()).filter(|root| root != top).collect()
}

struct Walk<'w> {
    world: &'w World<'w>,
    top: &'w FsPath,
    rules: Vec<&'w SourceRule>,
    /// The folders that are not entered, as they are sources.
    roots: HashSet<FsPath>,
    ignored: Ignored,
    /// How many more entries are looked at.
    left: usize,
    folders: Vec<FsPath>,
}

impl Walk<'_> {
    fn run(&mut self, found: &mut Beyond) {
        let mut level = vec![self.top.clone()];
        while !level.is_empty() {
            sort_by(&mut level, Ord::cmp);
            let mut next = Vec::new();
            for folder in &level {
                if !self.list(folder, &mut next, &mut found.pending) {
                    let limit = format!("only {MAX_ENTRIES} entries of the project were examined");
                    found.findings.push(looked_no_further(self.top.clone(), folder, &limit));
                    return;
                }
            }
            level = next;
        }
    }

    /// Takes the entries of a folder, and adds the folders in it to `next`. False if there are more than are left.
    fn list(&mut self, folder: &FsPath, next: &mut Vec<FsPath>, pending: &mut Vec<FsPath>) -> bool {
        let entries = match self.world.fs.list(folder) {
            Ok(entries) => entries,
            Err(FsError::Pending(path)) => {
                pending.push(path);
                return true;
            }
            // What cannot be listed can hold nothing that a client reads.
            Err(_) => return true,
        };
        let Some(rest) = self.left.checked_sub(entries.len()) else { return false };
        self.left = rest;
        if entries.iter().any(|entry| entry.name == GITIGNORE) {
            self.ignored.enter(self.world.fs, folder, pending);
        }
        if folder != self.top && self.has_source(folder, &entries, pending) {
            let is_in_play = self.world.places.touched.iter().any(|file| file.starts_with(folder));
            self.folders.extend((!is_in_play).then(|| folder.clone()));
        }
        for entry in entries.iter().filter(|entry| is_plain_folder(entry) && !is_never_entered(&entry.name)) {
            let Ok(child) = folder.child(&entry.name) else { continue };
            if !self.roots.contains(&child) && !self.ignored.excludes(&child) {
                next.push(child);
            }
        }
        true
    }

    /// Whether a folder with these entries holds a source. Its root is not entered then.
    fn has_source(&mut self, folder: &FsPath, entries: &[Entry], pending: &mut Vec<FsPath>) -> bool {
        let mut has_source = false;
        for rule in &self.rules {
            let first = rule.path.split('/').next().unwrap_or_default();
            let is_there = entries.iter().any(|entry| entry.name == first);
            let Some(root) = folder.join(&rule.path).ok().filter(|_| is_there) else { continue };
            match self.world.fs.metadata(&root) {
                Ok(Some(_)) => {
                    self.roots.insert(root);
                    has_source = true;
                }
                Err(FsError::Pending(path)) => pending.push(path),
                Ok(None) | Err(_) => {}
            }
        }
        has_source
    }
}
