//! Carries out a [`CopyPlan`]: makes and removes the copies of skills in an activation root.
//!
//! A copy is made in a temporary folder and renamed to its place when it is complete, so no copy is ever half there
//! (rule 20.4). A folder without our marker is never touched. If a copy fails, the old copy stays, and the other
//! copies are made all the same.

use super::dir_handle::{
    self, DirHandle, EntryKind, FILE_MODE, FOLDER_MODE, OpenError, WorkingDir, remove_abandoned, remove_dir_if,
    write_new_file,
};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::scan::SKILL_FILE;
use crate::fs::{Fs, FsError, OsFs};
use crate::package::activate::{CopyFile, CopyPlan, MARKER, MAX_PLAN_BYTES, MAX_SKILL_BYTES, SkillCopy, marker};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::io::{self, ErrorKind};

/// What [`CopyPlan::apply`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// The names of the copies that were made.
    pub copied: Vec<String>,
    /// The names of the copies that were removed.
    pub removed: Vec<String>,
    /// One finding for each thing that could not be done.
    pub findings: Vec<Diagnostic>,
}

impl CopyPlan {
    /// Carries out a plan that was made over the same disk.
    ///
    /// The root is opened once, and everything is written to that folder, whatever takes its place meanwhile. No symlink in
    /// [`CopyPlan::no_links_in`] is followed to it.
    pub fn apply(&self, disk: &OsFs) -> Applied {
        let mut applied = Applied::default();
        let create_mode = (!self.copies.is_empty()).then_some(FOLDER_MODE);
        let is_nothing_to_do = self.copies.is_empty() && self.removals.is_empty();
        let root = match dir_handle::open(disk, &self.root, self.no_links_in.as_ref(), create_mode) {
            Ok(root) => root,
            Err(OpenError::Failed(error)) if error.kind() == ErrorKind::NotFound && is_nothing_to_do => return applied,
            Err(error) => {
                applied.findings.push(failed(&self.root, "the folder for copies cannot be used", &error.into()));
                return applied;
            }
        };
        match root.lock() {
            Some(lock) => remove_abandoned(&root, &lock),
            None => {
                let error = io::Error::other("another process is writing to it; try again");
                applied.findings.push(failed(&self.root, "the folder for copies cannot be used", &error));
                return applied;
            }
        }
        let mut left = MAX_PLAN_BYTES;
        for copy in &self.copies {
            match replace(disk, &root, copy, &mut left) {
                Ok(()) => applied.copied.push(copy.name.clone()),
                Err(error) => {
                    let what = format!("`{}` could not be copied", visible(&copy.id));
                    applied.findings.push(failed(&copy.source, &what, &error));
                }
            }
        }
        for name in &self.removals {
            let path = self.root.child(name).unwrap_or_else(|_| self.root.clone());
            match dir_handle::single_name(name).and_then(|name| remove_dir_if(&root, name, &is_ours)) {
                Ok(()) => applied.removed.push(name.clone()),
                Err(error) => applied.findings.push(failed(&path, "the copy could not be removed", &error)),
            }
        }
        applied
    }
}

fn replace(disk: &OsFs, root: &DirHandle, copy: &SkillCopy, left: &mut u64) -> io::Result<()> {
    let target = dir_handle::single_name(&copy.name)?;
    let total = copy.files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.len));
    let too_much = |most: u64, what: &str| io::Error::other(format!("{what} has more than {most} bytes"));
    if MAX_SKILL_BYTES < total {
        return Err(too_much(MAX_SKILL_BYTES, "the skill"));
    }
    *left = left.checked_sub(total).ok_or_else(|| too_much(MAX_PLAN_BYTES, "what is to be copied"))?;
    let mut working = WorkingDir::new(root)?;
    fill(disk, working.dir(), copy)?;
    working.rename_to(target, Some(&is_ours))
}

fn fill(disk: &OsFs, new: &DirHandle, copy: &SkillCopy) -> io::Result<()> {
    let dir = folder_of(&copy.source)?;
    for file in &copy.files {
        let bytes = read(disk, &dir, copy, file)?;
        write_new_file(new, &file.to, &bytes, mode(disk, &file.from)?)?;
    }
    write_new_file(new, MARKER, marker(copy).as_bytes(), FILE_MODE)
}

/// Reads a file of the skill. Fails if a symlink leads elsewhere since the skill was found; only the SKILL.md itself may
/// be a symlink.
fn read(disk: &OsFs, dir: &FsPath, copy: &SkillCopy, file: &CopyFile) -> io::Result<Vec<u8>> {
    match file.from.relative_to(dir) {
        Some(rel) if file.to != SKILL_FILE => read_planned(disk, &copy.location.dir, rel, file),
        _ if file.from == copy.source => {
            let own = &copy.location.file;
            read_planned(disk, &folder_of(own)?, own.name(), file)
        }
        _ => Err(io::Error::other(FsError::Escapes(file.from.clone()))),
    }
}

fn folder_of(file: &FsPath) -> io::Result<FsPath> {
    file.parent().ok_or_else(|| io::Error::other(FsError::NotFound(file.clone())))
}

/// Reads a file as it was planned, below a folder that is opened by its real path and through no symlink.
pub(super) fn read_planned(fs: &dyn Fs, dir: &FsPath, rel: &str, file: &CopyFile) -> io::Result<Vec<u8>> {
    let path = dir.join(rel).map_err(|_| io::Error::other(FsError::Escapes(dir.clone())))?;
    let head = fs.confined(dir).and_then(|dir| dir.read(&path, file.len)).map_err(io::Error::other)?;
    if head.len != file.len || head.bytes.len() as u64 != file.len {
        return Err(io::Error::other(format!("`{}` was changed while it was copied", file.from)));
    }
    Ok(head.bytes)
}

/// The mode of the copy of a file. Executable files stay executable, and private files stay private; no other bits are
/// copied. If the path leads to another file by now, no more than these bits depends on it.
pub(super) fn mode(disk: &OsFs, from: &FsPath) -> io::Result<u32> {
    let mode = dir_handle::mode_at(&disk.host(from).map_err(io::Error::other)?)?.unwrap_or(FILE_MODE);
    let plain = if mode & 0o100 == 0 { FILE_MODE } else { dir_handle::PROGRAM_MODE };
    Ok(if mode & 0o077 == 0 { plain & 0o700 } else { plain })
}

/// Whether a folder is a copy that was made here: it holds our marker.
fn is_ours(dir: &DirHandle) -> io::Result<bool> {
    Ok(dir.metadata(MARKER)?.is_some_and(|entry| entry.kind == EntryKind::File))
}

fn failed(path: &FsPath, what: &str, error: &io::Error) -> Diagnostic {
    let message = format!("{what}: {}", visible(&error.to_string()));
    Diagnostic::new(Severity::Error, Code::CopyFailed, path.clone(), message)
        .help("check that the skill can be read and the folder can be written")
}
