//! In: one source. Out: every SKILL.md found in it, where it stands, and findings about what was passed over.
//! The rule is pure and handed to the file system's walk; the order of visits does not matter, as levels and
//! links are put in order afterwards (decisions 9–13). Absent: which skill wins, and what a manifest must hold.

mod links;
mod step;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, RootSkill};
use crate::fs::{Act, Entry, FsError, Kind, Noted, Outcome, Visit, Walk};
use crate::manifest::{self, HEAD_BYTES, Manifest};
use crate::path::FsPath;
use crate::skill::Source;
use crate::world::World;
use links::Anchors;
use std::collections::BTreeMap;

pub(crate) use step::{NEVER_ENTERED, SKILL_FILE};

/// How many directories of one source are looked at (decisions 9).
pub(crate) const MAX_DIRS: usize = 1_000_000;

/// How many other occurrences of a file are told of one by one in a source: links and the skills below them are
/// a product. After that each link still names one.
const MAX_AGAIN: usize = 10_000;

/// What a scan of one source saw.
#[derive(Default)]
pub(crate) struct Account {
    /// The SKILL.md files that were read, in byte order of their paths.
    pub(crate) found: Vec<Found>,
    /// What was passed over, and why.
    pub(crate) findings: Vec<Diagnostic>,
    /// Files and folders that the file system has yet to fetch.
    pub(crate) pending: Vec<FsPath>,
}

/// A SKILL.md where it stands.
pub(crate) struct Found {
    /// Its path, links not resolved.
    pub(crate) path: FsPath,
    /// Its path with links resolved.
    pub(crate) real: FsPath,
    /// How many folders below the source its own folder is.
    pub(crate) level: usize,
    /// Whether the file itself is a link.
    pub(crate) linked: bool,
    /// What it says.
    pub(crate) manifest: Manifest,
}

/// What is worth keeping of one directory, by its real path.
#[derive(Default)]
struct Record {
    /// Its path as walked.
    dir: Option<FsPath>,
    /// The name of its SKILL.md, whether that is a link, and what it says.
    file: Option<(String, bool, Manifest)>,
}

/// A scan under way.
struct Scan<'a> {
    world: &'a World<'a>,
    dialect: &'a Dialect,
    source: &'a Source,
    records: BTreeMap<FsPath, Record>,
    anchors: Anchors,
    dirs: usize,
    account: Account,
}

/// Scans one source. A root that is not there is normal and silent.
pub(crate) fn scan(world: &World<'_>, dialect: &Dialect, source: &Source) -> Account {
    let real = match world.fs.canonical(&source.root) {
        Ok(real) => real,
        Err(error) => return no_root(world, source, error),
    };
    let mut scan = Scan {
        world,
        dialect,
        source,
        records: BTreeMap::new(),
        anchors: Anchors::new(real.clone(), source.root.clone()),
        dirs: 0,
        account: Account::default(),
    };
    scan.walk(&source.root, &real, 0);
    scan.follow_links();
    scan.finish()
}

fn no_root(world: &World<'_>, source: &Source, error: FsError) -> Account {
    let mut account = Account::default();
    match error {
        FsError::Pending(path) => account.pending.push(path),
        FsError::NotFound(_) => {
            if matches!(world.fs.look(&source.root), Ok(Some(look)) if look.kind == Kind::Missing) {
                account.findings.push(dangling(source.root.clone(), Severity::Warning));
            }
        }
        error => account.findings.push(unlisted(source, &error)),
    }
    account
}

fn unlisted(source: &Source, error: &FsError) -> Diagnostic {
    let message = format!("the source `{}` could not be listed: {}", source.label, reason(error));
    Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
        .help("see that it is a folder that may be read")
}

fn dangling(path: FsPath, severity: Severity) -> Diagnostic {
    Diagnostic::new(severity, Code::LinkDangling, path, "the link leads nowhere").help("mend the link, or remove it")
}

