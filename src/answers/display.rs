//! In: what became of a call of the load tool; or a catalog and its states. Out: what a user is shown of it, as
//! plain text and rows, for any front end. Absent: colours, cursor movement, the loaded text, which is the model's.

use crate::dialect::ToolRule;
use crate::discovery::catalog::Catalog;
use crate::discovery::state::{States, Store};
use crate::model::error::Error;
use crate::model::skill::{Skill, State};
use crate::model::world::World;
use crate::package::inventory::{Resources, resources};
use crate::text::escape::{fold, visible};

/// The frames of the spinner, one after the other, round and round.
pub const SPINNER: &[char] = &['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// What a user sees of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolCallView {
    /// It is under way.
    Loading,
    /// The skill is loaded.
    Loaded {
        /// Its key.
        key: String,
        /// What it brings along.
        resources: Resources,
    },
    /// It was refused.
    Refused {
        /// What was asked for.
        asked: String,
        /// Why.
        error: Box<Error>,
    },
}

impl ToolCallView {
    /// What became of a call that asked for this skill.
    pub fn of(world: &World<'_>, asked: &str, found: Result<&Skill, &Error>) -> ToolCallView {
        match found {
            Ok(skill) => {
                ToolCallView::Loaded { key: visible(&skill.key).into_owned(), resources: resources(world, skill) }
            }
            Err(error) => ToolCallView::Refused { asked: visible(asked).into_owned(), error: Box::new(error.clone()) },
        }
    }

    /// The lines to show. `frame` counts on while it is loading.
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
    /// Its state, which [`State::mark`] draws and [`State::next`] turns round.
    pub state: State,
    /// The store that gives it the state; none where it has the default, or where the host's override counts.
    pub store: Option<Store>,
    /// What it does, on one line.
    pub description: String,
}

/// The rows of the skills in use, in the catalog's order. Empty where the dialect has no states.
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
