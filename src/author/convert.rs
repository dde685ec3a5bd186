//! Converts a skill for another skill system: [`convert`] writes its SKILL.md anew by the tables of both dialects, and
//! lists what the other system has no place for. Nothing is written to the disk here.
//!
//! `fields` translates the frontmatter by what `roles` knows of each field, `texts` cuts and adds texts, and `beside` is
//! about the second file of fields. `names` chooses the name and the folder, `placeholders` and `commands` translate the
//! body, `write` puts the frontmatter together, and `files` lists what is copied with it.

mod beside;
mod commands;
mod fields;
mod files;
mod names;
mod placeholders;
mod roles;
mod texts;
mod write;

use crate::diagnostic::Code;
use crate::dialect::{Dialect, MissingFrontmatter, Reading};
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{
    DiagnosticSink, Front, FrontmatterOutcome, ReadMode, fit, front, read_sidecar, read_whole, utf8,
};
use crate::discovery::scan::SKILL_FILE;
use crate::discovery::world::{Places, World};
use crate::fs::{FsError, MemFs};
use crate::model::error::Error;
use crate::model::skill::{Frontmatter, Location, Skill};
use crate::package::CopyFile;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::lines::{Source, with_lf};
use crate::text::yaml::Node;
use std::sync::Arc;

/// A skill as another skill system wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversion {
    /// The name of its folder.
    pub name: String,
    /// The text of its SKILL.md.
    pub manifest: String,
    /// The name and the text of the second file of fields, if the other system has such a file and a field belongs there.
    pub sidecar: Option<(String, String)>,
    /// The other files, which are copied as they are, in byte order of their names.
    pub files: Vec<CopyFile>,
    /// What the other system has no place for, or understands differently.
    pub lost: Vec<Loss>,
    /// Where the files of the skill are.
    #[cfg_attr(not(feature = "host"), allow(dead_code, reason = "only a host copies files"))]
    pub(crate) location: Location,
}

/// Something that a conversion loses or changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// What is lost: the key of a field (`sven.always`), `body`, `comments`, `key`, `state`, or the name of a file.
    pub field: String,
    /// Why, and what was done instead, if anything was.
    pub reason: String,
}

impl Loss {
    fn new(field: impl Into<String>, reason: impl Into<String>) -> Loss {
        Loss { field: field.into(), reason: reason.into() }
    }
}

/// The skill that is converted, as it is now.
struct Original<'w> {
    from: &'w Dialect,
    to: &'w Dialect,
    skill: &'w Skill,
    /// What its frontmatter says, the second file of fields included.
    frontmatter: Arc<Frontmatter>,
    /// What the SKILL.md says alone.
    own: Arc<Frontmatter>,
    /// The text of the SKILL.md, without control characters, lines ending in LF.
    text: &'w str,
    /// The fields; `None` if there is no frontmatter.
    map: Option<Vec<(Node, Node)>>,
    body: &'w str,
    /// Where the body starts in the text.
    body_start: usize,
    /// Whether reading the frontmatter gave no finding but about comments, so that its lines can be copied.
    is_plain: bool,
}

