//! Fills the templates of a dialect with values. The only place that decides how a value is escaped.

use crate::dialect::Escape;
use crate::text::template::Template;
use std::borrow::Cow;

/// Fills a template with values that are escaped: the hole `{name}` as text, the hole `{@name}` as an attribute.
pub(crate) fn fill(template: &Template, escape: Escape, values: &[(&str, &str)], out: &mut String) {
    template.render(&|hole| escaped(escape, hole, values), out);
}

/// Fills a template with values that are inserted as they are.
pub(crate) fn fill_unescaped(template: &Template, values: &[(&str, &str)], out: &mut String) {
    template.render(&|hole| find(hole, values).map(Cow::Borrowed), out);
}

/// The escaped value of a hole.
pub(crate) fn escaped<'v>(escape: Escape, hole: &str, values: &[(&str, &'v str)]) -> Option<Cow<'v, str>> {
    let (name, is_attribute) = split_hole(hole);
    find(name, values).map(|value| escape_value(escape, is_attribute, value))
}

/// The value of a hole in the frame of a loaded skill. Outside of attributes it is not escaped, as the frame is Markdown
/// there (rule 12.6), unless it could be read as a tag: a file path may contain `</skill>`.
pub(crate) fn escaped_in_frame<'v>(escape: Escape, hole: &str, values: &[(&str, &'v str)]) -> Option<Cow<'v, str>> {
    match find(hole, values) {
        Some(value) if !value.contains(['<', '>']) => Some(Cow::Borrowed(value)),
        _ => escaped(escape, hole, values),
    }
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
