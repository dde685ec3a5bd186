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
use crate::text::yaml::Node;

/// Tells of a key. `within` is the dialect's own map that it stands in, if it stands in one.
pub(super) fn unknown(
    dialect: &Dialect,
    within: Option<&str>,
    key: (&str, &Node),
    judge: Judge,
    notes: &mut Notes<'_>,
) {
    let (name, node) = key;
    let meant = meant(dialect, within, name);
    let is_told = match meant {
        _ if judge == Judge::Strict || within.is_some() => true,
        Some(Meant { is_sure, .. }) => is_sure,
        None => false,
    };
    if !is_told {
        return;
    }
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
    let finding = notes.at(node.span.start, Severity::Warning, Code::UnknownField, message);
    finding.help = Some(help);
    finding.fix = fix;
}

/// The field that a key was meant for.
struct Meant<'d> {
    path: &'d str,
    /// It differs by a letter, or by what stands between the letters, or by its level alone.
    is_sure: bool,
}

fn meant<'d>(dialect: &'d Dialect, within: Option<&str>, name: &str) -> Option<Meant<'d>> {
    let is_it = |field: &str| same_letters(field, name) || is_slip(name, field);
    let is_here = |path: &&str| split(path).0 == within;
    let sure = |path| Meant { path, is_sure: true };
    known(dialect)
        .find(|path| is_here(path) && is_it(split(path).1))
        .or_else(|| known(dialect).find(|path| !is_here(path) && (same_letters(split(path).1, name) || *path == name)))
        .map(sure)
        .or_else(|| {
            let near = nearest(name, known(dialect).filter(is_here).map(|path| split(path).1));
            let path = known(dialect).find(|path| is_here(path) && near.first() == Some(&split(path).1))?;
            Some(Meant { path, is_sure: false })
        })
        .or_else(|| known(dialect).find(|path| !is_here(path) && is_it(split(path).1)).map(sure))
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
