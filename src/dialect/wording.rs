//! The part of a dialect that says how answers are worded and laid out: the list in the prompt, the text of a loaded
//! skill, the tool and the commands. `offer::fill` fills these templates.

use crate::dialect::file::macros::described;
use crate::dialect::{Order, Permitted};
use crate::model::error::Error;
use crate::text::escape::{angles, xml_all_five, xml_attribute, xml_text};
use crate::text::template::Template;
use crate::text::words::cut;
use std::borrow::Cow;

described! {
/// The list of skills in the system prompt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PromptRule {
    /// Tells the model how to use the list: `When a task matches the description of a skill, call …`.
    pub(crate) guidance: Cow<'static, str>,
    /// The line before the rows, which counts towards the budget: `<available_skills>`.
    pub(crate) open: Cow<'static, str>,
    /// One skill: `- {key}{?description}: {description}{/}`. Placeholders: `key`, `name`, `label` (the name, or the key
    /// if another skill has the same name), `description`, `brief`, `location`, `path` (the same, never escaped),
    /// `place` (the folder in the project that it is for, if its key says so), `second_name` (the name, if it has only letters,
    /// digits and `_.:-`, is the key of no skill, and no skill before it in the catalog has it), `source`, `scope`, `sandbox`, `resources`; with
    /// `@` before the name for use in an attribute: `@location`.
    pub(crate) row: Template,
    /// The line after the rows, which counts towards the budget: `</available_skills>`.
    pub(crate) close: Cow<'static, str>,
    /// One skill if only names fit into the budget: `- {key}`. Placeholders: `key`, `name`, `label`, `description`,
    /// `brief`, `location`, `path`, `place`, `second_name`, `source`, `scope`, `sandbox`, `resources`, `@location`.
    pub(crate) name_row: Template,
    /// One skill if `row` is too long for the budget and before any description is cut: a row without `{location}`. A
    /// template without placeholders is not used. Placeholders: `key`, `name`, `label`, `description`, `brief`,
    /// `location`, `path`, `place`, `second_name`, `source`, `scope`, `sandbox`, `resources`, `@location`.
    pub(crate) short_row: Template,
    /// One source in `roots`, if the list gains by short names of the sources in `location`, such as `r0`: a row
    /// `{alias} = {path}`. Empty if the client has no such names. Placeholders: `alias`, `path`.
    pub(crate) alias_row: Template,
    /// How many characters of these rows, or bytes if the budget is in tokens, cost nothing, as the client's own guidance is
    /// that much shorter with short names: `141`.
    pub(crate) free_aliases: usize,
    /// How inserted values are escaped: `Escape::Xml`.
    pub(crate) escape: Escape,
    /// What is done with white space in descriptions: `Whitespace::Fold`.
    pub(crate) whitespace: Whitespace,
    /// How many characters of a description are shown at most, whatever the budget: `Some(1_536)`.
    pub(crate) max_description: Option<usize>,
    /// What ends a description that was cut, within the limit: `…`.
    pub(crate) cut_mark: Cow<'static, str>,
    /// What stands between a description and the text about when to use the skill: ` - `.
    pub(crate) when_mark: Cow<'static, str>,
    /// The order of the rows, if it is not that of the catalog: `Some(Order::Key)`.
    pub(crate) order: Option<Order>,
    /// The whole text if no skill is shown: `No skills are currently available.` Empty for no text.
    pub(crate) empty: Cow<'static, str>,
    /// How large the list may be: `Budget::Chars(30_000)`.
    pub(crate) budget: Budget,
    /// What is done if it is larger: `Overflow::Shorten`.
    pub(crate) overflow: Overflow,
    /// The sentence if skills were left out: `Showing {shown} of {total} skills.` Placeholders: `shown`, `total`.
    pub(crate) notice: Template,
    /// The whole text: `{guidance}\n\n{list}{?notice}\n\n{notice}{/}`. Placeholders: `guidance`, `list`, `notice`,
    /// `roots`.
    pub(crate) layout: Template,
    /// The form of the list that has nothing but names and descriptions; `None` if the skill system has no such form.
    pub(crate) metadata: Option<MetadataForm>,
}

