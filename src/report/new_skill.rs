//! The JSON of a new skill.

use super::path;
use crate::author::new_skill::NewSkill;
use crate::fs::Fs;
use crate::path::FsPath;
use crate::text::json::Json;

impl NewSkill {
    /// `new`: the folder that was written.
    pub fn to_json(&self, fs: &dyn Fs, folder: &FsPath) -> Json {
        Json::map([("path", path(fs, folder))])
    }
}
