//! Reads YAML as certain clients do, which recovers less: line by line, the fields at the left margin one by one; only the last
//! lines that begin with certain keys; or with values in quotes that YAML misreads.

use super::entry::key_of;
use super::mend::meant;
use super::{Edit, Mend, Repaired, Shape, mend_whole, move_spans, read_all_with, repair, root};
use crate::text::escape::quote_yaml;
use crate::text::lines::{line_end, lines};
use crate::text::yaml::{self, Node, NoticeKind, Span, Style, Value};
use std::collections::HashSet;
use std::ops::Range;

/// The pairs whose keys are at the left margin, with a colon and a blank behind them. Each is read by itself, and its
/// value corrected if it is not valid YAML. Indented lines, and list items below a key without a value, belong to the
/// pair before them; all other lines are passed over.
pub(crate) fn by_line(text: &str, shape: &dyn Fn(&str) -> Shape) -> Repaired {
    let whole = Span { start: 0, end: text.len() };
    let root = Node { value: Value::Absent, span: whole, style: Style::Block, tag: None };
    let mut found = Repaired { root, mends: Vec::new(), notices: Vec::new(), missed: None };
    let (mut pairs, mut seen) = (Vec::new(), HashSet::new());
    for entry in entries(text) {
        let start = entry.start;
        let Some((mut key, mut value)) = pair(&text[entry], start, shape, &mut found) else { continue };
        let moved = |at| at + start;
        move_spans(&mut key, &moved);
        move_spans(&mut value, &moved);
        match key.as_text() {
            Some(name) if !seen.insert(name.to_owned()) => {
                found.notices.push(yaml::duplicate_key(&pairs, name, (&key, &value)));
            }
            _ => pairs.push((key, value)),
        }
    }
    found.root.value = Value::Map(pairs);
    found
}

fn entries(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // Whether lines may belong to the last entry, and whether these may be list items at the left margin.
    let (mut is_open, mut takes_items) = (false, false);
    for (start, line) in lines(text) {
        let end = line_end(text, start);
        let key = key_of(line).map(|(_, colon)| &line[colon + 1..]);
        if let Some(rest) = key.filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
            found.push(start..end);
            (is_open, takes_items) = (true, rest.trim().is_empty());
            continue;
        }
        let is_item = takes_items && (line == "-" || line.starts_with("- "));
        is_open &= is_item || line.trim().is_empty() || line.starts_with([' ', '\t', '#']);
        if let Some(last) = found.last_mut().filter(|_| is_open) {
            last.end = end;
        }
    }
    found
}

/// The pair of an entry that begins at `start`, with spans in the entry. Adds the corrections to `found`.
fn pair(entry: &str, start: usize, shape: &dyn Fn(&str) -> Shape, found: &mut Repaired) -> Option<(Node, Node)> {
    let root = match yaml::parse(entry) {
        Ok(document) => document.root?,
        Err(_) => {
            let Some(repaired) = repair(entry, shape) else { return as_written(entry) };
            found.mends.extend(repaired.mends.into_iter().map(|mut mend| {
                mend.at += start;
                mend.line_start += start;
                mend.end += start;
                mend
            }));
            repaired.root
        }
    };
    match root.value {
        // A line of the value that looks like a key may have become another pair.
        Value::Map(pairs) => pairs.into_iter().next(),
        Value::Text(_) | Value::List(_) | Value::Absent => None,
    }
}

/// The pair with all that follows the colon on the first line as its value.
fn as_written(entry: &str) -> Option<(Node, Node)> {
    let line = entry.lines().next()?;
    let (key, colon) = key_of(line)?;
    let value = line[colon + 1..].trim();
    let start = line.len() - line[colon + 1..].trim_start().len();
    Some((text_at(key, 0), text_at(value, start)))
}

fn text_at(text: &str, start: usize) -> Node {
    let span = Span { start, end: start + text.len() };
    Node { value: Value::Text(text.to_owned()), span, style: Style::Double, tag: None }
}

