//! Reads a SKILL.md in the way that does not count as well, where that may matter: to tell whether a skill is one only thanks
//! to a repair (rule 4.12), and to find the restrictions that the way that counts has missed, which hold all the same (rule 9.13).

use super::{DiagnosticSink, HEAD_BYTES, Manifest, ReadMode, faithful, read_fields_of_document, read_in_one_way, utf8};
use crate::diagnostic::{Code, Severity};
use crate::dialect::{
    DescriptionFallback, Dialect, FieldRole, InvalidYaml, Markup, OtherScalars, OverLimit, Permitted,
    RESTRICTING_FIELDS, Reading, StandardFields, ToolsRule,
};
use crate::discovery::extras::Extras;
use crate::fs::FilePrefix;
use crate::model::skill::{Frontmatter, ScriptList};
use crate::path::FsPath;
use crate::text::frontmatter;
use crate::text::lines::Source;
use crate::text::list::quoted;
use std::sync::Arc;

/// Adds to what was read of a file what the other way of reading says of it. `None` if more of the file is needed. For a discovery,
/// `plain` is its frontmatter if the file is a plain one.
pub(super) fn add(
    extras: &Extras,
    dialect: &Dialect,
    path: &FsPath,
    (prefix, plain): (&FilePrefix, Option<&[u8]>),
    mode: ReadMode,
    manifest: &mut Manifest,
) -> Option<()> {
    if manifest.rejected.is_some() || dialect.max_skill_bytes() < prefix.len {
        return Some(());
    }
    add_more_fields(extras, dialect, path, prefix, manifest);
    let repairs = dialect.reading == Reading::Repaired;
    let may_be_lost = repairs && may_be_lost(dialect, &prefix.bytes);
    if repairs && !may_be_lost && manifest.findings.is_empty() && !may_end_elsewhere(dialect) {
        return Some(());
    }
    // What follows the head has no frontmatter.
    let partial = (prefix.bytes.len() as u64) < prefix.len.min(HEAD_BYTES);
    // Neither way finds more than the frontmatter in a plain file.
    let plain = if mode == ReadMode::Discovery { plain } else { frontmatter::plain(&prefix.bytes) };
    if plain.is_none() && partial && !is_certain(extras, dialect, &prefix.bytes) {
        return None;
    }
    // Control characters are no part of the text (rule 4.4).
    let has_control = manifest.findings.iter().any(|finding| finding.code == Code::ControlCharacter);
    let cleaned = has_control.then(|| utf8(&prefix.bytes, true).map(|text| Source::new(text).text().to_owned()));
    let bytes = match &cleaned {
        Some(Ok(text)) => text.as_bytes(),
        _ => plain.unwrap_or(&prefix.bytes),
    };
    let keys = keys_found(dialect, &manifest.frontmatter, bytes);
    let may_be_repaired =
        repairs && (may_be_lost || manifest.findings.iter().any(|finding| may_come_of_repair(dialect, finding.code)));
    if keys.is_empty() && !may_be_repaired {
        return Some(());
    }
    let other = dialect.with_reading(dialect.reading.other());
    let mut other = read_in_one_way(extras, &other, path, (prefix, plain), mode)?.manifest;
    manifest.is_repaired = may_be_repaired && is_lost(dialect, manifest, &other);
    let mut is_withheld = false;
    if extras.is_lean && !keys.is_empty() {
        let may_be_meant_otherwise = |manifest: &Manifest| {
            manifest.rejected.is_some()
                || manifest.findings.iter().any(|finding| may_come_of_repair(dialect, finding.code))
        };
        is_withheld = may_be_meant_otherwise(manifest) || may_be_meant_otherwise(&other);
        if is_withheld {
            other.frontmatter = Arc::new(withheld(&other.frontmatter));
        }
    }
    if let Some(restricted) = restricted(dialect, &manifest.frontmatter, &other.frontmatter) {
        let restricted = (!is_withheld).then_some(&*restricted);
        report(dialect, path, prefix, (&keys, restricted), manifest);
        let more = manifest.other_reading.take();
        let both = more.and_then(|more| self::restricted(dialect, &other.frontmatter, &more));
        manifest.other_reading = Some(both.unwrap_or(other.frontmatter));
    }
    Some(())
}

