//! The JSON of a converted skill.

use super::path;
use crate::author::convert::Conversion;
use crate::fs::Fs;
use crate::path::FsPath;
use crate::text::json::Json;

/// `convert`: the folder that was written, and what was lost.
pub fn converted(fs: &dyn Fs, folder: &FsPath, converted: &Conversion) -> Json {
    let lost = Json::list(&converted.lost, |loss| {
        Json::map([("field", Json::from(loss.field.as_str())), ("reason", Json::from(loss.reason.as_str()))])
    });
    Json::map([("path", path(fs, folder)), ("lost", lost)])
}
