//! Regular expressions of untrusted authors, which are searched for without regard to case. Search time is linear in
//! the text, and the size of patterns is bounded. Without the feature `patterns`, every pattern is an error.

#[cfg(feature = "patterns")]
mod set;

/// Without the feature, there are no patterns, and none is found.
#[cfg(not(feature = "patterns"))]
mod set {
    use super::{Owned, PatternError};

    #[derive(Debug)]
    pub(crate) enum Pattern {}

    impl Pattern {
        pub(crate) fn new(_: &str) -> Result<Pattern, PatternError> {
            Err(PatternError::Unsupported)
        }

        pub(crate) fn judge(_: &str) -> Result<(), PatternError> {
            Err(PatternError::Unsupported)
        }

        pub(crate) fn bytes(_: &str) -> usize {
            0
        }
    }

    #[derive(Debug)]
    pub(crate) struct Patterns;

    impl Patterns {
        pub(crate) fn new(_: &[&str], _: Vec<Owned>) -> Patterns {
            Patterns
        }

        pub(crate) fn find<'p>(&'p self, _: &str, _: &mut dyn FnMut(usize, Result<(), &'p PatternError>)) {}
    }
}

pub(crate) use set::{Pattern, Patterns};

#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "some variants are only used with the feature, and one only without it")]
pub(crate) enum PatternError {
    /// It is not a valid regular expression; the reason is one line.
    Invalid(String),
    TooLarge,
    /// Its syntax is valid, but it contains an unknown name, such as that of a class; the reason is one line.
    Unknown(String),
    /// It exceeds the limit on all patterns together.
    OverLimit,
    Unsupported,
}

/// The most patterns of one skill that are searched for; the skills in use have at most a dozen.
pub(crate) const MAX_OF_SKILL: usize = 64;

/// That a pattern belongs to an owner. A pattern may have several owners. Those of one owner are in the order in which
/// they are written.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "patterns"), allow(dead_code, reason = "only used with the feature"))]
pub(crate) struct Owned {
    pub(crate) owner: usize,
    /// The index of the pattern in the list of all patterns.
    pub(crate) pattern: usize,
    /// Whether the owner is part of a project.
    pub(crate) is_project: bool,
}

#[cfg(test)]
#[path = "../../tests/unit/pattern.rs"]
mod tests;
