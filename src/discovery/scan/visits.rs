//! In: the visits of one walk, in any order. Out: what is worth keeping of each directory, and findings about what
//! was seen and passed over. A head is read into a manifest at once, so that no file is held.

use super::cache::{Listed, Taken};
use super::diagnostics::{dangling, other_case, reserved, unlisted, unread_name};
use super::resources::{ResourceFolders, is_resource_folder};
use super::{ScanResult, SkillFile, links, step};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, RootSkill, ScanRule};
use crate::discovery::manifest;
use crate::discovery::scan::SKILL_FILE;
use crate::fs::{Entry, FileKind, FsError, Visit, VisitOutcome, WalkEntry};
use crate::model::skill::Source;
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::sync::Arc;

/// What the visits of one walk bring in.
pub(super) struct Visits<'v> {
    pub(super) world: &'v World<'v>,
    pub(super) dialect: &'v Dialect,
    rule: &'v ScanRule,
    pub(super) source: &'v Arc<Source>,
    pub(super) root: &'v FsPath,
    pub(super) real: &'v FsPath,
    pub(super) level: usize,
    pub(super) dirs: usize,
    pub(super) cut: Vec<FsPath>,
    pub(super) links: Vec<links::Link>,
    pub(super) account: ScanResult,
    pub(super) resources: ResourceFolders,
}

