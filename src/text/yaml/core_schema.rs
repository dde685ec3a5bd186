//! Converts a YAML node to JSON. Plain scalars are typed by the core schema of YAML 1.2 (10.3.2), so that timestamps
//! and the words `yes`, `no`, `on` and `off` are strings, and `<<` is a key like any other. Numbers keep their source
//! text as far as JSON allows. Values that JSON does not have are errors.

use super::string::{boolean, is_null};
use super::{Node, Style, Value, own_tag};
use crate::text::json::Json;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Untyped {
    pub(crate) at: usize,
    /// The reason, for a message: `` `.inf` is no number in JSON ``.
    pub(crate) why: &'static str,
}

/// The value as JSON. Recurses at most [`MAX_DEPTH`](super::MAX_DEPTH) times.
pub(crate) fn typed(node: &Node) -> Result<Json, Untyped> {
    match &node.value {
        Value::Text(text) => scalar(node, text),
        Value::List(items) if is_tagged(node, &["seq"]) => {
            Ok(Json::List(items.iter().map(typed).collect::<Result<_, _>>()?))
        }
        Value::Map(pairs) if is_tagged(node, &["map"]) => {
            let pair = |(name, value): &(Node, Node)| Ok((typed_key(name)?, typed(value)?));
            Ok(Json::Map(pairs.iter().map(pair).collect::<Result<_, _>>()?))
        }
        Value::List(_) | Value::Map(_) => Err(untyped(node, "a tag of this kind has no JSON equivalent")),
        Value::Absent => {
            Err(untyped(node, "a value that is nested too deeply, or that aliases make too large, is not supported"))
        }
    }
}

fn untyped(node: &Node, why: &'static str) -> Untyped {
    Untyped { at: node.span.start, why }
}

/// Whether the node has no tag, the non-specific tag `!`, or one of these.
fn is_tagged(node: &Node, names: &[&str]) -> bool {
    match node.tag.as_deref() {
        None | Some("!") => true,
        Some(tag) => own_tag(tag).is_some_and(|name| names.contains(&name)),
    }
}

/// A key as a JSON string. A whole number or a boolean is accepted only in its canonical spelling.
pub(crate) fn typed_key(node: &Node) -> Result<String, Untyped> {
    let Value::Text(text) = &node.value else {
        return Err(untyped(node, "a key that is not text has no JSON equivalent"));
    };
    let is_as_written = |value: &Json| value.to_string() == *text;
    match scalar(node, text)? {
        Json::Text(text) => Ok(text),
        value @ Json::Bool(_) if is_as_written(&value) => Ok(text.clone()),
        value @ Json::Number(_) if is_as_written(&value) && decimal(text).is_some() => Ok(text.clone()),
        _ => Err(untyped(node, "a key that is not text has no JSON equivalent; put it in double quotes")),
    }
}

fn scalar(node: &Node, text: &str) -> Result<Json, Untyped> {
    let by_tag = match node.tag.as_deref() {
        None if node.style == Style::Plain => return plain(node, text),
        None | Some("!") => return Ok(Json::from(text)),
        Some(tag) => match own_tag(tag) {
            Some("str") => return Ok(Json::from(text)),
            Some("null") => is_null(text).then_some(Json::Null),
            Some("bool") => boolean(text).map(Json::Bool),
            Some("int") => integer(text).filter(|number| has_64_bits(number)).map(Json::Number),
            Some("float") => integer(text).or_else(|| float(text)).map(Json::Number),
            _ => return Err(untyped(node, "a tag of this kind has no JSON equivalent")),
        },
    };
    by_tag.ok_or_else(|| untyped(node, "the value does not match its tag, or JSON has no such type"))
}

fn plain(node: &Node, text: &str) -> Result<Json, Untyped> {
    if is_null(text) {
        return Ok(Json::Null);
    }
    if let Some(value) = boolean(text) {
        return Ok(Json::Bool(value));
    }
    if integer(text).is_some_and(|number| !has_64_bits(&number)) {
        let why =
            "many JSON parsers change an integer of more than 64 bits; put the value in double quotes if it is text";
        return Err(untyped(node, why));
    }
    if is_beyond_json(text) {
        return Err(untyped(node, "JSON has no such number; put the value in double quotes if it is text"));
    }
    Ok(integer(text).or_else(|| float(text)).map_or_else(|| Json::from(text), Json::Number))
}

/// Whether a text is infinity, not-a-number, or a number so large that JSON parsers turn it into infinity.
fn is_beyond_json(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_infinite = matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN");
    let is_huge = |number: String| number.parse::<f64>().is_ok_and(f64::is_infinite);
    is_infinite
        || based(text).is_some_and(|value| value.is_none())
        || decimal(text).or_else(|| float(text)).is_some_and(is_huge)
}

/// Whether an integer is one of 64 bits, with a sign or without.
fn has_64_bits(number: &str) -> bool {
    number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok()
}

fn integer(text: &str) -> Option<String> {
    based(text).flatten().or_else(|| decimal(text))
}

/// The decimal form of `0o17` or `0x1F`; `Some(None)` if the number is too large to be converted.
fn based(text: &str) -> Option<Option<String>> {
    let (digits, radix) = match (text.strip_prefix("0o"), text.strip_prefix("0x")) {
        (Some(digits), _) => (digits, 8),
        (_, Some(digits)) => (digits, 16),
        _ => return None,
    };
    let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    is_number.then(|| u128::from_str_radix(digits, radix).ok().map(|number| number.to_string()))
}

/// `-007` is `-7`.
fn decimal(text: &str) -> Option<String> {
    let (sign, digits) = signed(text);
    is_digits(digits).then(|| match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => format!("{sign}{digits}"),
    })
}

/// `+.5` is `0.5`, `1.` is `1.0`; `1.10` stays.
fn float(text: &str) -> Option<String> {
    let (sign, rest) = signed(text);
    let (number, exponent) = match rest.split_once(['e', 'E']) {
        Some((number, exponent)) if is_digits(signed(exponent).1) => (number, format!("e{exponent}")),
        Some(_) => return None,
        None => (rest, String::new()),
    };
    let (whole, part) = number.split_once('.').map_or((number, None), |(whole, part)| (whole, Some(part)));
    let is_number = match (whole, part) {
        ("", part) => part.is_some_and(is_digits),
        (whole, part) => is_digits(whole) && part.is_none_or(|part| part.is_empty() || is_digits(part)),
    };
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let part = part.map_or_else(String::new, |part| format!(".{}", if part.is_empty() { "0" } else { part }));
    is_number.then(|| format!("{sign}{whole}{part}{exponent}"))
}

/// The sign as JSON has it, and the rest.
fn signed(text: &str) -> (&'static str, &str) {
    match (text.strip_prefix('-'), text.strip_prefix('+')) {
        (Some(rest), _) => ("-", rest),
        (_, Some(rest)) => ("", rest),
        _ => ("", text),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
#[path = "../../../tests/unit/core_schema.rs"]
mod tests;
