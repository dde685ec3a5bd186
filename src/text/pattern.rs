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
mod door {
    use super::{Pattern, PatternError};

    /// How many bytes a compiled pattern may take: twenty Unicode words in a row fit, `\w{1000}` does not.
    const MAX_BYTES: usize = 1 << 20;

    /// How deeply a pattern may be nested.
    const MAX_DEPTH: u32 = 100;

    impl Pattern {
        /// Compiles.
        pub(crate) fn new(text: &str) -> Result<Pattern, PatternError> {
            let built = regex::RegexBuilder::new(text)
                .case_insensitive(true)
                .size_limit(MAX_BYTES)
                .nest_limit(MAX_DEPTH)
                .build();
            built.map(|compiled| Pattern { compiled }).map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => PatternError::TooLarge,
                other => PatternError::Invalid(reason(&other.to_string())),
            })
        }

        /// Whether it is well formed, without the cost of compiling: only its size is not judged.
        pub(crate) fn judge(text: &str) -> Result<(), PatternError> {
            let mut parser = regex_syntax::ParserBuilder::new().case_insensitive(true).nest_limit(MAX_DEPTH).build();
            parser.parse(text).map(|_| ()).map_err(|error| PatternError::Invalid(reason(&error.to_string())))
        }

        /// Whether the text holds it.
        pub(crate) fn is_in(&self, text: &str) -> bool {
            self.compiled.is_match(text)
        }
    }

    /// The last line of a report that shows the pattern with a caret below it.
    fn reason(report: &str) -> String {
        let last = report.trim_end().lines().next_back().unwrap_or_default().trim();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    }
}

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
    pub(crate) fn is_in(&self, _: &str) -> bool {
        false
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pattern.rs"]
mod tests;
