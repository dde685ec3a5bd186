//! Reads YAML line by line, as some clients do: the fields at the left margin one by one, or the last lines that begin
//! with certain keys.

use super::entry::{key_of, line_end};
use super::rewrite::map_spans;
use super::{Repaired, Shape, repair};
use crate::text::lines::lines;
use crate::text::yaml::{self, Node, Span, Style, Value};
use std::collections::HashSet;

/// The pairs whose keys are at the left margin, with a colon and a blank behind them. Each is read by itself, and its
/// value corrected if it is not valid YAML. Indented lines, and list items below a key without a value, belong to the
/// pair before them; all other lines are passed over.
pub(crate) fn by_line(text: &str, shape: &dyn Fn(&str) -> Shape) -> Repaired {
    let whole = Span { start: 0, end: text.len() };
    let root = Node { value: Value::Absent, span: whole, style: Style::Block, tag: None };
    let mut found = Repaired { root, mends: Vec::new(), notices: Vec::new(), missed: None };
    let (mut pairs, mut seen) = (Vec::new(), HashSet::new());
    for entry in entries(text) {
        let start = entry.start;
        let Some((mut key, mut value)) = pair(&text[entry], start, shape, &mut found) else { continue };
        let moved = |at| at + start;
        map_spans(&mut key, &moved);
        map_spans(&mut value, &moved);
        if let Value::Text(name) = &key.value {
            if !seen.insert(name.clone()) {
                found.notices.push(yaml::duplicate_key(&pairs, name, (&key, &value)));
                continue;
            }
        }
        pairs.push((key, value));
    }
    found.root.value = Value::Map(pairs);
    found
}

/// The lines of each pair.
fn entries(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    // Whether lines may belong to the last entry, and whether these may be list items at the left margin.
    let (mut is_open, mut takes_items) = (false, false);
    for (start, line) in lines(text) {
        let end = line_end(text, start);
        let key = key_of(line).map(|(_, colon)| &line[colon + 1..]);
        if let Some(rest) = key.filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
            found.push(start..end);
            (is_open, takes_items) = (true, rest.trim().is_empty());
            continue;
        }
        let is_item = takes_items && (line == "-" || line.starts_with("- "));
        is_open &= is_item || line.trim().is_empty() || line.starts_with([' ', '\t', '#']);
        if let Some(last) = found.last_mut().filter(|_| is_open) {
            last.end = end;
        }
    }
    found
}

/// The pair of an entry that begins at `start`, with spans in the entry. Adds the corrections to `found`.
fn pair(entry: &str, start: usize, shape: &dyn Fn(&str) -> Shape, found: &mut Repaired) -> Option<(Node, Node)> {
    let root = match yaml::parse(entry) {
        Ok(document) => document.root?,
        Err(_) => {
            let Some(repaired) = repair(entry, shape) else { return as_written(entry) };
            found.mends.extend(repaired.mends.into_iter().map(|mut mend| {
                mend.at += start;
                mend.line_start += start;
                mend.end += start;
                mend
            }));
            repaired.root
        }
    };
    match root.value {
        // A line of the value that looks like a key may have become another pair.
        Value::Map(pairs) => pairs.into_iter().next(),
        Value::Text(_) | Value::List(_) | Value::Absent => None,
    }
}

/// The pair with all that follows the colon on the first line as its value.
fn as_written(entry: &str) -> Option<(Node, Node)> {
    let line = entry.lines().next()?;
    let (key, colon) = key_of(line)?;
    let value = line[colon + 1..].trim();
    let start = line.len() - line[colon + 1..].trim_start().len();
    Some((text(key, 0), text(value, start)))
}

fn text(text: &str, start: usize) -> Node {
    let span = Span { start, end: start + text.len() };
    Node { value: Value::Text(text.to_owned()), span, style: Style::Double, tag: None }
}

/// The last line that begins with each of two keys, at any indentation, with what follows the colon as it is. Indented
/// lines below the second key continue its value.
pub(crate) fn last_lines(text: &str, keys: [&str; 2]) -> [Option<(Node, Node)>; 2] {
    let mut found = [None, None];
    // Whether the next line may continue the value of the second key.
    let mut is_open = false;
    for (start, line) in lines(text) {
        let inked = line.trim();
        if is_open && line.starts_with([' ', '\t']) && !inked.is_empty() {
            if let Some((_, Node { value: Value::Text(value), span, .. })) = &mut found[1] {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(inked);
                span.end = start + line.trim_end().len();
            }
            continue;
        }
        is_open = false;
        let key_start = start + (line.len() - line.trim_start().len());
        for (n, key) in keys.iter().enumerate() {
            let Some(rest) = inked.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) else { continue };
            let value = rest.trim_start();
            let value_start = key_start + (inked.len() - value.len());
            found[n] = Some((self::text(key, key_start), self::text(value, value_start)));
            is_open = n == 1;
            break;
        }
    }
    found
}
