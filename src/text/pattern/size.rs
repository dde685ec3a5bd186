//! In: a parsed pattern. Out: a number of bytes that it does not exceed when it is compiled, so that most are known to be
//! small without compiling them. Recursion is as deep as the pattern, which is bounded where it is parsed.

use regex_syntax::hir::{Class, Hir, HirKind};

/// A state with one transition, of which there is at most one a byte of each sequence; generously.
const STATE: usize = 64;

/// What there is besides: the search that begins anywhere, and the name of the whole.
const BASE: usize = 4_096;

/// The most bytes that the pattern takes.
pub(super) fn bytes(pattern: &Hir) -> usize {
    states(pattern).saturating_mul(STATE).saturating_add(BASE)
}

fn states(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() + 1,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() + 2,
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| sequences(range.start(), range.end())).sum::<usize>() + 2
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(repetition.min).max(1);
            states(&repetition.sub).saturating_add(3).saturating_mul(times as usize).saturating_add(3)
        }
        HirKind::Capture(capture) => {
            states(&capture.sub).saturating_add(8 + capture.name.as_ref().map_or(0, |name| name.len()))
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(states).fold(2, |sum, part| sum.saturating_add(part).saturating_add(1))
        }
    }
}

/// How many bytes the UTF-8 sequences have that make up a range: one where all but the last byte is the same, else
/// at most two more for each byte, and as many for each shorter length that the range goes through.
fn sequences(first: char, last: char) -> usize {
    let (from, to) = (first.len_utf8(), last.len_utf8());
    if to == 1 {
        1
    } else if from == to && u32::from(first) >> 6 == u32::from(last) >> 6 {
        to
    } else {
        // One more for the gap of the surrogates.
        (from..=to).map(|length| (2 * length + 1) * length).sum()
    }
}
