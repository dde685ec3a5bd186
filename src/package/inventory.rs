//! In: a skill. Out: the files that belong to it, inside its own folder: not its SKILL.md, not what belongs to a
//! skill nested in it, not what a link leads to outside (decisions 27, 29). What they hold: `contents`, by a feature.

use crate::text::order::sort_by;
#[cfg(feature = "digest")]
mod contents;
mod hidden;
#[cfg(feature = "digest")]
mod measure;
mod package;
#[cfg(feature = "digest")]
mod part;
mod purpose;

#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
pub(crate) use contents::Met;
#[cfg(feature = "digest")]
pub use contents::{ContentScope, Contents, FileContent, OtherContent, OtherKind, contents};
#[cfg(feature = "digest")]
pub(crate) use contents::{contents_of, contents_to};
pub(crate) use hidden::Hidden;
#[cfg(feature = "digest")]
pub(crate) use measure::{Measure, measured};
pub(crate) use package::{Package, left_out};
#[cfg(feature = "digest")]
pub(crate) use part::children;
pub(crate) use purpose::Purpose;

use crate::discovery::manifest::is_alone;
use crate::discovery::scan::holds_skill;
use crate::fs::{Entry, FileKind, Step, VisitOutcome, Walk};
use crate::model::skill::{ResourceNames, Skill};
use crate::model::world::World;
use crate::path::FsPath;

/// How many directories of one skill are looked at.
const MAX_DIRS: usize = 10_000;

/// The files of a skill, absolute, in byte order. What cannot be listed is left out.
pub fn inventory(world: &World<'_>, skill: &Skill) -> Vec<FsPath> {
    files_of(world, &skill.path)
}

/// The files that belong to a SKILL.md; none to a skill that is one file and no folder.
pub(crate) fn files_of(world: &World<'_>, skill: &FsPath) -> Vec<FsPath> {
    let Some(dir) = skill.parent().filter(|_| !is_alone(skill)) else { return Vec::new() };
    let own = dir.clone();
    let step = move |at: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        if *at == own || !holds_skill(entries) {
            steps.extend(Purpose::List.steps(entries));
        }
    };
    let ask = Walk { root: &dir, step: &step, head: 0, max_dirs: MAX_DIRS };
    let mut files = Vec::new();
    let mut links = Vec::new();
    world.fs.walk(&ask, &mut |visit| {
        let noted = match visit.take() {
            VisitOutcome::Listed(noted) => noted,
            VisitOutcome::Cut | VisitOutcome::Failed(_) => return,
            VisitOutcome::Again => {
                files.clear();
                links.clear();
                return;
            }
        };
        for noted in noted {
            let Ok(path) = visit.dir.child(&noted.entry.name) else { continue };
            if noted.entry.link {
                links.push((path, noted.entry.kind));
            } else if noted.entry.kind == FileKind::File {
                files.push(path);
            }
        }
    });
    for (path, kind) in links {
        // A link to a folder inside is not entered: its files are listed where they are.
        if kind == FileKind::File && leads_within(world, &path, &dir) {
            files.push(path);
        }
    }
    files.retain(|file| file != skill && file.below(&dir).is_some_and(|name| Purpose::List.takes_path(name)));
    sort_by(&mut files, Ord::cmp);
    files.dedup();
    files
}

/// The files directly in a skill's conventional folders, as names relative to the skill (spec S1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resources {
    /// In `scripts/`.
    pub scripts: Vec<String>,
    /// In `references/`.
    pub references: Vec<String>,
    /// In `assets/`.
    pub assets: Vec<String>,
}

impl Resources {
    /// `2 scripts, 1 ref`: scripts and references alone, nothing for none (decisions 25).
    ///
    /// ```
    /// let mut resources = skilltree::package::Resources::default();
    /// assert_eq!(resources.counted(), "");
    /// resources.scripts = vec!["scripts/a.sh".to_owned(), "scripts/b.sh".to_owned()];
    /// resources.references = vec!["references/c.md".to_owned()];
    /// assert_eq!(resources.counted(), "2 scripts, 1 ref");
    /// ```
    pub fn counted(&self) -> String {
        let mut counted = String::new();
        for (files, one) in [(&self.scripts, "script"), (&self.references, "ref")] {
            if files.is_empty() {
                continue;
            }
            let between = if counted.is_empty() { "" } else { ", " };
            let many = if files.len() == 1 { "" } else { "s" };
            counted.push_str(&format!("{between}{} {one}{many}", files.len()));
        }
        counted
    }
}

impl Resources {
    /// Those of the files that a discovery listed.
    fn of(names: &ResourceNames) -> Resources {
        let within = |folder: &str| {
            let taken = names.in_folder(folder).filter(|name| Purpose::List.takes_path(name));
            taken.map(str::to_owned).collect()
        };
        Resources { scripts: within("scripts"), references: within("references"), assets: within("assets") }
    }
}

/// The files in a skill's conventional folders: as they were listed by a discovery [with resources](World::with_resources),
/// else as they are now.
pub fn resources(world: &World<'_>, skill: &Skill) -> Resources {
    match &skill.resources {
        Some(names) => Resources::of(names),
        None => resources_of(world, &skill.path),
    }
}

/// The same for a SKILL.md.
pub(crate) fn resources_of(world: &World<'_>, skill: &FsPath) -> Resources {
    let Some(dir) = skill.parent().filter(|_| !is_alone(skill)) else { return Resources::default() };
    let Ok(entries) = world.fs.list(&dir) else { return Resources::default() };
    let within = |folder: &str| -> Vec<String> {
        let is_there = entries.iter().any(|entry| entry.name == folder && entry.kind == FileKind::Dir && !entry.link);
        let Some(path) = dir.child(folder).ok().filter(|_| is_there) else { return Vec::new() };
        let listed = world.fs.list(&path).unwrap_or_default();
        if holds_skill(&listed) {
            return Vec::new();
        }
        let is_inside =
            |entry: &Entry| !entry.link || path.child(&entry.name).is_ok_and(|link| leads_within(world, &link, &dir));
        let mut files = Vec::new();
        for entry in &listed {
            if entry.kind == FileKind::File && !entry.lossy && Purpose::List.takes(&entry.name) && is_inside(entry) {
                files.push(format!("{folder}/{}", entry.name));
            }
        }
        files
    };
    Resources { scripts: within("scripts"), references: within("references"), assets: within("assets") }
}

/// decisions 29: a link that leaves the skill's folder is not listed, nor is one to what is left out of listings.
fn leads_within(world: &World<'_>, link: &FsPath, dir: &FsPath) -> bool {
    match (world.fs.canonical(link), world.fs.canonical(dir)) {
        (Ok(target), Ok(dir)) => target.below(&dir).is_some_and(|name| Purpose::List.takes_path(name)),
        _ => false,
    }
}
