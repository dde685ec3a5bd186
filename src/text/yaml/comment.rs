//! In: a plain scalar and where it stands. Out: the notice that a comment cuts it off, with the mended line.
//! Absent: the judgement whether the author meant a comment.

use super::place::{is_blank, is_break, skip};
use super::{Node, Notice, NoticeKind, Span};
use crate::text::escape::quote_yaml;

/// What stands round a plain scalar.
pub(super) enum Around<'n> {
    /// An item of a list, or a key: only a scalar of one line can be mended by one line.
    Item,
    /// The value of a key in a flow mapping.
    FlowValue(&'n Node),
    /// The value of a key in a block mapping.
    BlockValue(&'n Node),
}

/// The notice for a plain scalar that is followed by blanks and `#` on its last line (decisions 6).
pub(super) fn cut_off(text: &str, span: Span, value: &str, around: &Around<'_>) -> Option<Notice> {
    let hash = skip(text, span.end, is_blank);
    if hash == span.end || text.as_bytes().get(hash) != Some(&b'#') {
        return None;
    }
    let line_end = skip(text, hash, |byte| !is_break(byte));
    let rest = text.get(span.end..line_end)?;
    let is_one_line = !text.get(span.start..span.end)?.contains(['\n', '\r']);
    let line_with = match around {
        _ if is_one_line => {
            let before = text.get(line_start(text, span.start)..span.start)?;
            format!("{before}{}{rest}", quote_yaml(value))
        }
        Around::BlockValue(key) => {
            let before = text.get(line_start(text, key.span.start)..key.span.end)?;
            format!("{before}: {}{rest}", quote_yaml(value))
        }
        Around::Item | Around::FlowValue(_) => return None,
    };
    let key = match around {
        Around::Item => None,
        Around::FlowValue(key) | Around::BlockValue(key) => match &key.value {
            super::Value::Text(key) => Some(key.clone()),
            _ => None,
        },
    };
    let hash_word = text.get(hash + 1..line_end)?.starts_with(|c: char| !c.is_whitespace());
    let from = match around {
        Around::BlockValue(key) if !is_one_line => key.span.start,
        Around::BlockValue(_) | Around::FlowValue(_) | Around::Item => span.start,
    };
    let what = NoticeKind::Comment { key, value: value.to_owned(), from, line_with, hash_word };
    Some(Notice { what, span })
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind(['\n', '\r'])).map_or(0, |found| found + 1)
}
