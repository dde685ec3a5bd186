//! The part of a dialect that says which placeholders in the body of a skill are replaced, and how its commands are run.
//! `loading::substitute` applies these rules.

use super::Permitted;
use super::file::macros::described;
use crate::text::template::Template;
use std::borrow::Cow;

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
    pub(crate) variables: Cow<'static, [(Cow<'static, str>, Variable)]>,
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
        self.variables.iter().any(|(known, what)| known == name && *what != Variable::Host)
    }
}
