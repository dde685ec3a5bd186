//! What the model of a connection has been told of the skills: the instructions of the server, the changes since, and
//! the texts of skills.
//!
//! If the same text would be sent again, and the dialect gives a note then, the client gets that note that the skill is
//! already loaded, together with how to read it again: a connection may serve several conversations, and conversations may
//! be shortened. After that, a tool and a prompt put back what was loaded. Of requests without a session nothing is
//! remembered.

use super::convert::loaded;
use super::engine::{Engine, locked};
use super::tools::{self, Execution, FIND, READ};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use skilltree::record::{ReattachRequest, Reattached, SentText, Session};
use skilltree::{
    Caller, Catalog, Commands, Diagnostic, Digest, Error, Fs, Invocation, Json, LoadRequest, Prompt, PromptRequest,
    Skill, World, prompt, visible,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// How many characters of instructions clients pass on; some cut them there.
const MAX_CHARS: usize = 2_000;

/// How often a shorter list is tried.
const TRIES: usize = 8;

/// The instructions for a catalog.
#[derive(Clone, Default)]
pub(super) struct Instructions {
    pub(super) text: String,
    /// Whether they mention the tool that searches, as they do not have all skills with whole descriptions.
    pub(super) mention_find: bool,
}

impl Instructions {
    /// The instructions, and the findings about the section of the prompt.
    pub(super) fn new(world: &World<'_>, catalog: &Catalog) -> (Instructions, Vec<Diagnostic>) {
        let section = prompt(world, catalog, &PromptRequest::default());
        let text = with_paragraph(&section.text, tools::hint(catalog).unwrap_or_default());
        let is_whole = section.left_out.is_empty() && section.shortened_to_fit == 0;
        if is_whole && text.chars().count() <= MAX_CHARS {
            return (Instructions { text, mention_find: false }, section.findings);
        }
        let skills = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).count();
        let hint = format!(
            "{}. Before you start a task, call the tool `{FIND}` \
                with a description of it.",
            total(skills)
        );
        let list = |prompt: Prompt| with_paragraph(&prompt.list, &prompt.notice);
        let text = fitted(world, catalog, &hint, &|prompt| prompt.text)
            .or_else(|| fitted(world, catalog, &hint, &list))
            .unwrap_or(hint);
        (Instructions { text, mention_find: true }, section.findings)
    }
}

fn total(skills: usize) -> String {
    match skills {
        1 => "There is 1 skill, which is not described completely here".to_owned(),
        skills => format!("There are {skills} skills, which are not all described completely here"),
    }
}

/// As much of the section as fits before the hint; `None` if not even its parts besides the list do.
fn fitted(world: &World<'_>, catalog: &Catalog, hint: &str, shown: &dyn Fn(Prompt) -> String) -> Option<String> {
    let mut budget = MAX_CHARS.saturating_sub(hint.chars().count());
    for _ in 0..TRIES {
        let ask = PromptRequest { budget: Some(budget), query: Some("".into()), ..PromptRequest::default() };
        let section = prompt(world, catalog, &ask);
        let (listed, cost) = (section.list.chars().count(), section.cost);
        let text = with_paragraph(&shown(section), hint);
        let excess = text.chars().count().saturating_sub(MAX_CHARS);
        if excess == 0 {
            return Some(text);
        }
        // The unit of the cost depends on the dialect.
        budget = cost.saturating_sub((excess * cost).div_ceil(listed.max(1)) + 1);
    }
    None
}

/// Both texts, with an empty line between them if there are both.
fn with_paragraph(text: &str, paragraph: &str) -> String {
    let gap = if text.is_empty() || paragraph.is_empty() { "" } else { "\n\n" };
    format!("{text}{gap}{paragraph}")
}

/// How many skills are named in one message.
const MAX_NAMED: usize = 20;

/// The skills that the model was told about.
#[derive(Default)]
pub(super) struct Told {
    catalog: Mutex<Option<Catalog>>,
    mentions_find: AtomicBool,
}

impl Told {
    /// Records that the client has the instructions for a catalog, `None` for instructions without skills; and whether
    /// they mention the tool that searches.
    pub(super) fn instructions(&self, catalog: Option<Catalog>, mentions_find: bool) {
        *locked(&self.catalog) = catalog;
        self.mentions_find.fetch_or(mentions_find, Ordering::SeqCst);
    }

