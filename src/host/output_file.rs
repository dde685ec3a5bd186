//! Writes the output of a command to a temporary file if it is too long for the text that it is inserted into. Only the
//! user can read the file.

use super::private_copy::{create_private_dir, create_private_file, random_hex};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

/// The beginning of the name of a folder that holds a long output. A random number follows.
const PREFIX: &str = "skilltree-output-";

/// The most bytes of a UTF-8 character. An output with more bytes per allowed character is certainly too long.
const MAX_CHAR_BYTES: usize = 4;

/// Collects an output in memory, and moves it to a file once it is certainly too long.
pub(super) struct OutputCollector {
    max_chars: usize,
    /// The whole output, while there is no file.
    buffer: Vec<u8>,
    file: Option<OutputFile>,
    /// The first error. The output is not collected any further after it.
    error: Option<io::Error>,
    bytes: usize,
}

/// A file in a folder of its own. Dropping it removes both, unless the file is to be kept.
struct OutputFile {
    dir: PathBuf,
    file: File,
    is_persistent: bool,
}

impl OutputCollector {
    /// A collector for a text that takes at most `max_chars` characters of the output.
    pub(super) fn new(max_chars: usize) -> OutputCollector {
        OutputCollector { max_chars, buffer: Vec::new(), file: None, error: None, bytes: 0 }
    }

    /// Appends output. An error is reported by [`OutputCollector::finish`].
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.error.is_some() {
            return;
        }
        let added = match &mut self.file {
            Some(file) => file.file.write_all(bytes),
            None => {
                self.buffer.extend_from_slice(bytes);
                match self.max_chars.saturating_mul(MAX_CHAR_BYTES) < self.buffer.len() {
                    true => self.move_to_file(),
                    false => Ok(()),
                }
            }
        };
        self.error = added.err();
    }

    /// The file and its size in bytes; `None` if the output is short enough for the text.
    pub(super) fn finish(mut self) -> io::Result<Option<(PathBuf, usize)>> {
        let text = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        if self.file.is_none() && self.max_chars < String::from_utf8_lossy(text).chars().count() {
            self.move_to_file()?;
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        let Some(mut file) = self.file else { return Ok(None) };
        file.is_persistent = true;
        Ok(Some((file.path(), self.bytes)))
    }

    fn move_to_file(&mut self) -> io::Result<()> {
        let dir = std::env::temp_dir().join(format!("{PREFIX}{}", random_hex()));
        create_private_dir(&dir)?;
        let file = create_private_file(&dir.join(OutputFile::NAME), false)?;
        let file = self.file.insert(OutputFile { dir, file, is_persistent: false });
        file.file.write_all(&std::mem::take(&mut self.buffer))
    }
}

impl OutputFile {
    const NAME: &str = "output.txt";

    fn path(&self) -> PathBuf {
        self.dir.join(OutputFile::NAME)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.is_persistent {
            // If this fails, the system removes the folder together with other temporary files.
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}
