//! The name that a skill should have, and the line that gives it.

use super::reading::Reading;
use crate::diagnostic::{Code, Fix};
use crate::dialect::{Dialect, FieldRole};
use crate::discovery::manifest::{ReadMode, form_fault, location_name};
use crate::path::FsPath;
use crate::text::escape::quote_yaml;
use crate::text::lines::Source;
use crate::text::lower::small;
use crate::text::yaml::{Node, Style, Value, written_string};
use std::borrow::Cow;

/// The name that the findings about a text ask for: that of the folder, or else the present name with its form
/// corrected. `None` if they do not ask for another one.
pub(super) fn wanted(dialect: &Dialect, path: &FsPath, reading: &Reading, mode: ReadMode) -> Option<String> {
    let is_about_name = |code: Code| matches!(code, Code::NameMissing | Code::NameInvalid | Code::NameMismatch);
    let codes = || reading.findings.iter().map(|finding| finding.code);
    if !codes().any(is_about_name) {
        return None;
    }
    let folder = location_name(path);
    if is_valid(dialect, folder, mode) {
        return Some(folder.to_owned());
    }
    let (_, value) = field(dialect, reading)?;
    let Value::Text(name) = &value.value else { return None };
    let is_invalid = codes().any(|code| code == Code::NameInvalid);
    let name = if is_invalid { normalized(dialect, name, mode) } else { return None };
    is_valid(dialect, &name, mode).then_some(name)
}

/// The fix that writes a name into the frontmatter.
pub(super) fn fix(dialect: &Dialect, raw: &str, reading: &Reading, name: &str) -> Option<Fix> {
    let source = Source::new(raw);
    let Some((key, value)) = field(dialect, reading) else {
        // The new field is the first one.
        let (first, _) = reading.map.as_ref()?.first()?;
        let line = source.position(first.span.start).line;
        let field = dialect.path_of(&FieldRole::Name)?;
        return Some(Fix {
            line,
            last: line,
            with: format!("{field}: {}\n{}", written(name, None), source.line(line)?),
        });
    };
    let (start, end) = (source.position(value.span.start.max(key.span.end)), source.position(value.span.end));
    let line = source.line(start.line)?;
    let byte = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
    let (before, mut after) = (line.get(..byte(start.column))?, "");
    if start.line == end.line {
        after = line.get(byte(end.column)..)?;
    }
    // A value that is empty begins directly behind its colon, or at its key.
    let before = if value.span.start == value.span.end { before.trim_end_matches([':', ' ', '\t']) } else { before };
    let after = if value.span.start == value.span.end { after.trim_start_matches([':', ' ', '\t']) } else { after };
    let gap = if value.span.start == value.span.end { ": " } else { "" };
    let after = if gap.is_empty() || after.is_empty() { after.to_owned() } else { format!(" {after}") };
    let with = format!("{before}{gap}{}{after}", written(name, Some(value.style)));
    Some(Fix { line: start.line, last: end.line.max(start.line), with })
}

/// The field that holds the name.
fn field<'r>(dialect: &Dialect, reading: &'r Reading) -> Option<&'r (Node, Node)> {
    let field = dialect.path_of(&FieldRole::Name)?;
    let is_it = |(key, _): &&(Node, Node)| matches!(&key.value, Value::Text(text) if text == field);
    reading.map.as_ref()?.iter().find(is_it)
}

fn is_valid(dialect: &Dialect, name: &str, mode: ReadMode) -> bool {
    let limits = dialect.limits.iter().filter(|limit| limit.role == FieldRole::Name);
    let is_short = limits.into_iter().all(|limit| name.chars().count() <= limit.max_chars);
    is_short && !name.trim().is_empty() && form_fault(dialect, name, mode).is_none()
}

/// The name in lower case, with single hyphens in place of the characters that a name must not contain.
fn normalized(dialect: &Dialect, name: &str, mode: ReadMode) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars().flat_map(small) {
        if c != '-' && form_fault(dialect, &format!("a{c}a"), mode).is_none() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

/// A name as YAML, in quotes if it has been in quotes.
fn written(name: &str, style: Option<Style>) -> Cow<'_, str> {
    match style {
        Some(style) if style.is_quoted() => Cow::Owned(quote_yaml(name)),
        _ => written_string(name),
    }
}
