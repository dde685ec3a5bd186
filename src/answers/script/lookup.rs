//! In: a skill's file. Out: what can be run by a path below its folder `scripts/`, or why a path names nothing that
//! can. A name may lead over links, the folder itself may be one: what counts is that the file, links resolved, is in
//! the skill's own inventory. Absent: which of them a manifest lists.

use super::MAX_NAMED;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::model::world::World;
use crate::package::inventory::files_of;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::words::{excerpt, nearest};
use std::collections::BTreeSet;
use std::collections::VecDeque;

/// The folder of a skill that its scripts lie in.
const NAME: &str = "scripts";

/// How many characters of a name as listed stand in a message.
const MAX_SHOWN_CHARS: usize = 60;

/// A skill's folder, as scripts are looked for in it.
pub(super) struct Folder<'w> {
    world: &'w World<'w>,
    /// The skill's folder, as found.
    dir: FsPath,
    /// The same, links resolved.
    pub(super) real: FsPath,
    /// The skill's own files, as paths below it.
    own: BTreeSet<String>,
}

/// A script that is there.
pub(super) struct Found {
    /// Its path below `scripts/`.
    pub(super) name: String,
    /// The file, links resolved.
    pub(super) file: FsPath,
    /// The same below the skill's folder.
    pub(super) rel: String,
}

/// Why there is none.
pub(super) enum No {
    /// It is no plain path.
    NotPlain(String),
    /// It leads out.
    Outside(String),
    /// There is none of this name; what stands there instead, if anything does.
    Absent(String, Option<&'static str>),
    /// The file system has no answer.
    Fs(FsError),
}

impl No {
    /// The same for the caller, who is told which may be run.
    pub(super) fn error(self, key: &str, runnable: &[String]) -> Error {
        let key = key.to_owned();
        let shown = |name: &str| visible(name).into_owned();
        match self {
            No::NotPlain(asked) => Error::NotPlain { key, asked: shown(&asked) },
            No::Outside(asked) => Error::Outside { key, asked: shown(&asked) },
            No::Fs(error) => error.into(),
            No::Absent(asked, found) => {
                let near = nearest(&asked, runnable.iter().map(String::as_str)).into_iter().map(shown).collect();
                let there = runnable.iter().take(MAX_NAMED).map(|name| shown(name)).collect();
                let more = runnable.len().saturating_sub(MAX_NAMED);
                Error::NoScript { key, asked: shown(&asked), found, near, there, more }
            }
        }
    }
}

impl No {
    /// The same for the author, who listed a name. `there` are the names that can be run.
    pub(super) fn finding(&self, skill: &FsPath, listed: &str, there: &[String]) -> Diagnostic {
        let why = match self {
            No::NotPlain(_) => "does not have a plain path".to_owned(),
            No::Outside(_) => "leads outside of the skill's folder".to_owned(),
            No::Absent(_, None) => format!("does not exist: expected the file in the folder `{NAME}`"),
            No::Absent(_, Some(what)) => format!("is {what}, expected a file"),
            No::Fs(error) => format!("cannot be read: {error}"),
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
        let dir = skill.parent().unwrap_or_else(FsPath::root);
        let own = files_of(world, skill).iter().filter_map(|file| file.below(&dir)).map(str::to_owned).collect();
        Ok(Folder { world, real: world.fs.canonical(&dir)?, dir, own })
    }

    /// The script that is asked for.
    pub(super) fn find(&self, asked: &str) -> Result<Found, No> {
        let asked = asked.strip_prefix("./").unwrap_or(asked);
        let found = self.named(asked);
        // The whole name first: a folder `scripts` may lie in the folder `scripts`.
        match (found, asked.strip_prefix("scripts/")) {
            (Err(_), Some(inside)) => self.named(inside),
            (found, _) => found,
        }
    }

    fn named(&self, asked: &str) -> Result<Found, No> {
        let name = || asked.to_owned();
        if leads_out(asked) {
            return Err(No::Outside(name()));
        }
        let is_plain = !asked.contains(['\\', '\0']) && !asked.split('/').any(|part| matches!(part, "" | "." | ".."));
        let there = self.dir.child(NAME).and_then(|folder| folder.join(asked)).ok().filter(|_| is_plain);
        let there = there.ok_or_else(|| No::NotPlain(name()))?;
        let absent = |found| Err(No::Absent(name(), found));
        match self.world.fs.metadata(&there).ok().flatten().map(|metadata| metadata.kind) {
            None => absent(None),
            Some(FileKind::Dir) => absent(Some("a folder")),
            Some(FileKind::Other) => absent(Some("not a regular file")),
            Some(FileKind::Missing) => absent(Some("a broken symlink")),
            Some(FileKind::File) => {
                let file = match self.world.fs.canonical(&there) {
                    Err(FsError::Escapes(_)) => return Err(No::Outside(name())),
                    file => file.map_err(No::Fs)?,
                };
                match file.below(&self.real).map(str::to_owned) {
                    None => Err(No::Outside(name())),
                    Some(rel) if self.own.contains(&rel) => Ok(Found { name: name(), file, rel }),
                    Some(_) => absent(Some("a file of another skill")),
                }
            }
        }
    }

    /// What can be run, in byte order. A folder is entered once, by the shortest of the names that lead to it.
    pub(super) fn names(&self) -> Vec<String> {
        let mut folders: BTreeSet<&str> = BTreeSet::new();
        for file in self.own.iter() {
            folders.extend(file.match_indices('/').map(|(at, _)| &file[..at]).chain([""]));
        }
        let mut names = BTreeSet::new();
        let mut entered = BTreeSet::new();
        let mut waiting: VecDeque<(String, Option<String>)> = [(String::new(), self.led_to(NAME))].into();
        while let Some((prefix, rel)) = waiting.pop_front() {
            let Some(rel) = rel.filter(|rel| folders.contains(rel.as_str()) && entered.insert(rel.clone())) else {
                continue;
            };
            let at = |name: &str| if rel.is_empty() { name.to_owned() } else { format!("{rel}/{name}") };
            let entries = self.dir.join(&rel).ok().and_then(|dir| self.world.fs.list(&dir).ok()).unwrap_or_default();
            for entry in entries.iter().filter(|entry| !entry.lossy) {
                let led_to = || if entry.link { self.led_to(&at(&entry.name)) } else { Some(at(&entry.name)) };
                let name = format!("{prefix}{}", entry.name);
                match entry.kind {
                    FileKind::File if led_to().is_some_and(|rel| self.own.contains(&rel)) => {
                        names.insert(name);
                    }
                    FileKind::Dir => waiting.push_back((format!("{name}/"), led_to())),
                    FileKind::File | FileKind::Other | FileKind::Missing => {}
                }
            }
        }
        names.into_iter().collect()
    }

    /// Where a path below the skill's folder leads, as such a path; none where it leads out, or nowhere.
    fn led_to(&self, rel: &str) -> Option<String> {
        let there = self.world.fs.canonical(&self.dir.join(rel).ok()?).ok()?;
        there.below(&self.real).map(str::to_owned)
    }
}

/// Whether a path climbs above where it begins, or begins elsewhere.
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
