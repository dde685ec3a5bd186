//! In: texts of patterns, and a text to find them in. Out: patterns compiled by the crate `regex`; of many, those that
//! are found, each compiled only when what it needs is there. Absent: how what it needs is known (`needles`).

use super::needles::{Needles, required};
use super::share::share;
use super::{MAX_TEXT_BYTES, Owned, Pattern, PatternError, size};
use regex_syntax::hir::Hir;
use std::sync::OnceLock;

/// How many bytes a compiled pattern may take: twenty Unicode words in a row fit, `\w{1000}` does not.
const MAX_BYTES: usize = 1 << 20;

/// How many bytes the patterns of all skills may take that one message is searched for: then a message of a thousand
/// characters takes about half a second at the worst, and the patterns as long to compile, once. Patterns whose needles
/// are not in the message do not count.
pub(super) const MAX_TOTAL_BYTES: usize = 32 << 20;

/// How many bytes all patterns may take that are compiled in the course of many messages.
pub(super) const MAX_KEPT_BYTES: usize = 256 << 20;

/// How much parsing the patterns of all skills may take, in the units of `size::units`: about two seconds at the worst,
/// once, and room for fifty thousand patterns of the usual kind.
pub(super) const MAX_UNITS: usize = 1 << 20;

/// How deeply a pattern may be nested.
const MAX_DEPTH: u32 = 100;

impl Pattern {
    /// Compiles.
    pub(crate) fn new(text: &str) -> Result<Pattern, PatternError> {
        fits(text)?;
        let built =
            regex::RegexBuilder::new(text).case_insensitive(true).size_limit(MAX_BYTES).nest_limit(MAX_DEPTH).build();
        built.map(|compiled| Pattern { compiled }).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => PatternError::TooLarge,
            other => PatternError::Invalid(reason(&other.to_string())),
        })
    }

    /// Whether it is well formed, without the cost of looking up what its classes stand for, and of compiling: what they
    /// are named and what it grows to is not judged.
    pub(crate) fn judge(text: &str) -> Result<(), PatternError> {
        fits(text)?;
        let mut parser = regex_syntax::ast::parse::ParserBuilder::new().nest_limit(MAX_DEPTH).build();
        parser.parse(text).map(|_| ()).map_err(|error| PatternError::Invalid(reason(&error.to_string())))
    }

    /// About how many bytes it takes to be compiled. One that costs much to parse is not parsed for this.
    pub(crate) fn bytes(text: &str) -> usize {
        /// A unit of parsing takes as long as so many bytes to be compiled.
        const UNIT: usize = 256;
        const MOST_UNITS: usize = 2_048;
        let units = size::units(text);
        let known = if units <= MOST_UNITS { parse(text).ok() } else { None };
        known.map_or(0, |hir| size::bytes(&hir).min(MAX_BYTES)).max(units.saturating_mul(UNIT))
    }

    /// Whether the text holds it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }
}

fn parse(text: &str) -> Result<Hir, PatternError> {
    fits(text)?;
    let mut parser = regex_syntax::ParserBuilder::new().case_insensitive(true).nest_limit(MAX_DEPTH).build();
    parser.parse(text).map_err(|error| {
        let reason = reason(&error.to_string());
        match error {
            // The form is good.
            regex_syntax::Error::Translate(_) => PatternError::Unknown(reason),
            _ => PatternError::Invalid(reason),
        }
    })
}

/// A longer text is not even parsed, as its parsed form takes many times its room.
fn fits(text: &str) -> Result<(), PatternError> {
    if text.len() <= MAX_TEXT_BYTES { Ok(()) } else { Err(PatternError::TooLarge) }
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
    owned: Vec<Owned>,
    needles: Needles,
}

#[derive(Debug)]
struct One {
    text: String,
    /// Whether a text may hold it without a needle.
    is_bare: bool,
    /// About how many bytes it takes when it is compiled; nothing for one that never is.
    bytes: usize,
    /// Made when a text may hold it.
    compiled: OnceLock<Result<Pattern, PatternError>>,
}

