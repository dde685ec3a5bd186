//! A [`Skill`] and its parts: the [`Source`] it was found in, its [`Frontmatter`], its state, and who may have it. These types
//! hold data; only `Location` and `ContainedFs` ask a file system. `discovery::manifest` decides how a value may be spelled,
//! and `discovery::resolve` who may see a skill.

mod containment;

pub(crate) use containment::{ContainedFs, Containment};

use crate::fs::{Fs, FsError};
use crate::path::FsPath;
use crate::text::escape::fold;
use crate::text::json::Json;
use crate::text::order::sort_by;
use crate::text::words::{first_sentence, names, shorten, split_list};
use std::fmt;
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
    /// What the skill is called by. In most dialects, each key of a catalog has one skill that is used.
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
    /// Whether the model may see and call it: its flags, its state and overrides have been taken into account.
    pub(crate) is_for_model: bool,
    /// The same of the user.
    pub(crate) is_for_user: bool,
    /// Whether it is switched on: overrides have been taken into account.
    pub state: State,
    /// What decided how it is offered, if that is not its frontmatter alone. Shared, as one entry of a file may decide
    /// about many skills.
    pub decision: Option<Arc<Decision>>,
    /// Whether it is a skill, or has its name and description, only because its file was repaired (rule 4.12).
    pub repaired: bool,
    /// Whether the client may use it or another skill of the same key, which it does not determine (rule 8.12).
    pub undetermined: bool,
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

    /// Whether a caller would be offered the skill by its client, and is not offered it here.
    pub fn withheld_from(&self, caller: Caller) -> bool {
        self.as_read().is_for(caller) && !self.is_for(caller)
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

    /// The short form of the description, on one line: that of the author, cut to 500 characters, or else its first sentence,
    /// cut to 80 (rule 6.17).
    pub fn brief(&self) -> String {
        match &self.frontmatter.triggers().brief {
            Some(brief) => shorten(&fold(brief), AUTHOR_BRIEF_CHARS),
            None => shorten(first_sentence(&fold(self.description())), BRIEF_CHARS),
        }
    }

    /// Whether a caller may see and call the skill: its flags, its state and overrides have been taken into account.
    pub fn is_for(&self, caller: Caller) -> bool {
        match caller {
            Caller::Model => self.is_for_model,
            Caller::User => self.is_for_user,
        }
    }

    /// How the skill is offered to the model, by its frontmatter, its state, and whatever else decides about it.
    pub fn visibility(&self) -> Visibility {
        match self.state {
            State::Disabled => Visibility::Off,
            _ if !self.is_for_model => Visibility::UserOnly,
            _ if self.is_pinned() => Visibility::Pinned,
            _ if self.is_name_only() => Visibility::NameOnly,
            _ => Visibility::Full,
        }
    }

    /// Whether the skill is always in the prompt, as its frontmatter or its user says. One that is listed by name only is
    /// not.
    pub fn is_pinned(&self) -> bool {
        match self.decided() {
            Some(Visibility::Pinned) => true,
            Some(Visibility::NameOnly) => false,
            _ => self.frontmatter.pinned,
        }
    }

    /// Whether the prompt shows the name of the skill without the description.
    pub(crate) fn is_name_only(&self) -> bool {
        self.decided() == Some(Visibility::NameOnly)
    }

    /// Whether the prompt lists the skill although the calls of the model are refused.
    pub(crate) fn is_refused(&self) -> bool {
        let is_refusal = self.decision.as_ref().is_some_and(|decision| decision.is_refusal);
        is_refusal && !self.frontmatter.not_for_model && self.state != State::Disabled
    }

    /// Whether the model sees the skill, even if it may not call it.
    pub(crate) fn is_listed(&self) -> bool {
        self.is_for(Caller::Model) || self.is_refused()
    }

    /// Whether the model does not see the skill only because its state is not active.
    pub(crate) fn is_inactive(&self) -> bool {
        let is_hidden = self.frontmatter.not_for_model || self.decided() == Some(Visibility::UserOnly);
        self.state == State::Enabled && !self.is_for_model && !is_hidden
    }

    /// How the skill is offered, if that is not decided by its frontmatter alone.
    pub(crate) fn decided(&self) -> Option<Visibility> {
        self.decision.as_ref().map(|decision| decision.visibility)
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
    pub(crate) fn now(fs: &dyn Fs, path: &FsPath) -> Result<Location, FsError> {
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

names! { Caller named { Model = "model", User = "user" } }

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
        self.run().scripts().is_none_or(|names| names.iter().any(is_it))
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
    /// Whether it runs as a task of its own, without the history of the conversation (`context: fork`), or in the
    /// conversation (`context: inline`); `None` if it does not say.
    pub fork: Option<bool>,
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
    pub(crate) scripts: ScriptList,
}

impl RunSettings {
    /// The scripts that may be run, in every dialect, by their paths, with or without `scripts/` at the start; `None` for all.
    /// Empty too if the value is not a list of names.
    pub fn scripts(&self) -> Option<&[String]> {
        match &self.scripts {
            ScriptList::Absent => None,
            ScriptList::Names(names) => Some(names),
            ScriptList::Invalid => Some(&[]),
        }
    }
}

/// Which scripts of a skill may be run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ScriptList {
    /// There is no such list, so all scripts may be run.
    #[default]
    Absent,
    Names(Vec<String>),
    /// The value is not a list of names, so no script may be run.
    Invalid,
}

static NO_RUN: RunSettings = RunSettings {
    fork: None,
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

/// How a skill is offered. From the widest to the narrowest, in which order the variants compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// As its frontmatter says, and always in the prompt, before the others.
    Pinned,
    /// As its frontmatter says.
    Full,
    /// The model is shown its name without the description.
    NameOnly,
    /// The model does not see it.
    UserOnly,
    /// Nobody sees or calls it.
    Off,
}

names! { Visibility { Pinned = "pinned", Full = "full", NameOnly = "name-only", UserOnly = "user-only", Off = "off" } }

impl Visibility {
    /// Every visibility, from the widest to the narrowest.
    pub const ALL: &'static [Visibility] =
        &[Visibility::Pinned, Visibility::Full, Visibility::NameOnly, Visibility::UserOnly, Visibility::Off];

    /// The visibility of this name.
    ///
    /// ```
    /// use skilltree::Visibility;
    /// assert_eq!(Visibility::named("name-only"), Some(Visibility::NameOnly));
    /// assert_eq!(Visibility::named("hidden"), None);
    /// ```
    pub fn named(word: &str) -> Option<Visibility> {
        Visibility::ALL.iter().copied().find(|visibility| visibility.as_str() == word)
    }

    /// Whether a skill is offered less than its frontmatter says.
    pub fn is_narrowing(self) -> bool {
        Visibility::Full < self
    }
}

/// Why a skill is offered as it is, where that is not decided by its frontmatter alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// How the skill is offered.
    pub visibility: Visibility,
    /// The reason, to be read after the name of the skill: `switched off by the setting `enabled``.
    pub message: String,
    /// How to change that.
    pub help: Option<String>,
    /// The file that decided; `None` if no file but the skill's own did.
    pub file: Option<FsPath>,
    /// The line in that file, from 1.
    pub line: Option<usize>,
    /// Whether the skill is in the list of the prompt all the same, and only its calls are refused.
    pub is_refusal: bool,
}

