//! Types only: what may differ between skill systems, as data. Values are fields, behaviours are small closed
//! enums matched without `_` in exactly one room, wordings are templates whose holes may be empty.
//! The tables are below `dialect/`, one a file; no room but this one knows their names. Absent: any `if`.

mod builtin;
mod fields;
mod wording;

pub(crate) use fields::COMMON_FIELDS;
pub use fields::{Field, FieldRole, Necessity};

pub use wording::{
    Append, Budget, Choices, CommandRule, Escape, FilePath, ForkRule, ForkWhen, KnowledgeRule, LoadRule, Naming,
    Overflow, PromptRule, SlashRule, Substitution, ToolRule, Trim, Variable, WhenEmpty, Whitespace,
};

use crate::diagnostic::Code;
use crate::model::skill::{Origin, State};
use crate::text::template::Template;
use std::borrow::Cow;
use std::sync::Arc;

/// The dialects, the default first.
pub const NAMES: &[&str] = &["agentskills", "sven", "agent-base", "gencode", "pegasus", "daycare", "claude"];

/// The dialect of this name.
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

/// One skill system, as a table over the one pipeline. Its texts are the program's, or owned, so that one can come from a
/// file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dialect {
    /// Its name.
    pub name: Cow<'static, str>,
    /// What it is, in one line.
    pub about: Cow<'static, str>,
    /// Where skills lie, from lowest to highest precedence.
    pub sources: Cow<'static, [SourceRule]>,
    /// How a source is scanned.
    pub scan: ScanRule,
    /// What a file without frontmatter is.
    pub missing_frontmatter: MissingFrontmatter,
    /// What stands in for a description that is missing.
    pub description_fallback: DescriptionFallback,
    /// Which fields are read, besides the common ones.
    pub fields: Cow<'static, [Field]>,
    /// The limits of fields.
    pub limits: Cow<'static, [Limit]>,
    /// What a name may look like.
    pub name_form: Option<NameForm>,
    /// Whether the name must be the folder's.
    pub name_is_folder: bool,
    /// Whether a version must be a semantic version.
    pub version_is_semver: bool,
    /// Findings that break a rule of the system's own document: errors in `check`.
    pub rules: Cow<'static, [Code]>,
    /// What a skill is called by.
    pub key: KeyRule,
    /// Which of two skills of one key in one source wins.
    pub tie_break: TieBreak,
    /// By what else it is found.
    pub lookup: Lookup,
    /// The order of a catalog.
    pub order: Order,
    /// Which skills are children of which.
    pub children: ChildRule,
    /// What `allowed-tools` means.
    pub tools: ToolsRule,
    /// The section for the system prompt.
    pub prompt: PromptRule,
    /// The text that loading a skill gives.
    pub load: LoadRule,
    /// The tool by which a model loads one.
    pub tool: Option<ToolRule>,
    /// The commands by which a user invokes one.
    pub slash: Option<SlashRule>,
    /// Pointers to knowledge files.
    pub knowledge: Option<KnowledgeRule>,
    /// States that a user gives to skills.
    pub states: Option<StateRule>,
    /// Choosing skills by what the user says.
    pub matching: Option<MatchRule>,
    /// Copies for use.
    pub activation: Option<ActivationRule>,
}

/// A place to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRule {
    /// The folder that `path` starts from.
    pub base: Base,
    /// A relative path below the base.
    pub path: Cow<'static, str>,
    /// A path below the project, for when the caller names no such base.
    pub otherwise: Option<Cow<'static, str>>,
    /// What lies there.
    pub reading: SourceKind,
    /// The source's label.
    pub label: Cow<'static, str>,
    /// The source's scope, in the dialect's word.
    pub scope: Cow<'static, str>,
    /// Whose it is.
    pub level: Origin,
}

/// The folder that a source starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Base {
    /// The user's home directory.
    Home,
    /// The project.
    Project,
    /// The skills that ship with the agent.
    Bundled,
    /// The agent's configuration folder.
    Config,
    /// The user's folder, where it is not the home directory.
    User,
    /// Nowhere: the caller registers each file.
    Registered,
}

/// What lies at a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// Folders of skills.
    Folders,
    /// Plugins: `*/skills` below it, and the install paths of `installed_plugins.json` in it.
    Plugins,
    /// Single files, or folders that hold one.
    Files,
}

/// How a source is scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRule {
    /// How many levels below the root hold skills; none: any.
    pub depth: Option<usize>,
    /// What a SKILL.md at the root itself is.
    pub root: RootSkill,
    /// Names of folders just below the root that are the system's own and not entered, whatever their letter case.
    pub reserved: Cow<'static, [Cow<'static, str>]>,
}

/// What a SKILL.md at a source's own root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootSkill {
    /// Not a skill, with a finding.
    Refused,
    /// A skill like any other.
    Taken,
}