/// The last line that begins with each of two keys, at any indentation, with what follows the colon as it is. Indented
/// lines below the second key continue its value.
pub(crate) fn last_lines(text: &str, keys: [&str; 2]) -> [Option<(Node, Node)>; 2] {
    let mut found = [None, None];
    // Whether the next line may continue the value of the second key.
    let mut is_open = false;
    for (start, line) in lines(text) {
        let inked = line.trim();
        if is_open && line.starts_with([' ', '\t']) && !inked.is_empty() {
            if let Some((_, Node { value: Value::Text(value), span, .. })) = &mut found[1] {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(inked);
                span.end = start + line.trim_end().len();
            }
            continue;
        }
        is_open = false;
        let key_start = start + (line.len() - line.trim_start().len());
        for (n, key) in keys.iter().enumerate() {
            let Some(rest) = inked.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) else { continue };
            let value = rest.trim_start();
            let value_start = key_start + (inked.len() - value.len());
            found[n] = Some((text_at(key, key_start), text_at(value, value_start)));
            is_open = n == 1;
            break;
        }
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    /// Those of any key, at any depth, that contain a colon before white space, or that begin with a bracket, a brace, `@`
    /// or a backtick and are not valid. Block scalars and comments are left alone.
    Misread,
    /// Those with any colon in them, if the key is at the left margin and consists of ASCII letters, digits and `_`.
    WithColon,
}

/// The mapping with values in quotes. `None` if there are no such values, or it still is not valid YAML.
pub(crate) fn quote(text: &str, quoted: Quoted) -> Option<Repaired> {
    let mut edits = Vec::new();
    let mut mends = Vec::new();
    // The indentation of the key whose block scalar the lines may belong to.
    let mut block = None;
    for (start, line) in lines(text) {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if block.is_some_and(|block| line.trim().is_empty() || block < indent) {
            continue;
        }
        block = None;
        let Some((key, rest)) = line.split_once(':') else { continue };
        let (value, is_candidate) = match quoted {
            Quoted::Misread => {
                (without_comment(rest.trim()), !key.trim().is_empty() && rest.starts_with(char::is_whitespace))
            }
            Quoted::WithColon => (rest.trim(), is_word(key.trim_end())),
        };
        if !is_candidate || value.is_empty() || value.starts_with(['"', '\'']) {
            continue;
        }
        let has_colon = value.match_indices(':').any(|(at, _)| value[at + 1..].starts_with(char::is_whitespace));
        let is_misread = match quoted {
            Quoted::Misread if value.starts_with(['|', '>']) => {
                block = Some(indent);
                false
            }
            Quoted::Misread => has_colon || (value.starts_with(['[', '{', '@', '`']) && !is_yaml(value)),
            Quoted::WithColon => value.contains(':') && value != "|" && value != ">",
        };
        if !is_misread {
            continue;
        }
        let colon = key.len() + 1;
        let at = colon + (rest.len() - rest.trim_start().len());
        let end = at + value.len();
        if !is_yaml(line) {
            let with = format!("{} {}{}", &line[..colon], quote_yaml(value), &line[end..]);
            let (line_start, why) = (start, meant(value).1);
            mends.push(Mend { at: start + at, line_start, end: start + at, with, why });
        }
        let with = match quoted {
            Quoted::Misread => quote_yaml(value),
            // Indented lines below it belong to the value.
            Quoted::WithColon => format!("|-\n  {value}"),
        };
        let gap = if at == colon { " " } else { "" };
        edits.push(Edit { start: start + at, end: start + end, with: format!("{gap}{with}") });
    }
    let (pairs, mut notices) = if edits.is_empty() { None } else { read_all_with(text, &edits).ok() }?;
    // The corrected line of a comment would be one of the edited text.
    notices.retain(|notice| !matches!(notice.what, NoticeKind::Comment { .. }));
    if mends.is_empty() {
        mends.extend(mend_whole(text));
    }
    Some(Repaired { root: root(pairs)?, mends, notices, missed: None })
}

fn without_comment(value: &str) -> &str {
    let is_comment = |(at, _): &(usize, &str)| *at == 0 || value[..*at].ends_with(char::is_whitespace);
    let comment = value.match_indices('#').find(is_comment);
    comment.map_or(value, |(at, _)| value[..at].trim_end())
}

fn is_word(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_yaml(text: &str) -> bool {
    yaml::parse(text).is_ok()
}
