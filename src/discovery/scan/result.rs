//! What a scan found: its SKILL.md files, and what was passed over.

use crate::diagnostic::Diagnostic;
use crate::discovery::manifest::Manifest;
use crate::model::skill::{ResourceNames, Source};
use crate::path::FsPath;
use std::collections::HashSet;
use std::sync::Arc;

/// What the scan of one source found.
#[derive(Default)]
pub(crate) struct ScanResult {
    /// The SKILL.md files that were read, in byte order of their paths.
    pub(crate) files: Vec<SkillFile>,
    /// What was passed over, and why.
    pub(crate) findings: Vec<Diagnostic>,
    /// The folders, not reached through a symlink, that were seen and not entered: because of their names, or as they lie
    /// below the limit of depth.
    pub(crate) unentered: Vec<FsPath>,
    /// Files and folders that the file system has yet to fetch.
    pub(crate) pending: Vec<FsPath>,
    /// The folders that may hold files beside a SKILL.md which the dialect reads too, as their listings show; `None` if
    /// that is not known. All folders from the files up to the root of the source were listed.
    pub(crate) beside: Option<HashSet<FsPath>>,
}

/// A SKILL.md that a scan found.
pub(crate) struct SkillFile {
    /// The source in which it was found.
    pub(crate) source: Arc<Source>,
    /// The key of the skill. A scan leaves it empty; `resolve` fills it in.
    pub(crate) key: String,
    /// Its path, symlinks not resolved. While the scan is under way, the path under which it was walked.
    pub(crate) path: FsPath,
    /// Its path with symlinks resolved; `None` if that is `path`.
    pub(crate) target: Option<FsPath>,
    /// The real path of its folder; `None` if that is the parent of `path`.
    pub(crate) folder: Option<FsPath>,
    /// How many folders below the root of the source its folder lies.
    pub(crate) level: usize,
    /// Whether the file itself is a symlink.
    pub(crate) is_symlink: bool,
    /// Whether it is a skill of its own, not the SKILL.md of a folder.
    pub(crate) is_single: bool,
    /// Whether it is a command file.
    pub(crate) is_command: bool,
    /// The files in its resource folders, if they were asked for and are all known.
    pub(crate) resources: Option<ResourceNames>,
    /// What it says.
    pub(crate) manifest: Manifest,
}

impl SkillFile {
    pub(super) fn new(source: &Arc<Source>, path: FsPath, manifest: Manifest) -> SkillFile {
        let (source, key) = (Arc::clone(source), String::new());
        let (target, folder, resources) = (None, None, None);
        let (level, is_symlink, is_single, is_command) = (0, false, false, false);
        SkillFile { source, key, path, target, folder, level, is_symlink, is_single, is_command, resources, manifest }
    }

    /// Its path with symlinks resolved.
    pub(crate) fn real_path(&self) -> &FsPath {
        self.target.as_ref().unwrap_or(&self.path)
    }
}
