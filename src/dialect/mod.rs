//! The types of a dialect: the table that describes a skill system. What differs between skill systems by value is a
//! field, what differs by behaviour is a small closed enum, and what differs by wording is a template. The tables
//! themselves are in `builtin`, one file for each system (Claude Code's rules are in `builtin/claude.rs`). This module
//! only holds data: what the rules do is decided in the layers above, each rule in one place.

mod builtin;
mod call_wording;
mod fields;
mod wording;

pub use call_wording::CallWording;
pub(crate) use fields::{COMMON_FIELDS, RESTRICTING_FIELDS};
pub use fields::{Field, FieldRole, Necessity};

pub use wording::{
    AppendArguments, Budget, Choices, CommandNaming, CommandsRule, Escape, FilePath, ForkRule, ForkWhen, KnowledgeRule,
    LoadRule, Overflow, PromptRule, ShellRule, Substitution, ToolRule, Trim, Variable, WhenEmpty, Whitespace,
};

use crate::diagnostic::Code;
use crate::model::skill::{Origin, State};
use crate::text::template::Template;
use std::borrow::Cow;
use std::sync::Arc;

/// The names of the built-in dialects, the default first.
pub const NAMES: &[&str] = &["agentskills", "sven", "agent-base", "gencode", "pegasus", "daycare", "claude"];

/// The built-in dialect of this name.
///
/// ```
/// assert_eq!(skilltree::dialect("sven").unwrap().name, "sven");
/// assert!(skilltree::dialect("latin").is_none());
/// ```
pub fn dialect(name: &str) -> Option<Arc<Dialect>> {
    // Constants, so that the tables are data, and no code that puts them together.
    let table = match name {
        "agentskills" => const { builtin::agentskills() },
        "sven" => const { builtin::sven() },
        "gencode" => const { builtin::gencode() },
        "agent-base" => const { builtin::agent_base() },
        "daycare" => const { builtin::daycare() },
        "pegasus" => const { builtin::pegasus() },
        "claude" => const { builtin::claude() },
        _ => return None,
    };
    Some(Arc::new(table))
}

/// The table that describes one skill system. Its texts are either constants of the program or owned.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dialect {
    /// Its name: `claude`.
    pub name: Cow<'static, str>,
    /// What it is, in one line: `Claude Code: commands named by folder, arguments, …`.
    pub about: Cow<'static, str>,
    /// The folders that are searched, from lowest to highest precedence: of two skills with one key, that of the later
    /// source is used.
    pub sources: Cow<'static, [SourceRule]>,
    /// How the folders of a source are scanned: `depth: Some(1)` finds `skills/pdf/SKILL.md` only.
    pub scan: ScanRule,
    /// What a SKILL.md without frontmatter is: `MissingFrontmatter::Load` makes it a skill.
    pub missing_frontmatter: MissingFrontmatter,
    /// What is used where the description is missing: `DescriptionFallback::FirstParagraph` of the body.
    pub description_fallback: DescriptionFallback,
    /// The fields that are read besides the common ones: `user-invocable` with the meaning [`FieldRole::ForUser`].
    pub fields: Cow<'static, [Field]>,
    /// How long fields may be: a name at most 64 characters.
    pub limits: Cow<'static, [Limit]>,
    /// Which characters a name may have: `Some(NameForm::LowerHyphen)`; `None` for any.
    pub name_form: Option<NameForm>,
    /// Whether the name must be that of the folder: `pdf/SKILL.md` must have `name: pdf`.
    pub name_is_folder: bool,
    /// Whether a version must be a semantic version, such as `1.0.0`.
    pub version_is_semver: bool,
    /// The findings that break a rule of the system's own document, and so are errors in `check`: `Code::NameInvalid`.
    pub rule_codes: Cow<'static, [Code]>,
    /// What makes the key of a skill, by which it is called: `KeyRule::Folder` gives `pdf` for `skills/pdf/SKILL.md`.
    pub key: KeyRule,
    /// Which of two skills with the same key in the same source is used: `TieBreak::First` by path.
    pub tie_break: TieBreak,
    /// What a skill is found by besides its key: `Lookup::LastPart` finds `git:pr` by `pr`.
    pub lookup: Lookup,
    /// The order of skills in a catalog: `Order::Key`.
    pub order: Order,
    /// Which skills are children of which: `ChildRule::ByKey` makes `a/b` a child of `a`.
    pub children: ChildRule,
    /// What the field for allowed tools does: `ToolsRule::Grants`.
    pub allowed_tools: ToolsRule,
    /// The list of skills in the system prompt.
    pub prompt: PromptRule,
    /// The text that a skill is loaded as.
    pub load: LoadRule,
    /// The tool by which a model loads a skill, such as `load_skill`; `None` if there is none.
    pub tool: Option<ToolRule>,
    /// The commands by which a user invokes a skill, such as `/pdf`; `None` if there are none.
    pub commands: Option<CommandsRule>,
    /// Where knowledge files lie that skills point to, such as `.sven/knowledge`; `None` if there are none.
    pub knowledge: Option<KnowledgeRule>,
    /// The states that a user gives to skills, such as `disable`; `None` if there are none.
    pub states: Option<StateRule>,
    /// How skills are selected by the user's message; `None` if they are not.
    pub selection: Option<SelectRule>,
    /// Where skills are copied before they are used, such as `skills/active`; `None` if they are used where they lie.
    pub activation: Option<ActivationRule>,
}

