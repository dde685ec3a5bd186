//! The one walk through a skill's folder: every entry becomes a file, or something else with its kind, by the rules of
//! the purpose. No entry is dropped without a record.

use super::folder::Found;
use super::purpose::{Filter, Refused, joined};
use super::{Folder, OtherEntry, OtherKind, Package, PackageFile};
use crate::discovery::scan::holds_skill;
use crate::fs::{Action, Entry, FileKind, FsError, Step, VisitOutcome, Walk, WalkEntry};
use crate::model::error::Error;
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::slice::from_ref;

/// How much of the folder is walked.
#[derive(Clone, Copy)]
enum Extent {
    Everything,
    /// Only the files directly in these folders.
    Folders(&'static [&'static str]),
}

/// A folder from which a walk starts: the skill's own, or one that a symlink leads to.
struct Start {
    /// Its name below the skill's folder, empty for that itself.
    name: String,
    /// Its real path.
    root: FsPath,
    /// The symlinks passed on the way to it, each with the root of the walk that found it.
    passed: Vec<(FsPath, FsPath)>,
}

impl Start {
    fn depth(&self) -> usize {
        if self.name.is_empty() { 0 } else { self.name.split('/').count() }
    }

    /// The name of a folder below the skill's.
    fn name_of(&self, dir: &FsPath) -> String {
        match dir.relative_to(&self.root) {
            None | Some("") => self.name.clone(),
            Some(below) => joined(&self.name, below),
        }
    }

    /// The walk to start from a symlink that this one found; `None` if its target contains it.
    fn through(&self, name: &str, link: &FsPath, target: &FsPath) -> Option<Start> {
        let mut passed = self.passed.clone();
        passed.push((self.root.clone(), link.clone()));
        let is_cycle = passed.iter().any(|(root, link)| target.starts_with(root) && link.starts_with(target));
        (!is_cycle).then(|| Start { name: name.to_owned(), root: target.clone(), passed })
    }
}

/// What the walks have found so far.
#[derive(Default)]
struct Progress {
    files: Vec<PackageFile>,
    others: Vec<OtherEntry>,
    /// Symlinks, which are followed after the walk: their names, paths, and what they lead to.
    links: Vec<(String, FsPath, FileKind)>,
    folders: usize,
    /// How many of the others do not belong to the skill.
    excluded: usize,
    /// The first reason to refuse the folder.
    fault: Option<Error>,
    /// The folders that could not be listed, each with the reason.
    unlisted: Vec<(String, FsError)>,
}

impl Progress {
    fn add(&mut self, name: String, found: Found) {
        match found {
            Found::File { path, target } => self.files.push(PackageFile { name, path, target }),
            Found::Other { kind, target } => {
                self.excluded += usize::from(kind == OtherKind::Excluded);
                self.others.push(OtherEntry { name, kind, target });
            }
        }
    }

    /// How many entries belong to the skill.
    fn entries(&self) -> usize {
        self.files.len() + self.others.len() + self.links.len() - self.excluded
    }

    /// Adds what one more walk has found.
    fn append(&mut self, mut walked: Progress) {
        self.files.append(&mut walked.files);
        self.others.append(&mut walked.others);
        self.links.append(&mut walked.links);
        self.folders += walked.folders;
        self.excluded += walked.excluded;
        self.fault = self.fault.take().or(walked.fault);
        self.unlisted.append(&mut walked.unlisted);
    }
}

