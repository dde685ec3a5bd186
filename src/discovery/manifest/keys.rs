//! Reports keys that are missing (rule 6.10), that have a comment in place of a value, and that the dialect's table does
//! not have, with the known field that was probably meant: one that is spelled similarly, or one of the same name at
//! another level. Most unknown keys are the author's own, so nothing is reported about those (rules 6.6 and 6.7).

use super::fields::is_absent;
use super::limits::value_at;
use super::{DiagnosticSink, ReadMode};
use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{COMMON_FIELDS, Dialect, FieldRole, Necessity, ToolsRule};
use crate::model::skill::Frontmatter;
use crate::text::escape::visible;
use crate::text::lower::small;
use crate::text::words::{excerpt, is_slip, nearest};
use crate::text::yaml::{Node, Span, Style, Value};
use std::iter;

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
        if is_there {
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
        report_missing_field(name, map, severity, code, message, sink);
    }
}

/// Adds a finding about the missing field `name`: at the key if its value is empty, or at a key that is spelled
/// similarly.
fn report_missing_field(
    name: &str,
    map: &Pairs,
    severity: Severity,
    code: Code,
    message: String,
    sink: &mut DiagnosticSink<'_>,
) {
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
    finding.help = Some(match fix {
        Some(_) => format!("spell it `{name}`"),
        None => format!("write `{name}: ` and the value"),
    });
    finding.fix = fix;
}

/// A fix that writes another key in place of this one. What follows a colon within it would be lost.
fn rename_fix(sink: &DiagnosticSink<'_>, key: Span, name: &str) -> Option<Fix> {
    sink.slice(key).filter(|key| !key.contains([':', '：']))?;
    let at = sink.source.position(key.start);
    let line = sink.source.line(at.line)?;
    let before: String = line.chars().take(at.column - 1).collect();
    let rest = line.get(before.len()..)?.get(key.end - key.start..)?;
    sink.fix(key.start, key.start, format!("{before}{name}{rest}"))
}

/// Whether two names have the same letters and digits, in any letter case and with any other characters between them.
fn same_letters(one: &str, other: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(small)
    }
    letters(one).eq(letters(other))
}

/// How many characters after a key are searched for its value: many keys may be on one long line.
const MAX_GAP: usize = 100;

/// Reports a value that begins with `#`, which makes it a comment, so that the field or an item of its list has no value
/// (rule 5.8).
pub(super) fn report_commented_out(name: &str, key: &Node, value: &Node, sink: &mut DiagnosticSink<'_>) {
    let items = match &value.value {
        Value::List(items) => items.as_slice(),
        _ if value.style == Style::Plain && is_absent(value) => &[],
        _ => return,
    };
    let text = sink.source.text();
    let is_word = |c: char| !c.is_whitespace() && c != '#';
    let is_out = |(before, value): &(&Node, &Node)| {
        let rest = text.get(before.span.end..).unwrap_or_default();
        let mut rest = rest.chars().take(MAX_GAP).skip_while(|c| matches!(c, ':' | ' ' | '\t'));
        let is_nothing = value.style == Style::Plain && is_absent(value);
        is_nothing && rest.next() == Some('#') && rest.next().is_some_and(is_word)
    };
    let mut values = iter::once((key, value)).chain(items.iter().map(|item| (item, item)));
    let Some((at, _)) = values.find(is_out) else { return };
    let of = if items.is_empty() { "" } else { "an item of " };
    let message = format!("`#` starts a comment, so {of}`{}` has no value", excerpt(name, 40));
    sink.at_span(at.span, Severity::Warning, Code::YamlComment, message)
        .advise("put the whole value in double quotes if the `#` belongs to it");
}

/// How many unknown keys of a map are checked: each is compared with every field and every other key.
const MAX_CHECKED: usize = 100;

/// Reports the unknown keys of a map. `within` is the key of the map itself; `None` for the frontmatter.
pub(super) fn report_unknown(
    dialect: &Dialect,
    within: Option<&str>,
    map: &Pairs,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
) {
    let mut checked = 0;
    for (key, value) in map {
        let Value::Text(name) = &key.value else { continue };
        let is_known = match within {
            Some(map) => dialect.role_of(&format!("{map}.{name}")).is_some(),
            None => !name.contains('.') && (dialect.role_of(name).is_some() || dialect.has_nested_fields(name)),
        };
        if is_known {
            continue;
        }
        checked += 1;
        if checked > MAX_CHECKED {
            return;
        }
        // A key that is not reported otherwise is reported only if it is clear what was meant.
        let is_reported = mode == ReadMode::Strict || within.is_some();
        // The values of unknown keys were taken out, but not how they are written.
        let is_collection = matches!(value.style, Style::Block | Style::Flow);
        // What has fields of its own has no role.
        let may_be = |path: &&str| match dialect.role_of(path) {
            Some(role) => !(is_collection && is_of_one_word(role)),
            None => is_collection,
        };
        let meant = surely_meant(dialect, within, name, map).filter(may_be);
        if is_reported || meant.is_some() {
            let meant = meant.or_else(|| nearest_in_map(dialect, within, name, map).filter(may_be));
            report_unknown_key(dialect, within, (name, key), meant, sink);
        }
    }
}

