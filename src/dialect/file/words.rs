//! What the messages about a dialect file say: what was expected, what came, and which known name is near.

use super::shape::{FieldShape, Shape, VariantShape};
use crate::text::list::quoted;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{Node, Style, Value, is_plain_null};
use std::borrow::Cow;

/// How many characters of a value a message quotes.
pub(super) const MAX_QUOTED: usize = 60;

/// How many words a message lists.
pub(super) const MAX_WORDS: usize = 12;

/// The form of a value, for a message.
pub(super) fn expected(shape: &'static Shape) -> Cow<'static, str> {
    Cow::Borrowed(match shape {
        Shape::Text => "a text",
        Shape::Template => "a template",
        Shape::Number => "a whole number",
        Shape::Code => "the code of a finding",
        Shape::List(_) => "a list",
        Shape::Optional(inner) => return expected(inner),
        Shape::Struct { fields, .. } => return Cow::Owned(format!("a map of the parts {}", names(fields))),
        Shape::Enum { variants, .. } => return Cow::Owned(choices(variants)),
    })
}

/// The keys of a map.
pub(super) fn names(fields: &[FieldShape]) -> String {
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    quoted(&names, ", ")
}

/// What may be written for one of several words.
pub(super) fn choices(variants: &[VariantShape]) -> String {
    if variants.len() > MAX_WORDS {
        return format!("one of {} words", variants.len());
    }
    let forms: Vec<String> = variants.iter().map(form).collect();
    format!("one of {}", forms.join(", "))
}

/// How a word is written with its value.
pub(super) fn form(variant: &VariantShape) -> String {
    let word = variant.word();
    let value = match (variant.value, variant.fields) {
        ([], []) => return format!("`{word}`"),
        ([shape, ..], _) => match shape {
            Shape::Number => "1000".to_owned(),
            Shape::List(_) => "[…]".to_owned(),
            Shape::Struct { fields, .. } => in_braces(fields),
            _ => "…".to_owned(),
        },
        ([], fields) => in_braces(fields),
    };
    format!("`{word}: {value}`")
}

pub(super) fn in_braces(fields: &[FieldShape]) -> String {
    let parts: Vec<String> = fields.iter().map(|field| format!("{}: …", field.name)).collect();
    format!("{{{}}}", parts.join(", "))
}

/// What was found instead, for a message.
pub(super) fn got(node: &Node) -> String {
    match &node.value {
        Value::Text(text) if is_plain_null(node.style, text) => "null".to_owned(),
        Value::Text(text) if text.is_empty() => "an empty text".to_owned(),
        Value::Text(text) if node.style == Style::Plain => format!("`{}`", excerpt(text, MAX_QUOTED)),
        Value::Text(text) => format!("the text `{}`", excerpt(text, MAX_QUOTED)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
        Value::Absent => "nothing".to_owned(),
    }
}

/// Whether a word means true or false in some version of YAML.
pub(super) fn yes_or_no(word: &str) -> Option<&'static str> {
    let is = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    is(&["true", "yes", "on", "y"]).then_some("yes").or_else(|| is(&["false", "no", "off", "n"]).then_some("no"))
}

/// The known name that was probably meant, or else all known names, if `all` introduces them.
pub(super) fn suggestion(asked: &str, known: &[&str], all: &str) -> Option<String> {
    match nearest(asked, known.iter().copied()).first() {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => (!all.is_empty()).then(|| format!("{all} {}", quoted(known, ", "))),
    }
}