impl<'w> Folder<'w> {
    /// Everything in the folder.
    pub(crate) fn list(self) -> Package<'w> {
        self.listed(Extent::Everything)
    }

    /// The files directly in these folders of the skill's folder, and nothing else.
    pub(crate) fn list_in(self, folders: &'static [&'static str]) -> Package<'w> {
        self.listed(Extent::Folders(folders))
    }

    fn listed(self, extent: Extent) -> Package<'w> {
        let rules = self.filter.rules;
        let mut all = Progress { files: Vec::from_iter(self.own.clone()), ..Progress::default() };
        let mut unfollowed = None;
        let start = Start { name: String::new(), root: self.root.clone(), passed: Vec::new() };
        let mut waiting = if self.is_alone { Vec::new() } else { vec![start] };
        while let Some(start) = waiting.pop() {
            self.walk_from(&start, extent, &mut all);
            for (name, path, kind) in std::mem::take(&mut all.links) {
                let mut found = self.follow(&path, kind).unwrap_or_else(|error| {
                    unfollowed.get_or_insert(error);
                    Found::other(OtherKind::Unreadable)
                });
                if let (Found::Other { kind: kind @ OtherKind::LinkToFolder, target: Some(target) }, true) =
                    (&mut found, rules.enters_symlinks)
                {
                    match start.through(&name, &path, target) {
                        Some(next) => waiting.push(next),
                        None => *kind = OtherKind::LinkCycle,
                    }
                }
                all.add(name, found);
            }
            if all.fault.is_some() {
                break;
            }
        }
        let unfollowed = unfollowed.filter(|_| Refused::Unfollowed <= rules.refused);
        let fault = all.fault.take().or_else(|| self.too_many(&all)).or(unfollowed);
        sort_by(&mut all.files, |a, b| a.name.cmp(&b.name));
        sort_by(&mut all.others, |a, b| a.name.cmp(&b.name));
        Package { files: all.files, others: all.others, unlisted: all.unlisted, folder: self, fault }
    }

    fn too_many(&self, all: &Progress) -> Option<Error> {
        let rules = self.filter.rules;
        let (max_entries, what) = rules.max_entries;
        match () {
            () if max_entries < all.entries() => Some(self.too_much(max_entries, what)),
            () if rules.max_files < all.files.len() => Some(self.too_much(rules.max_files, "files")),
            () => None,
        }
    }

    fn too_many_folders(&self) -> Error {
        let rules = self.filter.rules;
        let (max_entries, what) = rules.max_entries;
        match max_entries < rules.max_folders {
            true => self.too_much(max_entries, what),
            false => self.too_much(rules.max_folders, "folders"),
        }
    }

    fn too_much(&self, limit: usize, what: &'static str) -> Error {
        Error::TooMuch { path: self.shown.clone(), limit: limit as u64, what }
    }

    /// Walks through a folder and what is in it, and adds it to what was found before.
    fn walk_from(&self, start: &Start, extent: Extent, all: &mut Progress) {
        let (filter, depth) = (self.filter, start.depth());
        let step = |at: &FsPath, level: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            step(&filter, extent, (&start.name_of(at), depth + level), entries, steps);
        };
        let max_dirs = filter.rules.max_folders.saturating_sub(all.folders);
        let mut walked = Progress::default();
        self.fs.walk(&Walk { root: &start.root, step: &step, prefix_len: 0, max_dirs }, &mut |visit| {
            let name = start.name_of(&visit.dir);
            let (kind, fault, noted) = match visit.take() {
                VisitOutcome::Restarted => {
                    walked = Progress::default();
                    return;
                }
                VisitOutcome::Cut => (OtherKind::Unreadable, Some(self.too_many_folders()), Vec::new()),
                VisitOutcome::Failed(error) => {
                    walked.unlisted.push((name.clone(), error.clone()));
                    (OtherKind::Unreadable, Some(Error::Fs(error)), Vec::new())
                }
                VisitOutcome::Listed(noted) if self.is_nested(&name, &noted) => {
                    (OtherKind::NestedSkill, None, Vec::new())
                }
                VisitOutcome::Listed(noted) => {
                    let max = filter.rules.max_depth;
                    let is_too_deep = max <= depth + visit.depth;
                    (OtherKind::Folder, is_too_deep.then(|| self.too_much(max, "nested folders")), noted)
                }
            };
            walked.folders += 1;
            if let Some(fault) = fault.filter(|_| Refused::Unlisted <= filter.rules.refused) {
                walked.fault.get_or_insert(fault);
            }
            self.note(&visit.dir, &name, noted, &mut walked, all.entries());
            // The folder of a later start has been recorded as the symlink that leads to it.
            if visit.dir != start.root {
                walked.add(name, Found::other(kind));
            }
        });
        all.append(walked);
    }

    /// Whether a folder that was visited belongs to another skill, by the entries that were noted.
    fn is_nested(&self, name: &str, noted: &[WalkEntry]) -> bool {
        let has_skill = || noted.iter().any(|noted| holds_skill(from_ref(&noted.entry)));
        self.filter.rules.excludes_nested_skills && !name.is_empty() && has_skill()
    }

    /// Records the entries of one folder, but for the skill's own file.
    fn note(&self, dir: &FsPath, dir_name: &str, noted: Vec<WalkEntry>, walked: &mut Progress, before: usize) {
        let rules = self.filter.rules;
        for entry in noted.into_iter().map(|noted| noted.entry) {
            // With one more than is allowed it is known that there are too many.
            if rules.max_entries.0 < before + walked.entries() {
                return;
            }
            let name = joined(dir_name, &entry.name);
            if self.is_own(&name) {
                continue;
            }
            let found = match (self.filter.sort(dir_name, &entry), dir.child(&entry.name)) {
                (Sorted::Excluded, _) => Found::other(OtherKind::Excluded),
                (Sorted::Unnamed, _) | (_, Err(_)) => {
                    if Refused::Unnamed <= rules.refused {
                        walked.fault.get_or_insert(Error::Fs(not_utf8(dir, &entry.name)));
                    }
                    Found::other(OtherKind::NotUtf8)
                }
                (Sorted::Link(kind), Ok(path)) => {
                    walked.links.push((name, path, kind));
                    continue;
                }
                (Sorted::File, Ok(path)) => Found::File { path, target: None },
                (Sorted::Folder, Ok(_)) => Found::other(OtherKind::Folder),
                (Sorted::Special, Ok(_)) => Found::other(OtherKind::Special),
            };
            walked.add(name, found);
        }
    }
}

