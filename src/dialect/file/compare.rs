//! Finds the first part in which two dialects differ.

use super::print::in_line;
use super::shape::{Data, FieldShape, Shape};
use crate::text::words::excerpt;

const MAX_CHARS: usize = 200;

pub(crate) struct PartDifference {
    /// The part, such as `prompt.budget`.
    pub(crate) part: String,
    /// Its value in each dialect, as in a dialect file.
    pub(crate) values: [String; 2],
}

/// The first part in which two values of one shape differ; `None` if they are equal.
pub(super) fn first_difference(a: &Data, b: &Data, shape: &'static Shape) -> Option<PartDifference> {
    if a == b {
        return None;
    }
    match (a, b, shape) {
        (Data::Parts(a), Data::Parts(b), Shape::Struct { fields, .. }) => first_in_parts(a, b, fields),
        (Data::List(a), Data::List(b), Shape::List(item)) => return Some(first_in_lists(a, b, item)),
        (Data::Null, _, _) | (_, Data::Null, _) => None,
        (_, _, Shape::Optional(inner)) => first_difference(a, b, inner),
        _ => None,
    }
    .or_else(|| {
        let values = [a, b].map(|value| excerpt(&in_line(value, shape), MAX_CHARS));
        Some(PartDifference { part: String::new(), values })
    })
}

fn first_in_parts(a: &[Data], b: &[Data], fields: &'static [FieldShape]) -> Option<PartDifference> {
    let mut parts = a.iter().zip(b).zip(fields);
    parts.find_map(|((a, b), field)| {
        let inner = first_difference(a, b, field.shape)?;
        let dot = if inner.part.is_empty() || inner.part.starts_with('[') { "" } else { "." };
        Some(PartDifference { part: format!("{}{dot}{}", field.name, inner.part), ..inner })
    })
}

/// The first row that differs, such as `[2].path`; with different numbers of rows, these.
fn first_in_lists(a: &[Data], b: &[Data], item: &'static Shape) -> PartDifference {
    let mut rows = a.iter().zip(b).enumerate();
    let difference = rows.find_map(|(n, (a, b))| {
        let inner = first_difference(a, b, item)?;
        let dot = if inner.part.is_empty() { "" } else { "." };
        Some(PartDifference { part: format!("[{n}]{dot}{}", inner.part), ..inner })
    });
    let rows = |items: &[Data]| format!("{} items", items.len());
    difference.unwrap_or_else(|| PartDifference { part: String::new(), values: [rows(a), rows(b)] })
}
