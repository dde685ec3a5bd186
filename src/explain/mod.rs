//! What became of files and skills. Each file has one question:
//!
//! - `why`: why is a file not used as a skill?
//! - `check`: what is wrong with these files?
//! - `beyond`: which skills lie where discovery does not look?

pub(crate) mod beyond;
pub(crate) mod check;
pub(crate) mod why;

pub use beyond::Beyond;

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::explain::check::CheckRequest;
use crate::explain::why::Why;
use crate::path::FsPath;
use std::sync::Arc;

impl Beyond {
    /// Looks for SKILL.md files where a discovery does not: below the limit of depth, in folders that are left out by their
    /// names, and, in a dialect with sources below the project, in all folders of the project that git does not ignore. What the
    /// catalog names already is not told again. No symlink is followed. Of a source at most 10,000 entries that the discovery
    /// has not entered are looked at, down to 16 levels below its root, and of the project 100,000 entries.
    ///
    /// ```
    /// use skilltree::explain::Beyond;
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.claude/skills/a/b/c/deep/SKILL.md", "").file("/p/web/.claude/skills/tea/SKILL.md", "");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let found = Beyond::of(&world, &discover(&world, &dialect("claude").unwrap()));
    /// let codes = found.findings.iter().map(|finding| finding.code.as_str());
    /// assert_eq!(codes.collect::<Vec<_>>(), ["too-deep", "nested-source"]);
    /// assert_eq!(found.nested[0].as_str(), "/p/web");
    /// ```
    pub fn of(world: &World<'_>, catalog: &Catalog) -> Beyond {
        beyond::beyond(world, catalog)
    }
}

impl CheckRequest {
    /// Like [`CheckRequest::check_sources`], without looking at what a discovery does not see. This is what a list counts.
    pub fn check_seen(&self, world: &World<'_>, dialect: &Arc<Dialect>) -> (Catalog, Vec<Diagnostic>) {
        check::check_seen(world, dialect, self)
    }

    /// Checks everything that discovery reads, as [`check`](crate::check()) does without paths, and looks beyond it. Returns what was
    /// discovered, and the findings.
    pub fn check_sources(&self, world: &World<'_>, dialect: &Arc<Dialect>) -> (Catalog, Vec<Diagnostic>) {
        check::check_sources(world, dialect, self)
    }
}

impl Catalog {
    /// The folders in which skills are looked for, from the lowest precedence to the highest.
    pub fn roots(&self, world: &World<'_>) -> Vec<FsPath> {
        why::roots(world, self)
    }

    /// The SKILL.md files that discovery does not reach, each with the reason: see [`Beyond`]; elsewhere in the project, or in a
    /// source of a folder that contains the project. Helps a user whose skills are not found.
    pub fn unseen(&self, world: &World<'_>) -> Vec<Why> {
        why::unseen(world, self)
    }

    /// Those of [`Catalog::unseen`] which lie in a source of a folder that contains the project: it may be the wrong one. Nothing else is
    /// searched.
    pub fn unseen_above_project(&self, world: &World<'_>) -> Vec<Why> {
        why::unseen_above_project(world, self)
    }
}
