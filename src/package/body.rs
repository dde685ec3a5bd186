//! The text of a skill, read again when it is asked for and judged as a whole (rule 12.1): an edit is seen, and a file
//! that has gone or no longer parses is an error that says so. Discovery does not store bodies.

use crate::diagnostic::{Code, Diagnostic, Mark};
use crate::dialect::Trim;
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{Document, Manifest, ReadMode, read_whole, restricted};
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Frontmatter, Skill};
use crate::package::activate::{ActiveLocation, active_location};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::sync::Arc;

pub(crate) struct Body {
    /// Trimmed as the dialect has it, line ends as LF.
    pub(crate) text: String,
    /// The file that was read: the skill's own, or that of its copy.
    pub(crate) path: FsPath,
    pub(crate) bytes: Vec<u8>,
    /// The folder as it is named to the model.
    pub(crate) dir: String,
    /// What its frontmatter says now, with the restrictions of both ways of reading it (rule 9.13).
    pub(crate) frontmatter: Arc<Frontmatter>,
    /// The findings about the file as it is now.
    pub(crate) findings: Vec<Diagnostic>,
    /// Where it names each knowledge file.
    pub(crate) knowledge: Vec<Mark>,
}

impl Catalog {
    /// The bare text of a skill, without frame and frontmatter, read now.
    ///
    /// # Errors
    /// [`Error::SkillGone`] when the file is no longer there, or is no skill any more.
    pub fn body(&self, world: &World<'_>, skill: &Skill) -> Result<String, Error> {
        read(self, world, skill).map(|body| body.text)
    }
}

pub(crate) fn read(catalog: &Catalog, world: &World<'_>, skill: &Skill) -> Result<Body, Error> {
    let ActiveLocation { path, dir } = active_location(world, catalog, skill)?;
    if !world.host.may_read(&path) {
        return Err(Error::ReadDenied { path });
    }
    let active = world.places.active.as_ref().filter(|_| path != skill.path);
    let copies = active.and_then(|active| world.places.containment_of(active));
    let files = match active {
        Some(_) => ContainedFs::new(world.fs, copies.as_ref()),
        None => skill.source.files(world.fs),
    };
    let Document { mut manifest, body, bytes, .. } =
        read_whole(&World { fs: &files, ..*world }, catalog.dialect(), &path, ReadMode::Load);
    check_is_skill(&manifest, skill, &path)?;
    if path != skill.path {
        // The folder of a copy is named by us.
        manifest.findings.retain(|finding| finding.code != Code::NameMismatch);
    }
    // What the text is given for is decided again by the file as it is now.
    let other = manifest.other_reading.take();
    let restricted = other.and_then(|other| restricted(catalog.dialect(), &manifest.frontmatter, &other));
    let blank = body.get(..body.len() - body.trim_start().len()).unwrap_or_default();
    let first_line = blank.rfind('\n').map_or(0, |at| at + 1);
    let text = match catalog.dialect().load.trim {
        Trim::Both => body.trim(),
        Trim::End => body.get(first_line..).unwrap_or_default().trim_end(),
    };
    Ok(Body {
        path,
        bytes,
        text: text.to_owned(),
        dir,
        frontmatter: restricted.unwrap_or(manifest.frontmatter),
        findings: manifest.findings,
        knowledge: manifest.knowledge,
    })
}

/// Fails if what was read of a skill at this path is no skill any more, or has yet to be fetched.
pub(crate) fn check_is_skill(manifest: &Manifest, skill: &Skill, path: &FsPath) -> Result<(), Error> {
    if manifest.pending {
        return Err(Error::Fs(FsError::Pending(path.clone())));
    }
    let Some(code) = manifest.rejected else { return Ok(()) };
    let why = manifest.findings.iter().find(|finding| finding.code == code);
    let reason = why.map_or_else(|| code.to_string(), ToString::to_string);
    Err(Error::SkillGone { key: visible(&skill.key).into_owned(), reason })
}
