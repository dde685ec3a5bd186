//! Fills the templates of a dialect with values, which `fill` escapes by the dialect's rule.

use crate::dialect::Escape;
use crate::text::template::Template;
use std::borrow::Cow;
use std::iter;
use std::ops::Range;

/// Fills a template with values that are escaped: the hole `{name}` as text, the hole `{@name}` as an attribute.
pub(crate) fn fill(template: &Template, escape: Escape, values: &[(&str, &str)], out: &mut String) {
    let value = |hole: &str| {
        let (name, is_attribute) = split_hole(hole);
        find(name, values).map(|value| escape_value(escape, is_attribute, value))
    };
    template.render(&value, out);
}

/// Fills a template with values that are inserted as they are.
pub(crate) fn fill_unescaped(template: &Template, values: &[(&str, &str)], out: &mut String) {
    template.render(&|hole| find(hole, values).map(Cow::Borrowed), out);
}

/// The name of a hole's value, and whether it is inserted in an attribute.
pub(crate) fn split_hole(hole: &str) -> (&str, bool) {
    hole.strip_prefix('@').map_or((hole, false), |name| (name, true))
}

pub(crate) fn escape_value(escape: Escape, is_attribute: bool, value: &str) -> Cow<'_, str> {
    if is_attribute { escape.attribute(value) } else { escape.text(value) }
}

fn find<'v>(name: &str, values: &[(&str, &'v str)]) -> Option<&'v str> {
    values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The parts of a text before, between and after these ranges, which come in order from a search in the same text.
pub(crate) fn between(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<&str> {
    let mut from = 0;
    let mut parts = Vec::new();
    for range in ranges.chain(iter::once(text.len()..text.len())) {
        debug_assert!(text.get(from..range.start).is_some(), "{range:?} is not in the text");
        parts.push(text.get(from..range.start).unwrap_or_default());
        from = range.end;
    }
    parts
}
