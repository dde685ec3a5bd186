//! The JSON of a replay.

use crate::path::FsPath;
use crate::record::Replay;
use crate::text::json::{Fields, Json};

impl Replay {
    /// `replay`: whether the answer has the same bytes, or what differs first. `path` gives the path of a file as the host spells
    /// it.
    pub fn to_json(&self, path: &dyn Fn(&FsPath) -> String) -> Json {
        let differs = self.differs.as_ref().map_or(Json::Null, |differs| {
            Fields::default()
                .text("what", &differs.what.named(path))
                .text("expected", &differs.expected)
                .text("got", &differs.got)
                .done()
        });
        Fields::default()
            .flag("same", self.is_same())
            .put("differs", differs)
            .put("changed", Json::list(&self.changed, |file| Json::from(path(file))))
            .text("digest", &self.digest.to_string())
            .done()
    }
}
