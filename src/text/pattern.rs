//! Regular expressions of untrusted authors, which are searched for without regard to case. Search time is linear in
//! the text, and the size of patterns is bounded. Without the feature `patterns`, every pattern is an error.

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    #[cfg(feature = "patterns")]
    compiled: regex::Regex,
}

/// Why a pattern is not searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "some variants are only used with the feature, and one only without it")]
pub(crate) enum PatternError {
    /// It is not a valid regular expression; the reason is one line.
    Invalid(String),
    /// It is too large when compiled.
    TooLarge,
    /// Its syntax is valid, but it contains an unknown name, such as that of a class; the reason is one line.
    Unknown(String),
    /// It exceeds the limit on all patterns together.
    OverLimit,
    /// This build does not support patterns.
    Unsupported,
}

#[cfg(feature = "patterns")]
mod needles;
#[cfg(feature = "patterns")]
mod set;
#[cfg(feature = "patterns")]
mod share;
#[cfg(feature = "patterns")]
mod size;

/// The most patterns of one skill that are searched for; the skills in use have at most a dozen.
pub(crate) const MAX_OF_SKILL: usize = 64;

/// That a pattern belongs to an owner. A pattern may have several owners. Those of one owner are in the order in which
/// they are written.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "patterns"), allow(dead_code, reason = "only used with the feature"))]
pub(crate) struct Owned {
    /// The owner's number.
    pub(crate) owner: usize,
    /// The index of the pattern in the list of all patterns.
    pub(crate) pattern: usize,
    /// Whether the owner is part of a project.
    pub(crate) is_project: bool,
}

/// The longest text of a pattern, in bytes.
#[cfg(feature = "patterns")]
const MAX_TEXT_BYTES: usize = 4_096;

#[cfg(feature = "patterns")]
pub(crate) use set::Patterns;

#[cfg(not(feature = "patterns"))]
impl Pattern {
    /// Always an error.
    pub(crate) fn new(_: &str) -> Result<Pattern, PatternError> {
        Err(PatternError::Unsupported)
    }

    /// Always an error.
    pub(crate) fn judge(_: &str) -> Result<(), PatternError> {
        Err(PatternError::Unsupported)
    }

    /// Always 0, as nothing is compiled.
    pub(crate) fn bytes(_: &str) -> usize {
        0
    }

    /// Always false.
    #[cfg(test)]
    pub(crate) fn is_in(&self, _: &str) -> bool {
        false
    }
}

/// A set of patterns, none of which is searched for.
#[cfg(not(feature = "patterns"))]
#[derive(Debug)]
pub(crate) struct Patterns;

#[cfg(not(feature = "patterns"))]
impl Patterns {
    /// A set in which no pattern is ever found.
    pub(crate) fn new(_: &[&str], _: Vec<Owned>) -> Patterns {
        Patterns
    }

    /// Never calls the function.
    pub(crate) fn find<'p>(&'p self, _: &str, _: &mut dyn FnMut(usize, Result<(), &'p PatternError>)) {}
}

#[cfg(test)]
#[path = "../../tests/unit/pattern.rs"]
mod tests;
