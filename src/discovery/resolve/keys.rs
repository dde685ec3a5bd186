//! Gives each file that a scan found the key of its skill: by the rule of the dialect, and another one where several
//! skills have the same and the dialect qualifies such keys (rules 7.1 and 8.8).

use crate::dialect::{Dialect, EqualKeys, KeyPart, KeyPrefix};
use crate::discovery::manifest::location_name;
use crate::discovery::scan::SkillFile;
use crate::text::order::sort_by;
use crate::text::template::Template;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Sets the keys of all candidates.
pub(super) fn set_keys(dialect: &Dialect, all: &mut [SkillFile]) {
    all.iter_mut().for_each(|found| found.key = key(dialect, found));
    if let EqualKeys::Qualify(template) = &dialect.equal_keys {
        qualify(template, all);
    }
}

/// Gives other keys to skills of one source that have the same key, and to those of nested sources whose key a skill of
/// another source has. A command file makes no key unclear, as others have precedence over it.
fn qualify(template: &Template, all: &mut [SkillFile]) {
    let mut by_key: HashMap<&str, Vec<usize>> = HashMap::with_capacity(all.len());
    for (at, found) in all.iter().enumerate().filter(|(_, found)| !found.is_command) {
        by_key.entry(&found.key).or_default().push(at);
    }
    let mut unclear: Vec<usize> = Vec::new();
    for mut places in by_key.into_values().filter(|places| places.len() > 1) {
        let source = |at: usize| &all[at].source;
        sort_by(&mut places, |a, b| Arc::as_ptr(source(*a)).cmp(&Arc::as_ptr(source(*b))));
        let is_unclear = |in_source: &&[usize]| {
            let is_nested = in_source.first().is_some_and(|at| source(*at).nested_in.is_some());
            in_source.len() > 1 || (is_nested && in_source.len() < places.len())
        };
        let by_source = places.chunk_by(|a, b| Arc::ptr_eq(source(*a), source(*b)));
        unclear.extend(by_source.filter(is_unclear).flatten());
    }
    if unclear.is_empty() {
        return;
    }
    sort_by(&mut unclear, Ord::cmp);
    let in_source = |found: &SkillFile, key: &str| format!("{} {key}", found.source.rank);
    let (mut taken, mut numbers) = (HashSet::new(), HashMap::new());
    for (at, found) in all.iter().enumerate() {
        if unclear.binary_search(&at).is_err() {
            taken.insert(in_source(found, &found.key));
        }
    }
    for at in unclear {
        let found = &all[at];
        let path = folder_in_source(found).replace('/', "-");
        let place = found.source.nested_in.as_deref().unwrap_or("");
        let value = |hole: &str| match hole {
            "key" => Some(Cow::Borrowed(found.key.as_str())),
            "path" => Some(Cow::Borrowed(path.as_str())),
            "place" => Some(Cow::Borrowed(place)),
            _ => None,
        };
        let mut key = String::new();
        template.render(&value, &mut key);
        // What still has the key of another skill is numbered.
        let first = key.clone();
        while !taken.insert(in_source(found, &key)) {
            let number = numbers.entry(in_source(found, &first)).or_insert(1);
            *number += 1;
            key = format!("{first}-{number}");
        }
        all[at].key = key;
    }
}

/// The path of the folder of a skill below its source; empty for the root itself.
fn folder_in_source(found: &SkillFile) -> &str {
    let path = found.path.relative_to(&found.source.root);
    debug_assert!(path.is_some(), "{:?} is in its source {:?}", found.path, found.source.root);
    path.unwrap_or(found.path.as_str()).rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The key of a skill, by the rule of the dialect (rule 7.1 for names).
fn key(dialect: &Dialect, found: &SkillFile) -> String {
    let (rule, source) = (dialect.key, &found.source);
    let prefix = match rule.prefix {
        None => None,
        Some(KeyPrefix::Namespace) => found.manifest.frontmatter.namespace.as_ref().or(source.namespace.as_ref()),
        // A single file has no path below its source.
        Some(KeyPrefix::Label) if found.is_single && rule.of == KeyPart::Path => {
            return format!("{}/{}", source.label, location_name(&found.path));
        }
        Some(KeyPrefix::Label) => Some(&source.label),
    };
    let own = match rule.of {
        KeyPart::Folder if prefix.is_none() => location_name(&found.path).to_owned(),
        KeyPart::Name | KeyPart::Folder => declared_or_folder_name(found),
        KeyPart::Path => match (folder_in_source(found), prefix) {
            ("", Some(_)) => "skill".to_owned(),
            (path, _) => path.to_owned(),
        },
    };
    match prefix {
        Some(prefix) => format!("{prefix}:{own}"),
        None => own,
    }
}

/// The name in the frontmatter, or else the name of the folder.
pub(super) fn declared_or_folder_name(found: &SkillFile) -> String {
    found.manifest.frontmatter.name.clone().unwrap_or_else(|| location_name(&found.path).to_owned())
}
