//! The JSON of a new skill.

use super::path;
use crate::fs::Fs;
use crate::path::FsPath;
use crate::text::json::Json;

/// `new`: the folder that was written.
pub fn new_skill(fs: &dyn Fs, folder: &FsPath) -> Json {
    Json::map([("path", path(fs, folder))])
}
