//! The JSON of the places that are searched for skills.

use super::path;
use crate::discovery::source::{Presence, SearchedPlace};
use crate::fs::Fs;
use crate::text::json::{Fields, Json};

/// A place where skills are looked for, as under `looked` of a list without skills.
pub(super) fn place(fs: &dyn Fs, place: &SearchedPlace) -> Json {
    let reason = match &place.presence {
        Presence::Unreadable(reason) => Some(reason.as_str()),
        Presence::Exists | Presence::Missing => None,
    };
    Fields::default()
        .text("source", &place.label)
        .put("path", path(fs, &place.path))
        .text("presence", place.presence.as_str())
        .some_text("reason", reason)
        .done()
}
