//! Explains why a file is or is not used as a skill: it is skipped, shadowed, hidden from the model, left out of the prompt,
//! or in use (rule 8.6). The answer comes from the catalog, or from the file system for a path that discovery has not
//! seen. Discovery is not run again. Lists of plugins and `.gitignore` files are read, and a SKILL.md only to look for a name
//! that nothing else has.

pub(crate) mod exclusion;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, FieldRole, Reading, TieBreak};
use crate::discovery::catalog::{Catalog, FileStatus, SeenFile};
use crate::discovery::manifest::{self, PREFIX_BYTES, is_single_file, is_skill_file};
use crate::discovery::resolve::Shadowed;
use crate::discovery::world::World;
use crate::explain::beyond::{Beyond, folder_finding};
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill, State, Visibility};
use crate::offer::list::{Omissions, PromptRequest, TOO_LONG_A_LIST, omissions};
use crate::path::FsPath;
use crate::text::escape::{reveal, visible};
use crate::text::list::quoted;
use crate::text::order::sort_by;
use crate::text::words::names;
use exclusion::Exclusions;
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

impl Why {
    /// What findings besides those of the catalog say of a name or path, such as those about refused entries of an archive.
    pub fn of_findings(world: &World<'_>, asked: &str, findings: &[Diagnostic]) -> Vec<Why> {
        as_written_or_meant(asked, |asked| {
            let question = Question::new(world, asked);
            findings.iter().filter(|finding| question.is_about_finding(finding)).map(Why::of_finding).collect()
        })
    }

    /// The answer for what a finding says is not read as a skill.
    pub(crate) fn of_finding(finding: &Diagnostic) -> Why {
        let message = match finding.code {
            Code::SameFile if is_skill_file(finding.path.name()) => {
                format!("{}, as one real file is one skill (rule 3.9)", finding.message)
            }
            Code::SameFile => format!("{}, as each folder is entered once (rule 3.4)", finding.message),
            _ => finding.message.clone(),
        };
        // Findings have no help if they may be intended.
        let advice = match finding.code {
            Code::NotEntered => Some("move the skill's folder elsewhere"),
            Code::SameFile => Some("ask about that file"),
            Code::Unreadable | Code::PathNotUtf8 => Some("check its permissions, and that its name is UTF-8"),
            _ => None,
        };
        let help = finding.help.clone().or_else(|| advice.map(str::to_owned));
        Why::skipped(&finding.path, finding.code, message, help)
    }

    /// The answer for a path that is not read as a skill.
    fn skipped(path: &FsPath, code: Code, message: impl Into<String>, help: Option<String>) -> Why {
        let (rule, message) = (rule_of_code(code), message.into());
        let path = path.clone();
        Why { path, outcome: Outcome::Skipped, code: Some(code), rule, message, help, project: None }
    }
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

names! {
    Outcome {
        Skipped = "skipped", Shadowed = "shadowed", Hidden = "hidden", LeftOut = "left-out", InUse = "in-use",
    }
}

/// Explains every file of this name or path. A relative path starts from the project or from a source.
///
/// There is an answer for every path that exists: the first rule that keeps it from being a skill. There is also one for the
/// name of a folder in the project or in a source with a SKILL.md that discovery does not reach, or the name in such a file.
/// For anything else the result is empty. A file that is passed over at this path and in use by another one, through a
/// symlink, has both answers.
///
/// Whether a skill is shown in the prompt is answered for the list that [`prompt`](crate::prompt()) makes of `ask`, and so for its
/// `query` too (rules 10.1 and 11.16).
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
    as_written_or_meant(asked, |asked| explained(world, catalog, asked, ask))
}

/// The answers about a name or path as it is written, or else as one that is displayed so (rule 7.7).
fn as_written_or_meant(asked: &str, answers: impl Fn(&str) -> Vec<Why>) -> Vec<Why> {
    let (as_written, meant) = (answers(asked), reveal(asked));
    if as_written.is_empty() && *meant != *asked { answers(&meant) } else { as_written }
}

