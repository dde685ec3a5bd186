//! In: a dialect's source table and the places. Out: where discovery looks, and whether each place is there.
//! For people who wonder why nothing was found. Absent: what lies in a place.

use super::{Found, Place, contained, extra, found, registered, root, rules};
use crate::dialect::{Dialect, SourceKind};
use crate::fs::{FileKind, Fs, FsError};
use crate::model::skill::Origin;
use crate::model::world::World;
use crate::path::FsPath;

/// A place where skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchedPlace {
    /// The label of the source: `project-claude`, `root`.
    pub label: String,
    /// Whose it is.
    pub level: Origin,
    /// The folder; of skills that plugins register, the file or folder.
    pub path: FsPath,
    /// Whether skills are looked for in folders below it. Otherwise it is itself a skill, or holds plugins.
    pub holds_skills: bool,
    /// Whether it is there.
    pub presence: Presence,
}

/// Whether a place is there.
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

/// Every place where a discovery would look, from lowest to highest precedence.
///
/// A rule whose base is not known, such as the home directory of a user who has none, has no place. A folder of plugins is
/// one place, whatever plugins are in it, and a place that several rules name is given once.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, dialect, looked};
/// use skilltree::discovery::Presence;
/// let mut fs = MemFs::new();
/// fs.dir("/p/.claude/skills");
/// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
/// let looked = looked(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
/// assert_eq!((looked[0].path.as_str(), &looked[0].presence), ("/p/.claude/skills", &Presence::Exists));
/// assert_eq!((looked[1].path.as_str(), &looked[1].presence), ("/p/.agents/skills", &Presence::Missing));
/// ```
pub fn searched_places(world: &World<'_>, dialect: &Dialect) -> Vec<SearchedPlace> {
    let mut all: Vec<Found> = Vec::new();
    for (rank, rule) in rules(dialect, world.places).iter().enumerate() {
        match (rule.reading, root(rule, world.places)) {
            (SourceKind::Files, _) => all.extend(registered(rule, rank, world.places)),
            (SourceKind::Folders | SourceKind::Plugins, Some((root, owner))) => {
                all.push(Found { reading: rule.reading, ..found(rule, rank, root, None, owner) });
            }
            (SourceKind::Folders | SourceKind::Plugins, None) => {}
        }
    }
    all.extend(extra(dialect, world.places));
    let mut looked: Vec<SearchedPlace> = Vec::new();
    for place in contained(world.places, Vec::new(), all) {
        // Where the project is the home directory, two rules lead to one place.
        if looked.iter().all(|known| known.path != place.source.root) {
            looked.push(judged(world, &place));
        }
    }
    looked
}

fn judged(world: &World<'_>, place: &Place) -> SearchedPlace {
    let source = &place.source;
    let is_file = || {
        let looked = source.files(world.fs).metadata(&source.root);
        place.reading == SourceKind::Files && matches!(looked, Ok(Some(metadata)) if metadata.kind == FileKind::File)
    };
    let presence = match source.files(world.fs).list(&source.root) {
        Ok(_) => Presence::Exists,
        Err(_) if is_file() => Presence::Exists,
        Err(FsError::NotFound(_)) => Presence::Missing,
        Err(error) => Presence::Unreadable(error.reason()),
    };
    SearchedPlace {
        label: source.label.clone(),
        level: source.level,
        path: source.root.clone(),
        holds_skills: place.reading == SourceKind::Folders,
        presence,
    }
}
