//! What is being written at a place of a SKILL.md, by its lines alone: while something is being written, the frontmatter is
//! seldom valid YAML.

use super::markdown::prose;
use std::collections::BTreeSet;
use std::ops::Range;

/// What is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// The key of a field, below the field `parent` if there is one; `present` are its neighbours.
    Key {
        parent: Option<String>,
        before: String,
        present: BTreeSet<String>,
    },
    /// The value of a field, or an item of its list.
    Value {
        field: String,
        before: String,
    },
    /// The destination of a link, or a path in backticks.
    Link {
        before: String,
    },
    /// The name of a command, behind its `/`.
    Command {
        before: String,
    },
    Nothing,
}

/// What is being written before a byte of a text. `before` is what has been written of it.
pub(super) fn context(text: &str, at: usize) -> Context {
    let Some(written) = text.get(..at) else { return Context::Nothing };
    let start = written.rfind('\n').map_or(0, |found| found + 1);
    let line = &written[start..];
    match frontmatter(text) {
        // The last line may be empty and still belong to a frontmatter that is not closed.
        Some((front, is_closed)) if front.start <= start && (start < front.end || !is_closed) => {
            of_field(&text[front.clone()], start - front.start, line)
        }
        Some((front, _)) if start < front.start => Context::Nothing,
        front => of_body(text, front.map_or(0, |(front, _)| front.end), start, line),
    }
}

/// The bytes of the lines of a frontmatter, and whether it is closed; if not, those to the end of the text.
fn frontmatter(text: &str) -> Option<(Range<usize>, bool)> {
    let is_fence = |line: &str| line.trim_end() == "---";
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    let first = text[at..].split_inclusive('\n').next().filter(|line| is_fence(line))?;
    at += first.len();
    let start = at;
    for line in text[at..].split_inclusive('\n') {
        if is_fence(line) {
            return Some((start..at, true));
        }
        at += line.len();
    }
    Some((start..text.len(), false))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The key of a line `key: …`.
fn key(line: &str) -> Option<&str> {
    let key = line.trim_start_matches(' ').split_once(':')?.0;
    is_key(key).then_some(key)
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn of_field(front: &str, start: usize, line: &str) -> Context {
    let above = || front[..start.min(front.len())].lines();
    let depth = indent(line);
    let rest = &line[depth..];
    // A field of a map, or a list, belongs to the nearest line above that is less indented; a list may also begin where
    // its field does.
    let parent = |most: usize| {
        let mut above: Vec<&str> = above().collect();
        above.retain(|line| !line.trim().is_empty() && !line.trim_start().starts_with(['-', '#']));
        above.iter().rev().find(|line| indent(line) <= most).and_then(|line| key(line)).map(str::to_owned)
    };
    let outer = depth.checked_sub(1).map(parent);
    let path = |name: &str| match &outer {
        Some(Some(outer)) => format!("{outer}.{name}"),
        Some(None) | None => name.to_owned(),
    };
    if let Some(item) = rest.strip_prefix('-').filter(|item| item.is_empty() || item.starts_with(' ')) {
        return match parent(depth) {
            Some(field) => Context::Value { field, before: unquoted(item.trim_start()).to_owned() },
            None => Context::Nothing,
        };
    }
    if let Some((name, value)) = rest.split_once(':') {
        if !is_key(name) || !(value.is_empty() || value.starts_with(' ')) {
            return Context::Nothing;
        }
        let value = value.trim_start();
        let last = match value.strip_prefix('[') {
            Some(items) => items.rsplit(',').next().unwrap_or("").trim_start(),
            None => value.rsplit(", ").next().unwrap_or(""),
        };
        return Context::Value { field: path(name), before: unquoted(last).to_owned() };
    }
    if !rest.is_empty() && !is_key(rest) {
        return Context::Nothing;
    }
    let parent = match outer {
        Some(Some(outer)) => Some(outer),
        Some(None) => return Context::Nothing,
        None => None,
    };
    let present = neighbours(front, start, depth);
    Context::Key { parent, before: rest.to_owned(), present }
}

/// The keys of the lines around one that are indented as it is.
fn neighbours(front: &str, start: usize, depth: usize) -> BTreeSet<String> {
    let (above, below) = front.split_at(start.min(front.len()));
    let is_near = |line: &&str| line.trim().is_empty() || depth <= indent(line);
    let near = above.lines().rev().take_while(is_near).chain(below.lines().skip(1).take_while(is_near));
    near.filter(|line| indent(line) == depth).filter_map(key).map(str::to_owned).collect()
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix(['"', '\'']).unwrap_or(text)
}

fn of_body(text: &str, body: usize, start: usize, line: &str) -> Context {
    if !prose(text, body).any(|(at, _)| at == start) && start < text.len() {
        return Context::Nothing;
    }
    let has_no_space = |text: &str| !text.contains(char::is_whitespace);
    if let Some((_, before)) =
        line.rsplit_once("](").filter(|(_, before)| has_no_space(before) && !before.contains(')'))
    {
        return Context::Link { before: before.to_owned() };
    }
    let is_command = |before: &str| before.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    if let Some((left, before)) = line.rsplit_once('/').filter(|(_, before)| is_command(before)) {
        if left.is_empty() || left.ends_with([' ', '`', '(', '"']) {
            return Context::Command { before: before.to_owned() };
        }
    }
    match line.rsplit_once('`') {
        Some((left, before)) if left.matches('`').count() % 2 == 0 && !before.is_empty() && has_no_space(before) => {
            Context::Link { before: before.to_owned() }
        }
        _ => Context::Nothing,
    }
}
