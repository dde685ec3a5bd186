//! The JSON of a packed skill and of an unpacked archive.

use super::{findings, path};
use crate::diagnostic::Diagnostic;
use crate::fs::Fs;
#[cfg(feature = "host")]
use crate::host::Unpacked;
use crate::package::bundle::Packed;
use crate::path::FsPath;
use crate::text::json::Json;

/// `pack`: the folder in the archive, where the archive lies and how long it is, what it holds.
pub fn packed(fs: &dyn Fs, packed: &Packed, file: &FsPath) -> Json {
    let files = packed.files.iter().map(|file| {
        Json::map([("name", Json::from(file.name.as_str())), ("size", Json::Number(file.size.to_string()))])
    });
    Json::map([
        ("name", Json::from(packed.name.as_str())),
        ("file", path(fs, file)),
        ("bytes", Json::Number(packed.bytes.len().to_string())),
        ("files", Json::List(files.collect())),
        ("findings", findings(fs, &packed.findings)),
    ])
}

/// `unpack`: the archive, the folder that was made, what is in it and how many bytes that has.
#[cfg(feature = "host")]
pub fn unpacked(fs: &dyn Fs, file: &FsPath, unpacked: &Unpacked) -> Json {
    Json::map([
        ("file", path(fs, file)),
        ("folder", path(fs, &unpacked.folder)),
        ("files", Json::from(unpacked.files.as_slice())),
        ("bytes", Json::Number(unpacked.bytes.to_string())),
    ])
}

/// What is known of a skill that is not packed, or of an archive that is not unpacked: why.
pub fn not_packed(fs: &dyn Fs, about: &FsPath, found: &[Diagnostic]) -> Json {
    Json::map([("path", path(fs, about)), ("findings", findings(fs, found))])
}
