//! The nouns: [`Skill`], the [`Source`] it came from, its [`Meta`]. Data only; rooms above fill and read them.
//! After `manifest` nobody asks how a value was spelled, and after `resolve` nobody asks why a skill may be seen.

use crate::path::FsPath;
use crate::text::yaml::Node;
use std::sync::Arc;

/// A skill in use, or one that is shadowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skill {
    /// What the skill is called by; unique in a catalog.
    pub key: String,
    /// The name for people: the frontmatter's, else the folder's.
    pub name: String,
    /// Where it was found.
    pub source: Arc<Source>,
    /// The SKILL.md as found, links not resolved.
    pub path: FsPath,
    /// Where links lead; none when `path` has none in it.
    pub target: Option<FsPath>,
    /// What the frontmatter says.
    pub meta: Meta,
    /// Who may see and call it. Final.
    pub audience: Audience,
    /// Whether it is switched on. Final.
    pub state: State,
}

impl Skill {
    /// The folder of the SKILL.md: the base of relative paths in its body.
    pub fn dir(&self) -> FsPath {
        self.path.parent().unwrap_or_else(FsPath::root)
    }

    /// The description, or nothing.
    pub fn description(&self) -> &str {
        self.meta.description.as_deref().unwrap_or("")
    }

    /// Whether this caller may see and call it.
    pub fn is_for(&self, caller: Caller) -> bool {
        match caller {
            Caller::Model => self.audience.model,
            Caller::User => self.audience.user,
        }
    }
}

/// One place that is scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The dialect's word for it: `project-sven`.
    pub label: String,
    /// The dialect's word for its scope: `user`, `project`, `ClaudeUser`.
    pub scope: String,
    /// Whose it is, in our words.
    pub level: Level,
    /// The folder that is scanned, or the one registered file.
    pub root: FsPath,
    /// Its place among the sources: a higher one beats a lower one.
    pub rank: usize,
}

/// Whose a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Level {
    /// The user's own, in the home directory.
    User,
    /// The project's: it travels with a repository, and is not trusted by itself.
    Project,
    /// Shipped with the agent.
    Bundled,
    /// A plugin's.
    Plugin,
    /// Named by the caller.
    Extra,
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caller {
    /// The model, through its tool.
    Model,
    /// The user, or the host on the user's behalf.
    User,
}

/// Who may see and call a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Audience {
    /// The model.
    pub model: bool,
    /// The user.
    pub user: bool,
}

/// Whether a skill is switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// Off: nobody sees or calls it.
    Disabled,
    /// On.
    Enabled,
}

/// Something the machine must have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Requirement {
    /// A program that can be run.
    Bin(String),
    /// An environment variable that is set and not empty.
    Env(String),
}

/// What a frontmatter says, in our words. Absent and empty are one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meta {
    /// The name as written, trimmed.
    pub name: Option<String>,
    /// The description, trimmed.
    pub description: Option<String>,
    /// The version as written.
    pub version: Option<String>,
    /// The licence.
    pub license: Option<String>,
    /// What the skill needs around it, in words.
    pub compatibility: Option<String>,
    /// The tools it declares, one rule each. What counts is computed when answered.
    pub allowed_tools: Option<Vec<String>>,
    /// What to type after the command.
    pub argument_hint: Option<String>,
    /// Always in the prompt.
    pub pinned: bool,
    /// Not for the model.
    pub not_for_model: bool,
    /// Not for the user.
    pub not_for_user: bool,
    /// What the machine must have.
    pub requires: Vec<Requirement>,
    /// Knowledge files to point to.
    pub knowledge: Vec<String>,
    /// The map `metadata`, in order.
    pub metadata: Vec<(String, Node)>,
    /// Keys that no table knows, in order, so that a host can read its own.
    pub other: Vec<(String, Node)>,
}
