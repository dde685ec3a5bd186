//! A [`Skill`] and its parts: the [`Source`] it was found in, its [`Frontmatter`], its state and audience. These types
//! only hold data. `discovery::manifest` decides how a value may be spelled, and `discovery::resolve` who may see a
//! skill.

mod containment;
mod permission;
mod resource_names;
mod source;
mod visibility;

pub(crate) use containment::{ContainedFs, Containment};
pub use permission::Permission;
pub(crate) use resource_names::{RESOURCE_FOLDERS, ResourceList, ResourceNames};
pub use source::{Origin, Source};
pub use visibility::{Decision, Visibility};

use crate::path::FsPath;
use crate::text::escape::fold;
use crate::text::json::Json;
use crate::text::words::{first_sentence, shorten, split_list};
use std::sync::Arc;

/// How many characters the first sentence of a description has at most, as its short form (rule 6.17).
const BRIEF_CHARS: usize = 80;

/// How many characters a short form that the author wrote has at most (rule 6.17): as many as agent-base allows a whole
/// description.
const AUTHOR_BRIEF_CHARS: usize = 500;

/// A skill: one that is used, or one that is shadowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skill {
    /// What the skill is called by. Each key of a catalog has one skill that is used.
    pub key: String,
    /// The name for people: that in the frontmatter, or else that of the folder.
    pub name: String,
    /// The source in which it was found.
    pub source: Arc<Source>,
    /// The SKILL.md, symlinks not resolved.
    pub path: FsPath,
    /// The real path of the SKILL.md; `None` if that is `path`.
    pub target: Option<FsPath>,
    /// The real path of its folder when it was found; `None` if that is the parent of `path`.
    pub(crate) folder: Option<FsPath>,
    /// The files in its resource folders, if discovery was to remember them and has seen all of them.
    pub(crate) resources: Option<ResourceNames>,
    /// What the frontmatter says.
    pub frontmatter: Arc<Frontmatter>,
    /// Who may see and call it: its flags, its state and overrides have been taken into account.
    pub audience: Audience,
    /// Whether it is switched on: overrides have been taken into account.
    pub state: State,
    /// What decided how it is offered, if that is not its frontmatter alone. Shared, as one entry of a file may decide
    /// about many skills.
    pub decision: Option<Arc<Decision>>,
    /// Whether it is a skill, or has its name and description, only as its file is repaired (rule 4.12).
    pub repaired: bool,
    /// The same skill as the reading of the dialect alone has it; `None` if that is how it is offered.
    pub(crate) as_read: Option<Arc<Skill>>,
}

impl Skill {
    /// The folder of the SKILL.md, from which relative paths in its body start.
    pub fn dir(&self) -> FsPath {
        self.path.dirname()
    }

    /// The same skill at another path: that of a copy, for example. The parent of `path` must be a real path. `target`
    /// is the real path of the SKILL.md, if the file itself is a symlink.
    #[must_use]
    pub fn with_location(&self, path: FsPath, target: Option<FsPath>) -> Skill {
        let as_read = self.as_read.as_ref().map(|skill| skill.with_location(path.clone(), target.clone()));
        Skill { path, target, folder: None, resources: None, as_read: as_read.map(Arc::new), ..self.clone() }
    }

    /// The same skill as the dialect reads it, which is reported. It differs where only the other reading restricts (rule 9.13).
    pub fn as_read(&self) -> &Skill {
        self.as_read.as_deref().unwrap_or(self)
    }

    /// Who would be offered the skill by its client, and is not offered it here.
    pub fn withheld_from(&self) -> Audience {
        let read = self.as_read().audience;
        Audience { model: read.model && !self.audience.model, user: read.user && !self.audience.user }
    }

    /// Where its files are, by the symlinks as they were when it was found.
    pub(crate) fn location(&self) -> Location {
        let file = self.target.as_ref().unwrap_or(&self.path).clone();
        Location { path: self.path.clone(), dir: self.folder.clone().unwrap_or_else(|| self.dir()), file }
    }

    /// The description; empty if there is none.
    pub fn description(&self) -> &str {
        self.frontmatter.description.as_deref().unwrap_or("")
    }

    /// The short form of the description, on one line: that of the author, or else its first sentence, cut to 80
    /// characters (rule 6.17).
    pub fn brief(&self) -> String {
        match &self.frontmatter.triggers().brief {
            Some(brief) => shorten(&fold(brief), AUTHOR_BRIEF_CHARS),
            None => shorten(first_sentence(&fold(self.description())), BRIEF_CHARS),
        }
    }

