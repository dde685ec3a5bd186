//! In: a value. Out: JSON, compact or indented by two spaces.

use super::Json;
use crate::text::escape::json_inside;
use std::fmt;

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f, 1)
    }
}

/// Recurses once a level: [`Json::parse`] caps those, and a value built by hand is as deep as its code.
fn write(value: &Json, f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    match value {
        Json::Null => f.write_str("null"),
        Json::Bool(value) => write!(f, "{value}"),
        Json::Number(source) => f.write_str(source),
        Json::Text(text) => write_text(text, f),
        Json::List(items) => write_between(f, ["[", "]"], items, level, |item, f| write(item, f, level + 1)),
        Json::Map(fields) => write_between(f, ["{", "}"], fields, level, |(key, value), f| {
            write_text(key, f)?;
            f.write_str(if f.alternate() { ": " } else { ":" })?;
            write(value, f, level + 1)
        }),
    }
}

fn write_between<T>(
    f: &mut fmt::Formatter<'_>,
    [open, close]: [&str; 2],
    items: &[T],
    level: usize,
    mut write_item: impl FnMut(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(",")?;
        }
        new_line(f, level)?;
        write_item(item, f)?;
    }
    if !items.is_empty() {
        new_line(f, level - 1)?;
    }
    f.write_str(close)
}

fn new_line(f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    if f.alternate() { write!(f, "\n{:1$}", "", level * 2) } else { Ok(()) }
}

fn write_text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    f.write_str(&json_inside(text))?;
    f.write_str("\"")
}
