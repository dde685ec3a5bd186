//! Prints a dialect as YAML, which reads back as the same dialect. Each part has the first sentence of its doc comment
//! as a comment; texts of several lines are block scalars.

use super::schema::summary;
use super::shape::{Data, FieldShape, Shape, VariantShape};
use crate::text::escape::visible;
use crate::text::number::is_number;
use std::fmt::Write as _;

/// How many columns a row of a list has at most that is printed on one line.
const MAX_COLUMNS: usize = 116;

/// The text of a value whose form is a struct.
pub(super) fn print(data: &Data, shape: &'static Shape) -> String {
    let mut out = String::new();
    if let (Data::Parts(parts), Shape::Struct { fields, .. }) = (data, shape) {
        write_parts(parts, fields, 0, &mut out);
    }
    out
}

/// Writes the parts of a map, each on lines of its own.
fn write_parts(parts: &[Data], fields: &'static [FieldShape], indent: usize, out: &mut String) {
    for (n, (part, field)) in parts.iter().zip(fields).enumerate() {
        if indent == 0 && n > 0 {
            out.push('\n');
        }
        push(out, indent, &format!("# {}\n", summary(field.docs)));
        push(out, indent, field.name);
        out.push(':');
        write_value(part, field.shape, indent, out);
    }
}

/// Writes a value behind its key and colon. `indent` is that of the key.
fn write_value(data: &Data, shape: &'static Shape, indent: usize, out: &mut String) {
    match (data, shape) {
        (data, Shape::Optional(inner)) if *data != Data::Null => write_value(data, inner, indent, out),
        (Data::Text(text), Shape::Text | Shape::Template) if is_block(text) => write_block(text, indent, out),
        (Data::List(items), Shape::List(inner)) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                write_row(item, inner, indent + 2, out);
            }
        }
        (Data::Parts(parts), Shape::Struct { fields, .. }) => {
            out.push('\n');
            write_parts(parts, fields, indent + 2, out);
        }
        (Data::Variant(name, values), Shape::Enum { variants, .. }) if !values.is_empty() => {
            let line = in_line(data, shape);
            let Some(variant) = named(variants, name) else { return };
            match (values.as_slice(), variant.value) {
                // A list, or a text of several lines.
                ([value], [shape]) if line.len() > MAX_COLUMNS => {
                    out.push('\n');
                    push(out, indent + 2, &variant.word());
                    out.push(':');
                    write_value(value, shape, indent + 2, out);
                }
                _ => out.push_str(&format!(" {line}\n")),
            }
        }
        _ => out.push_str(&format!(" {}\n", in_line(data, shape))),
    }
}

/// Writes an item of a list: on one line if it fits.
fn write_row(item: &Data, shape: &'static Shape, indent: usize, out: &mut String) {
    let line = in_line(item, shape);
    let (Data::Parts(parts), Shape::Struct { fields, .. }) = (item, shape) else {
        return push(out, indent, &format!("- {line}\n"));
    };
    if line.len() <= MAX_COLUMNS {
        return push(out, indent, &format!("- {line}\n"));
    }
    let mut bullet = "- ";
    for (part, field) in parts.iter().zip(fields.iter()) {
        // What is left out has this value.
        if Some(part) != field.default_value().as_ref() {
            push(out, indent, &format!("{bullet}{}:", field.name));
            write_value(part, field.shape, indent + 2, out);
            bullet = "  ";
        }
    }
}

pub(super) fn in_line(data: &Data, shape: &'static Shape) -> String {
    match (data, shape) {
        (Data::Null, _) => "null".to_owned(),
        (data, Shape::Optional(inner)) => in_line(data, inner),
        (Data::Number(number), _) => number.to_string(),
        (Data::Text(text), _) => scalar(text),
        (Data::List(items), Shape::List(inner)) => {
            let items: Vec<String> = items.iter().map(|item| in_line(item, inner)).collect();
            format!("[{}]", items.join(", "))
        }
        (Data::Parts(parts), Shape::Struct { fields, .. }) => in_braces(parts, fields),
        (Data::Variant(name, values), Shape::Enum { variants, .. }) => {
            let Some(variant) = named(variants, name) else { return String::new() };
            let word = scalar(&variant.word());
            match (values.as_slice(), variant.value) {
                ([], _) => word,
                ([value], [shape]) => format!("{{{word}: {}}}", in_line(value, shape)),
                (values, _) => format!("{{{word}: {}}}", in_braces(values, variant.fields)),
            }
        }
        // Data has the form of its shape.
        (Data::List(_) | Data::Parts(_) | Data::Variant(..), _) => String::new(),
    }
}

fn in_braces(parts: &[Data], fields: &'static [FieldShape]) -> String {
    let is_said = |(part, field): &(&Data, &'static FieldShape)| Some(*part) != field.default_value().as_ref();
    let part = |(part, field): (&Data, &'static FieldShape)| format!("{}: {}", field.name, in_line(part, field.shape));
    let parts: Vec<String> = parts.iter().zip(fields).filter(is_said).map(part).collect();
    format!("{{{}}}", parts.join(", "))
}

fn named(variants: &'static [VariantShape], name: &str) -> Option<&'static VariantShape> {
    variants.iter().find(|variant| variant.name == name)
}

fn push(out: &mut String, indent: usize, text: &str) {
    (0..indent).for_each(|_| out.push(' '));
    out.push_str(text);
}

/// A text as a scalar on one line: plain if it cannot be taken for anything else, or else in double quotes.
fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '\\' | '-' | ' ');
    let is_word = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    let has_ends = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.')
        && text.ends_with(|c: char| c.is_ascii_alphanumeric());
    // Other readers of YAML take these words, and numbers, for something else than texts.
    let is_taken = is_word(&["true", "false", "yes", "no", "on", "off", "null", "y", "n"]) || is_number(text);
    if has_ends && !is_taken && !text.starts_with("...") && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        // Writing to a `String` cannot fail.
        let _ = match c {
            '\n' => write!(out, "\\n"),
            '\t' => write!(out, "\\t"),
            '"' | '\\' => write!(out, "\\{c}"),
            _ if is_seen(c.encode_utf8(&mut [0; 4])) => write!(out, "{c}"),
            _ => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push('"');
    out
}

/// Whether a text is printed as a block scalar: it has several lines, and every character of it can be seen.
fn is_block(text: &str) -> bool {
    let mut lines = text.split('\n');
    let is_plain = |line: &str| is_seen(line) && !line.contains('\t') && line.trim_end() == line;
    let content = text.strip_suffix('\n').unwrap_or(text);
    content.contains('\n') && !text.starts_with('\n') && !content.ends_with('\n') && lines.all(is_plain)
}

/// Whether no character of a text is invisible.
fn is_seen(text: &str) -> bool {
    visible(text) == text
}

/// Writes a block scalar behind its key and colon. `indent` is that of the key.
fn write_block(text: &str, indent: usize, out: &mut String) {
    let (content, end) = text.strip_suffix('\n').map_or((text, "-"), |content| (content, ""));
    let indicator = if text.starts_with(' ') { "2" } else { "" };
    out.push_str(&format!(" |{indicator}{end}\n"));
    for line in content.split('\n') {
        if !line.is_empty() {
            push(out, indent + 2, line);
        }
        out.push('\n');
    }
}