    /// Whether a client was told of the tool that searches, which exists from then on.
    pub(super) fn mentions_find(&self) -> bool {
        self.mentions_find.load(Ordering::SeqCst)
    }

    /// Adds what is new since the last time to the result of a call, and remembers it as told.
    pub(super) fn add_news(&self, catalog: &Catalog, result: &mut CallToolResult) {
        let before = locked(&self.catalog).replace(catalog.clone());
        if let Some(news) = news(before.as_ref(), catalog) {
            result.content.push(ContentBlock::text(news));
        }
    }
}

/// What has changed from one catalog to another for the model; `None` for nothing.
fn news(before: Option<&Catalog>, now: &Catalog) -> Option<String> {
    if before == Some(now) {
        return None;
    }
    let (before, now) = (before.map(offered).unwrap_or_default(), offered(now));
    let mut lines = Vec::new();
    for (key, skills) in &now {
        let known = before.get(key).map_or(&[][..], Vec::as_slice);
        let what = if known.len() < skills.len() { "New" } else { "Changed" };
        let is_known = |skill: &&&Skill| known.iter().any(|old| old.description() == skill.description());
        for skill in skills.iter().filter(|skill| !is_known(skill)) {
            lines.push(format!("- {what}: {}: {}", visible(key), visible(&skill.brief())));
        }
    }
    for (key, skills) in &before {
        let left = now.get(key).map_or(0, Vec::len);
        if left < skills.len() {
            let rest = if left == 0 { "" } else { ", of which another skill remains" };
            lines.push(format!("- Removed: {}{rest}", visible(key)));
        }
    }
    let more = lines.len().saturating_sub(MAX_NAMED);
    lines.truncate(MAX_NAMED);
    if 0 < more {
        lines.push(format!("- and {more} more"));
    }
    (!lines.is_empty()).then(|| format!("The skills have changed:\n{}", lines.join("\n")))
}

/// The skills for the model by their keys, of which some clients have several.
fn offered(catalog: &Catalog) -> BTreeMap<&str, Vec<&Skill>> {
    let mut skills = BTreeMap::<&str, Vec<&Skill>>::new();
    for skill in catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)) {
        skills.entry(&skill.key).or_default().push(skill);
    }
    skills
}

/// The tool that puts back what was loaded.
pub(super) const REATTACH: &str = "reattach_skills";
/// The prompt that does the same.
pub(super) const REATTACH_PROMPT: &str = "reattach-skills";
/// What both add in a connection without a session.
pub(super) const LOAD_AGAIN: &str =
    "Which skills were loaded is not recorded here. Load those that you still need again.";

/// How many bytes of a text count as one token of a budget.
const TOKEN_BYTES: usize = 4;

/// What was sent in this connection.
#[derive(Default)]
pub(super) struct Conversation {
    session: Mutex<Session>,
    /// How often it was begun to put back what was loaded.
    begun: AtomicU64,
    /// What was put back last.
    last: tokio::sync::Mutex<Option<PutBack>>,
}

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
    /// What to put back after the conversation was compacted, which is noted as sent: in a session the list and what was
    /// loaded, otherwise the list. Requests that wait for it share an answer that was begun after they came.
    pub(super) async fn reattached(
        engine: &Arc<Engine>,
        catalog: Catalog,
        budget: Option<usize>,
        has_session: bool,
    ) -> Result<Arc<Reattached>, ErrorData> {
        if !has_session {
            let list = move |engine: &Engine| put_back(engine, &mut Session::default(), &catalog, budget);
            return engine.run_blocking(list).await.map(Arc::new);
        }
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
        let put_back = move |engine: &Engine| {
            engine.sync(&of_answer);
            put_back(engine, &mut locked(&engine.conversation.session), &of_answer, budget)
        };
        let back = Arc::new(engine.run_blocking(put_back).await?);
        *last = Some(PutBack { number, budget, catalog, event: this.last_event(), back: Arc::clone(&back) });
        Ok(back)
    }

    fn last_event(&self) -> Option<u64> {
        locked(&self.session).events().last().map(|event| event.number)
    }
}

