//! Policies of other programs: `apm-policy.yml` of APM and `.skil-lock.yaml` of SkilLock. What they say of the sources and the hosts of
//! skills are further rules.
//!
//! Much in these files is not about skills in use. So what is not known is noted and refuses nothing, unlike in our own policies.
//! `protected_paths` is such a thing, as no fact says which files a skill reads and writes. What is known and not valid fails closed:
//! every skill breaches it, as severely as the rules of the file; and if the level of the rules is not valid, it blocks.
//!
//! A file that is no YAML at all does not say how severe its rules are. Where an administrator or the user has named it, it blocks every
//! skill. In a project it is a warning: this program knows less of YAML than others do, and whoever can spoil the file can remove it, too.

use super::model::{Check, Level, Policy, Read, Reader, Rule, names, place_of_source, short};
use crate::verify::data::{fields, yaml_with_lines};
use skilltree::Json;

/// How many names a note has.
const MAX_NAMES: usize = 8;

/// Which program a policy is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Own,
    Apm,
    SkilLock,
}

impl Format {
    /// All formats, and the names of their files.
    pub(super) const ALL: [(Format, &str); 3] =
        [(Format::Own, super::NAME), (Format::Apm, "apm-policy.yml"), (Format::SkilLock, ".skil-lock.yaml")];

    /// The format of a file with this name.
    pub(super) fn of(name: &str) -> Format {
        Format::ALL.into_iter().find(|(_, usual)| *usual == name).map_or(Format::Own, |(format, _)| format)
    }

    /// How severe it is that a file cannot be read, or that it is no YAML.
    pub(super) fn unreadable(self, is_named: bool) -> Level {
        if is_named || self == Format::Own { Level::Block } else { Level::Warn }
    }
}

/// Reads a policy of another program, whose rules are at a level of this severity if it is no YAML.
pub(super) fn parse(format: Format, file: &str, text: &str, unreadable: Level) -> Policy {
    let not_valid = |level: Level, (line, why): (usize, String)| {
        Policy::refusing(level, file, line, format!("the policy is not valid: {why}"))
    };
    let (json, lines) = match yaml_with_lines(text) {
        Ok(read) => read,
        Err(why) => return not_valid(unreadable, (1, why)),
    };
    let reader = Reader { json: &json, lines: &lines };
    if let Err(error) = map(&reader, "") {
        return not_valid(unreadable, error);
    }
    let level = match format {
        Format::SkilLock => level(&reader, "mode", &["warn", "block"]),
        _ => level(&reader, "enforcement", &["off", "warn", "block"]),
    };
    let read = match (format, level) {
        (_, Err(error)) => return not_valid(Level::Block, error),
        (Format::SkilLock, Ok(level)) => skil_lock(&reader, level).map_err(|error| (level, error)),
        (_, Ok(level)) => apm(&reader, level).map_err(|error| (level, error)),
    };
    match read {
        Ok(policy) => Policy { file: file.to_owned(), ..policy },
        Err((level, error)) => not_valid(level, error),
    }
}

/// How severe the rules of a file are, which is a warning for both programs if it does not tell.
fn level(reader: &Reader<'_>, key: &str, known: &[&str]) -> Read<Level> {
    match text(reader, key)? {
        None => Ok(Level::Warn),
        Some(text) => Level::parse(text)
            .filter(|_| known.contains(&text))
            .ok_or_else(|| reader.error(key, format!("expected {}, not `{}`", names(known), short(text)))),
    }
}

/// The sources that APM may take dependencies from. What a policy extends is mostly elsewhere, and then not read.
fn apm(reader: &Reader<'_>, level: Level) -> Read<Policy> {
    map(reader, "dependencies")?;
    let mut rules = Vec::new();
    let (allow, deny) = ("dependencies.allow", "dependencies.deny");
    if let Some(patterns) = patterns(reader, allow)? {
        rules.push(Rule { level, line: reader.line(allow), check: Check::PackageAllowed(patterns) });
    }
    for (index, pattern) in patterns(reader, deny)?.into_iter().flatten().enumerate() {
        let line = reader.line(&format!("{deny}.{index}"));
        rules.push(Rule { level, line, check: Check::PackageDenied(pattern) });
    }
    let extends = text(reader, "extends")?.map(|named| (short(named), reader.line("extends"), level));
    // The first four say nothing about skills, or how the file itself is fetched.
    let known = ["name", "version", "cache", "fetch_failure", "enforcement", "extends", "dependencies"];
    let below = fields(reader.get("dependencies")).iter().map(|(key, _)| format!("dependencies.{key}"));
    let other = keys_but(reader, &known).chain(below.filter(|key| key != allow && key != deny));
    Ok(Policy { file: String::new(), level, rules, extends, notes: not_applied(other).into_iter().collect() })
}

/// The hosts that SkilLock lets a skill name. It asks only about those that its lock does not have yet, and takes approvals, which are
/// not read here.
fn skil_lock(reader: &Reader<'_>, level: Level) -> Read<Policy> {
    let allowed = "allowed_domains";
    let mut rules = Vec::new();
    let mut notes = Vec::new();
    // For SkilLock, an empty list is none.
    if let Some(patterns) = patterns(reader, allowed)?.filter(|patterns| !patterns.is_empty()) {
        let is_odd = |pattern: &&String| pattern.contains(['/', ':', '?', '[', '\\']);
        notes.extend(patterns.iter().find(is_odd).map(|odd| {
            format!("`{}` of `{allowed}` allows nothing here: expected the name of a host, or one with `*`", short(odd))
        }));
        rules.push(Rule { level, line: reader.line(allowed), check: Check::HostAllowed(patterns) });
    }
    notes.extend(not_applied(keys_but(reader, &["mode", allowed])));
    Ok(Policy { file: String::new(), level, rules, extends: None, notes })
}

