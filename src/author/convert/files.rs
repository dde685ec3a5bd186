//! The files that are copied with a converted skill, by the rules for copies (rules 20.5 and 27.4), and those that are
//! not.

use super::Loss;
use crate::discovery::manifest::is_skill_file;
use crate::discovery::world::World;
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::package::CopyFile;
use crate::package::files::{OtherKind, Package, Purpose};

/// The files of the skill besides its own, in byte order of their names. A nested skill needs no conversion if the skill
/// is converted for its own system.
pub(super) fn files(
    world: &World<'_>,
    skill: &Skill,
    is_same_system: bool,
    lost: &mut Vec<Loss>,
) -> Result<Vec<CopyFile>, Error> {
    let package = Package::open(world, skill, Purpose::Copy)?;
    for other in &package.others {
        let reason = match other.kind {
            OtherKind::Folder | OtherKind::Excluded | OtherKind::NestedSkill => continue,
            OtherKind::LinkOutside => "the symlink leads out of the skill's folder, so it is not copied",
            OtherKind::LinkToFolder | OtherKind::LinkCycle => "symlinks to folders are not copied",
            OtherKind::LinkToNothing => "the symlink leads nowhere, so it is not copied",
            OtherKind::Special => "it is neither a file nor a folder, so it is not copied",
            OtherKind::NotUtf8 => "its name is not UTF-8, so it is not copied",
            OtherKind::Unreadable => "it cannot be read, so it is not copied",
        };
        lost.push(Loss::new(other.name.as_str(), reason));
    }
    let max_bytes = Purpose::Copy.rules().max_bytes;
    let mut left = max_bytes;
    let mut files = Vec::with_capacity(package.files.len());
    for file in package.files.iter().filter(|file| file.name != skill.path.name()) {
        let from = package.folder().shown_path(&file.name);
        if !world.host.may_read(&from) {
            return Err(Error::ReadDenied { path: from });
        }
        let len = match world.fs.metadata(&from)? {
            Some(metadata) if metadata.kind == FileKind::File => metadata.len,
            Some(_) | None => return Err(FsError::NotFound(from).into()),
        };
        let too_much = || Error::TooMuch { path: skill.dir(), limit: max_bytes, what: "bytes" };
        left = left.checked_sub(len).ok_or_else(too_much)?;
        let name = file.name.rsplit_once('/').map_or(file.name.as_str(), |(_, name)| name);
        if is_skill_file(name) && !is_same_system {
            lost.push(Loss::new(file.name.as_str(), "the nested skill is copied as it is; convert it separately"));
        }
        files.push(CopyFile { from, to: file.name.clone(), len, stamp: None });
    }
    Ok(files)
}
