//! What the model and the user are shown of the skills. Each file has one question:
//!
//! - `list`: what is the section of the system prompt, with a list or with the skills that a message selects? `list/fit`
//!   applies the budget and writes the rows.
//! - `search`: which skills fit a request in words? `search/index` has the words, `search/rank` says how much they count.
//! - `select`: which skills does a message of the user need?
//! - `commands`: which commands may the user type?
//! - `fill`: what does a template say of a skill?

pub(crate) mod commands;
pub(crate) mod fill;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod select;

pub use list::{PromptRow, Query};
pub use search::{Hit, Hits, SearchField, SearchIndex, SearchRequest};
pub use select::Tier;

use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::model::skill::Skill;
use crate::offer::list::PromptRequest;

impl PromptRow {
    /// What the model sees of a skill in the list of the prompt; empty and free for a skill that it does not see.
    ///
    /// ```
    /// use skilltree::offer::PromptRow;
    /// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("claude").unwrap());
    /// let row = PromptRow::of(&world, &catalog, &catalog.skills()[0], &PromptRequest::default());
    /// assert_eq!((row.text.as_str(), row.cost), ("- tea: Makes tea.", 18));
    /// ```
    pub fn of(world: &World<'_>, catalog: &Catalog, skill: &Skill, ask: &PromptRequest) -> PromptRow {
        list::prompt_row(world, catalog, skill, ask)
    }
}
