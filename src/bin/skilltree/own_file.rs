//! Reads and writes the files that this program keeps for its user: sessions and receipts.

use crate::reply::Failure;
use crate::setup::Setup;
use skilltree::discovery::FileWrite;
use skilltree::{Fs, FsError, FsPath, OsFs};

/// The text of a file of at most `most` bytes; `None` if there is none. `refused` makes the failure for another file.
pub(crate) fn read(
    fs: &OsFs,
    path: &FsPath,
    most: usize,
    refused: &dyn Fn(&str) -> Failure,
) -> Result<Option<String>, Failure> {
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

/// The change that writes such a file, which only the user may read. `old` is what it replaces.
pub(crate) fn written(setup: &Setup, path: &FsPath, bytes: Vec<u8>, old: Option<Vec<u8>>) -> FileWrite {
    let mut write = FileWrite::new(path.clone(), bytes, old);
    (write.private, write.no_links_in) = (true, setup.places.no_links_in(&setup.fs).cloned());
    write
}
