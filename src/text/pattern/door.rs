//! In: texts of patterns, and a text to find them in. Out: patterns compiled by the crate `regex`; of many, those that
//! are found, each compiled only when what it needs is there. Absent: how what it needs is known (`needles`).

use super::needles::{Needles, required};
use super::size::bytes;
use super::{Pattern, PatternError};
use crate::gather::Gather;
use regex_syntax::hir::Hir;
use std::sync::OnceLock;

/// How many bytes a compiled pattern may take: twenty Unicode words in a row fit, `\w{1000}` does not.
const MAX_BYTES: usize = 1 << 20;

/// How deeply a pattern may be nested.
const MAX_DEPTH: u32 = 100;

impl Pattern {
    /// Compiles.
    pub(crate) fn new(text: &str) -> Result<Pattern, PatternError> {
        let built =
            regex::RegexBuilder::new(text).case_insensitive(true).size_limit(MAX_BYTES).nest_limit(MAX_DEPTH).build();
        built.map(|compiled| Pattern { compiled }).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => PatternError::TooLarge,
            other => PatternError::Invalid(reason(&other.to_string())),
        })
    }

    /// Whether it is well formed, without the cost of compiling: only its size is not judged.
    pub(crate) fn judge(text: &str) -> Result<(), PatternError> {
        parse(text).map(|_| ())
    }

    /// Whether the text holds it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }
}

fn parse(text: &str) -> Result<Hir, PatternError> {
    let mut parser = regex_syntax::ParserBuilder::new().case_insensitive(true).nest_limit(MAX_DEPTH).build();
    parser.parse(text).map_err(|error| PatternError::Invalid(reason(&error.to_string())))
}

/// The last line of a report that shows the pattern with a caret below it.
fn reason(report: &str) -> String {
    let last = report.trim_end().lines().next_back().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// Patterns that are looked for together.
#[derive(Debug)]
pub(crate) struct Patterns {
    all: Vec<One>,
    needles: Needles,
}

#[derive(Debug)]
struct One {
    text: String,
    /// Whether a text may hold it without a needle.
    is_bare: bool,
    /// Made when a text may hold it; at once where it may be too large, which is told in any case.
    compiled: OnceLock<Result<Pattern, PatternError>>,
}

impl One {
    fn compiled(&self) -> &Result<Pattern, PatternError> {
        self.compiled.get_or_init(|| Pattern::new(&self.text))
    }
}

impl Patterns {
    /// Prepares them. They are known by their places.
    pub(crate) fn new(texts: &[&str]) -> Patterns {
        let mut needles = Needles::default();
        let all = (0..).zip(texts).map(|(place, text)| {
            let hir = parse(text);
            let need = hir.as_ref().ok().and_then(required);
            let one = One { text: (*text).to_owned(), is_bare: need.is_none(), compiled: OnceLock::new() };
            if !hir.as_ref().is_ok_and(|hir| bytes(hir) <= MAX_BYTES) {
                one.compiled();
            }
            for needle in need.unwrap_or_default() {
                needles.add(place, needle);
            }
            one
        });
        let all = all.gather();
        needles.link();
        Patterns { all, needles }
    }

    /// Calls with those that the text holds, and with those that are none, in order. The text is read once for what
    /// patterns need, and once for each pattern that may be in it.
    pub(crate) fn find<'p>(&'p self, text: &str, found: &mut dyn FnMut(usize, Result<(), &'p PatternError>)) {
        let mut may_be: Vec<bool> = self.all.iter().map(|one| one.is_bare).gather();
        self.needles.find(text, &mut |place| {
            if let Some(may_be) = may_be.get_mut(place) {
                *may_be = true;
            }
        });
        for (place, (one, may_be)) in self.all.iter().zip(may_be).enumerate() {
            let known = if may_be { Some(one.compiled()) } else { one.compiled.get() };
            match known {
                Some(Ok(pattern)) if may_be && pattern.is_in(text) => found(place, Ok(())),
                Some(Ok(_)) | None => {}
                Some(Err(error)) => found(place, Err(error)),
            }
        }
    }
}

#[cfg(test)]
pub(super) fn is_small(text: &str) -> bool {
    parse(text).is_ok_and(|hir| bytes(&hir) <= MAX_BYTES)
}
