//! In: a document and a list field. Out: the field's items, each with its place: what an item names may not be there, and the
//! finding about that is at the item.

use super::lists::{Items, list};
use super::{Notes, Outcome, front, limits, utf8};
use crate::diagnostic::{Diagnostic, Position};
use crate::dialect::{Dialect, Slot};
use crate::path::FsPath;
use crate::text::lines::Source;

/// One item of a list.
pub(crate) struct Item {
    /// What it says.
    pub(crate) text: String,
    at: Position,
    line: Option<String>,
}

impl Item {
    /// The finding, at this item.
    pub(crate) fn place(&self, mut finding: Diagnostic) -> Diagnostic {
        finding.at = Some(self.at);
        finding.line_text.clone_from(&self.line);
        finding
    }
}

/// The items of the field that says this, as the fields are read.
pub(crate) fn items(dialect: &Dialect, path: &FsPath, bytes: &[u8], slot: &Slot) -> Vec<Item> {
    let mut found = Vec::new();
    let field = dialect.fields.iter().find(|field| field.slot == *slot);
    let (Some(field), Ok(text)) = (field, utf8(bytes, false)) else { return found };
    let source = Source::new(text);
    let mut notes = Notes::new(path, &source);
    let Some(Outcome::Map(map)) = front(dialect, &mut notes, false).map(|front| front.outcome) else { return found };
    let Some(node) = limits::below(&map, &field.path) else { return found };
    let mut from = node.span.start;
    for text in list(&field.path, &mut node.clone(), Items::Commas, &mut notes) {
        let rest = source.text().get(from..node.span.end).unwrap_or_default();
        let start = rest.find(&text).map(|at| from + at);
        let at = source.position(start.unwrap_or(from));
        from = start.map_or(from, |start| start + text.len());
        found.push(Item { text, at, line: source.line(at.line).map(str::to_owned) });
    }
    found
}
