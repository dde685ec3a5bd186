//! Splits the lines below the key of an entry that is not valid YAML into entries and stray lines. Lists are not split.

use super::entry::{BLANKS, Entry, Line, key_of, line_end};

/// The deepest nesting of keys whose lines are read separately.
pub(super) const MAX_DEPTH: usize = 4;

/// The entries below a key, with offsets in the source of its entry. All are expected at the indentation of the first
/// one; a key with another indentation begins an entry if it cannot be a line of the value before it.
pub(super) fn entries<'t>(parent: &Entry<'t>, rest: &[Line<'t>]) -> (Vec<Entry<'t>>, Vec<Line<'t>>) {
    let mut found: Vec<Entry<'t>> = Vec::new();
    let mut stray = Vec::new();
    let mut is_open = false;
    let first = rest.iter().find(|line| key_of(inked(line)).is_some());
    let Some(indentation) = first.map(Line::indent).filter(|_| parent.depth < MAX_DEPTH) else {
        return (found, stray);
    };
    for line in rest {
        let open = found.last().filter(|_| is_open);
        let is_comment = line.is_blank() || inked(line).starts_with('#');
        let begun = key_of(inked(line)).filter(|_| !is_comment && begins(line.indent(), indentation, open));
        if let Some((key, colon)) = begun {
            found.push(Entry {
                start: line.start + line.indent(),
                line_start: line.start,
                key,
                colon,
                after: colon + 1,
                indentation,
                depth: parent.depth + 1,
                ..Entry::default()
            });
            is_open = true;
        } else if !is_comment && !open.is_some_and(|open| continues(line, indentation, open)) {
            stray.push(*line);
            is_open = false;
        }
        if let Some(entry) = found.last_mut().filter(|_| is_open) {
            entry.source = &parent.source[entry.start..line_end(parent.source, line.start)];
        }
    }
    (found, stray)
}

/// Whether a key with this indentation begins an entry.
fn begins(indent: usize, indentation: usize, open: Option<&Entry<'_>>) -> bool {
    let is_word = |open: &Entry<'_>| open.ends_on_its_line() && !open.head().trim_matches(['"', '\'']).contains(BLANKS);
    indent <= indentation || open.is_none_or(is_word)
}

/// Whether a line without a key belongs to the value of the entry before it.
fn continues(line: &Line<'_>, indentation: usize, open: &Entry<'_>) -> bool {
    indentation < line.indent()
        || (line.indent() == indentation && inked(line).starts_with("- ") && open.head().is_empty())
}

fn inked<'t>(line: &Line<'t>) -> &'t str {
    line.text.trim_start_matches([' ', '\t'])
}
