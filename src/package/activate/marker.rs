//! The file that marks a folder as a copy, and says what it was made of: the skill's id, its SKILL.md, and each file with
//! its length and stamp. A text that is not of this form marks nothing.

use super::plan::CopyFile;
#[cfg(feature = "host")]
use super::plan::SkillCopy;
use crate::fs::{Fs, Stamp};
use crate::path::FsPath;
use crate::text::json::Json;
use std::collections::BTreeMap;

/// The marker's name, in the copy's folder.
pub(crate) const MARKER: &str = ".skilltree-copy";

/// How many bytes of a marker are read.
const MARKER_BYTES: u64 = 16_777_216;

/// What a marker says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) id: String,
    /// The SKILL.md that the copy was made of.
    pub(super) source: String,
    /// The files by their names in the copy: length, and the stamp of what was copied.
    pub(super) files: BTreeMap<String, (String, Option<String>)>,
}

impl Marker {
    /// Whether a file was copied as it is now. Without a stamp nothing is certain.
    pub(super) fn knows(&self, file: &CopyFile) -> bool {
        let known = self.files.get(&file.to);
        known.is_some_and(|(len, stamp)| *len == file.len.to_string() && stamp.is_some() && *stamp == shown(file.stamp))
    }
}

/// The marker of a copy's folder; `None` if the folder is not a copy.
pub(super) fn read(fs: &dyn Fs, dir: &FsPath) -> Option<Marker> {
    let head = fs.read_within(dir, MARKER, MARKER_BYTES).ok()?;
    let json = Json::parse(std::str::from_utf8(&head.bytes).ok()?).ok()?;
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_text).map(str::to_owned);
    let Some(Json::List(rows)) = json.get("files") else { return None };
    let row = |row: &Json| Some((text(row, "name")?, (text(row, "len")?, text(row, "stamp"))));
    let files = rows.iter().filter_map(row).collect();
    Some(Marker { id: text(&json, "id")?, source: text(&json, "source")?, files })
}

/// The text of the marker for a copy.
#[cfg(feature = "host")]
pub(crate) fn marker(copy: &SkillCopy) -> String {
    let row = |file: &CopyFile| {
        Json::map([("name", Json::from(file.to.as_str())), ("len", Json::from(file.len.to_string()))])
            .with("stamp", shown(file.stamp))
    };
    let json = Json::map([
        ("id", Json::from(copy.id.as_str())),
        ("source", Json::from(copy.source.as_str())),
        ("files", Json::List(copy.files.iter().map(row).collect())),
    ]);
    format!("{json}\n")
}

fn shown(stamp: Option<Stamp>) -> Option<String> {
    stamp.map(|Stamp(parts)| parts.map(|part| format!("{part:x}")).join("."))
}
