//! The part of a dialect that says how answers are worded and laid out: the list in the prompt, the text of a loaded
//! skill, the tool and the commands. `answers` fills these templates.

use super::CallWording;
use crate::text::escape::{xml_all_five, xml_attribute, xml_text};
use crate::text::template::Template;
use std::borrow::Cow;

/// The list of skills in the system prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptRule {
    /// Tells the model how to use the list: `When a task matches the description of a skill, call …`.
    pub guidance: Cow<'static, str>,
    /// The line before the rows, which counts towards the budget: `<available_skills>`.
    pub open: Cow<'static, str>,
    /// One skill: `- {key}{?description}: {description}{/}`. Holes: `key`, `name`, `label` (the name, or the key if
    /// another skill has the same name), `description`, `brief`, `location`, `source`, `sandbox`, `resources`.
    pub row: Template,
    /// The line after the rows, which counts towards the budget: `</available_skills>`.
    pub close: Cow<'static, str>,
    /// One skill if only names fit into the budget: `- {key}`.
    pub name_row: Template,
    /// One skill if `row` is too long for the budget and before any description is cut: a row without `{location}`. A
    /// template without holes is not used.
    pub short_row: Template,
    /// How inserted values are escaped: `Escape::Xml`.
    pub escape: Escape,
    /// What is done with white space in descriptions: `Whitespace::Fold`.
    pub whitespace: Whitespace,
    /// How many characters of a description are shown at most, whatever the budget: `Some(1_536)`.
    pub max_description: Option<usize>,
    /// How large the list may be: `Budget::Chars(30_000)`.
    pub budget: Budget,
    /// What is done if it is larger: `Overflow::Shorten`.
    pub overflow: Overflow,
    /// The sentence if skills were left out: `Showing {shown} of {total} skills.` Holes: `shown`, `total`.
    pub notice: Template,
    /// The whole text: `{guidance}\n\n{list}{?notice}\n\n{notice}{/}`. Holes: `guidance`, `list`, `notice`.
    pub layout: Template,
}

/// How inserted values are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Escape {
    /// Not at all, as the text is Markdown.
    Plain,
    /// Attributes as with `Xml`; text not at all, as it is Markdown between tags.
    Attributes,
    /// `&`, `<` and `>`, in attributes also `"`.
    Xml,
    /// `&`, `<`, `>`, `"` and `'`, in text and attributes.
    XmlAll,
}

impl Escape {
    /// Escapes a value for use in text.
    pub(crate) fn text(self, value: &str) -> Cow<'_, str> {
        match self {
            Escape::Plain | Escape::Attributes => Cow::Borrowed(value),
            Escape::Xml => xml_text(value),
            Escape::XmlAll => xml_all_five(value),
        }
    }

    /// Escapes a value for use in an attribute.
    pub(crate) fn attribute(self, value: &str) -> Cow<'_, str> {
        match self {
            Escape::Plain => Cow::Borrowed(value),
            Escape::Attributes | Escape::Xml => xml_attribute(value),
            Escape::XmlAll => xml_all_five(value),
        }
    }
}

/// What is done with white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whitespace {
    /// It is kept as it is.
    Keep,
    /// Every run of white space is replaced by one space.
    Fold,
}

/// How large a list may be, in characters (Unicode scalar values).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// Any size.
    Unlimited,
    /// At most this many.
    Chars(usize),
    /// A share of the context window, at four characters a token.
    Window {
        /// The share, in percent: 1.
        percent: usize,
        /// How many characters if the size of the window is unknown: 8 000.
        fallback_chars: usize,
    },
}

/// What is done if a list is larger than its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overflow {
    /// Rows are taken in order until the first that does not fit.
    FirstFit,
    /// All descriptions are cut to one common length. If that is not enough they are dropped, and names are taken in
    /// order until the first that does not fit.
    Shorten,
    /// The descriptions of the least used skills are dropped. Every name stays.
    DropLeastUsed,
}

