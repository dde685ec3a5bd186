//! The session of the conversation: what was sent of skills. If the same text would be sent again, and the dialect gives a
//! note then, the client gets that note that the skill is already loaded, together with how to read it again: a connection may serve several
//! conversations, and conversations may be shortened. After that, a tool and a prompt put back what was loaded.

use super::engine::{Engine, locked};
use super::execute::Execution;
use super::results::loaded;
use super::tools::READ;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use skilltree::record::{ReattachRequest, Reattached, SentText, Session};
use skilltree::{Caller, Catalog, Digest, Fs, Json, LoadRequest, visible};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The tool that puts back what was loaded.
pub(super) const REATTACH: &str = "reattach_skills";
/// The prompt that does the same.
pub(super) const REATTACH_PROMPT: &str = "reattach-skills";

/// What was sent in this connection.
#[derive(Default)]
pub(super) struct Conversation {
    session: Mutex<Session>,
    /// How often it was begun to put back what was loaded.
    begun: AtomicU64,
    /// What was put back last.
    last: tokio::sync::Mutex<Option<PutBack>>,
}

/// What was put back.
struct PutBack {
    /// How often it had been begun by then.
    number: u64,
    budget: Option<usize>,
    catalog: Catalog,
    /// The number of the last event then.
    event: Option<u64>,
    back: Arc<Reattached>,
}

impl Conversation {
    /// What to put back after the conversation was compacted, which is noted as sent. Requests that wait for it share an
    /// answer that was begun after they came.
    pub(super) async fn reattached(
        engine: &Arc<Engine>,
        catalog: Catalog,
        budget: Option<usize>,
    ) -> Result<Arc<Reattached>, ErrorData> {
        let this = &engine.conversation;
        let before = this.begun.load(Ordering::SeqCst);
        let mut last = this.last.lock().await;
        let is_shared = |last: &&PutBack| {
            before < last.number && last.budget == budget && last.catalog == catalog && last.event == this.last_event()
        };
        if let Some(last) = last.as_ref().filter(is_shared) {
            return Ok(Arc::clone(&last.back));
        }
        let number = this.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let of_answer = catalog.clone();
        let back = engine.run_blocking(move |engine| engine.conversation.put_back(engine, &of_answer, budget)).await?;
        let back = Arc::new(back);
        *last = Some(PutBack { number, budget, catalog, event: this.last_event(), back: Arc::clone(&back) });
        Ok(back)
    }

    fn put_back(&self, engine: &Engine, catalog: &Catalog, budget: Option<usize>) -> Reattached {
        engine.sync(catalog);
        let mut session = locked(&self.session);
        let ask = ReattachRequest { budget, ..ReattachRequest::default() };
        let back = session.reattach(&engine.world(), catalog, &ask);
        session.reattached(&back);
        // A connection may last for long.
        session.trim();
        back
    }

    fn last_event(&self) -> Option<u64> {
        locked(&self.session).events().last().map(|event| event.number)
    }
}

/// The result of a call of the load tool with these arguments for the skill.
pub(super) fn given(engine: &Engine, catalog: &Catalog, execution: Execution, args: &str) -> CallToolResult {
    let Execution::Done { text, known, key: Some(key) } = execution else { return execution.result() };
    let path = catalog.get(&key).map(|skill| visible(&engine.setup.fs.display(&skill.path)).into_owned());
    let sent = SentText {
        key: key.clone(),
        args: args.to_owned(),
        by: Caller::Model,
        path: path.unwrap_or_default(),
        digest: Digest::of(text.as_bytes()),
    };
    let is_there = locked(&engine.conversation.session).note(sent);
    let gives_note = is_there && catalog.dialect().notes_repeated_loads();
    let note = gives_note.then(|| note(engine, catalog, &key)).flatten();
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