/// A source: a folder in which skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRule {
    /// The folder that `path` starts from: `Base::Home`.
    pub base: Base,
    /// The path of the source below the base: `.claude/skills`.
    pub path: Cow<'static, str>,
    /// A path below the project that is used if the caller names no such base: `src/_bundled_skills`.
    pub project_fallback: Option<Cow<'static, str>>,
    /// What the folder holds: `SourceKind::Folders`.
    pub kind: SourceKind,
    /// The label of the source, unique in the table: `project-claude`.
    pub label: Cow<'static, str>,
    /// The scope of the source in the skill system's own words: `ClaudeUser`.
    pub scope: Cow<'static, str>,
    /// Who the skills come from: `Origin::Project`.
    pub origin: Origin,
}

/// The folder that a source starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Base {
    /// The user's home directory: [`Places::home`](crate::Places::home).
    Home,
    /// The project: [`Places::project`](crate::Places::project).
    Project,
    /// The skills that ship with the agent: [`Places::bundled`](crate::Places::bundled).
    Bundled,
    /// The agent's configuration folder: [`Places::config`](crate::Places::config).
    Config,
    /// The user's folder, if that is not the home directory: [`Places::user`](crate::Places::user).
    User,
    /// None, as the caller registers each file or folder: [`Places::registered`](crate::Places::registered).
    Registered,
}

/// What a source holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// Folders of skills: `pdf/SKILL.md` below the root.
    Folders,
    /// Plugins, each with a folder of skills: `*/skills` below the root, and the install paths in the file
    /// `installed_plugins.json` of the root.
    Plugins,
    /// One skill: the root is a SKILL.md, or a folder that holds one.
    Files,
}

/// How the folders of a source are scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRule {
    /// How many levels of folders below the root may hold skills: `Some(1)` for `pdf/SKILL.md` only; `None` for any.
    pub depth: Option<usize>,
    /// What a SKILL.md directly in the root is: `RootSkill::Refused`.
    pub root: RootSkill,
    /// Names of folders directly below the root that belong to the skill system and are not entered, in any letter
    /// case: `synced`.
    pub reserved: Cow<'static, [Cow<'static, str>]>,
}

/// What a SKILL.md directly in the root of a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootSkill {
    /// Not a skill: it is reported.
    Refused,
    /// A skill like any other.
    Accepted,
}

/// What a SKILL.md without frontmatter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingFrontmatter {
    /// Not a skill.
    Skip,
    /// A skill whose body is the whole text.
    Load,
}

/// What is used where the description is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DescriptionFallback {
    /// Nothing.
    None,
    /// The first Markdown paragraph of the body (rule 6.16).
    FirstParagraph,
}

/// The greatest length of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The field: `FieldRole::Name`. Limits of `Name`, `Description`, `Compatibility` and `Brief` are checked.
    pub role: FieldRole,
    /// How many characters it may have: 64.
    pub max_chars: usize,
}

