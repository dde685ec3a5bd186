//! In: an entry with lines below its key that YAML refuses. Out: the entries that those lines are, and stray lines.
//! Absent: lists, and entries inside of them.

use super::entry::{BLANKS, Entry, Line, key_of};

/// How many keys may stand below each other for lines to be read one by one.
pub(super) const MAX_DEPTH: usize = 4;

/// The entries below a key, in bytes of its entry's source. The first key says how far all of them are indented: one that
/// is not begins an entry all the same, where it cannot be a line of the value before it.
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
            entry.source = parent.source.get(entry.start..line.end() + 1).unwrap_or(
                // The last line may have no ending.
                parent.source.get(entry.start..).unwrap_or_default(),
            );
        }
    }
    (found, stray)
}

/// Whether a key that is so far in begins an entry.
fn begins(indent: usize, indentation: usize, open: Option<&Entry<'_>>) -> bool {
    let is_word = |open: &Entry<'_>| open.ends_on_its_line() && !open.head().trim_matches(['"', '\'']).contains(BLANKS);
    indent <= indentation || open.is_none_or(is_word)
}

/// Whether a line that is no key belongs to the value of the entry before it.
fn continues(line: &Line<'_>, indentation: usize, open: &Entry<'_>) -> bool {
    indentation < line.indent()
        || (line.indent() == indentation && inked(line).starts_with("- ") && open.head().is_empty())
}

fn inked<'t>(line: &Line<'t>) -> &'t str {
    line.text.trim_start_matches([' ', '\t'])
}
