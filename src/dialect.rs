//! Types only: what may differ between skill systems, as data. Values are fields, behaviours are small closed
//! enums matched without `_` in exactly one room, wordings are templates whose holes may be empty.
//! The tables are below `dialect/`, one a file; no room but this one knows their names. Absent: any `if`.

mod agentskills;
mod sven;

use crate::diagnostic::Code;
use crate::skill::Level;
use crate::text::template::Template;
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

/// The section for the system prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptRule {
    /// How to use the list, for the model.
    pub guidance: String,
    /// What stands before the rows; part of the cost.
    pub open: String,
    /// One row. Holes: `key`, `name`, `description`, `location`.
    pub row: Template,
    /// What stands after the rows; part of the cost.
    pub close: String,
    /// The row when nothing but names fits.
    pub bare_row: Template,
    /// How what is inserted is escaped.
    pub escape: Escape,
    /// What becomes of white space in descriptions.
    pub space: Space,
    /// How large the list may be.
    pub budget: Budget,
    /// What happens when it is larger.
    pub fit: Fit,
    /// The sentence when skills were left out. Holes: `shown`, `total`.
    pub notice: Template,
    /// The whole. Holes: `guidance`, `list`, `notice`.
    pub layout: Template,
}

/// How inserted text is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Escape {
    /// `&`, `<`, `>`; in attributes also `"`.
    Xml,
}

/// What becomes of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// It stays.
    Keep,
    /// Every run of it becomes one space.
    Fold,
}

/// How large a list may be, in characters (Unicode scalar values).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// So many.
    Chars(usize),
    /// A share of the context window at four characters a token, or a fixed number when it is unknown.
    Window {
        /// Hundredths of the window.
        percent: usize,
        /// When the window is unknown.
        otherwise: usize,
    },
}

/// What happens when a list is larger than its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fit {
    /// Rows in order until the first that does not fit.
    FirstFit,
    /// Descriptions are cut to one common length first, then dropped; then as `FirstFit` with names alone.
    Shorten,
}

/// The text that loading a skill gives.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRule {
    /// The whole. Holes: `key`, `name`, `body`, `dir`, `files`, `children`, `knowledge`; with `@` before the
    /// name for use in an attribute: `@key`.
    pub frame: Template,
    /// The tag that ends the frame, for the finding `closes-frame`.
    pub closing: String,
    /// How inserted text is escaped.
    pub escape: Escape,
    /// Which ends of the body are trimmed.
    pub trim: Trim,
    /// How the path of a file is shown.
    pub file_path: FilePath,
    /// One file. Hole: `file`.
    pub file_row: Template,
    /// The last line when there are more. Hole: `count`.
    pub more_files: Template,
    /// How many files are listed.
    pub max_files: usize,
    /// One child. Holes: `key`, `name`, `description`, and those with `@`.
    pub child_row: Template,
    /// The answer when the host says that the skill is loaded already. Holes: `key`, `name`.
    pub already: Template,
}

/// Which ends of a body are trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trim {
    /// Blank lines before, all white space after.
    End,
    /// All white space on both sides.
    Both,
}

/// How the path of a file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePath {
    /// Absolute.
    Absolute,
    /// Relative to the skill's folder.
    Relative,
}

/// The tool by which a model loads a skill.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRule {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The argument that names the skill.
    pub argument: String,
    /// What that argument is.
    pub argument_help: String,
    /// Which values the argument may have.
    pub choices: Choices,
    /// What there is when no skill may be loaded.
    pub when_empty: WhenEmpty,
}

/// Which values the naming argument may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choices {
    /// Any text.
    Any,
    /// The keys that the model may see, as an `enum` of the schema.
    Keys,
}

/// What there is when no skill may be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenEmpty {
    /// No tool.
    NoTool,
    /// The tool, with this description.
    Describe(String),
}

/// The commands by which a user invokes a skill.
#[derive(Clone, Debug, PartialEq)]
pub struct SlashRule {
    /// How a key becomes a command.
    pub naming: Naming,
    /// The message. Holes: `text` (what loading gives), `body`, `args`, `name`, `key`.
    pub message: Template,
    /// How many characters of a description a menu shows; none: all.
    pub menu_chars: Option<usize>,
}

/// How a key becomes a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Naming {
    /// Each segment sanitised; the raw key is an alias.
    Sanitised,
    /// The key, if it has no white space and no `/`; else sanitised.
    KeyOrSanitised,
}

/// Pointers to knowledge files.
#[derive(Clone, Debug, PartialEq)]
pub struct KnowledgeRule {
    /// Where they lie, below the project.
    pub dir: String,
    /// The field of a knowledge file that is its title.
    pub title_field: String,
    /// The line before the rows.
    pub header: String,
    /// One row. Holes: `file` (below the project, padded when a title follows), `title`.
    pub row: Template,
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
