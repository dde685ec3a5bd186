//! In: names, lists and lines as people write them. Out: the nearest names, a command name, a cut text, the items.
//! Absent: any knowledge of what the names and items mean.

use crate::text::escape::{hides, is_line_end, visible};
use crate::text::lower::{lower, small};
use crate::text::order::sort_by;
use std::borrow::Cow;

/// The most edits at which a name is still near (decisions 17).
const MOST_EDITS: usize = 3;
/// The most names that a suggestion shows (decisions 17).
pub(crate) const MOST_NEAR: usize = 3;
/// Longer words are compared with nothing, in characters: nobody mistypes them by three letters.
const LONGEST_WORD: usize = 256;
/// The longest segment of a command name, and the longest such name, in characters.
const LONGEST_COMMAND: usize = 64;

/// The names near to what was asked, whatever the letter case: at most three, the nearest first, then in byte order. Near
/// is what at most three edits make of it, which leave half of the shorter word or all of it. When nothing is, near is what
/// begins with it or has it for one of its words (`pdf` and `pdf-forms`), and what it begins with.
pub(crate) fn nearest<'a>(asked: &str, among: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let Some(asked) = letters(asked) else {
        return Vec::new();
    };
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in among {
        if let Some(found) = farness(&asked, name).map(|far| (far, name)) {
            if let Err(place) = near.binary_search(&found) {
                near.insert(place, found);
                near.truncate(MOST_NEAR);
            }
        }
    }
    if near.first().is_some_and(|(far, _)| *far <= MOST_EDITS) {
        near.retain(|(far, _)| *far <= MOST_EDITS);
    }
    near.into_iter().map(|(_, name)| name).collect()
}

/// A command name for a key, after sven: each segment in lower case, its letters and digits kept, every
/// run of others one `_`, none at its ends, and then cut to 64 characters; an empty segment is `skill`.
/// Of a name over 64 characters the leading segments stay that fit, the first always.
// sven, "TUI slash commands"
pub(crate) fn sanitise(path: &str) -> String {
    let mut name = String::new();
    let mut length = 0;
    for segment in path.split('/').map(sanitise_segment) {
        let more = segment.chars().count() + usize::from(!name.is_empty());
        if length + more > LONGEST_COMMAND {
            break;
        }
        if !name.is_empty() {
            name.push('/');
        }
        name.push_str(&segment);
        length += more;
    }
    name
}

/// The text whole if it has at most so many characters, else as many as leave room for a `…` in its place.
pub(crate) fn cut(text: &str, most_chars: usize) -> Cow<'_, str> {
    if text.chars().nth(most_chars).is_none() {
        return Cow::Borrowed(text);
    }
    let Some(kept) = most_chars.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let end = text.char_indices().nth(kept).map_or(text.len(), |(at, _)| at);
    let mut short = text.get(..end).unwrap_or("").to_owned();
    short.push('…');
    Cow::Owned(short)
}

/// The beginning of a text, to be quoted in a message.
pub(crate) fn excerpt(text: &str, most_chars: usize) -> String {
    visible(&cut(text, most_chars)).into_owned()
}

/// The items of a comma-separated list, trimmed, empty ones left out.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// The rules of an `allowed-tools` text, separated by white space or commas outside of parentheses
/// (decisions 4). A parenthesis without its partner is a character like any other.
pub(crate) fn split_rules(text: &str) -> Vec<String> {
    split_outside(text, |c| c == ',' || c.is_whitespace())
}

/// The same, separated by commas alone.
pub(crate) fn split_commas(text: &str) -> Vec<String> {
    split_outside(text, |c| c == ',')
}

