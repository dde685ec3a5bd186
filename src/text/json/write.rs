//! Writes JSON, compact or indented by two spaces.

use super::Json;
use super::view::{FieldViews, JsonView};
use crate::text::escape::json_inside;
use std::fmt::{self, Write as _};

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f, 1)
    }
}

/// An object that is written while its values are made, so that it is never in memory as a whole.
pub(crate) struct JsonObject<'w, 'f> {
    f: &'w mut fmt::Formatter<'f>,
    is_empty: bool,
    /// The text of one item of a list, which is written in one piece.
    piece: String,
}

impl<'w, 'f> JsonObject<'w, 'f> {
    /// Writes the opening brace.
    pub(crate) fn begin(f: &'w mut fmt::Formatter<'f>) -> Result<JsonObject<'w, 'f>, fmt::Error> {
        f.write_str("{")?;
        Ok(JsonObject { f, is_empty: true, piece: String::new() })
    }

    /// Writes a field whose value is a string.
    pub(crate) fn text(&mut self, name: &str, value: &str) -> fmt::Result {
        self.name(name)?;
        write_text(value, self.f)
    }

    /// Writes a field whose value is a list. Each item is dropped when it is written.
    pub(crate) fn list<'v>(&mut self, name: &str, items: &mut dyn Iterator<Item = JsonView<'v>>) -> fmt::Result {
        self.name(name)?;
        let piece = &mut self.piece;
        write_between(self.f, ["[", "]"], items, 2, |item, f| {
            piece.clear();
            let item = Item(&item);
            if f.alternate() { write!(piece, "{item:#}") } else { write!(piece, "{item}") }?;
            f.write_str(piece)
        })
    }

    /// Writes the name of the next field.
    fn name(&mut self, name: &str) -> fmt::Result {
        self.f.write_str(if self.is_empty { "" } else { "," })?;
        self.is_empty = false;
        new_line(self.f, 1)?;
        write_name(name, self.f)
    }

    /// Writes the closing brace.
    pub(crate) fn end(self) -> fmt::Result {
        if !self.is_empty {
            new_line(self.f, 0)?;
        }
        self.f.write_str("}")
    }
}

/// An item of a list in an object.
struct Item<'i, 'v>(&'i JsonView<'v>);

impl fmt::Display for Item<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_view(self.0, f, 3)
    }
}

/// Recurses once for each level, of which there are as many as the program wrote.
fn write_view(value: &JsonView<'_>, f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    match value {
        JsonView::Json(json) => write(json, f, level),
        JsonView::Bool(value) => f.write_str(if *value { "true" } else { "false" }),
        JsonView::Text(text) => write_text(text, f),
        JsonView::List(items) => write_between(f, ["[", "]"], items, level, |item, f| write_view(item, f, level + 1)),
        JsonView::Map(FieldViews(fields)) => write_between(f, ["{", "}"], fields, level, |(key, value), f| {
            write_name(key, f)?;
            write_view(value, f, level + 1)
        }),
    }
}

/// Recurses once for each level. [`Json::parse`] limits their number.
fn write(value: &Json, f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    match value {
        Json::Null => f.write_str("null"),
        Json::Bool(value) => write!(f, "{value}"),
        Json::Number(source) => f.write_str(source),
        Json::Text(text) => write_text(text, f),
        Json::List(items) => write_between(f, ["[", "]"], items, level, |item, f| write(item, f, level + 1)),
        Json::Map(fields) => write_between(f, ["{", "}"], fields, level, |(key, value), f| {
            write_name(key, f)?;
            write(value, f, level + 1)
        }),
    }
}

fn write_between<T>(
    f: &mut fmt::Formatter<'_>,
    [open, close]: [&str; 2],
    items: impl IntoIterator<Item = T>,
    level: usize,
    mut write_item: impl FnMut(T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    let mut is_empty = true;
    for item in items {
        f.write_str(if is_empty { "" } else { "," })?;
        is_empty = false;
        new_line(f, level)?;
        write_item(item, f)?;
    }
    if !is_empty {
        new_line(f, level - 1)?;
    }
    f.write_str(close)
}

fn new_line(f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    /// A line end and eight levels, so that most lines are begun by one call.
    const LINE: &str = "\n                ";
    if !f.alternate() {
        return Ok(());
    }
    f.write_str(&LINE[..1 + 2 * level.min(8)])?;
    (8..level).try_for_each(|_| f.write_str("  "))
}

/// Writes the name of a field with a colon.
fn write_name(name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write_text(name, f)?;
    f.write_str(if f.alternate() { ": " } else { ":" })
}

fn write_text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    f.write_str(&json_inside(text))?;
    f.write_str("\"")
}
