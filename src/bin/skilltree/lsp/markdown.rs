//! The parts of Markdown that the server needs: headings, links and words in backticks, but for what stands in code
//! blocks; and text from files made safe for Markdown.

use skilltree::visible;
use std::ops::Range;

/// Maximum length of the destination of a link in characters.
const MAX_DESTINATION: usize = 512;

/// A heading: its level, its text, and the bytes of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) text: String,
    pub(super) line: Range<usize>,
}

/// The lines from a byte on that are not in a fenced code block, each with the offset of its first byte.
pub(super) fn prose(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from.min(text.len());
    let mut fence: Option<(char, usize)> = None;
    text.get(at..).unwrap_or("").split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        let unindented = line.trim_start_matches(' ');
        let mark = unindented.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = mark.map_or(0, |mark| unindented.chars().take_while(|c| *c == mark).count());
        match (fence, mark) {
            (None, Some(mark)) if 3 <= length && !(mark == '`' && unindented[length..].contains('`')) => {
                fence = Some((mark, length));
                None
            }
            (None, _) => Some((start, line)),
            (Some((open, least)), Some(mark))
                if open == mark && least <= length && unindented[length..].trim().is_empty() =>
            {
                fence = None;
                None
            }
            (Some(_), _) => None,
        }
    })
}

/// The headings that begin with `#`.
pub(super) fn headings(text: &str, from: usize) -> Vec<Heading> {
    let heading = |(start, line): (usize, &str)| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let level = line[indent..].bytes().take_while(|byte| *byte == b'#').count();
        let rest = &line[indent + level..];
        let is_heading = indent < 4 && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
        let text = rest.trim().trim_end_matches('#').trim_end();
        is_heading.then(|| Heading { level, text: text.to_owned(), line: start..start + line.len() })
    };
    prose(text, from).filter_map(heading).collect()
}

/// The targets of inline links, images and link definitions, and what stands in single backticks, with their places.
pub(super) fn targets(text: &str, from: usize) -> Vec<(String, Range<usize>)> {
    let mut targets = Vec::new();
    for (start, line) in prose(text, from) {
        let mut at = 0;
        while let Some(found) = line[at..].find(['`', ']']) {
            let open = at + found;
            let rest = &line[open + 1..];
            if line[open..].starts_with('`') {
                let length = line[open..].bytes().take_while(|byte| *byte == b'`').count();
                let Some(close) = line[open + length..].find(&"`".repeat(length)) else { break };
                let inside = open + length..open + length + close;
                if length == 1 {
                    targets.push((line[inside.clone()].to_owned(), start + inside.start..start + inside.end));
                }
                at = inside.end + length;
                continue;
            }
            let target = match rest.chars().next() {
                Some('(') => destination(rest, 1),
                Some(':') if line.starts_with('[') && !line[..open].contains(']') => destination(rest, 1),
                _ => None,
            };
            at = open + 1;
            if let Some(inside) = target {
                let (first, end) = (open + 1 + inside.start, open + 1 + inside.end);
                targets.push((line[first..end].to_owned(), start + first..start + end));
                at = end;
            }
        }
    }
    targets
}

/// The bytes of the destination of a link, without `<` and `>`, behind this many bytes of a text.
fn destination(text: &str, from: usize) -> Option<Range<usize>> {
    let start = from + text[from..].len() - text[from..].trim_start().len();
    let rest = &text[start..];
    // Bounded, as a line may hold thousands of links that do not end.
    let within = |text: &str, ends: &[char]| {
        text.char_indices().take(MAX_DESTINATION).find(|(_, c)| ends.contains(c)).map(|(at, _)| at)
    };
    if let Some(inside) = rest.strip_prefix('<') {
        return Some(start + 1..start + 1 + within(inside, &['>'])?);
    }
    let end = match within(rest, &[' ', '\t', ')']) {
        Some(end) => end,
        None if rest.len() <= MAX_DESTINATION => rest.len(),
        None => return None,
    };
    (0 < end).then_some(start..start + end)
}

/// The path of a link without its fragment, and with `%20` as a space.
pub(super) fn path_of(target: &str) -> String {
    target.split(['#', '?']).next().unwrap_or("").replace("%20", " ")
}

/// A text from a file as Markdown that shows it: on one line, without invisible characters, and with nothing that
/// Markdown or HTML would read within a paragraph, addresses included.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).chars() {
        if "\\`*_[]<>&~|#!".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.replace("://", "\\://").replace("www.", "www\\.")
}

/// A text from a file as a block of code.
pub(super) fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let shown: Vec<String> = text.lines().map(|line| visible(line).into_owned()).collect();
    format!("{fence}text\n{}\n{fence}", shown.join("\n"))
}
