//! A source: a folder that is scanned for skills, its precedence, and who its skills come from.

use super::{ContainedFs, Containment};
use crate::fs::Fs;
use crate::path::FsPath;
use std::sync::Arc;

/// A folder that is scanned for skills, or a registered file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The dialect's name for it: `project-sven`.
    pub label: String,
    /// The dialect's name for its scope: `user`, `project`, `ClaudeUser`.
    pub scope: String,
    /// Who its skills come from.
    pub origin: Origin,
    /// The folder that is scanned, or the one registered file.
    pub root: FsPath,
    /// Its rank among the sources: a skill of a higher rank beats one of a lower rank.
    pub rank: usize,
    /// The namespace of skills that do not name one: the name of the plugin.
    pub namespace: Option<String>,
    /// The path below the project of the folder that holds the source, if it was found on the way to a file that is being
    /// worked on: `apps/web`.
    pub nested_in: Option<String>,
    /// Where the symlinks of a source that comes with a project may lead; `None` for a source that the user trusts.
    pub(crate) containment: Option<Arc<Containment>>,
}

impl Source {
    /// A view of the file system for this source: symlinks that must not be followed are errors.
    pub(crate) fn files<'a>(&'a self, fs: &'a dyn Fs) -> ContainedFs<'a> {
        ContainedFs::new(fs, self.containment.as_deref())
    }
}

/// Who the skills of a source come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The user: they lie in the home directory.
    User,
    /// The project: they come with its repository, and are not trusted by themselves.
    Project,
    /// The agent: they ship with it.
    Bundled,
    /// A plugin.
    Plugin,
    /// The caller, who names the folder as a search root.
    Extra,
}
