//! Turns the visits of one walk, which come in any order, into files, symlinks to follow and findings. The prefix of a
//! SKILL.md is read into a manifest at once, so that its bytes are not held. The findings of a scan that more than one
//! of its modules report are here too.

use super::cache::{ScannedDir, ScannedEntry};
use super::step::{self, EntryClass, ResourceFolders, is_resource_folder};
use super::{SKILL_FILE, ScanResult, SkillFile, links};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, Permitted, Reading, ScanRule, SourceRule};
use crate::discovery::manifest;
use crate::discovery::manifest::{LEADS_OUT, LEADS_OUT_HELP};
use crate::discovery::source::base;
use crate::discovery::world::World;
use crate::fs::{Entry, FileKind, FsError, Visit, VisitOutcome, WalkEntry};
use crate::model::skill::Source;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::borrow::Cow;
use std::sync::Arc;

/// What the visits of one walk have given so far.
pub(super) struct Visits<'v> {
    pub(super) world: &'v World<'v>,
    pub(super) dialect: &'v Dialect,
    pub(super) rule: &'v ScanRule,
    pub(super) source: &'v Arc<Source>,
    /// The directory that the walk started at, its real path, and how many folders below the source's root it lies.
    pub(super) root: &'v FsPath,
    pub(super) real_root: &'v FsPath,
    pub(super) level: usize,
    pub(super) dirs: usize,
    /// The directories that were not visited, as there were too many.
    pub(super) cut: Vec<FsPath>,
    pub(super) links: Vec<links::Link>,
    pub(super) result: ScanResult,
    pub(super) resources: ResourceFolders,
}