fn explained(world: &World<'_>, catalog: &Catalog, asked: &str, ask: &PromptRequest) -> Vec<Why> {
    let question = Question::new(world, asked);
    let path = question.path.clone();
    let mut answers = answers(world, catalog, asked, question, ask);
    if let Some(known) = path.and_then(|path| used_by_another_path(world, catalog, &path, &answers)) {
        answers.append(&mut from_catalog(world, catalog, &Question::of_path(known), ask));
        by_path(&mut answers);
    }
    answers
}

/// The question about a name, which may also be a path.
pub(crate) struct Question {
    /// None for a path alone. A client may read an empty name.
    name: Option<String>,
    path: Option<FsPath>,
}

impl Question {
    pub(crate) fn new(world: &World<'_>, asked: &str) -> Question {
        // Without a project, a relative path starts from the root.
        let base = world.places.project.clone().unwrap_or_else(FsPath::root);
        let path = world.fs.parse(asked, &base).filter(|path| path.depth() != 0);
        Question { name: Some(asked.to_owned()), path }
    }

    fn of_path(path: FsPath) -> Question {
        Question { name: None, path: Some(path) }
    }

    /// The path without symlinks, if it exists.
    #[cfg(feature = "author")]
    pub(crate) fn real_path(&self, world: &World<'_>) -> Option<FsPath> {
        world.fs.canonical(self.path.as_ref()?).ok()
    }

    /// Whether the question is about the key, the name or the folder of a skill, or about a path that contains its file.
    pub(crate) fn is_about(&self, seen: &SeenFile<'_>) -> bool {
        let folder = seen.path.parent();
        let names = [seen.key, seen.name, folder.as_ref().map(FsPath::name)];
        self.name.as_deref().is_some_and(|name| names.contains(&Some(name)))
            || self.path.as_ref().is_some_and(|path| seen.path.starts_with(path))
    }

    /// Whether the question is about the path of a finding. A path below a folder that was not entered counts as that folder.
    fn is_about_finding(&self, finding: &Diagnostic) -> bool {
        let folder = finding.path.parent();
        let is_named = |name: &str| {
            !name.is_empty() && (finding.path.name() == name || folder.as_ref().is_some_and(|dir| dir.name() == name))
        };
        self.name.as_deref().is_some_and(is_named)
            || self.path.as_ref().is_some_and(|path| finding.path.starts_with(path) || path.starts_with(&finding.path))
    }
}

fn answers(world: &World<'_>, catalog: &Catalog, asked: &str, question: Question, ask: &PromptRequest) -> Vec<Why> {
    let answers = from_catalog(world, catalog, &question, ask);
    // What is known of the file itself, by another path, says more than what was passed over above it.
    let is_above = |path: &FsPath| answers.iter().all(|told| told.path != *path && path.starts_with(&told.path));
    if let Some(path) = question.path.as_ref().filter(|path| !answers.is_empty() && is_above(path)) {
        if let Some(known) = path_in_catalog(world, catalog, path) {
            return from_catalog(world, catalog, &Question::of_path(known), ask);
        }
        if let Some(finding) = found_beyond(world, catalog, path) {
            return Vec::from([Why::of_finding(&finding)]);
        }
    }
    if !answers.is_empty() || asked.is_empty() {
        return answers;
    }
    let exclusions = Exclusions::new(world, catalog);
    let (name, path) = (question.name.unwrap_or_default(), question.path);
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
            return Vec::from([beyond.map_or(why, |finding| Why::of_finding(&finding))]);
        }
    }
    // The dialect may find a skill by another spelling of its key, and several by one.
    let keys = match catalog.find_any(&name) {
        Ok(skill) => Vec::from([skill.key.clone()]),
        Err(Error::Ambiguous { candidates, .. }) => candidates,
        Err(_) => Vec::new(),
    };
    let of_key = |key: &str| from_catalog(world, catalog, &Question::new(world, key), ask);
    let mut answers: Vec<Why> = keys.iter().flat_map(|key| as_written_or_meant(key, of_key)).collect();
    if !answers.is_empty() {
        by_path(&mut answers);
        answers.dedup();
        return answers;
    }
    let unreached = unreached(world, catalog, &exclusions);
    let of_this_name = unreached.iter().filter(|file| file.folder() == name);
    let answers: Vec<Why> = of_this_name.filter_map(|file| reason(catalog, &exclusions, file)).collect();
    if !answers.is_empty() {
        return answers;
    }
    // The name in a file is often the key of the skill (rule 7.1).
    let is_named_so = |file: &&FsPath| {
        let head = world.fs.read(file, PREFIX_BYTES);
        manifest::read(world, catalog.dialect(), file, head.as_ref()).frontmatter.name.as_ref() == Some(&name)
    };
    let told = |file: &FsPath| match from_catalog(world, catalog, &Question::of_path(file.clone()), ask) {
        unknown if unknown.is_empty() => reason(catalog, &exclusions, file).into_iter().collect(),
        known => known,
    };
    unreached.iter().filter(is_named_so).flat_map(told).collect()
}

