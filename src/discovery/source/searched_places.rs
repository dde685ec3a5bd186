//! Lists where a discovery looks for skills, and whether each place exists, for people who wonder why no skill was
//! found. What is in a place is not looked at.

use super::{
    Contents, OwnedSource, SourceToScan, contained, owned_source, placed_rules, registered, root, search_roots,
};
use crate::dialect::{Dialect, SourceKind};
use crate::discovery::extras::read_settings;
use crate::discovery::world::World;
use crate::fs::{FileKind, Fs, FsError};
use crate::model::skill::Origin;
use crate::path::FsPath;
use std::collections::HashSet;

/// A place where skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchedPlace {
    /// The label of the source: `project-claude`, or `root` for a search root that the caller names.
    pub label: String,
    /// Who the skills come from.
    pub origin: Origin,
    /// The folder; for a skill that a plugin registers, the file or folder.
    pub path: FsPath,
    /// Whether folders below it are skills. If not, it is a skill itself, or holds plugins.
    pub holds_skills: bool,
    /// Whether it exists.
    pub presence: Presence,
}

/// Whether a place exists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Presence {
    /// It exists and can be listed.
    Exists,
    /// It does not exist.
    Missing,
    /// It cannot be listed, with the reason: `it may not be read (permission denied)`.
    Unreadable(String),
}

impl Presence {
    /// `exists`, `missing` or `unreadable`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Presence::Exists => "exists",
            Presence::Missing => "missing",
            Presence::Unreadable(_) => "unreadable",
        }
    }
}

/// All places where a discovery looks, from lowest to highest precedence.
pub(crate) fn searched_places(world: &World<'_>, dialect: &Dialect) -> Vec<SearchedPlace> {
    let mut all: Vec<OwnedSource> = Vec::new();
    let settings = read_settings(world, dialect, &mut Vec::new(), &mut Vec::new());
    let placed = placed_rules(world, dialect, &settings, &mut Vec::new());
    for (rank, placed) in placed.iter().enumerate() {
        let rule = &*placed.rule;
        match root(placed, world.places) {
            Ok(Some((root, owner))) => {
                let source = owned_source(placed, rank, root, None, owner);
                let is_plugins = matches!(rule.kind, SourceKind::Plugins { .. });
                let contents = if is_plugins { Contents::Plugins } else { source.contents };
                all.push(OwnedSource { contents, ..source });
            }
            Ok(None) => all.extend(registered(rule, rank, world.places)),
            // A rule whose path is not valid is reported by discovery.
            Err(_) => {}
        }
    }
    all.extend(search_roots(placed.len(), world.places));
    // Findings are those of discovery.
    let mut places = contained(world, dialect, Vec::new(), all, &mut Vec::new(), &mut Vec::new());
    // If the project is the home directory, two rules have the same root.
    let mut roots: HashSet<FsPath> = HashSet::new();
    places.retain(|place| roots.insert(place.source.root.clone()));
    places.iter().map(|place| searched_place(world, place)).collect()
}

fn searched_place(world: &World<'_>, place: &SourceToScan) -> SearchedPlace {
    let source = &place.source;
    let is_file = || {
        let metadata = source.files(world.fs).metadata(&source.root);
        place.contents == Contents::Skill && matches!(metadata, Ok(Some(metadata)) if metadata.kind == FileKind::File)
    };
    let presence = match source.files(world.fs).list(&source.root) {
        Ok(_) => Presence::Exists,
        Err(_) if is_file() => Presence::Exists,
        Err(FsError::NotFound(_)) => Presence::Missing,
        Err(error) => Presence::Unreadable(error.reason()),
    };
    SearchedPlace {
        label: source.label.clone(),
        origin: source.origin,
        path: source.root.clone(),
        holds_skills: place.contents == Contents::Folders,
        presence,
    }
}