impl Visits<'_> {
    /// Takes a visit of a file system's walk. The bytes that were read stay in the visit, as their allocation is
    /// reused.
    pub(super) fn add_visit(&mut self, Visit { dir, depth, outcome }: &mut Visit) {
        let outcome = match outcome {
            VisitOutcome::Restarted => {
                // The resources of folders that were listed are still right.
                (self.dirs, self.cut, self.links) = (0, Vec::new(), Vec::new());
                self.result = ScanResult::default();
                return;
            }
            VisitOutcome::Cut => None,
            VisitOutcome::Failed(error) => Some(Err(error.clone())),
            VisitOutcome::Listed(noted) => {
                let read = |WalkEntry { entry, prefix: head }: &mut WalkEntry| {
                    let file = head.as_ref().and_then(|head| {
                        let path = dir.child(&entry.name).ok()?;
                        let manifest = manifest::read_shared(self.world, self.dialect, &path, head.as_ref());
                        if let Some(on_read) = self.world.on_read {
                            on_read(self.world, self.source, &path, head.as_ref());
                        }
                        Some((path, manifest))
                    });
                    (Entry { name: std::mem::take(&mut entry.name), ..*entry }, file)
                };
                Some(Ok(noted.iter_mut().map(read).collect()))
            }
        };
        self.add_dir(dir, *depth, outcome);
    }

    /// Takes the outcome for a directory `depth` folders below the root of the walk; `None` if it was not visited.
    pub(super) fn add_dir(&mut self, dir: &FsPath, depth: usize, outcome: Option<ScannedDir>) {
        self.dirs += usize::from(outcome.is_some());
        match outcome {
            None => {
                if self.world.keeps_resources && is_resource_folder(dir.name()) {
                    self.resources.add_unlisted(self.real_path(dir).as_ref().unwrap_or(dir));
                }
                self.cut.push(dir.clone());
            }
            Some(Err(FsError::Pending(path))) => self.result.pending.push(path),
            Some(Err(error)) if *dir == self.source.root => {
                self.result.findings.push(unreadable_source(self.source, &error));
            }
            Some(Err(error)) => {
                let message = format!("the folder could not be listed: {}", error.reason());
                self.result.findings.push(
                    Diagnostic::new(Severity::Warning, Code::Unreadable, dir.clone(), message)
                        .help("allow the user to list the folder"),
                );
            }
            Some(Ok(entries)) if entries.is_empty() => {}
            Some(Ok(entries)) => self.add_entries(dir, self.level + depth, entries),
        }
    }

    /// The real path of a directory; `None` if that is its path.
    fn real_path(&self, dir: &FsPath) -> Option<FsPath> {
        match self.root == self.real_root {
            true => None,
            false => dir.rebased(self.root, self.real_root),
        }
    }

    fn add_entries(&mut self, dir: &FsPath, level: usize, entries: Vec<ScannedEntry>) {
        let real_dir = self.real_path(dir);
        if self.world.keeps_resources && is_resource_folder(dir.name()) {
            self.resources.add(real_dir.as_ref().unwrap_or(dir), &entries);
        }
        let has_skill = entries.iter().any(|(_, file)| file.is_some());
        // A SKILL.md that is an unread symlink keeps the walk out of the folders beside it, too.
        let skill = || step::skill_file_index(entries.iter().map(|(entry, _)| entry)).map(|at| &entries[at].0);
        let is_closed = self.rule.nested == Permitted::No
            && step::reads_skill_at(self.rule, level)
            && skill().is_some_and(|entry| step::may_close(self.dialect.reading, &entry.name));
        if is_closed {
            self.result.closed.push(real_dir.as_ref().unwrap_or(dir).clone());
        }
        for (entry, file) in entries {
            match file {
                // A client that reads files as they are looks for this name alone.
                Some((path, _)) if entry.name != SKILL_FILE && self.dialect.reading == Reading::Faithful => {
                    self.result.findings.push(nearly_skill_file(path));
                }
                Some((path, manifest)) => {
                    if entry.name != SKILL_FILE {
                        self.result.findings.push(file_name_case(path.clone()));
                    }
                    let target = real_dir.as_ref().map(|real_dir| path.moved_to(real_dir));
                    let found = SkillFile::new(self.source, path, manifest);
                    self.result.files.push(SkillFile { target, level, is_symlink: entry.is_symlink, ..found });
                }
                None => match dir.child(&entry.name) {
                    Ok(path) => {
                        let above = (real_dir.as_ref().unwrap_or(dir), level);
                        self.add_unread(path, above, &entry, (has_skill, is_closed));
                    }
                    Err(error) => {
                        let message = format!("an entry of the folder is ignored: {error}");
                        self.result.findings.push(
                            Diagnostic::new(Severity::Warning, Code::PathNotUtf8, dir.clone(), message)
                                .help("rename the entry"),
                        );
                    }
                },
            }
        }
    }

    /// Takes an entry that was not read. `has_skill` says whether a SKILL.md was read in the same folder, and `is_closed` whether
    /// one keeps the walk out of the folders in it.
    fn add_unread(
        &mut self,
        path: FsPath,
        (real_dir, level): (&FsPath, usize),
        entry: &Entry,
        (has_skill, is_closed): (bool, bool),
    ) {
        let is_entered = step::enters_folders_at(self.rule, level, is_closed);
        let class = step::classify_at(self.rule, level, entry);
        self.note_unentered(&path, &class, is_entered, entry);
        let finding = match class {
            EntryClass::NeverEntered | EntryClass::Reserved | EntryClass::Other if !is_entered => return,
            EntryClass::Skill => self.unread_skill(path, level, entry),
            EntryClass::NearlySkill if step::reads_skill_at(self.rule, level) => nearly_skill_file(path),
            EntryClass::Archive if !has_skill => archive(path),
            EntryClass::NeverEntered if self.is_source(&path) => return,
            EntryClass::NeverEntered => not_entered(path, self.rule, self.dialect),
            EntryClass::Reserved => reserved_folder(path, &self.dialect.name),
            EntryClass::NotUtf8 => {
                let message = "the folder name is not UTF-8, so it was not searched";
                let may_hold_skill = step::reads_skill_at(self.rule, level + 1);
                let severity = if may_hold_skill { Severity::Warning } else { Severity::Note };
                Diagnostic::new(severity, Code::PathNotUtf8, path, message).help("rename the folder")
            }
            EntryClass::LinkToDir => {
                self.links.push(links::Link { level: level + 1, path, dir: real_dir.clone() });
                return;
            }
            // Beside a SKILL.md it rather led to a file of that skill than to another one.
            EntryClass::BrokenLink if is_entered => {
                broken_symlink(path, if has_skill { Severity::Note } else { Severity::Warning })
            }
            EntryClass::Other if entry.kind == FileKind::Dir => {
                self.resources.add_unlisted(&path.moved_to(real_dir));
                return;
            }
            EntryClass::NearlySkill | EntryClass::Archive | EntryClass::BrokenLink | EntryClass::Other => return,
        };
        self.result.findings.push(finding);
    }

    /// Notes a folder that is not entered because of its name or the limit of depth.
    fn note_unentered(&mut self, path: &FsPath, class: &EntryClass, is_entered: bool, entry: &Entry) {
        let is_named_so = match class {
            EntryClass::NeverEntered => !self.is_source(path),
            EntryClass::Reserved => true,
            _ => false,
        };
        // What lies below a symlink belongs to the place that it leads to.
        if self.level == 0 && step::is_plain_folder(entry) && (is_named_so || !is_entered) {
            self.result.unentered.push(path.clone());
        }
    }

    /// Whether a folder is searched as a source of its own.
    fn is_source(&self, path: &FsPath) -> bool {
        let places = self.world.places;
        let root = |rule: &SourceRule| base(rule.base, places)?.join(&rule.path).ok();
        !places.only_roots && self.dialect.sources.iter().any(|rule| root(rule).as_ref() == Some(path))
    }

    fn unread_skill(&self, path: FsPath, level: usize, entry: &Entry) -> Diagnostic {
        match (entry.kind, self.rule.depth) {
            (FileKind::Broken, _) => broken_symlink(path, Severity::Error),
            (FileKind::Dir | FileKind::Other, _) => {
                let got = if entry.kind == FileKind::Dir { "a folder" } else { "a device, FIFO or socket" };
                let message = format!("expected a regular file, got {got}");
                Diagnostic::new(Severity::Error, Code::NotAFile, path, message)
                    .help("put the text into a regular file of this name")
            }
            (FileKind::File, _) if level == 0 && self.rule.root == Permitted::No => {
                let message = format!("a SKILL.md directly in the source `{}` is not a skill", self.source.label);
                Diagnostic::new(Severity::Warning, Code::SkillAtRoot, path, message)
                    .help("move it into a folder of its own in there, or use the parent folder as the source")
            }
            (FileKind::File, Some(depth)) if depth < level && self.rule.depth != self.dialect.scan.depth => {
                below_link(path, &self.dialect.name)
            }
            (FileKind::File, Some(depth)) if depth < level => {
                let are = if depth == 1 { "is" } else { "are" };
                let message = format!("the skill is {level} folders deep, and only {depth} {are} searched");
                Diagnostic::new(Severity::Warning, Code::TooDeep, path, message)
                    .help("move its folder up, directly into the source")
            }
            (FileKind::File, _) if entry.is_symlink && self.rule.linked_files == Permitted::No => {
                link_ignored(path, &self.dialect.name, "reads no SKILL.md that is a symlink")
            }
            (FileKind::File, _) => another_skill_file(path),
        }
    }
}

