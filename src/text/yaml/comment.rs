//! Makes the notice that a comment cuts off a plain scalar, with the corrected line, where the author may not have meant
//! a comment.

use super::place::{is_blank, is_break, skip};
use super::{Node, Notice, NoticeKind, Span};
use crate::text::escape::quote_yaml;

/// What a plain scalar is part of.
pub(super) enum Around<'n> {
    /// An item of a list, or a key. It can only be corrected if it is on one line.
    Item,
    /// The value of a key in a flow mapping.
    FlowValue(&'n Node),
    /// The value of a key in a block mapping.
    BlockValue(&'n Node),
}

/// The notice for a plain scalar that is followed by white space and `#` on its last line, unless what follows is clearly
/// meant as a comment (rule 5.8).
pub(super) fn cut_off(text: &str, span: Span, value: &str, around: &Around<'_>) -> Option<Notice> {
    let hash = skip(text, span.end, is_blank);
    if hash == span.end || text.as_bytes().get(hash) != Some(&b'#') {
        return None;
    }
    let line_end = skip(text, hash, |byte| !is_break(byte));
    let hash_word = text[hash + 1..line_end].starts_with(|c: char| !c.is_whitespace());
    if !hash_word && (hash - span.end > 1 || !value.contains(char::is_whitespace)) {
        return None;
    }
    let rest = &text[span.end..line_end];
    let is_one_line = !text[span.start..span.end].contains(['\n', '\r']);
    let line_with = match around {
        _ if is_one_line => {
            let before = &text[line_start(text, span.start)..span.start];
            format!("{before}{}{rest}", quote_yaml(value))
        }
        Around::BlockValue(key) => {
            let before = &text[line_start(text, key.span.start)..key.span.end];
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
    let from = match around {
        Around::BlockValue(key) if !is_one_line => key.span.start,
        Around::BlockValue(_) | Around::FlowValue(_) | Around::Item => span.start,
    };
    let what = NoticeKind::Comment { key, value: value.to_owned(), from, line_with, hash_word };
    Some(Notice { what, span })
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |found| found + 1)
}
