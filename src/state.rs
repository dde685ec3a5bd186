//! In: two stores of states. Out: the state of a skill by its key; and a change, as a file for the host to write.
//! The project's store beats the user's, skill by skill (decisions 19). Absent: writing.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::StateRule;
use crate::fs::FsError;
use crate::path::FsPath;
use crate::skill::State;
use crate::text::escape::visible;
use crate::text::json::Json;
use crate::world::World;
use std::collections::HashMap;

/// How many bytes of a store are read.
const STORE_BYTES: u64 = 4_194_304;

/// The states that the stores give.
#[derive(Default)]
pub(crate) struct States {
    by_key: HashMap<String, State>,
    default: Option<State>,
}

impl States {
    /// The state of a skill; none where the dialect has no states.
    pub(crate) fn of(&self, key: &str) -> Option<State> {
        self.by_key.get(key).copied().or(self.default)
    }
}

/// Reads both stores.
pub(crate) fn states(world: &World<'_>, rule: Option<&StateRule>, findings: &mut Vec<Diagnostic>) -> States {
    let Some(rule) = rule else { return States::default() };
    let mut states = States { by_key: HashMap::new(), default: Some(rule.default) };
    let bases = [(&world.places.home, &rule.user_store), (&world.places.project, &rule.project_store)];
    for (base, path) in bases {
        let Some(file) = base.as_ref().and_then(|base| base.join(path).ok()) else { continue };
        match store(world, &file) {
            Ok(entries) => {
                for (key, word) in entries {
                    let state = State::named(&word).unwrap_or_else(|| {
                        findings.push(unknown(&file, &key, &word));
                        State::Disabled
                    });
                    states.by_key.insert(key, state);
                }
            }
            Err(reason) => findings.push(corrupt(&file, &reason)),
        }
    }
    states
}

/// The entries of a store; none where there is no such file. The error says why it is corrupt.
fn store(world: &World<'_>, file: &FsPath) -> Result<Vec<(String, String)>, String> {
    let head = match world.fs.read(file, STORE_BYTES) {
        Ok(head) => head,
        Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::Pending(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    if (head.bytes.len() as u64) < head.len {
        return Err(format!("it has more than {STORE_BYTES} bytes"));
    }
    let text = std::str::from_utf8(&head.bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let json = Json::parse(text).map_err(|error| error.to_string())?;
    let Some(Json::Map(entries)) = json.get("skills") else {
        return Err("expected an object with the object `skills`".to_owned());
    };
    let word = |value: &Json| value.as_text().map_or_else(|| value.to_string(), str::to_owned);
    Ok(entries.iter().map(|(key, value)| (key.clone(), word(value))).collect())
}

fn unknown(file: &FsPath, key: &str, word: &str) -> Diagnostic {
    let message = format!(
        "the state of `{}` is `{}`, expected disable, enable or active; it is taken for disable",
        visible(key),
        visible(word)
    );
    Diagnostic::new(Severity::Warning, Code::StateUnknown, file.clone(), message)
}

fn corrupt(file: &FsPath, reason: &str) -> Diagnostic {
    let message = format!("the store of states could not be read: {reason}");
    Diagnostic::new(Severity::Error, Code::StoreCorrupt, file.clone(), message)
        .help("mend the file; until then it is not used, and never overwritten")
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
}
