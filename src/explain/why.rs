//! Explains why a file is or is not used as a skill: it is skipped, shadowed, hidden from the model, left out of the prompt,
//! or in use (rule 8.6). The answer comes from the catalog, or from the file system for a path that discovery has not
//! seen. No file is read, and discovery is not run again.

pub(super) mod exclusion;
mod question;
mod rule;
mod withheld;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::discovery::catalog::{Catalog, FileStatus, SeenFile};
use crate::discovery::manifest::is_skill_file;
use crate::discovery::resolve::Shadowed;
use crate::discovery::world::World;
use crate::explain::beyond::beyond;
use crate::model::skill::{Skill, State, Visibility};
use crate::offer::list::{Omissions, PromptRequest, omissions};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::order::sort_by;
use exclusion::Exclusions;
pub(super) use question::Question;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::iter;

/// The explanation for one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Why {
    /// The file or folder.
    pub path: FsPath,
    /// Whether it is used.
    pub outcome: Outcome,
    /// The code of the finding about it, if there is one.
    pub code: Option<Code>,
    /// The part of the dialect that decides this, such as `sources` or `scan.depth`; `None` for a skill that is shown
    /// completely, and where no part does.
    pub rule: Option<&'static str>,
    /// The reason, on one line.
    pub message: String,
    /// How to change that.
    pub help: Option<String>,
    /// The project that it is a skill of, if that is another project.
    pub project: Option<FsPath>,
}

/// Whether a file is used: the first variant that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It is not read as a skill.
    Skipped,
    /// Another skill is used for its key.
    Shadowed,
    /// The model does not see it.
    Hidden,
    /// It did not fit into the prompt, or only its name did.
    LeftOut,
    /// It is in use.
    InUse,
}

impl Outcome {
    /// `skipped`, `shadowed`, `hidden`, `left-out` or `in-use`.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Skipped => "skipped",
            Outcome::Shadowed => "shadowed",
            Outcome::Hidden => "hidden",
            Outcome::LeftOut => "left-out",
            Outcome::InUse => "in-use",
        }
    }
}

/// Explains every file of this name or path. A relative path starts from the project or from a source.
///
/// There is an answer for every path that exists: the first rule that keeps it from being a skill. There is also one for the
/// name of a folder in the project or in a source with a SKILL.md that discovery does not reach. For anything else the
/// result is empty. A file that is passed over at this path and in use by another one, through a symlink, has both answers.
///
/// Whether a skill is shown in the prompt is answered for the list that [`prompt`](crate::prompt()) makes of `ask`, and so for its
/// `query` too (rule 11.16). A dialect that selects skills by messages lists them whatever the message is.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover, why};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\n---\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("agentskills").unwrap());
/// let why = why(&world, &catalog, "tea", &PromptRequest::default());
/// assert_eq!(why[0].outcome.as_str(), "skipped");
/// assert_eq!(why[0].message, "missing field `description`");
/// ```
pub fn why(world: &World<'_>, catalog: &Catalog, asked: &str, ask: &PromptRequest) -> Vec<Why> {
    let question = Question::new(world, asked);
    let path = question.path.clone();
    let mut answers = answers(world, catalog, asked, question, ask);
    if let Some(known) = path.and_then(|path| used_by_another_path(world, catalog, &path, &answers)) {
        answers.append(&mut from_catalog(world, catalog, &Question::of_path(known), ask));
        by_path(&mut answers);
    }
    answers
}

/// The answers to a question, as `asked`.
fn answers(world: &World<'_>, catalog: &Catalog, asked: &str, question: Question, ask: &PromptRequest) -> Vec<Why> {
    let answers = from_catalog(world, catalog, &question, ask);
    // What is known of the file itself, by another path, says more than what was passed over above it.
    let is_above = |path: &FsPath| answers.iter().all(|told| told.path != *path && path.starts_with(&told.path));
    if let Some(path) = question.path.as_ref().filter(|path| !answers.is_empty() && is_above(path)) {
        if let Some(known) = path_in_catalog(world, catalog, path) {
            return from_catalog(world, catalog, &Question::of_path(known), ask);
        }
        if let Some(finding) = found_beyond(world, catalog, path) {
            return Vec::from([from_finding(&finding)]);
        }
    }
    if !answers.is_empty() || asked.is_empty() {
        return answers;
    }
    let exclusions = Exclusions::new(world, catalog);
    let Question { name, path } = question;
    // A relative path that does not exist in the project may exist in a source.
    let in_sources = exclusions.roots().into_iter().rev().filter_map(|root| root.join(&name).ok());
    let paths = path.into_iter().chain(in_sources);
    for path in paths.filter(|path| matches!(world.fs.metadata(path), Ok(Some(_)))) {
        // Discovery may know the file by another path, through symlinks.
        let in_source = exclusions.in_source(&path);
        let in_catalog = iter::once_with(|| path_in_catalog(world, catalog, &path)).flatten();
        for known_path in in_source.iter().cloned().chain(in_catalog) {
            let question = Question::of_path(known_path);
            let answers = from_catalog(world, catalog, &question, ask);
            if !answers.is_empty() {
                return answers;
            }
        }
        if let Some(why) = exclusions.rule(&path) {
            // No rule keeps this path from being a skill, but one may keep its real path.
            let is_open = why.code == Some(Code::NotInSource) && in_source.is_some();
            let beyond = if is_open { found_beyond(world, catalog, &path) } else { None };
            return Vec::from([beyond.map_or(why, |finding| from_finding(&finding))]);
        }
    }
    let of_this_name = unreached(world, catalog, &exclusions).into_iter().filter(|file| file.folder() == name);
    of_this_name.filter_map(|file| exclusions.rule(&file)).collect()
}

