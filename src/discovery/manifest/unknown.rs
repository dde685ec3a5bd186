//! In: a key that the dialect's table does not have. Out: a finding, with the known field that was meant, where one is near: by
//! its letters, or of the same name at another level.
//! Quiet for most keys: they are the author's own (decisions 5).

use super::missing::{renamed, same_letters};
use super::{DiagnosticSink, ReadMode};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{COMMON_FIELDS, Dialect, FieldRole};
use crate::text::escape::visible;
use crate::text::words::{excerpt, is_slip, nearest};
use crate::text::yaml::{Node, Value};

type Pairs = [(Node, Node)];

/// How many unknown keys of a map are looked at: each is compared with every field and every other key.
const MAX_LOOKED_AT: usize = 100;

/// Tells of the keys of a map that are not known. `within` is its own key, where it is the dialect's.
pub(super) fn unknown(
    dialect: &Dialect,
    within: Option<&str>,
    map: &Pairs,
    mode: ReadMode,
    sink: &mut DiagnosticSink<'_>,
) {
    let mut looked_at = 0;
    for (key, _) in map {
        let Value::Text(name) = &key.value else { continue };
        let is_known = match within {
            Some(map) => dialect.role_of(&format!("{map}.{name}")).is_some(),
            None => !name.contains('.') && (dialect.role_of(name).is_some() || dialect.has_nested_fields(name)),
        };
        if is_known {
            continue;
        }
        looked_at += 1;
        if looked_at > MAX_LOOKED_AT {
            return;
        }
        // Most keys are the author's own and nothing is said of them, so what is merely near is not looked for.
        let is_told = mode == ReadMode::Strict || within.is_some();
        let meant = surely(dialect, within, name, map);
        if is_told || meant.is_some() {
            let meant = meant.or_else(|| nearest_here(dialect, within, name, map));
            tell(dialect, within, (name, key), meant, sink);
        }
    }
}

/// The finding about one of them.
fn tell(
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
            ((map, field), _) if map == within => (format!("spell it `{field}`"), renamed(sink, node.span, field)),
            ((Some(map), field), _) => {
                (format!("did you mean `{path}`? write `{field}` below `{map}:`, indented"), None)
            }
            ((None, field), map) => {
                let map = map.unwrap_or_default();
                (format!("did you mean `{field}`? write it without indentation, not below `{map}:`"), None)
            }
        },
        None => (without_near(dialect, within), None),
    };
    let finding = sink.over(node.span, Severity::Warning, Code::UnknownField, message);
    finding.help = Some(help);
    finding.fix = fix;
}

/// The path of the field that a key was surely meant for: it differs by a letter, by what stands between the letters, or by
/// its level alone. A field that stands beside the key was not meant for it.
fn surely<'d>(dialect: &'d Dialect, within: Option<&str>, name: &str, map: &Pairs) -> Option<&'d str> {
    let is_it = |field: &str| same_letters(field, name) || is_slip(name, field);
    let is_elsewhere = |path: &&str| split(path).0 != within;
    known(dialect)
        .find(|path| is_free(path, within, map) && is_it(split(path).1))
        .or_else(|| {
            known(dialect).find(|path| is_elsewhere(path) && (same_letters(split(path).1, name) || *path == name))
        })
        .or_else(|| {
            let elsewhere = known(dialect).find(|path| is_elsewhere(path) && is_it(split(path).1))?;
            // A field of another level is less likely than one that is merely near.
            nearest_here(dialect, within, name, map).is_none().then_some(elsewhere)
        })
}

/// The path of the field of the same map that is nearest.
fn nearest_here<'d>(dialect: &'d Dialect, within: Option<&str>, name: &str, map: &Pairs) -> Option<&'d str> {
    let here = || known(dialect).filter(|path| is_free(path, within, map));
    let near = nearest(name, here().map(|path| split(path).1));
    here().find(|path| near.first() == Some(&split(path).1))
}

/// Whether a field belongs to the map and is not in it.
fn is_free(path: &str, within: Option<&str>, map: &Pairs) -> bool {
    let (of, field) = split(path);
    of == within && !map.iter().any(|(key, _)| matches!(&key.value, Value::Text(text) if text == field))
}

/// The paths of the fields that do something, those of the dialect's own table first.
fn known(dialect: &Dialect) -> impl Iterator<Item = &str> {
    let own = dialect.fields.iter().filter(|field| !matches!(field.slot, FieldRole::Removed(_)));
    let own = own.map(|field| field.path.as_ref());
    own.chain(COMMON_FIELDS.iter().map(|(path, _)| *path))
}

/// The map of a path, and the field's own name.
fn split(path: &str) -> (Option<&str>, &str) {
    path.rsplit_once('.').map_or((None, path), |(map, field)| (Some(map), field))
}

fn without_near(dialect: &Dialect, within: Option<&str>) -> String {
    let Some(map) = within else { return "put custom fields under `metadata`".to_owned() };
    let fields = known(dialect).filter(|path| split(path).0 == within).map(|path| format!("`{}`", split(path).1));
    format!("the fields of `{}` are {}", visible(map), fields.collect::<Vec<_>>().join(", "))
}
