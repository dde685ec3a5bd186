//! The tool that searches the skills.

use super::engine::{Engine, locked};
use skilltree::offer::{Hits, PromptRow, SearchIndex, SearchRequest};
use skilltree::{Caller, Catalog, FsPath, PromptRequest, World};
use std::sync::Mutex;

pub(super) const FIND: &str = "find_skills";

/// How many skills are found at most.
pub(super) const MAX_FOUND: u64 = 50;

/// The index of the catalog that was searched last.
#[derive(Default)]
pub(super) struct Search(Mutex<Option<SearchIndex>>);

impl Search {
    /// Searches the skills that the model may see.
    pub(super) fn find(&self, world: &World<'_>, catalog: &Catalog, query: &str, limit: Option<u64>) -> Hits {
        let mut request = SearchRequest::new(query, Caller::Model);
        if let Some(limit) = limit.and_then(|limit| usize::try_from(limit.clamp(1, MAX_FOUND)).ok()) {
            request.limit = limit;
        }
        let mut index = locked(&self.0);
        match index.as_mut() {
            Some(index) => index.update_with_bodies(world, catalog),
            None => *index = Some(SearchIndex::with_bodies(world, catalog)),
        }
        index.as_ref().map_or_else(|| SearchIndex::new(catalog).search(&request), |index| index.search(&request))
    }
}

/// What was found, as rows of the prompt.
pub(super) fn rows(engine: &Engine, catalog: &Catalog, found: &Hits) -> String {
    let world = engine.world();
    let row = |path: &FsPath| {
        let skill = catalog.skills().iter().find(|skill| skill.path == *path)?;
        Some(PromptRow::of(&world, catalog, skill, &PromptRequest::default()).text)
    };
    let rows: Vec<String> = found.hits.iter().filter_map(|hit| row(&hit.path)).collect();
    match rows.is_empty() {
        true => "No skill matches. Try other words.".to_owned(),
        false => rows.join("\n"),
    }
}
