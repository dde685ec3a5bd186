//! Functions for every [`Fs`]: resolving as much of a path as exists, and reading a whole file up to a limit.

#[cfg(any(feature = "archive", feature = "digest"))]
use super::FilePrefix;
use super::Fs;
#[cfg(any(feature = "archive", feature = "digest"))]
use super::FsError;
use crate::path::FsPath;

/// The path with symlinks resolved as far as it exists; the names that do not exist are appended unchanged.
pub(crate) fn reached(fs: &dyn Fs, path: &FsPath) -> FsPath {
    let mut above = Some(path.clone());
    while let Some(at) = above {
        if let (Ok(real), Some(rest)) = (fs.canonical(&at), path.strip_root(&at)) {
            return rest.mounted_at(&real);
        }
        above = at.parent();
    }
    path.clone()
}

/// How many bytes of a file are read before its length is trusted.
#[cfg(any(feature = "archive", feature = "digest"))]
const FIRST_BYTES: u64 = 1_048_576;

/// Reads a whole file of at most `most` bytes; of a larger one (see [`FilePrefix::len`]), only the beginning, so a sparse
/// file costs no more than its first bytes.
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
