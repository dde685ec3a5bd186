//! In: a value's text that YAML refuses, folded to one line. Out: the text that its author meant, and what is wrong.
//! Absent: whether YAML agrees; a caller quotes the text and tries.

use crate::text::escape::quote_yaml;
use crate::text::yaml;

use super::entry::{BLANKS, key_of};

/// What is wrong with a value that reads like another key.
pub(super) const COLON: &str = "unquoted `: ` in a value; read as plain text";

/// Takes away what is wrong with a value: stray quotes go, every other character stays (decisions 6).
pub(super) fn meant(value: &str) -> (String, &'static str) {
    let as_written = |why| (value.to_owned(), why);
    if let Some(inner) = ["\"\"\"", "'''"].iter().find_map(|three| value.strip_prefix(three)?.strip_suffix(three)) {
        return (inner.trim().to_owned(), "three quotes instead of one; read as one");
    }
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => unquote(value, quote),
        Some('[') if value.contains(']') => as_written("value starts with `[` but is not a list; read as plain text"),
        Some('[') => as_written("unclosed `[`; read as plain text"),
        Some('{') if value.contains('}') => as_written(
            "value starts with `{` but is not a mapping; read as plain \
             text",
        ),
        Some('{') => as_written("unclosed `{`; read as plain text"),
        Some('@') => as_written("unquoted value starts with `@`; read as plain text"),
        Some('`') => as_written("unquoted value starts with a backtick; read as plain text"),
        Some('*') => as_written("unquoted value starts with `*`; read as plain text"),
        Some('&') => as_written("unquoted value starts with `&`; read as plain text"),
        Some('!') => as_written("unquoted value starts with `!`; read as plain text"),
        Some('%') => as_written("unquoted value starts with `%`; read as plain text"),
        Some('|') => as_written("unquoted value starts with `|`; read as plain text"),
        Some('>') => as_written("unquoted value starts with `>`; read as plain text"),
        Some('?') => as_written("unquoted value starts with `?`; read as plain text"),
        Some('-') => as_written("`- ` after the colon; read as plain text"),
        _ if value.contains(": ") || value.contains(":\t") || value.ends_with(':') => as_written(COLON),
        _ => as_written("value is not valid YAML; read as plain text"),
    }
}

/// A one-line flow list with the items quoted that YAML refuses, or takes for tags and anchors, and what is wrong with the
/// first of them. None where it is no flat list, or every item is well.
pub(super) fn quoted_items(value: &str) -> Option<(String, &'static str)> {
    let (items, why) = quoted(value.strip_prefix('[')?.strip_suffix(']')?, |_| 0)?;
    Some((format!("[{items}]"), why?))
}

/// The same for the values of a flow mapping, which may be unclosed.
pub(super) fn quoted_pairs(value: &str) -> Option<(String, &'static str)> {
    let inner = value.strip_prefix('{')?;
    let (inner, unclosed) =
        inner.strip_suffix('}').map_or((inner, Some("unclosed `{`; read as if it were closed")), |inner| (inner, None));
    if items(inner).iter().any(|item| key_of(item.trim_matches(BLANKS)).is_none()) {
        return None;
    }
    let value_at = |item: &str| key_of(item).map_or(0, |(_, colon)| colon + 1);
    let (pairs, why) = quoted(inner, value_at)?;
    Some((format!("{{{pairs}}}"), unclosed.or(why)?))
}

/// The items between commas, each with what begins at `value_at` in quotes where it needs them.
fn quoted(inner: &str, value_at: impl Fn(&str) -> usize) -> Option<(String, Option<&'static str>)> {
    if inner.contains(['[', ']', '{', '}', '\n']) {
        return None;
    }
    let mut why = None;
    let mut quote = |item: &str| {
        let text = item.trim_matches(BLANKS);
        let (key, value) = text.split_at_checked(value_at(text)).unwrap_or(("", text));
        let inked = value.trim_start_matches(BLANKS);
        let read = yaml::parse(&format!("[{inked}]"));
        if inked.is_empty() || read.is_ok_and(|document| document.words.is_empty()) {
            return item.to_owned();
        }
        let (intent, reason) = meant(inked);
        why = why.or(Some(reason));
        let before = item.get(..item.len() - item.trim_start_matches(BLANKS).len()).unwrap_or_default();
        let after = item.get(item.trim_end_matches(BLANKS).len()..).unwrap_or_default();
        let gap = if key.is_empty() { "" } else { " " };
        format!("{before}{key}{gap}{}{after}", quote_yaml(&intent))
    };
    let items: Vec<String> = items(inner).into_iter().map(&mut quote).collect();
    Some((items.join(","), why))
}

