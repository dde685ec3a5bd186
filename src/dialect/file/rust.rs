//! Prints a dialect as the Rust expression of the same value, of which the constants of the built-in dialects are made.

use super::shape::{Data, FieldShape, Shape, VariantShape};
use crate::diagnostic::Code;

/// How many columns a value has at most that is printed on one line.
const MAX_COLUMNS: usize = 120;

/// The expression of a value of this form. Its lines are indented by `indent` more columns, but for the first.
pub(super) fn expression(data: &Data, shape: &'static Shape, indent: usize) -> String {
    match (data, shape) {
        (Data::Null, Shape::Optional(_)) => "None".to_owned(),
        (data, Shape::Optional(inner)) => format!("Some({})", expression(data, inner, indent)),
        (Data::Number(number), _) => number.to_string(),
        (Data::Text(name), Shape::Code) => Code::named(name).map_or_else(String::new, |code| format!("Code::{code:?}")),
        (Data::Text(text), Shape::Template) => format!("Template::new({text:?})"),
        (Data::Text(text), _) => format!("text({text:?})"),
        (Data::List(items), Shape::List(_)) if items.is_empty() => "rows(&[])".to_owned(),
        (Data::List(items), Shape::List(inner)) => {
            let items = items.iter().map(|item| expression(item, inner, indent + 4)).collect();
            // A constant, as a template cannot be promoted to one.
            enclosed("rows(const { &[", items, "] })", indent)
        }
        (Data::Parts(parts), Shape::Struct { name, fields, .. }) => {
            enclosed(&format!("{name} {{"), named(parts, fields, indent + 4), "}", indent)
        }
        (Data::Variant(variant, values), Shape::Enum { name, variants, .. }) => {
            let shape = variants.iter().find(|shape| shape.name == *variant);
            match (values.as_slice(), shape) {
                ([value], Some(VariantShape { value: [shape], .. })) => {
                    format!("{name}::{variant}({})", expression(value, shape, indent))
                }
                ([_, ..], Some(shape)) => {
                    enclosed(&format!("{name}::{variant} {{"), named(values, shape.fields, indent + 4), "}", indent)
                }
                _ => format!("{name}::{variant}"),
            }
        }
        // Data has the form of its shape.
        (Data::Null | Data::List(_) | Data::Parts(_) | Data::Variant(..), _) => String::new(),
    }
}

fn named(parts: &[Data], fields: &'static [FieldShape], indent: usize) -> Vec<String> {
    let field = |(part, field): (&Data, &'static FieldShape)| {
        format!("{}: {}", field.name, expression(part, field.shape, indent))
    };
    parts.iter().zip(fields).map(field).collect()
}

/// The items between two ends: on one line if they fit, or else each on a line of its own.
fn enclosed(open: &str, items: Vec<String>, close: &str, indent: usize) -> String {
    let space = if open.ends_with('{') { " " } else { "" };
    let line = format!("{open}{space}{}{space}{close}", items.join(", "));
    if line.len() + indent <= MAX_COLUMNS && !line.contains('\n') {
        return line;
    }
    let margin = " ".repeat(indent);
    let rows: String = items.iter().map(|item| format!("{margin}    {item},\n")).collect();
    format!("{open}\n{rows}{margin}{close}")
}
