//! In: a skill and its new state. Out: a [`FileWrite`], the store's new text and what it replaces. A store that
//! cannot be read is never written over; all that it holds besides stays (decisions 19). Absent: writing.

use super::{Store, Stored, Trouble, file, named, stored};
use crate::dialect::{Dialect, StateRule};
use crate::fs::{FsError, reached};
use crate::model::error::Error;
use crate::model::skill::{Skill, State};
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::json::Json;
use crate::text::order::sort_by;

/// A new state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// This one.
    To(State),
    /// The one after the one that it has by this store, else by those below it, else by default.
    Next,
}

/// A file to write. The host writes to a temporary file beside it and renames that into place, and does neither
/// when the file is no longer what it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileWrite {
    /// The file, links resolved where it is there. Its folders may be missing.
    pub path: FsPath,
    /// What it shall hold.
    pub bytes: Vec<u8>,
    /// What it held when it was read; none where it was not there.
    pub replaces: Option<Vec<u8>>,
    /// The folder whose symbolic links are not followed on the way to the file. A project's, which the user has not
    /// made; the root for a path that is real already.
    pub no_links_in: Option<FsPath>,
    /// Whether only the user may read it, and the folders that are made for it.
    pub private: bool,
}

impl FileWrite {
    /// A plan of your own: what the file at `path` shall hold, and what it holds now, none where it is not there.
    pub fn new(path: FsPath, bytes: Vec<u8>, replaces: Option<Vec<u8>>) -> FileWrite {
        FileWrite { path, bytes, replaces, no_links_in: None, private: false }
    }

    /// The same for a path that is real, so that a link on the way to it has come since.
    pub(crate) fn at_real(path: FsPath, bytes: Vec<u8>, replaces: Option<Vec<u8>>) -> FileWrite {
        FileWrite { no_links_in: Some(FsPath::root()), ..FileWrite::new(path, bytes, replaces) }
    }
}

/// The change of a skill's state in one store.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, State, World, dialect, discover};
/// use skilltree::discovery::{Change, Store, set_state};
/// let mut fs = MemFs::new();
/// fs.file("/p/.gen/skills/tea/SKILL.md", "---\nname: tea\n---\nBoil water.\n");
/// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let table = dialect("gencode").unwrap();
/// let catalog = discover(&world, &table);
/// let tea = catalog.seek("tea")?;
/// let write = set_state(&world, &table, tea, Change::To(State::Active), Store::Project)?;
/// assert_eq!(write.path.as_str(), "/p/.gen/skills.json");
/// assert_eq!(write.bytes, b"{\n  \"skills\": {\n    \"tea\": \"active\"\n  }\n}");
/// assert_eq!(write.replaces, None);
/// # Ok::<(), skilltree::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotInDialect`] without states, [`Error::NoStore`] without the store's folder, [`Error::StoreCorrupt`]
/// for a store that cannot be read, [`Error::Fs`] for a project's store that a link leads out of the project.
pub fn set_state(
    world: &World<'_>,
    dialect: &Dialect,
    skill: &Skill,
    change: Change,
    store: Store,
) -> Result<FileWrite, Error> {
    let Some(rule) = &dialect.states else {
        return Err(Error::NotInDialect { dialect: dialect.name.to_string(), what: "states" });
    };
    let Some(file) = file(world, rule, store) else { return Err(Error::NoStore { store: store.as_str() }) };
    let path = real(world, &file, store)?;
    let held = held(world, &file, store)?;
    let state = match change {
        Change::To(state) => state,
        Change::Next => now(world, rule, &skill.key, store, &held)?.next(),
    };
    let Stored { bytes: replaces, fields, mut skills } = held;
    skills.retain(|(key, _)| *key != skill.key);
    skills.push((skill.key.clone(), Json::from(state.as_str())));
    sort_by(&mut skills, |(a, _), (b, _)| a.cmp(b));
    let text = Json::Map(fields).with("skills", Some(Json::Map(skills)));
    Ok(FileWrite::at_real(path, format!("{text:#}").into_bytes(), replaces))
}

fn held(world: &World<'_>, file: &FsPath, store: Store) -> Result<Stored, Error> {
    stored(world, file, store).map_err(|trouble| match trouble {
        Trouble::Pending => Error::Fs(FsError::Pending(file.clone())),
        Trouble::Corrupt(reason) => Error::StoreCorrupt { path: file.clone(), reason },
    })
}

/// The state that a skill has as this store sees it.
fn now(world: &World<'_>, rule: &StateRule, key: &str, store: Store, held: &Stored) -> Result<State, Error> {
    let of = |held: &Stored| {
        let (_, value) = held.skills.iter().find(|(known, _)| known == key)?;
        Some(named(value).unwrap_or(State::Disabled))
    };
    let below = match (of(held), store) {
        (Some(state), _) => return Ok(state),
        (None, Store::User) => None,
        (None, Store::Project) => file(world, rule, Store::User),
    };
    match below {
        // A user's store that is corrupt says nothing, as everywhere.
        Some(below) => match stored(world, &below, Store::User) {
            Ok(held) => Ok(of(&held).unwrap_or(rule.default)),
            Err(Trouble::Corrupt(_)) => Ok(rule.default),
            Err(Trouble::Pending) => Err(Error::Fs(FsError::Pending(below))),
        },
        None => Ok(rule.default),
    }
}

/// Where a store really lies, so that a link to it stays one. A project's store stays in the project: what a
/// repository brings along shall not choose what is written elsewhere.
fn real(world: &World<'_>, file: &FsPath, store: Store) -> Result<FsPath, Error> {
    let path = reached(world.fs, file);
    let project = world.places.project.as_ref().filter(|_| store == Store::Project);
    match project.map(|project| reached(world.fs, project)) {
        Some(project) if !path.is_within(&project) => Err(Error::Fs(FsError::Escapes(file.clone()))),
        Some(_) | None => Ok(path),
    }
}