/// The SKILL.md files that discovery does not reach, by path.
fn unreached(world: &World<'_>, catalog: &Catalog, exclusions: &Exclusions<'_>) -> Vec<FsPath> {
    let mut files = exclusions.unreached();
    let beyond = Beyond::of(world, catalog).findings.into_iter();
    files.extend(beyond.map(|finding| finding.path).filter(|path| is_skill_file(path.name())));
    sort_by(&mut files, Ord::cmp);
    files.dedup();
    files
}

impl Catalog {
    /// The SKILL.md files that discovery does not reach, each with the reason: see [`Beyond`]; elsewhere in the project, or in a
    /// source of a folder that contains the project. Helps a user whose skills are not found.
    pub fn unseen(&self, world: &World<'_>) -> Vec<Why> {
        let exclusions = Exclusions::new(world, self);
        unknown(self, &exclusions, unreached(world, self, &exclusions))
    }

    /// Those of [`Catalog::unseen`] which lie in a source of a folder that contains the project: it may be the wrong one. Nothing else is
    /// searched.
    pub fn unseen_above_project(&self, world: &World<'_>) -> Vec<Why> {
        let exclusions = Exclusions::new(world, self);
        let mut files = exclusions.above_project();
        sort_by(&mut files, Ord::cmp);
        files.dedup();
        unknown(self, &exclusions, files)
    }
}

/// The reason for each of these files that the catalog does not name, or names as too deep.
fn unknown(catalog: &Catalog, exclusions: &Exclusions<'_>, files: Vec<FsPath>) -> Vec<Why> {
    let reported = catalog.findings().iter().filter(|finding| finding.code != Code::TooDeep);
    let mut known: HashSet<&str> = reported.map(|finding| finding.path.as_str()).collect();
    known.extend(catalog.seen().map(|seen| seen.path.as_str()));
    let files = files.into_iter().filter(|file| !known.contains(file.as_str()));
    files.filter_map(|file| reason(catalog, exclusions, &file)).collect()
}

/// Why a file that discovery does not reach is no skill: its plugin is ignored, or else the first rule that keeps it from being one.
fn reason(catalog: &Catalog, exclusions: &Exclusions<'_>, file: &FsPath) -> Option<Why> {
    let plugin = folder_finding(catalog, file).filter(|finding| finding.code == Code::PluginInvalid);
    match plugin {
        Some(finding) => Some(Why { path: file.clone(), ..Why::of_finding(finding) }),
        None => exclusions.rule(file),
    }
}

