//! Archives: zip files, which the library reads, and tar archives that are packed with gzip.

mod pack;
mod tarball;

pub(crate) use pack::{PackArgs, UnpackArgs};
pub(crate) use tarball::write;

use skilltree::fs::{ArchiveError, ArchiveFs};
use skilltree::{Diagnostic, Fs};

/// The files in an archive of any kind, and what is refused, with paths below the root.
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn unpacked(bytes: Vec<u8>) -> Result<(Box<dyn Fs + Send + Sync>, Vec<Diagnostic>), String> {
    if bytes.starts_with(&tarball::GZIP) {
        let (files, notes) = tarball::read(&bytes)?;
        return Ok((Box::new(files), notes));
    }
    let archive = ArchiveFs::new(bytes).map_err(|error| match error {
        ArchiveError::NotAnArchive => "neither a complete zip archive nor a file that gzip has packed".to_owned(),
        error => error.to_string(),
    })?;
    let notes = archive.notes().to_vec();
    Ok((Box::new(archive), notes))
}
