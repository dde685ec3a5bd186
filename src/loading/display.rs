//! What a user interface shows: calls of the load tool and the states of skills. The texts have no colours or cursor movements,
//! so that any front end can use them.

use crate::dialect::Dialect;
use crate::discovery::catalog::Catalog;
use crate::discovery::state::{States, Store};
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::{Skill, State};
use crate::text::escape::{fold, visible};
use crate::text::json::Json;

/// The frames of the spinner, which are shown in a loop.
const SPINNER: &[char] = &['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

impl Dialect {
    /// The lines that a user sees while the load tool is running; `None` if there is no such tool. The caller increments
    /// `frame`.
    ///
    /// ```
    /// let dialect = skilltree::dialect("gencode").unwrap();
    /// assert_eq!(dialect.loading_view(2).as_deref(), Some("⚡Skill\n  ⠹ Loading skill..."));
    /// ```
    pub fn loading_view(&self, frame: usize) -> Option<String> {
        let spinner = SPINNER.get(frame % SPINNER.len()).copied().unwrap_or(' ');
        Some(self.tool.as_ref()?.loading_view(spinner))
    }

    /// The lines that a user sees of a call of the load tool for the skill `asked` that the host refuses, for example as it
    /// runs no commands; `None` if there is no such tool.
    pub fn refused_view(&self, asked: &str, reason: &str) -> Option<String> {
        Some(self.tool.as_ref()?.refused_view(visible(asked).as_ref(), &fold(reason)))
    }
}

impl Catalog {
    /// The lines that a user sees of the skill `asked` that was loaded, or of the refusal to do so; `None` if the dialect has no
    /// load tool.
    pub fn load_view(&self, world: &World<'_>, asked: &str, found: Result<&Skill, &Error>) -> Option<String> {
        let tool = self.dialect().tool.as_ref()?;
        match found {
            Ok(skill) => Some(tool.loaded_view(visible(&skill.key).as_ref(), &skill.resources(world).counted())),
            Err(error) => {
                let reason = tool.refusal_reason(error).unwrap_or_else(|| error.to_string());
                self.dialect().refused_view(asked, &reason)
            }
        }
    }

    /// The lines that a user sees of a call of the load tool with these arguments, which are JSON, once it is answered.
    /// `answer` is the key of the skill, or why there is none. `None` if the dialect has no load tool.
    ///
    /// ```
    /// use skilltree::{Invocation, MemFs, Places, World, call, dialect, discover};
    /// let fs = MemFs::new();
    /// let places = Places::default();
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("gencode").unwrap());
    /// let arguments = r#"{"skill": "tea"}"#;
    /// let answer = call(&world, &catalog, arguments);
    /// let view = catalog.call_view(&world, arguments, answer.as_ref().map(Invocation::key));
    /// assert_eq!(view.as_deref(), Some("⚡Skill(tea)\n  ✗  Skill not found: tea"));
    /// ```
    pub fn call_view(&self, world: &World<'_>, arguments: &str, answer: Result<&str, &Error>) -> Option<String> {
        let tool = self.dialect().tool.as_ref()?;
        match answer {
            Ok(key) => self.load_view(world, key, Ok(self.skills().iter().find(|skill| skill.key == key)?)),
            Err(error) => {
                let arguments = Json::parse(arguments).ok();
                let asked =
                    arguments.as_ref().and_then(|given| given.get(&tool.argument)?.as_text()).unwrap_or_default();
                self.load_view(world, asked, Err(error))
            }
        }
    }

    /// The rows of the skills in use, in the order of the catalog. Empty if the dialect has no states.
    pub fn state_rows(&self, states: &States) -> Vec<StateRow> {
        let row = |skill: &Skill| {
            let stored = states.of(&skill.key)?;
            Some(StateRow {
                key: skill.key.clone(),
                state: skill.state,
                store: states.store(&skill.key).filter(|_| stored == skill.state),
                description: fold(skill.description()).into_owned(),
            })
        };
        self.skills().iter().filter_map(row).collect()
    }
}

/// One row of a list from which a user chooses states.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateRow {
    /// The skill's key.
    pub key: String,
    /// Its state. [`State::symbol`] is its symbol, and [`State::next`] the state after it in the cycle.
    pub state: State,
    /// The store that the state is from; `None` if the state is the default or an override of the host.
    pub store: Option<Store>,
    /// The description, on one line.
    pub description: String,
}
