//! Formats answers of the library as text for people. Control characters in text from files are escaped. The JSON
//! of the library's answers comes from its `report`.

pub(crate) mod findings;
pub(crate) mod formats;
pub(crate) mod list;
pub(crate) mod no_skills;
pub(crate) mod page;
pub(crate) mod print;
pub(crate) mod stub;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;

/// The first line of a task that this program does not pass to an agent itself.
pub(crate) const FOR_A_SUBAGENT: &str = "This is a task for a subagent: give it the text below without the history \
    of this conversation, and continue with its answer.";