/// Adds what the fields restrict that stand below the frontmatter, between further fences (rule 4.6).
fn add_more_fields(extras: &Extras, dialect: &Dialect, path: &FsPath, prefix: &FilePrefix, manifest: &mut Manifest) {
    let Some(text) = manifest.more_fields.take() else { return };
    let (more, _) = read_fields_of_document(extras, &dialect.with_reading(Reading::Repaired), path, &text);
    if let Some(restricted) = restricted(dialect, &manifest.frontmatter, &more) {
        let keys = keys_found(dialect, &manifest.frontmatter, text.as_bytes());
        let client = dialect.with_reading(Reading::Faithful);
        report(&client, path, prefix, (&keys, Some(&restricted)), manifest);
        manifest.other_reading = Some(Arc::new(more));
    }
}

/// Whether a client may read another frontmatter than the one between the fences of a file without findings. Valid YAML is
/// read alike in both ways, but that flags and texts may be absent for the client, which restricts no more; so only a fence
/// that the client alone takes for one makes a difference. If it takes nothing but a line of dashes without indentation, the
/// frontmatter that ends there earlier is not valid YAML, as such a line is a part of nothing but an open quotation or
/// bracket.
fn may_end_elsewhere(dialect: &Dialect) -> bool {
    !dialect.header.closing.is_usual() || dialect.header.invalid_yaml != InvalidYaml::Skip
}

/// Whether a client may not use a file, or not its name or its description, although the repairs found nothing in it: for its fences,
/// or for the types of its values. Of most files this is told without the other way of reading.
fn may_be_lost(dialect: &Dialect, bytes: &[u8]) -> bool {
    let takes_all = takes_all_values(dialect);
    let is_exact = |rest: &[u8]| rest.starts_with(b"---\n") || rest.starts_with(b"---\r\n");
    if takes_all && !may_end_elsewhere(dialect) {
        return !is_exact(bytes);
    }
    let rest = bytes.get(3..).filter(|_| is_exact(bytes)).unwrap_or_default();
    // All clients take the first dashes after an exact fence for a fence if these are one, too.
    let closing = rest.windows(3).position(|dashes| dashes == b"---");
    let yaml = closing.map(|at| rest.split_at(at)).filter(|(yaml, rest)| yaml.ends_with(b"\n") && is_exact(rest));
    yaml.is_none_or(|(yaml, _)| !takes_all && !are_strings(dialect, yaml))
}

/// Whether no type of a value keeps a client from using it.
fn takes_all_values(dialect: &Dialect) -> bool {
    let header = &dialect.header;
    let permitted = [header.other_metadata, header.unknown_tags, header.invalid_flags, header.other_characters];
    permitted.iter().all(|permitted| *permitted == Permitted::Yes)
        && (header.other_scalars, header.invalid_yaml) == (OtherScalars::Yes, InvalidYaml::Skip)
        && (header.markup, dialect.standard_fields) == (Markup::Kept, StandardFields::Any)
        && dialect.fields.iter().all(|field| field.values.is_none())
}

/// Whether a frontmatter has only a name and a description, each a string for every client on a line of its own. A word of few
/// letters may be `false` or `null`.
fn are_strings(dialect: &Dialect, yaml: &[u8]) -> bool {
    let keys = [FieldRole::Name, FieldRole::Description].map(|role| dialect.path_of(&role));
    let is_string = |line: &str| {
        let pair = line.split_once(": ").filter(|(key, _)| keys.contains(&Some(key)));
        let value = pair.map_or("", |(_, value)| value.trim_end());
        let is_usual = value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'<');
        is_usual && 5 < value.len() && value.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    std::str::from_utf8(yaml).is_ok_and(|yaml| yaml.lines().filter(|line| !line.is_empty()).all(is_string))
}

/// The fields of a file that a lean world cannot read in both ways, and that has a key which restricts: it may mean anything.
fn withheld(read: &Frontmatter) -> Frontmatter {
    Frontmatter { not_for_model: true, not_for_user: true, ..read.clone() }
}

/// Whether the frontmatter of the other way of reading ends within the first bytes of a file.
fn is_certain(extras: &Extras, dialect: &Dialect, bytes: &[u8]) -> bool {
    let Ok(text) = utf8(bytes, true) else { return true };
    let source = Source::new(text);
    match dialect.reading {
        Reading::Repaired => faithful::is_certain(dialect, source.text()),
        Reading::Faithful => match (extras.split)(source.text()) {
            frontmatter::Split::Found(parts) => parts.loose_close.is_none(),
            _ => false,
        },
    }
}

