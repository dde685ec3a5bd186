//! Makes a [`Catalog`] of a [`World`] and a dialect, in this order: `settings` reads the settings of the client, `source`
//! finds out which folders are searched, `scan` finds the SKILL.md files in them, and `manifest` reads each file. `resolve`
//! then decides which skill is used for each key, with the `states` and `choices` of the user, and `visibility`, which
//! decides how each skill is offered. `catalog` looks skills up. A cache makes repeated discoveries fast.

mod beside;
pub(crate) mod catalog;
pub(crate) mod choices;
pub(crate) mod extras;
#[cfg(feature = "digest")]
pub mod given;
mod json_file;
pub(crate) mod manifest;
pub(crate) mod order;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod settings;
pub(crate) mod source;
pub(crate) mod state;
mod visibility;
pub(crate) mod world;

pub use catalog::{Catalog, FileStatus, IncrementalDiscovery, SeenFile, discover};
pub use choices::{Choice, Choices, choices, set_choice};
pub use resolve::Shadowed;
pub use source::{Presence, SearchedPlace, searched_places};
pub use state::{Change, FileWrite, States, Store, set_state, states};
pub use world::{Fingerprint, Host, Override, Places, Trust, World};
