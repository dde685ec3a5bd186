//! In: a name or a path. Out: what became of it, from the account that discovery keeps (decisions 16): skipped,
//! shadowed, hidden from the model, left out of the prompt, or in use. Absent: any second scan.

use crate::catalog::{Catalog, Fate, Seen};
use crate::diagnostic::{Code, Diagnostic};
use crate::map::HashSet;
use crate::path::FsPath;
use crate::prompt::{NotWhole, PromptAsk, not_whole};
use crate::resolve::Shadowed;
use crate::skill::{Skill, State};
use crate::sort;
use crate::text::escape::{reveal, visible};
use crate::world::World;

/// What became of one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Why {
    /// The file or folder.
    pub path: FsPath,
    /// What became of it.
    pub verdict: Verdict,
    /// The finding behind it, if one is.
    pub code: Option<Code>,
    /// One line.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// What became of a file: the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It is no skill here.
    Skipped,
    /// Another skill is used for its key.
    Shadowed,
    /// The model does not see it.
    Hidden,
    /// It did not fit into the prompt.
    LeftOut,
    /// It is in use.
    InUse,
}

impl Verdict {
    /// `skipped`, `shadowed`, `hidden`, `left-out` or `in-use`.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Skipped => "skipped",
            Verdict::Shadowed => "shadowed",
            Verdict::Hidden => "hidden",
            Verdict::LeftOut => "left-out",
            Verdict::InUse => "in-use",
        }
    }
}

/// What became of every file that goes by this name or lies at this path; nothing when none was seen. A relative
/// path starts from the project.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, PromptAsk, World, dialect, discover, why};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\n---\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("agentskills").unwrap());
/// let why = why(&world, &catalog, "tea", &PromptAsk::default());
/// assert_eq!(why[0].verdict.as_str(), "skipped");
/// assert_eq!(why[0].message, "expected the field `description`, with a value");
/// ```
pub fn why(world: &World<'_>, catalog: &Catalog, asked: &str, ask: &PromptAsk) -> Vec<Why> {
    let question = Question::new(world, asked);
    let mut answers: Vec<Why> = Vec::new();
    let mut missing: Option<NotWhole<'_>> = None;
    let mut answered: HashSet<&FsPath> = HashSet::new();
    for seen in catalog.seen().filter(|seen| question.is_about(seen)) {
        answered.insert(seen.path);
        answers.push(match seen.fate {
            Fate::Skipped(code) => skipped(catalog, seen.path, code),
            Fate::Shadowed(shadowed) => self::shadowed(shadowed),
            Fate::InUse(skill) => in_use(skill, missing.get_or_insert_with(|| not_whole(world, catalog, ask))),
        });
    }
    let passed_over = catalog.findings().iter().filter(|finding| is_passed_over(finding.code));
    for finding in passed_over.filter(|finding| !answered.contains(&finding.path) && question.is_about_finding(finding))
    {
        answers.push(from_finding(finding));
    }
    sort::by(&mut answers, |a, b| (&a.path, a.verdict).cmp(&(&b.path, b.verdict)));
    answers
}

/// A name, which may be a path as well.
struct Question {
    name: String,
    path: Option<FsPath>,
}

impl Question {
    fn new(world: &World<'_>, asked: &str) -> Question {
        let name = reveal(asked).into_owned();
        let base = world.places.project.clone().unwrap_or_else(FsPath::root);
        let path = world.fs.parse(&name, &base).filter(|path| path.depth() != 0);
        Question { name, path }
    }

    /// Whether the key, the name, the folder's name or a path at or above the file is the one asked for.
    fn is_about(&self, seen: &Seen<'_>) -> bool {
        let folder = seen.path.parent();
        seen.key == Some(self.name.as_str())
            || seen.name == Some(self.name.as_str())
            || folder.as_ref().is_some_and(|folder| folder.name() == self.name)
            || self.path.as_ref().is_some_and(|path| seen.path.is_within(path))
    }

    /// The same for what was passed over; a path below a folder that was not entered is about that folder.
    fn is_about_finding(&self, finding: &Diagnostic) -> bool {
        let folder = finding.path.parent();
        finding.path.name() == self.name
            || folder.as_ref().is_some_and(|folder| folder.name() == self.name)
            || self.path.as_ref().is_some_and(|path| finding.path.is_within(path) || path.is_within(&finding.path))
            || self.leads_through(&finding.path)
    }

