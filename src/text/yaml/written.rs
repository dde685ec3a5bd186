//! Writes strings as YAML.

use super::{Node, Value, is_string, parse};
use crate::text::escape::quote_yaml;
use crate::text::lower::lower;
use std::borrow::Cow;

/// A string as a YAML scalar: without quotes if every reader takes that for this string.
pub(crate) fn written_string(text: &str) -> Cow<'_, str> {
    // YAML 1.1 takes these for booleans.
    let is_flag = matches!(lower(text).as_str(), "y" | "n" | "yes" | "no" | "on" | "off");
    let is_read_back = || {
        let read = parse(&format!("key: {text}\n")).ok().and_then(|document| document.root);
        let Some(Value::Map(pairs)) = read.map(|root| root.value) else { return false };
        let is_same = |node: &Node| matches!(&node.value, Value::Text(read) if read == text);
        matches!(pairs.as_slice(), [(_, node)] if is_string(node) && is_same(node))
    };
    let is_plain = text.starts_with(char::is_alphabetic) && !is_flag && is_read_back();
    if is_plain { Cow::Borrowed(text) } else { Cow::Owned(quote_yaml(text)) }
}