impl PromptRule {
    /// The rule for a prompt with names and descriptions alone, and without a budget; `None` if there is no such form.
    pub(crate) fn of_metadata(&self) -> Option<PromptRule> {
        let MetadataForm { heading, row } = self.metadata.clone()?;
        let layout = Template::new("{guidance}\n\n{list}");
        Some(PromptRule { guidance: heading, row, layout, budget: Budget::Unlimited, ..self.clone() })
    }
}

/// A second form of the list of skills, with names and descriptions alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MetadataForm {
    /// The text before the rows, with an empty line between them: `# Available Skills`.
    pub(crate) heading: Cow<'static, str>,
    /// One skill: `- **{key}**: {description}`. Placeholders: `key`, `name`, `description`, `brief`.
    pub(crate) row: Template,
}

/// How inserted values are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Not at all, as the text is Markdown.
    Plain,
    /// Attributes as with `Escape::Xml`; text not at all, as it is Markdown between tags.
    Attributes,
    /// `<` and `>`. Descriptions are escaped before they are cut to `max_description`.
    Angles,
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
            Escape::Angles => angles(value),
            Escape::Xml => xml_text(value),
            Escape::XmlAll => xml_all_five(value),
        }
    }

    /// Escapes a value for use in an attribute.
    pub(crate) fn attribute(self, value: &str) -> Cow<'_, str> {
        match self {
            Escape::Plain => Cow::Borrowed(value),
            Escape::Angles => angles(value),
            Escape::Attributes | Escape::Xml => xml_attribute(value),
            Escape::XmlAll => xml_all_five(value),
        }
    }
}

/// What is done with white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whitespace {
    /// It is kept as it is.
    Keep,
    /// There is none at the ends; inside it is kept.
    Trim,
    /// Every run of white space is replaced by one space, and there is none at the ends.
    Fold,
}

/// How large a list may be, in characters (Unicode scalar values).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
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
    /// A share of the context window in tokens, of which each row costs one for every four bytes or part of four. Only
    /// the rows count.
    Tokens {
        /// The share, in percent: 2.
        percent: usize,
        /// How many characters if the size of the window is unknown: 8 000.
        fallback_chars: usize,
    },
}

/// What is done if a list is larger than its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// Rows are taken in order until the first that does not fit.
    FirstFit,
    /// Rows are taken in order, and one that does not fit is passed over.
    EachFit,
    /// All descriptions are cut to one common length. If that is not enough they are dropped, and names are taken in
    /// order until the first that does not fit.
    Shorten,
    /// The descriptions of the least used skills are dropped. Every name stays.
    DropLeastUsed,
    /// Descriptions are cut: one more character is given to each in turn until none fits. If not even names fit, each name
    /// that fits is taken, in order.
    RoundRobin,
}

