//! What the model and the user are shown of the skills. Each file has one question:
//!
//! - `list`: what is the section of the system prompt, with a list or with the skills that a message selects? `list/fit`
//!   applies the budget and writes the rows.
//! - `search`: which skills fit a request in words? `search/index` has the words, `search/rank` says how much they count.
//! - `select`: which skills does a message of the user need?
//! - `commands`: which commands may the user type?
//! - `fill`: how are templates filled, and how is a value escaped?

pub(crate) mod commands;
pub(crate) mod fill;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod select;

#[cfg(feature = "author")]
pub use list::ListedSkill;
pub use list::{PromptRow, Query};
pub use search::{Hit, Hits, SearchField, SearchIndex, SearchRequest};
pub use select::Tier;
