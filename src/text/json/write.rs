//! In: a value. Out: JSON, compact or indented by two spaces.

use super::Json;
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
    let mut rest = text;
    // U+2028 and U+2029 end a line in older JavaScript.
    while let Some(at) = rest.find(|c| matches!(c, '"' | '\\' | '\0'..='\u{1f}' | '\u{2028}' | '\u{2029}')) {
        let (plain, from) = rest.split_at(at);
        f.write_str(plain)?;
        let mut chars = from.chars();
        match chars.next() {
            Some('\n') => f.write_str("\\n")?,
            Some('\r') => f.write_str("\\r")?,
            Some('\t') => f.write_str("\\t")?,
            Some(c @ ('"' | '\\')) => write!(f, "\\{c}")?,
            Some(c) => write!(f, "\\u{:04x}", u32::from(c))?,
            None => {}
        }
        rest = chars.as_str();
    }
    f.write_str(rest)?;
    f.write_str("\"")
}
