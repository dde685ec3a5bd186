//! The way to a folder. First links are resolved by name, but for those in a folder whose links are not followed; then
//! the real path is opened name by name from the root, where no name may be a link any more. So a folder that is
//! exchanged for a link between the two, or at any later time, is an error or has no effect.

use super::HeldDir;
use crate::fs::{FsError, OsFs};
use crate::path::FsPath;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// How many links are followed on one way: what Linux allows before it says ELOOP.
const MAX_LINKS: usize = 40;

/// Why a folder was not opened.
#[derive(Debug)]
pub(in crate::host) enum NotOpened {
    /// The way leads through this link, which is not followed.
    Link(FsPath),
    /// The system refuses.
    Failed(io::Error),
}

impl From<io::Error> for NotOpened {
    fn from(error: io::Error) -> NotOpened {
        NotOpened::Failed(error)
    }
}

impl From<FsError> for NotOpened {
    fn from(error: FsError) -> NotOpened {
        NotOpened::Failed(io::Error::other(error))
    }
}

/// A sentence about a link that is not followed.
pub(in crate::host) fn refused(link: &FsPath) -> String {
    let link = crate::text::escape::visible(link.as_str()).into_owned();
    format!(
        "its path goes through the symbolic link `{link}`; nothing is written through a link that may come from a \
             project; use the real folder, or remove the symlink"
    )
}

impl From<NotOpened> for io::Error {
    fn from(error: NotOpened) -> io::Error {
        match error {
            NotOpened::Link(link) => io::Error::other(refused(&link)),
            NotOpened::Failed(error) => error,
        }
    }
}

/// Opens a folder. Symbolic links on the way are followed, but for those in `no_links_in`. With a mode, folders that
/// are missing are made.
pub(in crate::host) fn open(
    disk: &OsFs,
    dir: &FsPath,
    no_links_in: Option<&FsPath>,
    make: Option<u32>,
) -> Result<HeldDir, NotOpened> {
    let real = real(disk, dir, no_links_in)?;
    hold(disk, dir, &real, make)
}

/// Opens the folder of a file, whose own name may be a link as well; gives the folder and the file's real name in it.
pub(in crate::host) fn open_parent(
    disk: &OsFs,
    file: &FsPath,
    no_links_in: Option<&FsPath>,
    make: u32,
) -> Result<(HeldDir, OsString), NotOpened> {
    let real = real(disk, file, no_links_in)?;
    match (real.parent(), real.file_name()) {
        (Some(parent), Some(name)) => Ok((hold(disk, file, parent, Some(make))?, name.to_owned())),
        _ => Err(io::Error::from(ErrorKind::IsADirectory).into()),
    }
}

/// The real path, as far as it is there; the rest as it is called.
fn real(disk: &OsFs, path: &FsPath, no_links_in: Option<&FsPath>) -> Result<PathBuf, NotOpened> {
    let refused = Refused::new(disk, no_links_in)?;
    let names = |path: &Path| path.components().rev().map(|name| name.as_os_str().to_owned()).collect::<Vec<_>>();
    let mut real = PathBuf::new();
    let mut ahead = names(&disk.host(path)?);
    // How many names the real path has where the folder begins whose links are not followed.
    let mut inside = refused.everywhere.then_some(0);
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
                        inside = inside.or_else(|| refused.begins(&real, &found));
                    }
                    Ok(_) if inside.is_some() => return Err(NotOpened::Link(named(disk, &next, path))),
                    Ok(_) if links == MAX_LINKS => {
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
                inside = refused.everywhere.then_some(0);
                if let Ok(found) = fs::symlink_metadata(&real) {
                    inside = inside.or_else(|| refused.begins(&real, &found));
                }
            }
            Some(Component::CurDir) | None => {}
        }
    }
    Ok(real)
}

/// Opens a real path name by name. Whatever is a link by now is refused.
fn hold(disk: &OsFs, asked: &FsPath, real: &Path, make: Option<u32>) -> Result<HeldDir, NotOpened> {
    let mut at = PathBuf::new();
    let mut held: Option<HeldDir> = None;
    for component in real.components() {
        at.push(component);
        let Component::Normal(name) = component else {
            continue;
        };
        let here = match held.take() {
            Some(here) => here,
            None => HeldDir::root(at.parent().unwrap_or(Path::new("/")))?,
        };
        held = Some(step(&here, name, make).map_err(|error| match here.is_link(name) {
            true => NotOpened::Link(named(disk, &at, asked)),
            false => error.into(),
        })?);
    }
    match held {
        Some(held) => Ok(held),
        None => Ok(HeldDir::root(&at)?),
    }
}

fn step(here: &HeldDir, name: &OsStr, make: Option<u32>) -> io::Result<HeldDir> {
    match (here.enter(name), make) {
        (Err(error), Some(mode)) if error.kind() == ErrorKind::NotFound => here.enter_or_make(name, mode),
        (entered, _) => entered,
    }
}

/// What a real path is called by the disk.
fn named(disk: &OsFs, real: &Path, asked: &FsPath) -> FsPath {
    disk.named(real, asked).unwrap_or_else(|_| asked.clone())
}

/// The folder whose links are not followed.
struct Refused {
    everywhere: bool,
    root: Option<Identity>,
}

impl Refused {
    fn new(disk: &OsFs, dir: Option<&FsPath>) -> Result<Refused, NotOpened> {
        let Some(dir) = dir else { return Ok(Refused { everywhere: false, root: None }) };
        let host = match disk.host(dir) {
            Ok(host) => host,
            // There are systems that have no root above all drives.
            Err(_) if *dir == FsPath::root() => return Ok(Refused { everywhere: true, root: None }),
            Err(error) => return Err(error.into()),
        };
        match fs::metadata(&host) {
            Ok(found) => Ok(Refused { everywhere: false, root: Some(identity(&host, &found)?) }),
            // Nothing is in it.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Refused { everywhere: false, root: None }),
            Err(error) => Err(error.into()),
        }
    }

    /// The number of names in this path, if it is that of the folder.
    fn begins(&self, real: &Path, found: &Metadata) -> Option<usize> {
        let root = self.root.as_ref()?;
        identity(real, found).is_ok_and(|identity| identity == *root).then(|| real.components().count())
    }
}

/// What tells a folder from every other, however its path is spelled.
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
