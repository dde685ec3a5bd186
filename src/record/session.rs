//! What a conversation has been shown and has loaded: [`Session`], a list of events. Its methods give the same answers as
//! the functions of the same names and note them; whether a text is sent again is decided here alone (rule 29.2).
//! [`Session::reattach`] makes the text that is put back after the conversation was compacted.

use crate::dialect::{Dialect, RepeatedLoad};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::loading::invoke::{Chosen, Invocation, Message, Pending, Wording, Written, chosen, decide, written};
use crate::loading::load::{LoadRequest, Loaded, already_loaded_note, load};
use crate::loading::tool::{Called, called};
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::offer::commands::Commands;
use crate::offer::fill::fill_unescaped;
use crate::offer::list::prompt;
use crate::offer::list::{Prompt, PromptRequest, listing};
use crate::path::FsPath;
use crate::text::budget::PER_TOKEN;
use crate::text::digest::Digest;
use crate::text::escape::visible;
use crate::text::json::{Fields, Json, JsonError};
use crate::text::markdown::whole_paragraphs;
use crate::text::order::sort_by;
use std::collections::HashSet;

/// The size in bytes beyond which [`Session::trim`] keeps only the newest text of each skill.
const MAX_KEPT_BYTES: usize = 1_048_576;

/// What a conversation has been shown and has loaded, as events in order. It has no clock: events have numbers.
///
/// A text that is in the conversation already is not sent again: [`Session::load`] and [`Session::call`] give the dialect's
/// short note if the text that they would send is the one that was sent, and nothing was compacted since (rule 29.2). When
/// the host has compacted the conversation, [`Session::reattach`] says what to put back.
///
/// ```
/// use skilltree::{Caller, FsPath, LoadRequest, MemFs, Places, World, record::Session, dialect, discover};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("agentskills").unwrap());
/// let tea = catalog.find("tea", Caller::Model)?;
///
/// let mut session = Session::default();
/// let ask = LoadRequest::new(Caller::Model);
/// assert!(session.load(&world, &catalog, tea, &ask)?.text.contains("Boil water."));
/// assert!(session.load(&world, &catalog, tea, &ask)?.is_already_loaded);
/// session.compacted();
/// assert!(!session.load(&world, &catalog, tea, &ask)?.is_already_loaded);
///
/// let text = session.to_json().to_string();
/// assert_eq!(Session::from_json(&text).unwrap(), session);
/// # Ok::<(), skilltree::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Sorted, each once.
    events: Vec<SessionEvent>,
}

impl Session {
    /// All events, in order.
    pub fn events(&self) -> &[SessionEvent] {
        &self.events
    }

    /// Adds an event behind all others.
    pub fn add(&mut self, event: Event) {
        let number = self.events.last().map_or(1, |last| last.number.saturating_add(1));
        self.events.push(SessionEvent { number, event });
    }

    /// Notes that the conversation was compacted: what was sent before is no longer in the model's context.
    pub fn compacted(&mut self) {
        self.add(Event::Compacted);
    }

    /// Adds the events of another branch of this session. An event is known by its number and by what happened, so events
    /// that both have are not repeated, and the result is the same in whatever order and parts branches are merged.
    ///
    /// Two branches that did the same as their event of the same number did it once. Of different events with the same
    /// number, a compaction is the last, so that no text counts as sent that might have been compacted.
    ///
    /// ```
    /// use skilltree::record::{Event, Session};
    /// let mut one = Session::default();
    /// one.compacted();
    /// let mut other = one.clone();
    /// other.compacted();
    /// one.merge(&other);
    /// one.merge(&other);
    /// assert_eq!(one, other);
    /// ```
    pub fn merge(&mut self, other: &Session) {
        self.events.extend_from_slice(&other.events);
        sort_by(&mut self.events, Ord::cmp);
        self.events.dedup();
    }

    /// What decides whether a text is sent again: the events since the last compaction that left a text in the conversation.
    #[must_use]
    pub fn texts_in_context(&self) -> Session {
        let start =
            self.events.iter().rposition(|event| matches!(event.event, Event::Compacted)).map_or(0, |at| at + 1);
        let since = self.events.get(start..).unwrap_or_default().iter();
        Session { events: since.filter(|event| event.event.text_in_context().is_some()).cloned().collect() }
    }

