//! In: what stands behind a key's colon or a dash, and for a block scalar the lines below. Out: the scalar, or the
//! flow list of scalars.

use super::line::{Line, Lines, leading_blanks};
use super::{Node, Span, Style, Value, text};

/// yaml-rust2 reads the indentation of further block scalars in another way.
const BLOCK_INDENT: usize = 13;

/// A plain or quoted scalar that is all of the rest of its line.
pub(super) fn scalar(rest: Line<'_>) -> Option<Node> {
    let end = rest.at + rest.text.len();
    let (inside, style) = match rest.text.bytes().next()? {
        b'"' => (quoted(rest.text, '"').filter(|inside| !inside.contains('\\'))?, Style::Double),
        b'\'' => (quoted(rest.text, '\'')?, Style::Single),
        _ => (plain(rest.text)?, Style::Plain),
    };
    Some(text(inside.to_owned(), rest.at, end, style))
}

fn quoted(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote).filter(|inside| !inside.contains(quote))
}

/// A text that is one plain scalar in a block.
fn plain(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    // An indicator may begin something else.
    if b"-?:,[]{}#&*!|>'\"%@`".contains(bytes.first()?) || bytes.last() == Some(&b':') {
        return None;
    }
    // `: ` ends a key, and ` #` begins a comment (decisions 6). Without an early way out, as in `read`.
    let ends = bytes.iter().zip(bytes.get(1..)?).fold(false, |found, (&one, &next)| {
        found | ((one == b':') & (next == b' ')) | ((one == b' ') & (next == b'#'))
    });
    (!ends).then_some(text)
}

/// Scalars between `[` and `]`, all on one line.
pub(super) fn flow_list(rest: Line<'_>) -> Option<Node> {
    let inside = rest.text.strip_prefix('[')?.strip_suffix(']')?;
    if inside.contains(['[', ']', '{', '}']) {
        return None;
    }
    let mut items = Vec::new();
    let mut at = rest.at + 1;
    // `[]` and `[ ]` have no items.
    let written = if inside.trim_matches(' ').is_empty() { "" } else { inside };
    for item in written.split_terminator(',') {
        let blanks = leading_blanks(item);
        let word = item.trim_matches(' ');
        // yaml-rust2 refuses a `-` before the end of an item.
        if word.ends_with(" -") {
            return None;
        }
        items.push(scalar(Line { indent: rest.indent, at: at + blanks, text: word })?);
        at += item.len() + 1;
    }
    let span = Span { start: rest.at, end: rest.at + rest.text.len() };
    Some(Node { value: Value::List(items), span, style: Style::Flow, tag: None })
}

/// The lines below a block scalar's header that stand further right than `parent`.
pub(super) fn block(lines: &mut Lines<'_>, header: Line<'_>, parent: usize) -> Option<Node> {
    let (style, last_break) = match header.text {
        "|" => (Style::Literal, "\n"),
        "|-" => (Style::Literal, ""),
        ">" => (Style::Folded, "\n"),
        ">-" => (Style::Folded, ""),
        _ => return None,
    };
    let (first, raw) = lines.take_raw()?;
    let indent = leading_blanks(raw);
    if indent == raw.len() || indent <= parent || indent > BLOCK_INDENT {
        return None;
    }
    lines.untake(first);
    let is_folded = style == Style::Folded;
    let mut value = String::new();
    let mut end = header.at;
    // How many lines have ended since the last one with anything on it began.
    let mut breaks = 0;
    while let Some((start, raw)) = lines.take_raw() {
        let blanks = leading_blanks(raw);
        if blanks == raw.len() {
            // Blanks behind the indentation are content, and any at the text's end are one more line.
            if blanks > indent || (blanks > 0 && lines.is_at_end()) {
                return None;
            }
            breaks += 1;
            continue;
        }
        if blanks < indent {
            lines.untake(start);
            break;
        }
        if is_folded && blanks > indent {
            return None;
        }
        if is_folded && breaks == 1 {
            value.push(' ');
        } else {
            value.extend((usize::from(is_folded)..breaks).map(|_| '\n'));
        }
        value.push_str(raw.get(indent..)?);
        end = start + raw.trim_end_matches(' ').len();
        breaks = 1;
    }
    value.push_str(last_break);
    lines.advance();
    Some(text(value, header.at, end, style))
}
