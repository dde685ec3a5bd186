//! Reads a small file of JSON or other text completely: a file of states, of settings or of the user's choices, a list
//! of plugins, a store of approvals. How it is written is decided by whoever changes it.

use crate::fs::{Fs, FsError};
use crate::path::FsPath;
use crate::text::json::{Json, JsonError};

pub(crate) enum SmallFileError {
    /// The file system has yet to fetch this path.
    Pending(FsPath),
    /// It cannot be read, is too large, or is not JSON: the reason.
    Corrupt(String),
}

/// Reads a JSON file of at most `max_bytes` bytes: its bytes, and what they say. `None` if there is no such file.
pub(crate) fn read_json_file(
    fs: &dyn Fs,
    file: &FsPath,
    max_bytes: u64,
) -> Result<Option<(Vec<u8>, Json)>, SmallFileError> {
    read_json_file_by(Json::parse, fs, file, max_bytes)
}

/// Like [`read_json_file`], with this function that parses the text.
pub(crate) fn read_json_file_by(
    parse: fn(&str) -> Result<Json, JsonError>,
    fs: &dyn Fs,
    file: &FsPath,
    max_bytes: u64,
) -> Result<Option<(Vec<u8>, Json)>, SmallFileError> {
    let Some(text) = read_text_file(fs, file, max_bytes)? else { return Ok(None) };
    let json = parse(&text).map_err(|error| SmallFileError::Corrupt(error.to_string()))?;
    Ok(Some((text.into_bytes(), json)))
}

/// Reads a file of at most `max_bytes` bytes as text. `None` if there is no such file.
pub(crate) fn read_text_file(fs: &dyn Fs, file: &FsPath, max_bytes: u64) -> Result<Option<String>, SmallFileError> {
    let corrupt = |reason: &str| SmallFileError::Corrupt(reason.to_owned());
    let prefix = match fs.read(file, max_bytes) {
        Ok(prefix) => prefix,
        Err(FsError::NotFound(_)) if is_symlink(fs, file) => {
            return Err(corrupt("broken symlink: its target does not exist"));
        }
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => return Ok(None),
        Err(FsError::Pending(path)) => return Err(SmallFileError::Pending(path)),
        Err(error) => return Err(SmallFileError::Corrupt(error.to_string())),
    };
    if (prefix.bytes.len() as u64) < prefix.len {
        return Err(SmallFileError::Corrupt(format!("it is larger than {max_bytes} bytes")));
    }
    String::from_utf8(prefix.bytes).map(Some).map_err(|_| corrupt("it is not UTF-8"))
}

fn is_symlink(fs: &dyn Fs, file: &FsPath) -> bool {
    matches!(fs.metadata(file), Ok(Some(metadata)) if metadata.is_symlink)
}
