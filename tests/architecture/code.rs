//! In: the text of a Rust file. Out: the same text with comments and literals blanked, line for line, and the
//! string literals apart, so that a rule can look at code alone. Not a parser: enough for the house's rules.

/// Code without comments, the contents of literals, and `#[cfg(test)]` items; lines stay where they are.
pub(crate) struct Code {
    pub(crate) text: String,
    /// String literals outside `#[cfg(test)]` items, with their line from 1.
    pub(crate) literals: Vec<(usize, String)>,
}

/// A literal under its place in the text.
type Placed = (usize, String);

pub(crate) fn read(source: &str) -> Code {
    let (mut chars, literals) = mask(&source.chars().collect::<Vec<_>>());
    blank_tests(&mut chars);
    let literals = literals
        .into_iter()
        .filter(|(at, _)| chars[*at] == '"')
        .map(|(at, literal)| (1 + chars[..at].iter().filter(|c| **c == '\n').count(), literal))
        .collect();
    Code { text: chars.into_iter().collect(), literals }
}

fn mask(source: &[char]) -> (Vec<char>, Vec<Placed>) {
    let mut out: Vec<char> = source.to_vec();
    let mut literals = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let end = match (source[at], source.get(at + 1)) {
            ('/', Some('/')) => find(source, at, '\n'),
            ('/', Some('*')) => block_comment(source, at),
            ('"', _) => string(source, at),
            ('\'', _) => char_literal(source, at),
            ('r', Some('"' | '#')) if !is_word(source, at) => raw_string(source, at),
            _ => at + 1,
        };
        let open = (at..end).find(|&i| source[i] == '"').filter(|_| !matches!(source[at], '/' | '\''));
        if let Some(open) = open {
            let tail = (open - at).max(1);
            let inside = open + 1..end.saturating_sub(tail).max(open + 1);
            literals.push((open, source[inside].iter().collect()));
        }
        if end > at + 1 {
            blank(&mut out[at..end]);
            if let Some(open) = open {
                out[open] = '"';
            }
        }
        at = end;
    }
    (out, literals)
}

fn blank(chars: &mut [char]) {
    for c in chars.iter_mut().filter(|c| **c != '\n') {
        *c = ' ';
    }
}

fn find(source: &[char], from: usize, wanted: char) -> usize {
    (from..source.len()).find(|&i| source[i] == wanted).unwrap_or(source.len())
}

/// Whether the character before this one continues a name (`br"…"` is a raw string all the same).
fn is_word(source: &[char], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map(|i| source[i]);
    match before(1) {
        Some('b' | 'c') => before(2).is_some_and(is_name),
        Some(c) => is_name(c),
        None => false,
    }
}

pub(crate) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment(source: &[char], from: usize) -> usize {
    let (mut at, mut depth) = (from + 2, 1);
    while at < source.len() && depth > 0 {
        match (source[at], source.get(at + 1)) {
            ('/', Some('*')) => (at, depth) = (at + 2, depth + 1),
            ('*', Some('/')) => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    at.min(source.len())
}

fn string(source: &[char], from: usize) -> usize {
    let mut at = from + 1;
    while at < source.len() && source[at] != '"' {
        at += if source[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(source.len())
}

fn raw_string(source: &[char], from: usize) -> usize {
    let hashes = source[from + 1..].iter().take_while(|c| **c == '#').count();
    let open = from + 1 + hashes;
    if source.get(open) != Some(&'"') {
        return from + 1;
    }
    (open + 1..source.len())
        .find(|&i| source[i] == '"' && source[i + 1..].iter().take_while(|c| **c == '#').count() >= hashes)
        .map_or(source.len(), |i| i + 1 + hashes)
}

/// The end of `'x'`; a lifetime is left as it is.
fn char_literal(source: &[char], from: usize) -> usize {
    match (source.get(from + 1), source.get(from + 2)) {
        (Some('\\'), Some(_)) => (find(source, from + 3, '\'') + 1).min(source.len()),
        (Some(_), Some('\'')) => from + 3,
        _ => from + 1,
    }
}

/// Blanks what stands under `#[cfg(test)]`: up to the first `;`, or to the end of the first block.
fn blank_tests(code: &mut [char]) {
    const MARK: &[char] = &['#', '[', 'c', 'f', 'g', '(', 't', 'e', 's', 't', ')', ']'];
    let mut at = 0;
    while at + MARK.len() <= code.len() {
        if !code[at..].starts_with(MARK) {
            at += 1;
            continue;
        }
        let end = item_end(code, at + MARK.len());
        blank(&mut code[at..end]);
        at = end;
    }
}

fn item_end(code: &[char], from: usize) -> usize {
    let mut depth = 0usize;
    for (at, c) in code.iter().enumerate().skip(from) {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The names that follow a path's beginning, with their line: `b` and `c` for `a::{b, c::d}`.
/// `prefix` is matched as a whole word, without the `::`.
pub(crate) fn names_after(code: &str, prefix: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let whole = !code[..at].ends_with(is_name);
        let Some(rest) = code[at + prefix.len()..].trim_start().strip_prefix("::").filter(|_| whole) else { continue };
        let line = 1 + code[..at].matches('\n').count();
        let names = match rest.trim_start().strip_prefix('{') {
            Some(group) => group_heads(group),
            None => vec![head(rest)],
        };
        found.extend(names.into_iter().map(|name| (line, name)));
    }
    found
}

/// The first names of a group `b, c::{d, e}, f}`, its opening brace taken.
fn group_heads(group: &str) -> Vec<String> {
    let (mut heads, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                heads.push(head(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                heads.push(head(&group[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    heads.retain(|name| !name.is_empty());
    heads
}

fn head(path: &str) -> String {
    let path = path.trim_start();
    if path.starts_with('*') { "*".to_owned() } else { path.chars().take_while(|c| is_name(*c)).collect() }
}
