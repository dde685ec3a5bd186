//! Reads the value of a list field, however the list is spelled (rule 6.5): as a YAML list, as one text with several
//! values, or as a list that YAML gives as one text, because it was quoted or its lines were repaired.

use super::DiagnosticSink;
use super::fields::is_absent;
use super::texts::read_word;
use crate::diagnostic::{Code, Severity};
use crate::text::words::{split_commas, split_list, split_patterns, split_rules};
use crate::text::yaml::{Node, Span, Style, Value};

/// What separates the items of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// Commas.
    Commas,
    /// Commas or white space, but not within parentheses: `Bash(git *), Read`. An item of a YAML list may hold several
    /// items, separated by commas.
    Rules,
    /// Commas, but not within braces: `src/*.{ts,tsx}, docs/**`.
    Patterns,
}

/// Reads a list. Rule 6.5: a YAML list, or one text with several values; an absent list is empty.
pub(super) fn read_list(
    name: &str,
    node: &mut Node,
    separator: Separator,
    sink: &mut DiagnosticSink<'_>,
) -> Vec<String> {
    if is_absent(node) {
        return Vec::new();
    }
    match &mut node.value {
        Value::Text(text) => split_text(text, separator),
        Value::List(list) => {
            let texts: Vec<String> = list.iter_mut().filter_map(|item| read_word(name, item, sink)).collect();
            match separator {
                Separator::Patterns if node.style == Style::Flow => split_patterns(&texts.join(",")),
                Separator::Commas | Separator::Patterns => texts,
                // YAML ends an item at every comma, even within parentheses.
                Separator::Rules if node.style == Style::Flow => split_commas(&texts.join(", ")),
                Separator::Rules => texts.iter().flat_map(|text| split_commas(text)).collect(),
            }
        }
        Value::Absent => Vec::new(),
        Value::Map(_) => {
            let message = format!("`{name}` is a mapping, expected a list");
            sink.at_span(node.span, Severity::Warning, Code::WrongType, message).advise("write one `- value` per line");
            Vec::new()
        }
    }
}

/// Reads a list with commas, each item with its span; the span of the whole value for an item that is not found in it.
pub(super) fn read_list_with_spans(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<(String, Span)> {
    let whole = node.span;
    let mut from = whole.start;
    // In a list that was repaired, the spans of the items are only near the truth.
    let mut is_moved = sink.is_repaired(node);
    match &mut node.value {
        Value::List(items) => {
            let mut found_items = Vec::with_capacity(items.len());
            for item in items {
                let Some(text) = read_word(name, item, sink) else { continue };
                let found = if is_moved { find(&text, Span { start: from, ..whole }, sink) } else { None };
                is_moved &= found.is_some();
                let span = found.unwrap_or(item.span);
                from = span.end.max(from);
                found_items.push((text, span));
            }
            found_items
        }
        Value::Text(_) => {
            let items = read_list(name, node, Separator::Commas, sink);
            let with_span = |item: String| {
                let span = find(&item, Span { start: from, ..whole }, sink);
                from = span.map_or(from, |span| span.end);
                (item, span.unwrap_or(whole))
            };
            items.into_iter().map(with_span).collect()
        }
        Value::Map(_) | Value::Absent => {
            read_list(name, node, Separator::Commas, sink);
            Vec::new()
        }
    }
}

/// The span of the first occurrence of a text within a part of the document.
fn find(text: &str, within: Span, sink: &DiagnosticSink<'_>) -> Option<Span> {
    let start = within.start + sink.slice(within)?.find(text)?;
    Some(Span { start, end: start + text.len() })
}

/// Splits a text into its items, line by line. A line of the form `- item` is one item.
fn split_text(text: &str, separator: Separator) -> Vec<String> {
    let mut found = Vec::new();
    for line in unbracketed(text.trim()).lines() {
        let items = match (line.trim().strip_prefix("- "), separator) {
            (Some(item), Separator::Commas | Separator::Patterns) => vec![item.trim().to_owned()],
            (Some(item), Separator::Rules) => split_commas(item),
            (None, Separator::Commas) => split_list(line),
            (None, Separator::Rules) => split_rules(line),
            (None, Separator::Patterns) => split_patterns(line),
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

/// The text without the brackets around it, or without an opening bracket that is never closed.
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

/// The text without the quotes around it.
fn unquoted(text: &str) -> &str {
    let inside = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inside.map_or(text, str::trim)
}
