//! Remembers the texts of skills that were sent. If the same text would be sent again, the client gets the dialect's
//! note that the skill is already loaded, together with how to read it again: a session may contain several
//! conversations, and conversations may be shortened.

use super::engine::{Engine, locked};
use super::execute::Execution;
use super::tools::{READ, loaded};
use rmcp::model::{CallToolResult, ContentBlock};
use skilltree::{Caller, Catalog, Digest, Json, LoadRequest, visible};
use std::collections::HashMap;
use std::sync::Mutex;

/// The hash of the text that was last sent for each key.
#[derive(Default)]
pub(super) struct Sent(Mutex<HashMap<String, Digest>>);

impl Sent {
    /// Records that the text is sent. Returns whether it is the one that was last sent for the skill.
    fn again(&self, key: &str, text: &str) -> bool {
        let digest = Digest::of(text.as_bytes());
        locked(&self.0).insert(key.to_owned(), digest) == Some(digest)
    }
}

/// The result of a call of the load tool.
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

/// The dialect's note that the skill is already loaded, if it has one.
fn note(engine: &Engine, catalog: &Catalog, key: &str) -> Option<String> {
    let skill = catalog.find(key, Caller::Model).ok()?;
    let ask = LoadRequest { already_loaded: vec![key.to_owned()], ..LoadRequest::new(Caller::Model) };
    let loaded = skilltree::load(&engine.world(), catalog, skill, &ask).ok()?;
    Some(loaded.text).filter(|text| loaded.is_already_loaded && !text.is_empty())
}