/// Whether a finding with this code may mean that the client itself does not read the file so.
fn may_come_of_repair(dialect: &Dialect, code: Code) -> bool {
    match code {
        Code::TooLong => {
            dialect.limits.iter().any(|limit| matches!(limit.over, OverLimit::Skip | OverLimit::SkipUnits))
        }
        Code::NameInvalid => dialect.other_names == Permitted::No,
        Code::NameMismatch => dialect.other_folders == Permitted::No,
        _ => matches!(
            code,
            Code::YamlRepaired
                | Code::NotRead
                | Code::YamlAlias
                | Code::YamlTooDeep
                | Code::DuplicateKey
                | Code::WrongType
                | Code::ControlCharacter
                | Code::FrontmatterFence
                | Code::FrontmatterNotFirst
                | Code::FrontmatterMissing
        ),
    }
}

/// Whether the other way of reading takes the file for no skill, or loses its name or its description.
fn is_lost(dialect: &Dialect, manifest: &Manifest, other: &Manifest) -> bool {
    let (own, others) = (&manifest.frontmatter, &other.frontmatter);
    let is_description_lost = match (&own.description, &others.description) {
        (None, _) => false,
        (Some(_), None) => true,
        // The two ways differ in the line end of a block scalar, which is no loss.
        (Some(own), Some(other)) => {
            dialect.description_fallback != DescriptionFallback::None && own.trim() != other.trim()
        }
    };
    other.rejected.is_some() || own.name.is_some() && others.name.is_none() || is_description_lost
}

/// The keys by which a field restricts in this dialect: the last part of each, and whether the restriction that it stands for
/// is in force already.
fn restricting_keys<'d>(dialect: &'d Dialect, own: &Frontmatter) -> impl Iterator<Item = (&'d str, bool)> {
    let common = RESTRICTING_FIELDS.iter().map(|(path, role)| (*path, role));
    dialect.all_fields().chain(common).filter_map(|(path, role)| {
        let is_in_force = match role {
            FieldRole::NotForModel | FieldRole::ForModel => own.not_for_model,
            FieldRole::ForUser => own.not_for_user,
            FieldRole::Sandbox => own.run().sandbox,
            FieldRole::DefaultEnabled => own.triggers().default_enabled == Some(false),
            FieldRole::Scripts => own.run().scripts == ScriptList::Invalid,
            FieldRole::DisallowedTools | FieldRole::Paths => false,
            FieldRole::AllowedTools if dialect.allowed_tools == ToolsRule::Restricts => false,
            _ => return None,
        };
        Some((path.rsplit_once('.').map_or(path, |(_, last)| last), is_in_force))
    })
}

/// The restricting keys that occur in these bytes and whose restriction is not in force.
fn keys_found<'d>(dialect: &'d Dialect, own: &Frontmatter, bytes: &[u8]) -> Vec<&'d str> {
    // Nearly everything is told apart by its first two bytes, so that the bytes are gone through once.
    let mut is_nth = [[false; 256]; 2];
    let (mut sought, mut found): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (key, _) in restricting_keys(dialect, own).filter(|(_, is_in_force)| !is_in_force) {
        for (is_nth, byte) in is_nth.iter_mut().zip(key.bytes()) {
            is_nth[usize::from(byte.to_ascii_lowercase())] = true;
            is_nth[usize::from(byte.to_ascii_uppercase())] = true;
        }
        sought.push(key);
    }
    let [is_first, is_second] = is_nth;
    let may_begin = |pair: &[u8]| matches!(pair, [a, b] if is_first[usize::from(*a)] && is_second[usize::from(*b)]);
    for (at, _) in bytes.windows(2).enumerate().filter(|(_, pair)| may_begin(pair)) {
        sought.retain(|key| {
            let is_here = is_key_at(bytes, at, key);
            if is_here {
                found.push(key);
            }
            !is_here
        });
    }
    found
}

fn place(bytes: &[u8], key: &str) -> Option<usize> {
    (0..bytes.len()).find(|at| is_key_at(bytes, *at, key))
}

