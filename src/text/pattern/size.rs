//! Estimates the cost of parsing a pattern from its text, and its compiled size from its parsed form, so that limits
//! can be applied before the work is done. Recursion is as deep as the pattern, whose depth is limited when it is
//! parsed.

use regex_syntax::hir::{Class, Hir, HirKind};

/// The units of a Unicode class, whose letters are looked up in tables, in all their cases.
const CLASS_UNITS: usize = 64;

/// The units of a class such as `\w` outside brackets, where its cases are known.
const SHORT_CLASS_UNITS: usize = 4;

/// An estimate of the cost of parsing: 1 for each character of the text, and more for classes. A unit takes at most
/// about two microseconds.
pub(super) fn units(text: &str) -> usize {
    let (mut units, mut has_brackets, mut is_escaped) = (0_usize, false, false);
    for c in text.chars() {
        units += match c {
            'p' | 'P' if is_escaped => CLASS_UNITS,
            'w' | 'W' | 'd' | 'D' | 's' | 'S' if is_escaped && !has_brackets => SHORT_CLASS_UNITS,
            // In brackets, a character that is escaped or not ASCII may be a class or the end of a long range.
            _ if has_brackets && (is_escaped || !c.is_ascii()) => CLASS_UNITS,
            _ => 1,
        };
        has_brackets |= c == '[' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    units
}

/// An estimate of the size of the compiled pattern in bytes, correct to within a factor of five.
pub(super) fn bytes(pattern: &Hir) -> usize {
    const BASE: usize = 4_096;
    inner(pattern).saturating_add(BASE)
}

fn inner(pattern: &Hir) -> usize {
    /// The size of a state of the compiled pattern.
    const STATE: usize = 24;
    /// The size of a range of characters, whose UTF-8 encodings share most of their bytes.
    const RANGE: usize = 32;
    /// The additional size of a range up to the last characters, whose encodings begin with many different bytes.
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
