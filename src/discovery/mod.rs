//! Makes a [`Catalog`] of a file system and a dialect, in this order: `source` finds out which folders are searched,
//! `scan` finds the SKILL.md files in them, `manifest` reads each file, `state` reads what the user has switched on and
//! off, `resolve` decides precedence, and `catalog` looks skills up. A cache makes repeated discoveries fast.

pub(crate) mod catalog;
mod json_file;
pub(crate) mod manifest;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod source;
pub(crate) mod state;

pub use catalog::{Catalog, FileStatus, IncrementalDiscovery, SeenFile, discover};
pub use resolve::Shadowed;
pub use source::{Presence, SearchedPlace, searched_places};
pub use state::{Change, FileWrite, States, Store, set_state, states};
