//! In: the text of a skill that is loaded. Out: the same, or the dialect's note that it was loaded already, where the
//! session was given the very text before. A session may hold more than one conversation, and one may be shortened, so
//! the note comes with what to do where the text is not there. Absent: what the note says.

use super::engine::{Engine, locked};
use super::execute::Execution;
use super::tools::{READ, loaded};
use rmcp::model::{CallToolResult, ContentBlock};
use skilltree::{Caller, Catalog, Digest, Json, LoadRequest, visible};
use std::collections::HashMap;
use std::sync::Mutex;

/// What was sent last of each skill, by key.
#[derive(Default)]
pub(super) struct Sent(Mutex<HashMap<String, Digest>>);

impl Sent {
    /// Whether just this was sent last of the skill. It is what was sent last from now on.
    fn again(&self, key: &str, text: &str) -> bool {
        let digest = Digest::of(text.as_bytes());
        locked(&self.0).insert(key.to_owned(), digest) == Some(digest)
    }
}

/// What a model is given that has called the tool for loading.
pub(super) fn given(engine: &Engine, catalog: &Catalog, execution: Execution) -> CallToolResult {
    let Execution::Done { text, known, key: Some(key) } = execution else { return execution.result() };
    let note = engine.sent.again(&key, &text).then(|| note(engine, catalog, &key)).flatten();
    match note {
        None => loaded(&text, known),
        Some(note) => {
            let mut result = loaded(&note, known.with("already", Some(Json::Bool(true))));
            let help = format!(
                "If they are not in this conversation, call `{READ}` with `skill` set to `{}` and `path` set to \
                     `SKILL.md`.",
                visible(&key)
            );
            result.content.push(ContentBlock::text(help));
            result
        }
    }
}

/// The dialect's note; none where it has none for this skill.
fn note(engine: &Engine, catalog: &Catalog, key: &str) -> Option<String> {
    let skill = catalog.find(key, Caller::Model).ok()?;
    let ask = LoadRequest { already: vec![key.to_owned()], ..LoadRequest::new(Caller::Model) };
    let loaded = skilltree::load(&engine.world(), catalog, skill, &ask).ok()?;
    Some(loaded.text).filter(|text| loaded.already && !text.is_empty())
}
