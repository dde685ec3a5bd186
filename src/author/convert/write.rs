//! Writes a frontmatter. Entries that have not changed are copied line by line, with the comments around them; the others
//! are written anew.

use super::fields::Entry;
use super::{Loss, Original};
use crate::diagnostic::Code;
use crate::text::escape::quote_yaml;
use crate::text::frontmatter::{Split, split};
use crate::text::yaml::{Node, Span, Style, Value};
use std::borrow::Cow;
use std::ops::Range;

/// Whether lines may be copied from a frontmatter that has a finding with this code: the finding is about a comment, or
/// about characters that are removed.
pub(super) fn allows_copy(code: Code) -> bool {
    matches!(code, Code::YamlComment | Code::ControlCharacter)
}

/// The lines of an entry of the old frontmatter, as bytes of the text.
struct Lines {
    /// Those of the entry itself.
    own: Range<usize>,
    /// The comments and blank lines after it.
    after: Range<usize>,
}

/// The lines of the old frontmatter.
struct OldLines {
    /// The comments and blank lines before the first entry.
    before: Range<usize>,
    entries: Vec<Lines>,
}

/// The lines of each entry, if the entries can be told apart by lines.
fn old_lines(original: &Original<'_>) -> Option<OldLines> {
    let text = original.text;
    let Split::Found(parts) = split(text) else { return None };
    let is_usual = original.is_plain && parts.loose_close.is_none() && parts.body.start == original.body_start;
    // An alias is copied only together with its anchor, which may be in an entry that goes or is written anew.
    let has_alias =
        |map: &[(Node, Node)]| map.iter().any(|(key, value)| has_alias(text, key) || has_alias(text, value));
    let map = original.map.as_ref().filter(|map| is_usual && !has_alias(map))?;
    let mut entries: Vec<Lines> = Vec::with_capacity(map.len());
    let is_blank = |range: &Range<usize>| {
        let mut lines = text.get(range.clone()).unwrap_or_default().lines();
        lines.all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    };
    let starts: Vec<usize> = map.iter().map(|(key, _)| key.span.start).chain([parts.yaml.end]).collect();
    let first = *starts.first()?;
    let before = parts.yaml.start..first;
    for ((key, value), next) in map.iter().zip(starts.iter().skip(1)) {
        let start = key.span.start;
        let is_at_line_start = text.get(..start)?.ends_with('\n');
        let end = match &value.value {
            Value::Text(text) if text.is_empty() && value.style == Style::Plain => key.span.end,
            _ => value.span.end.max(key.span.end),
        };
        let end = line_end(text, end.checked_sub(1)?.max(start)).min(*next);
        let lines = Lines { own: start..end, after: end..*next };
        if !is_at_line_start || next < &start || !is_blank(&lines.after) {
            return None;
        }
        entries.push(lines);
    }
    is_blank(&before).then_some(OldLines { before, entries })
}

/// Whether an alias stands for a value, or for a part of it. The depth is bounded by `yaml::MAX_DEPTH`.
fn has_alias(text: &str, node: &Node) -> bool {
    node.is_alias(text)
        || match &node.value {
            Value::Text(_) | Value::Absent => false,
            Value::List(items) => items.iter().any(|item| has_alias(text, item)),
            Value::Map(pairs) => pairs.iter().any(|(key, value)| has_alias(text, key) || has_alias(text, value)),
        }
}

/// Where the line with this byte ends, its LF included.
fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |found| at + found + 1)
}

/// Lists comments that the new frontmatter does not have.
pub(super) fn add_comment_loss(original: &Original<'_>, entries: &[Entry], lost: &mut Vec<Loss>) {
    let Some(map) = &original.map else { return };
    let mut values = Vec::new();
    for (key, value) in map {
        values.push(key.span);
        add_scalars(value, &mut values);
    }
    let is_lost = match old_lines(original) {
        Some(old) => old.entries.iter().enumerate().any(|(number, lines)| {
            let is_copied = entries.iter().any(|entry| entry.same_as == Some(number));
            !is_copied && has_comment(original.text, &lines.own, &values)
        }),
        None => {
            let start = map.first().map_or(original.body_start, |(key, _)| key.span.start);
            let above = original.text.get(..start).unwrap_or_default();
            above.contains("<!--") || has_comment(original.text, &(0..original.body_start), &values)
        }
    };
    if is_lost {
        lost.push(Loss::new("comments", "comments beside what was changed in the frontmatter are not kept"));
    }
}

