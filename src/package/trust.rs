//! Decides whether what a skill asks for is granted, and whether what it contains may be run: asks the host, and
//! compares what was read of the skill with what the host's trust is of. What may be run comes with a [`ExpectedContents`],
//! which whoever runs it compares again with the bytes that are then run.

#[cfg(feature = "digest")]
mod copy;

use crate::discovery::world::{Trust, World};
use crate::model::error::{Error, trust_advice};
use crate::model::skill::{Origin, Skill};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::visible;
use std::sync::Arc;

/// The contents that a skill's folder must have when a plan for it is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpectedContents {
    /// The SKILL.md. The contents are those of its folder.
    pub skill: FsPath,
    /// The digest of the folder's contents.
    pub digest: Digest,
    /// Whether the folder is a copy in an activation root. The file by which `sync` marks a copy is no part of it.
    pub is_copy: bool,
}

/// Whether a skill may be run: whatever it contains, or only with these contents. Else why not.
pub(crate) type Answer<E = Error> = Result<Option<ExpectedContents>, E>;

/// The answer that a task and the commands in its text share.
pub(crate) type SharedAnswer = Answer<Arc<Error>>;

/// The trust in a skill, as far as its SKILL.md that was read goes. The host is asked at most once, and only where the
/// answer matters: it may have to read the whole folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trusted {
    path: FsPath,
    bytes: Vec<u8>,
    answer: Option<SharedAnswer>,
}

impl Trusted {
    /// For the SKILL.md at this path, which is the skill's own or that of its copy, and held these bytes.
    pub(crate) fn new(path: FsPath, bytes: Vec<u8>) -> Trusted {
        Trusted { path, bytes, answer: None }
    }

    /// The digest of the contents that are trusted, if the host was asked and trusts exactly these.
    pub(crate) fn approved(&self) -> Option<Digest> {
        self.answer.as_ref().and_then(approved)
    }

    pub(crate) fn ask(&mut self, world: &World<'_>, skill: &Skill) -> &SharedAnswer {
        let Trusted { path, bytes, answer } = self;
        answer.get_or_insert_with(|| trusted(world, skill, path, bytes).map_err(Arc::new))
    }
}

/// The digest of the contents that are trusted, if the answer is that exactly these are.
pub(crate) fn approved(answer: &SharedAnswer) -> Option<Digest> {
    Some(answer.as_ref().ok()?.as_ref()?.digest)
}

/// Whether a skill is trusted whose SKILL.md was read at this path, and held these bytes.
pub(crate) fn trusted(world: &World<'_>, skill: &Skill, path: &FsPath, bytes: &[u8]) -> Answer {
    let key = visible(&skill.key).into_owned();
    let approved = match world.host.trusts(skill) {
        Trust::No(None) => return Err(Error::Untrusted { key, bundle: bundled_folder(world, skill) }),
        Trust::No(Some(reason)) => return Err(Error::ApprovalVoid { key, reason }),
        Trust::Yes => None,
        Trust::Contents { folder, manifest } => Some((folder, manifest)),
    };
    if *path != skill.path {
        return copied(world, skill, approved.map(|(folder, _)| folder), path, bytes);
    }
    let Some((folder, manifest)) = approved else { return Ok(None) };
    match manifest.is_of(bytes) {
        true => Ok(Some(ExpectedContents { skill: path.clone(), digest: folder, is_copy: false })),
        false => Err(Error::ApprovalVoid { key, reason: void(&format!("`{}` {UNEQUAL}", visible(path.name()))) }),
    }
}

/// The folder of the agent's own skills that a skill is in.
fn bundled_folder(world: &World<'_>, skill: &Skill) -> Option<String> {
    let is_bundled = skill.source.origin == Origin::Bundled;
    is_bundled.then(|| visible(&world.fs.display(&skill.source.root)).into_owned())
}

#[cfg(feature = "digest")]
const UNEQUAL: &str = "has changed";
#[cfg(not(feature = "digest"))]
const UNEQUAL: &str = "cannot be compared without the feature `digest`";

/// What has become of a folder whose contents are not those that were approved, where no file can be named.
#[cfg(feature = "digest")]
pub(crate) const FOLDER_CHANGED: &str = "the contents of its folder have changed";

/// Why an approval is void, as messages say it.
pub(crate) fn void(what: &str) -> String {
    format!("its approval is no longer valid: {what}")
}

/// The end of a message that a skill is not trusted: why, and what to do. May be empty.
pub(crate) fn untrusted_reason(refused: &Error) -> String {
    match refused {
        Error::Untrusted { bundle, .. } => trust_advice(bundle),
        Error::ApprovalVoid { reason, .. } => format!("; {reason}"),
        other => format!("; {other}"),
    }
}

#[cfg(feature = "digest")]
use copy::copied;

/// Like `copy::copied`, but no more than the SKILL.md of the copy can be compared here. It is enough to grant what that asks
/// for; nothing is run in a build without the feature `digest`.
#[cfg(not(feature = "digest"))]
fn copied(world: &World<'_>, skill: &Skill, approved: Option<Digest>, path: &FsPath, bytes: &[u8]) -> Answer {
    let key = visible(&skill.key).into_owned();
    if approved.is_some() {
        return Err(Error::ApprovalVoid { key, reason: void(&format!("`{}` {UNEQUAL}", visible(path.name()))) });
    }
    match world.fs.read(&skill.path, bytes.len() as u64 + 1)?.bytes == bytes {
        true => Ok(None),
        false => Err(Error::CopyDiffers { key, copy: path.clone(), what: format!("`{}` has changed", path.name()) }),
    }
}