/// What a walk does with the entries of the folder `dir`, given by its path below the skill's folder.
fn step(filter: &Filter<'_>, extent: Extent, (dir, depth): (&str, usize), entries: &[Entry], steps: &mut Vec<Step>) {
    let rules = filter.rules;
    if rules.max_depth <= depth {
        return;
    }
    let is_nested = rules.excludes_nested_skills && !dir.is_empty() && holds_skill(entries);
    for (at, entry) in entries.iter().enumerate() {
        let is_folder = || {
            let may_be = entry.kind == FileKind::Dir && !entry.is_symlink;
            may_be && matches!(filter.sort(dir, entry), Sorted::Folder)
        };
        let act = match extent {
            // The file that makes it another skill's is noted, so that the visit can be told from others.
            _ if is_nested => holds_skill(from_ref(entry)).then_some(Action::Report),
            Extent::Everything => Some(if is_folder() { Action::Enter } else { Action::Report }),
            Extent::Folders(names) if depth == 0 => {
                (names.contains(&entry.name.as_str()) && is_folder()).then_some(Action::Enter)
            }
            Extent::Folders(_) => (!is_folder()).then_some(Action::Report),
        };
        steps.extend(act.map(|act| Step { entry: at, action: act }));
    }
}

/// What an entry is by its listing, before symlinks are followed.
pub(super) enum Sorted {
    File,
    Folder,
    Link(FileKind),
    Special,
    Excluded,
    /// Its name is not UTF-8, so it cannot be opened.
    Unnamed,
}

impl Filter<'_> {
    /// Sorts an entry of a folder that belongs to the skill. `dir` is the folder's path below the skill's.
    pub(super) fn sort(&self, dir: &str, entry: &Entry) -> Sorted {
        match (entry.is_lossy, entry.is_symlink, entry.kind) {
            _ if !self.includes_entry(dir, &entry.name, entry.kind == FileKind::Dir) => Sorted::Excluded,
            (true, ..) => Sorted::Unnamed,
            (false, true, kind) => Sorted::Link(kind),
            (false, false, FileKind::File) => Sorted::File,
            (false, false, FileKind::Dir) => Sorted::Folder,
            (false, false, FileKind::Other | FileKind::Broken) => Sorted::Special,
        }
    }
}

fn not_utf8(dir: &FsPath, name: &str) -> FsError {
    match dir.child(name) {
        Ok(path) => {
            FsError::Other { path, message: "its name is not UTF-8, so it cannot be read; rename it".to_owned() }
        }
        Err(error) => FsError::Other { path: dir.clone(), message: error.to_string() },
    }
}
