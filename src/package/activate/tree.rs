//! In: a skill. Out: every file that its copy has, with where it is read, its length and stamp; or why there can be
//! no whole copy. What a link leads to outside of the skill's folder is left out (decisions 29).

use super::marker::MARKER;
use super::plan::CopyFile;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::manifest::{is_alone, is_skill_file};
use crate::discovery::scan::{OWN_PREFIX, SKILL_FILE, is_repository};
use crate::fs::{Action, Entry, FileKind, FsError, Step, VisitOutcome, Walk};
use crate::model::skill::Skill;
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::collections::BTreeMap;

/// How many bytes one skill may have to be copied, as many as an approval covers.
pub(crate) const MAX_SKILL_BYTES: u64 = 268_435_456;

/// How many directories one skill may have to be copied.
const MAX_DIRS: usize = 10_000;

/// The files of a copy, by name. An error is the finding that says why there is none.
pub(super) fn files(
    world: &World<'_>,
    skill: &Skill,
    findings: &mut Vec<Diagnostic>,
) -> Result<Vec<CopyFile>, Box<Diagnostic>> {
    let mut from: BTreeMap<String, FsPath> = BTreeMap::new();
    if !is_alone(&skill.path) {
        let dir = skill.dir();
        let listed = listed(world, &dir)?;
        let real = world.fs.canonical(&dir).map_err(|error| Box::new(failed(&dir, &error)))?;
        for (path, kind) in listed {
            let Some(name) = path.below(&dir).filter(|name| !is_ours(name)) else { continue };
            let is_inside = || world.fs.canonical(&path).is_ok_and(|target| target.is_within(&real));
            match kind {
                Found::File => {}
                Found::LinkToFile if is_inside() => {}
                Found::LinkToFile | Found::LinkToDir => {
                    findings.push(left_out(
                        &path,
                        "symlinks to folders, and symlinks that lead out of the skill's \
                             folder, are not copied",
                    ));
                    continue;
                }
                Found::Lossy => {
                    findings.push(left_out(&path, "the name is not UTF-8, so it is not copied"));
                    continue;
                }
            }
            from.insert(name.to_owned(), path.clone());
        }
    }
    // The skill's own file, whatever its name, is where the model looks for it (decisions 40).
    from.insert(SKILL_FILE.to_owned(), skill.path.clone());
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

/// The marker's place, and that of the SKILL.md in any letter case, are filled by us.
fn is_ours(name: &str) -> bool {
    name == MARKER || is_skill_file(name)
}

/// Whether a folder is left out of copies: what version control keeps is no part of a skill, nor is what an ended run
/// left behind.
fn is_left_out(folder: &str) -> bool {
    is_repository(folder) || folder.starts_with(OWN_PREFIX)
}

/// What a file of a skill is called in its copy, by its name in the skill's folder; none where it is not copied. `own`
/// is the name of the skill's own file.
#[cfg(feature = "digest")]
pub(crate) fn copied_name<'n>(own: &str, name: &'n str) -> Option<&'n str> {
    let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
    match name {
        _ if name == own => Some(SKILL_FILE),
        _ if is_ours(name) || folders.split('/').any(is_left_out) => None,
        name => Some(name),
    }
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

/// What was found in a skill's folder.
enum Found {
    File,
    LinkToFile,
    LinkToDir,
    Lossy,
}

fn listed(world: &World<'_>, dir: &FsPath) -> Result<BTreeMap<FsPath, Found>, Box<Diagnostic>> {
    let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| steps.extend(self::steps(entries));
    let ask = Walk { root: dir, step: &step, head: 0, max_dirs: MAX_DIRS };
    let mut found = BTreeMap::new();
    let mut fault = None;
    world.fs.walk(&ask, &mut |visit| match visit.take() {
        VisitOutcome::Again => {
            found = BTreeMap::new();
            fault = None;
        }
        VisitOutcome::Cut => {
            let message = format!("the skill has more than {MAX_DIRS} folders, so it is not copied");
            fault.get_or_insert(Diagnostic::new(Severity::Error, Code::ScanTruncated, dir.clone(), message));
        }
        VisitOutcome::Failed(error) => {
            fault.get_or_insert(failed(&visit.dir, &error));
        }
        VisitOutcome::Listed(noted) => {
            for noted in noted {
                let Ok(path) = visit.dir.child(&noted.entry.name) else { continue };
                let kind = match (noted.entry.lossy, noted.entry.link, noted.entry.kind) {
                    (true, ..) => Found::Lossy,
                    (false, false, _) => Found::File,
                    (false, true, FileKind::Dir) => Found::LinkToDir,
                    (false, true, _) => Found::LinkToFile,
                };
                found.insert(path, kind);
            }
        }
    });
    fault.map_or(Ok(found), |fault| Err(Box::new(fault)))
}

fn steps(entries: &[Entry]) -> impl Iterator<Item = Step> {
    let act = |entry: &Entry| match entry.kind {
        FileKind::Other | FileKind::Missing => None,
        FileKind::Dir if is_left_out(&entry.name) => None,
        FileKind::Dir if !entry.link && !entry.lossy => Some(Action::Enter),
        FileKind::File | FileKind::Dir => Some(Action::Note),
    };
    entries.iter().enumerate().filter_map(move |(n, entry)| Some(Step { entry: n, act: act(entry)? }))
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
    let message = format!(
        "the skill could not be copied completely, so its copy is not updated: {}",
        visible(&error.to_string())
    );
    Diagnostic::new(Severity::Error, Code::CopyFailed, path.clone(), message).help(
        "check that all its files can be \
         read",
    )
}