/// A file error without its path, which the finding has already.
fn reason(error: &FsError) -> String {
    match error {
        FsError::NotFound(_) => "it does not exist".to_owned(),
        FsError::Denied(_) => "permission is denied".to_owned(),
        FsError::NotAFile(_) => "it is no regular file".to_owned(),
        FsError::NotADirectory(_) => "it is no folder".to_owned(),
        FsError::LinkLoop(_) => "its links lead round in a circle".to_owned(),
        FsError::Escapes(_) => "it leads outside of what may be read".to_owned(),
        FsError::Pending(_) => "it is not here yet".to_owned(),
        FsError::Other { message, .. } => message.clone(),
    }
}

impl Scan<'_> {
    /// Walks the real directories below `root`, whose real path and level are known.
    fn walk(&mut self, root: &FsPath, real: &FsPath, level: usize) {
        let (rule, world, known) = (self.dialect.scan, self.world, &self.anchors);
        let step = |dir: &FsPath, depth: usize, entries: &[Entry]| {
            let below = dir.below(root).and_then(|rel| real.join(rel).ok());
            let is_known = |name: &str| {
                below.as_ref().and_then(|dir| dir.child(name).ok()).is_some_and(|child| known.is_walked(&child))
            };
            step::steps(&rule, level + depth, entries, &is_known)
        };
        let ask = Walk { root, step: &step, head: HEAD_BYTES, max_dirs: MAX_DIRS.saturating_sub(self.dirs) };
        let mut visits = Visits::new(self.world, self.dialect, self.source, root, real, level);
        world.fs.walk(&ask, &mut |visit| visits.take(visit));
        self.dirs += visits.dirs;
        self.anchors.add_links(visits.links);
        self.account.findings.append(&mut visits.account.findings);
        self.account.pending.append(&mut visits.account.pending);
        self.records.append(&mut visits.records);
        if let Some(first) = visits.cut.into_iter().min() {
            let message =
                format!("there are more than {MAX_DIRS} folders; `{first}` and those after it were not looked at");
            self.account.findings.push(
                Diagnostic::new(Severity::Warning, Code::ScanTruncated, self.source.root.clone(), message)
                    .help("point the source at a smaller folder"),
            );
        }
    }

    /// Follows links level by level, those of one level in byte order (decisions 9).
    fn follow_links(&mut self) {
        while let Some(link) = self.anchors.next_link() {
            let target = match self.world.fs.canonical(&link.path) {
                Ok(target) => target,
                Err(FsError::Pending(path)) => {
                    self.account.pending.push(path);
                    continue;
                }
                Err(error) => {
                    let message = format!("the link could not be followed: {}", reason(&error));
                    self.account.findings.push(Diagnostic::new(
                        Severity::Warning,
                        Code::Unreadable,
                        link.path,
                        message,
                    ));
                    continue;
                }
            };
            if link.dir.is_within(&target) || self.anchors.root().is_within(&target) {
                let message = format!("the link leads to `{target}`, a folder above itself");
                self.account.findings.push(
                    Diagnostic::new(Severity::Warning, Code::LinkCycle, link.path, message).help("remove the link"),
                );
                continue;
            }
            if self.anchors.is_reached(&target, link.level) {
                self.anchors.note_again(link.path, &target);
                continue;
            }
            let covered = self.dialect.scan.depth.is_none() && self.anchors.is_covered(&target);
            let (path, level) = (link.path.clone(), link.level);
            self.anchors.set(target.clone(), link);
            if !covered {
                self.walk(&path, &target, level);
            }
        }
    }

    /// Puts every record where it stands, and says where else it was seen.
    fn finish(mut self) -> Account {
        self.note_links_again();
        let mut again = MAX_AGAIN;
        for (real_dir, record) in std::mem::take(&mut self.records) {
            let Some((name, linked, manifest)) = record.file else { continue };
            let Some((level, dir)) = self.anchors.first(&real_dir) else { continue };
            let Ok(path) = dir.child(&name) else { continue };
            if 0 < again {
                for (_, other) in self.anchors.places(&real_dir).into_iter().skip(1).take(again) {
                    again -= 1;
                    self.account.findings.extend(other.child(&name).ok().map(|other| same_file(other, &path)));
                }
            }
            let real = if linked { self.world.fs.canonical(&path).ok() } else { real_dir.child(&name).ok() };
            // What was read under another path is read again: names, folders and findings are those of this one.
            let manifest = if record.dir.as_ref() == Some(&dir) {
                manifest
            } else {
                manifest::read(self.world.fs, self.dialect, &path, self.world.fs.read(&path, HEAD_BYTES))
            };
            if manifest.pending {
                self.account.pending.push(path);
                continue;
            }
            let real = real.unwrap_or_else(|| path.clone());
            self.account.found.push(Found { path, real, level, linked, manifest });
        }
        self.account.found.sort_by(|a, b| a.path.cmp(&b.path));
        self.account
    }
}