    /// Removes older events, for a host that keeps a session for long. Before the last compaction, only the newest text of
    /// each skill is kept, at each path. Since then, of the texts that are not the newest of their skill, those are kept that fit into
    /// 1 048 576 bytes of keys, arguments and paths, the newest first; one that is removed is sent whole when it is asked
    /// for again.
    pub fn trim(&mut self) {
        let (mut newest, mut bytes, mut is_compacted) = (HashSet::new(), 0, false);
        self.events.reverse();
        self.events.retain(|event| {
            let Some(sent) = event.event.text_in_context() else {
                let is_older = is_compacted;
                is_compacted |= matches!(event.event, Event::Compacted);
                return !is_older;
            };
            bytes += size_of::<SessionEvent>() + sent.key.len() + sent.args.len() + sent.path.len();
            newest.insert((sent.key.clone(), sent.path.clone())) || (!is_compacted && bytes <= MAX_KEPT_BYTES)
        });
        self.events.reverse();
    }

    /// The events since the last compaction, newest first.
    fn in_context(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().rev().map(|event| &event.event).take_while(|event| !matches!(event, Event::Compacted))
    }
}

/// An event with its number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct SessionEvent {
    /// Its number: one more than that of the event before it when it was added. Events of two branches that were merged may
    /// have the same number.
    pub number: u64,
    /// What happened.
    pub event: Event,
}

/// What happened in a session.
// A compaction is the last: events of one number are sorted in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Event {
    /// The section of the prompt was shown.
    Shown {
        /// The keys of the listed skills, in the order of the list.
        keys: Vec<String>,
        /// The digest of the section.
        digest: Digest,
    },
    /// The text of a skill was sent, as the load tool gives it.
    Loaded(SentText),
    /// The message of a skill's command was sent.
    Invoked(SentText),
    /// A task was given to a separate agent, which leaves nothing in this conversation.
    Forked(SentText),
    /// Something was granted to a skill because the host trusts exactly these contents.
    Approved {
        /// The key of the skill.
        key: String,
        /// The digest of the contents of its folder: `folder` of [`Trust::Contents`](crate::Trust::Contents).
        digest: Digest,
    },
    /// The conversation was compacted.
    Compacted,
}

/// A text of a skill that was sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SentText {
    /// The key of the skill.
    pub key: String,
    /// The arguments.
    pub args: String,
    /// Who asked for it.
    pub by: Caller,
    /// The SKILL.md, as it is named to the model.
    pub path: String,
    /// The digest of the whole text.
    pub digest: Digest,
}

impl SentText {
    fn new(ask: &LoadRequest, key: &str, path: &str, text: &str) -> SentText {
        let (key, path, digest) = (key.to_owned(), path.to_owned(), Digest::of(text.as_bytes()));
        SentText { key, args: ask.args.clone(), by: ask.caller, path, digest }
    }
}

impl Event {
    /// The word for it in JSON: `shown`, `loaded`, `invoked`, `forked`, `approved` or `compacted`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Event::Shown { .. } => "shown",
            Event::Loaded(_) => "loaded",
            Event::Invoked(_) => "invoked",
            Event::Forked(_) => "forked",
            Event::Approved { .. } => "approved",
            Event::Compacted => "compacted",
        }
    }

    /// The key of the skill that it is about.
    pub fn key(&self) -> Option<&str> {
        match self {
            Event::Loaded(sent) | Event::Invoked(sent) | Event::Forked(sent) => Some(&sent.key),
            Event::Approved { key, .. } => Some(key),
            Event::Shown { .. } | Event::Compacted => None,
        }
    }

    fn text_in_context(&self) -> Option<&SentText> {
        match self {
            Event::Loaded(sent) | Event::Invoked(sent) => Some(sent),
            Event::Shown { .. } | Event::Forked(_) | Event::Approved { .. } | Event::Compacted => None,
        }
    }
}

