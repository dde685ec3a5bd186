//! Opens a folder by its path. First the symlinks in the path are resolved, except in a folder whose symlinks must not be
//! followed. Then the resolved path is opened name by name from the root, and no name may be a symlink any more. So a
//! folder that is exchanged for a symlink at any time causes an error or has no effect.

use super::DirHandle;
use crate::fs::{FsError, OsFs};
use crate::path::FsPath;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// How many symlinks of one path are followed: the limit of Linux, which then returns ELOOP.
const MAX_SYMLINKS: usize = 40;

/// Why a folder was not opened.
#[derive(Debug)]
pub(in crate::host) enum OpenError {
    /// The path goes through this symlink, which must not be followed.
    Symlink(FsPath),
    /// The operating system returned an error.
    Failed(io::Error),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Failed(error)
    }
}

impl From<FsError> for OpenError {
    fn from(error: FsError) -> OpenError {
        OpenError::Failed(io::Error::other(error))
    }
}

/// The end of a message about a symlink that must not be followed.
pub(in crate::host) fn link_refusal(link: &FsPath) -> String {
    let link = crate::text::escape::visible(link.as_str()).into_owned();
    format!(
        "its path goes through the symbolic link `{link}`; nothing is written through a link that may come from a \
             project; use the real folder, or remove the symlink"
    )
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> io::Error {
        match error {
            OpenError::Symlink(link) => io::Error::other(link_refusal(&link)),
            OpenError::Failed(error) => error,
        }
    }
}

/// Opens a folder. Symlinks in its path are followed, except those in `no_links_in`. If `create_mode` is given, missing
/// folders are created.
pub(in crate::host) fn open(
    disk: &OsFs,
    dir: &FsPath,
    no_links_in: Option<&FsPath>,
    create_mode: Option<u32>,
) -> Result<DirHandle, OpenError> {
    let real = resolve(disk, dir, no_links_in)?;
    open_resolved(disk, dir, &real, create_mode)
}

/// Opens the folder of a file, which may itself be a symlink. Returns the folder and the file's name in it. Missing
/// folders are created.
pub(in crate::host) fn open_parent(
    disk: &OsFs,
    file: &FsPath,
    no_links_in: Option<&FsPath>,
    create_mode: u32,
) -> Result<(DirHandle, OsString), OpenError> {
    let real = resolve(disk, file, no_links_in)?;
    match (real.parent(), real.file_name()) {
        (Some(parent), Some(name)) => Ok((open_resolved(disk, file, parent, Some(create_mode))?, name.to_owned())),
        _ => Err(io::Error::from(ErrorKind::IsADirectory).into()),
    }
}

/// The path with its symlinks resolved. Names that do not exist stay as they are.
fn resolve(disk: &OsFs, path: &FsPath, no_links_in: Option<&FsPath>) -> Result<PathBuf, OpenError> {
    let refusing = RefusingDir::new(disk, no_links_in)?;
    let names = |path: &Path| path.components().rev().map(|name| name.as_os_str().to_owned()).collect::<Vec<_>>();
    let mut real = PathBuf::new();
    let mut ahead = names(&disk.host(path)?);
    // The number of components of the folder whose symlinks must not be followed, while `real` is in that folder.
    let mut inside = refusing.is_everywhere.then_some(0);
    let (mut links, mut is_missing) = (0, false);
    while let Some(name) = ahead.pop() {
        match Path::new(&name).components().next() {
            Some(Component::Normal(_)) if is_missing => real.push(&name),
            Some(Component::Normal(_)) => {
                let next = real.join(&name);
                match fs::symlink_metadata(&next) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {
                        is_missing = true;
                        real = next;
                    }
                    Err(error) => return Err(error.into()),
                    Ok(found) if !found.is_symlink() => {
                        real = next;
                        inside = inside.or(refusing.components_if_same(&real, &found)?);
                    }
                    Ok(_) if inside.is_some() => return Err(symlink_error(disk, &next, path)),
                    Ok(_) if links == MAX_SYMLINKS => {
                        return Err(io::Error::other("there are too many symbolic links in its path").into());
                    }
                    Ok(_) => {
                        links += 1;
                        ahead.extend(names(&fs::read_link(&next)?));
                    }
                }
            }
            Some(Component::ParentDir) if is_missing => return Err(io::Error::from(ErrorKind::NotFound).into()),
            Some(Component::ParentDir) => {
                real.pop();
                inside = inside.filter(|from| *from <= real.components().count());
            }
            Some(Component::RootDir | Component::Prefix(_)) => {
                real.push(&name);
                inside = refusing.is_everywhere.then_some(0);
                // The prefix of a Windows path has no metadata by itself.
                if let Ok(found) = fs::symlink_metadata(&real) {
                    inside = inside.or(refusing.components_if_same(&real, &found)?);
                }
            }
            Some(Component::CurDir) | None => {}
        }
    }
    Ok(real)
}

