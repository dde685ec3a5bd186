//! From a file system and a dialect to a catalog: which folders are searched, which files are found there, what each
//! says, which of several skills with one key is used, and the same again from a cache.

pub(crate) mod catalog;
pub(crate) mod manifest;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod source;
pub(crate) mod state;

pub use catalog::{Catalog, FileStatus, IncrementalDiscovery, SeenFile, discover};
pub use resolve::Shadowed;
pub use source::{Presence, SearchedPlace, searched_places};
pub use state::{Change, FileWrite, States, Store, set_state, states};