fn split_outside(text: &str, ends: fn(char) -> bool) -> Vec<String> {
    let paired = paired_parentheses(text);
    let mut depth = 0_usize;
    let mut start = 0;
    let mut rules = Vec::new();
    let mut add = |rule: Option<&str>| {
        let rule = rule.unwrap_or_default().trim();
        if !rule.is_empty() {
            rules.push(rule.to_owned());
        }
    };
    for (at, c) in text.char_indices() {
        let pair = matches!(c, '(' | ')') && paired.get(at).copied().unwrap_or(false);
        match c {
            '(' if pair => depth += 1,
            ')' if pair => depth = depth.saturating_sub(1),
            _ if depth == 0 && ends(c) => {
                add(text.get(start..at));
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    add(text.get(start..));
    rules
}

/// For every byte, whether it is a parenthesis that has a partner.
fn paired_parentheses(text: &str) -> Vec<bool> {
    let mut paired = vec![false; text.len()];
    let mut open = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => {
                for at in open.pop().into_iter().flat_map(|start| [start, at]) {
                    if let Some(pair) = paired.get_mut(at) {
                        *pair = true;
                    }
                }
            }
            _ => {}
        }
    }
    paired
}

fn sanitise_segment(segment: &str) -> String {
    let mut clean = String::new();
    let mut gap = false;
    for c in lower(segment).chars() {
        // Hangul fillers are letters that show nothing.
        if !c.is_alphanumeric() || hides(c) {
            gap = !clean.is_empty();
            continue;
        }
        if gap {
            clean.push('_');
            gap = false;
        }
        clean.push(c);
    }
    if clean.is_empty() {
        return "skill".to_owned();
    }
    if let Some((end, _)) = clean.char_indices().nth(LONGEST_COMMAND) {
        clean.truncate(end);
    }
    clean
}

/// The word in lower case; `None` when it is too long to compare.
fn letters(word: &str) -> Option<Vec<char>> {
    let chars: Vec<char> = word.chars().flat_map(small).take(LONGEST_WORD + 1).collect();
    (chars.len() <= LONGEST_WORD).then_some(chars)
}

/// How far a name is from what was asked, if it is near.
fn farness(asked: &[char], name: &str) -> Option<usize> {
    let name = letters(name)?;
    let shorter = asked.len().min(name.len());
    let edits = distance(asked, &name).map(|edits| if is_swap(asked, &name, edits) { 1 } else { edits });
    let is_related = is_related(asked, &name);
    let is_alike = |edits: &usize| edits * 2 <= shorter || is_related;
    edits.filter(is_alike).or_else(|| is_related.then_some(MOST_EDITS + 1))
}

/// Whether two words differ by one letter, or by two that are exchanged, whatever the letter case. Of shorter words, any
/// other is near.
pub(crate) fn is_slip(asked: &str, name: &str) -> bool {
    const FEWEST: usize = 4;
    if !may_be_slip(asked, name) {
        return false;
    }
    let (Some(asked), Some(name)) = (letters(asked), letters(name)) else { return false };
    let edits = distance(&asked, &name).map(|edits| if is_swap(&asked, &name, edits) { 1 } else { edits });
    FEWEST <= asked.len().min(name.len()) && edits.is_some_and(|edits| edits <= 1)
}

/// Whether the ends of two words allow for a slip, which leaves one of them as it is, or exchanges both. Most words are told
/// apart by this, at a tenth of the cost of comparing them.
fn may_be_slip(asked: &str, name: &str) -> bool {
    if !asked.is_ascii() || !name.is_ascii() {
        return true;
    }
    let ends =
        |word: &str| Some((word.bytes().next()?.to_ascii_lowercase(), word.bytes().last()?.to_ascii_lowercase()));
    let (Some((first, last)), Some((other_first, other_last))) = (ends(asked), ends(name)) else { return false };
    let one_stays = first == other_first || last == other_last || (first, last) == (other_last, other_first);
    one_stays && asked.len().abs_diff(name.len()) <= 1
}

/// Whether two edits only exchange letters.
fn is_swap(asked: &[char], name: &[char], edits: usize) -> bool {
    let sorted = |word: &[char]| {
        let mut word = word.to_vec();
        sort_by(&mut word, Ord::cmp);
        word
    };
    edits == 2 && asked.len() == name.len() && sorted(asked) == sorted(name)
}

/// How many letters two words have to share at least to be related by them.
const FEWEST_SHARED: usize = 3;

/// Whether the name begins with what was asked, or has it for one of its words, or the other way round with its beginning.
fn is_related(asked: &[char], name: &[char]) -> bool {
    if asked.len().min(name.len()) < FEWEST_SHARED {
        return false;
    }
    let is_word = |word: &[char]| word == asked;
    name.starts_with(asked)
        || name.split(|c| !c.is_alphanumeric()).any(is_word)
        || (asked.starts_with(name) && asked.get(name.len()).is_some_and(|c| !c.is_alphanumeric()))
}

/// Levenshtein's distance when it is at most [`MOST_EDITS`]: only cells that near the diagonal are
/// filled, so the cost is linear in the shorter word.
fn distance(from: &[char], to: &[char]) -> Option<usize> {
    const WIDTH: usize = 2 * MOST_EDITS + 1;
    const FAR: usize = MOST_EDITS + 1;
    if from.len().abs_diff(to.len()) > MOST_EDITS {
        return None;
    }
    // The cell `k` of row `i` is about the first `i` characters of `from` and `i + k - MOST_EDITS` of `to`.
    let mut row: [usize; WIDTH] = std::array::from_fn(|k| k.checked_sub(MOST_EDITS).unwrap_or(FAR));
    for (i, c) in from.iter().enumerate() {
        let mut next = [FAR; WIDTH];
        let mut left = FAR;
        for (k, cell) in next.iter_mut().enumerate() {
            let Some(column) = (i + 1 + k).checked_sub(MOST_EDITS) else {
                continue;
            };
            let above = row.get(k + 1).map_or(FAR, |cost| cost + 1);
            let across = match column.checked_sub(1).and_then(|j| to.get(j)) {
                Some(other) => row.get(k).map_or(FAR, |cost| cost + usize::from(c != other)),
                None => FAR,
            };
            *cell = if column > to.len() { FAR } else { above.min(across).min(left + 1).min(FAR) };
            left = *cell;
        }
        if next.iter().all(|cost| *cost >= FAR) {
            return None;
        }
        row = next;
    }
    let end = (to.len() + MOST_EDITS).checked_sub(from.len())?;
    row.get(end).copied().filter(|cost| *cost <= MOST_EDITS)
}

/// How many characters of a first paragraph are taken (decisions 39).
const PARAGRAPH_CHARS: usize = 1_024;

/// The first paragraph of a Markdown text on one line, headings and fences passed over; none if there is none.
pub(crate) fn first_paragraph(text: &str) -> Option<String> {
    let mut paragraph = String::new();
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    for line in text.split(|c| c == '\n' || is_line_end(c)).map(str::trim) {
        in_comment |= fence.is_none() && paragraph.is_empty() && line.starts_with("<!--");
        if in_comment {
            in_comment = !line.contains("-->");
            continue;
        }
        let marker = ["```", "~~~"].into_iter().find(|marker| line.starts_with(marker));
        match (fence, marker) {
            (Some(open), Some(marker)) if open == marker => fence = None,
            (Some(_), _) => continue,
            (None, Some(marker)) if paragraph.is_empty() => fence = Some(marker),
            _ if !paragraph.is_empty() && is_underline(line) => paragraph.clear(),
            _ if line.is_empty() || is_heading(line) || is_rule(line) || marker.is_some() => {
                if !paragraph.is_empty() {
                    break;
                }
            }
            _ => {
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(line);
            }
        }
    }
    let end = paragraph.char_indices().nth(PARAGRAPH_CHARS).map_or(paragraph.len(), |(at, _)| at);
    paragraph.truncate(end);
    (!paragraph.is_empty()).then_some(paragraph)
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    after.len() < line.len() && (after.is_empty() || after.starts_with([' ', '\t']))
}

/// A line that makes a heading of the lines above it.
fn is_underline(line: &str) -> bool {
    ['=', '-'].into_iter().any(|mark| line.len() > 1 && line.chars().all(|c| c == mark))
}

/// A line of three or more of one mark.
fn is_rule(line: &str) -> bool {
    ['-', '*', '_'].into_iter().any(|mark| line.len() > 2 && line.chars().all(|c| c == mark))
}

/// Words whose full stop ends no sentence, in lower case without it.
const ABBREVIATIONS: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "approx", "incl"];

