//! Reads the states that the user has given to skills (switched off, on, or active) from two stores: a file of the user
//! and one of the project, which beats it for each skill (rule 9.7). A change is planned in `change`, and written
//! by the host.

mod change;

#[cfg(feature = "digest")]
pub(crate) use super::json_file::read_json_file_by;
pub(crate) use super::json_file::{JsonFileError, read_json_file};
pub(crate) use change::set_state;
pub(crate) use change::store_path;
pub use change::{FileWrite, StateChange};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, StateRule};
use crate::discovery::extras::is_not_read;
use crate::discovery::world::World;
use crate::model::skill::{ContainedFs, State};
use crate::path::{FsPath, PathError};
use crate::text::escape::visible;
use crate::text::json::Json;
use std::collections::HashMap;

/// How many bytes of a store are read.
const MAX_STORE_BYTES: u64 = 4_194_304;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// The user's.
    User,
    /// The project's.
    Project,
}

impl Store {
    /// `user` or `project`.
    pub fn as_str(self) -> &'static str {
        match self {
            Store::User => "user",
            Store::Project => "project",
        }
    }
}

/// The states of skills, as both stores give them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    by_key: HashMap<String, (State, Store)>,
    default: Option<State>,
}

impl States {
    /// The state of a skill; `None` if the dialect has no states.
    pub fn of(&self, key: &str) -> Option<State> {
        self.by_key.get(key).map(|(state, _)| *state).or(self.default)
    }

    /// The store that gives a skill its state; `None` if it has the default state.
    pub fn store(&self, key: &str) -> Option<Store> {
        self.by_key.get(key).map(|(_, store)| *store)
    }
}

/// Reads both stores.
pub(crate) fn states(world: &World<'_>, dialect: &Dialect) -> States {
    read(world, dialect, &mut Vec::new(), &mut Vec::new())
}

/// Reads both stores. Adds findings for faults in them, and stores that the file system has yet to fetch.
pub(crate) fn read(
    world: &World<'_>,
    dialect: &Dialect,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> States {
    let Some(rule) = &dialect.states else { return States::default() };
    let mut states = States { by_key: HashMap::new(), default: Some(rule.default) };
    for store in [Store::User, Store::Project] {
        let file = match file(world, rule, store) {
            None => continue,
            Some(Ok(file)) => file,
            Some(Err((base, error))) => {
                findings.push(corrupt(&base, &error.to_string()));
                continue;
            }
        };
        match read_states(world, &file, store) {
            Ok(stored) => {
                for (key, value) in stored.skills {
                    let state = state_of(&value).unwrap_or_else(|| {
                        findings.push(unknown_state(&file, &key, &value));
                        UNREADABLE_STATE
                    });
                    states.by_key.insert(key, (state, store));
                }
            }
            Err(JsonFileError::Pending(path)) => pending.push(path),
            Err(JsonFileError::Corrupt(reason)) => findings.push(corrupt(&file, &reason)),
        }
    }
    states
}

/// The states in a lean world: all skills are disabled where there is a store, as it may disable them.
pub(crate) fn unread(
    world: &World<'_>,
    dialect: &Dialect,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> States {
    let Some(rule) = &dialect.states else { return States::default() };
    let files = [Store::User, Store::Project].into_iter().filter_map(|store| file(world, rule, store)?.ok());
    let mut is_there = false;
    for file in files {
        is_there |= is_not_read(world.fs, &file, "the store of states", findings, pending);
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

/// The contents of a store.
#[derive(Default)]
struct StoredStates {
    /// All bytes; `None` if the file does not exist.
    bytes: Option<Vec<u8>>,
    /// All fields.
    fields: Vec<(String, Json)>,
    /// The field `skills`: a state for each key.
    skills: Vec<(String, Json)>,
}

/// Reads a store. One that does not exist is empty. A symlink of the project's store that leads out of the project is
/// not followed, as messages quote what is in a store.
fn read_states(world: &World<'_>, file: &FsPath, store: Store) -> Result<StoredStates, JsonFileError> {
    let containment = world.places.containment(Vec::new()).filter(|_| store == Store::Project);
    let files = ContainedFs::new(world.fs, containment.as_ref());
    let Some((bytes, json)) = read_json_file(&files, file, MAX_STORE_BYTES)? else {
        return Ok(StoredStates::default());
    };
    match (json.get("skills").cloned(), json) {
        (Some(Json::Map(skills)), Json::Map(fields)) => Ok(StoredStates { bytes: Some(bytes), fields, skills }),
        _ => Err(JsonFileError::Corrupt("expected an object with an object `skills`".to_owned())),
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

fn corrupt(file: &FsPath, reason: &str) -> Diagnostic {
    let message = format!("the state file could not be read: {reason}");
    Diagnostic::new(Severity::Error, Code::JsonFileCorrupt, file.clone(), message)
        .help("fix the file; until then it is ignored, and never overwritten")
}

impl State {
    /// `disable`, `enable` or `active`.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Disabled => "disable",
            State::Enabled => "enable",
            State::Active => "active",
        }
    }

    /// The state of this name.
    pub fn named(word: &str) -> Option<State> {
        match word {
            "disable" => Some(State::Disabled),
            "enable" => Some(State::Enabled),
            "active" => Some(State::Active),
            _ => None,
        }
    }

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
