//! The JSON of a session and of what is put back.

use crate::record::session::{Reattached, Session};
use crate::text::json::{Fields, Json};

/// `session FILE show`: the events, as the file has them.
pub fn session(session: &Session) -> Json {
    session.to_json()
}

/// `session FILE reattach`.
pub fn reattached(back: &Reattached) -> Json {
    let missing =
        Json::list(&back.missing, |one| Fields::default().text("key", &one.key).text("reason", &one.reason).done());
    Fields::default()
        .text("text", &back.text)
        .flag("listed", back.is_listed)
        .texts("keys", &back.keys)
        .texts("shortened", &back.shortened)
        .texts("left_out", &back.left_out)
        .put("missing", missing)
        .number("cost", back.cost)
        .number("budget", back.budget)
        .done()
}