/// The text that a skill is loaded as.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LoadRule {
    /// The whole text: `<skill name="{@key}">\n{body}\n</skill>`. Placeholders: `key`, `name`, `asked` (the name that
    /// was asked for), `description`, `body`, `source` (the whole file with its frontmatter), `dir`, `path` (the
    /// SKILL.md), `args`, `files`, `tree` (the files as a drawing), `scripts`, `references`, `children`, `variants`
    /// (the keys of the skills that were given another key because of this one), `knowledge`; with `@` before the name
    /// for use in an attribute: `@key`. One of `inline` and `fork` is not empty: `fork` for a skill that runs as a task
    /// of its own, `inline` for any other.
    pub(crate) frame: Template,
    /// The tag that ends the frame, as it is in the text of `frame` and without placeholders: `</skill>`. A body that
    /// contains it has the finding `closes-frame`. Empty if the frame has no such tag.
    pub(crate) closing_tag: Cow<'static, str>,
    /// How inserted values are escaped: `Escape::Xml`.
    pub(crate) escape: Escape,
    /// Where white space is removed from the body: `Trim::Both`.
    pub(crate) trim: Trim,
    /// One file of `files`, `scripts` or `references`: `  <file>{relative}</file>`. Placeholders: `relative` (its path
    /// below the skill's folder), `absolute`, `key`.
    pub(crate) file_row: Template,
    /// Names of folders whose files are not listed: `node_modules`.
    pub(crate) unlisted_folders: Cow<'static, [Cow<'static, str>]>,
    /// The last line of `files` if there are more: `… and {count} more`. Placeholder: `count`.
    pub(crate) more_files: Template,
    /// How many files of `files` are listed at most: 20.
    pub(crate) max_files: usize,
    /// The text of one file that is asked for as `NAME/FILE`: `# {asked}\n\n{content}`. Empty if the load tool takes names of
    /// skills only. Placeholders: `asked`, `content`.
    pub(crate) file_frame: Template,
    /// The error for a file that the skill does not list: `No file {asked}.` Empty for the errors of
    /// [`file`](crate::package::file()). Placeholders: `asked`, `key`, `available` (the first ten files that it lists).
    pub(crate) file_unknown: Template,
    /// One child: `<sub_skill command="{@key}">{description}</sub_skill>`. Placeholders: `key`, `name`, `description`,
    /// and the same with `@`.
    pub(crate) child_row: Template,
    /// The text if the host says that the skill is loaded already: `The skill `{key}` is already active.` Placeholders:
    /// `key`, `name`.
    pub(crate) already_loaded: Template,
    /// What a session gives for a text that the conversation has already: `RepeatedLoad::Note`.
    pub(crate) repeated: RepeatedLoad,
    /// Which placeholders in the body are replaced; `None` for none. They are replaced in the same way in a body that a
    /// command gives, unless [`commands.substitution`](CommandsRule::substitution) says otherwise.
    pub(crate) substitution: Option<Substitution>,
    /// How skills run as a task of their own; `None` if the skill system has no such skills. These are the skills whose field
    /// [`Context`](super::FieldRole::Context) is `fork` or whose field [`Sandbox`](super::FieldRole::Sandbox) is true.
    pub(crate) fork: Option<ForkRule>,
}

impl LoadRule {
    /// Whether a loaded text depends on arguments: that of a task for a separate agent, or that of any other skill.
    pub(crate) fn takes_arguments(&self, is_fork: bool) -> bool {
        let with = |args: &str| {
            let value = |hole: &str| match hole {
                "args" => args,
                "inline" | "fork" if (hole == "fork") != is_fork => "",
                _ => "yes",
            };
            let mut text = String::new();
            self.frame.render(&|hole| Some(value(hole).into()), &mut text);
            text
        };
        self.substitution.is_some() || with("") != with("yes")
    }
}

/// What a session gives for a text that the conversation has already (rule 12.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepeatedLoad {
    /// The short note that the dialect has for this.
    Note,
    /// The whole text again.
    Whole,
}

/// How skills run as a task of their own (rule 16.4).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ForkRule {
    /// The kind of agent if the skill names none: `general-purpose`.
    pub(crate) agent: Option<Cow<'static, str>>,
    /// The task: `{text}{?prompt}\n\n{prompt}{/}`. Placeholders: `text` (the loaded text), `body` (with its
    /// placeholders replaced), `prompt` (the arguments).
    #[default = "{text}"]
    pub(crate) task: Template,
    /// The label of what is granted to the task: `{name} Skill`. Placeholder: `name`.
    pub(crate) label: Template,
    /// What the load tool answers to a call that starts a task: `ForkAnswer::Output`.
    #[default = "output"]
    pub(crate) answer: ForkAnswer,
    /// The error if a call does not say what to do, in the argument that is passed on to the skill:
    /// `Skill "{key}" requires prompt.` Empty if it need not say so. Placeholder: `key`.
    pub(crate) prompt_missing: Template,
    /// The error if the caller does not have a permission: `You do not have the permission {tag}.` Placeholder: `tag`.
    pub(crate) permission_not_held: Template,
}

/// What the load tool answers to a call that starts a task (rule 16.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForkAnswer {
    /// What the agent says once it has finished.
    Output,
    /// At once the id of the task and its status, as in `{"taskId": "…", "status": "spawned"}`; with what the agent says as
    /// `result` if the call waited for it.
    Spawned,
}

/// Where white space is removed from a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trim {
    /// Blank lines at the start, all white space at the end.
    End,
    /// All white space at both ends.
    Both,
}