impl Session {
    /// Like [`prompt`](crate::prompt()). Notes what is shown, unless it was the last that was shown.
    pub fn prompt(&mut self, world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Prompt {
        let prompt = prompt(world, catalog, ask);
        self.extend(shown(&prompt));
        prompt
    }

    /// Like [`load`](crate::load()), but for a text that is in the conversation already it gives the short note, if the
    /// dialect does so. Notes what is sent, unless the text has commands that are to be run first.
    ///
    /// # Errors
    /// The errors of [`load`](crate::load()); nothing is noted then.
    pub fn load(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        skill: &Skill,
        ask: &LoadRequest,
    ) -> Result<Loaded, Error> {
        let mut loaded = load(world, catalog, skill, ask)?;
        let approved = loaded.trust.as_ref().and_then(|trust| trust.approved());
        self.extend(approved.map(|digest| Event::Approved { key: loaded.key.clone(), digest }));
        // By `already_loaded`, the caller has said so; and before its commands have run, the text is not known.
        if loaded.is_already_loaded || !loaded.commands.is_empty() {
            return Ok(loaded);
        }
        let sent = SentText::new(ask, &loaded.key, &loaded.shown_path, &loaded.text);
        if loaded.is_fork {
            self.add(Event::Forked(sent));
        } else if !self.gives_note(catalog.dialect(), &sent) {
            self.add(Event::Loaded(sent));
        } else {
            loaded.text = already_loaded_note(catalog, skill);
            loaded.is_already_loaded = true;
            loaded.body.clear();
            loaded.files.clear();
            loaded.commands.clear();
            loaded.body_at = None;
        }
        Ok(loaded)
    }

    /// Like [`call`](crate::call()), but for a text that is in the conversation already it gives the short note, if the
    /// dialect does so. Notes what is sent. If commands have to be run first, nothing is noted until [`Session::resumed`] is given their output. One file
    /// of a skill is sent each time, and is not noted.
    ///
    /// # Errors
    /// The errors of [`call`](crate::call()); nothing is noted then.
    pub fn call(&mut self, world: &World<'_>, catalog: &Catalog, arguments: &str) -> Result<Invocation, Error> {
        let (skill, ask) = match called(world, catalog, arguments)? {
            Called::Skill(skill, ask) => (skill, ask),
            Called::File(loaded) => return Ok(Invocation::Inline(Message::of_file(*loaded))),
        };
        let invocation = decide(world, catalog, skill, &ask, &Wording::of_tool(catalog))?;
        let path = visible(&world.fs.display(&skill.path)).into_owned();
        Ok(self.sends(catalog, Some(skill), (&ask, path), invocation))
    }

    /// Like [`invoke`](crate::invoke()). Notes what is sent; of several commands in one line, each. What a user types is sent
    /// each time. If commands have to be run first, nothing is noted until [`Session::resumed`] is given their output.
    ///
    /// # Errors
    /// The errors of [`invoke`](crate::invoke()); nothing is noted then.
    pub fn invoke(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        commands: &Commands,
        line: &str,
    ) -> Result<Option<Invocation>, Error> {
        let Some(chosen) = chosen(world, catalog, commands, line)? else { return Ok(None) };
        let before = self.events.len();
        let invocation = self.invoke_all(world, catalog, &chosen);
        if invocation.is_err() {
            self.events.truncate(before);
        }
        invocation.map(Some)
    }

    fn invoke_all(&mut self, world: &World<'_>, catalog: &Catalog, chosen: &Chosen<'_>) -> Result<Invocation, Error> {
        let mut decided = |skill: &Skill| -> Result<Invocation, Error> {
            let invocation = decide(world, catalog, skill, &chosen.ask, &chosen.how)?;
            let path = visible(&world.fs.display(&skill.path)).into_owned();
            Ok(self.sends(catalog, None, (&chosen.ask, path), invocation))
        };
        let mut invocation = decided(chosen.skill)?;
        for other in &chosen.others {
            invocation.add(decided(other)?)?;
        }
        Ok(invocation)
    }

    /// Notes what [`Pending::resume`] has made of the output of the commands, and returns it, or for the model's call of a
    /// text that is in the conversation already the short note.
    pub fn resumed(&mut self, world: &World<'_>, catalog: &Catalog, pending: &Pending, next: Invocation) -> Invocation {
        let skill = catalog.skills().iter().find(|skill| skill.path == pending.path);
        let path = visible(&world.fs.display(&pending.path)).into_owned();
        let skill = skill.filter(|_| pending.ask.caller == Caller::Model);
        self.sends(catalog, skill, (&pending.ask, path), next)
    }

    /// Notes what is sent. `noted` is the skill for which the short note may be given instead.
    fn sends(
        &mut self,
        catalog: &Catalog,
        noted: Option<&Skill>,
        (ask, path): (&LoadRequest, String),
        mut invocation: Invocation,
    ) -> Invocation {
        let approved = invocation.approved();
        let sent = |key: &str, text: &str| SentText::new(ask, key, &path, text);
        let (key, event) = match &mut invocation {
            Invocation::Pending(_) => return invocation,
            Invocation::Fork(fork) => (fork.key.clone(), Some(Event::Forked(sent(&fork.key, &fork.text)))),
            Invocation::Inline(message) => {
                let sent = sent(&message.key, &message.text);
                let is_note = self.gives_note(catalog.dialect(), &sent);
                let event = match (ask.caller, noted) {
                    (Caller::Model, Some(skill)) if is_note => {
                        message.text = already_loaded_note(catalog, skill);
                        message.is_already_loaded = true;
                        None
                    }
                    (Caller::Model, _) => Some(Event::Loaded(sent)),
                    (Caller::User, _) => Some(Event::Invoked(sent)),
                };
                (message.key.clone(), event)
            }
        };
        self.extend(approved.map(|digest| Event::Approved { key, digest }));
        if let Some(event) = event {
            self.add(event);
        }
        invocation
    }

    /// Notes that a text is sent, unless the short note is given instead of it: to the model, of a text that is in the
    /// conversation already, in a dialect that does so. Returns whether it is. For hosts that make the text themselves.
    ///
    /// ```
    /// use skilltree::record::{SentText, Session};
    /// use skilltree::{Caller, Digest, dialect};
    /// let mut session = Session::default();
    /// let sent = |text: &str| SentText {
    ///     key: "tea".to_owned(),
    ///     args: String::new(),
    ///     by: Caller::Model,
    ///     path: "/s/tea/SKILL.md".to_owned(),
    ///     digest: Digest::of(text.as_bytes()),
    /// };
    /// assert!(!session.note(&dialect::claude(), sent("Boil water.")));
    /// assert!(session.note(&dialect::claude(), sent("Boil water.")));
    /// assert!(!session.note(&dialect::claude(), sent("Boil more water.")));
    /// ```
    pub fn note(&mut self, dialect: &Dialect, sent: SentText) -> bool {
        let gives_note = sent.by == Caller::Model && self.gives_note(dialect, &sent);
        if !gives_note {
            self.add(match sent.by {
                Caller::Model => Event::Loaded(sent),
                Caller::User => Event::Invoked(sent),
            });
        }
        gives_note
    }

    /// Whether the short note is given instead of this text.
    fn gives_note(&self, dialect: &Dialect, text: &SentText) -> bool {
        match dialect.load.repeated {
            RepeatedLoad::Note => self.has_text(text),
            RepeatedLoad::Whole => false,
        }
    }

    /// Whether this text is in the conversation: since the last compaction, it was the last that was sent of this skill with
    /// these arguments. An older one would be taken for what no longer holds.
    fn has_text(&self, text: &SentText) -> bool {
        let mut texts = self.in_context().filter_map(Event::text_in_context);
        let last = texts.find(|sent| (&sent.key, &sent.args) == (&text.key, &text.args));
        last.is_some_and(|last| last.digest == text.digest)
    }

    /// Adds what was shown or approved, unless the session has it already as the newest of the skill, or of the section.
    fn extend(&mut self, event: Option<Event>) {
        let Some(event) = event else { return };
        let is_same_kind = |other: &&Event| other.as_str() == event.as_str() && other.key() == event.key();
        if self.in_context().find(is_same_kind) != Some(&event) {
            self.add(event);
        }
    }
}

/// The event for a section of the prompt; `None` for an empty one.
fn shown(prompt: &Prompt) -> Option<Event> {
    let digest = Digest::of(prompt.text.as_bytes());
    (!prompt.text.is_empty()).then(|| Event::Shown { keys: prompt.shown.clone(), digest })
}

const VERSION: &str = "1";

/// Why a text is not a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    Json(#[from] JsonError),
    /// It is larger than [`Session::MAX_BYTES`].
    #[error("expected a session of at most {} bytes, got {bytes}", Session::MAX_BYTES)]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is JSON of another form.
    #[error("expected {expected}{}", .event.map_or_else(String::new, |event| format!(" in event {event}")))]
    Form {
        /// What was expected.
        expected: &'static str,
        /// The position of the event, from 1; `None` outside of the events.
        event: Option<usize>,
    },
}