impl Catalog {
    /// The folders in which skills are looked for, from the lowest precedence to the highest.
    pub fn roots(&self, world: &World<'_>) -> Vec<FsPath> {
        Exclusions::new(world, self).roots()
    }
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
    Beyond::of(world, catalog).findings.into_iter().find(|finding| finding.path == real)
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
        answers.push(Why::of_finding(finding));
    }
    // What is known of a path says more than what was passed over above it.
    if let Some(path) = question.path.as_ref().filter(|path| answers.iter().any(|told| told.path == **path)) {
        answers.retain(|told| told.path == *path || !path.starts_with(&told.path));
    }
    if answers.is_empty() {
        // A file that discovery has not read as a skill may have findings, such as a store of states.
        let found = catalog.findings().iter().filter(|finding| Some(&finding.path) == question.path.as_ref());
        answers.extend(found.map(Why::of_finding));
    }
    by_path(&mut answers);
    answers
}

/// Sorts answers by path, and those about one path by what became of it.
fn by_path(answers: &mut [Why]) {
    sort_by(answers, |a, b| (&a.path, a.outcome).cmp(&(&b.path, b.outcome)));
}

pub(crate) fn of_seen<'p, 'c: 'p>(
    catalog: &Catalog,
    seen: &SeenFile<'_>,
    omissions: impl FnOnce() -> &'p Omissions<'c>,
) -> Why {
    match seen.status {
        FileStatus::Skipped(code) => {
            // Findings are sorted by path.
            let findings = catalog.findings();
            let start = findings.partition_point(|finding| finding.path < *seen.path);
            let mut own = findings.iter().skip(start).take_while(|finding| finding.path == *seen.path);
            let finding = own.find(|finding| finding.code == code);
            finding.map_or_else(|| Why::skipped(seen.path, code, code.to_string(), None), Why::of_finding)
        }
        FileStatus::Shadowed(shadowed) => of_shadowed(catalog, shadowed),
        FileStatus::InUse(skill) => of_used(catalog.dialect(), skill, omissions()),
    }
}

/// Whether a finding of this code means that something was seen and not read.
pub(crate) fn is_passed_over(code: Code) -> bool {
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
            | Code::StoreCorrupt
            | Code::PluginMissing
            | Code::PluginInvalid
    )
}

