//! Reads the items of one list field with their places in the file, so that a finding about what an item names can
//! point at the item.

use super::lists::read_list_with_spans;
use super::{DiagnosticSink, FrontmatterOutcome, front, limits, utf8};
#[cfg(feature = "author")]
use crate::diagnostic::Position;
use crate::diagnostic::{Diagnostic, Mark};
use crate::dialect::{Dialect, FieldRole};
use crate::discovery::extras::Extras;
use crate::path::FsPath;
use crate::text::lines::Source;

/// One item of a list.
pub(crate) struct Item {
    pub(crate) text: String,
    /// Its place in the file.
    mark: Mark,
}

impl Item {
    /// Its text, and where it begins and ends.
    #[cfg(feature = "author")]
    pub(crate) fn into_place(self) -> (String, (Position, Position)) {
        let Item { text, mark } = self;
        (text, (mark.at, mark.to.unwrap_or(mark.at)))
    }

    /// Moves a finding to this item.
    pub(crate) fn locate(&self, mut finding: Diagnostic) -> Diagnostic {
        finding.mark(self.mark.clone());
        finding
    }
}

/// The items of the field with this role in a SKILL.md of these bytes; none if there is no such list.
pub(crate) fn items(extras: Extras, dialect: &Dialect, path: &FsPath, bytes: &[u8], role: &FieldRole) -> Vec<Item> {
    let (Some(field), Ok(text)) = (dialect.path_of(role), utf8(bytes, false)) else { return Vec::new() };
    let source = Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let Some(FrontmatterOutcome::Map(map)) = front(extras, dialect, &mut sink, false).map(|front| front.outcome) else {
        return Vec::new();
    };
    let Some(node) = limits::value_at(&map, field) else { return Vec::new() };
    let items = read_list_with_spans(field, &mut node.clone(), &mut sink);
    items.into_iter().map(|(text, span)| Item { text, mark: sink.mark(span) }).collect()
}
