//! Patterns of paths, such as `src/**/*.{ts,tsx}`, and patterns of names, such as `git-*`. Both take time that grows
//! with the length of the pattern times that of the text, whatever the pattern is.

/// How many patterns the braces of a list of patterns expand to at most.
const MAX_EXPANDED: usize = 1_000;

/// How many bytes are written while the braces of a list of patterns are expanded.
const MAX_EXPANDED_BYTES: usize = 1_048_576;

/// Patterns of paths, ready to be compared.
///
/// `*` stands for any characters but `/`, `?` for one, `[a-z]` for one of these, `[!a-z]` for one that is none of these,
/// and `**` between slashes for any folders, or none. `{a,b}` stands for either, also within another. A backslash takes
/// the special meaning from the character behind it. A pattern with a `[` that is not closed matches nothing.
///
/// All patterns together expand to at most 1,000. One that would exceed that is used as it is, so that its braces stand
/// for themselves.
pub(crate) struct Globs {
    patterns: Vec<(Scope, Vec<Token>)>,
}

enum Scope {
    /// The whole path, as the pattern begins with `/`.
    Whole,
    /// The path below a folder.
    Below,
    /// The last name of that path, as the pattern has no `/`: it matches in any folder.
    Name,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Char(char),
    /// One character other than `/`.
    One,
    /// Any characters other than `/`.
    Any,
    /// One character in one of these ranges, or in none of them, and never `/`.
    Class {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
    /// Any folders with the `/` behind each, where a folder begins. Always followed by [`Token::InFolders`].
    Folders,
    /// The same, within the name of a folder.
    InFolders,
    /// `/` and any characters, or nothing. Always followed by [`Token::Rest`].
    Below,
    /// Any characters.
    Rest,
}

impl Globs {
    /// Reads patterns. `./` at their start is passed over.
    pub(crate) fn new<'p>(patterns: impl Iterator<Item = &'p str>) -> Globs {
        let (mut left, mut bytes_left) = (MAX_EXPANDED, MAX_EXPANDED_BYTES);
        let mut all = Vec::new();
        for pattern in patterns {
            match expanded(pattern, left, &mut bytes_left) {
                Some(several) => {
                    left = left.saturating_sub(several.len());
                    all.extend(several.iter().filter_map(|pattern| scoped(pattern)));
                }
                None => all.extend(scoped(pattern)),
            }
        }
        Globs { patterns: all }
    }

    /// Whether one of the patterns matches a path: the whole one, or the part of it below a folder, if it lies there.
    pub(crate) fn matches(&self, whole: &str, below: Option<&str>) -> bool {
        self.patterns.iter().any(|(scope, tokens)| match (scope, below) {
            (Scope::Whole, _) => is_match(tokens, whole),
            (Scope::Below, Some(path)) => is_match(tokens, path),
            (Scope::Name, Some(path)) => is_match(tokens, path.rsplit_once('/').map_or(path, |(_, name)| name)),
            (Scope::Below | Scope::Name, None) => false,
        })
    }
}

/// The tokens of a pattern without braces, and what it is compared with; `None` if a `[` is not closed.
fn scoped(pattern: &str) -> Option<(Scope, Vec<Token>)> {
    let mut pattern = pattern.trim();
    while let Some(rest) = pattern.strip_prefix("./") {
        pattern = rest;
    }
    let scope = match pattern.find('/') {
        Some(0) => Scope::Whole,
        Some(_) => Scope::Below,
        // `**` is any path, and not only any name.
        None if pattern == "**" => Scope::Below,
        None => Scope::Name,
    };
    Some((scope, tokens(pattern)?))
}

/// The patterns that a pattern with braces stands for; `None` if there are more than `most`, or the bytes do not suffice.
fn expanded(pattern: &str, most: usize, bytes_left: &mut usize) -> Option<Vec<String>> {
    let (mut done, mut open) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(pattern) = open.pop() {
        *bytes_left = bytes_left.checked_sub(pattern.len())?;
        match first_braces(&pattern) {
            None => done.push(pattern),
            Some((start, commas, end)) => {
                if most < done.len() + open.len() + commas.len() + 1 {
                    return None;
                }
                let (before, after) = (pattern.get(..start)?, pattern.get(end + 1..)?);
                let mut from = start + 1;
                for to in commas.into_iter().chain([end]) {
                    *bytes_left = bytes_left.checked_sub(before.len() + after.len() + to - from)?;
                    open.push(format!("{before}{}{after}", pattern.get(from..to)?));
                    from = to + 1;
                }
            }
        }
    }
    (done.len() <= most).then_some(done)
}

/// The first braces that hold a comma: the bytes of the opening brace, of the commas directly within, and of the closing
/// brace.
fn first_braces(pattern: &str) -> Option<(usize, Vec<usize>, usize)> {
    // The open braces, each with its commas so far.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut first: Option<(usize, Vec<usize>, usize)> = None;
    let mut is_escaped = false;
    for (at, c) in pattern.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' => open.push((at, Vec::new())),
            ',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            '}' => match open.pop() {
                Some((start, commas)) if !commas.is_empty() && first.as_ref().is_none_or(|(at, ..)| start < *at) => {
                    first = Some((start, commas, at));
                }
                _ => {}
            },
            _ => {}
        }
    }
    first
}