pub(super) fn unreadable_source(source: &Source, error: &FsError) -> Diagnostic {
    if let FsError::Escapes(_) = error {
        let message = format!("the source `{}` leads out of the project, so it is not read", source.label);
        return Diagnostic::new(Severity::Warning, Code::LeadsOut, source.root.clone(), message).help(LEADS_OUT_HELP);
    }
    let message = format!("the source `{}` could not be listed: {}", source.label, error.reason());
    Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
        .help("check that it is a folder and may be read")
}

/// The root of a source is there, and a folder above it is not: a program on WASI sees only the folders that it was given.
pub(super) fn unreachable_source(source: &Source) -> Diagnostic {
    let message =
        format!("the source `{}` is there, but not all folders above it are, so it is not read", source.label);
    Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
        .help("let the program read the folders above it too; on WASI, preopen the project or the home directory")
}

pub(super) fn broken_symlink(path: FsPath, severity: Severity) -> Diagnostic {
    Diagnostic::new(severity, Code::BrokenSymlink, path, "broken symlink: its target does not exist")
        .help("fix or remove the symlink")
}

pub(super) fn symlink_not_followed(link: FsPath, error: &FsError) -> Diagnostic {
    if let FsError::Escapes(_) = error {
        return Diagnostic::new(Severity::Warning, Code::LeadsOut, link, LEADS_OUT).help(LEADS_OUT_HELP);
    }
    let message = format!("the symlink could not be followed: {}", error.reason());
    Diagnostic::new(Severity::Warning, Code::Unreadable, link, message)
}