impl Session {
    /// How many bytes a session has at most as JSON: a list of 10 000 keys is shown about fifty times in so many.
    pub const MAX_BYTES: usize = 16_777_216;

    /// The session as JSON: `{"version": 1, "events": [{"n": 1, "event": "loaded", "key": …, "args": …, "by": …, "path": …,
    /// "digest": …}, …]}`.
    pub fn to_json(&self) -> Json {
        let events = Json::list(&self.events, |SessionEvent { number, event }| {
            let mut fields = Fields::default();
            fields.put("n", Json::Number(number.to_string())).text("event", event.as_str());
            match event {
                Event::Shown { keys, digest } => {
                    fields.texts("keys", keys).text("digest", &digest.to_string());
                }
                Event::Loaded(sent) | Event::Invoked(sent) | Event::Forked(sent) => add_sent(sent, &mut fields),
                Event::Approved { key, digest } => {
                    fields.text("key", key).text("digest", &digest.to_string());
                }
                Event::Compacted => {}
            }
            fields.done()
        });
        Fields::default().put("version", Json::Number(VERSION.to_owned())).put("events", events).done()
    }

    /// Reads what [`Session::to_json`] has written. Unknown fields are ignored.
    ///
    /// ```
    /// use skilltree::record::Session;
    /// let error = Session::from_json(r#"{"version": 2, "events": []}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "expected an object with `version` 1");
    /// let error = Session::from_json(r#"{"version": 1, "events": [{"n": 1, "event": "lost"}]}"#).unwrap_err();
    /// assert!(error.to_string().ends_with("in event 1"));
    /// ```
    ///
    /// # Errors
    /// [`SessionError`] for a text that is too large, that is not JSON, or that has another form.
    pub fn from_json(text: &str) -> Result<Session, SessionError> {
        if Session::MAX_BYTES < text.len() {
            return Err(SessionError::TooLarge { bytes: text.len() });
        }
        Session::from_value(&Json::parse_unique(text)?)
    }

