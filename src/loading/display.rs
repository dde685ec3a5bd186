//! What a user interface shows: calls of the load tool ([`ToolCallView`], [`load_view`], [`call_view`]) and the states of skills
//! ([`state_rows`]). The texts have no colours or cursor movements, so that any front end can use them.

use crate::dialect::ToolRule;
use crate::discovery::catalog::Catalog;
use crate::discovery::state::{States, Store};
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::{Skill, State};
use crate::package::inventory::{Resources, resources};
use crate::text::escape::{fold, visible};
use crate::text::json::Json;

/// The frames of the spinner, which are shown in a loop.
pub const SPINNER: &[char] = &['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// What a user sees of a call of the load tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolCallView {
    /// The call is running.
    Loading,
    /// The skill is loaded.
    Loaded {
        /// Its key.
        key: String,
        /// Its resources.
        resources: Resources,
    },
    /// The call was refused.
    Refused {
        /// The requested skill.
        asked: String,
        /// Why.
        error: Box<Error>,
    },
}

impl ToolCallView {
    /// The view of a finished call that requested the skill `asked`.
    pub fn of(world: &World<'_>, asked: &str, found: Result<&Skill, &Error>) -> ToolCallView {
        match found {
            Ok(skill) => {
                ToolCallView::Loaded { key: visible(&skill.key).into_owned(), resources: resources(world, skill) }
            }
            Err(error) => ToolCallView::Refused { asked: visible(asked).into_owned(), error: Box::new(error.clone()) },
        }
    }

    /// The lines to show. The caller increments `frame` while the call is running.
    ///
    /// ```
    /// use skilltree::dialect;
    /// use skilltree::loading::ToolCallView;
    /// let table = dialect("gencode").unwrap();
    /// assert_eq!(ToolCallView::Loading.text(table.tool.as_ref().unwrap(), 2), "⚡Skill\n  ⠹ Loading skill...");
    /// ```
    pub fn text(&self, tool: &ToolRule, frame: usize) -> String {
        match self {
            ToolCallView::Loading => {
                let spinner = SPINNER.get(frame % SPINNER.len()).copied().unwrap_or(' ');
                tool.loading_view(spinner)
            }
            ToolCallView::Loaded { key, resources } => tool.loaded_view(key, &resources.counted()),
            ToolCallView::Refused { asked, error } => {
                let reason = tool.refusal_reason(error);
                tool.refused_view(asked, &reason.unwrap_or_else(|| fold(&error.to_string()).into_owned()))
            }
        }
    }
}

/// The lines that a user sees of a skill that was loaded; `None` if the dialect has no load tool.
pub fn load_view(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Option<String> {
    let tool = catalog.dialect().tool.as_ref()?;
    Some(ToolCallView::of(world, &skill.key, Ok(skill)).text(tool, 0))
}

/// The lines that a user sees of a call of the load tool with these arguments, which are JSON, once it is answered.
/// `answer` is the key of the skill, or why there is none. `None` if the dialect has no load tool.
///
/// ```
/// use skilltree::loading::call_view;
/// use skilltree::{Invocation, MemFs, Places, World, call, dialect, discover};
/// let fs = MemFs::new();
/// let places = Places::default();
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("gencode").unwrap());
/// let arguments = r#"{"skill": "tea"}"#;
/// let answer = call(&world, &catalog, arguments);
/// let view = call_view(&world, &catalog, arguments, answer.as_ref().map(Invocation::key));
/// assert_eq!(view.as_deref(), Some("⚡Skill(tea)\n  ✗  Skill not found: tea"));
/// ```
pub fn call_view(
    world: &World<'_>,
    catalog: &Catalog,
    arguments: &str,
    answer: Result<&str, &Error>,
) -> Option<String> {
    let tool = catalog.dialect().tool.as_ref()?;
    match answer {
        Ok(key) => load_view(world, catalog, catalog.skills().iter().find(|skill| skill.key == key)?),
        Err(error) => {
            let arguments = Json::parse(arguments).ok();
            let asked = arguments.as_ref().and_then(|given| given.get(&tool.argument)?.as_text()).unwrap_or_default();
            Some(ToolCallView::of(world, asked, Err(error)).text(tool, 0))
        }
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

/// The rows of the skills in use, in the order of the catalog. Empty if the dialect has no states.
pub fn state_rows(catalog: &Catalog, states: &States) -> Vec<StateRow> {
    let row = |skill: &Skill| {
        let stored = states.of(&skill.key)?;
        Some(StateRow {
            key: skill.key.clone(),
            state: skill.state,
            store: states.store(&skill.key).filter(|_| stored == skill.state),
            description: fold(skill.description()).into_owned(),
        })
    };
    catalog.skills().iter().filter_map(row).collect()
}