/// The SKILL.md files that discovery does not reach, by path.
fn unreached(world: &World<'_>, catalog: &Catalog, exclusions: &Exclusions<'_>) -> Vec<FsPath> {
    let mut files = exclusions.unreached();
    let beyond = beyond(world, catalog).findings.into_iter();
    files.extend(beyond.map(|finding| finding.path).filter(|path| is_skill_file(path.name())));
    sort_by(&mut files, Ord::cmp);
    files.dedup();
    files
}

/// The SKILL.md files that discovery does not reach, each with the reason: see [`beyond`]; elsewhere in the project, or in a
/// source of a folder that contains the project. Helps a user whose skills are not found.
pub fn unseen(world: &World<'_>, catalog: &Catalog) -> Vec<Why> {
    let exclusions = Exclusions::new(world, catalog);
    unknown(catalog, &exclusions, unreached(world, catalog, &exclusions))
}

/// Those of [`unseen`] which lie in a source of a folder that contains the project: it may be the wrong one. Nothing else is
/// searched.
pub fn unseen_above_project(world: &World<'_>, catalog: &Catalog) -> Vec<Why> {
    let exclusions = Exclusions::new(world, catalog);
    let mut files = exclusions.above_project();
    sort_by(&mut files, Ord::cmp);
    files.dedup();
    unknown(catalog, &exclusions, files)
}

/// The reason for each of these files that the catalog does not name, or names as too deep.
fn unknown(catalog: &Catalog, exclusions: &Exclusions<'_>, files: Vec<FsPath>) -> Vec<Why> {
    let reported = catalog.findings().iter().filter(|finding| finding.code != Code::TooDeep);
    let mut known: HashSet<&str> = reported.map(|finding| finding.path.as_str()).collect();
    known.extend(catalog.seen().map(|seen| seen.path.as_str()));
    let files = files.into_iter().filter(|file| !known.contains(file.as_str()));
    files.filter_map(|file| exclusions.rule(&file)).collect()
}

/// The folders in which skills are looked for, from the lowest precedence to the highest.
pub fn roots(world: &World<'_>, catalog: &Catalog) -> Vec<FsPath> {
    Exclusions::new(world, catalog).roots()
}

/// The catalog's path of a file whose real path is this path or below it: of one that was read, or else of what was passed
/// over.
fn path_in_catalog(world: &World<'_>, catalog: &Catalog, path: &FsPath) -> Option<FsPath> {
    let real = world.fs.canonical(path).ok()?;
    let seen = catalog.seen().find(|seen| seen.target.is_some_and(|target| target.starts_with(&real)));
    let passed_over = || {
        // A symlink of another name is never read as the SKILL.md that it leads to.
        let is_skill = [path, &real].iter().any(|path| is_skill_file(path.name()));
        let is_meant = |finding: &&Diagnostic| is_skill_file(finding.path.name()) || !is_skill;
        let mut findings = catalog.findings().iter().filter(|finding| is_passed_over(finding.code)).filter(is_meant);
        findings.find(|finding| world.fs.canonical(&finding.path).is_ok_and(|found| found.starts_with(&real)))
    };
    seen.map(|seen| seen.path).or_else(|| passed_over().map(|finding| &finding.path)).cloned()
}

/// The path by which a file is in use or shadowed that was passed over at the path in question.
fn used_by_another_path(world: &World<'_>, catalog: &Catalog, path: &FsPath, answers: &[Why]) -> Option<FsPath> {
    // That a file is the same as another names that other one.
    let is_passed_over = |told: &Why| told.outcome == Outcome::Skipped && told.code != Some(Code::SameFile);
    let real = answers.iter().all(is_passed_over).then(|| world.fs.canonical(path).ok())??;
    let is_used = |seen: &SeenFile<'_>| !matches!(seen.status, FileStatus::Skipped(_));
    let mut used = catalog.seen().filter(is_used);
    used.find(|seen| *seen.target.unwrap_or(seen.path) == real).map(|seen| seen.path.clone())
}

