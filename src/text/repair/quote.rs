//! Reads YAML that is not valid as some clients do: values on one line that YAML misreads are put in quotes, and nothing
//! else is corrected.

use super::intent::meant;
use super::mend_whole;
use super::rewrite::{Edit, read_all_with};
use super::{Mend, Repaired, root};
use crate::text::escape::quote_yaml;
use crate::text::lines::lines;
use crate::text::yaml::{self, NoticeKind};

/// Which values are put in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    /// Those of any key, at any depth, that contain a colon before white space, or that begin with a bracket, a brace, `@`
    /// or a backtick and are not valid. Block scalars and comments are left alone.
    Misread,
    /// Those with any colon in them, if the key is at the left margin and consists of ASCII letters, digits and `_`.
    WithColon,
}

/// The mapping with values in quotes. `None` if there are no such values, or it still is not valid YAML.
pub(crate) fn quote(text: &str, quoted: Quoted) -> Option<Repaired> {
    let mut edits = Vec::new();
    let mut mends = Vec::new();
    // The indentation of the key whose block scalar the lines may belong to.
    let mut block = None;
    for (start, line) in lines(text) {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if block.is_some_and(|block| line.trim().is_empty() || block < indent) {
            continue;
        }
        block = None;
        let Some((key, rest)) = line.split_once(':') else { continue };
        let value = match quoted {
            Quoted::Misread => without_comment(rest.trim()),
            Quoted::WithColon => rest.trim(),
        };
        let is_candidate = match quoted {
            Quoted::Misread => !key.trim().is_empty() && rest.starts_with(char::is_whitespace),
            Quoted::WithColon => is_word(key.trim_end()),
        };
        if !is_candidate || value.is_empty() || value.starts_with(['"', '\'']) {
            continue;
        }
        let is_misread = match quoted {
            Quoted::Misread if value.starts_with(['|', '>']) => {
                block = Some(indent);
                false
            }
            Quoted::Misread => has_colon(value) || (value.starts_with(['[', '{', '@', '`']) && !is_yaml(value)),
            Quoted::WithColon => value.contains(':') && value != "|" && value != ">",
        };
        if !is_misread {
            continue;
        }
        let colon = key.len() + 1;
        let at = colon + (rest.len() - rest.trim_start().len());
        let end = at + value.len();
        if !is_yaml(line) {
            let with = format!("{} {}{}", &line[..colon], quote_yaml(value), &line[end..]);
            let (line_start, why) = (start, meant(value).1);
            mends.push(Mend { at: start + at, line_start, end: start + at, with, why });
        }
        let with = match quoted {
            Quoted::Misread => quote_yaml(value),
            // Indented lines below it belong to the value.
            Quoted::WithColon => format!("|-\n  {value}"),
        };
        let gap = if at == colon { " " } else { "" };
        edits.push(Edit { start: start + at, end: start + end, with: format!("{gap}{with}") });
    }
    let (pairs, mut notices) = if edits.is_empty() { None } else { read_all_with(text, &edits).ok() }?;
    // The corrected line of a comment would be one of the edited text.
    notices.retain(|notice| !matches!(notice.what, NoticeKind::Comment { .. }));
    if mends.is_empty() {
        mends.extend(mend_whole(text));
    }
    Some(Repaired { root: root(pairs)?, mends, notices, missed: None })
}

/// The value without the comment behind it.
fn without_comment(value: &str) -> &str {
    let is_comment = |(at, _): &(usize, &str)| *at == 0 || value[..*at].ends_with(char::is_whitespace);
    let comment = value.match_indices('#').find(is_comment);
    comment.map_or(value, |(at, _)| value[..at].trim_end())
}

fn has_colon(value: &str) -> bool {
    value.match_indices(':').any(|(at, _)| value[at + 1..].starts_with(char::is_whitespace))
}

fn is_word(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_yaml(text: &str) -> bool {
    yaml::parse(text).is_ok()
}