/// The tool by which a model loads a skill.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolRule {
    /// Its name: `load_skill`.
    pub(crate) name: Cow<'static, str>,
    /// Tells the model what the tool does: `Load the full instructions of a skill, …`.
    pub(crate) description: Cow<'static, str>,
    /// The argument that names the skill: `name`.
    pub(crate) argument: Cow<'static, str>,
    /// Tells the model what this argument is: `The name of the skill to activate`.
    pub(crate) argument_help: Cow<'static, str>,
    /// Which values this argument may have: `Choices::Keys`.
    pub(crate) choices: Choices,
    /// The argument that is passed on to the skill, and what it is: `args`, `Optional arguments for the skill`.
    /// `None` if there is none.
    pub(crate) input: Option<Input>,
    /// The description if the model may load no skill: `Load a skill. No skills are available.` `None` if there is no tool
    /// then.
    pub(crate) when_empty: Option<Cow<'static, str>>,
    /// The error for a skill that does not exist: `Skill "{asked}" not found`. Placeholders: `asked`, `available` (the
    /// keys that the model may see), `near` (those that are spelled most similarly). `None` for the wording of the
    /// library: [`Error::UnknownSkill`](crate::Error::UnknownSkill).
    pub(crate) unknown: Option<Template>,
    /// What a user sees of a call.
    pub(crate) view: CallWording,
    /// A second name of the schema in the definition of the tool, besides `input_schema`: `parameters`. `None` if the
    /// documents of the system give it no other name.
    pub(crate) schema_alias: Option<Cow<'static, str>>,
}

/// The argument of the tool that is passed on to the skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// Its name: `args`.
    pub(crate) name: Cow<'static, str>,
    /// Tells the model what it is: `Optional arguments for the skill`.
    pub(crate) help: Cow<'static, str>,
}

/// Which values the argument that names the skill may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choices {
    /// Any text.
    Any,
    /// Any text but the empty one. The schema says so.
    Filled,
    /// Any text. The schema does not forbid further arguments.
    Open,
    /// The keys that the model may see. The schema lists them as an `enum` if there are at most 100.
    Keys,
}

/// The commands by which a user invokes a skill.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CommandsRule {
    /// What the command of a skill is called: `CommandNaming::KeyOrSanitised`.
    pub(crate) naming: CommandNaming,
    /// What stands before each such name: `skill:` for `/skill:pdf`. Then no skill is called by its key alone.
    #[default = ""]
    pub(crate) prefix: Cow<'static, str>,
    /// In which letter case names are shown and found: `LetterCase::Exact`.
    pub(crate) letter_case: LetterCase,
    /// The names of the client's own commands. A skill with such a name has no command: `clear`.
    pub(crate) reserved: Cow<'static, [Cow<'static, str>]>,
    /// The message that a command gives: `{text}{?args}\n\nARGUMENTS: {args}{/}`, or `{text}` alone if `load.substitution`
    /// puts the arguments into the text. Placeholders: `text` (the loaded text),
    /// `body` (with its placeholders replaced), `args`, `name`, `key`, `dir`, `path` (the SKILL.md), `appended` (what
    /// the substitution appends to the body, which `body` then does not contain).
    pub(crate) message: Template,
    /// How many characters of a description a menu shows: `Some(100)`; `None` for all.
    pub(crate) menu_chars: Option<usize>,
    /// Which placeholders are replaced in a body that a command gives; `None` for the same as in
    /// [`load.substitution`](LoadRule::substitution).
    pub(crate) substitution: Option<Substitution>,
    /// How many commands at the start of one line are carried out together: 6 for `/a /b text`; 1 for no more than one.
    pub(crate) stacked: usize,
}

impl CommandsRule {
    /// Whether this is the name of a command of the client's own.
    pub(crate) fn reserves(&self, name: &str) -> bool {
        self.reserved.iter().any(|own| match self.letter_case {
            LetterCase::Exact => own == name,
            LetterCase::Ignored | LetterCase::Lower => own.eq_ignore_ascii_case(name),
        })
    }
}

/// What the command of a skill is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandNaming {
    /// Its key, each segment sanitised. The key itself is an alias.
    Sanitised,
    /// Its key if that has neither white space nor `/`, or else the sanitised key.
    KeyOrSanitised,
    /// Its key, with `-` for white space.
    Key,
    /// Its key. The part after the last colon is an alias if no other skill has the same: `pr` for `git:pr`.
    KeyAndLastPart,
    /// Its key, with `-` for each character that is neither a letter nor a digit nor one of `_-.:`.
    Dashed,
}