/// Whether a text ends in such a word.
fn is_abbreviation(text: &str) -> bool {
    let word =
        text.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | ',')).next().unwrap_or_default();
    ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The first sentence of a text on one line, without its full stop: up to an end mark before white space or the end
/// (decisions 38). A text without one, or with nothing before it, is all of it.
pub(crate) fn first_sentence(text: &str) -> &str {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '.' && is_abbreviation(text.get(..at).unwrap_or_default()) {
            continue;
        }
        let is_last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?') && is_last) {
            let sentence = text.get(..at + c.len_utf8()).unwrap_or(text);
            let sentence = sentence.trim_end_matches(['.', '。']).trim_end();
            return if sentence.is_empty() { text } else { sentence };
        }
    }
    text
}

/// The text whole if it has at most so many characters, else as many of its words as leave room for `...`; where the
/// first is longer than that, its beginning.
pub(crate) fn shorten(text: &str, most_chars: usize) -> String {
    if text.chars().nth(most_chars).is_none() {
        return text.to_owned();
    }
    let end = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let kept = most_chars.saturating_sub(3);
    // A word that ends right here stays whole: the blank after it may be the one that follows.
    let room = text.get(..end(kept + 1)).unwrap_or(text);
    let words = room.rfind(char::is_whitespace).and_then(|at| room.get(..at)).map(str::trim_end);
    let short = words.filter(|words| !words.is_empty()).or_else(|| text.get(..end(kept))).unwrap_or("");
    format!("{short}...")
}

#[cfg(test)]
#[path = "../../tests/unit/words.rs"]
mod tests;
