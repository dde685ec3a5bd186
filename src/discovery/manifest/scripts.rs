//! In: the value of a field that says which scripts may be run. Out: [`ScriptList`]. A limit that cannot be read is
//! one all the same. Absent: which files there are.

use super::fields::is_null;
use crate::model::skill::ScriptList;
use crate::text::lower::lower;
use crate::text::number::is_number;
use crate::text::words::split_list;
use crate::text::yaml::{Node, Style, Value};

/// decisions 4: names, a YAML list or one text; what could mean something else, such as a map, an alias, a number or
/// `true`, lets nothing run.
pub(super) fn scripts(node: &Node) -> ScriptList {
    let name = |item: &Node| match &item.value {
        Value::Text(text) if !is_null(item) && !is_other_scalar(item, text) => Some(text.trim().to_owned()),
        _ => None,
    };
    let names = match &node.value {
        Value::Text(_) if is_null(node) => return ScriptList::Absent,
        Value::Text(text) => name(node).map(|_| split_list(text)),
        Value::List(items) => {
            let mut names = Vec::new();
            for item in items {
                let Some(name) = name(item) else { return ScriptList::Unclear };
                names.push(name);
            }
            Some(names)
        }
        Value::Map(_) | Value::Absent => None,
    };
    names.map_or(ScriptList::Unclear, ScriptList::Names)
}

/// What YAML takes for a truth value or a number.
fn is_other_scalar(node: &Node, text: &str) -> bool {
    let word = lower(text.trim());
    let is_flag = matches!(word.as_str(), "true" | "yes" | "on" | "false" | "no" | "off");
    node.style == Style::Plain && (is_flag || !word.starts_with(char::is_alphabetic) && is_number(&word))
}
