//! In: a [`CopyPlan`]. Out: the copies on the disk, and what was done. A copy is made in a folder of our own beside
//! its place and renamed into it when it is whole, so that none is ever half there (decisions 41). What is not
//! ours by its marker is not touched. A copy that fails leaves its predecessor, and the others go on.

use crate::activate::{CopyFile, CopyPlan, MARKER, OWN_PREFIX, SkillCopy, marker};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::fs::{Fs, FsError, OsFs};
use crate::path::FsPath;
use crate::scan::SKILL_FILE;
use crate::text::escape::visible;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How many bytes one file may have to be copied; it is held in memory, as only so a link can lead nowhere else.
const MAX_FILE_BYTES: u64 = 268_435_456;

/// How old what an interrupted run left behind must be before it is swept: no run takes so long.
const ABANDONED_AFTER: Duration = Duration::from_secs(3_600);

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

/// Carries out a plan that was made over the same disk.
pub fn apply(disk: &OsFs, plan: &CopyPlan) -> Applied {
    let mut applied = Applied::default();
    let root = match disk.host(&plan.root).map_err(io::Error::other).and_then(|root| made(&root, plan)) {
        Ok(root) => root,
        Err(error) => {
            applied.findings.push(failed(&plan.root, "the folder for copies cannot be used", &error));
            return applied;
        }
    };
    sweep(&root);
    for copy in &plan.copies {
        match replace(disk, &root, copy) {
            Ok(()) => applied.copied.push(copy.name.clone()),
            Err(error) => {
                let what = format!("`{}` could not be copied", visible(&copy.id));
                applied.findings.push(failed(&copy.source, &what, &error));
            }
        }
    }
    for name in &plan.removals {
        match remove(&root, name) {
            Ok(()) => applied.removed.push(name.clone()),
            Err(error) => {
                let path = plan.root.child(name).unwrap_or_else(|_| plan.root.clone());
                applied.findings.push(failed(&path, "the copy could not be removed", &error));
            }
        }
    }
    applied
}

fn made(root: &Path, plan: &CopyPlan) -> io::Result<PathBuf> {
    if !plan.copies.is_empty() {
        fs::create_dir_all(root)?;
    }
    Ok(root.to_owned())
}

/// Makes one copy, and puts it where the old one is.
fn replace(disk: &OsFs, root: &Path, copy: &SkillCopy) -> io::Result<()> {
    let target = root.join(one_name(&copy.name)?);
    let new = own_name(root);
    let done = fill(disk, &new, copy).and_then(|()| swap(&new, &target, &own_name(root)));
    // Holds the old copy now, or what there is of one that failed; what cannot be removed is swept later.
    let _ = discard(&new);
    done
}

fn fill(disk: &OsFs, new: &Path, copy: &SkillCopy) -> io::Result<()> {
    fs::create_dir(new)?;
    let dir = copy.source.parent().unwrap_or_else(FsPath::root);
    for file in &copy.files {
        let mut at = new.to_owned();
        for name in file.to.split('/') {
            at.push(one_name(name)?);
        }
        if let Some(above) = at.parent() {
            fs::create_dir_all(above)?;
        }
        let bytes = read(disk, &dir, copy, file)?;
        let mut out = fs::File::create_new(&at)?;
        out.write_all(&bytes)?;
        like(disk, &file.from, &out)?;
    }
    fs::write(new.join(MARKER), marker(copy))
}

/// The bytes of a file, which no link may lead elsewhere since the plan was made. The skill's own file may be a link.
fn read(disk: &OsFs, dir: &FsPath, copy: &SkillCopy, file: &CopyFile) -> io::Result<Vec<u8>> {
    if MAX_FILE_BYTES < file.len {
        return Err(io::Error::other(format!("`{}` has more than {MAX_FILE_BYTES} bytes", file.from)));
    }
    let head = match file.from.below(dir) {
        Some(rel) if file.to != SKILL_FILE => disk.read_within(dir, rel, file.len),
        _ if file.from == copy.source => disk.read(&file.from, file.len),
        _ => Err(FsError::Escapes(file.from.clone())),
    };
    let head = head.map_err(io::Error::other)?;
    if head.len != file.len || head.bytes.len() as u64 != file.len {
        return Err(io::Error::other(format!("`{}` was changed while it was copied", file.from)));
    }
    Ok(head.bytes)
}

