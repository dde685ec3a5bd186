//! The JSON of a replay.

use crate::path::FsPath;
use crate::record::Replay;
use crate::text::json::{Fields, Json};

/// `replay`: whether the answer has the same bytes, or what differs first. `path` gives the path of a file as the host spells
/// it.
pub fn replayed(replay: &Replay, path: &dyn Fn(&FsPath) -> String) -> Json {
    let differs = replay.differs.as_ref().map_or(Json::Null, |differs| {
        Fields::default()
            .text("what", &differs.what.named(path))
            .text("expected", &differs.expected)
            .text("got", &differs.got)
            .done()
    });
    Fields::default()
        .flag("same", replay.is_same())
        .put("differs", differs)
        .put("changed", Json::list(&replay.changed, |file| Json::from(path(file))))
        .text("digest", &replay.digest.to_string())
        .done()
}
