//! Reads the states that the user has given to skills (switched off, on, or active) from two stores: a file of the user
//! and one of the project, which beats it for each skill (rule 9.7). A change is planned as a [`FileWrite`]: the new
//! text of a store, and the text that it replaces. A store that cannot be read is not overwritten, and everything else
//! in a store is preserved (rule 9.8). The host writes the file.

#[cfg(feature = "digest")]
pub(crate) use crate::discovery::small_file::read_json_file_by;
pub(crate) use crate::discovery::small_file::{SmallFileError, read_json_file};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, StateRule};
use crate::discovery::extras::{Noticed, is_not_read};
use crate::discovery::world::World;
use crate::fs::{FsError, reached};
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Skill, State};
use crate::path::{FsPath, PathError};
use crate::text::escape::visible;
use crate::text::json::{Json, JsonError};
use crate::text::order::sort_by;
use crate::text::words::names;
use std::collections::HashMap;

const MAX_STORE_BYTES: u64 = 4_194_304;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// The user's.
    User,
    /// The project's.
    Project,
}

names! { Store { User = "user", Project = "project" } }

/// The states of skills, as both stores give them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    by_key: HashMap<String, (State, Store)>,
    default: Option<State>,
}

impl States {
    /// Reads both stores. Faults in them are reported by [`discover`](crate::discover), not here.
    pub fn read(world: &World<'_>, dialect: &Dialect) -> States {
        read(world, dialect, &mut Noticed::default())
    }

