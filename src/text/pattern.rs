//! In: a regular expression from a stranger. Out: a [`Pattern`] that is looked for without regard to letter case,
//! or why it is none. Time is linear in the text, size is bounded. Without the feature `patterns`, none is one.
//! Absent: captures, replacing, and look-around, which no linear search has.

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    #[cfg(feature = "patterns")]
    compiled: regex::Regex,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "with the feature or without it, one side is never made")]
pub(crate) enum PatternError {
    /// It is no regular expression; the reason is one line.
    Invalid(String),
    /// It grows too large.
    TooLarge,
    /// This build has no patterns.
    Unsupported,
}

#[cfg(feature = "patterns")]
mod door;
#[cfg(feature = "patterns")]
mod needles;
#[cfg(feature = "patterns")]
mod size;

#[cfg(feature = "patterns")]
pub(crate) use door::Patterns;

#[cfg(not(feature = "patterns"))]
impl Pattern {
    /// None is supported.
    pub(crate) fn new(_: &str) -> Result<Pattern, PatternError> {
        Err(PatternError::Unsupported)
    }

    /// None is supported.
    pub(crate) fn judge(_: &str) -> Result<(), PatternError> {
        Err(PatternError::Unsupported)
    }

    /// There is none to be in a text.
    #[cfg(test)]
    pub(crate) fn is_in(&self, _: &str) -> bool {
        false
    }
}

/// Patterns that are looked for together: none is.
#[cfg(not(feature = "patterns"))]
#[derive(Debug)]
pub(crate) struct Patterns;

#[cfg(not(feature = "patterns"))]
impl Patterns {
    /// None is supported.
    pub(crate) fn new(_: &[&str]) -> Patterns {
        Patterns
    }

    /// There is none to be in a text.
    pub(crate) fn find<'p>(&'p self, _: &str, _: &mut dyn FnMut(usize, Result<(), &'p PatternError>)) {}
}

#[cfg(test)]
#[path = "../../tests/unit/pattern.rs"]
mod tests;