/// Scripts stay programs.
#[cfg(unix)]
fn like(disk: &OsFs, from: &FsPath, to: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(disk.host(from).map_err(io::Error::other)?)?.permissions().mode();
    to.set_permissions(fs::Permissions::from_mode(mode & 0o777 | 0o600))
}

#[cfg(not(unix))]
fn like(_: &OsFs, _: &FsPath, _: &fs::File) -> io::Result<()> {
    Ok(())
}

/// Puts a whole copy where the old one is; afterwards the old one, if there was one, is at `new`.
fn swap(new: &Path, target: &Path, aside: &Path) -> io::Result<()> {
    if let Err(error) = fs::symlink_metadata(target) {
        return if error.kind() == ErrorKind::NotFound { fs::rename(new, target) } else { Err(error) };
    }
    ours(target)?;
    put_in_place(new, target, aside)
}

/// The same where one is there.
pub(super) fn put_in_place(new: &Path, target: &Path, aside: &Path) -> io::Result<()> {
    if exchange(new, target) {
        return Ok(());
    }
    fs::rename(target, aside)?;
    if let Err(error) = fs::rename(new, target) {
        // The old copy is better than none.
        fs::rename(aside, target)?;
        return Err(error);
    }
    fs::rename(aside, new)
}

/// Exchanges two folders in one step, where the system can.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(new: &Path, target: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, new, CWD, target, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

fn remove(root: &Path, name: &str) -> io::Result<()> {
    let target = root.join(one_name(name)?);
    ours(&target)?;
    let aside = own_name(root);
    fs::rename(&target, &aside)?;
    let _ = discard(&aside);
    Ok(())
}

/// Whether a folder holds our marker, now.
fn ours(target: &Path) -> io::Result<()> {
    let is_ours = fs::symlink_metadata(target)?.is_dir()
        && fs::symlink_metadata(target.join(MARKER)).is_ok_and(|marker| marker.is_file());
    if is_ours { Ok(()) } else { Err(io::Error::other("what stands there is no copy of a skill")) }
}

pub(super) fn discard(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Removes what an interrupted run left behind. What cannot be removed stays for the next run.
fn sweep(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else { return };
    for entry in entries.flatten() {
        let is_old = || entry.metadata().and_then(|meta| meta.modified()).ok()?.elapsed().ok();
        let is_own = entry.file_name().to_str().is_some_and(|name| name.starts_with(OWN_PREFIX));
        if is_own && is_old().is_some_and(|age| ABANDONED_AFTER < age) {
            let _ = discard(&entry.path());
        }
    }
}

/// A name of our own in the folder that no other run has.
pub(super) fn own_name(root: &Path) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    root.join(format!("{OWN_PREFIX}{}-{count}", std::process::id()))
}

/// A name that stays one name on this system.
pub(super) fn one_name(name: &str) -> io::Result<&str> {
    let is_path = matches!(name, "" | "." | "..") || name.contains(['/', '\0']);
    let is_windows_path = cfg!(windows) && name.contains(['\\', ':']);
    if is_path || is_windows_path {
        Err(io::Error::other(format!("`{name}` is no name of a file here")))
    } else {
        Ok(name)
    }
}

fn failed(path: &FsPath, what: &str, error: &io::Error) -> Diagnostic {
    let message = format!("{what}: {}", visible(&error.to_string()));
    Diagnostic::new(Severity::Error, Code::CopyFailed, path.clone(), message)
        .help("see that the skill can be read and the folder be written")
}
