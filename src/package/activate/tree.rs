//! The files that a copy of a skill has, each with where it is read, its length and stamp; or why there can be no whole
//! copy. What a symlink leads to outside of the skill's folder is left out (rule 18.2).

use super::plan::CopyFile;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::scan::SKILL_FILE;
use crate::discovery::world::World;
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::package::files::{OtherKind, Package, Purpose};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::collections::BTreeMap;

/// How many bytes one skill may have to be copied, as many as an approval covers.
pub(crate) const MAX_SKILL_BYTES: u64 = Purpose::Copy.rules().max_bytes;

/// The files of a copy, by name. An error is the finding that says why there is none.
pub(super) fn files(
    world: &World<'_>,
    skill: &Skill,
    findings: &mut Vec<Diagnostic>,
) -> Result<Vec<CopyFile>, Box<Diagnostic>> {
    let package = Package::open(world, skill, Purpose::Copy).map_err(|error| Box::new(not_listed(skill, error)))?;
    for other in &package.others {
        let why = match other.kind {
            OtherKind::LinkToFolder | OtherKind::LinkOutside | OtherKind::Unreadable => {
                "symlinks to folders, and symlinks that lead out of the skill's folder, are not copied"
            }
            OtherKind::NotUtf8 => "the name is not UTF-8, so it is not copied",
            _ => continue,
        };
        findings.push(left_out(&package.folder().shown_path(&other.name), why));
    }
    // The skill's own file, whatever its name, is where the model looks for it (rule 20.5).
    let own = skill.path.name();
    let to = |name: &str| if name == own { SKILL_FILE.to_owned() } else { name.to_owned() };
    let from: BTreeMap<String, FsPath> =
        package.files.iter().map(|file| (to(&file.name), package.folder().shown_path(&file.name))).collect();
    let mut left = MAX_SKILL_BYTES;
    let mut files = Vec::with_capacity(from.len());
    for (to, from) in from {
        let file = file(world, from, to)?;
        // Holes in a file count as its other bytes do: they are bytes when they are copied.
        left = left.checked_sub(file.len).ok_or_else(|| Box::new(too_much(&skill.dir(), MAX_SKILL_BYTES)))?;
        files.push(file);
    }
    Ok(files)
}

/// What a file of a skill is called in its copy, by its name in the skill's folder; `None` if it is not copied. `own`
/// is the name of the skill's own file.
#[cfg(feature = "digest")]
pub(crate) fn copied_name<'n>(own: &str, name: &'n str) -> Option<&'n str> {
    let filter = crate::package::files::Filter { rules: Purpose::Copy.rules(), hidden: &[] };
    if name == own { Some(SKILL_FILE) } else { filter.includes(name, false).then_some(name) }
}

fn file(world: &World<'_>, from: FsPath, to: String) -> Result<CopyFile, Box<Diagnostic>> {
    match world.fs.metadata(&from) {
        Ok(Some(metadata)) if metadata.kind == FileKind::File => {
            Ok(CopyFile { from, to, len: metadata.len, stamp: metadata.stamp })
        }
        Ok(_) => Err(Box::new(failed(&from, &FsError::NotFound(from.clone())))),
        Err(error) => Err(Box::new(failed(&from, &error))),
    }
}

/// The finding about a folder that cannot be listed as a whole.
fn not_listed(skill: &Skill, error: Error) -> Diagnostic {
    match error {
        Error::TooMuch { path, limit, what } => {
            let message = format!("the skill has more than {limit} {what}, so it is not copied");
            Diagnostic::new(Severity::Error, Code::ScanTruncated, path, message)
        }
        Error::Fs(error) => {
            // The folder is read at its real path, and its files are named by where they were found.
            let at = skill.location();
            let found = error.path().relative_to(&at.dir).and_then(|name| skill.dir().join(name).ok());
            let error = match found {
                Some(found) => error.at(found),
                None => error,
            };
            failed(error.path(), &error)
        }
        error => failed_for(&skill.dir(), &error.to_string()),
    }
}

fn left_out(path: &FsPath, why: &str) -> Diagnostic {
    Diagnostic::new(Severity::Warning, Code::CopyFailed, path.clone(), why).help("copy the file into the skill")
}

fn too_much(path: &FsPath, most: u64) -> Diagnostic {
    over(
        path,
        format!(
            "the skill's copy is not updated because its files have more than {most} bytes, holes \
         included"
        ),
    )
}

/// The finding about a skill that is too large together with those before it.
pub(super) fn too_much_in_all(path: &FsPath, most: u64) -> Diagnostic {
    over(
        path,
        format!(
            "the skill's copy is not updated because all copies together would have more than {most} \
         bytes"
        ),
    )
}

fn over(path: &FsPath, message: String) -> Diagnostic {
    Diagnostic::new(Severity::Error, Code::CopyFailed, path.clone(), message).help(
        "remove large files from the \
         skill",
    )
}

fn failed(path: &FsPath, error: &FsError) -> Diagnostic {
    failed_for(path, &error.to_string())
}

fn failed_for(path: &FsPath, why: &str) -> Diagnostic {
    let message = format!("the skill could not be copied completely, so its copy is not updated: {}", visible(why));
    Diagnostic::new(Severity::Error, Code::CopyFailed, path.clone(), message).help(
        "check that all its files can be \
         read",
    )
}
