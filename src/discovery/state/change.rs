//! Plans the change of a skill's state as a [`FileWrite`]: the new text of a store, and the text that it replaces. A
//! store that cannot be read is not overwritten, and everything else in a store is preserved (rule 9.8). The host
//! writes the file.

use super::{JsonFileError, Store, StoredStates, UNREADABLE_STATE, file, read_states, state_of};
use crate::dialect::{Dialect, StateRule};
use crate::discovery::world::World;
use crate::fs::{FsError, reached};
use crate::model::error::Error;
use crate::model::skill::{Skill, State};
use crate::path::FsPath;
use crate::text::json::Json;
use crate::text::order::sort_by;

/// A new state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateChange {
    /// Sets this state.
    To(State),
    /// Sets the state after the current one, which is that in this store, or else in the user's store, or else the
    /// default.
    Next,
}

/// A file to write. The host writes a temporary file beside it and renames that into place, unless the file no longer
/// holds what it is to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileWrite {
    /// The file, with symlinks resolved if it exists. Its folders need not exist.
    pub path: FsPath,
    /// What the file is to hold.
    pub bytes: Vec<u8>,
    /// What the file held when it was read; `None` if it did not exist.
    pub expected: Option<Vec<u8>>,
    /// A folder in which no symlink is followed on the way to the file: the project, as the user has not made its
    /// symlinks, or the root for a path that has no symlinks in it. `None` if symlinks are followed everywhere.
    pub no_links_in: Option<FsPath>,
    /// Whether only the user may read the file and the folders that are made for it.
    pub private: bool,
    /// Whether the file keeps all permissions that it has. Otherwise nobody but the user may write it afterwards.
    pub keeps_mode: bool,
}

impl FileWrite {
    /// Plans to write `bytes` into the file at `path`, which holds `replaces` now, or does not exist.
    pub fn new(path: FsPath, bytes: Vec<u8>, replaces: Option<Vec<u8>>) -> FileWrite {
        FileWrite { path, bytes, expected: replaces, no_links_in: None, private: false, keeps_mode: false }
    }

    /// Like [`FileWrite::new`], for a path without symlinks: one that is on the way when the file is written is
    /// refused.
    pub(crate) fn at_real(path: FsPath, bytes: Vec<u8>, replaces: Option<Vec<u8>>) -> FileWrite {
        FileWrite { no_links_in: Some(FsPath::root()), ..FileWrite::new(path, bytes, replaces) }
    }
}

/// Plans to change the state of a skill in one store.
pub(crate) fn set_state(
    world: &World<'_>,
    dialect: &Dialect,
    skill: &Skill,
    change: StateChange,
    store: Store,
) -> Result<FileWrite, Error> {
    let Some(rule) = &dialect.states else {
        return Err(Error::NotInDialect { dialect: dialect.name.to_string(), what: "states" });
    };
    let file = match file(world, rule, store) {
        Some(Ok(file)) => file,
        Some(Err((path, error))) => return Err(Error::JsonFileCorrupt { path, reason: error.to_string() }),
        None => return Err(Error::NoStore { store: store.as_str() }),
    };
    let path = store_path(world, &file, store)?;
    let stored = read(world, &file, store)?;
    let state = match change {
        StateChange::To(state) => state,
        StateChange::Next => current_state(world, rule, &skill.key, store, &stored)?.next(),
    };
    let StoredStates { bytes: replaces, fields, mut skills } = stored;
    skills.retain(|(key, _)| *key != skill.key);
    skills.push((skill.key.clone(), Json::from(state.as_str())));
    sort_by(&mut skills, |(a, _), (b, _)| a.cmp(b));
    let text = Json::Map(fields).with("skills", Some(Json::Map(skills)));
    Ok(FileWrite::at_real(path, format!("{text:#}").into_bytes(), replaces))
}

fn read(world: &World<'_>, file: &FsPath, store: Store) -> Result<StoredStates, Error> {
    let corrupt = |reason| Error::JsonFileCorrupt { path: file.clone(), reason };
    let stored = read_states(world, file, store).map_err(|trouble| match trouble {
        JsonFileError::Pending(path) => Error::Fs(FsError::Pending(path)),
        JsonFileError::Corrupt(reason) => corrupt(reason),
    })?;
    // A key that occurs twice has one value in force, and the other would not be written again.
    let text = stored.bytes.as_deref().map(String::from_utf8_lossy).filter(|text| !text.trim().is_empty());
    match text.map(|text| Json::parse_unique(&text)) {
        Some(Err(error)) => Err(corrupt(error.to_string())),
        Some(Ok(_)) | None => Ok(stored),
    }
}

/// The state that a skill has in a store with the contents `stored`, or else in a store below it, or else by default.
fn current_state(
    world: &World<'_>,
    rule: &StateRule,
    key: &str,
    store: Store,
    stored: &StoredStates,
) -> Result<State, Error> {
    let of = |stored: &StoredStates| {
        let (_, value) = stored.skills.iter().find(|(known, _)| known == key)?;
        Some(state_of(value).unwrap_or(UNREADABLE_STATE))
    };
    let below = match (of(stored), store) {
        (Some(state), _) => return Ok(state),
        (None, Store::User) => None,
        (None, Store::Project) => file(world, rule, Store::User),
    };
    match below {
        Some(Ok(below)) => match read_states(world, &below, Store::User) {
            Ok(stored) => Ok(of(&stored).unwrap_or(rule.default)),
            // As in discovery, a store that is corrupt gives no states.
            Err(JsonFileError::Corrupt(_)) => Ok(rule.default),
            Err(JsonFileError::Pending(path)) => Err(Error::Fs(FsError::Pending(path))),
        },
        Some(Err(_)) | None => Ok(rule.default),
    }
}

/// The path of a store with symlinks resolved, so that a symlink to it stays one. The project's store must lie in the
/// project: a repository must not choose which file outside of it is written.
pub(crate) fn store_path(world: &World<'_>, file: &FsPath, store: Store) -> Result<FsPath, Error> {
    let path = reached(world.fs, file);
    let project = world.places.project.as_ref().filter(|_| store == Store::Project);
    match project.map(|project| reached(world.fs, project)) {
        Some(project) if !path.starts_with(&project) => Err(Error::Fs(FsError::Escapes(file.clone()))),
        Some(_) | None => Ok(path),
    }
}
