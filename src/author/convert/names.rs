//! Chooses the name of a converted skill and that of its folder (rule 27.2). What the skill is called by stays, if the
//! other system allows it: a name that is only a label gives way to it.

use super::{Loss, Original};
use crate::diagnostic::Code;
use crate::dialect::{Dialect, FieldRole, KeyPart, NameForm, Necessity};
use crate::discovery::manifest::{ReadMode, form_fault, location_name};
use crate::text::escape::{hides, visible};
use crate::text::lower::{lower, small};

/// The name of a folder if nothing of the name can be used.
const NAMELESS: &str = "skill";

/// How many bytes the name of a folder has at most. Most file systems allow 255.
const MAX_FOLDER_BYTES: usize = 200;

/// The names of a converted skill.
pub(super) struct Names {
    /// The name of its folder.
    pub(super) folder: String,
    /// The name in the frontmatter; `None` if there is none.
    pub(super) field: Option<String>,
}

pub(super) fn choose(original: &Original<'_>, is_same_system: bool, lost: &mut Vec<Loss>) -> Names {
    let Original { from, to, skill, .. } = original;
    let label = original.own.name.as_deref();
    let place = Some(location_name(&skill.path)).filter(|place| !place.is_empty()).unwrap_or(NAMELESS);
    let is_called_by_name = match from.key.of {
        KeyPart::Name => true,
        KeyPart::Folder => skill.source.namespace.is_some(),
        KeyPart::Path => false,
    };
    let called = label.filter(|_| is_called_by_name).unwrap_or(place);
    let is_folder = to.has_rule(Code::NameMismatch);
    if is_same_system {
        let folder = if is_folder { label.unwrap_or(called) } else { called };
        return Names { folder: folder_name(to, folder), field: label.map(str::to_owned) };
    }
    let is_key = to.key.of == KeyPart::Name || is_folder;
    let wanted = if is_key { called } else { label.unwrap_or(called) };
    let mut value = formed(to, wanted);
    let folder = folder_name(to, if is_key { &value } else { called });
    if is_folder {
        value.clone_from(&folder);
    }
    let is_needed =
        to.fields.iter().any(|field| field.role == FieldRole::Name && field.necessity != Necessity::Optional)
            || (is_key && folder != value);
    report(original, (label, called), (&value, &folder), is_key, lost);
    Names { field: (label.is_some() || is_needed).then_some(value), folder }
}

/// Lists what has become of the name and the key.
fn report(
    original: &Original<'_>,
    (label, called): (Option<&str>, &str),
    (value, folder): (&str, &str),
    is_key: bool,
    lost: &mut Vec<Loss>,
) {
    let Original { from, to, skill, .. } = original;
    let shown = |name: &str| visible(name).into_owned();
    let wanted = if is_key { called } else { label.unwrap_or(called) };
    match label {
        Some(label) if label != value && label != called && is_key => {
            let reason = format!(
                "`{}` is only a label in `{}`, where the skill is called `{}`; the name, by which `{}` calls it, is \
                 `{}` now",
                shown(label),
                from.name,
                shown(called),
                to.name,
                shown(value)
            );
            lost.push(Loss::new("name", reason));
        }
        Some(_) | None if wanted != value => {
            let reason =
                format!("`{}` is not a valid name in `{}`; it is `{}` now", shown(wanted), to.name, shown(value));
            lost.push(Loss::new("name", reason));
        }
        Some(_) | None => {}
    }
    if !is_key && folder != called {
        let reason = format!(
            "`{}` is not a folder name that `{}` can use; it is `{}` now",
            shown(called),
            to.name,
            shown(folder)
        );
        lost.push(Loss::new("key", reason));
    }
    let is_by_path = |dialect: &Dialect| dialect.key.of == KeyPart::Path;
    let below = skill.path.relative_to(&skill.source.root).map_or(0, |path| path.matches('/').count());
    if is_by_path(from) && !is_by_path(to) && 1 < below {
        let reason = format!(
            "the keys of `{}` do not have the folders above a skill, so `{}` is called `{}` now",
            to.name,
            shown(&skill.key),
            shown(if is_key { value } else { folder })
        );
        lost.push(Loss::new("key", reason));
    }
}

/// The name in the form of a dialect, within its limit. A valid name stays as it is.
fn formed(to: &Dialect, name: &str) -> String {
    let mut formed: String = name.chars().map(|c| if to.name_dashes.contains(c) { '-' } else { c }).collect();
    if let Some(form) = to.name_form.filter(|_| form_fault(to, &formed, ReadMode::Check).is_some()) {
        let cased = if matches!(form, NameForm::AsciiHyphen | NameForm::NoSlash) { formed } else { lower(&formed) };
        formed = String::with_capacity(cased.len());
        for c in cased.chars() {
            let is_allowed = match form {
                NameForm::NoSlash => c != '/',
                NameForm::LowerHyphen if !c.is_ascii() => c.is_alphanumeric() && small(c).eq([c]) && !hides(c),
                NameForm::LowerHyphen
                | NameForm::AsciiHyphen
                | NameForm::LowerAsciiHyphen
                | NameForm::LowerAsciiWords => c.is_ascii_alphanumeric(),
            };
            if is_allowed {
                formed.push(c);
            } else if !formed.is_empty() && !formed.ends_with('-') {
                formed.push('-');
            }
        }
        formed.truncate(formed.trim_end_matches('-').len());
        if formed.is_empty() {
            formed.push_str(NAMELESS);
        }
    }
    for limit in to.limits.iter().filter(|limit| limit.role == FieldRole::Name) {
        if let Some((end, _)) = formed.char_indices().nth(limit.max_chars) {
            formed.truncate(end);
            formed.truncate(formed.trim_end_matches(['-', ' ']).len());
        }
    }
    formed
}

/// The name as that of a folder which the dialect enters, on every system.
fn folder_name(to: &Dialect, name: &str) -> String {
    let is_odd = |c: char| c.is_control() || hides(c) || r#"/\:*?"<>|"#.contains(c);
    let plain: String = name.chars().map(|c| if is_odd(c) { '-' } else { c }).collect();
    let plain = plain.trim_start_matches(['.', ' ']);
    let end = plain.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_FOLDER_BYTES).last();
    let plain = plain.get(..end.unwrap_or(0)).unwrap_or_default().trim_end_matches(['.', ' ']);
    let plain = if plain.is_empty() { NAMELESS } else { plain };
    let is_never_entered = |name: &str| {
        to.scan.reserved.iter().chain(to.scan.skipped.iter()).any(|reserved| reserved.eq_ignore_ascii_case(name))
    };
    if is_never_entered(plain) { format!("{NAMELESS}-{plain}") } else { plain.to_owned() }
}