/// Reports fields that hide the skill or forbid tools and stand in the author's own map, where they have no effect, instead of
/// beside it.
pub(super) fn report_inner(dialect: &Dialect, map: &Pairs, sink: &mut DiagnosticSink<'_>) {
    use FieldRole::{AllowedTools, DefaultEnabled, DisallowedTools, ForModel, ForUser, NotForModel};
    let Some(name) = dialect.path_of(&FieldRole::Metadata) else { return };
    let Some(Value::Map(inner)) = value_at(map, name).map(|node| &node.value) else { return };
    let restricts = |path: &str| match dialect.role_of(path) {
        Some(NotForModel | ForModel | ForUser | DefaultEnabled | DisallowedTools) => true,
        Some(AllowedTools) => dialect.allowed_tools == ToolsRule::Restricts,
        _ => false,
    };
    for (key, field) in inner.iter().filter_map(|(key, _)| Some((key, key.as_text()?))) {
        let mut paths = known_paths(dialect).filter(|path| split(path).1 == field && restricts(path));
        if let Some(path) = paths.next().filter(|path| value_at(map, path).is_none()) {
            report_unknown_key(dialect, Some(name), (field, key), Some(path), sink);
        }
    }
}

/// Whether a field takes one word, so that a list has no effect in it.
fn is_of_one_word(role: &FieldRole) -> bool {
    use FieldRole::{Agent, Context, Effort, Model, Namespace, Shell};
    matches!(role, Agent | Context | Effort | Model | Namespace | Shell)
}

/// Reports one unknown key. `meant` is the path of the field that was probably meant.
fn report_unknown_key(
    dialect: &Dialect,
    within: Option<&str>,
    (name, node): (&str, &Node),
    meant: Option<&str>,
    sink: &mut DiagnosticSink<'_>,
) {
    let path = within.map_or_else(|| name.to_owned(), |map| format!("{map}.{name}"));
    let message = format!("unknown field `{}`", excerpt(&path, 80));
    let (help, fix) = match meant {
        Some(path) => match (split(path), within) {
            ((Some(map), field), within) if within != Some(map) => {
                (format!("did you mean `{path}`? write `{field}` below `{map}:`, indented"), None)
            }
            ((None, field), Some(map)) => {
                (format!("did you mean `{field}`? write it without indentation, not below `{map}:`"), None)
            }
            ((_, field), _) => (format!("spell it `{field}`"), rename_fix(sink, node.span, field)),
        },
        None => (advice_without_suggestion(dialect, within), None),
    };
    let finding = sink.at_span(node.span, Severity::Warning, Code::UnknownField, message);
    finding.help = Some(help);
    finding.fix = fix;
}

/// The path of the field that was clearly meant by a key: it differs by a letter, by the characters between the
/// letters, or only by its level. A field that the map has besides the key was not meant.
fn surely_meant<'d>(dialect: &'d Dialect, within: Option<&str>, name: &str, map: &Pairs) -> Option<&'d str> {
    let is_it = |field: &str| same_letters(field, name) || is_slip(name, field);
    let is_elsewhere = |path: &&str| split(path).0 != within;
    known_paths(dialect)
        .find(|path| is_it(split(path).1) && is_unused(path, within, map))
        .or_else(|| {
            known_paths(dialect).find(|path| is_elsewhere(path) && (same_letters(split(path).1, name) || *path == name))
        })
        .or_else(|| {
            let elsewhere = known_paths(dialect).find(|path| is_elsewhere(path) && is_it(split(path).1))?;
            // A similar field of the same map is more likely than one of another level.
            nearest_in_map(dialect, within, name, map).is_none().then_some(elsewhere)
        })
}

/// The path of the field of the same map that is spelled most similarly.
fn nearest_in_map<'d>(dialect: &'d Dialect, within: Option<&str>, name: &str, map: &Pairs) -> Option<&'d str> {
    let here = || known_paths(dialect).filter(|path| is_unused(path, within, map));
    let near = nearest(name, here().map(|path| split(path).1));
    here().find(|path| near.first() == Some(&split(path).1))
}

/// Whether the map may have a field, and does not have it.
fn is_unused(path: &str, within: Option<&str>, map: &Pairs) -> bool {
    let (of, field) = split(path);
    of == within && !map.iter().any(|(key, _)| key.as_text() == Some(field))
}

/// The paths of all fields but the removed ones, those of the dialect's own table first, and of the maps that have fields.
fn known_paths(dialect: &Dialect) -> impl Iterator<Item = &str> {
    let own = dialect.fields.iter().filter(|field| !matches!(field.role, FieldRole::Removed(_)));
    let own = own.map(|field| field.path.as_ref());
    let maps = own.clone().filter_map(|path| split(path).0);
    own.chain(COMMON_FIELDS.iter().map(|(path, _)| *path)).chain(maps)
}

/// Splits a path into the key of the map and that of the field.
fn split(path: &str) -> (Option<&str>, &str) {
    path.rsplit_once('.').map_or((None, path), |(map, field)| (Some(map), field))
}

/// What to do about an unknown key if no known field is similar.
fn advice_without_suggestion(dialect: &Dialect, within: Option<&str>) -> String {
    let Some(map) = within else {
        let metadata = dialect.path_of(&FieldRole::Metadata);
        return metadata.map_or("remove it".to_owned(), |metadata| format!("put custom fields under `{metadata}`"));
    };
    let fields = known_paths(dialect).filter(|path| split(path).0 == within).map(|path| format!("`{}`", split(path).1));
    format!("the fields of `{}` are {}", visible(map), fields.collect::<Vec<_>>().join(", "))
}