impl<'v> Visits<'v> {
    pub(super) fn new(
        world: &'v World<'v>,
        dialect: &'v Dialect,
        rule: &'v ScanRule,
        source: &'v Arc<Source>,
        root: &'v FsPath,
        real: &'v FsPath,
        level: usize,
    ) -> Visits<'v> {
        let (links, cut, account) = (Vec::new(), Vec::new(), ScanResult::default());
        let resources = ResourceFolders::default();
        Visits { world, dialect, rule, source, root, real, level, dirs: 0, cut, links, account, resources }
    }

    /// Takes what a file system's walk hands out, but for the heads, whose room the next ones can have.
    pub(super) fn take(&mut self, Visit { dir, depth, outcome }: &mut Visit) {
        let outcome = match outcome {
            VisitOutcome::Again => {
                // What was listed of resources stands.
                let resources = std::mem::take(&mut self.resources);
                *self = Visits::new(self.world, self.dialect, self.rule, self.source, self.root, self.real, self.level);
                self.resources = resources;
                return;
            }
            VisitOutcome::Cut => None,
            VisitOutcome::Failed(error) => Some(Err(error.clone())),
            VisitOutcome::Listed(noted) => {
                let read = |WalkEntry { entry, head }: &mut WalkEntry| {
                    let file = head.as_ref().and_then(|head| {
                        let path = dir.child(&entry.name).ok()?;
                        let manifest = manifest::read(self.world.fs, self.dialect, &path, head.as_ref());
                        Some((path, manifest))
                    });
                    (Entry { name: std::mem::take(&mut entry.name), ..*entry }, file)
                };
                Some(Ok(noted.iter_mut().map(read).collect()))
            }
        };
        self.saw(dir, *depth, outcome);
    }

    /// Takes what became of one directory, so deep below the root of the walk; nothing for one that was cut.
    pub(super) fn saw(&mut self, dir: &FsPath, depth: usize, outcome: Option<Listed>) {
        self.dirs += usize::from(outcome.is_some());
        match outcome {
            None => {
                if self.world.keeps_resources && is_resource_folder(dir.name()) {
                    self.resources.unlisted(self.real(dir).as_ref().unwrap_or(dir));
                }
                self.cut.push(dir.clone());
            }
            Some(Err(FsError::Pending(path))) => self.account.pending.push(path),
            Some(Err(error)) if *dir == self.source.root => {
                self.account.findings.push(unlisted(self.source, &error));
            }
            Some(Err(error)) => {
                let message = format!("the folder could not be listed: {}", error.reason());
                self.account.findings.push(
                    Diagnostic::new(Severity::Warning, Code::Unreadable, dir.clone(), message)
                        .help("allow the user to list the folder"),
                );
            }
            Some(Ok(noted)) if noted.is_empty() => {}
            Some(Ok(noted)) => self.listed(dir, self.level + depth, noted),
        }
    }

    /// The real path of a directory, where its path has a link in it.
    fn real(&self, dir: &FsPath) -> Option<FsPath> {
        match self.root == self.real {
            true => None,
            false => dir.below(self.root).and_then(|rel| self.real.join(rel).ok()),
        }
    }

    fn listed(&mut self, dir: &FsPath, level: usize, noted: Vec<Taken>) {
        let real = self.real(dir);
        if self.world.keeps_resources && is_resource_folder(dir.name()) {
            self.resources.listed(real.as_ref().unwrap_or(dir), &noted);
        }
        let has_skill = noted.iter().any(|(_, file)| file.is_some());
        for (entry, file) in noted {
            let (path, manifest) = match file {
                Some((path, manifest)) => (path, Some(manifest)),
                None => match dir.child(&entry.name) {
                    Ok(path) => (path, None),
                    Err(_) => continue,
                },
            };
            match (manifest, step::sort_at(self.rule, level, &entry)) {
                (Some(manifest), _) => {
                    if entry.name != SKILL_FILE {
                        self.account.findings.push(other_case(path.clone()));
                    }
                    let target = real.as_ref().and_then(|dir| dir.child(&entry.name).ok());
                    let found = SkillFile::new(self.source, path, manifest);
                    self.account.found.push(SkillFile { target, level, linked: entry.link, ..found });
                }
                (None, step::Sort::Skill) => {
                    if let Some(finding) = self.untaken(path, level, &entry) {
                        self.account.findings.push(finding);
                    }
                }
                (None, step::Sort::Nearly) if step::is_taken(self.rule, level) => {
                    self.account.findings.push(unread_name(path));
                }
                (None, step::Sort::NeverEntered) => {
                    let message = format!("folders named `{}` are never searched", visible(&entry.name));
                    self.account.findings.push(Diagnostic::new(Severity::Note, Code::NotEntered, path, message));
                }
                (None, step::Sort::Reserved) => self.account.findings.push(reserved(path, &self.dialect.name)),
                (None, step::Sort::NotUtf8) => {
                    let message = "the folder name is not UTF-8, so it was not searched";
                    self.account.findings.push(
                        Diagnostic::new(Severity::Warning, Code::PathNotUtf8, path, message).help("rename the folder"),
                    );
                }
                (None, step::Sort::LinkToDir) => {
                    let dir = real.as_ref().unwrap_or(dir).clone();
                    self.links.push(links::Link { level: level + 1, path, dir });
                }
                // Beside a SKILL.md a dangling link is the skill's own affair.
                (None, step::Sort::Dangling) if !has_skill && step::is_entered(self.rule, level) => {
                    self.account.findings.push(dangling(path, Severity::Warning));
                }
                (None, step::Sort::Rest) if entry.kind == FileKind::Dir => {
                    self.resources.unlisted(&real.as_ref().and_then(|dir| dir.child(&entry.name).ok()).unwrap_or(path));
                }
                (None, step::Sort::Nearly | step::Sort::Dangling | step::Sort::Rest) => {}
            }
        }
    }

    /// A SKILL.md that was seen and not read.
    fn untaken(&self, path: FsPath, level: usize, entry: &Entry) -> Option<Diagnostic> {
        let rule = self.rule;
        let finding = match entry.kind {
            FileKind::Missing => dangling(path, Severity::Error),
            FileKind::Dir | FileKind::Other => {
                let got = if entry.kind == FileKind::Dir { "a folder" } else { "a device, FIFO or socket" };
                let message = format!("expected a regular file, got {got}");
                Diagnostic::new(Severity::Error, Code::NotAFile, path, message)
                    .help("put the text into a regular file of this name")
            }
            FileKind::File if level == 0 && rule.root == RootSkill::Refused => {
                let message = format!("a SKILL.md directly in the source `{}` is not a skill", self.source.label);
                Diagnostic::new(Severity::Warning, Code::SkillAtRoot, path, message)
                    .help("move it into a folder of its own in there, or use the parent folder as the source")
            }
            FileKind::File if rule.depth.is_some_and(|depth| depth < level) => {
                let depth = rule.depth.unwrap_or(level);
                let message = format!("the skill is {level} folders deep, and only {depth} is searched");
                Diagnostic::new(Severity::Warning, Code::TooDeep, path, message)
                    .help("move its folder up, directly into the source")
            }
            FileKind::File => {
                let message = format!("`{}` is not read because the folder has another SKILL.md", entry.name);
                Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message).help("keep one of the two")
            }
        };
        Some(finding)
    }
}