/// Whether a key begins at a byte, in any letter case and with `_` for `-` or the other way round.
fn is_key_at(bytes: &[u8], at: usize, key: &str) -> bool {
    let folded = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    let is_same = |here: &[u8]| here.iter().zip(key.bytes()).all(|(byte, wanted)| folded(*byte) == folded(wanted));
    bytes.get(at..at + key.len()).is_some_and(is_same)
}

/// A frontmatter with the restrictions of another reading of the same file; `None` if that restricts no more (rule 9.13).
pub(crate) fn restricted(dialect: &Dialect, own: &Arc<Frontmatter>, other: &Frontmatter) -> Option<Arc<Frontmatter>> {
    let mut both = Frontmatter::clone(own);
    both.not_for_model |= other.not_for_model;
    both.not_for_user |= other.not_for_user;
    if other.triggers().default_enabled == Some(false) && own.triggers().default_enabled != Some(false) {
        both.triggers.get_or_insert_default().default_enabled = Some(false);
    }
    let (own_run, run) = (own.run(), other.run());
    let mut runs = own_run.clone();
    runs.sandbox |= run.sandbox;
    runs.scripts = match (&own_run.scripts, &run.scripts) {
        (ScriptList::Invalid, _) | (_, ScriptList::Invalid) => ScriptList::Invalid,
        (own, ScriptList::Absent) => own.clone(),
        (ScriptList::Absent, others) => others.clone(),
        (ScriptList::Names(own), ScriptList::Names(others)) => ScriptList::Names(in_both(own, others)),
    };
    if let Some(others) = &run.disallowed_tools {
        let own = runs.disallowed_tools.get_or_insert_default();
        let more = others.iter().filter(|tool| !own.contains(tool)).cloned().collect::<Vec<_>>();
        own.extend(more);
    }
    if own_run.paths.is_empty() {
        runs.paths.clone_from(&run.paths);
    }
    if runs != *own_run {
        both.run = Some(Box::new(runs));
    }
    if dialect.allowed_tools == ToolsRule::Restricts {
        both.allowed_tools = match (&own.allowed_tools, &other.allowed_tools) {
            (Some(own), Some(others)) => Some(in_both(own, others)),
            (own, others) => own.clone().or_else(|| others.clone()),
        };
    }
    (both != **own).then(|| Arc::new(both))
}

/// What is in both lists, in the order of the first.
fn in_both(own: &[String], others: &[String]) -> Vec<String> {
    own.iter().filter(|one| others.contains(one)).cloned().collect()
}

/// Reports the restrictions that only the other way of reading finds, at the first key that may be one. They are not known if
/// the skill is withheld.
fn report(
    dialect: &Dialect,
    path: &FsPath,
    prefix: &FilePrefix,
    (keys, restricted): (&[&str], Option<&Frontmatter>),
    manifest: &mut Manifest,
) {
    let is_new = |key: &&str| {
        restricted.is_some_and(|restricted| {
            restricting_keys(dialect, restricted).any(|(known, is_in_force)| known == *key && is_in_force)
        })
    };
    let mut names: Vec<&str> = keys.iter().copied().filter(is_new).collect();
    if names.is_empty() {
        names.extend(keys);
    }
    let (named, client) = (quoted(&names, " and "), &dialect.name);
    let message = match dialect.reading {
        _ if restricted.is_none() => {
            format!("{named} may restrict the skill, which a lean world cannot tell; the skill is withheld")
        }
        Reading::Faithful => {
            format!("`{client}` ignores {named} as the file is written; the restriction still applies here")
        }
        Reading::Repaired => {
            format!("{named} restricts the skill if the file is read without repairs; this applies here, too")
        }
    };
    let Ok(text) = utf8(&prefix.bytes, true) else { return };
    let source = Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let text = source.text();
    let at = names.iter().filter_map(|key| place(text.as_bytes(), key)).min().unwrap_or(0);
    let mark = sink.rest_of_line(at);
    let finding = sink.at_span(mark, Severity::Warning, Code::RestrictionMissed, message);
    finding.advise("correct the frontmatter so that every client reads it in the same way");
    manifest.findings.append(&mut sink.findings);
}

#[cfg(test)]
#[path = "../../../tests/unit/both.rs"]
mod tests;