    /// Like [`Session::from_json`], for JSON that has been parsed.
    pub(crate) fn from_value(json: &Json) -> Result<Session, SessionError> {
        let form = |expected| SessionError::Form { expected, event: None };
        if json.get("version") != Some(&Json::Number(VERSION.to_owned())) {
            return Err(form("an object with `version` 1"));
        }
        let Some(Json::List(items)) = json.get("events") else { return Err(form("a list `events`")) };
        let mut events = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let failed = |expected| SessionError::Form { expected, event: Some(at + 1) };
            events.push(read_event(item).map_err(failed)?);
        }
        // A file that was merged by hand is sorted like one that was merged here.
        sort_by(&mut events, Ord::cmp);
        events.dedup();
        Ok(Session { events })
    }
}

fn add_sent(sent: &SentText, fields: &mut Fields) {
    fields
        .text("key", &sent.key)
        .some_text("args", Some(sent.args.as_str()).filter(|args| !args.is_empty()))
        .text("by", sent.by.as_str())
        .text("path", &sent.path)
        .text("digest", &sent.digest.to_string());
}

/// Reads an event. The error is what was expected.
fn read_event(json: &Json) -> Result<SessionEvent, &'static str> {
    let number = match json.get("n") {
        Some(Json::Number(number)) => number.parse().map_err(|_| "a whole number `n`")?,
        _ => return Err("a whole number `n`"),
    };
    let event = match json.get("event").and_then(Json::as_text) {
        Some("shown") => Event::Shown { keys: keys(json)?, digest: digest(json)? },
        Some("loaded") => Event::Loaded(sent(json)?),
        Some("invoked") => Event::Invoked(sent(json)?),
        Some("forked") => Event::Forked(sent(json)?),
        Some("approved") => Event::Approved { key: key(json)?, digest: digest(json)? },
        Some("compacted") => Event::Compacted,
        _ => return Err("an `event` that is shown, loaded, invoked, forked, approved or compacted"),
    };
    Ok(SessionEvent { number, event })
}