/// The answer for a skill that another one shadows, with the rule of precedence and its number in the list of rules.
fn of_shadowed(catalog: &Catalog, Shadowed { skill, by }: &Shadowed) -> Why {
    let dialect = catalog.dialect();
    let system = dialect.title();
    let winner = catalog.skills().iter().find(|winner| winner.path == *by);
    let waits = |skill: &Skill| !skill.is_for_model && !skill.frontmatter.run().paths.is_empty();
    let (rule, reason) = match winner {
        Some(_) if skill.undetermined => {
            ("equal_keys", format!("which of the two {system} uses is not determined (rule 8.12)"))
        }
        Some(winner) if is_single_file(&skill.path) && !is_single_file(&winner.path) => {
            ("tie_break", format!("a skill wins over a command file in {system} (rule 3.17)"))
        }
        Some(winner) if waits(skill) && !waits(winner) && winner.source.rank <= skill.source.rank => {
            ("fields", "one whose `paths` match no file that is worked on gives way (rule 9.10)".to_owned())
        }
        Some(winner) if winner.source.rank != skill.source.rank => {
            let (higher, lower) = (visible(&winner.source.label), visible(&skill.source.label));
            let places = match higher == lower {
                true => format!("`{}` wins over `{}`", winner.source.root, skill.source.root),
                false => format!("the source `{higher}` wins over `{lower}`"),
            };
            ("sources", format!("{places} in {system} (rule 8.1)"))
        }
        Some(_) | None => {
            let which = match dialect.tie_break {
                TieBreak::First => "first",
                TieBreak::Last => "last",
                TieBreak::Deepest => "deepest, or else the first,",
            };
            ("tie_break", format!("of equal keys in one source, {system} uses the {which} by path (rule 8.2)"))
        }
    };
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

fn of_used(dialect: &Dialect, skill: &Skill, prompt: &Omissions<'_>) -> Why {
    let read = skill.as_read();
    let (outcome, mut message, mut help) =
        by_decision(read, prompt).unwrap_or_else(|| by_own_file(dialect, read, prompt));
    if skill.undetermined {
        let system = dialect.title();
        message.push_str(&format!(
            "; whether {system} uses it or another skill of this key is not determined (rule 8.12)"
        ));
    }
    if let Some(reason) = withheld(dialect, skill) {
        message.push_str(&reason);
        help = Some("correct the frontmatter so that every client reads it in the same way".to_owned());
    }
    let (code, rule) = match outcome {
        Outcome::Hidden => (None, Some(hiding_rule(read))),
        Outcome::LeftOut => (Some(Code::LeftOut), rule_of_code(Code::LeftOut)),
        Outcome::Skipped | Outcome::Shadowed | Outcome::InUse => (None, None),
    };
    Why { path: skill.path.clone(), outcome, code, rule, message, help, project: None }
}

/// What became of a skill by its [`Decision`](crate::model::Decision), which names the file and the line that decided;
/// `None` if it decided nothing about that.
fn by_decision(skill: &Skill, prompt: &Omissions<'_>) -> Option<(Outcome, String, Option<String>)> {
    let decision = skill.decision.as_deref()?;
    let is_left_out = prompt.left_out.contains(&skill.path);
    let (outcome, what) = match (decision.visibility, skill.state, skill.is_for_model) {
        (Visibility::Off, State::Disabled, _) => (Outcome::Hidden, "is disabled"),
        (Visibility::UserOnly, _, false) if skill.is_refused() => {
            (Outcome::Hidden, "is listed, but not given to the model")
        }
        (Visibility::UserOnly, State::Enabled | State::Active, false) => (Outcome::Hidden, "is hidden from the model"),
        (Visibility::NameOnly, _, true) if !is_left_out => (Outcome::InUse, "is in use, and listed by its name only"),
        _ => return None,
    };
    Some((outcome, format!("`{}` {what}: {decision}", visible(&skill.key)), decision.help.clone()))
}

/// What became of a skill by its frontmatter, its state, and the space in the prompt.
fn by_own_file(dialect: &Dialect, skill: &Skill, prompt: &Omissions<'_>) -> (Outcome, String, Option<String>) {
    let key = visible(&skill.key);
    let told = |outcome, what: &str, help: Option<&str>| (outcome, format!("`{key}` {what}"), help.map(str::to_owned));
    let is_selected = prompt.selected.as_ref().map(|selected| selected.contains(&skill.key));
    let selected = match is_selected {
        None => "",
        Some(true) => "; the message selects it, so its text is in the prompt",
        Some(false) => "; it is not among the skills that the message selects, so it is not in the prompt",
    };
    let in_use = format!("is in use, from the source `{}`{selected}", skill.source.label);
    let is_hidden = !skill.is_for_model;
    match skill.state {
        State::Disabled => told(Outcome::Hidden, "is disabled", Some("enable it to use it")),
        _ if is_hidden && !skill.frontmatter.not_for_user && dialect.reserves_command(&skill.key) => {
            let what = format!("is hidden from the model, and `/{key}` is a command of {} itself", dialect.title());
            told(Outcome::Hidden, &what, Some("rename the skill"))
        }
        State::Enabled if is_hidden && skill.is_inactive() => {
            told(Outcome::Hidden, "is enabled for the user only", Some("make it active for the model to see it"))
        }
        _ if is_hidden && skill.is_for_user => {
            told(Outcome::Hidden, "is for the user only, as its frontmatter says", None)
        }
        _ if is_hidden => told(Outcome::Hidden, "is hidden from the model and from the user", None),
        _ if prompt.left_out.contains(&skill.path) => {
            told(Outcome::LeftOut, "did not fit into the prompt", Some(TOO_LONG_A_LIST))
        }
        _ if prompt.bare.contains(&skill.path) => {
            let message = format!("only the name of `{key}` is in the prompt: its description did not fit");
            (Outcome::LeftOut, message, Some(TOO_LONG_A_LIST.to_owned()))
        }
        _ if prompt.shortened.contains(&skill.path) => {
            let what = format!("{in_use}; its description is shortened in the prompt");
            told(Outcome::InUse, &what, Some(TOO_LONG_A_LIST))
        }
        _ => told(Outcome::InUse, &in_use, None),
    }
}

/// The end of a message: from whom a skill is withheld although its client offers it, and by which fields (rule 9.13); `None`
/// if it is not.
fn withheld(dialect: &Dialect, skill: &Skill) -> Option<String> {
    let from = match (skill.withheld_from(Caller::Model), skill.withheld_from(Caller::User)) {
        (false, false) => return None,
        (true, false) => "from the model",
        (false, true) => "from the user",
        (true, true) => "from the model and the user",
    };
    let (own, read) = (&skill.frontmatter, &skill.as_read().frontmatter);
    let is_for_model = own.not_for_model && !read.not_for_model;
    let restrictions = [
        (FieldRole::NotForModel, is_for_model),
        (FieldRole::ForModel, is_for_model),
        (FieldRole::ForUser, own.not_for_user && !read.not_for_user),
        (FieldRole::DefaultEnabled, own.triggers().default_enabled != read.triggers().default_enabled),
        (FieldRole::Paths, own.run().paths != read.run().paths),
    ];
    let fields = restrictions.iter().filter(|(_, is_new)| *is_new).filter_map(|(role, _)| dialect.path_of(role));
    let fields = quoted(&fields.collect::<Vec<_>>(), " and ");
    let how = match dialect.reading {
        Reading::Faithful => "as its author meant it",
        Reading::Repaired => "as the client itself reads it",
    };
    Some(format!("; it is withheld {from} here, because {fields} restricts it if the file is read {how}"))
}

/// The rule by which the model does not see a skill.
fn hiding_rule(skill: &Skill) -> &'static str {
    let is_by_fields = skill.state != State::Disabled && skill.frontmatter.not_for_model;
    match &skill.decision {
        Some(decision) if decision.file.is_some() => "settings",
        Some(_) if skill.description().is_empty() => "undescribed",
        Some(_) => "paths",
        None if is_by_fields => "fields",
        None => "states",
    }
}