/// Whether there is a value. For both programs, an empty one is none.
fn is_set(reader: &Reader<'_>, path: &str) -> bool {
    !matches!(reader.get(path), None | Some(Json::Null))
}

fn text<'r>(reader: &'r Reader<'_>, path: &str) -> Read<Option<&'r str>> {
    if is_set(reader, path) { reader.text(path) } else { Ok(None) }
}

fn patterns(reader: &Reader<'_>, path: &str) -> Read<Option<Vec<String>>> {
    if is_set(reader, path) { reader.patterns(path) } else { Ok(None) }
}

/// That there is a map or nothing.
fn map(reader: &Reader<'_>, path: &str) -> Read<()> {
    match reader.get(path) {
        None | Some(Json::Null | Json::Map(_)) => Ok(()),
        Some(_) => Err(reader.error(path, "expected a map".to_owned())),
    }
}

/// The keys of the file but for some.
fn keys_but<'r>(reader: &'r Reader<'_>, known: &'r [&str]) -> impl Iterator<Item = String> + 'r {
    fields(Some(reader.json)).iter().map(|(key, _)| key.clone()).filter(|key| !known.contains(&key.as_str()))
}

/// A note about keys that are not read.
fn not_applied(keys: impl Iterator<Item = String>) -> Option<String> {
    let keys: Vec<String> = keys.map(|key| format!("`{}`", short(&key))).collect();
    let more = keys.len().saturating_sub(MAX_NAMES);
    let more = if 0 < more { format!(" and {more} more") } else { String::new() };
    let shown = keys.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    (!keys.is_empty()).then(|| format!("{shown}{more}: not applied to skills"))
}

/// What APM may call the source that a record names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Package {
    /// `owner/repository`, and with the path in it. APM leaves out the host, whichever it is.
    names: Vec<String>,
    /// The same with the host, which only denials are compared with.
    with_host: Vec<String>,
}

impl Package {
    pub(super) fn of(source: &Json) -> Option<Package> {
        let place = place_of_source(source)?;
        let text = |name: &str| source.get(name).and_then(Json::as_text);
        // What is no repository has no other name.
        let Some((_, repository)) = place.split_once('/').filter(|_| text("type") == Some("git")) else {
            return Some(Package { names: vec![place], with_host: Vec::new() });
        };
        let path = text("path").unwrap_or_default().trim_matches('/');
        let path = path.strip_suffix("SKILL.md").unwrap_or(path).trim_matches('/');
        let all = |name: &str| match path {
            "" => vec![name.to_owned()],
            path => vec![name.to_owned(), format!("{name}/{path}")],
        };
        Some(Package { names: all(repository), with_host: all(&place) })
    }

    pub(super) fn shown(&self) -> &str {
        self.names.first().map_or("", |name| name)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.names.iter().chain(&self.with_host)
    }

    pub(super) fn is_allowed(&self, patterns: &[String]) -> bool {
        patterns.iter().any(|pattern| self.names.iter().any(|name| is_match(pattern, name)))
    }

    pub(super) fn is_denied(&self, pattern: &str) -> bool {
        self.all().any(|name| is_match(pattern, name))
    }
}

/// Whether a name is like a pattern of APM, in which `*` stands for any characters but `/`, and `**` for any characters. The case of
/// ASCII letters does not count. Takes steps in proportion to the product of their lengths, of which each looks at 64 bytes of the
/// name, as a project may have a thousand patterns of a thousand bytes.
fn is_match(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_ascii_lowercase(), name.to_ascii_lowercase());
    let words = name.len() / 64 + 1;
    // In these, the bit of a number stands for so many bytes at the beginning of the name, or for the byte behind them.
    let mut places = vec![0_u64; 256 * words];
    let mut segments = vec![0_u64; words];
    for (at, byte) in name.bytes().enumerate() {
        places[usize::from(byte) * words + at / 64] |= 1 << (at % 64);
        segments[at / 64] |= u64::from(byte != b'/') << (at % 64);
    }
    // Which beginnings of the name are like the pattern so far.
    let mut is_like = vec![0_u64; words];
    is_like[0] = 1;
    let mut rest = pattern.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let (mut carry, mut is_begun) = (0, false);
        if *first != b'*' {
            let place = places.iter().skip(usize::from(*first) * words);
            for (word, place) in is_like.iter_mut().zip(place) {
                let here = *word & place;
                *word = (here << 1) | carry;
                carry = here >> 63;
            }
        } else if rest.first() == Some(&b'*') {
            for word in &mut is_like {
                // All beginnings from the shortest on.
                *word = if is_begun { u64::MAX } else { *word | word.wrapping_neg() };
                is_begun |= *word != 0;
            }
        } else {
            for (word, segment) in is_like.iter_mut().zip(&segments) {
                // Adding a bit to a row of ones turns them over, up to the first `/`.
                let (sum, is_over) = segment.overflowing_add(*word & segment);
                let (sum, is_over_again) = sum.overflowing_add(carry);
                carry = u64::from(is_over | is_over_again);
                *word |= sum ^ segment;
            }
        }
        if *first == b'*' {
            while let Some(after) = rest.strip_prefix(b"*") {
                rest = after;
            }
        }
        if is_like.iter().all(|word| *word == 0) {
            return false;
        }
    }
    (is_like[name.len() / 64] >> (name.len() % 64)) & 1 == 1
}

#[cfg(test)]
#[path = "../../../tests/unit/policy_others.rs"]
mod tests;
