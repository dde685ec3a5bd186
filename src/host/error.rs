//! In: something that the machine would not do. Out: [`HostError`], which says what, why, and its stable code.

use crate::error::Error;
use crate::text::escape::visible;
use std::ffi::OsStr;
use std::io;

/// Why a door has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The engine refuses.
    #[error(transparent)]
    Refused(#[from] Error),
    /// No program that could do it is there.
    #[error("`{what}` needs {}, {}", listed(.wanted), missing(.wanted))]
    ProgramMissing {
        /// What needs it.
        what: String,
        /// The programs that would do, the best first, with the version wanted where one is.
        wanted: Vec<String>,
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
    #[error("the skill `{key}` wants its commands run by `{shell}`; `bash`, `sh` and `powershell` are known")]
    UnknownShell {
        /// The skill's key.
        key: String,
        /// The shell that it names.
        shell: String,
    },
    /// There is no task of this name.
    #[error("there is no task `{id}`")]
    NoTask {
        /// The name.
        id: String,
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
            HostError::NoTask { .. } => "no-task",
            HostError::Stopped => "stopped",
        }
    }
}

fn missing(wanted: &[String]) -> &'static str {
    match wanted {
        [path] if path.contains('/') => "which is not there, or is no program",
        [_] => "and PATH has no such program",
        _ => "and PATH has none of them",
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