    /// Whether a relative path asked for goes through this folder, wherever that path may start.
    fn leads_through(&self, folder: &FsPath) -> bool {
        let ends = self.name.match_indices('/').map(|(at, _)| at).chain([self.name.len()]);
        let mut beginnings = ends.filter_map(|end| self.name.get(..end)).filter(|beginning| !beginning.is_empty());
        beginnings.any(|beginning| folder.as_str().strip_suffix(beginning).is_some_and(|rest| rest.ends_with('/')))
    }
}

/// Whether a finding of this code says that something was seen and not read.
fn is_passed_over(code: Code) -> bool {
    matches!(
        code,
        Code::NotEntered
            | Code::TooDeep
            | Code::SkillAtRoot
            | Code::NotAFile
            | Code::LeadsOut
            | Code::LinkDangling
            | Code::LinkCycle
            | Code::SameFile
            | Code::FileNameCase
            | Code::Unreadable
            | Code::PathNotUtf8
            | Code::SourceUnreadable
            | Code::ScanTruncated
    )
}

fn from_finding(finding: &Diagnostic) -> Why {
    Why {
        path: finding.path.clone(),
        verdict: Verdict::Skipped,
        code: Some(finding.code),
        message: finding.message.clone(),
        help: finding.help.clone(),
    }
}

fn skipped(catalog: &Catalog, path: &FsPath, code: Code) -> Why {
    // Findings stand in the order of their paths.
    let findings = catalog.findings();
    let start = findings.partition_point(|finding| finding.path < *path);
    let mut own = findings.get(start..).unwrap_or_default().iter().take_while(|finding| finding.path == *path);
    let why = own.find(|finding| finding.code == code);
    match why {
        Some(finding) => from_finding(finding),
        None => Why {
            path: path.clone(),
            verdict: Verdict::Skipped,
            code: Some(code),
            message: code.to_string(),
            help: None,
        },
    }
}

fn shadowed(shadowed: &Shadowed) -> Why {
    let Shadowed { skill, by } = shadowed;
    Why {
        path: skill.path.clone(),
        verdict: Verdict::Shadowed,
        code: None,
        message: format!("`{}` is taken from `{by}` instead", visible(&skill.key)),
        help: Some("give one of the two another name, or remove one".to_owned()),
    }
}

fn in_use(skill: &Skill, prompt: &NotWhole<'_>) -> Why {
    let key = visible(&skill.key);
    let (verdict, message, help) = match (skill.state, skill.audience.model) {
        (State::Disabled, _) => {
            (Verdict::Hidden, format!("`{key}` is disabled"), Some("enable it to have it back".to_owned()))
        }
        (State::Enabled, false) if !skill.meta.not_for_model => (
            Verdict::Hidden,
            format!("`{key}` is enabled for the user alone"),
            Some("make it active to give it to the model".to_owned()),
        ),
        (State::Enabled | State::Active, false) if skill.audience.user => {
            (Verdict::Hidden, format!("`{key}` is for the user alone, by its own frontmatter"), None)
        }
        (State::Enabled | State::Active, false) => {
            (Verdict::Hidden, format!("`{key}` is hidden from the model and from the user"), None)
        }
        (State::Enabled | State::Active, true) if prompt.left_out.contains(skill.key.as_str()) => (
            Verdict::LeftOut,
            format!("`{key}` did not fit into the prompt"),
            Some("shorten descriptions, or give the list a larger budget".to_owned()),
        ),
        (State::Enabled | State::Active, true) if prompt.shortened.contains(skill.key.as_str()) => (
            Verdict::InUse,
            format!(
                "`{key}` is in use, from the source `{}`; the prompt shows its description cut or not at all",
                skill.source.label
            ),
            Some("shorten descriptions, or give the list a larger budget".to_owned()),
        ),
        (State::Enabled | State::Active, true) => {
            (Verdict::InUse, format!("`{key}` is in use, from the source `{}`", skill.source.label), None)
        }
    };
    Why {
        path: skill.path.clone(),
        verdict,
        code: (verdict == Verdict::LeftOut).then_some(Code::LeftOut),
        message,
        help,
    }
}