fn sent(json: &Json) -> Result<SentText, &'static str> {
    let args = match json.get("args") {
        None => "",
        Some(args) => args.as_text().ok_or("a text `args`")?,
    };
    let by = json.get("by").and_then(Json::as_text).and_then(Caller::named).ok_or("a `by` that is model or user")?;
    let path = json.get("path").and_then(Json::as_text).ok_or("a text `path`")?;
    Ok(SentText { key: key(json)?, args: args.to_owned(), by, path: path.to_owned(), digest: digest(json)? })
}

fn key(json: &Json) -> Result<String, &'static str> {
    json.get("key").and_then(Json::as_text).map(str::to_owned).ok_or("a text `key`")
}

fn keys(json: &Json) -> Result<Vec<String>, &'static str> {
    const EXPECTED: &str = "a list of texts `keys`";
    let Some(Json::List(keys)) = json.get("keys") else { return Err(EXPECTED) };
    keys.iter().map(|key| key.as_text().map(str::to_owned).ok_or(EXPECTED)).collect()
}

fn digest(json: &Json) -> Result<Digest, &'static str> {
    let text = json.get("digest").and_then(Json::as_text);
    text.and_then(Digest::parse).ok_or("a `digest` of the form `sha256:` and 64 hexadecimal digits")
}

/// What stands between the list and the skills.
const BETWEEN: &str = "\n\n";

/// How much may be put back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReattachRequest {
    /// The most that the whole text may cost, in tokens, of which a text costs one for every four bytes or part of four.
    /// `None` for the list of the prompt and as much of the skills as the dialect allows.
    pub budget: Option<usize>,
    /// The size of the context window in tokens, if it is known, for the list of the prompt.
    pub window: Option<usize>,
}

/// What to put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reattached {
    /// The text: the section of the prompt, then the skills.
    pub text: String,
    /// Whether the section of the prompt is in the text. It is not if even its shortest list does not fit.
    pub is_listed: bool,
    /// The keys of the skills that are put back, in the order of the text: the newest first.
    pub keys: Vec<String>,
    /// Those of `keys` of which only a part fits.
    pub shortened: Vec<String>,
    /// The keys of the skills that do not fit, the newest first.
    pub left_out: Vec<String>,
    /// The skills that cannot be put back: they are gone, or hidden from whoever has loaded them.
    pub missing: Vec<MissingSkill>,
    /// What the text costs, in tokens.
    pub cost: usize,
    /// The most that it may cost, in tokens.
    pub budget: usize,
    events: Vec<Event>,
}

/// A skill that cannot be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSkill {
    /// Its key.
    pub key: String,
    /// Why.
    pub reason: String,
}

