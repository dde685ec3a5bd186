//! A source that is one skill: a registered file, or a registered folder that holds a SKILL.md.

use super::diagnostics::other_case;
use super::{SKILL_FILE, ScanCache, ScanResult, SkillFile, said, step};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::discovery::manifest;
use crate::fs::{Entry, FileKind, FsError};
use crate::model::skill::Source;
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::sync::Arc;

/// Looks at one registered file, or at the SKILL.md of one registered folder.
pub(super) fn single(
    world: &World<'_>,
    dialect: &Dialect,
    source: &Arc<Source>,
    cache: Option<&mut ScanCache>,
) -> ScanResult {
    let mut account = ScanResult::default();
    let path = match registered(world, source) {
        Ok(path) => path,
        Err(FsError::Pending(path)) => {
            account.pending.push(path);
            return account;
        }
        Err(error) => {
            let message =
                format!("the skill that `{}` registers does not exist: {}", visible(&source.label), error.reason());
            account.findings.push(
                Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
                    .help("register a SKILL.md, or a folder that contains one"),
            );
            return account;
        }
    };
    let manifest = said(world, dialect, &path, cache);
    if manifest.pending {
        account.pending.push(path);
        return account;
    }
    if !manifest::is_alone(&path) && path.name() != SKILL_FILE {
        account.findings.push(other_case(path.clone()));
    }
    let real = |path: &FsPath| world.fs.canonical(path).ok().filter(|real| real != path);
    let (target, folder) = (real(&path), path.parent().and_then(|dir| real(&dir)));
    account.found.push(SkillFile { target, folder, single: true, ..SkillFile::new(source, path, manifest) });
    account
}

/// The file that a registration leads to.
fn registered(world: &World<'_>, source: &Source) -> Result<FsPath, FsError> {
    let metadata = world.fs.metadata(&source.root)?.ok_or_else(|| FsError::NotFound(source.root.clone()))?;
    if metadata.kind != FileKind::Dir {
        return Ok(source.root.clone());
    }
    let entries = world.fs.list(&source.root)?;
    let named = |entry: &Entry| entry.name == SKILL_FILE;
    let at = step::the_skill_file(&entries).or_else(|| entries.iter().position(named));
    let file = at.and_then(|at| source.root.child(&entries.get(at)?.name).ok());
    file.ok_or_else(|| FsError::Other {
        path: source.root.clone(),
        message: "the folder contains no SKILL.md".to_owned(),
    })
}
