//! Makes a [`Catalog`] of a file system and a dialect, in this order: `settings` reads the settings of the client,
//! `source` finds out which folders are searched, `scan` finds the SKILL.md files in them, `manifest` reads each file,
//! `state` and `choices` read what the user has
//! chosen, `visibility` decides how each skill is offered, `resolve` decides
//! precedence, and `catalog` looks skills up. A cache makes repeated discoveries fast.

mod beside;
pub(crate) mod catalog;
pub(crate) mod choices;
mod json_file;
pub(crate) mod manifest;
pub(crate) mod order;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod settings;
pub(crate) mod source;
pub(crate) mod state;
mod visibility;

pub use catalog::{Catalog, FileStatus, IncrementalDiscovery, SeenFile, discover};
pub use choices::{Choice, Choices, choices, set_choice};
pub use resolve::Shadowed;
pub use source::{Presence, SearchedPlace, searched_places};
pub use state::{Change, FileWrite, States, Store, set_state, states};
