//! A place that is scanned for skills, and whose it is.

use super::{ContainedFs, Containment};
use crate::fs::Fs;
use crate::path::FsPath;
use std::sync::Arc;

/// One place that is scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The dialect's word for it: `project-sven`.
    pub label: String,
    /// The dialect's word for its scope: `user`, `project`, `ClaudeUser`.
    pub scope: String,
    /// Whose it is, in our words.
    pub level: Origin,
    /// The folder that is scanned, or the one registered file.
    pub root: FsPath,
    /// Its place among the sources: a higher one beats a lower one.
    pub rank: usize,
    /// The namespace of skills that name none: the plugin's name.
    pub namespace: Option<String>,
    /// Where links of a source that travels with a project may lead; none for one that the user trusts.
    pub(crate) containment: Option<Arc<Containment>>,
}

impl Source {
    /// The file system as this source may use it: links that may not be followed are errors.
    pub(crate) fn files<'a>(&'a self, fs: &'a dyn Fs) -> ContainedFs<'a> {
        ContainedFs::new(fs, self.containment.as_deref())
    }
}

/// Whose a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The user's own, in the home directory.
    User,
    /// The project's: it travels with a repository, and is not trusted by itself.
    Project,
    /// Shipped with the agent.
    Bundled,
    /// A plugin's.
    Plugin,
    /// Named by the caller.
    Extra,
}
