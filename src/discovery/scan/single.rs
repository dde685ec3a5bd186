//! Scans a source that is one skill: a registered file, or a registered folder that holds a SKILL.md.

use super::diagnostics::{file_name_case, nearly_skill_file};
use super::{SKILL_FILE, ScanCache, ScanResult, SkillFile, read_manifest, step, unavailable_root};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, Reading};
use crate::discovery::manifest;
use crate::discovery::world::World;
use crate::fs::{FileKind, FsError};
use crate::model::skill::Source;
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
    if dialect.reading == Reading::Faithful && path.name() != SKILL_FILE && !manifest::is_single_file(&path) {
        result.findings.push(nearly_skill_file(path));
        return result;
    }
    let manifest = read_manifest(world, dialect, &path, cache);
    if manifest.pending {
        result.pending.push(path);
        return result;
    }
    if path.name() != SKILL_FILE && !manifest::is_single_file(&path) {
        result.findings.push(file_name_case(path.clone()));
    }
    // A path that cannot be resolved has been reported when its file was read.
    let real = |path: &FsPath| world.fs.canonical(path).ok().filter(|real| real != path);
    let (target, folder) = (real(&path), path.parent().and_then(|dir| real(&dir)));
    result.files.push(SkillFile { target, folder, is_single: true, ..SkillFile::new(source, path, manifest) });
    result
}

/// Scans a folder of command files: each Markdown file directly in it is a skill, which is named as the file. The fields
/// for the name and for paths do not count (rule 3.17).
pub(super) fn scan_commands(
    world: &World<'_>,
    dialect: &Dialect,
    source: &Arc<Source>,
    mut cache: Option<&mut ScanCache>,
) -> ScanResult {
    let mut result = ScanResult::default();
    let entries = match world.fs.list(&source.root) {
        Ok(entries) => entries,
        Err(error) => return unavailable_root(world, source, error),
    };
    for entry in entries.iter().filter(|entry| entry.kind == FileKind::File && !entry.is_lossy) {
        let is_markdown = entry.name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ending == "md");
        let Some(path) = is_markdown.then(|| source.root.child(&entry.name).ok()).flatten() else { continue };
        let mut manifest = read_manifest(world, dialect, &path, cache.as_deref_mut());
        if manifest.pending {
            result.pending.push(path);
            continue;
        }
        let frontmatter = Arc::make_mut(&mut manifest.frontmatter);
        frontmatter.name = None;
        if let Some(run) = &mut frontmatter.run {
            run.paths.clear();
        }
        let real = |path: &FsPath| world.fs.canonical(path).ok().filter(|real| real != path);
        let (target, folder) = (real(&path), real(&source.root));
        let found = SkillFile::new(source, path, manifest);
        result.files.push(SkillFile { target, folder, is_single: true, is_command: true, ..found });
    }
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
