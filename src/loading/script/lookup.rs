//! Looks scripts up by their paths below the folder `scripts` of a skill. A path may go through symlinks, but the real file
//! must be in the skill's inventory.

use super::MAX_NAMED;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::world::World;
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::package::inventory::files_of;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::order::sort_by;
use crate::text::words::{excerpt, nearest};
use std::collections::HashSet;
use std::collections::VecDeque;

/// The folder of a skill with its scripts.
const NAME: &str = "scripts";

/// How many characters of a listed name are shown in a message.
const MAX_SHOWN_CHARS: usize = 60;

/// A skill's folder, in which scripts are looked up.
pub(super) struct Folder<'w> {
    world: &'w World<'w>,
    /// The path of the folder as it was found.
    dir: FsPath,
    /// The real path of the folder.
    pub(super) real: FsPath,
    /// The skill's own files, as paths below the folder.
    own: HashSet<String>,
}

/// A script that exists.
pub(super) struct Found {
    /// Its path below `scripts/`.
    pub(super) name: String,
    /// The real path of the file.
    pub(super) file: FsPath,
    /// The real path below the skill's folder.
    pub(super) rel: String,
}

/// Why a script was not found.
pub(super) enum NotFound {
    /// The name contains `..`, a backslash or another part that is not allowed.
    NotPlain(String),
    /// The path leads outside of the skill's folder.
    Outside(String),
    /// There is no script of this name, and what exists there instead, if anything.
    Absent(String, Option<&'static str>),
    /// The file system returned an error.
    Fs(FsError),
}

impl NotFound {
    /// The error for the caller, with the names of the scripts that may be run.
    pub(super) fn error(self, key: &str, runnable: &[String]) -> Error {
        let key = key.to_owned();
        let shown = |name: &str| visible(name).into_owned();
        match self {
            NotFound::NotPlain(asked) => Error::PathNotPlain { key, asked: shown(&asked) },
            NotFound::Outside(asked) => Error::OutsideScripts { key, asked: shown(&asked) },
            NotFound::Fs(error) => error.into(),
            NotFound::Absent(asked, found) => {
                let near = nearest(&asked, runnable.iter().map(String::as_str)).into_iter().map(shown).collect();
                let there = runnable.iter().take(MAX_NAMED).map(|name| shown(name)).collect();
                let more = runnable.len().saturating_sub(MAX_NAMED);
                Error::NoScript { key, asked: shown(&asked), found, near, there, more }
            }
        }
    }
}

impl NotFound {
    /// The finding for the author, who listed a name. `there` are the names of the existing scripts.
    pub(super) fn finding(&self, skill: &FsPath, listed: &str, there: &[String]) -> Diagnostic {
        let why = match self {
            NotFound::NotPlain(_) => "does not have a plain path".to_owned(),
            NotFound::Outside(_) => "leads outside of the skill's folder".to_owned(),
            NotFound::Absent(_, None) => format!("does not exist: expected the file in the folder `{NAME}`"),
            NotFound::Absent(_, Some(what)) => format!("is {what}, expected a file"),
            NotFound::Fs(error) => format!("cannot be read: {error}"),
        };
        let message = format!("the script `{}` {why}", excerpt(listed, MAX_SHOWN_CHARS));
        let near = nearest(listed, there.iter().map(String::as_str));
        let help = match near.first() {
            Some(near) => format!("did you mean `{}`? otherwise add the file, or drop the name", visible(near)),
            None => "correct the path, add the file, or drop the name".to_owned(),
        };
        Diagnostic::new(Severity::Error, Code::ScriptMissing, skill.clone(), message).help(help)
    }
}

impl<'w> Folder<'w> {
    pub(super) fn of(world: &'w World<'w>, skill: &FsPath) -> Result<Folder<'w>, FsError> {
        let dir = skill.parent().ok_or_else(|| FsError::NotFound(skill.clone()))?;
        let own = files_of(world, skill).iter().filter_map(|file| file.relative_to(&dir)).map(str::to_owned).collect();
        Ok(Folder { world, real: world.fs.canonical(&dir)?, dir, own })
    }

