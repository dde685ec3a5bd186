//! In: what stands behind a key's colon or a dash. Out: the scalar, or the flow list of scalars.

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
    let starts = !b"-?:,[]{}#&*!|>'\"%@`".contains(bytes.first()?);
    // `: ` ends a key, and ` #` begins a comment (decisions 6).
    let ends = bytes.last() == Some(&b':') || bytes.windows(2).any(|pair| pair == b": " || pair == b" #");
    (starts && !ends).then_some(text)
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
    let (mut value, mut indent, mut end, mut breaks) = (String::new(), None, header.at, 0_usize);
    while let Some((start, raw)) = lines.take_raw() {
        let blanks = leading_blanks(raw);
        let is_blank = blanks == raw.len();
        match indent {
            _ if is_blank && blanks > 0 && lines.is_at_end() => return None,
            None if is_blank || blanks <= parent || blanks > BLOCK_INDENT => return None,
            None => indent = Some(blanks),
            Some(indent) if is_blank && blanks > indent => return None,
            Some(_) if is_blank => {}
            Some(indent) if blanks < indent => {
                lines.untake(start);
                break;
            }
            Some(indent) if style == Style::Folded && blanks > indent => return None,
            Some(_) => {}
        }
        if is_blank {
            breaks += 1;
            continue;
        }
        match (style, breaks) {
            (Style::Folded, 1) => value.push(' '),
            (Style::Folded, _) => value.extend(std::iter::repeat_n('\n', breaks.saturating_sub(1))),
            _ => value.extend(std::iter::repeat_n('\n', breaks)),
        }
        value.push_str(raw.get(indent?..)?);
        breaks = 1;
        end = start + raw.trim_end_matches(' ').len();
    }
    indent?;
    value.push_str(last_break);
    lines.advance();
    Some(text(value, header.at, end, style))
}
