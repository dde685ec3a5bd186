//! In: a document and a list field. Out: the field's items, each with its place: what an item names may not be there, and the
//! finding about that is at the item.

use super::lists::placed;
use super::{DiagnosticSink, ReadOutcome, front, limits, utf8};
use crate::diagnostic::{Diagnostic, Mark};
use crate::dialect::{Dialect, FieldRole};
use crate::path::FsPath;
use crate::text::lines::Source;

/// One item of a list.
pub(crate) struct Item {
    /// What it says.
    pub(crate) text: String,
    mark: Mark,
}

impl Item {
    /// The finding, at this item.
    pub(crate) fn place(&self, mut finding: Diagnostic) -> Diagnostic {
        finding.mark(self.mark.clone());
        finding
    }
}

/// The items of the field that says this, as the fields are read.
pub(crate) fn items(dialect: &Dialect, path: &FsPath, bytes: &[u8], slot: &FieldRole) -> Vec<Item> {
    let field = dialect.fields.iter().find(|field| field.slot == *slot);
    let (Some(field), Ok(text)) = (field, utf8(bytes, false)) else { return Vec::new() };
    let source = Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let Some(ReadOutcome::Map(map)) = front(dialect, &mut sink, false).map(|front| front.outcome) else {
        return Vec::new();
    };
    let Some(node) = limits::below(&map, &field.path) else { return Vec::new() };
    let placed = placed(&field.path, &mut node.clone(), &mut sink);
    placed.into_iter().map(|(text, span)| Item { text, mark: sink.mark(span) }).collect()
}