/// Which characters a name may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameForm {
    /// Lower-case letters and digits of any script, with single hyphens between them (rule 7.2): `pdf-forms`.
    LowerHyphen,
    /// ASCII letters and digits, and hyphens: `PDF-forms`.
    AsciiHyphen,
    /// Lower-case ASCII letters and digits, and hyphens, but no hyphen at the start: `pdf--forms`.
    LowerAsciiHyphen,
}

/// What makes the key of a skill. The examples are for `skills/git/pr/SKILL.md` with the frontmatter `name: open-pr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyRule {
    /// The path of its folder below the source: `git/pr`.
    RelativePath,
    /// The name in the frontmatter, or else the name of its folder: `open-pr`.
    Name,
    /// The name of its folder, while the name in the frontmatter is a label: `pr`.
    Folder,
    /// The namespace in the frontmatter, or else that of the source, a colon, and the name: `git:open-pr`. The name
    /// alone if there is no namespace.
    NamespacedName,
    /// The label of the source, a colon, and the path of its folder below the source: `user:git/pr`. The skill is shown
    /// under the name of its folder, and is found by the name in the frontmatter too.
    LabelledPath,
}

/// Which of two skills with the same key in the same source is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TieBreak {
    /// The first by path.
    First,
    /// The last by path.
    Last,
}

/// What a skill is found by besides its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lookup {
    /// Nothing.
    Key,
    /// The part of the key after its last colon, in any letter case: `pr` for `git:pr`. If several skills match, the
    /// request is ambiguous.
    LastPart,
    /// The name that it is shown under, then the name in the frontmatter, the source of the highest precedence first;
    /// then key and names in any letter case; then the path of its SKILL.md.
    NameOrPath,
}

/// The order of skills in a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// By key, in byte order.
    Key,
    /// By source from lowest to highest, then by name. A skill that shadows one of a lower source takes its position.
    SourceThenName,
    /// By name, then by path.
    NameThenPath,
}

/// Which skills are children of which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildRule {
    /// A skill is the child of the skill with the longest key that is a prefix of its own: `a/b` of `a`.
    ByKey,
    /// A skill is the child of the skill in the nearest folder above its own.
    ByFolder,
}

/// What the field for allowed tools does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolsRule {
    /// Nothing: it is kept as data.
    Ignored,
    /// The listed tools may be used without asking, if the source is trusted.
    Grants,
    /// Only the listed tools may be used while the skill is active.
    Restricts,
}

/// The states that a user gives to skills, which are stored in two JSON files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRule {
    /// The path of the user's file below the home directory: `.gen/skills.json`.
    pub user_store: Cow<'static, str>,
    /// The path of the project's file below the project: `.gen/skills.json`. For each skill it beats the user's file.
    pub project_store: Cow<'static, str>,
    /// The state of a skill that neither file names: `State::Enabled`.
    pub default: State,
}

/// How skills are selected by the user's message.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectRule {
    /// How many of the skills that match are shown in full: 3.
    pub max: usize,
    /// The questions that are answered with the list of all skills, in lower case: `what * skills`. The words must
    /// appear in one sentence in this order; `*` stands for a few other words, or none.
    pub list_questions: Cow<'static, [Cow<'static, str>]>,
    /// The text that is shown if no skill matches: `[{count} skills available]`. Hole: `count`.
    pub breadcrumb: Template,
    /// The text before the skills that are shown in full: `## Relevant Skill Documentation`.
    pub header: Cow<'static, str>,
    /// One skill in full: `### {name}{?body}\n\n{body}{/}`. Holes: `name`, `body`.
    pub document: Template,
}

/// Where skills are copied before they are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivationRule {
    /// The path of the folder with the copies below the user's folder: `skills/active`.
    pub dir: Cow<'static, str>,
    /// What replaces `:` and `/` of the key in the name of a copy: `--` makes `core--pdf` of `core:pdf`.
    pub separator: Cow<'static, str>,
    /// Whether the copies are brought up to date before each call of the load tool.
    pub before_calls: bool,
}
