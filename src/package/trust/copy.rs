//! Compares a copy in an activation root with the skill that it was made of. A copy is run only as long as each of its
//! files is what a new copy would have, whoever is trusted: it is in another folder, where others may write.

use super::{Answer, ExpectedContents, FOLDER_CHANGED, void};
use crate::discovery::scan::SKILL_FILE;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::{Location, Skill};
use crate::package::contents::{Contents, FileContent, contents_of};
use crate::package::files::{Folder, OtherKind, Purpose};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::visible;
use std::collections::BTreeMap;

/// Whether the copy whose SKILL.md is at this path, and was read with these bytes, may be run. `approved` is the
/// digest that the source must have.
pub(super) fn copied(
    world: &World<'_>,
    skill: &Skill,
    approved: Option<Digest>,
    path: &FsPath,
    bytes: &[u8],
) -> Answer {
    let key = || visible(&skill.key).into_owned();
    let source = Contents::of(world, skill, Purpose::Approve)?;
    if approved.is_some_and(|approved| approved != source.digest()) {
        return Err(Error::ApprovalVoid { key: key(), reason: void(FOLDER_CHANGED) });
    }
    let at = Location::now(world.fs, path)?;
    let folder = Folder::open(world.fs, &at, Purpose::Approve)?.without_marker();
    let copy = contents_of(&folder.list().complete()?, &mut |_, _, _| Ok(()))?;
    let expected = expected(world, skill, &source)?;
    let different = match difference(&expected, &copy) {
        None if expected.get(path.name()).is_some_and(|digest| digest.is_of(bytes)) => None,
        None => Some(format!("`{}` has changed", visible(path.name()))),
        different => different,
    };
    match different {
        Some(what) => Err(Error::CopyDiffers { key: key(), copy: path.clone(), what }),
        None => Ok(Some(ExpectedContents { skill: path.clone(), digest: copy.digest(), is_copy: true })),
    }
}

/// The files that a copy made now would have, by name.
fn expected<'c>(world: &World<'_>, skill: &Skill, source: &'c Contents) -> Result<BTreeMap<&'c str, Digest>, Error> {
    let real = world.fs.canonical(&skill.dir())?;
    let own = skill.path.name();
    let filter = Purpose::Copy.filter();
    let is_copied = |file: &FileContent| {
        file.target.as_ref().is_none_or(|target| target.starts_with(&real)) && filter.includes(&file.name, false)
    };
    let files = source.files.iter().filter_map(|file| match file.name == own {
        true => Some((SKILL_FILE, file.digest)),
        false => is_copied(file).then_some((file.name.as_str(), file.digest)),
    });
    Ok(files.collect())
}

fn difference(expected: &BTreeMap<&str, Digest>, copy: &Contents) -> Option<String> {
    let odd = copy.others.iter().find(|other| other.kind != OtherKind::Folder);
    let odd = odd.map(|other| (other.name.as_str(), "is new"));
    let files = copy.files.iter().find_map(|file| match expected.get(file.name.as_str()) {
        None => Some((file.name.as_str(), "is new")),
        Some(digest) if *digest != file.digest || file.target.is_some() => Some((file.name.as_str(), "has changed")),
        Some(_) => None,
    });
    let gone = || {
        let is_gone = |name: &&&str| copy.files.binary_search_by(|file| file.name.as_str().cmp(name)).is_err();
        expected.keys().find(is_gone).map(|name| (*name, "is gone"))
    };
    let (name, what) = files.or(odd).or_else(gone)?;
    Some(format!("`{}` {what}", visible(name)))
}
