//! Makes a [`Catalog`](crate::Catalog) of a [`World`](crate::World) and a dialect, in this order: `settings` reads the
//! settings of the client, `source` finds out which folders are searched, `scan` finds the SKILL.md files in them, and
//! `manifest` reads each file. `resolve` then decides which skill is used for each key, with the `state` and the `choices`
//! of the user, and `visibility`, which decides how each skill is offered. `catalog` looks skills up. A cache makes
//! repeated discoveries fast.

mod beside;
pub(crate) mod catalog;
pub(crate) mod choices;
pub(crate) mod extras;
pub mod given;
pub(crate) mod manifest;
pub(crate) mod order;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod settings;
mod small_file;
pub(crate) mod source;
pub(crate) mod state;
mod visibility;
pub(crate) mod world;

pub use catalog::{FileStatus, SeenFile};
pub use choices::Choices;
pub use source::{Presence, SearchedPlace};
pub use state::{FileWrite, StateChange, States, Store};
pub use world::Override;
