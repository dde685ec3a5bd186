//! Reads YAML as certain clients do, which recovers less: line by line, the fields at the left margin one by one; only the last
//! lines that begin with certain keys; or with values in quotes that YAML misreads.

use super::mend::meant;
use super::{Edit, Mend, Repaired, Shape, mend_whole, move_spans, read_all_with, repair, root};
use crate::text::escape::quote_yaml;
use crate::text::lines::{line_end, lines};
use crate::text::yaml::{self, Node, NoticeKind, Span, Style, Value, is_string};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
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
                found.notices.push(yaml::duplicate_key(&pairs, name, (&key, &value), false));
            }
            _ => pairs.push((key, value)),
        }
    }
    found.root.value = Value::Map(pairs);
    found
}

/// The key of a line, as these clients look for it: in quotes, or of ASCII letters, digits, `_`, `.` and `-`.
fn key_of(line: &str) -> Option<(&str, usize)> {
    let is_plain = |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    super::key_of(line).filter(|(key, _)| key.starts_with(['"', '\'']) || is_plain(key))
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

/// The pairs of the lines `key: value`, at any indentation. A value in double quotes is what is in them, a number or a flag is
/// one, and all else is text as it is; but where a list is due, one in brackets is read as YAML. Indented lines below a key
/// without a value are its list or its fields.
pub(crate) fn flat(text: &str, shape: &dyn Fn(&str) -> Shape) -> Vec<(Node, Node)> {
    let (mut found, mut last, mut places) = (Vec::<(Node, Node)>::new(), 0, HashMap::new());
    // Whether the next line may belong to the last key, which has no value.
    let mut is_open = false;
    for (start, line) in lines(text) {
        let inked = line.trim();
        if inked.is_empty() || inked.starts_with('#') {
            continue;
        }
        let start = start + (line.len() - line.trim_start().len());
        let below = found.get_mut(last).map(|(_, value)| value).filter(|_| is_open);
        if let (Some(value), true) = (below, line.starts_with([' ', '\t']) || inked.starts_with("- ")) {
            let item = inked.strip_prefix("- ").map(|item| flat_value(item.trim(), start + 2));
            value.span.end = start + inked.len();
            match (&mut value.value, item, flat_pair(inked, start)) {
                (Value::List(items), Some(item), _) => items.push(item),
                (Value::Map(pairs), None, Some(pair)) => pairs.push(pair),
                (Value::Text(_), Some(item), _) => value.value = Value::List(vec![item]),
                (Value::Text(_), None, Some(pair)) => value.value = Value::Map(vec![pair]),
                _ => {}
            }
            continue;
        }
        let Some((key, mut value)) = flat_pair(inked, start) else { continue };
        if key.as_text().is_some_and(|key| shape(key) != Shape::Text) {
            read_brackets(&mut value);
        }
        is_open = value.as_text() == Some("") && value.style == Style::Plain;
        match places.entry(key.as_text().unwrap_or_default().to_owned()) {
            Entry::Occupied(known) => {
                last = *known.get();
                found[last] = (key, value);
            }
            Entry::Vacant(new) => {
                last = *new.insert(found.len());
                found.push((key, value));
            }
        }
    }
    found
}

/// Makes a list of a text in brackets.
fn read_brackets(node: &mut Node) {
    let Some(text) = node.as_text().filter(|text| text.starts_with('[')) else { return };
    let root = yaml::parse(text).ok().and_then(|document| document.root);
    if let Some(mut list) = root.filter(|root| matches!(root.value, Value::List(_))) {
        let start = node.span.start;
        move_spans(&mut list, &|at| at + start);
        node.value = list.value;
    }
}

fn flat_pair(line: &str, start: usize) -> Option<(Node, Node)> {
    let (key, value) = line.split_once(':')?;
    let value_start = start + (line.len() - value.trim_start().len());
    Some((text_at(key.trim_end(), start), flat_value(value.trim(), value_start)))
}

fn flat_value(text: &str, start: usize) -> Node {
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let value = quoted.map(|inside| inside.replace("\\\"", "\""));
    let plain = Node { style: Style::Plain, ..text_at(text, start) };
    match value {
        Some(value) => Node { value: Value::Text(value), ..text_at(text, start) },
        None if is_string(&plain) || text == "~" => text_at(text, start),
        None => plain,
    }
}

/// The mapping as a lenient reader has it: tabs before a key, and the blanks behind them, are nothing; and a field may follow
/// a value in quotes on the same line. `None` if there is nothing of the kind, or it still is not valid YAML.
pub(crate) fn lenient(text: &str) -> Option<Repaired> {
    let mut edits = Vec::new();
    for (start, line) in lines(text) {
        add_lenient(line, start, &mut edits);
    }
    edited(text, &edits, false)
}

fn add_lenient(line: &str, start: usize, edits: &mut Vec<Edit>) {
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    let first_tab = line[..blanks].find('\t');
    if let Some(tab) = first_tab {
        edits.push(Edit { start: start + tab, end: start + blanks, with: String::new() });
    }
    if let Some(gap) = after_quotes(line) {
        let with = format!("\n{}", &line[..first_tab.unwrap_or(blanks)]);
        edits.push(Edit { start: start + gap.start, end: start + gap.end, with });
    }
}

/// The blanks between a value in quotes and more text on the line.
fn after_quotes(line: &str) -> Option<Range<usize>> {
    let colon = line.find(": ")?;
    let start = line.len() - line[colon + 1..].trim_start().len();
    let quote = line[start..].chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let mut inside = line[start + 1..].char_indices().peekable();
    let end = loop {
        match inside.next()? {
            (_, '\\') if quote == '"' => _ = inside.next(),
            (_, '\'') if quote == '\'' && inside.next_if(|(_, next)| *next == quote).is_some() => {}
            (at, c) if c == quote => break start + 1 + at + 1,
            _ => {}
        }
    };
    let rest = line[end..].trim_start();
    (!rest.is_empty() && !rest.starts_with('#')).then_some(end..line.len() - rest.len())
}

/// The mapping of a text with these edits; `None` if there are none, or it is not valid YAML then.
fn edited(text: &str, edits: &[Edit], last_counts: bool) -> Option<Repaired> {
    let (pairs, mut notices) = if edits.is_empty() { None } else { read_all_with(text, edits, last_counts).ok() }?;
    // The corrected line of a comment would be one of the edited text.
    notices.retain(|notice| !matches!(notice.what, NoticeKind::Comment { .. }));
    Some(Repaired { root: root(pairs)?, mends: Vec::new(), notices, missed: None })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    /// Those of any key, at any depth, that contain a colon before white space, or that begin with a bracket, a brace, `@`
    /// or a backtick and are not valid. Block scalars and comments are left alone.
    Misread,
    /// Those with a character that has a meaning in YAML, or a colon before a space, if the key is at the left margin and
    /// consists of ASCII letters, `_` and `-`, and the line does not end in CRLF. What stands in quotes as a whole, or is a
    /// valid list in brackets, is left alone. Tabs at the start of a line become two spaces each.
    Special,
    /// Those with any colon in them, if the key is at the left margin and consists of ASCII letters, digits and `_`.
    /// In a block scalar in place of quotes (`as_block`), indented lines below such a value belong to it.
    WithColon { as_block: bool },
}

/// The mapping with values in quotes. Of equal keys the first counts, or the last. `None` if there are no such values, or it still is not valid YAML.
pub(crate) fn quote(text: &str, quoted: Quoted, last_counts: bool) -> Option<Repaired> {
    let mut edits = Vec::new();
    let (mut mends, mut tab_mends) = (Vec::new(), Vec::new());
    // The indentation of the key whose block scalar the lines may belong to.
    let mut block = None;
    for (start, line) in lines(text) {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if block.is_some_and(|block| line.trim().is_empty() || block < indent) {
            continue;
        }
        block = None;
        let tabs = line.len() - line.trim_start_matches('\t').len();
        if quoted == Quoted::Special && 0 < tabs {
            let (spaces, why) = ("  ".repeat(tabs), "tab in the indentation; read as spaces");
            let with = format!("{spaces}{}", &line[tabs..]);
            tab_mends.push(Mend { at: start, line_start: start, end: start, with, why });
            edits.push(Edit { start, end: start + tabs, with: spaces });
            continue;
        }
        // Lines that are indented by spaces may belong to a value above them.
        let before = edits.len();
        if matches!(quoted, Quoted::WithColon { .. }) && indent == 0 {
            add_lenient(line, start, &mut edits);
        }
        let Some((key, rest)) = line.split_once(':') else { continue };
        let (value, is_candidate) = match quoted {
            Quoted::Special => {
                let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-'));
                let ends_in_lf = !text[start + line.len()..].starts_with('\r');
                (rest.trim(), is_key && ends_in_lf && rest.starts_with(char::is_whitespace))
            }
            Quoted::Misread => {
                (without_comment(rest.trim()), !key.trim().is_empty() && rest.starts_with(char::is_whitespace))
            }
            Quoted::WithColon { .. } => (rest.trim(), is_word(key.trim_end())),
        };
        let is_left_alone = match quoted {
            Quoted::Special => {
                let is_within = |a: char, b: char| value.starts_with(a) && value.ends_with(b);
                is_within('"', '"') || is_within('\'', '\'') || (is_within('[', ']') && is_yaml(value))
            }
            Quoted::Misread | Quoted::WithColon { .. } => value.starts_with(['"', '\'']),
        };
        if !is_candidate || value.is_empty() || is_left_alone {
            continue;
        }
        let has_colon = value.match_indices(':').any(|(at, _)| value[at + 1..].starts_with(char::is_whitespace));
        let is_misread = match quoted {
            Quoted::Misread if value.starts_with(['|', '>']) => {
                block = Some(indent);
                false
            }
            Quoted::Misread => has_colon || (value.starts_with(['[', '{', '@', '`']) && !is_yaml(value)),
            Quoted::Special => rest.trim_start().contains(": ") || value.contains(|c| "[]{}&*#!|>%@`".contains(c)),
            Quoted::WithColon { .. } => value.contains(':') && value != "|" && value != ">",
        };
        if !is_misread {
            continue;
        }
        let colon = key.len() + 1;
        let at = colon + (rest.len() - rest.trim_start().len());
        let end = at + value.len();
        // Once the file is valid YAML, the client puts nothing in quotes any more.
        let is_plain = if quoted == Quoted::Special { reads_as(line, value) } else { is_yaml(line) };
        if !is_plain {
            let with = format!("{} {}{}", &line[..colon], quote_yaml(value), &line[end..]);
            let (line_start, why) = (start, meant(value).1);
            mends.push(Mend { at: start + at, line_start, end: start + at, with, why });
        }
        let with = match quoted {
            Quoted::WithColon { as_block: true } => format!("|-\n  {value}"),
            Quoted::Misread | Quoted::Special | Quoted::WithColon { as_block: false } => quote_yaml(value),
        };
        let gap = if at == colon { " " } else { "" };
        // What is put in quotes as a whole has nothing to be lenient about.
        edits.truncate(before);
        edits.push(Edit { start: start + at, end: start + end, with: format!("{gap}{with}") });
    }
    let found = edited(text, &edits, last_counts)?;
    if mends.is_empty() {
        mends = tab_mends;
    }
    if mends.is_empty() {
        mends.extend(mend_whole(text));
    }
    Some(Repaired { mends, ..found })
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

/// Whether the line by itself is a pair with this value.
fn reads_as(line: &str, value: &str) -> bool {
    let root = yaml::parse(line).ok().and_then(|document| document.root).map(|root| root.value);
    matches!(root, Some(Value::Map(pairs)) if pairs.first().is_some_and(|(_, read)| read.as_text() == Some(value)))
}

fn is_yaml(text: &str) -> bool {
    yaml::parse(text).is_ok()
}
