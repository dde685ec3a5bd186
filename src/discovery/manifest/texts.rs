//! Reads texts: with or without the white space around them (rule 6.2), lists and maps in their place (rule 6.4), and what
//! a reader does not see in them (rule 6.18).

use super::DiagnosticSink;
use super::fields::is_absent;
use super::front::type_name;
use crate::diagnostic::{Code, Fix, Severity};
use crate::text::escape::{quote_yaml, unhidden};
use crate::text::words::excerpt;
use crate::text::yaml::{Node, Span, Style, Value};
use std::borrow::Cow;

/// Reads a word or an item of a list: a text without white space around it, in quotes or not.
pub(super) fn read_word(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<String> {
    read_text(name, node, sink).map(trimmed)
}

/// Reads a text. Rule 6.2: white space around it is kept in quotes alone. Rule 6.4: a list or map counts as its source
/// text, and is reported.
pub(super) fn read_text(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Option<String> {
    if is_absent(node) {
        return None;
    }
    match &mut node.value {
        Value::Text(text) => Some(without_margin(std::mem::take(text), node.style)),
        Value::Absent => None,
        Value::List(_) | Value::Map(_) => {
            let source = sink.slice(node.span)?.trim();
            let got = type_name(&node.value);
            let message = format!("`{name}` is {got}, expected text; used as written: `{}`", excerpt(source, 60));
            let fix = if source.contains(['\n', '\r']) { None } else { quoted_fix(node, source, sink) };
            let finding = sink.at_span(node.span, Severity::Warning, Code::WrongType, message);
            finding.advise("put the value in double quotes");
            finding.fix = fix;
            Some(source.to_owned())
        }
    }
}

/// How many bytes a line may have to be quoted in a fix: a longer one may hold many values.
const MAX_FIX_LINE_BYTES: usize = 400;

/// A fix that puts a value of one line in quotes.
pub(super) fn quoted_fix(node: &Node, source: &str, sink: &DiagnosticSink<'_>) -> Option<Fix> {
    let number = sink.source.position(node.span.start).line;
    let line = sink.source.line(number).filter(|line| line.len() <= MAX_FIX_LINE_BYTES)?;
    let (before, after) = line.split_once(source).filter(|(_, after)| !after.contains(source))?;
    sink.fix(node.span.start, node.span.start, format!("{before}{}{after}", quote_yaml(source)))
}

/// Removes white space at both ends, and spare capacity, as the text lives as long as the skill.
fn trimmed(text: String) -> String {
    let inside = text.trim();
    if inside.len() == text.capacity() { text } else { inside.to_owned() }
}

/// Removes white space around a text, unless it is in quotes, and spare capacity.
fn without_margin(mut text: String, style: Style) -> String {
    if !style.is_quoted() {
        return trimmed(text);
    }
    text.shrink_to_fit();
    text
}

/// Removes invisible and control characters, and reports them at `span`, or for the whole file without a span. `None`
/// if nothing but white space is left.
pub(super) fn visible_text(
    name: &str,
    text: String,
    (style, span): (Style, Option<Span>),
    sink: &mut DiagnosticSink<'_>,
) -> Option<String> {
    let (clean, dropped) = unhidden(&text);
    if dropped {
        let message = format!("`{name}` contains invisible or control characters, which are removed");
        let finding = sink.at_span_or_file(span, Severity::Warning, Code::HiddenCharacters, message);
        finding.advise("delete them: a reader does not see them");
    }
    let clean = match clean {
        Cow::Borrowed(_) => without_margin(text, style),
        Cow::Owned(clean) => without_margin(clean, style),
    };
    clean.contains(|c: char| !c.is_whitespace()).then_some(clean)
}