/// The text that a skill is loaded as.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRule {
    /// The whole text: `<skill name="{@key}">\n{body}\n</skill>`. Holes: `key`, `name`, `body`, `dir`, `args`, `files`,
    /// `scripts`, `references`, `children`, `knowledge`; with `@` before the name for use in an attribute: `@key`. One
    /// of `inline` and `fork` is not empty: `fork` for a skill that runs as a task of its own, `inline` for any other.
    pub frame: Template,
    /// The tag that ends the frame: `</skill>`. A body that contains it has the finding `closes-frame`. Empty if the
    /// frame has no such tag.
    pub closing_tag: Cow<'static, str>,
    /// How inserted values are escaped: `Escape::Xml`.
    pub escape: Escape,
    /// Where white space is removed from the body: `Trim::Both`.
    pub trim: Trim,
    /// How the path of a file is shown: `FilePath::Relative`.
    pub file_path: FilePath,
    /// One file of `files`: `  <file>{file}</file>`. Hole: `file`.
    pub file_row: Template,
    /// One file of `scripts` or `references`: `  - {file}`. Hole: `file`.
    pub resource_row: Template,
    /// The last line of `files` if there are more: `… and {count} more`. Hole: `count`.
    pub more_files: Template,
    /// How many files are listed at most: 20.
    pub max_files: usize,
    /// One child: `<sub_skill command="{@key}">{description}</sub_skill>`. Holes: `key`, `name`, `description`, and the
    /// same with `@`.
    pub child_row: Template,
    /// The text if the host says that the skill is loaded already: `The skill `{key}` is active already.` Holes: `key`,
    /// `name`.
    pub already_loaded: Template,
    /// Which placeholders in the body are replaced; `None` for none.
    pub substitution: Option<Substitution>,
    /// How skills run as a task of their own; `None` if the skill system has no such skills.
    pub fork: Option<ForkRule>,
}

impl LoadRule {
    /// Whether a loaded text depends on arguments.
    pub fn takes_arguments(&self) -> bool {
        self.substitution.is_some() || self.frame.placeholders().any(|hole| hole == "args")
    }
}

/// Which placeholders in a body are replaced (rule 13.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    /// When the arguments are appended to the body: `Append::UnlessAny`.
    pub append: AppendArguments,
    /// Whether `$name` is replaced by the argument of this name.
    pub named_arguments: bool,
    /// What `${NAME}` is replaced by: `("CLAUDE_SKILL_DIR", Variable::SkillDir)`.
    pub variables: Cow<'static, [(Cow<'static, str>, Variable)]>,
    /// How the commands in a body are run by the host before the text is shown: `` !`git status` ``. `None` if such
    /// text has no special meaning.
    pub commands: Option<ShellRule>,
}

/// How commands in a body are run, and how much of their output is shown (rule 13.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellRule {
    /// How many seconds a command may take, unless the user sets another limit: 120.
    pub seconds: u64,
    /// How many characters of output are shown completely: 30 000.
    pub max_chars: usize,
    /// How many characters of a longer output are shown: 2 000. The complete output is written to a file, which the
    /// text names.
    pub preview_chars: usize,
    /// The programs whose exit code 1 is an answer and not a failure: `grep` if it finds nothing. A second word is a
    /// subcommand: `git diff`.
    pub exit_one_is_answer: Cow<'static, [Cow<'static, str>]>,
    /// Like `answers_by_one`, for commands that PowerShell runs: `findstr`.
    pub exit_one_is_answer_in_powershell: Cow<'static, [Cow<'static, str>]>,
}

impl Substitution {
    /// Whether `${name}` is replaced by a path.
    pub(crate) fn is_place(&self, name: &str) -> bool {
        self.variables.iter().any(|(known, what)| known == name && *what != Variable::Host)
    }
}

/// When the arguments are appended to the body, as `ARGUMENTS: …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendArguments {
    /// If the body has no `$ARGUMENTS` without an index.
    UnlessBare,
    /// If the body has no placeholder at all.
    UnlessAny,
}

/// What `${NAME}` is replaced by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable {
    /// The folder of the skill.
    SkillDir,
    /// The folder of the project.
    ProjectDir,
    /// The answer of [`Host::variable`](crate::Host::variable).
    Host,
}

