//! Reads and writes the files that this program keeps for its user: sessions, receipts, baselines, the lock and the
//! trusted roots; and writes manual pages and the files of a site. None is read or written through a symlink that lies
//! in the project.

use crate::reply::Failure;
use crate::setup::{Setup, and_above};
use skilltree::discovery::FileWrite;
use skilltree::host::WriteError;
use skilltree::{Fs, FsError, FsPath, OsFs};

/// The text of a file of at most `most` bytes; `None` if there is none. `refused` makes the failure for another file. No
/// symlink in `no_links_in` is followed.
pub(crate) fn read(
    fs: &OsFs,
    no_links_in: Option<&FsPath>,
    path: &FsPath,
    most: usize,
    refused: &dyn Fn(&str) -> Failure,
) -> Result<Option<String>, Failure> {
    if let Some(link) = no_links_in.and_then(|project| link_below(fs, project, path)) {
        return Err(WriteError::Symlink { path: path.clone(), link }.into());
    }
    let bytes = match fs.read(path, most as u64) {
        Ok(prefix) if (prefix.bytes.len() as u64) < prefix.len => {
            return Err(refused(&format!("it is larger than {most} bytes")));
        }
        Ok(prefix) => prefix.bytes,
        // A broken symlink is refused when the file is written.
        Err(FsError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(skilltree::Error::from(error).into()),
    };
    String::from_utf8(bytes).map(Some).map_err(|_| refused("it is not UTF-8"))
}

/// The change that writes such a file. `old` is what it replaces.
pub(crate) fn written(setup: &Setup, path: &FsPath, bytes: Vec<u8>, old: Option<Vec<u8>>) -> FileWrite {
    let mut write = FileWrite::new(path.clone(), bytes, old);
    write.no_links_in = setup.places.no_links_in(&setup.fs).cloned();
    write
}

/// The first symlink on the way to a path that lies in this folder.
fn link_below(fs: &OsFs, folder: &FsPath, path: &FsPath) -> Option<FsPath> {
    let real = fs.canonical(folder).ok()?;
    let ways: Vec<FsPath> = and_above(path).collect();
    let mut is_inside = false;
    for at in ways.into_iter().rev() {
        if is_inside && fs.metadata(&at).is_ok_and(|found| found.is_some_and(|metadata| metadata.is_symlink)) {
            return Some(at);
        }
        is_inside = is_inside || fs.canonical(&at).is_ok_and(|at| at.starts_with(&real));
    }
    None
}
