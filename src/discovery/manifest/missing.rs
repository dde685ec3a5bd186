//! In: the fields as they were read. Out: findings on what is not there, with what stands in its place, and whether that
//! loses the skill (decisions 8).

use super::fields::is_null;
use super::{DiagnosticSink, ReadMode, limits};
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{Dialect, FieldRole, Necessity};
use crate::model::skill::Frontmatter;
use crate::text::lower::small;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{Node, Span, Style, Value};

type Pairs = [(Node, Node)];

/// decisions 8: only a missing required field skips a skill.
pub(super) fn missing(
    dialect: &Dialect,
    map: &Pairs,
    frontmatter: &Frontmatter,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
    lost: &mut Option<Code>,
) {
    for field in dialect.fields.iter() {
        let (is_there, code) = match field.slot {
            FieldRole::Name => (frontmatter.name.is_some(), Code::NameMissing),
            FieldRole::Description => (frontmatter.description.is_some(), Code::DescriptionMissing),
            _ => continue,
        };
        if is_there {
            continue;
        }
        let name = field.path.as_ref();
        let (severity, message) = match field.need {
            Necessity::Optional => continue,
            Necessity::Expected => {
                let message = format!("missing field `{name}`; the folder name is used");
                (limits::weight(dialect, mode, code), message)
            }
            Necessity::Required => {
                *lost = Some(code);
                (Severity::Error, format!("missing field `{name}`"))
            }
        };
        tell(name, map, severity, code, message, sink);
    }
}

/// The finding, at the field that is empty, or at one whose name is nearly this.
fn tell(name: &str, map: &Pairs, severity: Severity, code: Code, message: String, sink: &mut DiagnosticSink<'_>) {
    let keys = || {
        map.iter().filter_map(|(key, _)| match &key.value {
            Value::Text(text) => Some((text.as_str(), key.span)),
            Value::List(_) | Value::Map(_) | Value::Absent => None,
        })
    };
    if let Some((_, span)) = keys().find(|(key, _)| *key == name) {
        sink.over(span, severity, code, message).help = Some(format!("write a value after `{name}:`"));
        return;
    }
    // Of a short word, any other is near.
    let near = if name.len() < 8 { None } else { nearest(name, keys().map(|(key, _)| key)).first().copied() };
    let near = near.or_else(|| keys().map(|(key, _)| key).find(|key| same_letters(key, name)));
    let found = near.and_then(|near| keys().find(|(key, _)| *key == near));
    let Some((near, span)) = found else {
        sink.file(severity, code, &message).help = Some(format!("add a line `{name}: …`"));
        return;
    };
    let fix = renamed(sink, span, name);
    // One finding is enough for one key.
    sink.found.retain(|found| found.code != Code::UnknownField || found.at != Some(sink.source.position(span.start)));
    let message = format!("{message}, got `{}`", excerpt(near, 40));
    let finding = sink.over(span, severity, code, message);
    finding.help = Some(format!("spell it `{name}`"));
    finding.fix = fix;
}

/// The line with another key in this one's place.
pub(super) fn renamed(sink: &DiagnosticSink<'_>, key: Span, name: &str) -> Option<Fix> {
    let at = sink.source.position(key.start);
    let line = sink.source.line(at.line)?;
    let before: String = line.chars().take(at.column - 1).collect();
    let rest = line.get(before.len()..)?.get(key.end - key.start..)?;
    sink.fix(key.start, key.start, format!("{before}{name}{rest}"))
}

/// Whether two names have the same letters and digits, whatever their case and what stands between them.
pub(super) fn same_letters(one: &str, other: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(small)
    }
    letters(one).eq(letters(other))
}

/// How many characters may stand between a key and its value: many keys may be on one long line.
const MAX_GAP: usize = 100;

/// A value that is nothing because it begins with `#` is told of: it would vanish (decisions 6).
pub(super) fn hidden(name: &str, key: &Node, value: &Node, sink: &mut DiagnosticSink<'_>) {
    if value.style != Style::Plain || !is_null(value) {
        return;
    }
    let rest = sink.source.text().get(key.span.end..).unwrap_or_default().chars().take(MAX_GAP);
    let mut rest = rest.skip_while(|c| matches!(c, ':' | ' ' | '\t'));
    let is_word = |c: char| !c.is_whitespace() && c != '#';
    if rest.next() != Some('#') || !rest.next().is_some_and(is_word) {
        return;
    }
    let message = format!("`#` starts a comment, so `{}` has no value", excerpt(name, 40));
    sink.over(key.span, Severity::Warning, Code::YamlComment, message)
        .advise("put the whole value in double quotes if the `#` belongs to it");
}
