//! Types only: what may differ between skill systems, as data. Values are fields, behaviours are small closed
//! enums matched without `_` in exactly one room, wordings are templates whose holes may be empty.
//! The tables are below `dialect/`, one a file; no room but this one knows their names. Absent: any `if`.

mod agentskills;
mod sven;
mod wording;

pub use wording::{
    Budget, Choices, Escape, FilePath, Fit, KnowledgeRule, LoadRule, Naming, PromptRule, SlashRule, Space, ToolRule,
    Trim, WhenEmpty,
};

use crate::diagnostic::Code;
use crate::skill::Level;
use std::sync::Arc;

/// The dialects, the default first.
pub const NAMES: &[&str] = &["agentskills", "sven"];

/// The dialect of this name.
///
/// ```
/// assert_eq!(skilltree::dialect("sven").unwrap().name, "sven");
/// assert!(skilltree::dialect("latin").is_none());
/// ```
pub fn dialect(name: &str) -> Option<Arc<Dialect>> {
    let table = match name {
        "agentskills" => agentskills::agentskills(),
        "sven" => sven::sven(),
        _ => return None,
    };
    Some(Arc::new(table))
}

/// One skill system, as a table over the one pipeline. It owns its strings, so that one can come from a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dialect {
    /// Its name.
    pub name: String,
    /// What it is, in one line.
    pub about: String,
    /// Where skills lie, from lowest to highest precedence.
    pub sources: Vec<SourceRule>,
    /// How a source is scanned.
    pub scan: ScanRule,
    /// What a file without frontmatter is.
    pub bare: Bare,
    /// Which fields are read, besides the common ones.
    pub fields: Vec<Field>,
    /// The limits of fields.
    pub limits: Vec<Limit>,
    /// What a name may look like.
    pub name_form: Option<NameForm>,
    /// Whether the name must be the folder's.
    pub name_is_folder: bool,
    /// Whether a version must be a semantic version.
    pub version_is_semver: bool,
    /// Findings that break a rule of the system's own document: errors in `check`.
    pub rules: Vec<Code>,
    /// What a skill is called by.
    pub key: KeyRule,
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
}

/// A place to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRule {
    /// The folder that `path` starts from.
    pub base: Base,
    /// A relative path below the base.
    pub path: String,
    /// The source's label.
    pub label: String,
    /// The source's scope, in the dialect's word.
    pub scope: String,
    /// Whose it is.
    pub level: Level,
}

/// The folder that a source starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Base {
    /// The user's home directory.
    Home,
    /// The project.
    Project,
}

/// How a source is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanRule {
    /// How many levels below the root hold skills; none: any.
    pub depth: Option<usize>,
    /// What a SKILL.md at the root itself is.
    pub root: RootSkill,
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
pub enum Bare {
    /// No skill.
    Skip,
}

/// A field of the frontmatter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key; a dot leads into a map: `sven.always`.
    pub path: String,
    /// What it says.
    pub slot: Slot,
    /// Whether it must be there.
    pub need: Need,
}

/// What a field says. Its kind (text, flag, list, map) follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Slot {
    /// The name.
    Name,
    /// The description.
    Description,
    /// The version.
    Version,
    /// The licence.
    License,
    /// What the skill needs around it.
    Compatibility,
    /// A map of the author's own.
    Metadata,
    /// A list of tools.
    AllowedTools,
    /// What to type after the command.
    ArgumentHint,
    /// A flag: always in the prompt.
    Pinned,
    /// A flag: not for the model.
    NotForModel,
    /// A flag: for the user (true when absent).
    ForUser,
    /// A list of programs that must be there.
    NeedsBins,
    /// A list of environment variables that must be set.
    NeedsEnv,
    /// A list of knowledge files.
    Knowledge,
    /// Withdrawn, with what to do instead.
    Removed(String),
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Without it there is no skill.
    Required,
    /// Without it there is a finding.
    Expected,
    /// It may be absent.
    Optional,
}

/// A limit on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The field.
    pub slot: Slot,
    /// How many characters it may have.
    pub max_chars: usize,
}

/// What a name may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameForm {
    /// Lower-case letters and digits of any script, and single hyphens between them (spec S3–S5).
    LowerHyphen,
}

/// What a skill is called by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyRule {
    /// The folder's path below its source.
    RelativePath,
    /// The name, else the folder's name.
    Name,
}

/// The order of a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// By key, in bytes.
    Key,
    /// By source from low to high, then name; a replaced skill keeps the place of the one it replaces.
    SourceThenName,
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
}

/// The fields that every dialect reads (decisions 4), unless its own table names the key.
pub(crate) const COMMON_FIELDS: &[(&str, Slot)] = &[
    ("name", Slot::Name),
    ("description", Slot::Description),
    ("version", Slot::Version),
    ("license", Slot::License),
    ("compatibility", Slot::Compatibility),
    ("metadata", Slot::Metadata),
    ("allowed-tools", Slot::AllowedTools),
    ("argument-hint", Slot::ArgumentHint),
];

impl Dialect {
    /// What a key of the frontmatter says: by the dialect's own table, else by the common one.
    pub(crate) fn slot(&self, path: &str) -> Option<&Slot> {
        let own = self.fields.iter().find(|field| field.path == path).map(|field| &field.slot);
        own.or_else(|| COMMON_FIELDS.iter().find(|(common, _)| *common == path).map(|(_, slot)| slot))
    }
}

/// A row of a field table.
fn field(path: &str, slot: Slot, need: Need) -> Field {
    Field { path: path.to_owned(), slot, need }
}

/// A row of a source table.
fn source(base: Base, path: &str, label: &str, scope: &str, level: Level) -> SourceRule {
    SourceRule { base, path: path.to_owned(), label: label.to_owned(), scope: scope.to_owned(), level }
}
