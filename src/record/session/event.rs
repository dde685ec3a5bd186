//! The events of a session.

use crate::model::skill::Caller;
use crate::text::digest::Digest;

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
    Loaded(Sent),
    /// The message of a skill's command was sent.
    Invoked(Sent),
    /// A task was given to a separate agent, which leaves nothing in this conversation.
    Forked(Sent),
    /// Something was granted to a skill because the host trusts exactly these contents.
    Approved {
        /// The key of the skill.
        key: String,
        /// The digest of the contents of its folder: that of its [`Fingerprint`](crate::model::Fingerprint).
        digest: Digest,
    },
    /// The conversation was compacted.
    Compacted,
}

/// A text of a skill that was sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sent {
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

    /// The text that it has left in the conversation.
    pub(super) fn text_in_context(&self) -> Option<&Sent> {
        match self {
            Event::Loaded(sent) | Event::Invoked(sent) => Some(sent),
            Event::Shown { .. } | Event::Forked(_) | Event::Approved { .. } | Event::Compacted => None,
        }
    }
}
