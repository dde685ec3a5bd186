//! Compiles patterns by the crate `regex`, and searches for sets of them. A pattern of a set is compiled only when a
//! text contains one of its needles.

use super::needles::{Needles, required};
use super::share::share;
use super::{MAX_TEXT_BYTES, Owned, Pattern, PatternError, size};
use regex_syntax::hir::Hir;
use std::sync::OnceLock;

/// The largest compiled pattern, in bytes: twenty Unicode words in a row fit, `\w{1000}` does not.
const MAX_BYTES: usize = 1 << 20;

/// The total size in bytes of the patterns that are searched for in one message, which does not include those whose
/// needles are not in it. Searching a message of a thousand characters then takes about half a second at the worst, and
/// compiling the patterns about as long, once.
pub(super) const MAX_TOTAL_BYTES: usize = 32 << 20;

/// The total size in bytes of all patterns that are compiled in the course of many messages.
pub(super) const MAX_KEPT_BYTES: usize = 256 << 20;

/// The total cost of parsing all patterns, in the units of `size::units`: about two seconds at the worst, once. This is
/// enough for fifty thousand patterns of the usual kind.
pub(super) const MAX_UNITS: usize = 1 << 20;

/// The deepest nesting of a pattern.
const MAX_DEPTH: u32 = 100;

impl Pattern {
    /// Compiles a pattern.
    pub(crate) fn new(text: &str) -> Result<Pattern, PatternError> {
        check_length(text)?;
        let built =
            regex::RegexBuilder::new(text).case_insensitive(true).size_limit(MAX_BYTES).nest_limit(MAX_DEPTH).build();
        built.map(|compiled| Pattern { compiled }).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => PatternError::TooLarge,
            other => PatternError::Invalid(reason(&other.to_string())),
        })
    }

    /// Checks the syntax of a pattern, without the cost of looking up its classes and of compiling it. Names of classes
    /// and the size are not checked.
    pub(crate) fn judge(text: &str) -> Result<(), PatternError> {
        check_length(text)?;
        let mut parser = regex_syntax::ast::parse::ParserBuilder::new().nest_limit(MAX_DEPTH).build();
        parser.parse(text).map(|_| ()).map_err(|error| PatternError::Invalid(reason(&error.to_string())))
    }

    /// An estimate of the cost of compiling a pattern, as the number of bytes of the result. A pattern that is
    /// expensive to parse is not parsed for it.
    pub(crate) fn bytes(text: &str) -> usize {
        /// The number of bytes that are compiled in the same time as one unit is parsed.
        const UNIT: usize = 256;
        const MOST_UNITS: usize = 2_048;
        let units = size::units(text);
        let known = if units <= MOST_UNITS { parse(text).ok() } else { None };
        known.map_or(0, |hir| size::bytes(&hir).min(MAX_BYTES)).max(units.saturating_mul(UNIT))
    }

    /// Whether the text contains a match.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }
}

fn parse(text: &str) -> Result<Hir, PatternError> {
    check_length(text)?;
    let mut parser = regex_syntax::ParserBuilder::new().case_insensitive(true).nest_limit(MAX_DEPTH).build();
    parser.parse(text).map_err(|error| {
        let reason = reason(&error.to_string());
        match error {
            // The syntax is valid.
            regex_syntax::Error::Translate(_) => PatternError::Unknown(reason),
            _ => PatternError::Invalid(reason),
        }
    })
}

/// Checks the length of a pattern before it is parsed, as its parsed form is many times as large.
fn check_length(text: &str) -> Result<(), PatternError> {
    if text.len() <= MAX_TEXT_BYTES { Ok(()) } else { Err(PatternError::TooLarge) }
}