impl Session {
    /// What to put back after a conversation was compacted: the section of the prompt, then each skill that was loaded or
    /// invoked once, the newest first and as it was last asked for (rule 29.4). A skill is read again, and what does not fit
    /// is cut after a whole paragraph, with the path where the rest is. After the first skill that the budget cuts, no other
    /// is put back.
    ///
    /// The host shows [`Reattached::text`] to the model and passes the answer to [`Session::record_reattached`].
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::record::{ReattachRequest, Session};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("claude").unwrap());
    /// let mut session = Session::default();
    /// session.call(&world, &catalog, r#"{"skill": "tea"}"#)?;
    /// let back = session.reattach(&world, &catalog, &ReattachRequest::default());
    /// assert_eq!(back.keys, ["tea"]);
    /// assert!(back.text.contains("Boil water.") && back.cost <= back.budget);
    /// session.record_reattached(&back);
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    pub fn reattach(&self, world: &World<'_>, catalog: &Catalog, ask: &ReattachRequest) -> Reattached {
        let rule = &catalog.dialect().reattach;
        let limit = ask.budget.map(bytes);
        let mut back = Reattached::default();
        if let Some(section) = section(world, catalog, ask.window, limit) {
            back.events.extend(shown(&section));
            back.text = section.text;
            back.is_listed = true;
        }
        back.budget = ask.budget.unwrap_or_else(|| tokens(back.text.len()).saturating_add(rule.all));
        let mut room = bytes(rule.all).min(bytes(back.budget).saturating_sub(back.text.len()));
        let (mut is_full, mut known) = (false, HashSet::new());
        for (event, sent) in newest_of_each(self) {
            let found = sent_skill(world, catalog, sent);
            // Two paths may lead to one skill, which was moved or is gone.
            if !known.insert(found.as_ref().map_or(sent.key.as_str(), |skill| skill.path.as_str())) {
                continue;
            }
            let skill = match found {
                Ok(_) if is_full => {
                    back.left_out.push(sent.key.clone());
                    continue;
                }
                Ok(skill) => written_again(world, catalog, skill, event, sent),
                Err(error) => Err(error.to_string()),
            };
            let skill = match skill {
                Ok(skill) if skill.loaded.commands.is_empty() => skill,
                failed => {
                    let reason =
                        failed.err().unwrap_or_else(|| "the commands in its text have to be run again".to_owned());
                    back.missing.push(MissingSkill { key: sent.key.clone(), reason });
                    continue;
                }
            };
            let between = if back.text.is_empty() { "" } else { BETWEEN };
            let share = bytes(rule.each).min(room.saturating_sub(between.len()));
            is_full = share < bytes(rule.each) && share < skill.text.len();
            let Some((text, is_cut)) = cut(catalog, &skill, share) else {
                back.left_out.push(sent.key.clone());
                continue;
            };
            room = room.saturating_sub(between.len() + text.len());
            back.text.push_str(between);
            back.text.push_str(&text);
            back.keys.push(sent.key.clone());
            if is_cut {
                back.shortened.push(sent.key.clone());
            }
            let sent = SentText { digest: Digest::of(text.as_bytes()), path: skill.loaded.shown_path, ..sent.clone() };
            back.events.push(if matches!(event, Event::Invoked(_)) {
                Event::Invoked(sent)
            } else {
                Event::Loaded(sent)
            });
        }
        back.cost = tokens(back.text.len());
        back
    }

    /// Notes that the conversation was compacted and that this was put back: the section of the prompt is shown, and the
    /// skills are loaded, the newest last. A skill of which only a part was put back is sent whole when it is loaded.
    pub fn record_reattached(&mut self, back: &Reattached) {
        self.compacted();
        let is_shown = |event: &&Event| matches!(event, Event::Shown { .. });
        back.events.iter().filter(is_shown).for_each(|event| self.add(event.clone()));
        back.events.iter().filter(|event| !is_shown(event)).rev().for_each(|event| self.add(event.clone()));
    }
}

/// The newest text of each skill at each path, the newest first, whether it was compacted or not.
fn newest_of_each(session: &Session) -> impl Iterator<Item = (&Event, &SentText)> {
    let mut seen = HashSet::new();
    let events = session.events().iter().rev().map(|event| &event.event);
    let texts = events.filter_map(|event| Some((event, event.text_in_context()?)));
    texts.filter(move |(_, sent)| seen.insert((sent.key.as_str(), sent.path.as_str())))
}

