//! Reads the YAML of records and of frontmatters as data, within bounds. The library's own reader is not public, and keeps what it
//! repairs, while a record that is not valid is refused.

use skilltree::Json;
use std::collections::{HashMap, HashSet};
use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::TScalarStyle;

const MAX_NODES: usize = 200_000;
const MAX_DEPTH: usize = 32;

/// The data of one document. All scalars are texts, but those that are not written and `null`.
///
/// # Errors
/// For what is not valid YAML, and for what a record has no use for and a bomb is made of: aliases, directives, deep nesting.
pub(crate) fn yaml(text: &str) -> Result<Json, String> {
    read(text, false, &mut |_, _, _| {})
}

/// Whether a text is one document that [`yaml`] reads, but that it may have aliases.
pub(crate) fn is_yaml(text: &str) -> bool {
    read(text, true, &mut |_, _, _| {}).is_ok()
}

/// How deep a value lies whose line is known, and how long its keys are. No file that is read so has more, and without bounds each of
/// many values would have a long name.
const MAX_NAMED_DEPTH: usize = 3;
const MAX_NAMED_BYTES: usize = 64;

/// On which line each value is, by the keys and indices that lead to it, with dots between. A value with a key is where the key is.
pub(crate) type Lines = HashMap<String, usize>;

/// Like [`yaml`], with the lines of the values.
///
/// # Errors
/// As [`yaml`].
pub(crate) fn yaml_with_lines(text: &str) -> Result<(Json, Lines), String> {
    let mut lines = Lines::new();
    let named = |key: &String| key.get(..=MAX_NAMED_BYTES).unwrap_or(key).to_owned();
    let json = read(text, false, &mut |open, event, line| {
        if MAX_NAMED_DEPTH < open.len() {
            return;
        }
        let steps = open.iter().map(|open| match open {
            Open::List(items) => items.len().to_string(),
            Open::Map(.., Some(key)) => named(key),
            Open::Map(.., None) => match event {
                Event::Scalar(key, ..) => named(key),
                _ => String::new(),
            },
        });
        let steps: Vec<String> = steps.collect();
        if steps.iter().all(|step| step.len() <= MAX_NAMED_BYTES) {
            lines.entry(steps.join(".")).or_insert(line);
        }
    })?;
    Ok((json, lines))
}

/// Reads one document. An alias that is allowed is read as nothing. `begin` is called where a value or a key begins, with the
/// collections that it is in, and its line.
fn read(text: &str, allows_aliases: bool, begin: &mut dyn FnMut(&[Open], &Event, usize)) -> Result<Json, String> {
    if text.contains('\0') || text.lines().any(|line| line.starts_with('%')) {
        return Err("expected YAML without NUL and directives".to_owned());
    }
    let mut parser = Parser::new_from_str(text);
    let (mut open, mut root, mut nodes): (Vec<Open>, Option<Json>, usize) = (Vec::new(), None, 0);
    loop {
        let (event, mark) = parser.next_token().map_err(|error| format!("not valid YAML: {error}"))?;
        let at = |what: &str| format!("{what} at line {}", mark.line());
        if matches!(event, Event::SequenceStart(..) | Event::MappingStart(..) | Event::Scalar(..)) {
            begin(&open, &event, mark.line());
        }
        let value = match event {
            Event::StreamEnd => return Ok(root.unwrap_or(Json::Null)),
            Event::Alias(_) if allows_aliases => Json::Null,
            Event::Alias(_) => return Err(at("expected no alias")),
            Event::DocumentStart if root.is_some() => return Err(at("expected one document")),
            Event::Nothing | Event::StreamStart | Event::DocumentStart | Event::DocumentEnd => continue,
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == MAX_DEPTH => {
                return Err(at(&format!("expected at most {MAX_DEPTH} levels")));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Vec::new(), HashSet::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Json::from(items),
                Some(Open::Map(fields, ..)) => Json::Map(fields),
                None => return Err(at("expected a value")),
            },
            Event::Scalar(text, style, ..) => match style {
                TScalarStyle::Plain if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL") => Json::Null,
                _ => Json::from(text),
            },
        };
        nodes += 1;
        if MAX_NODES < nodes {
            return Err(format!("expected at most {MAX_NODES} values"));
        }
        match open.last_mut() {
            None => root = Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Map(fields, known, key)) => match (key.take(), value) {
                (Some(key), value) => fields.push((key, value)),
                (None, Json::Text(text)) if known.insert(text.clone()) => *key = Some(text),
                // Readers do not agree on which of two values counts.
                (None, Json::Text(_)) => return Err(at("expected each key once")),
                (None, _) => return Err(at("expected a text as key")),
            },
        }
    }
}

/// A collection that is being read.
enum Open {
    List(Vec<Json>),
    /// The fields, their names, and the key whose value comes next.
    Map(Vec<(String, Json)>, HashSet<String>, Option<String>),
}

/// The frontmatter of a SKILL.md as it is written, and the text after it; `None` if it has none. As the library has it, blank lines may
/// stand above it, and blanks behind its fences.
pub(crate) fn split_frontmatter(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut at, mut start) = (0, None);
    for line in text.split_inclusive('\n') {
        let (end, is_fence) = (at + line.len(), line.trim_end() == "---");
        match start {
            Some(start) if is_fence => return Some((text.get(start..at)?, text.get(end..)?)),
            None if is_fence => start = Some(end),
            None if !line.trim().is_empty() => return None,
            _ => {}
        }
        at = end;
    }
    None
}

/// The texts of a list.
pub(crate) fn texts(list: Option<&Json>) -> Vec<&str> {
    match list {
        Some(Json::List(items)) => items.iter().filter_map(Json::as_text).collect(),
        _ => Vec::new(),
    }
}

/// The fields of a map.
pub(crate) fn fields(map: Option<&Json>) -> &[(String, Json)] {
    match map {
        Some(Json::Map(fields)) => fields,
        _ => &[],
    }
}

/// The text of a field.
pub(crate) fn text<'j>(map: &'j Json, key: &str) -> Option<&'j str> {
    map.get(key).and_then(Json::as_text)
}

/// Whether a text is a number of hexadecimal digits, as records write hashes.
pub(crate) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a path of a record stays below the folder that it is about, for every operating system.
pub(crate) fn is_inside(path: &str) -> bool {
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\\', ':', '\0']);
    path.trim_end_matches('/').split('/').all(is_name)
}
