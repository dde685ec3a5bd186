//! The names of the files that belong to a skill, for a model to read and for listings.

use super::files::{Folder, Package, Purpose, nearest};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::manifest::is_single_file;
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::skill::{Location, RESOURCE_FOLDERS, Skill};
use crate::path::FsPath;

impl Skill {
    /// The files of a skill but for its SKILL.md, by their absolute paths, in byte order. What cannot be listed is left out.
    pub fn files(&self, world: &World<'_>) -> Vec<FsPath> {
        files_at(Folder::for_names(world.fs, &self.location()).list(), &self.path)
    }
}

/// The files that belong to the SKILL.md at a path, but for itself.
pub(crate) fn files_of(world: &World<'_>, skill: &FsPath) -> Vec<FsPath> {
    let Ok(now) = Location::now(world.fs, skill) else { return Vec::new() };
    files_at(Folder::for_names(world.fs, &now).list(), skill)
}

/// Like [`Skill::files`] for the skill's file at this path, which is its own or that of its copy, with a finding for each
/// folder that could not be listed.
pub(crate) fn listed(world: &World<'_>, skill: &Skill, path: &FsPath) -> (Vec<FsPath>, Vec<Diagnostic>) {
    let location = match *path == skill.path {
        true => skill.location(),
        false => match Location::now(world.fs, path) {
            Ok(now) => now,
            Err(error) => return (Vec::new(), Vec::from_iter(unlisted(path, &error))),
        },
    };
    let package = Folder::for_names(world.fs, &location).list();
    let dir = path.parent().unwrap_or_else(FsPath::root);
    let at = |name: &str| if name.is_empty() { dir.clone() } else { nearest(&dir, name) };
    let findings = package.unlisted.iter().filter_map(|(name, error)| unlisted(&at(name), error)).collect();
    (files_at(package, path), findings)
}

/// The finding for a folder whose files are missing; `None` if it is gone, or has yet to be fetched.
fn unlisted(dir: &FsPath, error: &FsError) -> Option<Diagnostic> {
    if matches!(error, FsError::NotFound(_) | FsError::Pending(_)) {
        return None;
    }
    let message = format!("the folder could not be listed, so its files are not named: {}", error.reason());
    Some(Diagnostic::new(Severity::Warning, Code::Unreadable, dir.clone(), message))
}

fn files_at(package: Package<'_>, skill: &FsPath) -> Vec<FsPath> {
    package.into_paths().into_iter().filter(|path| path != skill).collect()
}

/// The files directly in a skill's conventional folders, as names relative to the skill (rule 18.1).
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
    /// `2 scripts, 1 ref`: scripts and references alone, nothing for none (rule 11.10).
    ///
    /// ```
    /// let mut resources = skilltree::package::Resources::default();
    /// assert_eq!(resources.counted(), "");
    /// resources.scripts = vec!["scripts/a.sh".to_owned(), "scripts/b.sh".to_owned()];
    /// resources.references = vec!["references/c.md".to_owned()];
    /// assert_eq!(resources.counted(), "2 scripts, 1 ref");
    /// ```
    pub fn counted(&self) -> String {
        let counted = [(&self.scripts, "script"), (&self.references, "ref")].map(|(files, one)| match files.len() {
            0 => String::new(),
            1 => format!("1 {one}"),
            many => format!("{many} {one}s"),
        });
        counted.into_iter().filter(|counted| !counted.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// Those among files, which are given by their names in byte order.
    pub(crate) fn among<'n>(files: impl Iterator<Item = &'n str>) -> Resources {
        let mut resources = Resources::default();
        for name in files {
            let list = match name.split_once('/') {
                Some((_, below)) if below.contains('/') => continue,
                Some(("scripts", _)) => &mut resources.scripts,
                Some(("references", _)) => &mut resources.references,
                Some(("assets", _)) => &mut resources.assets,
                _ => continue,
            };
            list.push(name.to_owned());
        }
        resources
    }
}

impl Skill {
    /// The files in a skill's conventional folders: as they were listed by a discovery [with resources](World::with_resources),
    /// else as they are now. What cannot be listed is left out.
    pub fn resources(&self, world: &World<'_>) -> Resources {
        match &self.resources {
            Some(names) => {
                let filter = Purpose::List.filter();
                let files = RESOURCE_FOLDERS.into_iter().flat_map(|folder| names.in_folder(folder));
                Resources::among(files.filter(|name| filter.includes(name, false)))
            }
            None if is_single_file(&self.path) => Resources::default(),
            None => {
                let package = Folder::for_names(world.fs, &self.location()).list_in(&RESOURCE_FOLDERS);
                Resources::among(package.files.iter().map(|file| &*file.name))
            }
        }
    }
}
