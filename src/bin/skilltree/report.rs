//! In: answers of the library. Out: text for people, on a terminal or in a pipe.
//! What comes from files is shown with its control characters escaped, never raw.
//! Absent: JSON, which is the library's.

pub mod findings;
pub mod list;
pub mod outline;
pub mod snippet;
pub mod stub;
pub mod style;
pub mod table;
pub mod text;
pub mod why;