/// Converts a skill for the skill system that `to` describes.
///
/// Fields are written under the keys that `to` has for the same meaning, and placeholders in the body in the form that
/// `to` replaces. What has no place there is kept where it does no harm, and is listed in [`Conversion::lost`]; what is
/// too long or has a wrong form is cut or changed, and listed too. Fields that neither of the two dialects knows are kept.
/// A skill that is converted for its own system stays as it is.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
/// use skilltree::author::convert;
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\ndescription: Makes tea.\nsven:\n  always: true\n---\nBoil water.\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("sven").unwrap());
/// let converted = convert(&world, &catalog, catalog.find_any("tea")?, &dialect("agent-base").unwrap())?;
/// assert_eq!(converted.name, "tea");
/// assert!(converted.manifest.starts_with("---\nname: tea\ndescription: Makes tea.\n"));
/// assert_eq!(converted.lost[0].field, "sven.always");
/// # Ok::<(), skilltree::Error>(())
/// ```
///
/// # Errors
/// [`Error::SkillGone`] if the file is no longer a skill, [`Error::ReadDenied`] if the host refuses it,
/// [`Error::TooMuch`] if its folder contains too much to be copied, [`Error::Fs`] for what cannot be read.
pub fn convert(world: &World<'_>, catalog: &Catalog, skill: &Skill, to: &Dialect) -> Result<Conversion, Error> {
    if !world.host.may_read(&skill.path) {
        return Err(Error::ReadDenied { path: skill.path.clone() });
    }
    let files = skill.source.files(world.fs);
    let reader = World { fs: &files, ..*world };
    let read = |from: &Dialect| read_whole(&reader, from, &skill.path, ReadMode::Load);
    // What its author meant is converted, where that can be told.
    let own: &Dialect = catalog.dialect();
    let meant = own.with_reading(Reading::Repaired);
    let (from, document) = match read(&meant) {
        document if document.manifest.rejected.is_some() => (own, read(own)),
        document => (&meant, document),
    };
    if document.manifest.pending {
        return Err(FsError::Pending(skill.path.clone()).into());
    }
    if let Some(code) = document.manifest.rejected {
        let why = document.manifest.findings.iter().find(|finding| finding.code == code);
        let reason = why.map_or_else(|| code.to_string(), ToString::to_string);
        return Err(Error::SkillGone { key: visible(&skill.key).into_owned(), reason });
    }
    let own = document.manifest.frontmatter;
    let mut frontmatter = Arc::clone(&own);
    if let Some(rule) = &from.sidecar {
        // A file that cannot be read adds nothing, as it did in discovery.
        let _ = read_sidecar(&files, rule, &skill.path, &mut frontmatter);
    }
    let raw = utf8(&document.bytes, false).unwrap_or_default();
    let raw = with_lf(raw);
    let source = Source::new(&raw);
    let mut sink = DiagnosticSink::new(&skill.path, &source);
    let (map, body) = match front(world.extras, from, &mut sink, false) {
        Some(Front { outcome: FrontmatterOutcome::Map(mut map), body }) => {
            if from.reading == Reading::Faithful {
                // Discovery has taken the skill, so nothing is rejected.
                let _ = fit(from, &mut map, &mut sink);
            }
            (Some(map), body)
        }
        Some(Front { outcome: FrontmatterOutcome::Missing(_) | FrontmatterOutcome::Lost(_), body }) => (None, body),
        None => (None, 0..source.text().len()),
    };
    // Lines that the client itself reads in its own way may mean something else to others.
    let is_plain =
        from.reading == Reading::Repaired && sink.findings.iter().all(|finding| write::allows_copy(finding.code));
    let original = Original {
        from,
        to,
        skill,
        frontmatter,
        own,
        text: source.text(),
        map,
        body: source.text().get(body.clone()).unwrap_or_default(),
        body_start: body.start,
        is_plain,
    };
    // How files are read is no difference between two systems.
    let is_same_system = *from == to.with_reading(from.reading);
    let mut lost = Vec::new();
    let copied = files::files(world, skill, is_same_system, &mut lost)?;
    let mut listed = Vec::new();
    if !is_same_system && sink.findings.iter().any(|finding| finding.code == Code::Yaml) {
        listed.push(Loss::new("frontmatter", format!("it is not valid YAML, so `{}` reads no field of it", from.name)));
    }
    let names = names::choose(&original, is_same_system, &mut listed);
    let (manifest, sidecar) = match is_same_system {
        true => (raw.to_string(), None),
        false => rewrite(&original, &names, &copied, &mut listed),
    };
    listed.append(&mut lost);
    let location = skill.location();
    let converted = Conversion { name: names.folder, manifest, sidecar, files: copied, lost: listed, location };
    Ok(if is_same_system { converted } else { checked(to, converted) })
}

/// The new SKILL.md, and the second file of fields.
fn rewrite(
    original: &Original<'_>,
    names: &names::Names,
    copied: &[CopyFile],
    lost: &mut Vec<Loss>,
) -> (String, Option<(String, String)>) {
    let mut lost_in_body = Vec::new();
    let body = placeholders::translate(original, &mut lost_in_body);
    let mut fields = fields::translate(original, names, copied, &body, lost);
    lost.append(&mut lost_in_body);
    write::add_comment_loss(original, &fields.entries, lost);
    let is_needed = match original.to.missing_frontmatter {
        MissingFrontmatter::Skip => true,
        MissingFrontmatter::Load => false,
        MissingFrontmatter::LoadText => body.trim().is_empty(),
    };
    let has_frontmatter = original.map.is_some() || !fields.entries.is_empty() || is_needed;
    let mut manifest = String::with_capacity(original.text.len() + 64);
    if has_frontmatter {
        manifest.push_str("---\n");
        write::entries(original, &fields.entries, &mut manifest);
        manifest.push_str("---\n");
    }
    manifest.push_str(&body);
    (manifest, fields.sidecar.take())
}

/// Reads the new SKILL.md in both ways of reading, and lists it as lost if that is no skill there.
fn checked(to: &Dialect, mut converted: Conversion) -> Conversion {
    let mut fs = MemFs::new();
    let path = FsPath::root().join(&format!("{}/{SKILL_FILE}", converted.name)).unwrap_or_else(|_| FsPath::root());
    fs.file(path.as_str(), converted.manifest.as_bytes());
    let places = Places::default();
    let world = World::new(&fs, &places, &());
    for dialect in [to, &to.with_reading(to.reading.other())] {
        let manifest = read_whole(&world, dialect, &path, ReadMode::Load).manifest;
        if let Some(code) = manifest.rejected {
            let why = manifest.findings.iter().find(|finding| finding.code == code);
            let reason = why.map_or_else(|| code.to_string(), |finding| finding.message.clone());
            converted.lost.push(Loss::new(SKILL_FILE, format!("it is not a skill in `{}`: {reason}", to.name)));
            break;
        }
    }
    converted
}