    /// Plans to change the state of a skill in one store.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, State, World, dialect, discover};
    /// use skilltree::discovery::{StateChange, States, Store};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.gen/skills/tea/SKILL.md", "---\nname: tea\n---\nBoil water.\n");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let table = dialect("gencode").unwrap();
    /// let catalog = discover(&world, &table);
    /// let tea = catalog.find_any("tea")?;
    /// let write = States::set(&world, &table, tea, StateChange::To(State::Active), Store::Project)?;
    /// assert_eq!(write.path.as_str(), "/p/.gen/skills.json");
    /// assert_eq!(write.bytes, b"{\n  \"skills\": {\n    \"tea\": \"active\"\n  }\n}");
    /// assert_eq!(write.expected, None);
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotInDialect`] without states, [`Error::NoStore`] without the store's folder, [`Error::StoreCorrupt`]
    /// for a store that cannot be read, [`Error::Fs`] for a store of the project that is a symlink out of the project.
    pub fn set(
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
            Some(Err((path, error))) => return Err(Error::StoreCorrupt { path, reason: error.to_string() }),
            None => return Err(Error::NoStore { store: store.as_str() }),
        };
        let path = store_path(world, &file, store)?;
        let stored = read_to_change(world, &file, store)?;
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

    /// The state of a skill; `None` if the dialect has no states.
    pub fn of(&self, key: &str) -> Option<State> {
        self.by_key.get(key).map(|(state, _)| *state).or(self.default)
    }

    /// The store that gives a skill its state; `None` if it has the default state.
    pub fn store(&self, key: &str) -> Option<Store> {
        self.by_key.get(key).map(|(_, store)| *store)
    }
}

/// Reads both stores. Adds findings for faults in them, and stores that the file system has yet to fetch.
pub(crate) fn read(world: &World<'_>, dialect: &Dialect, noticed: &mut Noticed) -> States {
    let Some(rule) = &dialect.states else { return States::default() };
    let mut states = States { by_key: HashMap::new(), default: Some(rule.default) };
    for store in [Store::User, Store::Project] {
        let file = match file(world, rule, store) {
            None => continue,
            Some(Ok(file)) => file,
            Some(Err((base, error))) => {
                noticed.findings.push(corrupt(&base, &error.to_string()));
                continue;
            }
        };
        match read_states(world, &file, store) {
            Ok(stored) => {
                noticed.findings.extend(stored.refusal().map(|error| twice(&file, &error)));
                for (key, value) in stored.skills {
                    let state = state_of(&value).unwrap_or_else(|| {
                        noticed.findings.push(unknown_state(&file, &key, &value));
                        UNREADABLE_STATE
                    });
                    states.by_key.insert(key, (state, store));
                }
            }
            Err(SmallFileError::Pending(path)) => noticed.pending.push(path),
            Err(SmallFileError::Corrupt(reason)) => noticed.findings.push(corrupt(&file, &reason)),
        }
    }
    states
}

/// The states in a lean world: all skills are disabled where there is a store, as it may disable them.
pub(crate) fn unread(world: &World<'_>, dialect: &Dialect, noticed: &mut Noticed) -> States {
    let Some(rule) = &dialect.states else { return States::default() };
    let files = [Store::User, Store::Project].into_iter().filter_map(|store| file(world, rule, store)?.ok());
    let mut is_there = false;
    for file in files {
        is_there |= is_not_read(world.fs, &file, "the store of states", noticed);
    }
    States { by_key: HashMap::new(), default: Some(if is_there { UNREADABLE_STATE } else { rule.default }) }
}

/// The state of a skill whose entry in a store cannot be read.
const UNREADABLE_STATE: State = State::Disabled;

/// The path of a store; `None` if the caller does not name the folder that it lies in. The error has this folder, if
/// the path of the dialect below it is not valid.
fn file(world: &World<'_>, rule: &StateRule, store: Store) -> Option<Result<FsPath, (FsPath, PathError)>> {
    let base = match store {
        Store::User => &world.places.home,
        Store::Project => &world.places.project,
    };
    base.as_ref().map(|base| base.join(&rule.store).map_err(|error| (base.clone(), error)))
}

#[derive(Default)]
struct StoredStates {
    /// All bytes; `None` if the file does not exist.
    bytes: Option<Vec<u8>>,
    fields: Vec<(String, Json)>,
    /// The field `skills`: a state for each key.
    skills: Vec<(String, Json)>,
}

impl StoredStates {
    /// Why the store is not changed: a key occurs twice, of which one value is in force, and the other would be lost.
    fn refusal(&self) -> Option<JsonError> {
        let text = self.bytes.as_deref().map(String::from_utf8_lossy)?;
        Json::parse_unique(&text).err()
    }
}

/// Reads a store. One that does not exist is empty. A symlink of the project's store that leads out of the project is
/// not followed, as messages quote what is in a store.
fn read_states(world: &World<'_>, file: &FsPath, store: Store) -> Result<StoredStates, SmallFileError> {
    let containment = world.places.containment(Vec::new()).filter(|_| store == Store::Project);
    let files = ContainedFs::new(world.fs, containment.as_ref());
    let Some((bytes, json)) = read_json_file(&files, file, MAX_STORE_BYTES)? else {
        return Ok(StoredStates::default());
    };
    match (json.get("skills").cloned(), json) {
        (Some(Json::Map(skills)), Json::Map(fields)) => Ok(StoredStates { bytes: Some(bytes), fields, skills }),
        _ => Err(SmallFileError::Corrupt("expected an object with an object `skills`".to_owned())),
    }
}

fn state_of(value: &Json) -> Option<State> {
    value.as_text().and_then(State::named)
}

fn unknown_state(file: &FsPath, key: &str, value: &Json) -> Diagnostic {
    let word = value.as_text().map_or_else(|| value.to_string(), str::to_owned);
    let message = format!(
        "the state of `{}` is `{}`, expected disable, enable or active; disable is used",
        visible(key),
        visible(&word)
    );
    Diagnostic::new(Severity::Warning, Code::StateUnknown, file.clone(), message).help("write one of the three")
}

fn twice(file: &FsPath, error: &JsonError) -> Diagnostic {
    let message = format!("the state file has a key twice, and the last value is used: {error}");
    Diagnostic::new(Severity::Error, Code::DuplicateKey, file.clone(), message)
        .help("remove one of the two; until then the file is never overwritten")
}

fn corrupt(file: &FsPath, reason: &str) -> Diagnostic {
    let message = format!("the state file could not be read: {reason}");
    Diagnostic::new(Severity::Error, Code::StoreCorrupt, file.clone(), message)
        .help("fix the file; until then it is ignored, and never overwritten")
}

names! { State named { Disabled = "disable", Enabled = "enable", Active = "active" } }

impl State {
    /// The next state in the cycle disable, enable, active, disable.
    ///
    /// ```
    /// assert_eq!(skilltree::State::Active.next(), skilltree::State::Disabled);
    /// ```
    #[must_use]
    pub fn next(self) -> State {
        match self {
            State::Disabled => State::Enabled,
            State::Enabled => State::Active,
            State::Active => State::Disabled,
        }
    }

    /// The symbol for the state: `○`, `◐` or `●`.
    pub fn symbol(self) -> char {
        match self {
            State::Disabled => '○',
            State::Enabled => '◐',
            State::Active => '●',
        }
    }
}

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
#[must_use = "a plan does nothing until it is carried out"]
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

fn read_to_change(world: &World<'_>, file: &FsPath, store: Store) -> Result<StoredStates, Error> {
    let corrupt = |reason| Error::StoreCorrupt { path: file.clone(), reason };
    let stored = read_states(world, file, store).map_err(|trouble| match trouble {
        SmallFileError::Pending(path) => Error::Fs(FsError::Pending(path)),
        SmallFileError::Corrupt(reason) => corrupt(reason),
    })?;
    stored.refusal().map_or(Ok(stored), |error| Err(corrupt(error.to_string())))
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
            Err(SmallFileError::Corrupt(_)) => Ok(rule.default),
            Err(SmallFileError::Pending(path)) => Err(Error::Fs(FsError::Pending(path))),
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
