//! The trait [`Fs`], through which the core reads files, and its implementations. Only [`Fs::list`] and [`Fs::read`]
//! are required; the other methods have defaults, which a file system with symlinks, its own spelling of paths or
//! cheaper walks overrides. Nothing here writes to a disk.

#[cfg(feature = "archive")]
mod archive;
mod cached;
#[cfg(feature = "contract")]
pub mod contract;
mod embedded;
mod flat;
pub(crate) mod interface;
pub(crate) mod mem;
#[cfg(feature = "os")]
pub(crate) mod os;
mod overlay;
#[cfg(feature = "receipts")]
mod recorded;
pub(crate) mod walk;

#[cfg(feature = "archive")]
pub use archive::{ArchiveError, ArchiveFs, ArchiveLimits};
#[cfg(feature = "archive")]
pub(crate) use archive::{ZipFile, zip};
pub use cached::CachedFs;
pub use embedded::EmbeddedFs;
pub use interface::{Action, Entry, FileKind, FilePrefix, Metadata, Stamp, Step, Visit, VisitOutcome, Walk, WalkEntry};
pub(crate) use interface::{Fs, FsError, WalkRule};
pub use mem::FsCall;
#[cfg(feature = "os")]
pub(crate) use os::OsFs;
pub use overlay::OverlayFs;
#[cfg(feature = "receipts")]
pub use recorded::FileRecord;
#[cfg(feature = "receipts")]
pub(crate) use recorded::{FsRecord, RecordedFs};

use crate::path::FsPath;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) fn is_dir(fs: &dyn Fs, path: &FsPath) -> bool {
    matches!(fs.metadata(path), Ok(Some(found)) if found.kind == FileKind::Dir)
}

/// What is behind these locks is complete at any time, so a panic elsewhere leaves nothing incomplete.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The answer about a path; `None` if nothing is there.
pub(crate) fn found<T>(answer: Result<T, FsError>) -> Result<Option<T>, FsError> {
    match answer {
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => Ok(None),
        answer => answer.map(Some),
    }
}

/// The path with symlinks resolved as far as it exists; the names that do not exist are appended unchanged.
pub(crate) fn reached(fs: &dyn Fs, path: &FsPath) -> FsPath {
    let real = |at: FsPath| path.rebased(&at, &fs.canonical(&at).ok()?);
    path.ancestors().find_map(real).unwrap_or_else(|| path.clone())
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

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<F: Fs + ?Sized> Fs for $pointer {
            fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
                (**self).list(dir)
            }

            fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
                (**self).read(file, at_most)
            }

            fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
                (**self).read_listed(file, at_most)
            }

            fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
                (**self).metadata(path)
            }

            fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
                (**self).metadata_all(paths)
            }

            fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
                (**self).canonical(path)
            }

            fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
                (**self).read_within(root, rel, at_most)
            }

            fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
                (**self).confined(root)
            }

            fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
                (**self).walk(ask, out);
            }

            fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
                (**self).display(path)
            }

            fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
                (**self).parse(text, base)
            }
        }
    )*};
}

forward!(&F, Box<F>, Arc<F>);

/// The methods of [`Fs`] by which the file system in a field spells paths.
macro_rules! spelled_by {
    ($field:ident) => {
        fn display<'p>(&self, path: &'p $crate::path::FsPath) -> std::borrow::Cow<'p, str> {
            self.$field.display(path)
        }

        fn parse(&self, text: &str, base: &$crate::path::FsPath) -> Option<$crate::path::FsPath> {
            self.$field.parse(text, base)
        }
    };
}
pub(crate) use spelled_by;
