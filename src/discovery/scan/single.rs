//! Scans a source that is one skill: a registered file, or a registered folder that holds a SKILL.md.

use super::diagnostics::file_name_case;
use super::{SKILL_FILE, ScanCache, ScanResult, SkillFile, read_manifest, step};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::discovery::manifest;
use crate::fs::{FileKind, FsError};
use crate::model::skill::Source;
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::sync::Arc;

/// Scans one registered file, or the SKILL.md of one registered folder.
pub(super) fn scan_single(
    world: &World<'_>,
    dialect: &Dialect,
    source: &Arc<Source>,
    cache: Option<&mut ScanCache>,
) -> ScanResult {
    let mut result = ScanResult::default();
    let path = match registered_file(world, source) {
        Ok(path) => path,
        Err(FsError::Pending(path)) => {
            result.pending.push(path);
            return result;
        }
        Err(error) => {
            let message =
                format!("the skill that `{}` registers does not exist: {}", visible(&source.label), error.reason());
            result.findings.push(
                Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
                    .help("register a SKILL.md, or a folder that contains one"),
            );
            return result;
        }
    };
    let manifest = read_manifest(world, dialect, &path, cache);
    if manifest.pending {
        result.pending.push(path);
        return result;
    }
    if !manifest::is_single_file(&path) && path.name() != SKILL_FILE {
        result.findings.push(file_name_case(path.clone()));
    }
    // A path that cannot be resolved has been reported when its file was read.
    let real = |path: &FsPath| world.fs.canonical(path).ok().filter(|real| real != path);
    let (target, folder) = (real(&path), path.parent().and_then(|dir| real(&dir)));
    result.files.push(SkillFile { target, folder, is_single: true, ..SkillFile::new(source, path, manifest) });
    result
}

/// The file that a registration names: itself, or the SKILL.md in the folder that it names.
fn registered_file(world: &World<'_>, source: &Source) -> Result<FsPath, FsError> {
    let root = &source.root;
    let metadata = world.fs.metadata(root)?.ok_or_else(|| FsError::NotFound(root.clone()))?;
    if metadata.kind != FileKind::Dir {
        return Ok(root.clone());
    }
    let failed = |message: String| FsError::Other { path: root.clone(), message };
    let entries = world.fs.list(root)?;
    let exact = || entries.iter().position(|entry| entry.name == SKILL_FILE);
    match step::skill_file_index(&entries).or_else(exact) {
        Some(index) => root.child(&entries[index].name).map_err(|error| failed(error.to_string())),
        None => Err(failed("the folder contains no SKILL.md".to_owned())),
    }
}