impl Decision {
    pub(crate) fn new(visibility: Visibility, message: String) -> Decision {
        Decision { visibility, message, help: None, file: None, line: None, is_refusal: false }
    }

    /// Adds the file and the line that decided.
    #[must_use]
    pub(crate) fn by(self, file: &FsPath, line: Option<usize>) -> Decision {
        Decision { file: Some(file.clone()), line, ..self }
    }

    /// Adds how to change it.
    #[must_use]
    pub(crate) fn with_help(self, help: impl Into<String>) -> Decision {
        Decision { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for Decision {
    /// Writes the reason, and where it stands: `switched off by … (`/home/me/.claude/settings.json`, line 3)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " (`{file}`, line {line})"),
            (Some(file), None) => write!(f, " (`{file}`)"),
            (None, _) => Ok(()),
        }
    }
}

/// A folder that is scanned for skills, or a registered file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The dialect's name for it: `project-sven`.
    pub label: String,
    /// The dialect's name for its scope: `user`, `project`, `ClaudeUser`.
    pub scope: String,
    /// Who its skills come from.
    pub origin: Origin,
    /// The folder that is scanned, or the one registered file.
    pub root: FsPath,
    /// Its rank among the sources: a skill of a higher rank beats one of a lower rank.
    pub rank: usize,
    /// The namespace of skills that do not name one: the name of the plugin.
    pub namespace: Option<String>,
    /// The id of the plugin in the list of installed plugins: `tea@market`.
    pub(crate) plugin: Option<String>,
    /// The path below the project of the folder that holds the source, if it was found on the way to a file that is being
    /// worked on: `apps/web`.
    pub nested_in: Option<String>,
    /// The path of the root with symlinks resolved, if the dialect shows such paths and it is another one.
    pub(crate) real_root: Option<FsPath>,
    /// Where the symlinks of a source that comes with a project may lead; `None` for a source that the user trusts.
    pub(crate) containment: Option<Arc<Containment>>,
}

impl Source {
    /// A view of the file system for this source: symlinks that must not be followed are errors.
    pub(crate) fn files<'a>(&'a self, fs: &'a dyn Fs) -> ContainedFs<'a> {
        ContainedFs::new(fs, self.containment.as_deref())
    }
}