impl Scan<'_> {
    /// Says of each link to a folder that is in the scan already where the skills below it stand.
    fn note_links_again(&mut self) {
        let mut findings = Vec::new();
        for (target, link) in self.anchors.again() {
            let files =
                links::under(&self.records, target).filter_map(|(dir, record)| Some((dir, &record.file.as_ref()?.0)));
            for (real_dir, name) in files.take(MAX_AGAIN.saturating_sub(findings.len()).max(1)) {
                let stands = self.anchors.first(real_dir).and_then(|(_, dir)| dir.child(name).ok());
                let Some(stands) = stands else { continue };
                let rel = real_dir.below(target).unwrap_or("");
                if let Some(path) = link.join(rel).ok().and_then(|dir| dir.child(name).ok()) {
                    findings.push(same_file(path, &stands));
                }
            }
        }
        self.account.findings.append(&mut findings);
    }
}

/// decisions 10: another occurrence of a file that stands elsewhere.
pub(crate) fn same_file(path: FsPath, stands: &FsPath) -> Diagnostic {
    let message = format!("this is the same file as `{stands}`, which is the one in use");
    Diagnostic::new(Severity::Note, Code::SameFile, path, message)
}

/// What the visits of one walk bring in.
struct Visits<'v> {
    world: &'v World<'v>,
    dialect: &'v Dialect,
    source: &'v Source,
    root: &'v FsPath,
    real: &'v FsPath,
    level: usize,
    dirs: usize,
    cut: Vec<FsPath>,
    links: Vec<links::Link>,
    records: BTreeMap<FsPath, Record>,
    account: Account,
}

