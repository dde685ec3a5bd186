//! A source that is one skill: a registered file, or a registered folder that holds a SKILL.md.

use super::told::other_case;
use super::{Account, Found, Memory, SKILL_FILE, said, step};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::fs::{Entry, FsError, Kind};
use crate::manifest;
use crate::path::FsPath;
use crate::skill::Source;
use crate::text::escape::visible;
use crate::world::World;
use std::sync::Arc;

/// Looks at one registered file, or at the SKILL.md of one registered folder.
pub(super) fn single(
    world: &World<'_>,
    dialect: &Dialect,
    source: &Arc<Source>,
    memory: Option<&mut Memory>,
) -> Account {
    let mut account = Account::default();
    let path = match registered(world, source) {
        Ok(path) => path,
        Err(FsError::Pending(path)) => {
            account.pending.push(path);
            return account;
        }
        Err(error) => {
            let message =
                format!("the skill that `{}` registers is not there: {}", visible(&source.label), error.reason());
            account.findings.push(
                Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
                    .help("register a SKILL.md, or a folder that holds one"),
            );
            return account;
        }
    };
    let manifest = said(world, dialect, &path, memory);
    if manifest.pending {
        account.pending.push(path);
        return account;
    }
    if !manifest::is_alone(&path) && path.name() != SKILL_FILE {
        account.findings.push(other_case(path.clone()));
    }
    let real = |path: &FsPath| world.fs.canonical(path).ok().filter(|real| real != path);
    let (target, folder) = (real(&path), path.parent().and_then(|dir| real(&dir)));
    account.found.push(Found { target, folder, single: true, ..Found::new(source, path, manifest) });
    account
}

/// The file that a registration leads to.
fn registered(world: &World<'_>, source: &Source) -> Result<FsPath, FsError> {
    let look = world.fs.look(&source.root)?.ok_or_else(|| FsError::NotFound(source.root.clone()))?;
    if look.kind != Kind::Dir {
        return Ok(source.root.clone());
    }
    let entries = world.fs.list(&source.root)?;
    let named = |entry: &Entry| entry.name == SKILL_FILE;
    let at = step::the_skill_file(&entries).or_else(|| entries.iter().position(named));
    let file = at.and_then(|at| source.root.child(&entries.get(at)?.name).ok());
    file.ok_or_else(|| FsError::Other { path: source.root.clone(), message: "the folder holds no SKILL.md".to_owned() })
}
