//! In: something that the machine would not do. Out: [`HostError`], which says what, why, and its stable code.

use crate::model::error::{Error, near_words};
use crate::text::escape::visible;
use crate::text::list::quoted;
use std::ffi::OsStr;
use std::io;
use std::time::Duration;

/// How many lines of what was printed stand in a message.
const MAX_TOLD_LINES: usize = 5;

/// Why a door has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The engine refuses.
    #[error(transparent)]
    Refused(#[from] Error),
    /// No program that could do it is there.
    #[error("`{what}` needs {}, {}{}", listed(.wanted), missing(.wanted), instead(.found))]
    ProgramMissing {
        /// What needs it.
        what: String,
        /// The programs that would do, the best first, with the version wanted where one is.
        wanted: Vec<String>,
        /// One that is there in a version that does not do, with that version.
        found: Option<String>,
    },
    /// No private copy of a skill could be made, which is what is run of a skill that was approved.
    #[error(
        "the skill `{key}` cannot be copied before it runs: {reason}; check that the folder for temporary files \
         has space"
    )]
    NotCopied {
        /// The skill's key.
        key: String,
        /// What the system says.
        reason: String,
    },
    /// A program could not be started, or not be talked to.
    #[error("`{program}` could not be started: {reason}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// A command line that nothing can be started from.
    #[error("the command `{command}` cannot be run: {reason}")]
    BadCommand {
        /// The command line.
        command: String,
        /// What is wrong with it, and what would do.
        reason: &'static str,
    },
    /// The skill's commands are for a shell that is not known.
    #[error(
        "the skill `{key}` needs the shell `{shell}` for its commands; supported are `bash`, `sh` and \
         `powershell`"
    )]
    UnknownShell {
        /// The skill's key.
        key: String,
        /// The shell that it names.
        shell: String,
    },
    /// A command that a skill wants run before its text is sent has failed, so nothing is made of the text.
    #[error("the command `{command}` {how}")]
    CommandFailed {
        /// The command, as written.
        command: String,
        /// How it ended, and the last line of its errors.
        how: String,
    },
    /// A command printed more than its text takes, and the rest could not be kept in a file.
    #[error(
        "the output of the command `{command}` cannot be stored in a file: {reason}; check that the folder for \
             temporary files has space"
    )]
    NotKept {
        /// The command, as written.
        command: String,
        /// What the system says.
        reason: String,
    },
    /// There is no task of this name.
    #[error("there is no task `{id}`")]
    NoTask {
        /// The name.
        id: String,
    },
    /// It was not done in time, and was ended.
    #[error("{what} gave no answer within {} s and was stopped{}", .after.as_secs_f64(), told("", .last))]
    TimedOut {
        /// What it was.
        what: String,
        /// The limit.
        after: Duration,
        /// The last of what it printed on its standard error.
        last: String,
    },
    /// No tool of this name.
    #[error("unknown tool `{asked}`{}", near_words(.near))]
    ToolUnknown {
        /// What was asked for.
        asked: String,
        /// The nearest names, at most three.
        near: Vec<String>,
    },
    /// A tool does not take these arguments.
    #[error("the tool `{tool}` does not take these arguments: {reason}")]
    ToolArguments {
        /// The tool.
        tool: String,
        /// What is wrong with them.
        reason: String,
    },
    /// A tool says that it failed.
    #[error("the tool `{tool}` failed: {message}")]
    ToolFailed {
        /// The tool.
        tool: String,
        /// What it says.
        message: String,
    },
    /// A toolset could not be loaded, or did not survive a call. The next call starts it anew.
    #[error("the toolset `{toolset}` of the skill `{key}` {reason}{}", told(.reason, .last))]
    ToolsetFailed {
        /// The skill's key.
        key: String,
        /// The toolset as declared.
        toolset: String,
        /// What became of it.
        reason: String,
        /// The last of what it printed on its standard error.
        last: String,
    },
    /// It was told to stop.
    #[error("stopped")]
    Stopped,
}

impl HostError {
    pub(super) fn not_started(program: &OsStr, error: &io::Error) -> HostError {
        HostError::NotStarted {
            program: visible(&program.to_string_lossy()).into_owned(),
            reason: visible(&error.to_string()).into_owned(),
        }
    }

    /// A stable name in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            HostError::Refused(error) => error.code(),
            HostError::ProgramMissing { .. } => "program-missing",
            HostError::NotStarted { .. } => "not-started",
            HostError::BadCommand { .. } => "bad-command",
            HostError::UnknownShell { .. } => "unknown-shell",
            HostError::CommandFailed { .. } => "command-failed",
            HostError::NotKept { .. } => "not-kept",
            HostError::NoTask { .. } => "no-task",
            HostError::TimedOut { .. } => "timed-out",
            HostError::NotCopied { .. } => "not-copied",
            HostError::ToolUnknown { .. } => "tool-unknown",
            HostError::ToolArguments { .. } => "bad-arguments",
            HostError::ToolFailed { .. } => "tool-failed",
            HostError::ToolsetFailed { .. } => "toolset-failed",
            HostError::Stopped => "stopped",
        }
    }
}

/// The last lines of what was printed, but for the frames of a stack and what the reason says already, as the end of a
/// message.
fn told(reason: &str, last: &str) -> String {
    let is_said = |line: &str| {
        let line = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap_or(line);
        let bare = line.strip_prefix("Error: ").or(line.strip_prefix("error: ")).unwrap_or(line);
        reason.lines().any(|said| said.trim() == line || said.ends_with(&format!(": {bare}")))
    };
    let is_new = |line: &&str| !line.is_empty() && !line.starts_with("at ") && !is_said(line);
    let lines: Vec<&str> = last.lines().map(str::trim).filter(is_new).collect();
    let lines = lines.get(lines.len().saturating_sub(MAX_TOLD_LINES)..).unwrap_or_default();
    if lines.is_empty() { String::new() } else { format!("; it printed: {}", lines.join(" | ")) }
}

fn missing(wanted: &[String]) -> &'static str {
    match wanted {
        [path] if path.contains('/') => "which does not exist or is not a program",
        [_] => "and PATH has no such program",
        _ => "and PATH has none of them",
    }
}

fn instead(found: &Option<String>) -> String {
    found.as_ref().map_or_else(String::new, |found| format!("; it has `{found}`"))
}

fn listed(names: &[String]) -> String {
    quoted(names, " or ")
}
