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
    /// Its form is good, and it names what is not known; the reason is one line.
    Unknown(String),
    /// It does not fit beside the patterns of the other skills.
    NoRoom,
    /// This build has no patterns.
    Unsupported,
}

#[cfg(feature = "patterns")]
mod door;
#[cfg(feature = "patterns")]
mod needles;
#[cfg(feature = "patterns")]
mod share;
#[cfg(feature = "patterns")]
mod size;

/// How many patterns of one skill are looked for: the skills in use have at most a dozen.
pub(crate) const MAX_OF_SKILL: usize = 64;

/// Whose a pattern is. One pattern may be that of many owners; an owner's stand in the order in which they are written.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "patterns"), allow(dead_code, reason = "nothing is shared out without patterns"))]
pub(crate) struct Owned {
    /// The owner's number.
    pub(crate) owner: usize,
    /// The pattern's place among all.
    pub(crate) pattern: usize,
    /// Whether the owner came with a project.
    pub(crate) is_project: bool,
}

/// How many bytes the text of a pattern may have.
#[cfg(feature = "patterns")]
const MAX_TEXT_BYTES: usize = 4_096;

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

    /// None is compiled.
    pub(crate) fn bytes(_: &str) -> usize {
        0
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
    pub(crate) fn new(_: &[&str], _: Vec<Owned>) -> Patterns {
        Patterns
    }

    /// There is none to be in a text.
    pub(crate) fn find<'p>(&'p self, _: &str, _: &mut dyn FnMut(usize, Result<(), &'p PatternError>)) {}
}

#[cfg(test)]
#[path = "../../tests/unit/pattern.rs"]
mod tests;