/// In which letter case the names of commands are shown and found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LetterCase {
    /// As they are.
    Exact,
    /// They are shown as they are, and found in any letter case.
    Ignored,
    /// They are shown in lower case, and found in any letter case.
    Lower,
}

/// Where the knowledge files lie that skills point to, and how the pointers are shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnowledgeRule {
    /// The path of their folder below the project: `.sven/knowledge`.
    pub(crate) dir: Cow<'static, str>,
    /// The field in the frontmatter of a knowledge file that is its title: `subsystem`. Without it, the title is the field
    /// `title`, else the first heading.
    pub(crate) title_field: Cow<'static, str>,
    /// The line before the rows: `Relevant knowledge docs:`.
    pub(crate) header: Cow<'static, str>,
    /// One file: ` - {file}{?title} ({title}){/}`. Placeholders: `file` (its path below the project, padded to a common
    /// width if it has a title), `title`.
    pub(crate) row: Template,
}
}

/// How many characters are shown of a name that is not found. Whoever calls the tool may write any text.
const MAX_ASKED_CHARS: usize = 100;

described! {
/// What a user sees of a call of the load tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallWording {
    /// While the skill is being loaded: `⚡{tool}\n  {spinner} Loading skill...`. Placeholders: `tool`, `spinner`.
    pub(crate) loading: Template,
    /// After the skill was loaded: `⚡{tool}({key})`. Placeholders: `tool`, `key`, `resources` (`2 scripts, 1 ref`).
    pub(crate) loaded: Template,
    /// After the call was refused: `⚡{tool}({asked})\n  ✗  {reason}`. Placeholders: `tool`, `asked`, `reason`.
    pub(crate) refused: Template,
    /// The reason for a skill that does not exist: `Skill not found: {asked}`. Placeholder: `asked`.
    pub(crate) unknown: Template,
    /// The reason for a skill that is switched off: `Skill is disabled: {key}`. Placeholder: `key`.
    pub(crate) disabled: Template,
}
}

impl ToolRule {
    /// What a user sees while a skill is being loaded.
    pub(crate) fn loading_view(&self, spinner: char) -> String {
        filled(&self.view.loading, &[("tool", &self.name), ("spinner", &spinner.to_string())])
    }

    /// What a user sees after the skill was loaded. `resources` says what it brings.
    pub(crate) fn loaded_view(&self, key: &str, resources: &str) -> String {
        filled(&self.view.loaded, &[("tool", &self.name), ("key", key), ("resources", resources)])
    }

    /// What a user sees after the call was refused.
    pub(crate) fn refused_view(&self, asked: &str, reason: &str) -> String {
        filled(&self.view.refused, &[("tool", &self.name), ("asked", &cut(asked, MAX_ASKED_CHARS)), ("reason", reason)])
    }

    /// Why a call was refused, if the dialect has a wording for this error.
    pub(crate) fn refusal_reason(&self, error: &Error) -> Option<String> {
        match error {
            Error::UnknownSkill { asked, .. } => {
                Some(filled(&self.view.unknown, &[("asked", &cut(asked, MAX_ASKED_CHARS))]))
            }
            Error::Disabled { key, .. } => Some(filled(&self.view.disabled, &[("key", key)])),
            _ => None,
        }
    }
}

impl ForkRule {
    /// The error for a call that does not say what a skill is to do.
    pub(crate) fn prompt_missing(&self, key: &str) -> Error {
        Error::PromptMissing { said: filled(&self.prompt_missing, &[("key", key)]) }
    }

    /// The error for a permission that the caller does not have. `tag` names it.
    pub(crate) fn permission_not_held(&self, tag: &str) -> Error {
        Error::PermissionNotHeld { said: filled(&self.permission_not_held, &[("tag", tag)]) }
    }
}

/// Fills the placeholders of a template with these values.
fn filled(template: &Template, values: &[(&str, &str)]) -> String {
    let value = |placeholder: &str| {
        values.iter().find(|(name, _)| *name == placeholder).map(|(_, value)| Cow::Borrowed(*value))
    };
    let mut text = String::new();
    template.render(&value, &mut text);
    text
}