    /// Looks up a script, with or without `scripts/` before its name.
    pub(super) fn find(&self, asked: &str) -> Result<Found, NotFound> {
        let asked = asked.strip_prefix("./").unwrap_or(asked);
        let found = self.named(asked);
        // The whole name comes first, as the folder `scripts` may contain another folder `scripts`.
        match (found, asked.strip_prefix("scripts/")) {
            (Err(_), Some(inside)) => self.named(inside),
            (found, _) => found,
        }
    }

    fn named(&self, asked: &str) -> Result<Found, NotFound> {
        let name = || asked.to_owned();
        if leads_out(asked) {
            return Err(NotFound::Outside(name()));
        }
        let is_plain = !asked.contains(['\\', '\0']) && !asked.split('/').any(|part| matches!(part, "" | "." | ".."));
        let there = self.dir.child(NAME).and_then(|folder| folder.join(asked)).ok().filter(|_| is_plain);
        let there = there.ok_or_else(|| NotFound::NotPlain(name()))?;
        let absent = |found| Err(NotFound::Absent(name(), found));
        match self.world.fs.metadata(&there).ok().flatten().map(|metadata| metadata.kind) {
            None => absent(None),
            Some(FileKind::Dir) => absent(Some("a folder")),
            Some(FileKind::Other) => absent(Some("not a regular file")),
            Some(FileKind::Broken) => absent(Some("a broken symlink")),
            Some(FileKind::File) => {
                let file = match self.world.fs.canonical(&there) {
                    Err(FsError::Escapes(_)) => return Err(NotFound::Outside(name())),
                    file => file.map_err(NotFound::Fs)?,
                };
                match file.relative_to(&self.real).map(str::to_owned) {
                    None => Err(NotFound::Outside(name())),
                    Some(rel) if self.own.contains(&rel) => Ok(Found { name: name(), file, rel }),
                    Some(_) => absent(Some("a file of another skill")),
                }
            }
        }
    }

    /// The names of all scripts, in byte order. A folder with several names is entered once, by the shortest of them.
    pub(super) fn names(&self) -> Vec<String> {
        let mut folders: HashSet<&str> = HashSet::new();
        for file in self.own.iter() {
            folders.extend(file.match_indices('/').map(|(at, _)| &file[..at]).chain([""]));
        }
        let mut names = Vec::new();
        let mut entered = HashSet::new();
        let mut waiting: VecDeque<(String, Option<String>)> = [(String::new(), self.led_to(NAME))].into();
        while let Some((prefix, rel)) = waiting.pop_front() {
            let Some(rel) = rel.filter(|rel| folders.contains(rel.as_str()) && entered.insert(rel.clone())) else {
                continue;
            };
            let at = |name: &str| if rel.is_empty() { name.to_owned() } else { format!("{rel}/{name}") };
            let entries = self.dir.join(&rel).ok().and_then(|dir| self.world.fs.list(&dir).ok()).unwrap_or_default();
            for entry in entries.iter().filter(|entry| !entry.is_lossy) {
                let led_to = || if entry.is_symlink { self.led_to(&at(&entry.name)) } else { Some(at(&entry.name)) };
                let name = format!("{prefix}{}", entry.name);
                match entry.kind {
                    FileKind::File if led_to().is_some_and(|rel| self.own.contains(&rel)) => {
                        names.push(name);
                    }
                    FileKind::Dir => waiting.push_back((format!("{name}/"), led_to())),
                    FileKind::File | FileKind::Other | FileKind::Broken => {}
                }
            }
        }
        sort_by(&mut names, Ord::cmp);
        names.dedup();
        names
    }

    /// The real path of a path below the skill's folder, as a path below it. `None` if it is outside or does not exist.
    fn led_to(&self, rel: &str) -> Option<String> {
        let there = self.world.fs.canonical(&self.dir.join(rel).ok()?).ok()?;
        there.relative_to(&self.real).map(str::to_owned)
    }
}

/// Whether a path is absolute or climbs above its start with `..`.
fn leads_out(path: &str) -> bool {
    let mut depth = 0_usize;
    let climbs = path.split('/').any(|part| match part {
        "" | "." => false,
        ".." => depth.checked_sub(1).map(|less| depth = less).is_none(),
        _ => {
            depth += 1;
            false
        }
    });
    climbs || path.starts_with('/')
}
