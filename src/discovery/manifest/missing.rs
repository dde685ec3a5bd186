//! Reports missing fields, with what is used in their place, and rejects the skill if a required one is missing
//! (rule 6.9).

use super::DiagnosticSink;
use super::faithful::is_written;
use super::fields::is_absent;
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{Dialect, FieldRole, Necessity};
use crate::model::skill::Frontmatter;
use crate::text::lower::small;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{Node, Span, Style, Value};

type Pairs = [(Node, Node)];

/// Reports missing fields. Rule 6.9: only a missing required field rejects a skill.
pub(super) fn report_missing(
    dialect: &Dialect,
    map: &Pairs,
    frontmatter: &Frontmatter,
    sink: &mut DiagnosticSink<'_>,
    rejected: &mut Option<Code>,
) {
    for field in dialect.fields.iter() {
        let (is_there, code) = match field.role {
            FieldRole::Name => (frontmatter.name.is_some(), Code::NameMissing),
            FieldRole::Description => (frontmatter.description.is_some(), Code::DescriptionMissing),
            _ => continue,
        };
        let name = field.path.as_ref();
        if is_there || is_written(dialect, map, name) {
            continue;
        }
        let (severity, message) = match field.necessity {
            Necessity::Optional => continue,
            Necessity::Expected => {
                let message = format!("missing field `{name}`; the folder name is used");
                (dialect.severity(code), message)
            }
            Necessity::Required => {
                *rejected = Some(code);
                (Severity::Error, format!("missing field `{name}`"))
            }
        };
        report(name, map, severity, code, message, sink);
    }
}

/// Adds a finding about the missing field `name`: at the key if its value is empty, or at a key that is spelled
/// similarly.
fn report(name: &str, map: &Pairs, severity: Severity, code: Code, message: String, sink: &mut DiagnosticSink<'_>) {
    let keys = || {
        map.iter().filter_map(|(key, _)| match &key.value {
            Value::Text(text) => Some((text.as_str(), key.span)),
            Value::List(_) | Value::Map(_) | Value::Absent => None,
        })
    };
    if let Some((_, span)) = keys().find(|(key, _)| *key == name) {
        sink.at_span(span, severity, code, message).help = Some(format!("write a value after `{name}:`"));
        return;
    }
    // Almost any other word is similar to a short one.
    let near = if name.len() < 8 { None } else { nearest(name, keys().map(|(key, _)| key)).first().copied() };
    let near = near.or_else(|| keys().map(|(key, _)| key).find(|key| same_letters(key, name)));
    let found = near.and_then(|near| keys().find(|(key, _)| *key == near));
    let Some((near, span)) = found else {
        sink.for_file(severity, code, &message).help = Some(format!("add a line `{name}: …`"));
        return;
    };
    let fix = rename_fix(sink, span, name);
    // The key has a finding as an unknown field already, which this one replaces.
    sink.findings
        .retain(|found| found.code != Code::UnknownField || found.at != Some(sink.source.position(span.start)));
    let message = format!("{message}, got `{}`", excerpt(near, 40));
    let finding = sink.at_span(span, severity, code, message);
    finding.help = Some(format!("spell it `{name}`"));
    finding.fix = fix;
}

/// A fix that writes another key in place of this one.
pub(super) fn rename_fix(sink: &DiagnosticSink<'_>, key: Span, name: &str) -> Option<Fix> {
    let at = sink.source.position(key.start);
    let line = sink.source.line(at.line)?;
    let before: String = line.chars().take(at.column - 1).collect();
    let rest = line.get(before.len()..)?.get(key.end - key.start..)?;
    sink.fix(key.start, key.start, format!("{before}{name}{rest}"))
}

/// Whether two names have the same letters and digits, in any letter case and with any other characters between them.
pub(super) fn same_letters(one: &str, other: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(small)
    }
    letters(one).eq(letters(other))
}

/// How many characters after a key are searched for its value: many keys may be on one long line.
const MAX_GAP: usize = 100;

/// Reports a value that begins with `#`, which makes it a comment, so that the field has no value (rule 5.8).
pub(super) fn report_commented_out(name: &str, key: &Node, value: &Node, sink: &mut DiagnosticSink<'_>) {
    if value.style != Style::Plain || !is_absent(value) {
        return;
    }
    let text = sink.source.text();
    let Some(rest) = sink.slice(Span { start: key.span.end, end: text.len() }) else { return };
    let mut rest = rest.chars().take(MAX_GAP).skip_while(|c| matches!(c, ':' | ' ' | '\t'));
    let is_word = |c: char| !c.is_whitespace() && c != '#';
    if rest.next() != Some('#') || !rest.next().is_some_and(is_word) {
        return;
    }
    let message = format!("`#` starts a comment, so `{}` has no value", excerpt(name, 40));
    sink.at_span(key.span, Severity::Warning, Code::YamlComment, message)
        .advise("put the whole value in double quotes if the `#` belongs to it");
}
