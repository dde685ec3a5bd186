//! Puts a complete temporary file in the place of a file without losing what other programs write to that file.
//!
//! The lock of the folder keeps other runs of this program out, but an editor takes no lock and may save at any time.
//! Therefore the old file is compared once more when the new one is complete, and then both are exchanged in one step.
//! The temporary name then has the file that was replaced. If its contents are what was expected, it is removed.
//! Otherwise somebody has saved in between, and both are exchanged again. What comes back then must be the new file; if
//! it is not, somebody has saved once more, and that is put in place. At every moment the name has a complete file.
//!
//! Systems that cannot exchange two files rename the new one over the old one directly after the comparison. One change
//! is not noticed anywhere: that of a program which opened the old file before the exchange, did not truncate it, and
//! writes to it only after the comparison.

use crate::host::dir_handle::DirHandle;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read};

/// How often two files are exchanged before both are kept. Each time, another program has saved within microseconds.
const MAX_EXCHANGES: usize = 8;

/// How many bytes are read of a file that another program has put in place. Larger files are not compared, and kept.
const MAX_OTHER_BYTES: u64 = 67_108_864;

/// How many names are tried for a file that is kept.
const MAX_KEPT_NAMES: usize = 100;

/// What has just been done. Tests let other programs write after each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The folder was opened and locked.
    Opened,
    /// The old file was compared.
    Compared,
    /// The temporary file was written and flushed.
    Flushed,
    /// The old file was compared again.
    ComparedAgain,
    /// The files were exchanged, for the first time or once more.
    Exchanged,
    /// The file that came out of an exchange was read.
    Read,
}

/// How a file is replaced, which tests change.
pub(super) struct Steps<'s> {
    pub(super) after: &'s mut dyn FnMut(Step),
    /// Whether files are exchanged where the system can do it.
    pub(super) exchanges: bool,
}

/// The file to replace.
pub(super) struct Place<'p> {
    pub(super) dir: &'p DirHandle,
    pub(super) name: &'p OsStr,
    /// What the file must contain; `None` if it must not exist.
    pub(super) expected: Option<&'p [u8]>,
}

impl Place<'_> {
    /// Whether the file contains what is expected.
    pub(super) fn is_as_expected(&self) -> io::Result<bool> {
        match self.expected {
            None => Ok(self.dir.metadata(self.name)?.is_none()),
            Some(expected) => {
                Ok(read(self.dir, self.name, expected.len() as u64)?.is_some_and(|found| found == expected))
            }
        }
    }

    /// Puts the file `temporary`, which contains `new`, in place if the file there is as expected, and returns whether it
    /// was. Afterwards there is no temporary file.
    pub(super) fn put(&self, temporary: &str, new: &[u8], steps: &mut Steps<'_>) -> io::Result<bool> {
        let put = self.put_or_leave(temporary, new, steps);
        if !matches!(put, Err(Trouble::Kept(_))) {
            // This fails where the file was renamed. A later run removes what cannot be removed now.
            let _ = self.dir.remove_file(temporary);
        }
        put.map_err(|trouble| match trouble {
            Trouble::Failed(error) | Trouble::Kept(error) => error,
        })
    }

    fn put_or_leave(&self, temporary: &str, new: &[u8], steps: &mut Steps<'_>) -> Result<bool, Trouble> {
        let is_as_expected = self.is_as_expected()?;
        (steps.after)(Step::ComparedAgain);
        if !is_as_expected {
            return Ok(false);
        }
        let Some(expected) = self.expected else {
            return match self.dir.rename_without_replacing(temporary, self.name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
                renamed => Ok(renamed.map(|()| true)?),
            };
        };
        match self.exchange(temporary, steps) {
            Ok(true) => {}
            Ok(false) => return Ok(self.dir.rename(temporary, self.name).map(|()| true)?),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        let replaced = self.read_exchanged(temporary, steps);
        if replaced.as_deref() == Some(expected) {
            return Ok(true);
        }
        self.restore(temporary, replaced, Some(new.to_vec()), steps)
    }

    /// Puts back what another program had written before the exchange, which now has the temporary name. `placed` is
    /// what was put in its place.
    fn restore(
        &self,
        temporary: &str,
        mut replaced: Option<Vec<u8>>,
        mut placed: Option<Vec<u8>>,
        steps: &mut Steps<'_>,
    ) -> Result<bool, Trouble> {
        for _ in 0..MAX_EXCHANGES {
            match self.exchange(temporary, steps) {
                Ok(true) => {}
                // The file was removed or renamed after the exchange.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    match self.dir.rename_without_replacing(temporary, self.name) {
                        Ok(()) => return Ok(false),
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                        Err(_) => break,
                    }
                }
                Ok(false) | Err(_) => break,
            }
            let found = self.read_exchanged(temporary, steps);
            if found.is_some() && found == placed {
                return Ok(false);
            }
            // It was written after the last exchange, so it is newer than what has just been put back.
            placed = std::mem::replace(&mut replaced, found);
        }
        Err(Trouble::Kept(self.keep(temporary)))
    }

    fn exchange(&self, temporary: &str, steps: &mut Steps<'_>) -> io::Result<bool> {
        let exchanged = if steps.exchanges { self.dir.exchange(temporary, self.name) } else { Ok(false) };
        if matches!(exchanged, Ok(true)) {
            (steps.after)(Step::Exchanged);
        }
        exchanged
    }

    /// The contents of the file that came out of an exchange; `None` if it is no file, or too large, or cannot be read.
    fn read_exchanged(&self, temporary: &str, steps: &mut Steps<'_>) -> Option<Vec<u8>> {
        let found = read(self.dir, temporary.as_ref(), MAX_OTHER_BYTES).ok().flatten();
        (steps.after)(Step::Read);
        found
    }

    /// Renames the file of another program that could not be put back, so that no later run removes it.
    fn keep(&self, temporary: &str) -> io::Error {
        for number in 1..=MAX_KEPT_NAMES {
            let mut name = OsString::from(self.name);
            name.push(format!(".conflict-{number}"));
            if self.dir.rename_without_replacing(temporary, &name).is_ok() {
                let name = name.to_string_lossy();
                return io::Error::other(format!(
                    "another program wrote it at the same time; one of the two versions is kept beside it as `{name}`"
                ));
            }
        }
        io::Error::other(format!(
            "another program wrote it at the same time; one of the two versions is kept beside it as `{temporary}`, \
             which the next run removes"
        ))
    }
}

/// Why a file was not put in place.
enum Trouble {
    /// The temporary file is still the one that was to be put in place.
    Failed(io::Error),
    /// The temporary name had the file of another program, which must not be removed.
    Kept(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Failed(error)
    }
}

/// The contents of a file of at most `most` bytes; `None` for a larger one, for no file, and for what is not a file.
fn read(dir: &DirHandle, name: &OsStr, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match dir.open_file(name) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // On Unix a symlink is not opened.
        Err(_) if dir.is_symlink(name) => return Ok(None),
        file => file?,
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || most < metadata.len() {
        return Ok(None);
    }
    let mut found = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut found)?;
    Ok((found.len() as u64 <= most).then_some(found))
}

#[cfg(all(test, unix))]
#[path = "../../../tests/unit/replace.rs"]
mod tests;