fn put_back(engine: &Engine, session: &mut Session, catalog: &Catalog, budget: Option<usize>) -> Reattached {
    let world = engine.world();
    let restored =
        |budget| session.reattach(&world, catalog, &ReattachRequest { budget, ..ReattachRequest::default() });
    let mut back = restored(budget);
    if let Some(budget) = budget {
        for _ in 0..TRIES {
            // Clients join the texts of an answer by a newline.
            let cost = losses(catalog, &back).map_or(0, |losses| (losses.len() + 1).div_ceil(TOKEN_BYTES));
            if back.cost == 0 || back.cost + cost <= budget {
                break;
            }
            back = restored(Some(budget.saturating_sub(cost).min(back.cost - 1)));
        }
        back.budget = budget;
    }
    session.record_reattached(&back);
    session.trim();
    back
}

/// What is not restored, or not completely, for the model; `None` for nothing. It is not told why a skill is hidden.
pub(super) fn losses(catalog: &Catalog, back: &Reattached) -> Option<String> {
    let missing = back.missing.iter().map(|one| one.key.as_str());
    let (known, gone): (Vec<&str>, Vec<&str>) = missing.partition(|key| catalog.find(key, Caller::Model).is_ok());
    let rows: [(&str, Vec<&str>); 4] = [
        ("Restored in part", back.shortened.iter().map(String::as_str).collect()),
        ("Left out to fit the budget", back.left_out.iter().map(String::as_str).collect()),
        ("Not restored, load again if needed", known),
        ("No longer available", gone),
    ];
    let named = |keys: &[&str]| keys.iter().map(|key| format!("`{}`", visible(key))).collect::<Vec<_>>().join(", ");
    let rows = rows.iter().filter(|(_, keys)| !keys.is_empty());
    let rows = rows.map(|(what, keys)| format!("{what}: {}.", named(keys)));
    let unlisted = (!back.is_listed).then(|| "The list of skills does not fit the budget.".to_owned());
    let lines: Vec<String> = unlisted.into_iter().chain(rows).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The result of a call of the load tool in a session, with these arguments for the skill.
pub(super) fn given(engine: &Engine, catalog: &Catalog, execution: Execution, args: &str) -> CallToolResult {
    let Execution::Done { text, known, key: Some(key) } = execution else { return execution.result() };
    let gives_note = sent(engine, catalog, &key, &text, args, Caller::Model);
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

/// Notes that the text of a skill is sent in a session. Returns whether the short note is given instead.
fn sent(engine: &Engine, catalog: &Catalog, key: &str, text: &str, args: &str, by: Caller) -> bool {
    let path = catalog.get(key).map(|skill| visible(&engine.setup.fs.display(&skill.path)).into_owned());
    let sent = SentText {
        key: key.to_owned(),
        args: args.to_owned(),
        by,
        path: path.unwrap_or_default(),
        digest: Digest::of(text.as_bytes()),
    };
    let mut session = locked(&engine.conversation.session);
    let gives_note = session.note(catalog.dialect(), sent);
    // A connection may last for long, and the arguments may be long.
    session.trim();
    gives_note
}

/// Invokes a line that the user has chosen as a prompt, which is noted in a session.
pub(super) fn invoked(
    engine: &Engine,
    catalog: &Catalog,
    commands: &Commands,
    line: &str,
    has_session: bool,
) -> Result<Option<Invocation>, Error> {
    if !has_session {
        return skilltree::invoke(&engine.world(), catalog, commands, line);
    }
    let mut session = locked(&engine.conversation.session);
    let invoked = session.invoke(&engine.world(), catalog, commands, line);
    session.trim();
    invoked
}

/// Notes what the commands of an invocation have made of it, which [`invoked`] could not know.
pub(super) fn resumed(engine: &Engine, catalog: &Catalog, execution: &Execution, args: &str) {
    if let Execution::Done { text, key: Some(key), .. } = execution {
        sent(engine, catalog, key, text, args, Caller::User);
    }
}

/// The dialect's note that the skill is already loaded, if it has one.
fn note(engine: &Engine, catalog: &Catalog, key: &str) -> Option<String> {
    let skill = catalog.find(key, Caller::Model).ok()?;
    let ask = LoadRequest { already_loaded: vec![key.to_owned()], ..LoadRequest::new(Caller::Model) };
    let loaded = skilltree::load(&engine.world(), catalog, skill, &ask).ok()?;
    Some(loaded.text).filter(|text| loaded.is_already_loaded && !text.is_empty())
}
