//! [`HostError`]: why the machine did not carry a plan out. Every error has a message and a stable code.

use crate::model::error::{Error, suggestion};
use crate::text::escape::visible;
use crate::text::list::quoted;
use std::ffi::OsStr;
use std::io;
use std::time::Duration;

const MAX_QUOTED_LINES: usize = 5;

/// Why a plan was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The core refuses.
    #[error(transparent)]
    Refused(#[from] Error),
    /// A program that is needed is not installed.
    #[error("`{what}` needs {}, {}{}", quoted(.wanted, " or "), missing_note(.wanted), found_note(.found))]
    ProgramMissing {
        /// What needs the program.
        what: String,
        /// The suitable programs, the best first, with the required version if there is one.
        wanted: Vec<String>,
        /// A program that is installed in an unsuitable version, with that version.
        found: Option<String>,
    },
    /// No private copy of a skill could be made. An approved skill runs only in such a copy.
    #[error(
        "the skill `{key}` cannot be copied before it runs: {reason}; check that the folder for temporary files \
         has space"
    )]
    NotCopied {
        /// The skill's key.
        key: String,
        /// The message of the operating system.
        reason: String,
    },
    /// A program could not be started.
    #[error("`{program}` could not be started: {reason}")]
    NotStarted {
        /// The program.
        program: String,
        /// The message of the operating system.
        reason: String,
    },
    /// The command line of an agent is not valid.
    #[error("the command `{command}` cannot be run: {reason}")]
    BadCommand {
        /// The command line.
        command: String,
        /// What is wrong with it, and how to correct it.
        reason: &'static str,
    },
    /// The skill's commands need a shell that is not supported.
    #[error(
        "the skill `{key}` needs the shell `{shell}` for its commands; supported are `bash`, `sh` and \
         `powershell`"
    )]
    UnknownShell {
        /// The skill's key.
        key: String,
        /// The shell that the skill names.
        shell: String,
    },
    /// A command in a skill's text has failed, so the text cannot be completed.
    #[error("{said}")]
    CommandFailed {
        /// The command, as written.
        command: String,
        /// The message, in the wording of the dialect.
        said: String,
    },
    /// The output of a command is too long for the text and could not be written to a file.
    #[error(
        "the output of the command `{command}` cannot be stored in a file: {reason}; check that the folder for \
             temporary files has space"
    )]
    OutputNotStored {
        /// The command, as written.
        command: String,
        /// The message of the operating system.
        reason: String,
    },
    /// There is no task of this id.
    #[error("there is no task `{id}`")]
    NoTask {
        /// The id.
        id: String,
    },
    /// There was no answer within the time limit, and the process was ended.
    #[error("{what} gave no answer within {} s and was stopped{}", .after.as_secs_f64(), last_lines("", .last))]
    TimedOut {
        /// What gave no answer.
        what: String,
        /// The time limit.
        after: Duration,
        /// The end of its standard error.
        last: String,
    },
    /// There is no tool of this name.
    #[error("unknown tool `{asked}`{}", suggestion(.near))]
    ToolUnknown {
        /// The requested name.
        asked: String,
        /// The most similar names, at most three.
        near: Vec<String>,
    },
    /// The arguments are not valid for the tool.
    #[error("the tool `{tool}` does not take these arguments: {reason}")]
    ToolArguments {
        /// The tool.
        tool: String,
        /// What is wrong with them.
        reason: String,
    },
    /// A tool reported an error.
    #[error("the tool `{tool}` failed: {message}")]
    ToolFailed {
        /// The tool.
        tool: String,
        /// Its message.
        message: String,
    },
    /// A toolset could not be loaded, or its process ended during a call. A [`Toolset`](super::Toolset)
    /// starts it again at the next call, a [`ToolRegistry`](super::ToolRegistry) does not.
    #[error("the toolset `{toolset}` of the skill `{key}` {reason}{}", last_lines(.reason, .last))]
    ToolsetFailed {
        /// The skill's key.
        key: String,
        /// The toolset as declared.
        toolset: String,
        /// What happened.
        reason: String,
        /// The end of its standard error.
        last: String,
    },
    /// The run was cancelled.
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
            HostError::OutputNotStored { .. } => "not-kept",
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

/// The last lines of standard error as the end of a message, without stack frames and lines that `reason` contains
/// already.
fn last_lines(reason: &str, last: &str) -> String {
    let is_repeated = |line: &str| {
        let line = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap_or(line);
        let bare = line.strip_prefix("Error: ").or(line.strip_prefix("error: ")).unwrap_or(line);
        reason.lines().any(|said| said.trim() == line || said.ends_with(&format!(": {bare}")))
    };
    let is_new = |line: &&str| !line.is_empty() && !line.starts_with("at ") && !is_repeated(line);
    let lines: Vec<&str> = last.lines().map(str::trim).filter(is_new).collect();
    let lines = lines.get(lines.len().saturating_sub(MAX_QUOTED_LINES)..).unwrap_or_default();
    if lines.is_empty() { String::new() } else { format!("; it printed: {}", lines.join(" | ")) }
}

fn missing_note(wanted: &[String]) -> &'static str {
    match wanted {
        [path] if path.contains('/') => "which does not exist or is not a program",
        [_] => "and PATH has no such program",
        _ => "and PATH has none of them",
    }
}

fn found_note(found: &Option<String>) -> String {
    found.as_ref().map_or_else(String::new, |found| format!("; it has `{found}`"))
}
