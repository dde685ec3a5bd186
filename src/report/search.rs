//! The JSON of a search.

use super::path;
use crate::diagnostic::Code;
use crate::fs::Fs;
use crate::offer::{Hit, Hits, SearchField};
use crate::text::json::{Fields, Json};

impl Hits {
    /// `search`: the skills that fit a request, the best first. `marks` are the parts of each description that were looked for:
    /// where each starts and ends, in characters.
    pub fn to_json(&self, fs: &dyn Fs) -> Json {
        let hit = |hit: &Hit| {
            Fields::default()
                .text("key", &hit.key)
                .put("path", path(fs, &hit.path))
                .text("description", &hit.description)
                .put("score", Json::Number(hit.score.to_string()))
                .put("matched", Json::list(&hit.matched, |field: &SearchField| Json::from(field.as_str())))
                .some_text("unused", hit.unused.map(Code::as_str))
                .put("marks", marks(self, &hit.description))
                .done()
        };
        Fields::default().text("query", &self.query).put("hits", Json::list(&self.hits, hit)).done()
    }
}

fn marks(hits: &Hits, text: &str) -> Json {
    let (mut bytes, mut chars) = (0, 0);
    let mut place = |end: usize| {
        chars += text.get(bytes..end).map_or(0, |part| part.chars().count());
        bytes = end;
        Json::from(chars)
    };
    Json::list(&hits.marks(text), |mark| Json::List(vec![place(mark.start), place(mark.end)]))
}