/// The short name of the rule by which a finding with this code keeps a file from being used; `None` for a code that
/// does not.
fn rule_of_code(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::TooDeep => "scan.depth",
        Code::SkillAtRoot => "scan.root",
        Code::NotEntered => "scan.skipped",
        Code::ScanTruncated => "scan.limit",
        Code::FileNameCase
        | Code::NoSkill
        | Code::NotSkillFile
        | Code::CommandFile
        | Code::PathNotUtf8
        | Code::NotAFile => "scan.files",
        Code::BrokenSymlink | Code::LinkCycle | Code::LeadsOut | Code::LinkIgnored | Code::SameFile => "scan.links",
        Code::SourceUnreadable
        | Code::PluginMissing
        | Code::PluginInvalid
        | Code::StoreCorrupt
        | Code::NotInSource
        | Code::NestedSource => "sources",
        Code::Unreadable | Code::NotUtf8 | Code::ControlCharacter | Code::TooLarge | Code::EntryRefused => "file",
        Code::FrontmatterMissing
        | Code::FrontmatterUnclosed
        | Code::FrontmatterNotFirst
        | Code::FrontmatterFence
        | Code::Yaml
        | Code::YamlRefused
        | Code::YamlRepaired
        | Code::YamlComment
        | Code::YamlTab
        | Code::YamlAlias
        | Code::YamlTooDeep
        | Code::RestrictionMissed
        | Code::DuplicateKey => "header",
        Code::NameMissing
        | Code::DescriptionMissing
        | Code::NameInvalid
        | Code::NameMismatch
        | Code::WrongType
        | Code::RemovedField
        | Code::UnknownField
        | Code::VersionInvalid
        | Code::OtherProduct => "fields",
        Code::TooLong => "limits",
        Code::UnmetRequirement => "requires",
        Code::LeftOut => "prompt.budget",
        _ => return None,
    })
}
