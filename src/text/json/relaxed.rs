//! JSON as it stands in settings files that people write: with `//` and `/* */` comments and trailing commas; and the
//! lines at which its values stand.

use super::Json;

/// The text with spaces in place of comments and trailing commas, so that it can be parsed as JSON and every position
/// stays the same. A comment that is not closed stays as it is, and so does a comma without a value before it.
pub(crate) fn strict(text: &str) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    // The last two characters that are no white space, and where the last one is if it is a comma.
    let (mut before, mut last, mut comma) = ('[', '[', None);
    while let Some(c) = rest.chars().next() {
        let blank = match c {
            '"' => 0,
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.get(2..).and_then(|rest| rest.find("*/")).map_or(0, |end| end + 4),
            _ => 0,
        };
        if 0 < blank {
            let (comment, behind) = rest.split_at(blank);
            out.extend(comment.chars().map(|c| if c == '\n' { b'\n' } else { b' ' }));
            rest = behind;
            continue;
        }
        let len = if c == '"' { string_len(rest) } else { c.len_utf8() };
        let (token, behind) = rest.split_at(len);
        rest = behind;
        if !c.is_whitespace() {
            if let (']' | '}', ',', Some(at)) = (c, last, comma) {
                if !matches!(before, '[' | '{' | ',' | ':') {
                    if let Some(byte) = out.get_mut(at) {
                        *byte = b' ';
                    }
                }
            }
            comma = (c == ',').then_some(out.len());
            (before, last) = (last, c);
        }
        out.extend_from_slice(token.as_bytes());
    }
    String::from_utf8(out).unwrap_or_default()
}

/// How many bytes the string has with which the text begins, quotes included; all of the text if it is not closed.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Where a value stands in a JSON text, and where the values directly within it do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The line of its key, from 1; 0 if there is no such value.
    pub(crate) own: usize,
    /// Of a map, each key and its line, also if it occurs twice; of a list, the line of each item, with an empty text.
    pub(crate) within: Vec<(String, usize)>,
}

struct Open {
    is_map: bool,
    /// How many names of the path lead here; `None` if they lead elsewhere.
    depth: Option<usize>,
    /// Whether the next token is a key, or the first of an item.
    is_next: bool,
}

/// The lines of the value that the keys in `path` lead to. `text` is valid JSON.
pub(crate) fn lines(text: &str, path: &[&str]) -> Lines {
    let mut found = Lines::default();
    let mut open: Vec<Open> = Vec::new();
    let (mut line, mut rest) = (1, text);
    // How many names of the path lead to the next value.
    let mut next = Some(0);
    while let Some(c) = rest.chars().next() {
        let len = if c == '"' { string_len(rest) } else { c.len_utf8() };
        let (token, behind) = rest.split_at(len);
        rest = behind;
        line += usize::from(c == '\n');
        if c.is_whitespace() {
            continue;
        }
        if let Some(inside) = open.last_mut() {
            if inside.is_next && !matches!(c, ']' | '}') {
                inside.is_next = false;
                let is_it = inside.depth == Some(path.len());
                let is_wanted = inside.is_map && inside.depth.is_some();
                let key = if is_wanted { Json::parse(token).ok() } else { None };
                let key = key.as_ref().and_then(Json::as_text).unwrap_or_default().to_owned();
                next = inside.depth.filter(|at| inside.is_map && path.get(*at) == Some(&key.as_str())).map(|at| at + 1);
                if next == Some(path.len()) {
                    found = Lines { own: line, within: Vec::new() };
                }
                if is_it {
                    found.within.push((key, line));
                }
            }
            inside.is_next |= c == ',';
        }
        match c {
            '{' | '[' => {
                open.push(Open { is_map: c == '{', depth: next.take(), is_next: true });
            }
            '}' | ']' => {
                open.pop();
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
#[path = "../../../tests/unit/relaxed.rs"]
mod tests;
