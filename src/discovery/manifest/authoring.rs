//! What only `check` reports about the fields, as no client refuses a skill for it and only the author can mend it: values
//! outside a closed set, fields that are empty or have no effect, lists of tools that no client can read, and descriptions
//! and bodies that are still to be written (rules 6.22 and 6.23).

use super::fields::is_absent;
use super::limits::value_at;
use super::refused::check_refused;
use super::tabs::check_tabs;
use super::{DiagnosticSink, ReadMode};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{Dialect, FieldRole, ToolsRule};
use crate::model::skill::{Context, Frontmatter};
use crate::text::escape::visible;
use crate::text::lines::lines;
use crate::text::words::{excerpt, nearest, split_commas};
use crate::text::yaml::{Node, Span, Value};

type Pairs = [(Node, Node)];

/// Checks the values as they are written, before they are read.
pub(super) fn check_written(dialect: &Dialect, map: &Pairs, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    check_tabs(map, sink);
    check_refused(dialect, map, sink);
    for field in dialect.fields.iter() {
        if let (Some(values), Some(node)) = (&field.one_of, value_at(map, &field.path)) {
            check_closed_set(&field.path, node, values.iter().map(AsRef::as_ref), sink);
        }
    }
    check_compatibility(dialect, map, sink);
    check_tools(dialect, map, mode, sink);
    if mode == ReadMode::Strict {
        check_metadata(dialect, map, sink);
    }
}

/// Reports a value that is not one of those that the dialect documents.
fn check_closed_set<'v>(
    name: &str,
    node: &Node,
    values: impl Iterator<Item = &'v str> + Clone,
    sink: &mut DiagnosticSink<'_>,
) {
    let Value::Text(text) = &node.value else { return };
    let text = text.trim();
    if is_absent(node) || values.clone().any(|value| value.eq_ignore_ascii_case(text)) {
        return;
    }
    let known: Vec<&str> = values.clone().collect();
    let message = format!("`{name}` is `{}`, expected one of {}", excerpt(text, 40), known.join(", "));
    let help = match nearest(text, values).first() {
        Some(near) => format!("did you mean `{}`?", visible(near)),
        None => "write one of these values, or remove the field".to_owned(),
    };
    sink.at_span(node.span, Severity::Warning, Code::UnknownValue, message).help = Some(help);
}

/// Reports a `compatibility` without text: the specification wants at least one character.
fn check_compatibility(dialect: &Dialect, map: &Pairs, sink: &mut DiagnosticSink<'_>) {
    let is_limited = dialect.limits.iter().any(|limit| limit.role == FieldRole::Compatibility);
    let Some(field) = dialect.path_of(&FieldRole::Compatibility).filter(|_| is_limited) else { return };
    let is_it = |key: &Node| matches!(&key.value, Value::Text(text) if text == field);
    if let Some((key, _)) = map.iter().find(|(key, value)| is_it(key) && is_absent(value)) {
        let message = format!("`{field}` is empty, expected at least one character");
        sink.at_span(key.span, dialect.severity(Code::EmptyValue), Code::EmptyValue, message)
            .advise("say what environment the skill needs, or remove the field");
    }
}

/// Reports tools whose parentheses are not balanced, and for the specification, in strict checks, what is not one text with
/// spaces between the tools.
fn check_tools(dialect: &Dialect, map: &Pairs, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    let is_read = dialect.allowed_tools != ToolsRule::Ignored;
    let Some(field) = dialect.path_of(&FieldRole::AllowedTools).filter(|_| is_read) else { return };
    let Some(node) = value_at(map, field).filter(|node| !is_absent(node)) else { return };
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Text(_) => std::slice::from_ref(node),
        Value::Map(_) | Value::Absent => return,
    };
    for item in items {
        if let Value::Text(text) = &item.value {
            if !is_balanced(text) {
                let message = format!("the parentheses of `{}` in `{field}` are not balanced", excerpt(text, 60));
                sink.at_span(item.span, Severity::Warning, Code::WrongType, message)
                    .advise("close each parenthesis, as in `Bash(git *)`");
                return;
            }
        }
    }
    let is_own = dialect.fields.iter().any(|field| field.role == FieldRole::AllowedTools);
    let got = match &node.value {
        Value::List(_) => "is a list",
        Value::Text(text) if split_commas(text).len() > 1 => "has commas",
        _ => return,
    };
    // A system whose document states no rules may write a list itself.
    if mode == ReadMode::Strict && !is_own && !dialect.rule_codes.is_empty() {
        let message = format!("`{field}` {got}, expected one text with spaces between the tools");
        sink.at_span(node.span, Severity::Warning, Code::WrongType, message)
            .advise("write the tools on one line with spaces between them, as the specification has it");
    }
}

