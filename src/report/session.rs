//! The JSON of what is put back.

use crate::record::session::Reattached;
use crate::text::json::{Fields, Json};

impl Reattached {
    /// `session FILE reattach`.
    pub fn to_json(&self) -> Json {
        let missing =
            Json::list(&self.missing, |one| Fields::default().text("key", &one.key).text("reason", &one.reason).done());
        Fields::default()
            .text("text", &self.text)
            .flag("listed", self.is_listed)
            .texts("keys", &self.keys)
            .texts("shortened", &self.shortened)
            .texts("left_out", &self.left_out)
            .put("missing", missing)
            .number("cost", self.cost)
            .number("budget", self.budget)
            .done()
    }
}
