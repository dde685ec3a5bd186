//! What `why` is asked about, and which files and findings that is.

use crate::diagnostic::Diagnostic;
use crate::discovery::catalog::SeenFile;
use crate::discovery::world::World;
use crate::path::FsPath;
use crate::text::escape::reveal;

/// The question about a name, which may also be a path.
pub(in crate::explain) struct Question {
    /// Empty for a path alone.
    pub(super) name: String,
    pub(super) path: Option<FsPath>,
}

impl Question {
    pub(in crate::explain) fn new(world: &World<'_>, asked: &str) -> Question {
        let name = reveal(asked).into_owned();
        // Without a project, a relative path starts from the root.
        let base = world.places.project.clone().unwrap_or_else(FsPath::root);
        let path = world.fs.parse(&name, &base).filter(|path| path.depth() != 0);
        Question { name, path }
    }

    /// The question about a path alone.
    pub(super) fn of_path(path: FsPath) -> Question {
        Question { name: String::new(), path: Some(path) }
    }

    /// Whether the question is about the key, the name or the folder of a skill, or about a path that contains its file.
    pub(in crate::explain) fn is_about(&self, seen: &SeenFile<'_>) -> bool {
        let folder = seen.path.parent();
        let names = [seen.key, seen.name, folder.as_ref().map(FsPath::name)];
        // A client may read an empty name.
        !self.name.is_empty() && names.contains(&Some(self.name.as_str()))
            || self.path.as_ref().is_some_and(|path| seen.path.starts_with(path))
    }

    /// Whether the question is about the path of a finding. A path below a folder that was not entered counts as that folder.
    pub(super) fn is_about_finding(&self, finding: &Diagnostic) -> bool {
        let folder = finding.path.parent();
        finding.path.name() == self.name
            || folder.as_ref().is_some_and(|folder| folder.name() == self.name)
            || self.path.as_ref().is_some_and(|path| finding.path.starts_with(path) || path.starts_with(&finding.path))
    }
}