/// The parts between commas; a comma inside a quoted item is text.
pub(super) fn items(inner: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut quote = None;
    let mut is_begin = true;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (None, ',') => {
                found.push(inner.get(start..at).unwrap_or_default());
                start = at + 1;
                is_begin = true;
            }
            (None, '"' | '\'') if is_begin => {
                quote = Some(c);
                is_begin = false;
            }
            (Some(open), c) if open == c => quote = None,
            (_, ' ' | '\t') => {}
            _ => is_begin = false,
        }
    }
    found.push(inner.get(start..).unwrap_or_default());
    found
}

/// Five shapes: quotes round the whole with others inside, the same and a comma, a stray quote in front, quotes that
/// close early, and words in quotes of which the first stands in front.
fn unquote(value: &str, quote: char) -> (String, &'static str) {
    let inside = value.get(1..).unwrap_or_default();
    let marks = marks(inside, quote);
    let closes_at_end = marks.last().is_some_and(|mark| mark.at + 1 == inside.len());
    let between = marks.len().saturating_sub(usize::from(closes_at_end));
    if let ([only], Some(inner)) = (marks.as_slice(), inside.strip_suffix([',', ';'])) {
        if inner.trim_end().len() == only.at + 1 {
            let quoted = inside.get(..only.at).unwrap_or_default();
            return (unescape(quoted, quote).0, "comma or semicolon after the closing quote; ignored");
        }
    }
    let closes_early = marks.first().is_some_and(|mark| mark.closes);
    if closes_at_end && !(between > 0 && between % 2 == 0 && closes_early) {
        let inner = inside.get(..inside.len() - 1).unwrap_or_default();
        let (text, is_escaped) = unescape(inner, quote);
        let why = match (between, is_escaped) {
            (0, false) => "backslash in front of an ordinary character; kept as a backslash",
            _ => "unescaped quote inside quotes; read as part of the text",
        };
        return (text, why);
    }
    if !closes_at_end && between % 2 == 0 {
        return (unescape(inside, quote).0, "unbalanced quote; read as plain text");
    }
    const AFTER: &str = "text after the closing quote; read as part of the value";
    match closed_early(inside, &marks) {
        Some((quoted, rest)) => (unescape(quoted, quote).0 + rest, AFTER),
        None => (value.to_owned(), AFTER),
    }
}

/// What is inside of the quotes that a value begins with, and what stands behind them. Only where they were meant for
/// the value's own: there are no others, or what they hold is a whole sentence and another one follows. Otherwise they
/// are the first of several words in quotes.
fn closed_early<'v>(inside: &'v str, marks: &[Mark]) -> Option<(&'v str, &'v str)> {
    let first = marks.first()?;
    let (quoted, rest) = (inside.get(..first.at)?, inside.get(first.at + 1..)?);
    let begins_sentence = rest.trim_start().starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    let is_sentence = first.closes && quoted.ends_with(['.', '!', '?', '。', '！', '？']) && begins_sentence;
    let is_alone = marks.len() == 1 && quoted.ends_with(|c: char| !c.is_whitespace());
    (is_alone || is_sentence).then_some((quoted, rest))
}

/// A quote that is neither escaped nor an apostrophe inside a word.
struct Mark {
    at: usize,
    /// It ends what is before it: no blank before, a blank or punctuation after.
    closes: bool,
}

fn marks(inside: &str, quote: char) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut before = None;
    let mut chars = inside.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|&(_, next)| next);
        let is_pair = match quote {
            '"' => c == '\\',
            _ => (c == '\'' || c == '\\') && after == Some(quote),
        };
        if is_pair {
            before = chars.next().map(|(_, skipped)| skipped);
            continue;
        }
        let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if c == quote && !(quote == '\'' && in_word(before) && in_word(after)) {
            let ends_word = before.is_some_and(|c| !c.is_whitespace() && !"([{".contains(c));
            let closes = ends_word && after.is_none_or(|c| c.is_whitespace() || ".,;:!?)]}".contains(c));
            found.push(Mark { at, closes });
        }
        before = Some(c);
    }
    found
}

/// The text without its escapes, and whether they were all escapes: a backslash before anything else shows that the
/// author wrote none, and then only quotes are unescaped.
fn unescape(inner: &str, quote: char) -> (String, bool) {
    if quote == '\'' {
        return (inner.replace("\\'", "'").replace("''", "'"), true);
    }
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(c @ ('"' | '\'' | '\\' | '/')) => out.push(c),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            _ => return (inner.replace("\\\"", "\""), false),
        }
    }
    (out, true)
}
