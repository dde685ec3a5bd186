//! In: a [`CopyPlan`]. Out: the copies on the disk, and what was done. A copy is made in a folder of our own beside
//! its place and renamed into it when it is whole, so that none is ever half there (decisions 41). What is not
//! ours by its marker is not touched. A copy that fails leaves its predecessor, and the others go on.

use super::held::{self, FILE_MODE, FOLDER_MODE, HeldDir, NotOpened, What, Working, put_file, remove_if, sweep};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::scan::SKILL_FILE;
use crate::fs::{FilePrefix, Fs, FsError, OsFs};
use crate::package::activate::{CopyFile, CopyPlan, MARKER, MAX_PLAN_BYTES, MAX_SKILL_BYTES, SkillCopy, marker};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::io::{self, ErrorKind};

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// The names of the copies that were made.
    pub copied: Vec<String>,
    /// The names of the copies that were removed.
    pub removed: Vec<String>,
    /// What could not be done, one finding each.
    pub findings: Vec<Diagnostic>,
}

/// Carries out a plan that was made over the same disk. Everything is written to the folder that is opened at the
/// beginning, whatever is put in its place meanwhile, and no symbolic link in [`CopyPlan::no_links_in`] is followed on
/// the way to it.
pub fn apply(disk: &OsFs, plan: &CopyPlan) -> Applied {
    let mut applied = Applied::default();
    let make = (!plan.copies.is_empty()).then_some(FOLDER_MODE);
    let root = match held::open(disk, &plan.root, plan.no_links_in.as_ref(), make) {
        Ok(root) => root,
        Err(NotOpened::Failed(error)) if is_nothing_to_do(plan, &error) => return applied,
        Err(error) => {
            applied.findings.push(failed(&plan.root, "the folder for copies cannot be used", &error.into()));
            return applied;
        }
    };
    match root.lock() {
        Some(lock) => sweep(&root, &lock),
        None => {
            let error = io::Error::other("another process is writing to it; try again");
            applied.findings.push(failed(&plan.root, "the folder for copies cannot be used", &error));
            return applied;
        }
    }
    let mut left = MAX_PLAN_BYTES;
    for copy in &plan.copies {
        match replace(disk, &root, copy, &mut left) {
            Ok(()) => applied.copied.push(copy.name.clone()),
            Err(error) => {
                let what = format!("`{}` could not be copied", visible(&copy.id));
                applied.findings.push(failed(&copy.source, &what, &error));
            }
        }
    }
    for name in &plan.removals {
        match held::one_name(name).and_then(|name| remove_if(&root, name, &is_ours)) {
            Ok(()) => applied.removed.push(name.clone()),
            Err(error) => {
                let path = plan.root.child(name).unwrap_or_else(|_| plan.root.clone());
                applied.findings.push(failed(&path, "the copy could not be removed", &error));
            }
        }
    }
    applied
}

fn is_nothing_to_do(plan: &CopyPlan, error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound && plan.copies.is_empty() && plan.removals.is_empty()
}

/// Makes one copy, and puts it where the old one is.
fn replace(disk: &OsFs, root: &HeldDir, copy: &SkillCopy, left: &mut u64) -> io::Result<()> {
    let target = held::one_name(&copy.name)?;
    let total = copy.files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.len));
    let too_much = |most: u64, what: &str| io::Error::other(format!("{what} has more than {most} bytes"));
    if MAX_SKILL_BYTES < total {
        return Err(too_much(MAX_SKILL_BYTES, "the skill"));
    }
    *left = left.checked_sub(total).ok_or_else(|| too_much(MAX_PLAN_BYTES, "what is to be copied"))?;
    let mut working = Working::new(root)?;
    fill(disk, working.dir(), copy)?;
    working.put(target, Some(&is_ours))
}

fn fill(disk: &OsFs, new: &HeldDir, copy: &SkillCopy) -> io::Result<()> {
    let dir = copy.source.parent().unwrap_or_else(FsPath::root);
    for file in &copy.files {
        let bytes = read(disk, &dir, copy, file)?;
        put_file(new, &file.to, &bytes, mode(disk, &file.from)?)?;
    }
    put_file(new, MARKER, marker(copy).as_bytes(), FILE_MODE)
}

/// The bytes of a file, which no link may lead elsewhere since the skill was found. The skill's own file may be a link.
fn read(disk: &OsFs, dir: &FsPath, copy: &SkillCopy, file: &CopyFile) -> io::Result<Vec<u8>> {
    let head = match file.from.below(dir) {
        Some(rel) if file.to != SKILL_FILE => read_below(disk, &copy.location.dir, rel, file.len),
        _ if file.from == copy.source => {
            let own = &copy.location.file;
            read_below(disk, &own.parent().unwrap_or_else(FsPath::root), own.name(), file.len)
        }
        _ => Err(FsError::Escapes(file.from.clone())),
    };
    let head = head.map_err(io::Error::other)?;
    if head.len != file.len || head.bytes.len() as u64 != file.len {
        return Err(io::Error::other(format!("`{}` was changed while it was copied", file.from)));
    }
    Ok(head.bytes)
}

/// Reads a file below a folder, which is opened by its real path and through no link.
fn read_below(disk: &OsFs, dir: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
    let file = dir.join(rel).map_err(|_| FsError::Escapes(dir.clone()))?;
    disk.confined(dir)?.read(&file, at_most)
}

/// Scripts stay programs, and what only the user may read stays so. Nothing else of the mode is copied. The path may
/// lead elsewhere by now: that decides which of these modes it is, and no more.
#[cfg(unix)]
fn mode(disk: &OsFs, from: &FsPath) -> io::Result<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(disk.host(from).map_err(io::Error::other)?)?.permissions().mode();
    let plain = if mode & 0o100 == 0 { FILE_MODE } else { held::PROGRAM_MODE };
    Ok(if mode & 0o077 == 0 { plain & 0o700 } else { plain })
}

#[cfg(not(unix))]
fn mode(_: &OsFs, _: &FsPath) -> io::Result<u32> {
    Ok(FILE_MODE)
}

/// Whether a folder holds our marker.
fn is_ours(dir: &HeldDir) -> bool {
    matches!(dir.metadata(MARKER), Ok(Some(seen)) if seen.what == What::File)
}

fn failed(path: &FsPath, what: &str, error: &io::Error) -> Diagnostic {
    let message = format!("{what}: {}", visible(&error.to_string()));
    Diagnostic::new(Severity::Error, Code::CopyFailed, path.clone(), message)
        .help("check that the skill can be read and the folder can be written")
}