/// Who the skills of a source come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The user: they lie in the home directory.
    User,
    /// The project: they come with its repository, and are not trusted by themselves.
    Project,
    /// The agent: they ship with it.
    Bundled,
    /// A plugin.
    Plugin,
    /// The caller, who names the folder as a search root.
    Extra,
}

/// What a fork may be allowed to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// Use the network.
    Network,
    /// Use the agent's events.
    Events,
    /// Read below a path, as written.
    Read(String),
    /// Write below a path, as written.
    Write(String),
    /// What a tag of the host's own stands for, as written: `@workspace`. Only the same tag includes it.
    Other(String),
}

impl Permission {
    /// Whether this permission includes `other`: the same one, or one for a path below its own. Permission to write
    /// below a path includes permission to read there. Paths are compared as texts: the host has to resolve symlinks.
    ///
    /// ```
    /// use skilltree::Permission;
    /// let held = Permission::parse("@write:/data").unwrap();
    /// assert!(held.covers(&Permission::parse("@read:/data/notes").unwrap()));
    /// assert!(!held.covers(&Permission::parse("@write:/data/../etc").unwrap()));
    /// ```
    pub fn covers(&self, other: &Permission) -> bool {
        let (root, path) = match (self, other) {
            (held, asked) if held == asked => return true,
            (Permission::Read(root) | Permission::Write(root), Permission::Read(path)) => (root, path),
            (Permission::Write(root), Permission::Write(path)) => (root, path),
            _ => return false,
        };
        match (FsPath::new(root), FsPath::new(path)) {
            (Ok(root), Ok(path)) => path.starts_with(&root),
            _ => false,
        }
    }

    /// Its tag, which [`Permission::parse`] reads.
    pub fn tag(&self) -> String {
        match self {
            Permission::Network => "@network".to_owned(),
            Permission::Events => "@events".to_owned(),
            Permission::Read(path) => format!("@read:{path}"),
            Permission::Write(path) => format!("@write:{path}"),
            Permission::Other(tag) => tag.clone(),
        }
    }

    /// The permission that a tag names: `@network`, `@events`, `@read:PATH`, `@write:PATH`, or any other that begins with
    /// `@`. `None` for what is no tag, and for `@read` and `@write` without a path.
    ///
    /// ```
    /// use skilltree::Permission;
    /// assert_eq!(Permission::parse("@workspace"), Some(Permission::Other("@workspace".to_owned())));
    /// assert_eq!(Permission::parse("workspace"), None);
    /// ```
    pub fn parse(tag: &str) -> Option<Permission> {
        let tag = tag.trim();
        let (kind, path) = tag.split_once(':').map_or((tag, None), |(kind, path)| (kind, Some(path.trim())));
        match (kind, path) {
            ("@network", None) => Some(Permission::Network),
            ("@events", None) => Some(Permission::Events),
            ("@read" | "@write", None | Some("")) => None,
            ("@read", Some(path)) => Some(Permission::Read(path.to_owned())),
            ("@write", Some(path)) => Some(Permission::Write(path.to_owned())),
            _ => (kind.len() > 1 && kind.starts_with('@')).then(|| Permission::Other(tag.to_owned())),
        }
    }
}

/// The conventional folders for the resources of a skill (rule 18.1).
pub(crate) const RESOURCE_FOLDERS: [&str; 3] = ["scripts", "references", "assets"];

/// Ends each name: no path contains this character.
const END: char = '\0';

/// The names of files, relative to the skill's folder, in byte order. They share one allocation, as they are stored for
/// thousands of skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceNames(Box<str>);

impl ResourceNames {
    /// The names of the files in one of the resource folders.
    pub(crate) fn in_folder<'n>(&'n self, folder: &'n str) -> impl Iterator<Item = &'n str> {
        let is_in = move |name: &&str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.0.split_terminator(END).filter(is_in)
    }
}

/// Collects [`ResourceNames`], folder by folder in any order.
#[derive(Default)]
pub(crate) struct ResourceList(String);

impl ResourceList {
    /// Adds the files of a folder, unless it has been added already.
    pub(crate) fn add<'n>(&mut self, folder: &str, files: impl Iterator<Item = &'n str>) {
        let is_there = |name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        if self.0.split_terminator(END).any(is_there) {
            return;
        }
        for file in files {
            [folder, "/", file].iter().for_each(|part| self.0.push_str(part));
            self.0.push(END);
        }
    }

    pub(crate) fn done(self) -> ResourceNames {
        let mut names: Vec<&str> = self.0.split_terminator(END).collect();
        if names.is_sorted() {
            return ResourceNames(self.0.into_boxed_str());
        }
        sort_by(&mut names, Ord::cmp);
        let mut sorted = String::with_capacity(self.0.len());
        for name in names {
            sorted.push_str(name);
            sorted.push(END);
        }
        ResourceNames(sorted.into_boxed_str())
    }
}
