//! In: a dialect's source table and the places. Out: where discovery looks, and whether each place is there.
//! For people who wonder why nothing was found. Absent: what lies in a place.

use super::{Found, Place, contained, extra, found, registered, root, rules};
use crate::dialect::{Dialect, Reading};
use crate::fs::{Fs, FsError, Kind};
use crate::path::FsPath;
use crate::skill::Level;
use crate::world::World;

/// A place where skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Looked {
    /// The label of the source: `project-claude`, `root`.
    pub label: String,
    /// Whose it is.
    pub level: Level,
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
    /// It cannot be listed, with the reason: `permission is denied`.
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
/// use skilltree::{FsPath, MemFs, Places, Presence, World, dialect, looked};
/// let mut fs = MemFs::new();
/// fs.dir("/p/.claude/skills");
/// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
/// let looked = looked(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
/// assert_eq!((looked[0].path.as_str(), &looked[0].presence), ("/p/.claude/skills", &Presence::Exists));
/// assert_eq!((looked[1].path.as_str(), &looked[1].presence), ("/p/.agents/skills", &Presence::Missing));
/// ```
pub fn looked(world: &World<'_>, dialect: &Dialect) -> Vec<Looked> {
    let mut all: Vec<Found> = Vec::new();
    for (rank, rule) in rules(dialect, world.places).iter().enumerate() {
        match (rule.reading, root(rule, world.places)) {
            (Reading::Files, _) => all.extend(registered(rule, rank, world.places)),
            (Reading::Folders | Reading::Plugins, Some((root, owner))) => {
                all.push(Found { reading: rule.reading, ..found(rule, rank, root, None, owner) });
            }
            (Reading::Folders | Reading::Plugins, None) => {}
        }
    }
    all.extend(extra(dialect, world.places));
    let mut looked: Vec<Looked> = Vec::new();
    for place in contained(world.places, Vec::new(), all) {
        // Where the project is the home directory, two rules lead to one place.
        if looked.iter().all(|known| known.path != place.source.root) {
            looked.push(judged(world, &place));
        }
    }
    looked
}

fn judged(world: &World<'_>, place: &Place) -> Looked {
    let source = &place.source;
    let is_file = || {
        let looked = source.files(world.fs).look(&source.root);
        place.reading == Reading::Files && matches!(looked, Ok(Some(look)) if look.kind == Kind::File)
    };
    let presence = match source.files(world.fs).list(&source.root) {
        Ok(_) => Presence::Exists,
        Err(_) if is_file() => Presence::Exists,
        Err(FsError::NotFound(_)) => Presence::Missing,
        Err(error) => Presence::Unreadable(error.reason()),
    };
    Looked {
        label: source.label.clone(),
        level: source.level,
        path: source.root.clone(),
        holds_skills: place.reading == Reading::Folders,
        presence,
    }
}
