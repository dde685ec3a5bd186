//! The JSON of a converted skill.

use super::path;
use crate::author::convert::Conversion;
use crate::fs::Fs;
use crate::path::FsPath;
use crate::text::json::Json;

impl Conversion {
    /// `convert`: the folder that was written, and what was lost.
    pub fn to_json(&self, fs: &dyn Fs, folder: &FsPath) -> Json {
        let lost = Json::list(&self.lost, |loss| {
            Json::map([("field", Json::from(loss.field.as_str())), ("reason", Json::from(loss.reason.as_str()))])
        });
        Json::map([("path", path(fs, folder)), ("lost", lost)])
    }
}