/// What is told of a SKILL.md, by its real path, that discovery does not reach.
fn found_beyond(world: &World<'_>, catalog: &Catalog, path: &FsPath) -> Option<Diagnostic> {
    let real = world.fs.canonical(path).ok().filter(|real| real != path && is_skill_file(real.name()))?;
    beyond(world, catalog).findings.into_iter().find(|finding| finding.path == real)
}

/// The answers from the catalog: from the files that discovery has seen, otherwise from its findings.
fn from_catalog(world: &World<'_>, catalog: &Catalog, question: &Question, ask: &PromptRequest) -> Vec<Why> {
    let mut answers: Vec<Why> = Vec::new();
    let missing: OnceCell<Omissions<'_>> = OnceCell::new();
    let mut answered: HashSet<&str> = HashSet::new();
    for seen in catalog.seen().filter(|seen| question.is_about(seen)) {
        answered.insert(seen.path.as_str());
        answers.push(of_seen(catalog, &seen, || missing.get_or_init(|| omissions(world, catalog, ask))));
    }
    let passed_over = catalog.findings().iter().filter(|finding| is_passed_over(finding.code));
    for finding in
        passed_over.filter(|finding| !answered.contains(finding.path.as_str()) && question.is_about_finding(finding))
    {
        answers.push(from_finding(finding));
    }
    // What is known of a path says more than what was passed over above it.
    if let Some(path) = question.path.as_ref().filter(|path| answers.iter().any(|told| told.path == **path)) {
        answers.retain(|told| told.path == *path || !path.starts_with(&told.path));
    }
    if answers.is_empty() {
        // A file that discovery has not read as a skill may have findings, such as a store of states.
        let found = catalog.findings().iter().filter(|finding| Some(&finding.path) == question.path.as_ref());
        answers.extend(found.map(from_finding));
    }
    by_path(&mut answers);
    answers
}

/// Sorts answers by path, and those about one path by what became of it.
fn by_path(answers: &mut [Why]) {
    sort_by(answers, |a, b| (&a.path, a.outcome).cmp(&(&b.path, b.outcome)));
}

/// The answer for a file that discovery has read.
pub(super) fn of_seen<'p, 'c: 'p>(
    catalog: &Catalog,
    seen: &SeenFile<'_>,
    omissions: impl FnOnce() -> &'p Omissions<'c>,
) -> Why {
    match seen.status {
        FileStatus::Skipped(code) => skipped(catalog, seen.path, code),
        FileStatus::Shadowed(shadowed) => self::shadowed(catalog, shadowed),
        FileStatus::InUse(skill) => in_use(catalog.dialect(), skill, omissions()),
    }
}

/// Whether a finding of this code means that something was seen and not read.
pub(super) fn is_passed_over(code: Code) -> bool {
    matches!(
        code,
        Code::NotEntered
            | Code::TooDeep
            | Code::SkillAtRoot
            | Code::NotAFile
            | Code::LeadsOut
            | Code::LinkIgnored
            | Code::BrokenSymlink
            | Code::LinkCycle
            | Code::SameFile
            | Code::FileNameCase
            | Code::Unreadable
            | Code::PathNotUtf8
            | Code::SourceUnreadable
            | Code::ScanTruncated
            | Code::JsonFileCorrupt
            | Code::PluginMissing
    )
}

/// The answer that a finding gives for its path.
pub(super) fn from_finding(finding: &Diagnostic) -> Why {
    Why {
        path: finding.path.clone(),
        outcome: Outcome::Skipped,
        code: Some(finding.code),
        rule: rule::of_code(finding.code),
        message: match finding.code {
            Code::SameFile if is_skill_file(finding.path.name()) => {
                format!("{}, as one real file is one skill (rule 3.9)", finding.message)
            }
            Code::SameFile => format!("{}, as each folder is entered once (rule 3.4)", finding.message),
            _ => finding.message.clone(),
        },
        help: finding.help.clone().or_else(|| rule::advice(finding.code).map(str::to_owned)),
        project: None,
    }
}

fn skipped(catalog: &Catalog, path: &FsPath, code: Code) -> Why {
    // Findings are sorted by path.
    let findings = catalog.findings();
    let start = findings.partition_point(|finding| finding.path < *path);
    let mut own = findings.get(start..).unwrap_or_default().iter().take_while(|finding| finding.path == *path);
    let why = own.find(|finding| finding.code == code);
    match why {
        Some(finding) => from_finding(finding),
        None => Why {
            path: path.clone(),
            outcome: Outcome::Skipped,
            code: Some(code),
            rule: rule::of_code(code),
            message: code.to_string(),
            help: None,
            project: None,
        },
    }
}

