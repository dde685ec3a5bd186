//! In: the value of a list field. Out: its items, however the list is spelled (decisions 4).
//! Also a list that YAML gives as one text: one that was quoted whole, or repaired into its source.

use super::DiagnosticSink;
use super::fields::{is_null, text};
use crate::diagnostic::{Code, Severity};
use crate::text::words::{split_commas, split_list, split_rules};
use crate::text::yaml::{Node, Span, Style, Value};

/// What stands between the items of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    Commas,
    /// White space too, outside of parentheses. An item of a YAML list may hold several, with commas.
    Rules,
}

/// decisions 4: a YAML list, or one text with several values in it; an absent one is empty.
pub(super) fn list(name: &str, node: &mut Node, items: Items, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    if is_null(node) {
        return Vec::new();
    }
    match &mut node.value {
        Value::Text(text) => listed(text, items),
        Value::List(list) => {
            let texts: Vec<String> = list.iter_mut().filter_map(|item| text(name, item, sink)).collect();
            match items {
                Items::Commas => texts,
                // A comma in parentheses is none that ends an item, though YAML takes it for one.
                Items::Rules if node.style == Style::Flow => split_commas(&texts.join(", ")),
                Items::Rules => texts.iter().flat_map(|text| split_commas(text)).collect(),
            }
        }
        Value::Absent => Vec::new(),
        Value::Map(_) => {
            let message = format!("`{name}` is a mapping, expected a list");
            sink.over(node.span, Severity::Warning, Code::WrongType, message).advise("write one `- value` per line");
            Vec::new()
        }
    }
}

/// The same of values between commas, each with where it stands; the whole text where that cannot be told.
pub(super) fn placed(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<(String, Span)> {
    let whole = node.span;
    let mut from = whole.start;
    // In a list that was repaired items stand only near their places.
    let mut is_moved = sink.is_repaired(node);
    match &mut node.value {
        Value::List(items) => {
            let mut placed = Vec::with_capacity(items.len());
            for item in items {
                let Some(text) = text(name, item, sink) else { continue };
                let found = if is_moved { find(&text, Span { start: from, ..whole }, sink) } else { None };
                is_moved &= found.is_some();
                let span = found.unwrap_or(item.span);
                from = span.end.max(from);
                placed.push((text, span));
            }
            placed
        }
        Value::Text(_) => {
            let items = list(name, node, Items::Commas, sink);
            let place = |item: String| {
                let span = find(&item, Span { start: from, ..whole }, sink);
                from = span.map_or(from, |span| span.end);
                (item, span.unwrap_or(whole))
            };
            items.into_iter().map(place).collect()
        }
        Value::Map(_) | Value::Absent => {
            list(name, node, Items::Commas, sink);
            Vec::new()
        }
    }
}

/// Where a text first stands within a part of the document.
fn find(text: &str, within: Span, sink: &DiagnosticSink<'_>) -> Option<Span> {
    let start = within.start + sink.slice(within.start, within.end).find(text)?;
    Some(Span { start, end: start + text.len() })
}

/// The items of a text: those of each of its lines, or the line itself where it is a `- item`.
fn listed(text: &str, items: Items) -> Vec<String> {
    let mut found = Vec::new();
    for line in unbracketed(text.trim()).lines() {
        let items = match (line.trim().strip_prefix("- "), items) {
            (Some(item), Items::Commas) => vec![item.trim().to_owned()],
            (Some(item), Items::Rules) => split_commas(item),
            (None, Items::Commas) => split_list(line),
            (None, Items::Rules) => split_rules(line),
        };
        for mut item in items {
            let inner = unquoted(&item);
            if inner.len() < item.len() {
                item = inner.to_owned();
            }
            if !item.is_empty() {
                found.push(item);
            }
        }
    }
    found
}

/// The inside of brackets that stand round the whole, or of one that is never closed.
fn unbracketed(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('[') else { return text };
    let mut depth = 1_usize;
    for (at, c) in inner.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return inner.strip_suffix(']').filter(|inside| inside.len() == at).unwrap_or(text);
        }
    }
    if inner.contains(']') { text } else { inner }
}

/// The text without the quotes round it.
fn unquoted(text: &str) -> &str {
    let inside = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inside.map_or(text, str::trim)
}
