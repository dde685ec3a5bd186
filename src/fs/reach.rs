//! Functions for every [`Fs`]: resolving as much of a path as exists, and reading a whole file up to a limit.

#[cfg(any(feature = "archive", feature = "digest"))]
use super::FilePrefix;
use super::Fs;
#[cfg(any(feature = "archive", feature = "digest"))]
use super::FsError;
use crate::path::FsPath;

/// The path with links resolved, as far as it is there; the rest as it is called.
pub(crate) fn reached(fs: &dyn Fs, path: &FsPath) -> FsPath {
    let mut above = Some(path.clone());
    while let Some(at) = above {
        if let Ok(real) = fs.canonical(&at) {
            return path.below(&at).and_then(|rest| real.join(rest).ok()).unwrap_or(real);
        }
        above = at.parent();
    }
    path.clone()
}

/// How much of a file is read before its length is believed.
#[cfg(any(feature = "archive", feature = "digest"))]
const FIRST_BYTES: u64 = 1_048_576;

/// Reads a whole file of at most `most` bytes; of a larger one, which [`FilePrefix::len`] tells, only the beginning. So a file
/// that is nearly all hole costs no more than its first bytes.
#[cfg(any(feature = "archive", feature = "digest"))]
pub(crate) fn read_bounded(
    most: u64,
    read: impl Fn(u64) -> Result<FilePrefix, FsError>,
) -> Result<FilePrefix, FsError> {
    let all = most.saturating_add(1);
    let first = read(all.min(FIRST_BYTES))?;
    if (first.bytes.len() as u64) < FIRST_BYTES || all <= FIRST_BYTES || most < first.len {
        return Ok(first);
    }
    read(all)
}