    /// Whether a caller may see and call the skill.
    pub fn is_for(&self, caller: Caller) -> bool {
        match caller {
            Caller::Model => self.audience.model,
            Caller::User => self.audience.user,
        }
    }
}

/// Where the files of a skill are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// The SKILL.md, symlinks not resolved.
    pub(crate) path: FsPath,
    /// The real path of its folder.
    pub(crate) dir: FsPath,
    /// The real path of the SKILL.md, which is not in `dir` if the file itself is a symlink.
    pub(crate) file: FsPath,
}

impl Location {
    /// Where the files of the skill with this SKILL.md are, by the symlinks as they are now.
    pub(crate) fn now(fs: &dyn crate::fs::Fs, path: &FsPath) -> Result<Location, crate::fs::FsError> {
        let dir = path.dirname();
        Ok(Location { path: path.clone(), dir: fs.canonical(&dir)?, file: fs.canonical(path)? })
    }
}

/// Who asks for a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Caller {
    /// The model, through its tool.
    Model,
    /// The user, or the host on the user's behalf.
    User,
}

impl Caller {
    /// `model` or `user`.
    pub fn as_str(self) -> &'static str {
        match self {
            Caller::Model => "model",
            Caller::User => "user",
        }
    }

    /// The caller of this name; `None` for any other text.
    pub fn parse(name: &str) -> Option<Caller> {
        [Caller::Model, Caller::User].into_iter().find(|caller| caller.as_str() == name)
    }
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
    /// Off: nobody sees or calls the skill.
    Disabled,
    /// On. If the dialect has states, for the user only.
    Enabled,
    /// On, for the user and the model. Only if the dialect has states.
    Active,
}

/// Something that the machine must have for a skill to work.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Requirement {
    /// A program that can be run.
    Bin(String),
    /// An environment variable that is set and not empty.
    Env(String),
}

/// What a frontmatter says, whatever its fields are called. An empty field counts as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frontmatter {
    /// The name as written, trimmed.
    pub name: Option<String>,
    /// The description, trimmed.
    pub description: Option<String>,
    /// The version as written.
    pub version: Option<String>,
    /// The licence.
    pub license: Option<String>,
    /// The tools that it declares, one rule each, as written. What is granted of them depends on the dialect and on
    /// trust.
    pub allowed_tools: Option<Vec<String>>,
    /// Whether it is always in the prompt.
    pub pinned: bool,
    /// Whether the model must not see it.
    pub not_for_model: bool,
    /// Whether the user must not see it.
    pub not_for_user: bool,
    /// The part of the key before the colon, in dialects with such keys.
    pub namespace: Option<String>,
    /// The map `metadata`, in the order of the file. Scalars are texts as written; an empty value is `null`.
    pub metadata: Vec<(String, Json)>,
    /// The fields that the dialect does not have, in the order of the file, so that a host can read its own. Values are
    /// as in `metadata`.
    pub other: Vec<(String, Json)>,
    /// What it needs. Boxed, as most skills do not say.
    pub(crate) needs: Option<Box<Needs>>,
    /// How it is run. Boxed, as most skills do not say.
    pub(crate) run: Option<Box<RunSettings>>,
    /// What it is selected by. Boxed, as most skills do not say.
    pub(crate) triggers: Option<Box<Triggers>>,
}

/// The unknown field that names required environment variables.
const REQUIRES_ENV: &str = "requires_env";

impl Frontmatter {
    /// What the skill needs; nothing if it does not say.
    pub fn needs(&self) -> &Needs {
        self.needs.as_deref().unwrap_or(&NO_NEEDS)
    }

    /// How the skill is run; the defaults if it does not say.
    pub fn run(&self) -> &RunSettings {
        self.run.as_deref().unwrap_or(&NO_RUN)
    }

    /// What the skill is selected by; nothing if it does not say.
    pub fn triggers(&self) -> &Triggers {
        self.triggers.as_deref().unwrap_or(&NO_TRIGGERS)
    }

    /// Whether the skill's list of scripts, if it has one, allows a script. `script` is the path below `scripts/`.
    pub fn allows_script(&self, script: &str) -> bool {
        let is_it = |listed: &String| {
            let listed = listed.strip_prefix("./").unwrap_or(listed);
            listed == script || listed.strip_prefix("scripts/") == Some(script)
        };
        self.run().scripts.names().is_none_or(|names| names.iter().any(is_it))
    }

