//! In: the name of a folder of a skill. Out: what stands in it: as `contents` has it for serving, without a look at the
//! rest. Absent: digests.

use super::contents::followed;
use super::package::{Package, absent};
use crate::discovery::manifest::is_alone;
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::path::FsPath;
use std::collections::BTreeMap;

/// A folder of a skill by its name, empty for the skill's own; none where there is none, or it is none of the skill's.
fn folder(package: &Package<'_>, name: &str) -> Result<Option<FsPath>, FsError> {
    let dir = package.path(name);
    let is_there = match name {
        "" => true,
        name => {
            !is_alone(&package.at.path) && package.takes(name) && {
                let metadata = package.fs.metadata(&dir)?;
                // The real path tells that no folder on the way is a link.
                metadata.is_some_and(|metadata| metadata.kind == FileKind::Dir && !metadata.link)
                    && absent(package.fs.canonical(&dir))?.as_ref() == Some(&dir)
            }
        }
    };
    Ok(is_there.then_some(dir))
}

/// What stands directly in a folder of a skill, by name: whether it is a folder. As serving lists it.
pub(crate) fn children(package: &Package<'_>, name: &str) -> Result<Option<BTreeMap<String, bool>>, Error> {
    let Some(dir) = folder(package, name)? else { return Ok(None) };
    if is_alone(&package.at.path) {
        return Ok(Some(BTreeMap::from([(package.at.path.name().to_owned(), false)])));
    }
    let mut children = BTreeMap::new();
    for entry in package.fs.list(&dir)? {
        let Ok(path) = dir.child(&entry.name) else { continue };
        let Some(name) = path.below(&package.at.dir).filter(|name| package.takes(name)) else { continue };
        let is_listed = match (entry.lossy, entry.link, entry.kind) {
            (true, ..) => false,
            (_, true, kind) => followed(package, name, kind)?.0.is_none(),
            (_, false, kind) => matches!(kind, FileKind::Dir | FileKind::File),
        };
        if is_listed {
            children.insert(entry.name, entry.kind == FileKind::Dir && !entry.link);
        }
    }
    Ok(Some(children))
}
