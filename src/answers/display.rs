//! What a user interface shows: calls of the load tool ([`ToolCallView`]) and the states of skills ([`state_rows`]). The
//! texts have no colours or cursor movements, so that any front end can use them.

use crate::dialect::ToolRule;
use crate::discovery::catalog::Catalog;
use crate::discovery::state::{States, Store};
use crate::model::error::Error;
use crate::model::skill::{Skill, State};
use crate::model::world::World;
use crate::package::inventory::{Resources, resources};
use crate::text::escape::{fold, visible};

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
    /// use skilltree::answers::ToolCallView;
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
