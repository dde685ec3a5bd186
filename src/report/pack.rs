//! The JSON of a packed skill and of an unpacked archive.

use super::path;
use crate::diagnostic::Diagnostic;
use crate::fs::Fs;
#[cfg(feature = "host")]
use crate::host::Unpacked;
use crate::package::bundle::Packed;
use crate::path::FsPath;
use crate::text::json::Json;

impl Packed {
    /// `pack`: the folder in the archive, where the archive lies and how long it is, what it holds.
    pub fn to_json(&self, fs: &dyn Fs, file: &FsPath) -> Json {
        let files = Json::list(&self.files, |file| {
            Json::map([("name", Json::from(file.name.as_str())), ("size", Json::Number(file.size.to_string()))])
        });
        Json::map([
            ("name", Json::from(self.name.as_str())),
            ("file", path(fs, file)),
            ("bytes", Json::Number(self.bytes.len().to_string())),
            ("files", files),
            ("findings", Diagnostic::all_to_json(fs, &self.findings)),
        ])
    }

    /// What is known of a skill that is not packed, or of an archive that is not unpacked: why.
    pub fn refused_json(fs: &dyn Fs, about: &FsPath, found: &[Diagnostic]) -> Json {
        Json::map([("path", path(fs, about)), ("findings", Diagnostic::all_to_json(fs, found))])
    }
}

#[cfg(feature = "host")]
impl Unpacked {
    /// `unpack`: the archive, the folder that was made, what is in it and how many bytes that has.
    pub fn to_json(&self, fs: &dyn Fs, file: &FsPath) -> Json {
        Json::map([
            ("file", path(fs, file)),
            ("folder", path(fs, &self.folder)),
            ("files", Json::from(self.files.as_slice())),
            ("bytes", Json::Number(self.bytes.to_string())),
        ])
    }
}
