//! In: something that the machine would not do. Out: [`HostError`], which says what, why, and its stable code.

use crate::error::Error;

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
    /// It was told to stop.
    #[error("stopped")]
    Stopped,
}

impl HostError {
    /// A stable name in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            HostError::Refused(error) => error.code(),
            HostError::ProgramMissing { .. } => "program-missing",
            HostError::NotStarted { .. } => "not-started",
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
