//! Reads the value behind the colon of a key or a dash: a scalar, a flow list of scalars, or a block scalar.

use super::line::{Line, Lines, leading_spaces};
use super::{Node, Span, Style, Value, text};

/// The deepest indentation of a block scalar; yaml-rust2 treats deeper ones differently.
const BLOCK_INDENT: usize = 13;

/// A plain or quoted scalar that fills the rest of its line.
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

/// The text, if it is one plain scalar in a block.
fn plain(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    // An indicator may begin something else.
    if b"-?:,[]{}#&*!|>'\"%@`".contains(bytes.first()?) || bytes.last() == Some(&b':') {
        return None;
    }
    // `: ` ends a key, and ` #` begins a comment (rule 5.8). The loop has no branch, so that the compiler can
    // compare many bytes at once.
    let ends = bytes.iter().zip(bytes.get(1..)?).fold(false, |found, (&one, &next)| {
        found | ((one == b':') & (next == b' ')) | ((one == b' ') & (next == b'#'))
    });
    (!ends).then_some(text)
}

/// A list of scalars between `[` and `]` on one line.
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
        let spaces = leading_spaces(item);
        let word = item.trim_matches(' ');
        // yaml-rust2 refuses a `-` before the end of an item.
        if word.ends_with(" -") {
            return None;
        }
        items.push(scalar(Line { indent: rest.indent, at: at + spaces, text: word })?);
        at += item.len() + 1;
    }
    let span = Span { start: rest.at, end: rest.at + rest.text.len() };
    Some(Node { value: Value::List(items), span, style: Style::Flow, tag: None })
}

/// The block scalar of a header, whose lines are indented further than `parent`.
pub(super) fn block(lines: &mut Lines<'_>, header: Line<'_>, parent: usize) -> Option<Node> {
    let (style, last_break) = match header.text {
        "|" => (Style::Literal, "\n"),
        "|-" => (Style::Literal, ""),
        ">" => (Style::Folded, "\n"),
        ">-" => (Style::Folded, ""),
        _ => return None,
    };
    let (first, raw) = lines.take_raw()?;
    let indent = leading_spaces(raw);
    if indent == raw.len() || indent <= parent || indent > BLOCK_INDENT {
        return None;
    }
    lines.untake(first);
    let is_folded = style == Style::Folded;
    let mut value = String::new();
    let mut end = header.at;
    // The number of line ends since the last line that is not blank began.
    let mut breaks = 0;
    while let Some((start, raw)) = lines.take_raw() {
        let spaces = leading_spaces(raw);
        if spaces == raw.len() {
            // Spaces behind the indentation are content, and spaces at the end of the text are one more line.
            if spaces > indent || (spaces > 0 && lines.is_at_end()) {
                return None;
            }
            breaks += 1;
            continue;
        }
        if spaces < indent {
            lines.untake(start);
            break;
        }
        if is_folded && spaces > indent {
            return None;
        }
        if is_folded && breaks == 1 {
            value.push(' ');
        } else {
            value.extend((usize::from(is_folded)..breaks).map(|_| '\n'));
        }
        value.push_str(&raw[indent..]);
        end = start + raw.trim_end_matches(' ').len();
        breaks = 1;
    }
    value.push_str(last_break);
    lines.advance();
    Some(text(value, header.at, end, style))
}