fn shadowed(catalog: &Catalog, shadowed: &Shadowed) -> Why {
    let Shadowed { skill, by } = shadowed;
    let (rule, reason) = rule::of_precedence(catalog, shadowed);
    Why {
        path: skill.path.clone(),
        outcome: Outcome::Shadowed,
        code: None,
        rule: Some(rule),
        message: format!("shadowed by `{by}`, which also defines `{}`: {reason}", visible(&skill.key)),
        help: Some("rename or remove one of the two".to_owned()),
        project: None,
    }
}

fn in_use(dialect: &Dialect, skill: &Skill, prompt: &Omissions<'_>) -> Why {
    let read = skill.as_read();
    let (verdict, mut message, mut help) = by_decision(read, prompt).unwrap_or_else(|| by_own_file(read, prompt));
    if let Some(reason) = withheld::reason(dialect, skill) {
        message.push_str(&reason);
        help = Some("correct the frontmatter so that every client reads it in the same way".to_owned());
    }
    Why {
        path: skill.path.clone(),
        outcome: verdict,
        code: (verdict == Outcome::LeftOut).then_some(Code::LeftOut),
        rule: match verdict {
            Outcome::Hidden => Some(rule::of_hidden(read)),
            Outcome::LeftOut => rule::of_code(Code::LeftOut),
            Outcome::Skipped | Outcome::Shadowed | Outcome::InUse => None,
        },
        message,
        help,
        project: None,
    }
}

/// What became of a skill by its [`Decision`](crate::model::Decision), which names the file and the line that decided;
/// `None` if it decided nothing about that.
fn by_decision(skill: &Skill, prompt: &Omissions<'_>) -> Option<(Outcome, String, Option<String>)> {
    let decision = skill.decision.as_deref()?;
    let is_left_out = prompt.left_out.contains(&skill.path);
    let (outcome, what) = match (decision.visibility, skill.state, skill.audience.model) {
        (Visibility::Off, State::Disabled, _) => (Outcome::Hidden, "is disabled"),
        (Visibility::UserOnly, State::Enabled | State::Active, false) => (Outcome::Hidden, "is hidden from the model"),
        (Visibility::NameOnly, _, true) if !is_left_out => (Outcome::InUse, "is in use, and listed by its name only"),
        _ => return None,
    };
    Some((outcome, format!("`{}` {what}: {decision}", visible(&skill.key)), decision.help.clone()))
}

/// What became of a skill by its frontmatter, its state, and the space in the prompt.
fn by_own_file(skill: &Skill, prompt: &Omissions<'_>) -> (Outcome, String, Option<String>) {
    let key = visible(&skill.key);
    match (skill.state, skill.audience.model) {
        (State::Disabled, _) => {
            (Outcome::Hidden, format!("`{key}` is disabled"), Some("enable it to use it".to_owned()))
        }
        (State::Enabled, false) if skill.is_inactive() => (
            Outcome::Hidden,
            format!("`{key}` is enabled for the user only"),
            Some("make it active for the model to see it".to_owned()),
        ),
        (State::Enabled | State::Active, false) if skill.audience.user => {
            (Outcome::Hidden, format!("`{key}` is for the user only, as its frontmatter says"), None)
        }
        (State::Enabled | State::Active, false) => {
            (Outcome::Hidden, format!("`{key}` is hidden from the model and from the user"), None)
        }
        (State::Enabled | State::Active, true) if prompt.left_out.contains(&skill.path) => (
            Outcome::LeftOut,
            format!("`{key}` did not fit into the prompt"),
            Some("shorten descriptions, or use a larger budget".to_owned()),
        ),
        (State::Enabled | State::Active, true) if prompt.bare.contains(&skill.path) => (
            Outcome::LeftOut,
            format!("only the name of `{key}` is in the prompt: its description did not fit"),
            Some("shorten descriptions, or use a larger budget".to_owned()),
        ),
        (State::Enabled | State::Active, true) if prompt.shortened.contains(&skill.path) => (
            Outcome::InUse,
            format!(
                "`{key}` is in use, from the source `{}`; its description is shortened in the prompt",
                skill.source.label
            ),
            Some("shorten descriptions, or use a larger budget".to_owned()),
        ),
        (State::Enabled | State::Active, true) => {
            (Outcome::InUse, format!("`{key}` is in use, from the source `{}`", skill.source.label), None)
        }
    }
}
