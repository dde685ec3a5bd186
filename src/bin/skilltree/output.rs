//! In: answers of the library. Out: text for people, on a terminal or in a pipe.
//! What comes from files is shown with its control characters escaped, never raw.
//! Absent: JSON, which is the library's.

pub(crate) mod findings;
pub(crate) mod list;
pub(crate) mod no_skills;
pub(crate) mod outline;
pub(crate) mod snippet;
pub(crate) mod stub;
pub(crate) mod style;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod why;

/// The first line of a task that nobody here carries out.
pub(crate) const FOR_A_SUBAGENT: &str = "This is a task for a subagent: give it the text below, without this \
     conversation's history, and continue with its answer.";