impl One {
    fn compiled(&self) -> &Result<Pattern, PatternError> {
        self.compiled.get_or_init(|| Pattern::new(&self.text))
    }
}

impl Patterns {
    /// Prepares them. They are known by their places. None is compiled yet; those that do not fit into [`MAX_UNITS`] are
    /// not even parsed, and those that do not fit into [`MAX_KEPT_BYTES`] are never compiled.
    pub(crate) fn new(texts: &[&str], owned: Vec<Owned>) -> Patterns {
        let units = texts.iter().map(|text| Some(size::units(text))).collect::<Vec<_>>();
        let parsed = share(&units, &owned, MAX_UNITS);
        let mut needles = Needles::default();
        let one = |(place, (text, is_parsed)): (usize, (&&str, bool))| {
            let hir = if is_parsed { parse(text) } else { Err(PatternError::NoRoom) };
            let need = hir.as_ref().ok().and_then(required);
            let (is_bare, compiled) = (need.is_none(), OnceLock::new());
            for needle in need.unwrap_or_default() {
                needles.add(place, needle);
            }
            let bytes = hir.as_ref().map_or(0, |hir| size::bytes(hir).min(MAX_BYTES));
            if let Err(error) = hir {
                _ = compiled.set(Err(error));
            }
            One { text: (*text).to_owned(), is_bare, bytes, compiled }
        };
        let mut all: Vec<One> = texts.iter().zip(parsed).enumerate().map(one).collect();
        needles.link();
        let bytes = all.iter().map(|one| Some(one.bytes)).collect::<Vec<_>>();
        for (one, is_kept) in all.iter_mut().zip(share(&bytes, &owned, MAX_KEPT_BYTES)) {
            if !is_kept {
                one.bytes = 0;
                _ = one.compiled.set(Err(PatternError::NoRoom));
            }
        }
        Patterns { all, owned, needles }
    }

    /// Calls with those that the text holds, and with those that are not looked for, in order. The text is read once for
    /// what patterns need, and once for each pattern that may be in it. Of these only as many are looked for as fit
    /// into [`MAX_TOTAL_BYTES`].
    pub(crate) fn find<'p>(&'p self, text: &str, found: &mut dyn FnMut(usize, Result<(), &'p PatternError>)) {
        let mut may_be: Vec<bool> = self.all.iter().map(|one| one.is_bare).collect();
        self.needles.find(text, &mut |place| {
            if let Some(may_be) = may_be.get_mut(place) {
                *may_be = true;
            }
        });
        let wanted = self.all.iter().zip(&may_be).map(|(one, may_be)| may_be.then_some(one.bytes)).collect::<Vec<_>>();
        let is_in = share(&wanted, &self.owned, MAX_TOTAL_BYTES);
        for (place, (one, (may_be, is_in))) in self.all.iter().zip(may_be.into_iter().zip(is_in)).enumerate() {
            let answer = match may_be {
                false => continue,
                true if is_in => one.compiled(),
                true => &Err(PatternError::NoRoom),
            };
            match answer {
                Ok(pattern) if pattern.is_in(text) => found(place, Ok(())),
                Ok(_) => {}
                Err(error) => found(place, Err(error)),
            }
        }
    }

    /// How many were compiled so far, and about how many bytes they take.
    #[cfg(test)]
    pub(super) fn cost(&self) -> (usize, usize) {
        let compiled =
            self.all.iter().filter(|one| matches!(one.compiled.get(), Some(Ok(_) | Err(PatternError::TooLarge))));
        compiled.fold((0, 0), |(count, bytes), one| (count + 1, bytes + one.bytes))
    }
}

/// About how many bytes a pattern takes that is compiled.
#[cfg(test)]
pub(super) fn approximate(text: &str) -> usize {
    parse(text).map_or(0, |hir| size::bytes(&hir))
}