/// Whether every parenthesis has its counterpart.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// Reports values of the author's own map that are not text.
fn check_metadata(dialect: &Dialect, map: &Pairs, sink: &mut DiagnosticSink<'_>) {
    let Some(field) = dialect.path_of(&FieldRole::Metadata) else { return };
    let Some(Value::Map(pairs)) = value_at(map, field).map(|node| &node.value) else { return };
    for (key, value) in pairs {
        if let (Value::Text(key), Value::List(_) | Value::Map(_) | Value::Absent) = (&key.value, &value.value) {
            let message = format!("`{field}.{}` is not text", visible(key));
            sink.at_span(value.span, Severity::Warning, Code::WrongType, message)
                .advise(&format!("put the value in quotes: {field} maps strings to strings"));
        }
    }
}

/// The description of a new skill until its author writes one.
pub(crate) const TEMPLATE_DESCRIPTION: &str = "TODO Describe what this skill does and when to use it.";

/// The line in the body of a new skill until its author writes the text.
pub(crate) const TEMPLATE_BODY: &str = "TODO Write the instructions for the agent here.";

/// Reports the body of a new skill that is still to be written. It starts at the byte `start` of the document.
pub(super) fn check_body(start: usize, sink: &mut DiagnosticSink<'_>) {
    let body = sink.source.text().get(start..).unwrap_or_default();
    if let Some((at, line)) = lines(body).find(|(_, line)| line.trim() == TEMPLATE_BODY) {
        let message = format!("the body has the line `{TEMPLATE_BODY}`, a placeholder that is still to be replaced");
        let span = Span { start: start + at, end: start + at + line.trim_end().len() };
        sink.at_span(span, Severity::Note, Code::BodyPlaceholder, message).advise("write what the agent is to do");
    }
}

/// Checks what the fields say together, after they were read.
pub(super) fn check_read(dialect: &Dialect, map: &Pairs, frontmatter: &Frontmatter, sink: &mut DiagnosticSink<'_>) {
    check_fork(dialect, map, frontmatter, sink);
    let description = frontmatter.description.as_deref().filter(|text| is_unwritten(text));
    if let (Some(text), Some(field)) = (description, dialect.path_of(&FieldRole::Description)) {
        let message = format!("`{field}` is `{}`, a placeholder that is still to be replaced", excerpt(text, 60));
        let span = value_at(map, field).map(|node| node.span);
        // Whoever has just made a skill knows that it is not finished.
        let severity = if text == TEMPLATE_DESCRIPTION { Severity::Note } else { Severity::Warning };
        sink.at_span_or_file(span, severity, Code::DescriptionPlaceholder, message)
            .advise("say what the skill does and when to use it: a model chooses it by this text");
    }
}

/// Reports fields that only a fork obeys in a skill that does not say whether it is one. Who writes `context: inline` knows.
fn check_fork(dialect: &Dialect, map: &Pairs, frontmatter: &Frontmatter, sink: &mut DiagnosticSink<'_>) {
    let run = frontmatter.run();
    let context = dialect.path_of(&FieldRole::Context).filter(|field| value_at(map, field).is_none());
    let Some(context) = context.filter(|_| run.context != Some(Context::Fork)) else { return };
    let fields = [(FieldRole::Agent, run.agent.is_some()), (FieldRole::Background, run.background == Some(true))];
    for (role, is_set) in fields {
        if let Some(field) = dialect.path_of(&role).filter(|_| is_set) {
            let message = format!("`{field}` has no effect without `{context}: fork`");
            let span = value_at(map, field).map(|node| node.span);
            sink.at_span_or_file(span, Severity::Warning, Code::NoEffect, message)
                .advise(&format!("add a line `{context}: fork`, or remove the field"));
        }
    }
}

/// Whether a description is what a template has in its place.
fn is_unwritten(text: &str) -> bool {
    const TEXTS: [&str; 9] = [
        "",
        "todo",
        "tbd",
        "fixme",
        "placeholder",
        "description",
        "description here",
        "your description",
        "your description here",
    ];
    let starts = ["[TODO", "<TODO", "{TODO", "TODO:", "{{"];
    let words = text.trim_matches(|c: char| !c.is_alphanumeric());
    text == TEMPLATE_DESCRIPTION
        || starts.iter().any(|start| text.starts_with(start))
        || TEXTS.iter().any(|known| words.eq_ignore_ascii_case(known))
}
