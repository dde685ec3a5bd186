//! A session as JSON. The form has a version, so that a later one is not read as this one.

use super::Session;
use super::event::{Event, Sent, SessionEvent};
use crate::model::skill::Caller;
use crate::text::digest::Digest;
use crate::text::json::{Fields, Json, JsonError};
use crate::text::order::sort_by;

/// The version of the form.
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
    pub(in crate::record) fn from_value(json: &Json) -> Result<Session, SessionError> {
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

fn add_sent(sent: &Sent, fields: &mut Fields) {
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

fn sent(json: &Json) -> Result<Sent, &'static str> {
    let args = match json.get("args") {
        None => "",
        Some(args) => args.as_text().ok_or("a text `args`")?,
    };
    let by = json.get("by").and_then(Json::as_text).and_then(Caller::parse).ok_or("a `by` that is model or user")?;
    let path = json.get("path").and_then(Json::as_text).ok_or("a text `path`")?;
    Ok(Sent { key: key(json)?, args: args.to_owned(), by, path: path.to_owned(), digest: digest(json)? })
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