/// The skill that was sent, which a path tells from others of its key, or else the one that has its key now.
fn sent_skill<'c>(world: &World<'_>, catalog: &'c Catalog, sent: &SentText) -> Result<&'c Skill, Error> {
    let is_at = |path: &FsPath| visible(&world.fs.display(path)) == sent.path;
    let is_same =
        |skill: &&Skill| skill.key == sent.key && (is_at(&skill.path) || skill.target.as_ref().is_some_and(is_at));
    match catalog.skills().iter().find(is_same) {
        Some(same) => catalog.find_counterpart(same, sent.by),
        None => catalog.find(&sent.key, sent.by),
    }
}

/// The text of a skill as it was asked for, from its present file. The error is the reason why there is none.
fn written_again(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    event: &Event,
    sent: &SentText,
) -> Result<Written, String> {
    let ask = LoadRequest { args: sent.args.clone(), ..LoadRequest::new(sent.by) };
    let how = match (event, &catalog.dialect().commands) {
        (Event::Invoked(_), Some(rule)) => Wording::of_commands(catalog, rule),
        _ => Wording::of_tool(catalog),
    };
    match written(world, catalog, skill, &ask, &how) {
        Ok(skill) if skill.loaded.is_fork => Err("it is a task for a separate agent now".to_owned()),
        Ok(skill) => Ok(skill),
        Err(error) => Err(error.to_string()),
    }
}

/// The section of the prompt, with a shorter list if it is too long; `None` if it does not fit with any list.
fn section(world: &World<'_>, catalog: &Catalog, window: Option<usize>, limit: Option<usize>) -> Option<Prompt> {
    let usual = listing(world, catalog, &PromptRequest { window, ..PromptRequest::default() });
    // A list for a request without words becomes as short as need be (rule 11.16).
    let section =
        |budget| listing(world, catalog, &PromptRequest { budget: Some(budget), window, query: Some("".into()) });
    let limit = limit.unwrap_or(usize::MAX);
    if usual.text.len() <= limit {
        return Some(usual);
    }
    // No list that is as large as the section in any unit fits; the one of size 0 may hold pinned skills.
    let (mut low, mut high, mut best) = (0, usual.text.len(), None);
    while low < high {
        let budget = low + (high - low) / 2;
        let shorter = section(budget);
        // A section without any skill would say that there are none.
        let is_listed = !shorter.shown.is_empty();
        if shorter.text.len() <= limit {
            best = Some(shorter).filter(|_| is_listed).or(best);
            low = budget + 1;
        } else {
            high = budget;
        }
    }
    best
}

/// The text of a skill in at most this many bytes, and whether it was cut. The frame stays around a body that is cut. If there
/// is no room for the frame and a paragraph, the text only says at which path the skill is. `None` if that does not fit either.
fn cut(catalog: &Catalog, skill: &Written, at_most: usize) -> Option<(String, bool)> {
    let Written { loaded, text, body_at } = skill;
    if text.len() <= at_most {
        return Some((text.clone(), false));
    }
    let mut rest = String::new();
    fill_unescaped(&catalog.dialect().reattach.rest, &[("path", &loaded.shown_path)], &mut rest);
    let framed = body_at.and_then(|at| {
        let (before, from_body) = text.split_at_checked(at)?;
        // Arguments that were appended to the body may stand elsewhere.
        let after = from_body.strip_prefix(loaded.body.as_str())?;
        let body = loaded.body.as_str();
        let around = before.len() + after.len() + BETWEEN.len() + rest.len();
        let kept = whole_paragraphs(body, at_most.checked_sub(around)?);
        (!kept.is_empty()).then(|| format!("{before}{kept}{BETWEEN}{rest}{after}"))
    });
    let text = framed.or_else(|| (rest.len() <= at_most).then_some(rest))?;
    Some((text, true))
}

/// What a text of this many bytes costs, in tokens.
fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(PER_TOKEN)
}

/// How many bytes a text has at most that costs this many tokens.
fn bytes(tokens: usize) -> usize {
    tokens.saturating_mul(PER_TOKEN)
}
