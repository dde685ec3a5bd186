//! In: two stores of states. Out: the state of a skill by its key; and a change, as a file for the host to write.
//! The project's store beats the user's, skill by skill (decisions 19). Absent: writing.

mod change;

pub use change::{Change, FileWrite, set_state};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, StateRule};
use crate::fs::{Fs, FsError};
use crate::model::skill::{ContainedFs, State};
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::json::Json;
use std::collections::HashMap;

/// How many bytes of a store are read.
const STORE_BYTES: u64 = 4_194_304;

/// A store of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// The user's, below the home directory.
    User,
    /// The project's, which beats the user's.
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

/// The states that the stores give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    by_key: HashMap<String, (State, Store)>,
    default: Option<State>,
}

impl States {
    /// The state of a skill; none where the dialect has no states.
    pub fn of(&self, key: &str) -> Option<State> {
        self.by_key.get(key).map(|(state, _)| *state).or(self.default)
    }

    /// The store that gives a skill its state; none where it has the default.
    pub fn store(&self, key: &str) -> Option<Store> {
        self.by_key.get(key).map(|(_, store)| *store)
    }
}

/// What both stores say now. Discovery has told of what is wrong with them.
pub fn states(world: &World<'_>, dialect: &Dialect) -> States {
    read(world, dialect.states.as_ref(), &mut Vec::new(), &mut Vec::new())
}

/// Reads both stores; one that is not here yet is pending.
pub(crate) fn read(
    world: &World<'_>,
    rule: Option<&StateRule>,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> States {
    let Some(rule) = rule else { return States::default() };
    let mut states = States { by_key: HashMap::new(), default: Some(rule.default) };
    for store in [Store::User, Store::Project] {
        let Some(file) = file(world, rule, store) else { continue };
        match stored(world, &file, store) {
            Ok(stored) => {
                for (key, value) in stored.skills {
                    let state = named(&value).unwrap_or_else(|| {
                        findings.push(unknown(&file, &key, &value));
                        State::Disabled
                    });
                    states.by_key.insert(key, (state, store));
                }
            }
            Err(Trouble::Pending) => pending.push(file),
            Err(Trouble::Corrupt(reason)) => findings.push(corrupt(&file, &reason)),
        }
    }
    states
}

/// Where a store lies, if its base is there.
fn file(world: &World<'_>, rule: &StateRule, store: Store) -> Option<FsPath> {
    let (base, path) = match store {
        Store::User => (&world.places.home, &rule.user_store),
        Store::Project => (&world.places.project, &rule.project_store),
    };
    base.as_ref()?.join(path).ok()
}

/// What is in a store.
#[derive(Default)]
struct Stored {
    /// All of its bytes; none where there is no file.
    bytes: Option<Vec<u8>>,
    /// All of its fields.
    fields: Vec<(String, Json)>,
    /// The field `skills`.
    skills: Vec<(String, Json)>,
}

/// Why a store is not used.
pub(crate) enum Trouble {
    /// It is not here yet.
    Pending,
    /// What is wrong with it.
    Corrupt(String),
}

/// Reads a store; an empty one where there is no such file. What a link of a project's store leads to outside of the
/// project is not read, as messages show what stands in a store.
fn stored(world: &World<'_>, file: &FsPath, store: Store) -> Result<Stored, Trouble> {
    let containment = world.places.containment(Vec::new()).filter(|_| store == Store::Project);
    let files = ContainedFs::new(world.fs, containment.as_ref());
    let Some((bytes, json)) = read_store(&files, file, STORE_BYTES)? else { return Ok(Stored::default()) };
    match (json.get("skills").cloned(), json) {
        (Some(Json::Map(skills)), Json::Map(fields)) => Ok(Stored { bytes: Some(bytes), fields, skills }),
        _ => Err(Trouble::Corrupt("expected an object with an object `skills`".to_owned())),
    }
}

/// The bytes of a store and the JSON in them; none where there is no such file.
pub(crate) fn read_store(fs: &dyn Fs, file: &FsPath, at_most: u64) -> Result<Option<(Vec<u8>, Json)>, Trouble> {
    let corrupt = |reason: &str| Trouble::Corrupt(reason.to_owned());
    let head = match fs.read(file, at_most) {
        Ok(head) => head,
        Err(FsError::NotFound(_)) if leads_nowhere(fs, file) => {
            return Err(corrupt(
                "broken symlink: its target does \
             not exist",
            ));
        }
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => return Ok(None),
        Err(FsError::Pending(_)) => return Err(Trouble::Pending),
        Err(error) => return Err(Trouble::Corrupt(error.to_string())),
    };
    if (head.bytes.len() as u64) < head.len {
        return Err(Trouble::Corrupt(format!("it is larger than {at_most} bytes")));
    }
    let text = std::str::from_utf8(&head.bytes).map_err(|_| corrupt("it is not UTF-8"))?;
    let json = Json::parse(text).map_err(|error| Trouble::Corrupt(error.to_string()))?;
    Ok(Some((head.bytes, json)))
}

fn leads_nowhere(fs: &dyn Fs, file: &FsPath) -> bool {
    matches!(fs.metadata(file), Ok(Some(metadata)) if metadata.link)
}

fn named(value: &Json) -> Option<State> {
    value.as_text().and_then(State::named)
}

fn unknown(file: &FsPath, key: &str, value: &Json) -> Diagnostic {
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
    Diagnostic::new(Severity::Error, Code::StoreCorrupt, file.clone(), message)
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

    /// The next one round: disable, enable, active, disable.
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

    /// How it is drawn: `○`, `◐`, `●`.
    pub fn mark(self) -> char {
        match self {
            State::Disabled => '○',
            State::Enabled => '◐',
            State::Active => '●',
        }
    }
}