    /// The environment variables that it requires. What it runs may see them if the host trusts the skill. In a dialect
    /// without such a requirement they are those in an unknown field `requires_env`.
    pub fn environment_variables(&self) -> Vec<String> {
        let mut variables = Vec::new();
        for requirement in &self.needs().requires {
            let Requirement::Env(name) = requirement else { continue };
            variables.push(name.clone());
        }
        for (_, value) in self.other.iter().filter(|(name, _)| name == REQUIRES_ENV) {
            match value {
                Json::Text(text) => variables.append(&mut split_list(text)),
                Json::List(items) => variables.extend(items.iter().filter_map(Json::as_text).map(str::to_owned)),
                Json::Map(_) | Json::Null | Json::Bool(_) | Json::Number(_) => {}
            }
        }
        variables
    }
}

/// What a skill needs around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// What it needs, in words.
    pub compatibility: Option<String>,
    /// What the machine must have.
    pub requires: Vec<Requirement>,
    /// The knowledge files that it points to.
    pub knowledge: Vec<String>,
    /// Whether it is for other products only.
    pub is_for_other_products: bool,
}

static NO_NEEDS: Needs =
    Needs { compatibility: None, requires: Vec::new(), knowledge: Vec::new(), is_for_other_products: false };

/// How a skill is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunSettings {
    /// Whether it runs in the conversation or as a task of its own.
    pub context: Option<Context>,
    /// The kind of agent that a fork is given to.
    pub agent: Option<String>,
    /// The model to use.
    pub model: Option<String>,
    /// How hard the model is to think.
    pub effort: Option<String>,
    /// Whether a fork runs while the conversation goes on.
    pub background: Option<bool>,
    /// The shell for dynamic commands.
    pub shell: Option<String>,
    /// What to type after the command.
    pub argument_hint: Option<String>,
    /// The names of its arguments.
    pub arguments: Vec<String>,
    /// The tools that it does without.
    pub disallowed_tools: Option<Vec<String>>,
    /// Patterns of the files for which it is meant.
    pub paths: Vec<String>,
    /// Whether it runs in a fork that has its declared permissions only.
    pub sandbox: bool,
    /// The permissions that a fork is given, as written, each once.
    pub permissions: Vec<String>,
    /// Toolsets, as `path:Export`.
    pub toolsets: Vec<String>,
    /// The scripts that may be run, in every dialect.
    pub scripts: ScriptList,
}

/// Which scripts of a skill may be run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScriptList {
    /// There is no such list, so all scripts may be run.
    #[default]
    Absent,
    /// These scripts may be run, by their paths, with or without `scripts/` at the start.
    Names(Vec<String>),
    /// The value is not a list of names, so no script may be run.
    Invalid,
}

impl ScriptList {
    /// The scripts that may be run; `None` for all.
    pub fn names(&self) -> Option<&[String]> {
        match self {
            ScriptList::Absent => None,
            ScriptList::Names(names) => Some(names),
            ScriptList::Invalid => Some(&[]),
        }
    }
}

static NO_RUN: RunSettings = RunSettings {
    context: None,
    agent: None,
    model: None,
    effort: None,
    background: None,
    shell: None,
    argument_hint: None,
    arguments: Vec::new(),
    disallowed_tools: None,
    paths: Vec::new(),
    sandbox: false,
    permissions: Vec::new(),
    toolsets: Vec::new(),
    scripts: ScriptList::Absent,
};

/// Where a skill runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// In the conversation.
    Inline,
    /// In a task of its own, without the history of the conversation.
    Fork,
}

/// What selects a skill when a user writes a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Triggers {
    /// Words and phrases.
    pub keywords: Vec<String>,
    /// Words for what is done.
    pub verbs: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
    /// When to use the skill, beyond its description.
    pub when_to_use: Option<String>,
    /// The short form of the description, if the author has written one.
    pub brief: Option<String>,
    /// Whether a bundled skill is switched on by default.
    pub default_enabled: Option<bool>,
}

static NO_TRIGGERS: Triggers = Triggers {
    keywords: Vec::new(),
    verbs: Vec::new(),
    patterns: Vec::new(),
    when_to_use: None,
    brief: None,
    default_enabled: None,
};
