//! The nouns: [`Skill`], the [`Source`] it came from, its [`Frontmatter`]. Data only; rooms above fill and read them.
//! After `manifest` nobody asks how a value was spelled, and after `resolve` nobody asks why a skill may be seen.

mod containment;
mod permission;
mod resource_names;
mod source;

pub(crate) use containment::{ContainedFs, Containment};
pub use permission::Permission;
pub(crate) use resource_names::{RESOURCE_FOLDERS, ResourceList, ResourceNames};
pub use source::{Origin, Source};

use crate::path::FsPath;
use crate::text::escape::fold;
use crate::text::json::Json;
use crate::text::words::{first_sentence, shorten, split_list};
use std::sync::Arc;

/// How many characters the short form of a description has at most (decisions 38).
const BRIEF_CHARS: usize = 80;

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
    /// Where the links of its folder led when it was found; none when the folder's path had none in it.
    pub(crate) folder: Option<FsPath>,
    /// The files of its conventional folders; none where discovery was not to keep them, or did not see them all.
    pub(crate) resources: Option<ResourceNames>,
    /// What the frontmatter says.
    pub frontmatter: Arc<Frontmatter>,
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

    /// The same skill, whose folder has the real path of `path`'s. `target` is where links of the file itself lead.
    #[must_use]
    pub fn with_location(&self, path: FsPath, target: Option<FsPath>) -> Skill {
        Skill { path, target, folder: None, resources: None, ..self.clone() }
    }

    /// Where its files are, as links led when it was found.
    pub(crate) fn location(&self) -> Location {
        let file = self.target.as_ref().unwrap_or(&self.path).clone();
        Location { path: self.path.clone(), dir: self.folder.clone().unwrap_or_else(|| self.dir()), file }
    }

    /// The description, or nothing.
    pub fn description(&self) -> &str {
        self.frontmatter.description.as_deref().unwrap_or("")
    }

    /// The short form of the description, on one line: the author's own, else its first sentence (decisions 38).
    pub fn brief(&self) -> String {
        match &self.frontmatter.triggers().brief {
            Some(brief) => shorten(&fold(brief), BRIEF_CHARS),
            None => shorten(first_sentence(&fold(self.description())), BRIEF_CHARS),
        }
    }

    /// Whether this caller may see and call it.
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
    /// The SKILL.md as found, links not resolved.
    pub(crate) path: FsPath,
    /// The real path of its folder.
    pub(crate) dir: FsPath,
    /// The real path of the SKILL.md. It lies elsewhere where the file itself is a link.
    pub(crate) file: FsPath,
}

impl Location {
    /// Where the files of the skill of this SKILL.md are, as links lead now.
    pub(crate) fn now(fs: &dyn crate::fs::Fs, path: &FsPath) -> Result<Location, crate::fs::FsError> {
        let dir = path.parent().unwrap_or_else(FsPath::root);
        Ok(Location { path: path.clone(), dir: fs.canonical(&dir)?, file: fs.canonical(path)? })
    }
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
    /// On. Where a dialect has states: for the user alone.
    Enabled,
    /// On, and for the model too. Only where a dialect has states.
    Active,
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
pub struct Frontmatter {
    /// The name as written, trimmed.
    pub name: Option<String>,
    /// The description, trimmed.
    pub description: Option<String>,
    /// The version as written.
    pub version: Option<String>,
    /// The licence.
    pub license: Option<String>,
    /// The tools it declares, one rule each. What counts is computed when answered.
    pub allowed_tools: Option<Vec<String>>,
    /// Always in the prompt.
    pub pinned: bool,
    /// Not for the model.
    pub not_for_model: bool,
    /// Not for the user.
    pub not_for_user: bool,
    /// The part of the key before the colon, where a dialect has one.
    pub namespace: Option<String>,
    /// The map `metadata`, in source order. Scalars are texts as they were written, and `null` where nothing is.
    pub metadata: Vec<(String, Json)>,
    /// The fields that no table knows, in source order, so that a host can read its own. Values as in `metadata`.
    pub other: Vec<(String, Json)>,
    /// What it needs. Boxed, as most skills say nothing of it.
    pub(crate) needs: Option<Box<Needs>>,
    /// How it is run. Boxed for the same reason.
    pub(crate) run: Option<Box<RunSettings>>,
    /// What it is matched by. Boxed for the same reason.
    pub(crate) triggers: Option<Box<Triggers>>,
}

impl Frontmatter {
    /// What the skill needs; nothing where it says nothing.
    pub fn needs(&self) -> &Needs {
        self.needs.as_deref().unwrap_or(&NO_NEEDS)
    }

    /// How the skill is run; the default where it says nothing.
    pub fn run(&self) -> &RunSettings {
        self.run.as_deref().unwrap_or(&NO_RUN)
    }

    /// What the skill is matched by; nothing where it says nothing.
    pub fn triggers(&self) -> &Triggers {
        self.triggers.as_deref().unwrap_or(&NO_TRIGGERS)
    }

    /// Whether a script, by its path below `scripts/`, may be run as far as its list goes.
    pub fn lets_run(&self, script: &str) -> bool {
        let is_it = |listed: &String| {
            let listed = listed.strip_prefix("./").unwrap_or(listed);
            listed == script || listed.strip_prefix("scripts/") == Some(script)
        };
        self.run().scripts.names().is_none_or(|names| names.iter().any(is_it))
    }

    /// The environment variables that it requires, which what it runs may see where the host trusts it. A field
    /// `requires_env` names them also where the dialect has no such requirement, and does not ask for them.
    pub fn variables(&self) -> Vec<String> {
        let mut variables = Vec::new();
        for need in &self.needs().requires {
            let Requirement::Env(name) = need else { continue };
            variables.push(name.clone());
        }
        for (_, value) in self.other.iter().filter(|(name, _)| name == "requires_env") {
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
    /// In words.
    pub compatibility: Option<String>,
    /// What the machine must have.
    pub requires: Vec<Requirement>,
    /// Knowledge files to point to.
    pub knowledge: Vec<String>,
}

static NO_NEEDS: Needs = Needs { compatibility: None, requires: Vec::new(), knowledge: Vec::new() };

/// How a skill is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunSettings {
    /// In the conversation, or apart from it.
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
    /// The tools it asks to be without.
    pub disallowed_tools: Option<Vec<String>>,
    /// Patterns of files at which it comes into play.
    pub paths: Vec<String>,
    /// Whether it runs in a fork that holds nothing but its declared permissions.
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
    /// Nothing is said: all that are there.
    #[default]
    Absent,
    /// These, by their paths below `scripts/`, which may stand before them.
    Names(Vec<String>),
    /// Something is said that is no list of names: none.
    Unclear,
}

impl ScriptList {
    /// Those that are listed; nothing without a list.
    pub fn names(&self) -> Option<&[String]> {
        match self {
            ScriptList::Absent => None,
            ScriptList::Names(names) => Some(names),
            ScriptList::Unclear => Some(&[]),
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
    /// In a task of its own, without history.
    Fork,
}

/// What a skill is matched by.
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
    pub when: Option<String>,
    /// The short form of the description, where the author wrote one.
    pub brief: Option<String>,
    /// Whether a bundled skill is on without being asked for.
    pub default_enabled: Option<bool>,
}

static NO_TRIGGERS: Triggers = Triggers {
    keywords: Vec::new(),
    verbs: Vec::new(),
    patterns: Vec::new(),
    when: None,
    brief: None,
    default_enabled: None,
};
