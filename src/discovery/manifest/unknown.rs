//! Reports keys that the dialect's table does not have, with the known field that was probably meant: one that is
//! spelled similarly, or one of the same name at another level. Most unknown keys are the author's own, so nothing is
//! reported about those (rules 6.6 and 6.7).

use super::missing::{rename_fix, same_letters};
use super::{DiagnosticSink, ReadMode};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{COMMON_FIELDS, Dialect, FieldRole};
use crate::text::escape::visible;
use crate::text::words::{excerpt, is_slip, nearest};
use crate::text::yaml::{Node, Value};

type Pairs = [(Node, Node)];

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
    for (key, _) in map {
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
        let meant = surely_meant(dialect, within, name, map);
        if is_reported || meant.is_some() {
            let meant = meant.or_else(|| nearest_in_map(dialect, within, name, map));
            report(dialect, within, (name, key), meant, sink);
        }
    }
}

/// Reports one unknown key. `meant` is the path of the field that was probably meant.
fn report(
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
        .find(|path| is_unused(path, within, map) && is_it(split(path).1))
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
    of == within && !map.iter().any(|(key, _)| matches!(&key.value, Value::Text(text) if text == field))
}

/// The paths of all fields but the removed ones, those of the dialect's own table first.
fn known_paths(dialect: &Dialect) -> impl Iterator<Item = &str> {
    let own = dialect.fields.iter().filter(|field| !matches!(field.role, FieldRole::Removed(_)));
    let own = own.map(|field| field.path.as_ref());
    own.chain(COMMON_FIELDS.iter().map(|(path, _)| *path))
}

/// Splits a path into the key of the map and that of the field.
fn split(path: &str) -> (Option<&str>, &str) {
    path.rsplit_once('.').map_or((None, path), |(map, field)| (Some(map), field))
}

/// What to do about an unknown key if no known field is similar.
fn advice_without_suggestion(dialect: &Dialect, within: Option<&str>) -> String {
    let Some(map) = within else { return custom_field_advice(dialect) };
    let fields = known_paths(dialect).filter(|path| split(path).0 == within).map(|path| format!("`{}`", split(path).1));
    format!("the fields of `{}` are {}", visible(map), fields.collect::<Vec<_>>().join(", "))
}

fn custom_field_advice(dialect: &Dialect) -> String {
    match dialect.path_of(&FieldRole::Metadata) {
        Some(metadata) => format!("put custom fields under `{metadata}`"),
        None => "remove it".to_owned(),
    }
}