/// Opens a resolved path name by name. A name that has become a symlink is refused.
fn open_resolved(disk: &OsFs, asked: &FsPath, real: &Path, create_mode: Option<u32>) -> Result<DirHandle, OpenError> {
    let mut at = PathBuf::new();
    let mut opened: Option<DirHandle> = None;
    for component in real.components() {
        let Component::Normal(name) = component else {
            at.push(component);
            continue;
        };
        let dir = match opened.take() {
            Some(dir) => dir,
            None => DirHandle::root(&at)?,
        };
        at.push(name);
        opened = Some(open_child(&dir, name, create_mode).map_err(|error| match dir.is_symlink(name) {
            true => symlink_error(disk, &at, asked),
            false => error.into(),
        })?);
    }
    match opened {
        Some(dir) => Ok(dir),
        None => Ok(DirHandle::root(&at)?),
    }
}

fn open_child(dir: &DirHandle, name: &OsStr, create_mode: Option<u32>) -> io::Result<DirHandle> {
    match (dir.open_dir(name), create_mode) {
        (Err(error), Some(mode)) if error.kind() == ErrorKind::NotFound => dir.open_or_create_dir(name, mode),
        (opened, _) => opened,
    }
}

/// The error for a symlink at this path that must not be followed; or why the path cannot be named.
fn symlink_error(disk: &OsFs, real: &Path, asked: &FsPath) -> OpenError {
    disk.named(real, asked).map_or_else(OpenError::from, OpenError::Symlink)
}

/// The folder whose symlinks must not be followed.
struct RefusingDir {
    /// Whether it is the root above all drives, which some systems do not have as a folder.
    is_everywhere: bool,
    identity: Option<Identity>,
}

impl RefusingDir {
    fn new(disk: &OsFs, dir: Option<&FsPath>) -> Result<RefusingDir, OpenError> {
        let Some(dir) = dir else { return Ok(RefusingDir { is_everywhere: false, identity: None }) };
        let host = match disk.host(dir) {
            Ok(host) => host,
            Err(_) if *dir == FsPath::root() => return Ok(RefusingDir { is_everywhere: true, identity: None }),
            Err(error) => return Err(error.into()),
        };
        match fs::metadata(&host) {
            Ok(found) => Ok(RefusingDir { is_everywhere: false, identity: Some(identity(&host, &found)?) }),
            // No path goes through a folder that does not exist.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(RefusingDir { is_everywhere: false, identity: None })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The number of components of this path, if it is the path of the folder.
    fn components_if_same(&self, real: &Path, found: &Metadata) -> io::Result<Option<usize>> {
        let Some(own) = &self.identity else { return Ok(None) };
        Ok((identity(real, found)? == *own).then(|| real.components().count()))
    }
}

/// Identifies a folder, however its path is spelled.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(_: &Path, found: &Metadata) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    Ok((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> io::Result<Identity> {
    fs::canonicalize(path)
}
