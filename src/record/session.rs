//! What a conversation has been shown and has loaded: [`Session`], a list of events. Its methods give the same answers as
//! the functions of the same names and note them. `session/note` decides whether a text is sent again, `session/json` reads
//! and writes it, `session/reattach` makes the text that is put back after the conversation was compacted.

mod event;
mod json;
mod note;
mod reattach;

use crate::text::order::sort_by;
use std::collections::HashSet;

pub use event::{Event, Sent, SessionEvent};
pub use json::SessionError;
pub use reattach::{Missing, ReattachRequest, Reattached, reattach};

/// What a conversation has been shown and has loaded, as events in order. It has no clock: events have numbers.
///
/// A text that is in the conversation already is not sent again: [`Session::load`] and [`Session::call`] give the dialect's
/// short note if the text that they would send is the one that was sent, and nothing was compacted since (rule 29.2). When
/// the host has compacted the conversation, [`reattach`] says what to put back.
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

    /// Removes the events that decide about no later answer, for a host that keeps a session for long: before the last
    /// compaction, all but the newest text of each skill that was sent no more since.
    pub fn trim(&mut self) {
        let start = self.events.iter().rposition(|event| matches!(event.event, Event::Compacted)).unwrap_or(0);
        let mut kept = self.events.split_off(start);
        let text_of = |event: &SessionEvent| event.event.text_in_context().map(|sent| sent.key.clone());
        let mut known: HashSet<String> = kept.iter().filter_map(text_of).collect();
        let mut older = std::mem::take(&mut self.events);
        older.reverse();
        older.retain(|event| text_of(event).is_some_and(|key| known.insert(key)));
        older.reverse();
        older.append(&mut kept);
        self.events = older;
    }

    /// The events since the last compaction, newest first.
    fn in_context(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().rev().map(|event| &event.event).take_while(|event| !matches!(event, Event::Compacted))
    }
}
