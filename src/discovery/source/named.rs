//! The folders that the settings of a project name (rule 2.15). They are opened only in the project's tree and in the
//! sources that the user trusts, since whoever wrote the project could otherwise have any folder of the machine read.

use super::OwnedSource;
use crate::diagnostic::{Code, Diagnostic, Position, Severity};
use crate::dialect::Dialect;
use crate::discovery::world::World;
use crate::fs::{FsError, reached};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::collections::HashSet;

/// Removes the sources in folders that a project's settings name and that must not be opened, and reports them.
pub(super) fn remove_outside(
    world: &World<'_>,
    dialect: &Dialect,
    trusted: &[FsPath],
    all: &mut Vec<OwnedSource>,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) {
    if all.iter().all(|owned| owned.named_at.is_none()) {
        return;
    }
    let containment = world.places.containment(trusted.to_vec());
    // `None` if symlinks of the project, and its settings, may lead anywhere.
    let folders: Option<HashSet<FsPath>> = match containment.map(|all| all.folders(world.fs)).transpose() {
        Ok(folders) => folders.map(HashSet::from_iter),
        Err(error) => {
            if let FsError::Pending(path) = error {
                pending.push(path);
            }
            Some(HashSet::new())
        }
    };
    let project = world.places.project.as_ref().map(|project| reached(world.fs, project));
    all.retain(|owned| {
        let Some((text, place)) = &owned.named_at else { return true };
        let real = reached(world.fs, &owned.source.root);
        let contains_project = project.as_ref().is_none_or(|project| project.starts_with(&real));
        let is_outside = || folders.as_ref().is_some_and(|folders| !lies_in_one(&real, folders));
        let (why, help) = match contains_project {
            true => ("contains the project", "name the folder of skills in the project"),
            false if is_outside() => (
                "leads out of the project",
                "if you trust the project, allow it with `--follow-links-out`, or name the folder yourself with `--root`",
            ),
            false => return true,
        };
        let message = format!(
            "the setting `{}` names `{}`, which {why}, so the folder is not read; `{}` would read it",
            place.setting,
            visible(text),
            visible(&dialect.name)
        );
        let mut finding = Diagnostic::new(Severity::Warning, Code::LeadsOut, place.file.clone(), message).help(help);
        finding.at = Some(Position { line: place.line, column: 1 });
        findings.push(finding);
        false
    });
}

/// Whether a path is one of these folders or below one, however many there are.
fn lies_in_one(path: &FsPath, folders: &HashSet<FsPath>) -> bool {
    let mut at = Some(path.clone());
    while let Some(folder) = at {
        if folders.contains(&folder) {
            return true;
        }
        at = folder.parent();
    }
    false
}
