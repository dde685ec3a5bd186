//! Finds the text that the author of a value meant, and what is wrong with it. The value is folded to one line and not
//! valid YAML; whether the result is valid is for the caller to try.

use crate::text::escape::quote_yaml;
use crate::text::yaml;

use super::entry::{BLANKS, key_of};

/// What is wrong with a value that looks like another key.
pub(super) const COLON: &str = "unquoted `: ` in a value; read as plain text";

/// The value without stray quotes and with every other character, and what is wrong with it (rule 5.6).
pub(super) fn meant(value: &str) -> (String, &'static str) {
    let as_written = |why| (value.to_owned(), why);
    if let Some(inner) = ["\"\"\"", "'''"].iter().find_map(|three| value.strip_prefix(three)?.strip_suffix(three)) {
        return (inner.trim().to_owned(), "three quotes instead of one; read as one");
    }
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => unquote(value, &value[1..], quote),
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

/// A flow list on one line with quotes around the items that are not valid YAML or begin with a tag or an anchor, and
/// what is wrong with the first of them. `None` if it is not a flat list, or nothing is wrong.
pub(super) fn quoted_items(value: &str) -> Option<(String, &'static str)> {
    let (items, why) = quoted(value.strip_prefix('[')?.strip_suffix(']')?, |item| ("", item))?;
    Some((format!("[{items}]"), why?))
}

/// Like [`quoted_items`], for the values of a flow mapping, which may be unclosed.
pub(super) fn quoted_pairs(value: &str) -> Option<(String, &'static str)> {
    let inner = value.strip_prefix('{')?;
    let (inner, unclosed) =
        inner.strip_suffix('}').map_or((inner, Some("unclosed `{`; read as if it were closed")), |inner| (inner, None));
    if items(inner).iter().any(|item| key_of(item.trim_matches(BLANKS)).is_none()) {
        return None;
    }
    let (pairs, why) = quoted(inner, split_key)?;
    Some((format!("{{{pairs}}}"), unclosed.or(why)?))
}

/// The key of a line with its colon, which is empty if there is none, and the rest.
pub(super) fn split_key(line: &str) -> (&str, &str) {
    line.split_at(key_of(line).map_or(0, |(_, colon)| colon + 1))
}

/// The items between commas, each with its value in quotes if it needs them. `split` divides an item into what precedes
/// its value, and the value.
fn quoted(inner: &str, split: impl Fn(&str) -> (&str, &str)) -> Option<(String, Option<&'static str>)> {
    if inner.contains(['[', ']', '{', '}', '\n']) {
        return None;
    }
    let mut why = None;
    let mut quote = |item: &str| {
        let text = item.trim_matches(BLANKS);
        let (key, value) = split(text);
        let inked = value.trim_start_matches(BLANKS);
        let read = yaml::parse(&format!("[{inked}]"));
        if inked.is_empty() || read.is_ok_and(|document| document.words.is_empty()) {
            return item.to_owned();
        }
        let (intent, reason) = meant(inked);
        why = why.or(Some(reason));
        let (before, _) = item.split_at(item.len() - item.trim_start_matches(BLANKS).len());
        let (_, after) = item.split_at(item.trim_end_matches(BLANKS).len());
        let gap = if key.is_empty() { "" } else { " " };
        format!("{before}{key}{gap}{}{after}", quote_yaml(&intent))
    };
    let items: Vec<String> = items(inner).into_iter().map(&mut quote).collect();
    Some((items.join(","), why))
}

/// The items between commas. A comma inside a quoted item does not separate.
pub(super) fn items(inner: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut quote = None;
    let mut is_begin = true;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (None, ',') => {
                found.push(&inner[start..at]);
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
    found.push(&inner[start..]);
    found
}

/// What is meant by a value that begins with a quote, and what is wrong. There are five cases: quotes around the whole
/// with others inside, such quotes with a comma behind them, a stray quote at the beginning, quotes that close early,
/// and several words in quotes of which the first begins the value. `inside` is the value behind its first quote.
fn unquote(value: &str, inside: &str, quote: char) -> (String, &'static str) {
    let marks = marks(inside, quote);
    let closes_at_end = marks.last().is_some_and(|mark| mark.at + 1 == inside.len());
    let between = marks.len().saturating_sub(usize::from(closes_at_end));
    if let ([only], Some(inner)) = (marks.as_slice(), inside.strip_suffix([',', ';'])) {
        if inner.trim_end().len() == only.at + 1 {
            return (unescape(&inside[..only.at], quote).0, "comma or semicolon after the closing quote; ignored");
        }
    }
    let closes_early = marks.first().is_some_and(|mark| mark.closes);
    let inner = inside.strip_suffix(quote).filter(|_| closes_at_end);
    if let Some(inner) = inner.filter(|_| !(between > 0 && between % 2 == 0 && closes_early)) {
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

/// The text inside the quotes that a value begins with, and the text behind them, if the quotes were meant for the
/// whole value: there are no others, or they contain a whole sentence and another one follows. Otherwise they belong to
/// the first of several words in quotes.
fn closed_early<'v>(inside: &'v str, marks: &[Mark]) -> Option<(&'v str, &'v str)> {
    let first = marks.first()?;
    let (quoted, rest) = (&inside[..first.at], &inside[first.at + 1..]);
    let begins_sentence = rest.trim_start().starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    let is_sentence = first.closes && quoted.ends_with(['.', '!', '?', '。', '！', '？']) && begins_sentence;
    let is_alone = marks.len() == 1 && quoted.ends_with(|c: char| !c.is_whitespace());
    (is_alone || is_sentence).then_some((quoted, rest))
}

/// A quote that is neither escaped nor an apostrophe inside a word.
struct Mark {
    at: usize,
    /// Whether it can be a closing quote: there is no white space before it, and white space or punctuation after it.
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

/// The text with its escapes resolved, and whether every backslash was part of an escape. If one was not, the author
/// did not mean escapes, and only quotes are unescaped.
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