/// Adds the places of all scalars in a value. The depth is bounded by `yaml::MAX_DEPTH`.
fn add_scalars(node: &Node, places: &mut Vec<Span>) {
    match &node.value {
        Value::Text(_) | Value::Absent => places.push(node.span),
        Value::List(items) => items.iter().for_each(|item| add_scalars(item, places)),
        Value::Map(pairs) => pairs.iter().for_each(|(key, value)| {
            places.push(key.span);
            add_scalars(value, places);
        }),
    }
}

/// Whether a part of the text has a comment. `values` are the places of all scalars, in the order of the text.
fn has_comment(text: &str, part: &Range<usize>, values: &[Span]) -> bool {
    let marks = text.get(part.clone()).unwrap_or_default().match_indices('#').map(|(at, _)| part.start + at);
    marks.into_iter().any(|at| {
        let starts_word =
            text.get(..at).is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        let after = values.partition_point(|value| value.start <= at);
        let is_inside = after.checked_sub(1).and_then(|at| values.get(at)).is_some_and(|value| at < value.end);
        starts_word && !is_inside
    })
}

/// Writes the lines of a frontmatter.
pub(super) fn entries(original: &Original<'_>, entries: &[Entry], out: &mut String) {
    let old = old_lines(original);
    let part = |range: &Range<usize>| original.text.get(range.clone()).unwrap_or_default();
    if let Some(old) = &old {
        out.push_str(part(&old.before));
    }
    // The comments after an entry stay where they are, also if the entry goes.
    let mut next_after = 0;
    for entry in entries {
        let lines = entry.same_as.and_then(|number| Some((number, old.as_ref()?.entries.get(number)?)));
        if let Some((number, lines)) = lines {
            let skipped = old.as_ref().and_then(|old| old.entries.get(next_after..number)).unwrap_or_default();
            skipped.iter().for_each(|lines| out.push_str(part(&lines.after)));
            out.push_str(part(&lines.own));
            end_line(out);
            out.push_str(part(&lines.after));
            next_after = number + 1;
        } else {
            pair(&entry.key, &entry.value, 0, out);
        }
        end_line(out);
    }
    let rest = old.as_ref().and_then(|old| old.entries.get(next_after..)).unwrap_or_default();
    rest.iter().for_each(|lines| out.push_str(part(&lines.after)));
    end_line(out);
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Writes a pair of a block map. The depth is bounded by `yaml::MAX_DEPTH`.
fn pair(key: &str, value: &Node, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    out.push_str(&indent);
    out.push_str(&scalar(key, Style::Plain));
    out.push(':');
    match &value.value {
        Value::Map(pairs) if !pairs.is_empty() => {
            out.push('\n');
            for (key, value) in pairs {
                pair(&key_text(key), value, depth + 1, out);
            }
        }
        Value::List(items) if value.style == Style::Block && !items.is_empty() => {
            out.push('\n');
            for item in items {
                out.push_str(&indent);
                out.push_str("  - ");
                flow(item, out);
                out.push('\n');
            }
        }
        Value::Text(text) if text.is_empty() && value.style == Style::Plain => out.push('\n'),
        _ => {
            out.push(' ');
            flow(value, out);
            out.push('\n');
        }
    }
}

/// Writes a value on one line. The depth is bounded by `yaml::MAX_DEPTH`.
fn flow(value: &Node, out: &mut String) {
    match &value.value {
        Value::Text(text) if text.is_empty() && value.style == Style::Plain => out.push_str("null"),
        Value::Text(text) => out.push_str(&scalar(text, value.style)),
        Value::Absent => out.push_str("null"),
        Value::List(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                out.push_str(if number == 0 { "" } else { ", " });
                flow(item, out);
            }
            out.push(']');
        }
        Value::Map(pairs) => {
            out.push('{');
            for (number, (key, value)) in pairs.iter().enumerate() {
                out.push_str(if number == 0 { "" } else { ", " });
                out.push_str(&scalar(&key_text(key), Style::Plain));
                out.push_str(": ");
                flow(value, out);
            }
            out.push('}');
        }
    }
}

/// The text of a key. One that is not a text is read as its JSON.
fn key_text(key: &Node) -> Cow<'_, str> {
    match &key.value {
        Value::Text(text) => Cow::Borrowed(text),
        Value::List(_) | Value::Map(_) | Value::Absent => Cow::Owned(key.to_json().to_string()),
    }
}

/// A scalar, without quotes only if it was written without them and cannot be misread.
fn scalar(text: &str, style: Style) -> String {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "_-./()+ ".contains(c);
    let is_first = |c: char| c.is_ascii_alphanumeric() || "_/~".contains(c);
    let is_null = text == "~";
    let is_plain = is_null
        || (text.starts_with(is_first)
            && !text.starts_with('~')
            && text.chars().all(is_inside)
            && !text.ends_with(' '));
    if style == Style::Plain && is_plain { text.to_owned() } else { quote_yaml(text) }
}
