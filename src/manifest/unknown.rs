//! In: a key that the dialect's table does not have. Out: a finding, with the known field that was meant, where one is near: by
//! its letters, or of the same name at another level.
//! Quiet for most keys: they are the author's own (decisions 5).

use super::missing::{renamed, same_letters};
use super::{Judge, Notes};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{COMMON_FIELDS, Dialect, Slot};
use crate::gather::Gather;
use crate::text::escape::visible;
use crate::text::words::{excerpt, is_slip, nearest};
use crate::text::yaml::{Node, Value};

type Pairs = [(Node, Node)];

/// How many unknown keys of a map are looked at: each is compared with every field and every other key.
const MAX_LOOKED_AT: usize = 100;

/// Tells of the keys of a map that are not known. `within` is its own key, where it is the dialect's.
pub(super) fn unknown(dialect: &Dialect, within: Option<&str>, map: &Pairs, judge: Judge, notes: &mut Notes<'_>) {
    let mut looked_at = 0;
    for (key, _) in map {
        let Value::Text(name) = &key.value else { continue };
        let is_known = match within {
            Some(map) => dialect.slot(&format!("{map}.{name}")).is_some(),
            None => !name.contains('.') && (dialect.slot(name).is_some() || dialect.has_below(name)),
        };
        if is_known {
            continue;
        }
        looked_at += 1;
        if looked_at > MAX_LOOKED_AT {
            return;
        }
        let meant = meant(dialect, within, name, map);
        let is_sure = meant.as_ref().is_some_and(|meant| meant.is_sure);
        if judge == Judge::Strict || within.is_some() || is_sure {
            tell(dialect, within, (name, key), meant, notes);
        }
    }
}

/// The finding about one of them.
fn tell(
    dialect: &Dialect,
    within: Option<&str>,
    (name, node): (&str, &Node),
    meant: Option<Meant<'_>>,
    notes: &mut Notes<'_>,
) {
    let path = within.map_or_else(|| name.to_owned(), |map| format!("{map}.{name}"));
    let message = format!("the field `{}` is not known", excerpt(&path, 80));
    let (help, fix) = match meant {
        Some(Meant { path, .. }) => match (split(path), within) {
            ((map, field), _) if map == within => (format!("spell it `{field}`"), renamed(notes, node.span, field)),
            ((Some(map), field), _) => {
                (format!("did you mean `{path}`? write `{field}` below `{map}:`, indented"), None)
            }
            ((None, field), map) => {
                let map = map.unwrap_or_default();
                (format!("did you mean `{field}`? write it at the line's beginning, and not below `{map}:`"), None)
            }
        },
        None => (without_near(dialect, within), None),
    };
    let finding = notes.over(node.span, Severity::Warning, Code::UnknownField, message);
    finding.help = Some(help);
    finding.fix = fix;
}

/// The field that a key was meant for.
struct Meant<'d> {
    path: &'d str,
    /// It differs by a letter, or by what stands between the letters, or by its level alone.
    is_sure: bool,
}

/// A field that stands beside the key was not meant for it.
fn meant<'d>(dialect: &'d Dialect, within: Option<&str>, name: &str, map: &Pairs) -> Option<Meant<'d>> {
    let is_it = |field: &str| same_letters(field, name) || is_slip(name, field);
    let is_there = |field: &str| map.iter().any(|(key, _)| matches!(&key.value, Value::Text(text) if text == field));
    let is_here = |path: &&str| split(path).0 == within && !is_there(split(path).1);
    let is_elsewhere = |path: &&str| split(path).0 != within;
    let sure = |path| Meant { path, is_sure: true };
    known(dialect)
        .find(|path| is_here(path) && is_it(split(path).1))
        .or_else(|| {
            known(dialect).find(|path| is_elsewhere(path) && (same_letters(split(path).1, name) || *path == name))
        })
        .map(sure)
        .or_else(|| {
            let near = nearest(name, known(dialect).filter(is_here).map(|path| split(path).1));
            let path = known(dialect).find(|path| is_here(path) && near.first() == Some(&split(path).1))?;
            Some(Meant { path, is_sure: false })
        })
        .or_else(|| known(dialect).find(|path| is_elsewhere(path) && is_it(split(path).1)).map(sure))
}

/// The paths of the fields that do something, those of the dialect's own table first.
fn known(dialect: &Dialect) -> impl Iterator<Item = &str> {
    let own = dialect.fields.iter().filter(|field| !matches!(field.slot, Slot::Removed(_)));
    let own = own.map(|field| field.path.as_ref());
    own.chain(COMMON_FIELDS.iter().map(|(path, _)| *path))
}

/// The map of a path, and the field's own name.
fn split(path: &str) -> (Option<&str>, &str) {
    path.rsplit_once('.').map_or((None, path), |(map, field)| (Some(map), field))
}

fn without_near(dialect: &Dialect, within: Option<&str>) -> String {
    let Some(map) = within else { return "put fields of your own under `metadata`".to_owned() };
    let fields = known(dialect).filter(|path| split(path).0 == within).map(|path| format!("`{}`", split(path).1));
    format!("the fields of `{}` are {}", visible(map), fields.joined(", "))
}
