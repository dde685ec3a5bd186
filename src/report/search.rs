//! The JSON of a search.

use crate::answers::{Hit, Hits, SearchField};
use crate::text::json::Json;

/// `search`: the skills that fit a request, the best first.
pub fn hits(hits: &Hits) -> Json {
    let hit = |hit: &Hit| {
        Json::map([
            ("key", Json::from(hit.key.as_str())),
            ("score", Json::Number(hit.score.to_string())),
            ("matched", Json::list(&hit.matched, |field: &SearchField| Json::from(field.as_str()))),
        ])
    };
    Json::map([("query", Json::from(hits.query.as_str())), ("hits", Json::list(&hits.hits, hit))])
}