/// How skills run as a task of their own (rule 16.4).
#[derive(Clone, Debug, PartialEq)]
pub struct ForkRule {
    /// Which skills do: `ForkWhen::Sandbox`.
    pub when: ForkWhen,
    /// The kind of agent if the skill names none: `general-purpose`.
    pub agent: Option<Cow<'static, str>>,
    /// The task: `{text}`. Holes: `text` (the text in its frame), `body`, `prompt`.
    pub task: Template,
    /// Whether a call must say what to do, in the argument that is passed on to the skill.
    pub needs_prompt: bool,
    /// The label of what is granted to the task: `{name} Skill`. Hole: `name`.
    pub label: Template,
    /// The error if a call does not say what to do: `Skill "{key}" requires prompt.` Hole: `key`.
    pub prompt_missing: Template,
    /// The error if the caller does not have a permission: `You do not have the permission {tag}.` Hole: `tag`.
    pub permission_not_held: Template,
}

/// Which skills run as a task of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForkWhen {
    /// Those whose field [`Context`](super::FieldRole::Context) is `fork`.
    Context,
    /// Those whose field [`Sandbox`](super::FieldRole::Sandbox) is true.
    Sandbox,
}

/// Where white space is removed from a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trim {
    /// Blank lines at the start, all white space at the end.
    End,
    /// All white space at both ends.
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
    /// Its name: `load_skill`.
    pub name: Cow<'static, str>,
    /// Tells the model what the tool does: `Load the full instructions of a skill, …`.
    pub description: Cow<'static, str>,
    /// The argument that names the skill: `name`.
    pub argument: Cow<'static, str>,
    /// Tells the model what this argument is: `The name of the skill to activate`.
    pub argument_help: Cow<'static, str>,
    /// Which values this argument may have: `Choices::Keys`.
    pub choices: Choices,
    /// The argument that is passed on to the skill, and what it is: `("args", "Optional arguments for the skill")`.
    /// `None` if there is none.
    pub input: Option<(Cow<'static, str>, Cow<'static, str>)>,
    /// What is offered if the model may load no skill: `WhenEmpty::NoTool`.
    pub when_empty: WhenEmpty,
    /// The error for a skill that does not exist: `Skill "{asked}" not found`. Hole: `asked`. `None` for the wording of
    /// [`Error::UnknownSkill`](crate::Error::UnknownSkill).
    pub unknown: Option<Template>,
    /// What a user sees of a call.
    pub view: CallWording,
}

/// Which values the argument that names the skill may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choices {
    /// Any text.
    Any,
    /// Any text but the empty one. The schema says so.
    Filled,
    /// Any text. The schema does not forbid further arguments.
    Open,
    /// The keys that the model may see. The schema lists them as an `enum`.
    Keys,
}

/// What is offered if the model may load no skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenEmpty {
    /// No tool.
    NoTool,
    /// The tool, with this description.
    Described(Cow<'static, str>),
}

/// The commands by which a user invokes a skill.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandsRule {
    /// What the command of a skill is called: `Naming::KeyOrSanitised`.
    pub naming: CommandNaming,
    /// The message that a command gives: `{text}{?args}\n\nARGUMENTS: {args}{/}`. Holes: `text` (the loaded text),
    /// `body` (with its placeholders replaced), `args`, `name`, `key`.
    pub message: Template,
    /// How many characters of a description a menu shows: `Some(100)`; `None` for all.
    pub menu_chars: Option<usize>,
}

/// What the command of a skill is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandNaming {
    /// Its key, each segment sanitised. The key itself is an alias.
    Sanitised,
    /// Its key if that has neither white space nor `/`, or else the sanitised key.
    KeyOrSanitised,
    /// Its key. The part after the last colon is an alias if no other skill has the same: `pr` for `git:pr`.
    KeyAndLastPart,
}

/// Where the knowledge files lie that skills point to, and how the pointers are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct KnowledgeRule {
    /// The path of their folder below the project: `.sven/knowledge`.
    pub dir: Cow<'static, str>,
    /// The field in the frontmatter of a knowledge file that is its title: `subsystem`.
    pub title_field: Cow<'static, str>,
    /// The line before the rows: `Relevant knowledge docs:`.
    pub header: Cow<'static, str>,
    /// One file: ` - {file}{?title} ({title}){/}`. Holes: `file` (its path below the project, padded to a common width
    /// if it has a title), `title`.
    pub row: Template,
}