impl<'v> Visits<'v> {
    fn new(
        world: &'v World<'v>,
        dialect: &'v Dialect,
        source: &'v Source,
        root: &'v FsPath,
        real: &'v FsPath,
        level: usize,
    ) -> Visits<'v> {
        let (links, cut) = (Vec::new(), Vec::new());
        let (records, account) = (BTreeMap::new(), Account::default());
        Visits { world, dialect, source, root, real, level, dirs: 0, cut, links, records, account }
    }

    fn take(&mut self, visit: Visit) {
        self.dirs += usize::from(!matches!(visit.outcome, Outcome::Cut));
        match visit.outcome {
            Outcome::Again => {
                *self = Visits::new(self.world, self.dialect, self.source, self.root, self.real, self.level);
            }
            Outcome::Cut => self.cut.push(visit.dir),
            Outcome::Failed(FsError::Pending(path)) => self.account.pending.push(path),
            Outcome::Failed(error) if visit.dir == self.source.root => {
                self.account.findings.push(unlisted(self.source, &error));
            }
            Outcome::Failed(error) => {
                let message = format!("the folder could not be listed: {}", reason(&error));
                self.account.findings.push(
                    Diagnostic::new(Severity::Warning, Code::Unreadable, visit.dir, message)
                        .help("give the user the right to list it"),
                );
            }
            Outcome::Listed(noted) if noted.is_empty() => {}
            Outcome::Listed(noted) => self.listed(&visit.dir, self.level + visit.depth, noted),
        }
    }

    fn listed(&mut self, dir: &FsPath, level: usize, noted: Vec<Noted>) {
        let real = if self.root == self.real {
            Some(dir.clone())
        } else {
            dir.below(self.root).and_then(|rel| self.real.join(rel).ok())
        };
        let Some(real) = real else { return };
        let has_skill = noted.iter().any(|noted| noted.head.is_some());
        for Noted { entry, head } in noted {
            let Ok(path) = dir.child(&entry.name) else { continue };
            match (head, step::sort(&entry)) {
                (Some(head), _) => {
                    if entry.name != SKILL_FILE {
                        self.account.findings.push(other_case(path.clone()));
                    }
                    let manifest = manifest::read(self.world.fs, self.dialect, &path, head);
                    let file = Some((entry.name, entry.link, manifest));
                    self.records.insert(real.clone(), Record { dir: Some(dir.clone()), file });
                }
                (None, step::Sort::Skill) => {
                    if let Some(finding) = self.untaken(path, level, &entry) {
                        self.account.findings.push(finding);
                    }
                }
                (None, step::Sort::NeverEntered) => {
                    let message = format!("folders named `{}` are never entered", entry.name);
                    self.account.findings.push(Diagnostic::new(Severity::Note, Code::NotEntered, path, message));
                }
                (None, step::Sort::NotUtf8) => {
                    let message = "the folder's name is not UTF-8, so it was not entered";
                    self.account.findings.push(
                        Diagnostic::new(Severity::Warning, Code::PathNotUtf8, path, message).help("rename the folder"),
                    );
                }
                (None, step::Sort::LinkToDir) => {
                    self.links.push(links::Link { level: level + 1, path, dir: real.clone() });
                }
                // Beside a SKILL.md a dangling link is the skill's own affair.
                (None, step::Sort::Dangling) if !has_skill => {
                    self.account.findings.push(dangling(path, Severity::Warning));
                }
                (None, step::Sort::Dangling | step::Sort::Rest) => {}
            }
        }
    }

    /// A SKILL.md that was seen and not read.
    fn untaken(&self, path: FsPath, level: usize, entry: &Entry) -> Option<Diagnostic> {
        let rule = self.dialect.scan;
        let finding = match entry.kind {
            Kind::Missing => dangling(path, Severity::Error),
            Kind::Dir | Kind::Other => {
                let got = if entry.kind == Kind::Dir { "a folder" } else { "a device, FIFO or socket" };
                let message = format!("expected a regular file, got {got}");
                Diagnostic::new(Severity::Error, Code::NotAFile, path, message)
                    .help("put the text into a plain file of this name")
            }
            Kind::File if level == 0 && rule.root == RootSkill::Refused => {
                let message = format!("a SKILL.md at the root of the source `{}` is no skill", self.source.label);
                Diagnostic::new(Severity::Warning, Code::SkillAtRoot, path, message)
                    .help("move it into a folder of its own below the root, or name the folder above as the source")
            }
            Kind::File if rule.depth.is_some_and(|depth| depth < level) => {
                let depth = rule.depth.unwrap_or(level);
                let message = format!("the skill is {level} folders deep, and only {depth} is looked at");
                Diagnostic::new(Severity::Warning, Code::TooDeep, path, message)
                    .help("move its folder up, to just below the source's root")
            }
            Kind::File => {
                let message = format!("`{}` is not read, as another SKILL.md stands beside it", entry.name);
                Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message).help("keep one of the two")
            }
        };
        Some(finding)
    }
}

fn other_case(path: FsPath) -> Diagnostic {
    let message = format!("expected the name `{SKILL_FILE}`, got `{}`", path.name());
    Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message)
        .help("rename it: other agents and other systems do not find it so")
}

impl Act {
    /// The step for this entry.
    fn on(self, entry: usize) -> crate::fs::Step {
        crate::fs::Step { entry, act: self }
    }
}