/// The tokens of a pattern without braces; `None` if a `[` is not closed.
fn tokens(pattern: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    let mut is_start = true;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..)?;
        if is_start && rest == "**" {
            // `src/**` matches `src` too.
            if tokens.last() == Some(&Token::Char('/')) {
                tokens.pop();
                tokens.push(Token::Below);
            }
            tokens.push(Token::Rest);
            return Some(tokens);
        }
        if let Some(behind) = rest.strip_prefix("**/").filter(|_| is_start) {
            if tokens.last() != Some(&Token::InFolders) {
                tokens.extend([Token::Folders, Token::InFolders]);
            }
            rest = behind;
            continue;
        }
        is_start = c == '/';
        rest = after;
        match c {
            '*' if tokens.last() == Some(&Token::Any) => {}
            '*' => tokens.push(Token::Any),
            '?' => tokens.push(Token::One),
            '[' => {
                let (class, behind) = class(after)?;
                tokens.push(class);
                rest = behind;
            }
            '\\' => {
                let mut escaped = after.chars();
                tokens.push(Token::Char(escaped.next().unwrap_or('\\')));
                rest = escaped.as_str();
            }
            c => tokens.push(Token::Char(c)),
        }
    }
    Some(tokens)
}

/// A class of characters, and what follows it; `after` begins behind the `[`. `None` if it is not closed.
fn class(after: &str) -> Option<(Token, &str)> {
    let inside = after.strip_prefix(['!', '^']);
    let is_negated = inside.is_some();
    let mut chars = inside.unwrap_or(after).chars();
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        let first = match chars.next()? {
            // The first `]` is a character of the class.
            ']' if !ranges.is_empty() => return Some((Token::Class { ranges, is_negated }, chars.as_str())),
            '\\' => chars.next()?,
            c => c,
        };
        let mut ahead = chars.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last != ']' => {
                chars = ahead;
                last
            }
            _ => first,
        };
        ranges.push((first, last));
    }
}

/// Whether a pattern matches the whole path. All ways to match it are followed at once.
fn is_match(tokens: &[Token], path: &str) -> bool {
    let mut now = Places { places: Vec::new(), entered: vec![0; tokens.len() + 1], step: 1 };
    now.enter(tokens, 0);
    for c in path.chars() {
        let before = std::mem::take(&mut now.places);
        now.step += 1;
        for at in before {
            match tokens.get(at) {
                Some(Token::Char(wanted)) if *wanted == c => now.enter(tokens, at + 1),
                Some(Token::One | Token::Folders) if c != '/' => now.enter(tokens, at + 1),
                Some(Token::Class { ranges, is_negated }) if c != '/' => {
                    if ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *is_negated {
                        now.enter(tokens, at + 1);
                    }
                }
                Some(Token::Any) if c != '/' => now.enter(tokens, at),
                Some(Token::InFolders) if c == '/' => now.enter(tokens, at - 1),
                Some(Token::InFolders | Token::Rest) => now.enter(tokens, at),
                Some(Token::Below) if c == '/' => now.enter(tokens, at + 1),
                Some(_) | None => {}
            }
        }
        if now.places.is_empty() {
            return false;
        }
    }
    now.places.contains(&tokens.len())
}

/// The places in a pattern up to which a text matches, each once.
struct Places {
    places: Vec<usize>,
    /// For each place of the pattern, the last step at which it was entered.
    entered: Vec<usize>,
    /// The number of the step: the characters read so far, from 1.
    step: usize,
}

impl Places {
    /// Adds a place, and those behind it that match without a further character.
    fn enter(&mut self, tokens: &[Token], mut at: usize) {
        while let Some(entered) = self.entered.get_mut(at).filter(|step| **step < self.step) {
            *entered = self.step;
            self.places.push(at);
            at += match tokens.get(at) {
                Some(Token::Any | Token::Rest) => 1,
                Some(Token::Folders | Token::Below) => 2,
                _ => return,
            };
        }
    }
}

pub(crate) fn is_name_pattern(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

/// Whether a pattern of names matches a whole name: `*` stands for any characters, `?` for one.
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    // What follows the last `*`, and the rest of the name that has yet to match it.
    let mut again = None;
    loop {
        let (wanted, found) = (pattern.clone().next(), name.clone().next());
        match (wanted, found) {
            (Some('*'), _) => {
                pattern.next();
                again = Some((pattern.clone(), name.clone()));
            }
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                pattern.next();
                name.next();
            }
            (None, None) => return true,
            _ => {
                let Some((behind, mut rest)) = again.take() else { return false };
                if rest.next().is_none() {
                    return false;
                }
                again = Some((behind.clone(), rest.clone()));
                (pattern, name) = (behind, rest);
            }
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/glob.rs"]
mod tests;