pub(crate) fn not_entered(path: FsPath, rule: &ScanRule, dialect: &Dialect) -> Diagnostic {
    let (system, name) = (&dialect.name, visible(path.name()));
    let is_plugin = |manifest: &Cow<'_, str>| manifest.split_once('/').is_some_and(|(dir, _)| dir == path.name());
    let message = if dialect.plugin_manifests.iter().any(is_plugin) {
        format!("`{system}` reads no skills in folders named `{name}`, only the manifest of a plugin")
    } else if rule.hidden == Permitted::No && name.starts_with('.') {
        format!("`{system}` does not search folders whose names begin with a dot, such as `{name}`")
    } else if let Some(part) = step::skipped_part(rule, path.name()) {
        format!("`{system}` reads no skills in folders with `{}` in their names, such as `{name}`", visible(part))
    } else {
        format!("folders named `{name}` are never searched")
    };
    Diagnostic::new(Severity::Note, Code::NotEntered, path, message)
}

fn archive(path: FsPath) -> Diagnostic {
    Diagnostic::new(Severity::Note, Code::NotEntered, path, "an archive is not searched for skills").help(UNPACK_HELP)
}

/// How to make a skill of an archive.
pub(crate) const UNPACK_HELP: &str = "unpack it into its folder with `skilltree unpack FILE -d DIR`";

/// A symlink is not followed by the rules of the dialect. `what` says which it does not follow: `follows no symlinks`.
pub(super) fn link_ignored(path: FsPath, system: &str, what: &str) -> Diagnostic {
    Diagnostic::new(Severity::Warning, Code::LinkIgnored, path, format!("`{system}` {what}"))
        .help("replace the symlink with a copy of what it leads to")
}

/// A SKILL.md lies in a folder below one that a symlink leads to, where the dialect reads only the SKILL.md directly in it.
pub(crate) fn below_link(path: FsPath, system: &str) -> Diagnostic {
    let message = format!("`{system}` reads only the SKILL.md directly in a folder that a symlink leads to");
    Diagnostic::new(Severity::Warning, Code::TooDeep, path, message)
        .help("replace the symlink with one to the folder of the skill")
}

pub(crate) fn reserved_folder(path: FsPath, system: &str) -> Diagnostic {
    let message = format!(
        "the folder name `{}` is reserved by `{system}`, so the skills in it are not read",
        visible(path.name())
    );
    Diagnostic::new(Severity::Warning, Code::NotEntered, path, message)
        .help("move a skill of your own to another folder; nothing needs to be done for the client's own files")
}

pub(crate) fn file_name_case(path: FsPath) -> Diagnostic {
    let message = format!("expected the name `{SKILL_FILE}`, got `{}`", path.name());
    Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message)
        .help("rename it: other agents and other operating systems do not find this spelling")
}

pub(crate) fn nearly_skill_file(path: FsPath) -> Diagnostic {
    let message = format!("expected the name `{SKILL_FILE}`, got `{}`, which is not read", path.name());
    Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message).help(format!("rename it to `{SKILL_FILE}`"))
}

pub(crate) fn another_skill_file(path: FsPath) -> Diagnostic {
    let message = format!("`{}` is not read because the folder has another SKILL.md", path.name());
    Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message).help("keep one of the two")
}

/// Rule 3.4: another source of the same rank has been through the folder `path`, and lists it as `used`.
pub(super) fn same_folder(path: FsPath, used: &FsPath) -> Diagnostic {
    let message = format!("duplicate of `{used}` (same folder); its skills are listed there");
    Diagnostic::new(Severity::Note, Code::SameFile, path, message)
}

/// Rule 3.9: `path` leads to a file that is listed as `used`.
pub(crate) fn same_file(path: FsPath, used: &FsPath) -> Diagnostic {
    let message = format!("duplicate of `{used}` (same file); `{used}` is used");
    Diagnostic::new(Severity::Note, Code::SameFile, path, message)
}
