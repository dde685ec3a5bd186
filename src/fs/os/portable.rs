//! The disk through std alone, for systems that are not Unix (Windows, WASI). There are no directory-relative opens:
//! [`crate::Fs::walk`] and `read_within` are the defaults, so a symlink that is put in place between resolving and
//! opening a path is not noticed.

use super::{Entry, FilePrefix, FsError, Metadata, stamp};
use crate::fs::FileKind;
use crate::path::FsPath;
use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) fn list(host: &Path, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
    let mut entries = Vec::new();
    for found in fs::read_dir(host).map_err(|error| fault(&error, dir))? {
        let found = found.map_err(|error| fault(&error, dir))?;
        let own = found.file_type().map_err(|error| fault(&error, dir))?;
        let link = own.is_symlink();
        let kind = match link {
            true => fs::metadata(found.path()).map_or(FileKind::Broken, |real| kind_of(real.file_type())),
            false => kind_of(own),
        };
        let (name, lossy) = match found.file_name().into_string() {
            Ok(name) => (name, false),
            Err(name) => (name.to_string_lossy().into_owned(), true),
        };
        entries.push(Entry { name, kind, is_symlink: link, is_lossy: lossy });
    }
    entries.sort_unstable_by(|a, b| (&a.name, a.is_lossy, a.kind).cmp(&(&b.name, b.is_lossy, b.kind)));
    Ok(entries)
}

pub(super) fn read(host: &Path, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    let looked = fs::metadata(host).map_err(|error| fault(&error, file))?;
    if !looked.is_file() {
        return Err(FsError::NotAFile(file.clone()));
    }
    read_listed(host, file, at_most)
}

pub(super) fn read_listed(host: &Path, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
    let opened = File::open(host).map_err(|error| fault(&error, file))?;
    let metadata = opened.metadata().map_err(|error| fault(&error, file))?;
    if !metadata.is_file() {
        return Err(FsError::NotAFile(file.clone()));
    }
    let mut bytes = Vec::new();
    opened.take(at_most).read_to_end(&mut bytes).map_err(|error| fault(&error, file))?;
    let got = bytes.len() as u64;
    let len = if got < at_most { got } else { metadata.len().max(got) };
    Ok(FilePrefix { bytes, len, stamp: stamp_of(&metadata) })
}

pub(super) fn metadata(host: &Path, path: &FsPath) -> Result<Metadata, FsError> {
    let own = fs::symlink_metadata(host).map_err(|error| fault(&error, path))?;
    if !own.is_symlink() {
        return Ok(look_of(&own, false));
    }
    let missing = Metadata { kind: FileKind::Broken, is_symlink: true, len: 0, stamp: None };
    Ok(fs::metadata(host).map_or(missing, |real| look_of(&real, true)))
}

#[cfg(windows)]
pub(super) fn canonical(host: &Path, path: &FsPath) -> Result<PathBuf, FsError> {
    fs::canonicalize(host).map_err(|error| fault(&error, path))
}

/// WASI has no call for this: goes name by name.
#[cfg(not(windows))]
pub(super) fn canonical(host: &Path, path: &FsPath) -> Result<PathBuf, FsError> {
    use std::ffi::OsString;
    use std::path::Component;

    /// What Linux allows before it says ELOOP.
    const MAX_LINKS: usize = 40;
    let names =
        |text: &Path| text.components().rev().map(|name| name.as_os_str().to_owned()).collect::<Vec<OsString>>();
    let mut real = PathBuf::new();
    let mut ahead = names(host);
    let mut links = 0;
    while let Some(name) = ahead.pop() {
        match Path::new(&name).components().next() {
            Some(Component::ParentDir) => drop(real.pop()),
            Some(Component::Normal(_)) => {
                let next = real.join(&name);
                if fs::symlink_metadata(&next).map_err(|error| fault(&error, path))?.is_symlink() {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(FsError::SymlinkLoop(path.clone()));
                    }
                    ahead.extend(names(&fs::read_link(&next).map_err(|error| fault(&error, path))?));
                } else {
                    real = next;
                }
            }
            Some(Component::RootDir | Component::Prefix(_)) => real.push(&name),
            Some(Component::CurDir) | None => {}
        }
    }
    Ok(real)
}

fn kind_of(own: FileType) -> FileKind {
    match (own.is_file(), own.is_dir()) {
        (true, _) => FileKind::File,
        (_, true) => FileKind::Dir,
        _ => FileKind::Other,
    }
}

fn look_of(metadata: &fs::Metadata, link: bool) -> Metadata {
    let kind = kind_of(metadata.file_type());
    let len = if kind == FileKind::File { metadata.len() } else { 0 };
    Metadata { kind, is_symlink: link, len, stamp: stamp_of(metadata) }
}

/// std gives no identifier of the file here: its creation stands in.
fn stamp_of(metadata: &fs::Metadata) -> Option<crate::fs::Stamp> {
    let modified = nanos(metadata.modified())?;
    let created = nanos(metadata.created()).unwrap_or(0);
    stamp(modified, modified, metadata.len(), [created, 0])
}

fn nanos(time: io::Result<SystemTime>) -> Option<i128> {
    i128::try_from(time.ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

fn fault(error: &io::Error, path: &FsPath) -> FsError {
    let path = path.clone();
    match error.kind() {
        ErrorKind::NotFound => FsError::NotFound(path),
        ErrorKind::PermissionDenied => FsError::Denied(path),
        ErrorKind::NotADirectory => FsError::NotADirectory(path),
        ErrorKind::IsADirectory => FsError::NotAFile(path),
        _ => FsError::Other { path, message: error.to_string() },
    }
}
