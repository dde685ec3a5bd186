//! Formats answers of the library as text for people. Control characters in text from files are escaped. JSON comes
//! from the library's `report`.

pub(crate) mod by_code;
pub(crate) mod findings;
pub(crate) mod github;
pub(crate) mod list;
pub(crate) mod location;
pub(crate) mod log_commands;
pub(crate) mod matrix;
pub(crate) mod no_skills;
pub(crate) mod outline;
pub(crate) mod overview;
pub(crate) mod print;
pub(crate) mod sarif;
pub(crate) mod snippet;
pub(crate) mod stub;
pub(crate) mod style;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod why;
pub(crate) mod wrap;

/// The first line of a task that this program does not pass to an agent itself.
pub(crate) const FOR_A_SUBAGENT: &str = "This is a task for a subagent: give it the text below without the history \
    of this conversation, and continue with its answer.";
