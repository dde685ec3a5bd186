//! Tells which types the values of a frontmatter have for the parser of a client, and finds those that a field of its may not
//! have.

use super::DiagnosticSink;
use super::faithful::shown;
use super::fields::is_absent;
use crate::diagnostic::{Code, Severity};
use crate::dialect::{Dialect, HeaderRule, Numbers, OtherTypes, Permitted, ValueType};
use crate::text::yaml::{self, Node, Style, Value, is_date, is_number};

/// Whether a value is a string for the client.
pub(super) fn is_string(header: &HeaderRule, node: &Node) -> bool {
    match node.as_text().filter(|_| node.style == Style::Plain && node.tag.is_none()) {
        Some(text) if is_number(text) => !is_number_of(header.numbers, text),
        Some(text) if header.numbers == Numbers::Yaml11 && is_word(text) => false,
        _ => yaml::is_string(node) || (is_date(node) && header.dates == Permitted::No),
    }
}

/// Whether YAML 1.1 takes a text for a flag and YAML 1.2 does not.
fn is_word(text: &str) -> bool {
    matches!(text, "yes" | "Yes" | "YES" | "no" | "No" | "NO" | "on" | "On" | "ON" | "off" | "Off" | "OFF")
}

/// Whether a parser takes a text for a number that some parser does.
fn is_number_of(numbers: Numbers, text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_signed = unsigned.len() < text.len();
    let (has, begins) = (|c: char| unsigned.contains(c), |start: &str| unsigned.starts_with(start));
    let is_digit_next = unsigned.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let has_zero = begins("0") && is_digit_next;
    // The parsers that know more than YAML 1.2 take no sign before a point.
    let is_bare = is_signed && begins(".") && is_digit_next;
    let is_of_base_8 = unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'7' | b'_'));
    let is_usual = !is_bare && !begins("0o");
    match numbers {
        Numbers::Any => true,
        Numbers::Core => !has('_') && !has(':') && !begins("0b") && !(is_signed && (begins("0x") || begins("0o"))),
        Numbers::NoLeadingZeros => {
            let is_octal = has_zero && unsigned.bytes().all(|byte| byte.is_ascii_digit());
            !has('_') && !has(':') && !is_octal
        }
        Numbers::Underscores => !has(':') && !is_bare,
        Numbers::Base60 => is_usual && (!has_zero || is_of_base_8),
        Numbers::Yaml11 => {
            let exponent = unsigned.split_once(['e', 'E']).filter(|_| !begins("0x") && !begins("0b"));
            let is_whole = exponent.is_none_or(|(number, power)| number.contains('.') && power.starts_with(['-', '+']));
            is_usual && (!has_zero || is_of_base_8 || has('.')) && is_whole
        }
    }
}

/// Finds a value of another type than the field may have. Returns why the file is not a skill, if it is not.
pub(super) fn fit(dialect: &Dialect, name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<Code> {
    let field = dialect.fields.iter().find(|field| field.path == name)?;
    let rule = field.values.as_ref()?;
    let values = || field.one_of.iter().flat_map(|values| values.iter());
    let is_text = |node: &Node| is_string(&dialect.header, node);
    let is_of = |one: &ValueType| match (one, &node.value) {
        (ValueType::Absent, _) => node.style == Style::Plain && is_absent(node),
        (ValueType::String, _) => is_text(node),
        (ValueType::Strings, Value::List(items)) => items.iter().all(is_text),
        (ValueType::List, Value::List(_)) | (ValueType::Map, Value::Map(_)) => true,
        (ValueType::OneOf, Value::Text(text)) => values().any(|value| value == text.trim()),
        (ValueType::Strings | ValueType::List | ValueType::Map | ValueType::OneOf, _) => false,
    };
    if rule.types.iter().any(is_of) {
        return None;
    }
    let named = |one: &ValueType| match one {
        ValueType::Absent => String::new(),
        ValueType::String => "text".to_owned(),
        ValueType::Strings => "a list of texts".to_owned(),
        ValueType::List => "a list".to_owned(),
        ValueType::Map => "a mapping".to_owned(),
        ValueType::OneOf => format!("`{}`", values().map(|value| &**value).collect::<Vec<_>>().join("`, `")),
    };
    let names: Vec<String> = rule.types.iter().map(named).filter(|name| !name.is_empty()).collect();
    let (got, expected, client) = (shown(node), names.join(" or "), &dialect.name);
    let (severity, instead, rejected) = match rule.other_types {
        OtherTypes::Skip => (Severity::Error, "does not read the file", Some(Code::WrongType)),
        OtherTypes::Absent => (Severity::Warning, "ignores it", None),
    };
    let message = format!("`{name}` is {got}, expected {expected}, so `{client}` {instead}");
    let is_list = |one: &ValueType| matches!(one, ValueType::Absent | ValueType::Strings | ValueType::List);
    sink.at_span(node.span, severity, Code::WrongType, message).advise(match &node.value {
        Value::Text(_) if rule.types.iter().all(is_list) => "write one `- value` per line",
        _ => "write such a value, in double quotes if it is text",
    });
    if rejected.is_none() {
        node.value = Value::Absent;
    }
    rejected
}
