//! Reads the field that lists the scripts which may be run. A value that is not such a list still restricts: it allows
//! no script. Whether the scripts exist is found out later.

use super::fields::is_absent;
use crate::model::skill::ScriptList;
use crate::text::lower::lower;
use crate::text::number::is_number;
use crate::text::words::split_list;
use crate::text::yaml::{Node, Style, Value};

/// Reads a list of scripts. Rule 17.1: a YAML list or one text with names. A value that could mean something else,
/// such as a map, an alias, a number or `true`, allows no script.
pub(super) fn read_scripts(node: &Node) -> ScriptList {
    let name = |item: &Node| match &item.value {
        Value::Text(text) if !is_absent(item) && !is_other_scalar(item, text) => Some(text.trim().to_owned()),
        _ => None,
    };
    let names = match &node.value {
        Value::Text(_) if is_absent(node) => return ScriptList::Absent,
        Value::Text(text) => name(node).map(|_| split_list(text)),
        Value::List(items) => {
            let mut names = Vec::new();
            for item in items {
                let Some(name) = name(item) else { return ScriptList::Invalid };
                names.push(name);
            }
            Some(names)
        }
        Value::Map(_) | Value::Absent => None,
    };
    names.map_or(ScriptList::Invalid, ScriptList::Names)
}

/// Whether YAML reads a text as a boolean or a number.
fn is_other_scalar(node: &Node, text: &str) -> bool {
    let word = lower(text.trim());
    let is_flag = matches!(word.as_str(), "true" | "yes" | "on" | "false" | "no" | "off");
    node.style == Style::Plain && (is_flag || !word.starts_with(char::is_alphabetic) && is_number(&word))
}
