//! Types only: the part of a dialect that says how answers are laid out and worded.

use crate::text::escape::{xml_all_five, xml_attribute, xml_text};
use crate::text::template::Template;
use std::borrow::Cow;

/// The section for the system prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptRule {
    /// How to use the list, for the model.
    pub guidance: Cow<'static, str>,
    /// The line before the rows; part of the cost.
    pub open: Cow<'static, str>,
    /// One row. Holes: `key`, `name`, `label` (the name, or the key where others go by that name), `description`,
    /// `brief`, `location`, `source`, `sandbox`, `resources`.
    pub row: Template,
    /// The line after the rows; part of the cost.
    pub close: Cow<'static, str>,
    /// The row when nothing but names fits.
    pub bare_row: Template,
    /// One skill, when the whole rows do not fit and before any description is cut; without holes, as the whole row.
    pub short_row: Template,
    /// How what is inserted is escaped.
    pub escape: Escape,
    /// What becomes of white space in descriptions.
    pub space: Whitespace,
    /// How many characters of a description are ever shown.
    pub max_description: Option<usize>,
    /// How large the list may be.
    pub budget: Budget,
    /// What happens when it is larger.
    pub fit: Overflow,
    /// The sentence when skills were left out. Holes: `shown`, `total`.
    pub notice: Template,
    /// The whole. Holes: `guidance`, `list`, `notice`.
    pub layout: Template,
}

/// How inserted text is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Escape {
    /// Not: Markdown.
    Plain,
    /// Text not, as it is Markdown between tags; attributes as `Xml`.
    Attributes,
    /// `&`, `<`, `>`; in attributes also `"`.
    Xml,
    /// `&`, `<`, `>`, `"` and `'`, everywhere.
    XmlAll,
}

impl Escape {
    /// A value for use in text.
    pub(crate) fn text(self, value: &str) -> Cow<'_, str> {
        match self {
            Escape::Plain | Escape::Attributes => Cow::Borrowed(value),
            Escape::Xml => xml_text(value),
            Escape::XmlAll => xml_all_five(value),
        }
    }

    /// A value for use in an attribute.
    pub(crate) fn attribute(self, value: &str) -> Cow<'_, str> {
        match self {
            Escape::Plain => Cow::Borrowed(value),
            Escape::Attributes | Escape::Xml => xml_attribute(value),
            Escape::XmlAll => xml_all_five(value),
        }
    }
}

/// What becomes of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whitespace {
    /// It stays.
    Keep,
    /// Every run of it becomes one space.
    Fold,
}

/// How large a list may be, in characters (Unicode scalar values).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// Any size.
    Unlimited,
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
pub enum Overflow {
    /// Rows in order until the first that does not fit.
    FirstFit,
    /// Descriptions are cut to one common length first, then dropped; then as `FirstFit` with names alone.
    Shorten,
    /// Descriptions of the least used skills are dropped; every name stays.
    DropLeastUsed,
}

/// The text that loading a skill gives.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRule {
    /// The whole. Holes: `key`, `name`, `body`, `dir`, `args`, `files`, `scripts`, `references`, `children`,
    /// `knowledge`; with `@` before the name for use in an attribute: `@key`. Of `inline` and `fork` the one is not
    /// empty that the skill is: one that stays in the conversation, or one that runs apart.
    pub frame: Template,
    /// The tag that ends the frame, for the finding `closes-frame`; empty where no tag does.
    pub closing: Cow<'static, str>,
    /// How inserted text is escaped.
    pub escape: Escape,
    /// Which ends of the body are trimmed.
    pub trim: Trim,
    /// How the path of a file is shown.
    pub file_path: FilePath,
    /// One file. Hole: `file`.
    pub file_row: Template,
    /// One script, or one reference file. Hole: `file`.
    pub resource_row: Template,
    /// The last line when there are more. Hole: `count`.
    pub more_files: Template,
    /// How many files are listed.
    pub max_files: usize,
    /// One child. Holes: `key`, `name`, `description`, and those with `@`.
    pub child_row: Template,
    /// The answer when the host says that the skill is loaded already. Holes: `key`, `name`.
    pub already: Template,
    /// What is filled into the body.
    pub substitution: Option<Substitution>,
    /// What happens with a skill that is to run apart.
    pub fork: Option<ForkRule>,
}

