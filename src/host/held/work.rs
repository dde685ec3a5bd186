//! What is ours in a folder that is written to: entries under names of our own, made whole before they take their place,
//! and swept when the run that made them was ended before its time.

use super::{FOLDER_MODE, HeldDir, Lock, Locking, What};
use crate::discovery::scan::OWN_PREFIX;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How many names are tried for an entry of our own.
const MAX_NAMES: usize = 100;

/// How many entries of a folder are looked through for what is left over.
const MAX_LISTED: usize = 100_000;

/// How old what is left over must be before it is swept where there are no locks: no run takes so long.
const ABANDONED_AFTER: Duration = Duration::from_secs(3_600);

impl HeldDir {
    /// Enters a folder, and makes it where there is none.
    pub(in crate::host) fn enter_or_make(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<HeldDir> {
        let name = name.as_ref();
        match self.make(name, mode) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => self.enter(name),
        }
    }

    pub(in crate::host) fn is_link(&self, name: impl AsRef<OsStr>) -> bool {
        matches!(self.metadata(name), Ok(Some(seen)) if seen.what == What::Link)
    }
}

/// A name of our own that no other entry has.
pub(in crate::host) fn own_name(dir: &HeldDir) -> io::Result<String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    for _ in 0..MAX_NAMES {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{OWN_PREFIX}{}-{count}", std::process::id());
        if dir.metadata(&name)?.is_none() {
            return Ok(name);
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Whether a name is one that [`own_name`] makes.
fn is_own_name(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = name.strip_prefix(OWN_PREFIX).and_then(|rest| rest.split_once('-'));
    numbers.is_some_and(|(process, count)| is_number(process) && is_number(count))
}

/// Removes what ended runs left behind: files and folders under names of our own that no process holds a lock on; where
/// there are no locks, old ones. Nothing else is ever removed. What cannot be removed stays for the next run.
///
/// The folder is to be locked, so that no entry is found between its making and its lock.
pub(in crate::host) fn sweep(dir: &HeldDir, lock: &Lock) {
    let names = dir.list(MAX_LISTED).unwrap_or_default();
    for name in names.iter().filter_map(|name| name.to_str()).filter(|name| is_own_name(name)) {
        let Ok(Some(seen)) = dir.metadata(name) else { continue };
        if !matches!(seen.what, What::File | What::Folder) {
            continue;
        }
        let is_old = || Some(ABANDONED_AFTER < seen.modified?.elapsed().ok()?);
        let is_abandoned = match dir.try_lock_entry(name, seen.what) {
            Locking::Held(_) if lock.is_exclusive() => true,
            Locking::Taken => false,
            Locking::Held(_) | Locking::Unsupported => is_old().unwrap_or(false),
        };
        if is_abandoned {
            let _ = dir.remove_tree(name);
        }
    }
}

/// Whether a folder may be removed.
pub(in crate::host) type MayGo<'f> = dyn Fn(&HeldDir) -> bool + 'f;

/// A folder of our own that is being filled, to take its place when it is whole. It is locked as long as it is filled,
/// and goes, or what it was exchanged for, in the end.
pub(in crate::host) struct Working<'d> {
    parent: &'d HeldDir,
    name: String,
    dir: HeldDir,
    /// None where another process could mistake it for one that was left behind.
    _lock: Option<std::fs::File>,
    is_kept: bool,
}

impl<'d> Working<'d> {
    pub(in crate::host) fn new(parent: &'d HeldDir) -> io::Result<Working<'d>> {
        let _guard = parent.locked()?;
        let name = own_name(parent)?;
        parent.make(&name, FOLDER_MODE)?;
        let dir = parent.enter(&name)?;
        let lock = match dir.try_lock() {
            Locking::Held(file) => Some(file),
            Locking::Taken | Locking::Unsupported => None,
        };
        Ok(Working { parent, name, dir, _lock: lock, is_kept: false })
    }

    pub(in crate::host) fn dir(&self) -> &HeldDir {
        &self.dir
    }

    /// Takes the place of nothing, or of a folder of which `may_go` holds, which is removed. Where anything else stands
    /// there, nothing changes.
    pub(in crate::host) fn put(&mut self, target: &str, may_go: Option<&MayGo<'_>>) -> io::Result<()> {
        let _guard = self.parent.locked()?;
        // Nothing but what was filled may take the place.
        if !self.dir.stands_in(self.parent, &self.name) {
            return Err(io::Error::other("the working folder was moved away by another process"));
        }
        match (self.parent.metadata(target)?, may_go) {
            (Some(_), Some(may_go)) => self.replace(target, may_go),
            _ => self.parent.rename_new(&self.name, target),
        }
    }

    fn replace(&mut self, target: &str, may_go: &MayGo<'_>) -> io::Result<()> {
        may_be_taken(self.parent, target, may_go)?;
        if self.parent.exchange(&self.name, target) {
            // What stood there may have been put there since it was looked at.
            return match may_be_taken(self.parent, &self.name, may_go) {
                Ok(()) => Ok(()),
                Err(error) => {
                    self.is_kept = !self.parent.exchange(&self.name, target);
                    Err(error)
                }
            };
        }
        let aside = own_name(self.parent)?;
        self.parent.rename(target, &aside)?;
        let checked = may_be_taken(self.parent, &aside, may_go);
        if let Err(error) = checked.and_then(|()| self.parent.rename_new(&self.name, target)) {
            // The old folder is better than none.
            self.parent.rename_new(&aside, target)?;
            return Err(error);
        }
        self.parent.remove_tree(&aside)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // What cannot be removed is swept later.
            let _ = self.parent.remove_tree(&self.name);
        }
    }
}

/// Removes a folder of which `may_go` holds.
pub(in crate::host) fn remove_if(dir: &HeldDir, name: &str, may_go: &MayGo<'_>) -> io::Result<()> {
    let _guard = dir.locked()?;
    may_be_taken(dir, name, may_go)?;
    let aside = own_name(dir)?;
    dir.rename(name, &aside)?;
    if let Err(error) = may_be_taken(dir, &aside, may_go) {
        dir.rename_new(&aside, name)?;
        return Err(error);
    }
    // What cannot be removed is swept later.
    let _ = dir.remove_tree(&aside);
    Ok(())
}

fn may_be_taken(dir: &HeldDir, name: &str, may_go: &MayGo<'_>) -> io::Result<()> {
    let what = dir.metadata(name)?.ok_or(ErrorKind::NotFound)?.what;
    let is_so = what == What::Folder && may_go(&dir.enter(name)?);
    if is_so { Ok(()) } else { Err(io::Error::other("what exists there is not what would be replaced")) }
}

/// Makes a file of these bytes below a folder, with the folders that its name has.
pub(in crate::host) fn put_file(dir: &HeldDir, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut at: Option<HeldDir> = None;
    let (folders, file) = name.rsplit_once('/').unwrap_or(("", name));
    for folder in folders.split('/').filter(|_| !folders.is_empty()) {
        at = Some(at.as_ref().unwrap_or(dir).enter_or_make(one_name(folder)?, FOLDER_MODE)?);
    }
    at.as_ref().unwrap_or(dir).create(one_name(file)?, mode)?.write_all(bytes)
}

/// A name that stays one name on this system.
pub(in crate::host) fn one_name(name: &str) -> io::Result<&str> {
    let is_path = matches!(name, "" | "." | "..") || name.contains(['/', '\0']);
    let is_windows_path = cfg!(windows) && name.contains(['\\', ':']);
    if is_path || is_windows_path {
        Err(io::Error::other(format!("`{name}` is not a file name on this system")))
    } else {
        Ok(name)
    }
}
