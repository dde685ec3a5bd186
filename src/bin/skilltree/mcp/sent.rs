//! The session of the conversation: what was sent of skills. If the same text would be sent again, the client gets the
//! dialect's note that the skill is already loaded, together with how to read it again: a connection may serve several
//! conversations, and conversations may be shortened. After that, a tool and a prompt put back what was loaded.

use super::engine::{Engine, locked};
use super::execute::Execution;
use super::tools::{READ, loaded};
use rmcp::model::{CallToolResult, ContentBlock};
use skilltree::answers::{ReattachRequest, Reattached, Sent, Session, reattach};
use skilltree::{Caller, Catalog, Digest, Fs, Json, LoadRequest, visible};
use std::sync::Mutex;

/// The tool that puts back what was loaded.
pub(super) const REATTACH: &str = "reattach_skills";
/// The prompt that does the same.
pub(super) const REATTACH_PROMPT: &str = "reattach-skills";

/// What was sent in this connection.
#[derive(Default)]
pub(super) struct Conversation(Mutex<Session>);

impl Conversation {
    /// What to put back after the conversation was compacted, which is noted as sent.
    pub(super) fn reattached(&self, engine: &Engine, catalog: &Catalog, budget: Option<usize>) -> Reattached {
        let mut session = locked(&self.0);
        let ask = ReattachRequest { budget, ..ReattachRequest::default() };
        let back = reattach(&engine.world(), catalog, &session, &ask);
        session.reattached(&back);
        back
    }
}

/// The result of a call of the load tool with these arguments for the skill.
pub(super) fn given(engine: &Engine, catalog: &Catalog, execution: Execution, args: &str) -> CallToolResult {
    let Execution::Done { text, known, key: Some(key) } = execution else { return execution.result() };
    let path = catalog.get(&key).map(|skill| visible(&engine.setup.fs.display(&skill.path)).into_owned());
    let sent = Sent {
        key: key.clone(),
        args: args.to_owned(),
        by: Caller::Model,
        path: path.unwrap_or_default(),
        digest: Digest::of(text.as_bytes()),
    };
    let is_there = locked(&engine.conversation.0).note(sent);
    let note = is_there.then(|| note(engine, catalog, &key)).flatten();
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
