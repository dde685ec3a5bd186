//! In: the name of one file or folder of a skill. Out: its bytes, or what stands in it: as `contents` has it for
//! serving, without a look at the rest. Absent: digests.

use super::contents::{Looking, Reach, read};
use crate::activate::MARKER;
use crate::error::Error;
use crate::fs::{FsError, Head, Kind};
use crate::manifest::is_alone;
use crate::path::FsPath;
use crate::scan::is_never_entered;
use crate::world::World;
use std::collections::BTreeMap;

/// A folder of a skill by its name, empty for the skill's own; none where there is none, or it is never entered.
fn folder(world: &World<'_>, skill: &FsPath, name: &str) -> Result<Option<FsPath>, FsError> {
    let Some(mut dir) = skill.parent().filter(|_| name.is_empty() || !is_alone(skill)) else { return Ok(None) };
    for name in name.split('/').filter(|name| !name.is_empty()) {
        let Ok(child) = dir.child(name) else { return Ok(None) };
        match world.fs.look(&child)? {
            Some(look) if look.kind == Kind::Dir && !look.link && !is_never_entered(name) => dir = child,
            _ => return Ok(None),
        }
    }
    Ok(Some(dir))
}

/// What stands directly in a folder of a skill, by name: whether it is a folder. As [`Reach::Skill`] has it.
pub(crate) fn children(world: &World<'_>, skill: &FsPath, name: &str) -> Result<Option<BTreeMap<String, bool>>, Error> {
    let Some(dir) = folder(world, skill, name)? else { return Ok(None) };
    if is_alone(skill) {
        return Ok(Some(BTreeMap::from([(skill.name().to_owned(), false)])));
    }
    let root = skill.parent().unwrap_or_else(FsPath::root);
    let real = world.fs.canonical(&root)?;
    let look = Looking { world, skill, dir: &root, real: &real, reach: Reach::Skill };
    let mut children = BTreeMap::new();
    for entry in world.fs.list(&dir)? {
        let Ok(path) = dir.child(&entry.name) else { continue };
        let is_listed = match (entry.lossy, entry.link, entry.kind) {
            (true, ..) => false,
            _ if name.is_empty() && entry.name == MARKER => false,
            (_, true, kind) => look.followed(&path, kind)?.0.is_none(),
            (_, false, Kind::Dir) => !is_never_entered(&entry.name),
            (_, false, kind) => kind == Kind::File,
        };
        if is_listed {
            children.insert(entry.name, entry.kind == Kind::Dir && !entry.link);
        }
    }
    Ok(Some(children))
}

/// Reads a file that [`Reach::Skill`] lists, by its name; none where it lists none of this name.
pub(crate) fn listed_file(
    world: &World<'_>,
    skill: &FsPath,
    name: &str,
    at_most: u64,
) -> Result<Option<Head>, FsError> {
    if name != skill.name() {
        let folder_name = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        if name == MARKER || is_alone(skill) || folder(world, skill, folder_name)?.is_none() {
            return Ok(None);
        }
    }
    match read(world, skill, name, at_most) {
        Ok(head) => Ok(Some(head)),
        Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::NotAFile(_) | FsError::Escapes(_)) => Ok(None),
        Err(FsError::LinkLoop(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