impl LoadRule {
    /// Whether loading hands anything on to a skill.
    pub fn takes_arguments(&self) -> bool {
        self.substitution.is_some() || self.frame.holes().any(|hole| hole == "args")
    }
}

/// What is filled into a body (decisions 33).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    /// When the arguments are put behind the body.
    pub append: Append,
    /// Whether `$name` stands for a named argument.
    pub names: bool,
    /// Names that stand for a path or a host's variable in `${NAME}`.
    pub variables: Cow<'static, [(Cow<'static, str>, Variable)]>,
    /// What holds for the commands that the body may have the host run first: `` !`command` ``. None where it may hold
    /// none.
    pub commands: Option<CommandRule>,
}

/// How commands in a body are run, and what of their output stands in the text (decisions 35).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRule {
    /// How many seconds one may take, where the user says nothing else.
    pub seconds: u64,
    /// How many characters of output the text takes.
    pub max_chars: usize,
    /// How many characters of a longer output stand in the text; the whole is written to a file, which the text names.
    pub preview_chars: usize,
    /// The programs whose exit code 1 is an answer, as `grep` finds nothing; `git diff` is one of git's own commands.
    pub answers_by_one: Cow<'static, [Cow<'static, str>]>,
    /// The same where PowerShell runs the command.
    pub answers_by_one_in_powershell: Cow<'static, [Cow<'static, str>]>,
}

impl Substitution {
    /// Whether a variable stands for a path.
    pub(crate) fn is_place(&self, name: &str) -> bool {
        self.variables.iter().any(|(known, what)| known == name && *what != Variable::Host)
    }
}

/// When the arguments are put behind the body, as `ARGUMENTS: …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Append {
    /// When no bare `$ARGUMENTS` stands in it.
    UnlessBare,
    /// When no placeholder at all stands in it.
    UnlessAny,
}

/// What `${NAME}` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable {
    /// The skill's folder.
    SkillDir,
    /// The project's folder.
    ProjectDir,
    /// What the host says.
    Host,
}

/// What happens with a skill that is to run apart (decisions 34).
#[derive(Clone, Debug, PartialEq)]
pub struct ForkRule {
    /// Which skills do.
    pub when: ForkWhen,
    /// The kind of agent where a skill names none.
    pub agent: Option<Cow<'static, str>>,
    /// The task. Holes: `text` (the framed text), `body`, `prompt`.
    pub task: Template,
    /// Whether a prompt is needed.
    pub needs_prompt: bool,
    /// What its grants are labelled with. Hole: `name`.
    pub label: Template,
}

/// Which skills run apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForkWhen {
    /// Those whose context is `fork`.
    Context,
    /// Those with a sandbox.
    Sandbox,
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
    pub name: Cow<'static, str>,
    /// What it does, for the model.
    pub description: Cow<'static, str>,
    /// The argument that names the skill.
    pub argument: Cow<'static, str>,
    /// What that argument is.
    pub argument_help: Cow<'static, str>,
    /// Which values the argument may have.
    pub choices: Choices,
    /// The argument that is handed on to the skill, and what it is.
    pub input: Option<(Cow<'static, str>, Cow<'static, str>)>,
    /// What there is when no skill may be loaded.
    pub when_empty: WhenEmpty,
    /// What a call for a skill that is not there is told, where the dialect has a wording. Hole: `asked`.
    pub unknown: Option<Template>,
}

/// Which values the naming argument may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choices {
    /// Any text.
    Any,
    /// Any text but the empty one, which the schema says too.
    Filled,
    /// Any text, and the schema says nothing of further arguments.
    Open,
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
    DescriptionFallback(Cow<'static, str>),
}

/// The commands by which a user invokes a skill.
#[derive(Clone, Debug, PartialEq)]
pub struct SlashRule {
    /// How a key becomes a command.
    pub naming: Naming,
    /// The message. Holes: `text` (what loading gives), `body` (with all filled in), `args`, `name`, `key`.
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
    /// The key; the part after its last colon is an alias where it is one skill's alone.
    KeyAndLastPart,
}

/// Pointers to knowledge files.
#[derive(Clone, Debug, PartialEq)]
pub struct KnowledgeRule {
    /// Where they lie, below the project.
    pub dir: Cow<'static, str>,
    /// The field of a knowledge file that is its title.
    pub title_field: Cow<'static, str>,
    /// The line before the rows.
    pub header: Cow<'static, str>,
    /// One row. Holes: `file` (below the project, padded when a title follows), `title`.
    pub row: Template,
}
