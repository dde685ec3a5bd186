//! What is searched: the skills of a catalog, and the files that would be skills if they had a description.

use crate::diagnostic::Code;
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{ReadMode, read_all};
use crate::discovery::resolve::Skipped;
use crate::discovery::world::World;
use crate::fs::Fs;
use crate::model::skill::{Caller, Frontmatter, Skill, Source};
use crate::path::FsPath;
use crate::text::frontmatter;
use std::sync::Arc;

/// A skill, or a file that would be one.
#[derive(Clone, Copy)]
pub(super) enum Entry<'c> {
    Skill(&'c Skill),
    Undescribed(&'c Skipped),
}

/// All that is searched, in the order of the numbers in the index.
pub(super) fn entries(catalog: &Catalog) -> impl Iterator<Item = Entry<'_>> {
    catalog.skills().iter().map(Entry::Skill).chain(catalog.undescribed().map(Entry::Undescribed))
}

impl<'c> Entry<'c> {
    pub(super) fn key(self) -> &'c str {
        match self {
            Entry::Skill(skill) => &skill.key,
            Entry::Undescribed(file) => &file.key,
        }
    }

    pub(super) fn name(self) -> &'c str {
        match self {
            Entry::Skill(skill) => &skill.name,
            Entry::Undescribed(file) => &file.name,
        }
    }

    pub(super) fn path(self) -> &'c FsPath {
        match self {
            Entry::Skill(skill) => &skill.path,
            Entry::Undescribed(file) => &file.path,
        }
    }

    pub(super) fn frontmatter(self) -> &'c Arc<Frontmatter> {
        match self {
            Entry::Skill(skill) => &skill.frontmatter,
            Entry::Undescribed(file) => &file.frontmatter,
        }
    }

    pub(super) fn description(self) -> &'c str {
        match self {
            Entry::Skill(skill) => skill.description(),
            Entry::Undescribed(_) => "",
        }
    }

    /// The code of the finding because of which it is not in use.
    pub(super) fn unused(self) -> Option<Code> {
        match self {
            Entry::Skill(_) => None,
            Entry::Undescribed(file) => Some(file.code),
        }
    }

    /// Whether a caller may see it. A file that is no skill concerns the user alone.
    pub(super) fn is_for(self, caller: Caller) -> bool {
        match self {
            Entry::Skill(skill) => skill.is_for(caller),
            Entry::Undescribed(_) => caller == Caller::User,
        }
    }

    /// Its text below the frontmatter, read now; `None` if it cannot be read.
    pub(super) fn body(self, world: &World<'_>, catalog: &Catalog) -> Option<String> {
        let source: &Source = match self {
            Entry::Skill(skill) => &skill.source,
            Entry::Undescribed(file) => &file.source,
        };
        let (path, most) = (self.path(), catalog.dialect().max_skill_bytes());
        if !world.host.may_read(path) {
            return None;
        }
        let read = source.files(world.fs).read(path, most + 1).ok()?;
        // Nearly all files need no more than this.
        if let Some(front) = frontmatter::plain(&read.bytes).map(<[u8]>::len).filter(|_| read.len <= most) {
            let mut bytes = read.bytes;
            bytes.drain(..front);
            return String::from_utf8(bytes).ok();
        }
        let document = read_all(world.extras, catalog.dialect(), path, Ok(&read), ReadMode::Load);
        Some(document.body).filter(|body| !body.is_empty())
    }
}