/// What a file without frontmatter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingFrontmatter {
    /// No skill.
    Skip,
    /// A skill whose body is the whole text.
    Load,
}

/// What stands in for a description that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DescriptionFallback {
    /// Nothing.
    AsWritten,
    /// The first Markdown paragraph of the body (decisions 39).
    FirstParagraph,
}

/// A limit on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The field.
    pub slot: FieldRole,
    /// How many characters it may have.
    pub max_chars: usize,
}

/// What a name may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameForm {
    /// Lower-case letters and digits of any script, and single hyphens between them (spec S3–S5).
    LowerHyphen,
    /// ASCII letters and digits, and hyphens.
    AsciiHyphen,
    /// Lower-case ASCII letters and digits, and hyphens that do not come first.
    LowerAsciiHyphen,
}

/// What a skill is called by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyRule {
    /// The folder's path below its source.
    RelativePath,
    /// The name, else the folder's name.
    Name,
    /// The folder's name; the name is a label.
    Folder,
    /// `namespace:name`, or the name alone.
    NamespacedName,
    /// The source's label, a colon, and the folder's path below the source; the name is the folder's, and the
    /// frontmatter's an alias.
    LabelledPath,
}

/// Which of two skills of one key in one source wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TieBreak {
    /// The first by path.
    First,
    /// The last by path.
    Last,
}

/// By what a skill is found, besides its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lookup {
    /// Nothing.
    Key,
    /// The part of the key after its last colon, without regard to letter case; more than one is ambiguous.
    LastPart,
    /// The name, then the frontmatter's, each in the order of sources; then all without regard to letter case;
    /// then the path of its file.
    NameOrPath,
}

/// The order of a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// By key, in bytes.
    Key,
    /// By source from low to high, then name; a replaced skill keeps the place of the one it replaces.
    SourceThenName,
    /// By name, then path.
    NameThenPath,
}

/// Which skills are children of which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildRule {
    /// Those whose key goes on after `key/`, without a skill in between.
    ByKey,
    /// Those whose nearest folder above that holds a skill in use is this one's.
    ByFolder,
}

/// What `allowed-tools` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolsRule {
    /// Nothing: it is kept as data.
    Ignored,
    /// These may be used without asking, if the source is trusted.
    Grants,
    /// Only these may be used while the skill is active.
    Restricts,
}

/// States that a user gives to skills, kept in two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRule {
    /// The user's store, below the home directory.
    pub user_store: Cow<'static, str>,
    /// The project's store, below the project; it beats the user's, skill by skill.
    pub project_store: Cow<'static, str>,
    /// The state of a skill that no store names.
    pub default: State,
}

/// Choosing skills by what the user says.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchRule {
    /// How many skills are given in full.
    pub max: usize,
    /// Questions for the list, in lower case: each a run of words that must all come in one sentence, in this order;
    /// `*` between words stands for a few others, or none.
    pub list_questions: Cow<'static, [Cow<'static, str>]>,
    /// The text when skills are there and none matches. Hole: `count`.
    pub breadcrumb: Template,
    /// What stands before the skills given in full.
    pub header: Cow<'static, str>,
    /// One skill in full. Holes: `name`, `body`.
    pub document: Template,
}

/// Copies for use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivationRule {
    /// Where the copies lie below the user's folder.
    pub dir: Cow<'static, str>,
    /// What a character that may not stand in a copy's name becomes, for `:` and `/`.
    pub separator: Cow<'static, str>,
    /// Whether the copies in the user's folder are brought up to date before each call of the load tool.
    pub before_calls: bool,
}

/// A text of a table.
const fn text(text: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(text)
}

/// A part of a table that has several rows.
const fn rows<T: Clone>(rows: &'static [T]) -> Cow<'static, [T]> {
    Cow::Borrowed(rows)
}

/// A row of a field table.
const fn field(path: &'static str, slot: FieldRole, need: Necessity) -> Field {
    Field { path: text(path), slot, need }
}

/// A row of a source table.
const fn source(base: Base, path: &'static str, label: &'static str, scope: &'static str, level: Origin) -> SourceRule {
    read_as(SourceKind::Folders, base, path, label, scope, level)
}

/// The same, of what lies there.
const fn read_as(
    reading: SourceKind,
    base: Base,
    path: &'static str,
    label: &'static str,
    scope: &'static str,
    level: Origin,
) -> SourceRule {
    SourceRule { base, path: text(path), otherwise: None, reading, label: text(label), scope: text(scope), level }
}

/// The skills that ship with the agent, which lie in the project when the caller names no base.
const fn bundled(label: &'static str, otherwise: &'static str) -> SourceRule {
    SourceRule {
        base: Base::Bundled,
        path: text(""),
        otherwise: Some(text(otherwise)),
        reading: SourceKind::Folders,
        label: text(label),
        scope: text("bundled"),
        level: Origin::Bundled,
    }
}
