//! Plans the change of one entry in a file of choices as a [`FileWrite`]. Only the line of the entry changes, so that
//! comments and all other entries stay. The new text is read again before it is planned: a file whose form is not
//! understood is not changed.

use super::{Choices, Reader, file};
use crate::discovery::json_file::JsonFileError;
use crate::discovery::state::{FileWrite, Store};
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::model::skill::{Skill, Visibility};
use crate::path::FsPath;
use crate::text::json::Json;
use crate::text::lines::Source;
use crate::text::yaml::{self, Node, Span, Style, Value, is_plain_null};

/// Plans to change how a skill is offered, in the file of the user or of the project.
pub(crate) fn set_choice(
    world: &World<'_>,
    skill: &Skill,
    visibility: Visibility,
    store: Store,
) -> Result<FileWrite, Error> {
    if store == Store::Project && !visibility.is_narrowing() {
        let word = visibility.as_str();
        return Err(Error::BadArguments(format!(
            "the file of a project may only narrow what is offered: expected name-only, user-only or off, got {word}"
        )));
    }
    let (file, text) = match file(world, store) {
        Ok(Some(found)) => found,
        Ok(None) => return Err(Error::NoStore { store: store.as_str() }),
        Err((_, JsonFileError::Pending(path))) => return Err(Error::Fs(FsError::Pending(path))),
        Err((path, JsonFileError::Corrupt(reason))) => return Err(Error::JsonFileCorrupt { path, reason }),
    };
    let path = crate::discovery::state::store_path(world, &file, store)?;
    let old = text.as_deref().unwrap_or("");
    let corrupt = |reason| Error::JsonFileCorrupt { path: file.clone(), reason };
    let new = edited(old, &skill.key, visibility).map_err(corrupt)?;
    let is_right = is_changed_alone(world, &file, store, (old, &new), &skill.key, visibility);
    if !is_right.map_err(corrupt)? {
        let reason = format!(
            "its form is not one in which an entry can be added; add `{}` by hand",
            entry(&skill.key, visibility)
        );
        return Err(corrupt(reason));
    }
    Ok(FileWrite::at_real(path, new.into_bytes(), text.map(String::into_bytes)))
}

/// A line of the map `skills`.
fn entry(key: &str, visibility: Visibility) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let is_word = key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(is_plain);
    let is_value = matches!(key.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "yes" | "no" | "on" | "off");
    let key = if is_word && !is_value { key.to_owned() } else { Json::from(key).to_string() };
    format!("{key}: {}", visibility.as_str())
}

/// The text with the entry for exactly this key changed or added. The error says why the text is no file of choices.
fn edited(text: &str, key: &str, visibility: Visibility) -> Result<String, String> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let line_end = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let root = yaml::parse(body).map_err(|error| error.message)?.root;
    let fields = match &root {
        None => &[][..],
        Some(Node { value: Value::Map(fields), .. }) => fields,
        Some(_) => return Err("expected lines of the form `key: value`".to_owned()),
    };
    let entry = entry(key, visibility);
    let skills = fields.iter().find(|(name, _)| is_text(name, "skills"));
    let mut new = body.to_owned();
    match skills {
        None => add_line(&mut new, body.len(), &format!("skills:{line_end}  {entry}"), line_end),
        Some((name, value)) => match &value.value {
            Value::Map(pairs) => match pairs.iter().position(|(name, _)| is_text(name, key)) {
                Some(at) => replace(&mut new, pairs, at, (key, visibility), &entry, line_end),
                None if pairs.is_empty() => new.replace_range(span(value.span), &format!("{{{entry}}}")),
                None if value.style == Style::Flow => {
                    new.insert_str(value.span.end.saturating_sub(1), &format!(", {entry}"))
                }
                None => add_entry(&mut new, pairs, &entry, line_end),
            },
            Value::Text(text) if is_plain_null(value.style, text) => {
                add_line(&mut new, name.span.end, &format!("  {entry}"), line_end);
            }
            _ => return Err("`skills` is not a map of keys to words".to_owned()),
        },
    }
    Ok(format!("{mark}{new}"))
}

/// Changes the entry at this place. If a later entry matches the key too, the changed one is moved behind it.
fn replace(
    text: &mut String,
    pairs: &[(Node, Node)],
    at: usize,
    (key, visibility): (&str, Visibility),
    entry: &str,
    line_end: &str,
) {
    let Some((name, value)) = pairs.get(at) else { return };
    let is_later = |(name, _): &(Node, Node)| matches!(&name.value, Value::Text(pattern) if crate::text::glob::matches_name(pattern, key));
    if pairs.iter().skip(at + 1).any(is_later) {
        add_entry(text, pairs, entry, line_end);
        let start = text.get(..name.span.start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let end = text
            .get(value.span.end..)
            .and_then(|after| after.find('\n'))
            .map_or(text.len(), |end| value.span.end + end + 1);
        text.replace_range(start..end, "");
        return;
    }
    let is_empty = value.span.start == value.span.end;
    let word = if is_empty { format!(" {}", visibility.as_str()) } else { visibility.as_str().to_owned() };
    text.replace_range(span(value.span), &word);
}

/// Adds an entry behind the last one, with the indentation of the first.
fn add_entry(text: &mut String, pairs: &[(Node, Node)], entry: &str, line_end: &str) {
    let (Some((first, _)), Some((_, last))) = (pairs.first(), pairs.last()) else { return };
    let before = text.get(..first.span.start).unwrap_or_default();
    let indent = before.rsplit_once('\n').map_or(before, |(_, indent)| indent).to_owned();
    add_line(text, last.span.end, &format!("{indent}{entry}"), line_end);
}

/// Adds lines behind the line of this byte.
fn add_line(text: &mut String, at: usize, lines: &str, line_end: &str) {
    let rest = text.get(at..).and_then(|rest| rest.find('\n'));
    match rest {
        Some(end) => text.insert_str(at + end + 1, &format!("{lines}{line_end}")),
        None if text.is_empty() || text.ends_with('\n') => text.push_str(&format!("{lines}{line_end}")),
        None => text.push_str(&format!("{line_end}{lines}{line_end}")),
    }
}

fn is_text(node: &Node, wanted: &str) -> bool {
    matches!(&node.value, Value::Text(text) if text == wanted)
}

fn span(span: Span) -> std::ops::Range<usize> {
    span.start..span.end
}

/// Whether the new text gives the skill this visibility, and says the same as the old one otherwise. The error says why
/// the old text is no file of choices.
fn is_changed_alone(
    world: &World<'_>,
    file: &FsPath,
    store: Store,
    (old, new): (&str, &str),
    key: &str,
    visibility: Visibility,
) -> Result<bool, String> {
    let read = |text: &str| {
        let (mut choices, mut findings) = (Choices::default(), Vec::new());
        let source = Source::new(text);
        let (choices_read, findings) = (&mut choices, &mut findings);
        Reader { world, file, source: &source, store, choices: choices_read, findings }
            .read()
            .map_err(|(_, reason)| reason)?;
        Ok::<_, String>(choices)
    };
    let (old, Ok(new)) = (read(old)?, read(new)) else { return Ok(false) };
    let others = |choices: &Choices| {
        let other = choices.skills.iter().filter(|choice| choice.pattern != key);
        other.map(|choice| (choice.pattern.clone(), choice.visibility)).collect::<Vec<_>>()
    };
    Ok(others(&old) == others(&new)
        && (&old.dialect, &old.roots) == (&new.dialect, &new.roots)
        && new.of(key, store).is_some_and(|choice| choice.pattern == key && choice.visibility == visibility))
}