described! {
/// Which placeholders in a body are replaced (rule 13.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Substitution {
    /// When the arguments are appended to the body: `AppendArguments::UnlessAny`.
    pub(crate) append: AppendArguments,
    /// What is appended: `\n\nARGUMENTS: {args}`. Placeholder: `args`. Blank lines at its start are left out if the
    /// body is empty.
    pub(crate) appended: Template,
    /// Which number `$N` has for the first argument: 0. `$ARGUMENTS[N]` always counts from 0.
    pub(crate) first_number: usize,
    /// What the highest `$N` of a body is replaced by: `LastPlace::Rest`.
    pub(crate) last_place: LastPlace,
    /// What a `$N` without an argument is replaced by: `MissingArgument::AsWritten`.
    pub(crate) missing: MissingArgument,
    /// Whether placeholders are replaced if there are no arguments: `Permitted::Yes`. If not,
    /// the body stays as written.
    pub(crate) without_arguments: Permitted,
    /// Whether `$name` is replaced by the argument of this name.
    pub(crate) named_arguments: Permitted,
    /// How the arguments are split into words: `ArgumentWords::Shell`.
    #[default = "shell"]
    pub(crate) words: ArgumentWords,
    /// The error for arguments with an unclosed quote of which a placeholder stands for a part. `None` if such a quote is an
    /// ordinary character.
    pub(crate) unclosed_quote: Option<Cow<'static, str>>,
    /// What `${NAME}` is replaced by: `Variable::SkillDir` for `CLAUDE_SKILL_DIR`.
    pub(crate) variables: Cow<'static, [NamedVariable]>,
    /// How the commands in a body are run by the host before the text is shown: `` !`git status` ``. `None` if such
    /// text has no special meaning.
    pub(crate) commands: Option<ShellRule>,
}

/// How the arguments are split into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentWords {
    /// As a shell splits them: by white space outside of quotes, and a backslash makes the next character ordinary.
    Shell,
    /// By white space outside of quotes. A backslash is an ordinary character, and so is an apostrophe within a word.
    Quoted,
}

/// How commands in a body are run, and how much of their output is shown (rule 13.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShellRule {
    /// How many seconds a command may take, unless the user sets another limit: 120.
    pub(crate) seconds: u64,
    /// How many characters of output are shown completely: 30 000.
    pub(crate) max_chars: usize,
    /// How many characters of a longer output are shown: 2 000. The complete output is written to a file, which the
    /// text names.
    pub(crate) preview_chars: usize,
    /// The error for a command that fails: `the command {command} {reason}`. Placeholders: `command`, `reason` (how it
    /// failed).
    pub(crate) failed: Template,
    /// The programs whose exit code 1 is an answer and not a failure: `grep` if it finds nothing. A second word is a
    /// subcommand: `git diff`.
    pub(crate) exit_one_is_answer: Cow<'static, [Cow<'static, str>]>,
    /// Like `exit_one_is_answer`, for commands that PowerShell runs: `findstr`.
    pub(crate) exit_one_is_answer_in_powershell: Cow<'static, [Cow<'static, str>]>,
}

/// What the highest `$N` of a body is replaced by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastPlace {
    /// One argument, like any other.
    Word,
    /// Its argument and all after it, with a space between them.
    Rest,
}

/// What a `$N` without an argument is replaced by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingArgument {
    /// It stays as written.
    AsWritten,
    /// It is removed.
    Removed,
}

/// When the arguments are appended to the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppendArguments {
    /// If the body has no `$ARGUMENTS` without an index.
    UnlessBare,
    /// If the body has no placeholder at all.
    UnlessAny,
}

/// A variable of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedVariable {
    /// Its name: `CLAUDE_SKILL_DIR` for `${CLAUDE_SKILL_DIR}`.
    pub(crate) name: Cow<'static, str>,
    /// What it is replaced by: `Variable::SkillDir`.
    pub(crate) is: Variable,
}

/// What `${NAME}` is replaced by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The folder of the skill.
    SkillDir,
    /// The folder of the project.
    ProjectDir,
    /// What the host of the library answers: [`Host::variable`](crate::Host::variable).
    Host,
}
}

impl Substitution {
    /// Whether `${name}` is replaced by a path.
    pub(crate) fn is_place(&self, name: &str) -> bool {
        self.variables.iter().any(|known| known.name == name && known.is != Variable::Host)
    }
}
