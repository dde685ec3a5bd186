//! Takes out of the fields of a frontmatter what a client does not take: words that are no flags, and values of other
//! types than it expects.

use crate::diagnostic::{Code, Severity};
use crate::dialect::{Dialect, FieldRole, InvalidYaml, Markup, Permitted, Reading, Whitespace};
use crate::discovery::manifest::DiagnosticSink;
use crate::discovery::manifest::fields::is_absent;
use crate::discovery::manifest::front::type_name;
use crate::discovery::manifest::limits::value_at;
use crate::discovery::manifest::texts::quoted_fix;
use crate::model::skill::Frontmatter;
use crate::text::escape::fold;
use crate::text::repair::Shape;
use crate::text::words::excerpt;
use crate::text::yaml::{Node, Style, Value, is_string};

type Pairs = [(Node, Node)];

/// Makes the values those that the client would use. Returns why the file is not a skill, if it is not.
pub(crate) fn fit(dialect: &Dialect, map: &mut Pairs, sink: &mut DiagnosticSink<'_>) -> Option<Code> {
    let mut rejected = None;
    for (key, value) in map {
        let Value::Text(name) = &key.value else { continue };
        if let Some(role) = dialect.role_of(name).filter(|_| !name.contains('.')) {
            rejected = rejected.or(fit_value(dialect, name, role, value, sink));
        } else if let (Value::Map(inner), true) = (&mut value.value, dialect.has_nested_fields(name)) {
            for (key, value) in inner {
                let Value::Text(inner_name) = &key.value else { continue };
                let path = format!("{name}.{inner_name}");
                if let Some(role) = dialect.role_of(&path) {
                    rejected = rejected.or(fit_value(dialect, &path, role, value, sink));
                }
            }
        }
    }
    rejected
}

fn fit_value(
    dialect: &Dialect,
    name: &str,
    role: &FieldRole,
    node: &mut Node,
    sink: &mut DiagnosticSink<'_>,
) -> Option<Code> {
    let (client, header) = (&dialect.name, &dialect.header);
    let is_collection = matches!(node.value, Value::List(_) | Value::Map(_));
    match role {
        FieldRole::Pinned
        | FieldRole::NotForModel
        | FieldRole::ForModel
        | FieldRole::ForUser
        | FieldRole::Background
        | FieldRole::Sandbox
        | FieldRole::DefaultEnabled
            if header.other_flags == Permitted::No =>
        {
            let is_flag = matches!(&node.value, Value::Text(word) if matches!(word.as_str(), "true" | "false"));
            if !is_flag && !is_absent(node) {
                let message = format!(
                    "`{name}` is {}, and `{client}` knows only `true` and `false`, so it has no effect",
                    shown(node)
                );
                sink.at_span(node.span, Severity::Warning, Code::WrongType, message).advise("write `true` or `false`");
                node.value = Value::Absent;
            }
        }
        _ if is_collection && header.invalid_yaml == InvalidYaml::Tolerant && dialect.shape(name) == Shape::Text => {
            let message = format!("`{name}` is {}, expected text, so `{client}` ignores it", shown(node));
            sink.at_span(node.span, Severity::Warning, Code::WrongType, message)
                .advise("write the value as text, in double quotes");
            node.value = Value::Absent;
        }
        FieldRole::Name | FieldRole::Description if header.other_scalars == Permitted::No && !is_string(node) => {
            let source = sink.slice(node.span).unwrap_or("").trim();
            let is_one_line = !source.is_empty() && !source.contains(['\n', '\r']);
            let fix = if is_one_line { quoted_fix(node, source, sink) } else { None };
            let message =
                format!("`{name}` is {}, expected a string, so `{client}` does not read the file", shown(node));
            let finding = sink.at_span(node.span, Severity::Error, Code::WrongType, message);
            finding.advise("write the value as text, in double quotes");
            finding.fix = fix;
            return Some(Code::WrongType);
        }
        // What is written as null is a text. In quotes, it is read as one.
        FieldRole::Name | FieldRole::Description
            if header.null_is_text == Permitted::Yes
                && is_absent(node)
                && matches!(&node.value, Value::Text(text) if !text.is_empty()) =>
        {
            node.style = Style::Double;
        }
        FieldRole::Description if header.markup == Markup::Removed => {
            if let Value::Text(text) = &mut node.value {
                *text = without_tags(text);
            }
        }
        FieldRole::Name | FieldRole::Description if header.whitespace == Whitespace::Fold => {
            if let Value::Text(text) = &mut node.value {
                *text = fold(text).into_owned();
            }
        }
        _ => {}
    }
    None
}

/// The text without its tags. An empty `<>` is not one.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let Some((inside, behind)) = after.split_once('>') else {
            out.push('<');
            rest = after;
            break;
        };
        rest = if inside.is_empty() { after } else { behind };
        out.push_str(if inside.is_empty() { "<" } else { "" });
    }
    out.push_str(rest);
    out
}

/// A value, for messages: its text, or its type.
pub(super) fn shown(node: &Node) -> String {
    match &node.value {
        Value::Text(text) if text.is_empty() => "empty".to_owned(),
        Value::Text(text) => format!("`{}`", excerpt(text, 40)),
        Value::List(_) | Value::Map(_) | Value::Absent => type_name(&node.value).to_owned(),
    }
}

/// Whether a client finds this text field, although it may be empty: one that asks for a string takes any string.
pub(in crate::discovery::manifest) fn is_written(dialect: &Dialect, map: &Pairs, field: &str) -> bool {
    let is_faithful = dialect.reading == Reading::Faithful;
    is_faithful && dialect.header.other_scalars == Permitted::No && value_at(map, field).is_some()
}

/// Makes the name that of the skill system: characters are replaced, and an empty name stays one if the client takes it.
pub(in crate::discovery::manifest) fn adapt_name(dialect: &Dialect, map: &Pairs, frontmatter: &mut Frontmatter) {
    match &mut frontmatter.name {
        Some(name) if !dialect.name_dashes.is_empty() => {
            *name = name.replace(|c| dialect.name_dashes.contains(c), "-");
        }
        Some(_) => {}
        None => {
            let field = dialect.path_of(&FieldRole::Name);
            frontmatter.name = field.filter(|field| is_written(dialect, map, field)).map(|_| String::new());
        }
    }
}
