//! In: what a command prints, as it comes. Out: the file that holds all of it, where it is longer than a text takes.
//! The file is the user's alone, and lies in a folder for temporary files. Absent: what of it stands in the text.

use super::private_copy::{private_dir, private_file, unguessable};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

/// What the name of a folder begins with that holds a long output; a random number follows.
const PREFIX: &str = "skilltree-output-";

/// How many bytes a character has at most: what is longer than so many times the characters of a text is too long for it.
const BYTES_OF_CHAR: usize = 4;

/// An output that may become too long for its text.
pub(super) struct Output {
    max_chars: usize,
    /// All of it, as long as there is no file.
    held: Vec<u8>,
    file: Option<OutputFile>,
    failed: Option<io::Error>,
    bytes: usize,
}

/// A file that is removed, unless it is taken.
struct OutputFile {
    dir: PathBuf,
    file: File,
    is_taken: bool,
}

impl Output {
    /// For a text that takes so many characters.
    pub(super) fn new(max_chars: usize) -> Output {
        Output { max_chars, held: Vec::new(), file: None, failed: None, bytes: 0 }
    }

    /// Takes what came.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.failed.is_some() {
            return;
        }
        let taken = match &mut self.file {
            Some(file) => file.file.write_all(bytes),
            None => {
                self.held.extend_from_slice(bytes);
                match self.max_chars.saturating_mul(BYTES_OF_CHAR) < self.held.len() {
                    true => self.put(),
                    false => Ok(()),
                }
            }
        };
        self.failed = taken.err();
    }

    /// The file, and how many bytes are in it; none where the text takes all of the output.
    pub(super) fn finish(mut self) -> io::Result<Option<(PathBuf, usize)>> {
        let text = self.held.strip_suffix(b"\n").unwrap_or(&self.held);
        if self.file.is_none() && self.max_chars < String::from_utf8_lossy(text).chars().count() {
            self.put()?;
        }
        if let Some(error) = self.failed {
            return Err(error);
        }
        let Some(mut file) = self.file else { return Ok(None) };
        file.is_taken = true;
        Ok(Some((file.path(), self.bytes)))
    }

    /// Makes the file of what is held.
    fn put(&mut self) -> io::Result<()> {
        let dir = std::env::temp_dir().join(format!("{PREFIX}{}", unguessable()));
        private_dir(&dir)?;
        let file = private_file(&dir.join(OutputFile::NAME), false)?;
        let file = self.file.insert(OutputFile { dir, file, is_taken: false });
        file.file.write_all(&std::mem::take(&mut self.held))
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
        if !self.is_taken {
            // The folder is meant for what may be removed at any time.
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}
