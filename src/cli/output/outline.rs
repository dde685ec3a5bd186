//! Formats a JSON value as an indented outline. It is used for the tables of dialects, so that the text always shows
//! what the JSON contains.

use super::style::{KEY, paint};
use super::text::folded;
use skilltree::{Json, visible};

/// Formats a JSON value. Single-line values follow their name; other values are printed below it.
pub(crate) fn outline(json: &Json) -> String {
    let mut out = String::new();
    let mut open = vec![Part { depth: 0, name: None, json }];
    while let Some(part) = open.pop() {
        let indent = "  ".repeat(part.depth);
        match part.name {
            Some(Name::Key(key)) => out.push_str(&format!("{indent}{}:", paint(KEY, &visible(key)))),
            Some(Name::Item) => out.push_str(&format!("{indent}-")),
            None => {}
        }
        let depth = part.depth + usize::from(part.name.is_some());
        match part.json {
            Json::Map(fields) if !fields.is_empty() => {
                let parts = fields.iter().rev().map(|(key, json)| Part { depth, name: Some(Name::Key(key)), json });
                open.extend(parts);
            }
            Json::List(items) if !items.is_empty() => {
                open.extend(items.iter().rev().map(|json| Part { depth, name: Some(Name::Item), json }));
            }
            scalar => value(scalar, depth, &mut out),
        }
        if part.name.is_some() && !out.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

struct Part<'j> {
    depth: usize,
    name: Option<Name<'j>>,
    json: &'j Json,
}

enum Name<'j> {
    Key(&'j str),
    Item,
}

fn value(json: &Json, depth: usize, out: &mut String) {
    match json {
        Json::Text(text) if text.contains('\n') => {
            out.push_str(" |\n");
            for line in text.lines() {
                out.push_str(&format!("{}{}\n", "  ".repeat(depth), visible(line)));
            }
        }
        Json::Text(text) => out.push_str(&format!(" {}", folded(text))),
        other => out.push_str(&format!(" {other}")),
    }
}