/// The last line of an error message, which before that shows the pattern with a caret below it.
fn reason(message: &str) -> String {
    let message = message.trim_end();
    let last = message.rsplit_once('\n').map_or(message, |(_, last)| last).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// A set of patterns that are searched for together.
#[derive(Debug)]
pub(crate) struct Patterns {
    members: Vec<Member>,
    owned: Vec<Owned>,
    needles: Needles,
}

/// A pattern of a set.
#[derive(Debug)]
struct Member {
    text: String,
    /// Whether it has needles.
    has_needles: bool,
    /// An estimate of its compiled size; 0 if it is never compiled.
    bytes: usize,
    /// Compiled when a text may contain a match.
    compiled: OnceLock<Result<Pattern, PatternError>>,
}

impl Member {
    fn compiled(&self) -> &Result<Pattern, PatternError> {
        self.compiled.get_or_init(|| Pattern::new(&self.text))
    }
}

impl Patterns {
    /// Parses the patterns, which are then referred to by their index. None is compiled yet. Those that exceed
    /// [`MAX_UNITS`] are not parsed, and those that exceed [`MAX_KEPT_BYTES`] are never compiled.
    pub(crate) fn new(texts: &[&str], owned: Vec<Owned>) -> Patterns {
        let units = texts.iter().map(|text| Some(size::units(text))).collect::<Vec<_>>();
        let parsed = share(&units, &owned, MAX_UNITS);
        let mut needles = Needles::default();
        let member = |(place, (text, is_parsed)): (usize, (&&str, bool))| {
            let hir = if is_parsed { parse(text) } else { Err(PatternError::OverLimit) };
            let required = hir.as_ref().ok().and_then(required);
            let (has_needles, compiled) = (required.is_some(), OnceLock::new());
            for needle in required.into_iter().flatten() {
                needles.add(place, needle);
            }
            let bytes = hir.as_ref().map_or(0, |hir| size::bytes(hir).min(MAX_BYTES));
            if let Err(error) = hir {
                _ = compiled.set(Err(error));
            }
            Member { text: (*text).to_owned(), has_needles, bytes, compiled }
        };
        let mut members: Vec<Member> = texts.iter().zip(parsed).enumerate().map(member).collect();
        needles.link();
        let bytes = members.iter().map(|member| Some(member.bytes)).collect::<Vec<_>>();
        for (member, is_kept) in members.iter_mut().zip(share(&bytes, &owned, MAX_KEPT_BYTES)) {
            if !is_kept {
                member.bytes = 0;
                _ = member.compiled.set(Err(PatternError::OverLimit));
            }
        }
        Patterns { members, owned, needles }
    }

    /// Calls the function with each pattern of which the text contains a match, and with each that is not searched for,
    /// in order. The text is read once for all needles, and once for each pattern that may match. Of these, only as
    /// many are searched for as fit into [`MAX_TOTAL_BYTES`].
    pub(crate) fn find<'p>(&'p self, text: &str, found: &mut dyn FnMut(usize, Result<(), &'p PatternError>)) {
        let mut may_match: Vec<bool> = self.members.iter().map(|member| !member.has_needles).collect();
        self.needles.find(text, &mut |place| may_match[place] = true);
        let costs = self.members.iter().zip(&may_match);
        let costs = costs.map(|(member, may_match)| may_match.then_some(member.bytes)).collect::<Vec<_>>();
        let fits = share(&costs, &self.owned, MAX_TOTAL_BYTES);
        for (place, (member, (may_match, fits))) in self.members.iter().zip(may_match.into_iter().zip(fits)).enumerate()
        {
            let answer = match may_match {
                false => continue,
                true if fits => member.compiled(),
                true => &Err(PatternError::OverLimit),
            };
            match answer {
                Ok(pattern) if pattern.is_in(text) => found(place, Ok(())),
                Ok(_) => {}
                Err(error) => found(place, Err(error)),
            }
        }
    }

    /// The number of patterns that were compiled so far, and an estimate of their total size.
    #[cfg(test)]
    pub(super) fn cost(&self) -> (usize, usize) {
        let compiled = self
            .members
            .iter()
            .filter(|member| matches!(member.compiled.get(), Some(Ok(_) | Err(PatternError::TooLarge))));
        compiled.fold((0, 0), |(count, bytes), member| (count + 1, bytes + member.bytes))
    }
}

/// An estimate of the compiled size of a pattern, without the limit.
#[cfg(test)]
pub(super) fn approximate(text: &str) -> usize {
    parse(text).map_or(0, |hir| size::bytes(&hir))
}
