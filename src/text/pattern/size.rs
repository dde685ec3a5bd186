//! In: a pattern. Out: about what it costs to parse, from its text, and how many bytes it takes when it is compiled, from
//! its parsed form: so that work is shared out before it is done. Recursion is as deep as the pattern, which is bounded
//! where it is parsed.

use regex_syntax::hir::{Class, Hir, HirKind};

/// What a class of Unicode costs to parse, in characters: its letters are looked up in tables, and in all their cases.
const CLASS_UNITS: usize = 64;

/// What a class such as `\w` costs outside of brackets, where its cases are known.
const SHORT_CLASS_UNITS: usize = 4;

/// About what parsing costs: 1 for a character of the text, more for what stands for many characters. A unit takes at
/// most about two microseconds.
pub(super) fn units(text: &str) -> usize {
    let (mut units, mut has_brackets, mut is_escaped) = (0_usize, false, false);
    for c in text.chars() {
        units += match c {
            'p' | 'P' if is_escaped => CLASS_UNITS,
            'w' | 'W' | 'd' | 'D' | 's' | 'S' if is_escaped && !has_brackets => SHORT_CLASS_UNITS,
            // In brackets, what is escaped or no ASCII may be a class or the end of a long range.
            _ if has_brackets && (is_escaped || !c.is_ascii()) => CLASS_UNITS,
            _ => 1,
        };
        has_brackets |= c == '[' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    units
}

/// About how many bytes the compiled pattern takes, right to within a factor of five.
pub(super) fn bytes(pattern: &Hir) -> usize {
    const BASE: usize = 4_096;
    inner(pattern).saturating_add(BASE)
}

fn inner(pattern: &Hir) -> usize {
    /// A state of the compiled pattern.
    const STATE: usize = 24;
    /// A range of characters; those of UTF-8 share most of their bytes.
    const RANGE: usize = 32;
    /// A range up to the last characters begins with many different bytes.
    const WIDE: usize = 400;
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => STATE,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(STATE),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() * RANGE + STATE,
        HirKind::Class(Class::Unicode(class)) => {
            let is_wide = class.ranges().last().is_some_and(|last| last.end() > '\u{ffff}');
            class.ranges().len() * RANGE + STATE + if is_wide { WIDE } else { 0 }
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1);
            inner(&repetition.sub).saturating_add(STATE).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => inner(&capture.sub).saturating_add(2 * STATE),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(inner).fold(STATE, |sum, part| sum.saturating_add(part).saturating_add(STATE))
        }
    }
}
