//! Functions on words and sentences: names that are similar to a given one, the command name of a key, shortened texts,
//! the items of lists, the first paragraph and the first sentence.

use crate::text::escape::{hides, is_line_end, visible};
use crate::text::lower::{lower, small};
use crate::text::markdown::Fences;
use crate::text::order::sort_by;
use std::borrow::Cow;

/// Implements `as_str` of an enum by the words for its variants, and with `named` its reverse.
macro_rules! names {
    ($type:ident { $first:ident = $first_word:literal $(, $variant:ident = $word:literal)* $(,)? }) => {
        impl $type {
            #[doc = concat!("`", $first_word, "`" $(, ", `", $word, "`")*, ".")]
            pub fn as_str(self) -> &'static str {
                match self {
                    $type::$first => $first_word,
                    $($type::$variant => $word,)*
                }
            }
        }
    };
    ($type:ident named { $($variant:ident = $word:literal),* $(,)? }) => {
        names! { $type { $($variant = $word),* } }

        impl $type {
            /// What this word stands for; `None` for any other text.
            pub fn named(word: &str) -> Option<$type> {
                match word {
                    $($word => Some($type::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use names;

/// The most edits by which two similar names may differ (rule 7.11).
const MOST_EDITS: usize = 3;
/// The most names that a suggestion shows (rule 7.11).
pub(crate) const MOST_NEAR: usize = 3;
/// The longest word that is compared, in characters.
const LONGEST_WORD: usize = 256;
/// The longest command name, and the longest segment of one, in characters.
const LONGEST_COMMAND: usize = 64;

/// The names that are similar to `asked`, ignoring case: at most three, the most similar first, then in byte order.
///
/// Two names are similar if at most three edits, and no more than half the length of the shorter one, turn one into the
/// other. If no name is similar in this way, those are returned that begin with `asked`, contain it as a word (`pdf`
/// and `pdf-forms`), or are a beginning of it.
pub(crate) fn nearest<'a>(asked: &str, among: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let Some(asked) = letters(asked) else {
        return Vec::new();
    };
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in among {
        if let Some(found) = rank(&asked, name).map(|rank| (rank, name)) {
            if let Err(place) = near.binary_search(&found) {
                near.insert(place, found);
                near.truncate(MOST_NEAR);
            }
        }
    }
    if near.first().is_some_and(|(rank, _)| *rank <= MOST_EDITS) {
        near.retain(|(rank, _)| *rank <= MOST_EDITS);
    }
    near.into_iter().map(|(_, name)| name).collect()
}

/// The command name of a key. Each segment between `/` is written in lower case, with one `_` for every run of
/// characters that are neither letters nor digits (none at its ends), and cut to 64 characters; an empty segment
/// becomes `skill`. Of a name longer than 64 characters, only the leading segments that fit are used, but always the
/// first.
// Rule 14.3
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

/// The text, cut to `most_chars` characters if it is longer; the last of them is then a `…`.
pub(crate) fn cut(text: &str, most_chars: usize) -> Cow<'_, str> {
    cut_with_mark(text, most_chars, "…")
}

/// The text, cut to `most_chars` characters if it is longer; the last of them are then the mark, unless it is longer
/// itself.
pub(crate) fn cut_with_mark<'t>(text: &'t str, most_chars: usize, mark: &str) -> Cow<'t, str> {
    if text.chars().nth(most_chars).is_none() {
        return Cow::Borrowed(text);
    }
    match most_chars.checked_sub(mark.chars().count()) {
        Some(kept) => Cow::Owned([first_chars(text, kept), mark].concat()),
        None => Cow::Borrowed(first_chars(text, most_chars)),
    }
}

pub(crate) fn first_chars(text: &str, chars: usize) -> &str {
    // A text has no more characters than bytes.
    match (chars < text.len()).then(|| text.char_indices().nth(chars)).flatten() {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The beginning of a text, to be quoted in a message. Invisible characters are shown by number.
pub(crate) fn excerpt(text: &str, most_chars: usize) -> String {
    visible(&cut(text, most_chars)).into_owned()
}

/// The items of a comma-separated list, trimmed, without empty ones.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// The rules of an `allowed-tools` text, separated by white space or commas outside parentheses (rule 6.5).
/// An unbalanced parenthesis is a character like any other.
pub(crate) fn split_rules(text: &str) -> Vec<String> {
    split_outside(text, [b'(', b')'], |c| c == ',' || c.is_whitespace())
}

pub(crate) fn split_commas(text: &str) -> Vec<String> {
    split_outside(text, [b'(', b')'], |c| c == ',')
}

/// The patterns of paths in a text, separated by commas outside braces.
pub(crate) fn split_patterns(text: &str) -> Vec<String> {
    split_outside(text, [b'{', b'}'], |c| c == ',')
}

/// The parts of a text between separators outside balanced brackets, trimmed, without empty ones.
fn split_outside(text: &str, brackets: [u8; 2], is_separator: fn(char) -> bool) -> Vec<String> {
    let is_balanced = balanced(text, brackets);
    let mut depth = 0_usize;
    let mut start = 0;
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            _ if is_balanced[at] && c == char::from(brackets[0]) => depth += 1,
            _ if is_balanced[at] => depth -= 1,
            _ if depth == 0 && is_separator(c) => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// For every byte, whether it is one of a pair of these brackets.
fn balanced(text: &str, [opening, closing]: [u8; 2]) -> Vec<bool> {
    let mut is_balanced = vec![false; text.len()];
    let mut open = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if byte == opening => open.push(at),
            _ if byte == closing => {
                if let Some(start) = open.pop() {
                    is_balanced[start] = true;
                    is_balanced[at] = true;
                }
            }
            _ => {}
        }
    }
    is_balanced
}

fn sanitise_segment(segment: &str) -> String {
    let mut clean = String::new();
    let mut gap = false;
    for c in lower(segment).chars() {
        // Hangul fillers are invisible letters.
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

/// The letters of a word in lower case; `None` if it is too long to compare.
fn letters(word: &str) -> Option<Vec<char>> {
    let chars: Vec<char> = word.chars().flat_map(small).take(LONGEST_WORD + 1).collect();
    (chars.len() <= LONGEST_WORD).then_some(chars)
}

/// The rank of a name among those that are similar to `asked`, the best first: the number of edits, or more than
/// [`MOST_EDITS`] if only a word of the name is the same. `None` if the name is not similar.
fn rank(asked: &[char], name: &str) -> Option<usize> {
    let name = letters(name)?;
    let shorter = asked.len().min(name.len());
    let edits = edits(asked, &name);
    let is_related = is_related(asked, &name);
    let is_similar = |edits: &usize| edits * 2 <= shorter || is_related;
    edits.filter(is_similar).or_else(|| is_related.then_some(MOST_EDITS + 1))
}

/// Whether two words are equal, differ by one letter, or by two that are swapped, ignoring case. False for words of
/// fewer than four letters, as too many of those differ by one letter only.
pub(crate) fn is_slip(asked: &str, name: &str) -> bool {
    const FEWEST: usize = 4;
    if !may_be_slip(asked, name) {
        return false;
    }
    let (Some(asked), Some(name)) = (letters(asked), letters(name)) else { return false };
    FEWEST <= asked.len().min(name.len()) && edits(&asked, &name).is_some_and(|edits| edits <= 1)
}

/// Whether [`is_slip`] may be true, judged by length and by the first and the last letter: a slip changes one of the
/// two letters at most, or swaps them. This rules out most words at a tenth of the cost of comparing them.
fn may_be_slip(asked: &str, name: &str) -> bool {
    fn one_stays<T: PartialEq>(asked: Option<(T, T)>, name: Option<(T, T)>) -> bool {
        let (Some((first, last)), Some((other_first, other_last))) = (asked, name) else { return false };
        first == other_first || last == other_last || (first == other_last && last == other_first)
    }
    if asked.is_ascii() && name.is_ascii() {
        let ends =
            |word: &str| Some((word.bytes().next()?.to_ascii_lowercase(), word.bytes().last()?.to_ascii_lowercase()));
        return asked.len().abs_diff(name.len()) <= 1 && one_stays(ends(asked), ends(name));
    }
    let ends = |word: &str| Some((small(word.chars().next()?).next()?, small(word.chars().last()?).last()?));
    one_stays(ends(asked), ends(name))
}

/// The distance between two words; 1 if two edits only swap letters.
fn edits(asked: &[char], name: &[char]) -> Option<usize> {
    let sorted = |word: &[char]| {
        let mut word = word.to_vec();
        sort_by(&mut word, Ord::cmp);
        word
    };
    let edits = distance(asked, name)?;
    let is_swap = edits == 2 && asked.len() == name.len() && sorted(asked) == sorted(name);
    Some(if is_swap { 1 } else { edits })
}

const FEWEST_SHARED: usize = 3;

/// Whether the name begins with `asked` or contains it as a word, or `asked` begins with the name as a word.
fn is_related(asked: &[char], name: &[char]) -> bool {
    if asked.len().min(name.len()) < FEWEST_SHARED {
        return false;
    }
    let is_word = |word: &[char]| word == asked;
    name.starts_with(asked)
        || name.split(|c| !c.is_alphanumeric()).any(is_word)
        || (asked.starts_with(name) && asked.get(name.len()).is_some_and(|c| !c.is_alphanumeric()))
}

/// The Levenshtein distance if it is at most [`MOST_EDITS`]. Only the cells near the diagonal are filled, so that the
/// cost is linear in the length of the shorter word.
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
                Some(other) => row[k] + usize::from(c != other),
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

/// The longest first paragraph, in characters (rule 6.16).
const PARAGRAPH_CHARS: usize = 1_024;

/// How many characters of a line become a description.
const LINE_CHARS: usize = 100;

/// The first paragraph of a Markdown text on one line, after any headings, code, rules and comments (rule 6.16).
pub(crate) fn first_paragraph(text: &str) -> Option<String> {
    first_block(text, false)
}

/// The first heading of a Markdown text, on one line.
pub(crate) fn first_heading(text: &str) -> Option<String> {
    first_block(text, true)
}

fn first_block(text: &str, is_heading_wanted: bool) -> Option<String> {
    let told = |block: &str| (!block.is_empty()).then(|| first_chars(block, PARAGRAPH_CHARS).to_owned());
    let (mut paragraph, mut fences, mut in_comment) = (String::new(), Fences::default(), false);
    for line in text.split(|c| c == '\n' || is_line_end(c)) {
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let is_code = !in_comment && fences.is_code(line) || paragraph.is_empty() && is_indented;
        let line = line.trim();
        in_comment |= !is_code && line.starts_with("<!--");
        let is_text = !is_code && !in_comment;
        in_comment &= !line.contains("-->");
        let is_title = is_text && !is_indented && is_heading(line);
        // Such a line makes the lines above it a heading.
        let is_underline = is_text && is_underline(line) && !paragraph.is_empty() && !is_item(&paragraph);
        match is_heading_wanted {
            true if is_title => return told(line.trim_matches(['#', ' ', '\t'])),
            true if is_underline => return told(&paragraph),
            _ if is_underline => paragraph.clear(),
            _ if is_text && !is_title && !line.is_empty() && !is_rule(line) => {
                paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
                paragraph.push_str(line);
            }
            false if !paragraph.is_empty() => break,
            _ => paragraph.clear(),
        }
    }
    told(&paragraph).filter(|_| !is_heading_wanted)
}

/// The first three lines that are not blank and do not begin with `#`, on one line.
pub(crate) fn first_three_lines(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let joined = lines.take(3).collect::<Vec<_>>().join(" ");
    let cut = first_chars(&joined, PARAGRAPH_CHARS);
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// The first line of a Markdown text that is not blank, without the `#` of a heading. Of a long one the beginning; `Skill` if
/// there is none.
pub(crate) fn first_line(text: &str) -> String {
    let line =
        text.split(|c| c == '\n' || is_line_end(c)).map(str::trim).find(|line| !line.is_empty()).unwrap_or("Skill");
    let heading = line.trim_start_matches('#');
    let line = if heading.starts_with([' ', '\t']) { heading.trim_start() } else { line };
    match line.chars().count() {
        ..=LINE_CHARS => line.to_owned(),
        _ => format!("{}...", first_chars(line, LINE_CHARS - 3)),
    }
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    after.len() < line.len() && (after.is_empty() || after.starts_with([' ', '\t']))
}

fn is_underline(line: &str) -> bool {
    line.len() > 1 && ['=', '-'].into_iter().any(|mark| line.chars().all(|c| c == mark))
}

/// Whether a paragraph is an item of a list or a quote, which a line of dashes ends.
fn is_item(paragraph: &str) -> bool {
    let mark = paragraph.trim_start_matches(|c: char| c.is_ascii_digit()).split(' ').next();
    paragraph.starts_with('>') || matches!(mark, Some("-" | "*" | "+" | "." | ")"))
}

/// Whether a line is a horizontal rule: three or more of one mark, with any blanks between them.
fn is_rule(line: &str) -> bool {
    let is_of = |mark: char| line.matches(mark).count() > 2 && line.chars().all(|c| c == mark || c.is_whitespace());
    ['-', '*', '_'].into_iter().any(is_of)
}

/// Words whose full stop does not end a sentence, in any letter case, without the full stop.
const ABBREVIATIONS: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "resp"];

/// Such words that begin with a capital letter: `ms` is a unit.
const TITLES: &[&str] = &["Dr", "Mr", "Mrs", "Ms", "St", "Inc", "Ltd", "Jr", "Sr"];

/// Such words before a number, in any letter case.
const BEFORE_NUMBERS: &[&str] = &["no", "fig", "max", "min"];

/// Whether the full stop between this word and the rest of the text is that of an abbreviation, such as `U.S.`.
fn is_abbreviation(word: &str, rest: &str) -> bool {
    let is_in = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(word));
    let is_initials = || word.split('.').all(|part| matches!(part.as_bytes(), [b'A'..=b'Z']));
    is_in(ABBREVIATIONS)
        || TITLES.contains(&word)
        || (is_in(BEFORE_NUMBERS) && rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        || (matches!(word.len(), 2..=7) && is_initials())
}

/// The first sentence of a text on one line, without its full stop: up to an end mark before white space or the end
/// (rule 6.17). The whole text if there is no end mark or nothing before it.
pub(crate) fn first_sentence(text: &str) -> &str {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | ',');
    let (mut chars, mut word_start) = (text.char_indices().peekable(), 0);
    while let Some((at, c)) = chars.next() {
        if is_between(c) {
            word_start = at + c.len_utf8();
        }
        if c == '.' && is_abbreviation(&text[word_start..at], &text[at + 1..]) {
            continue;
        }
        let is_last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?') && is_last) {
            let sentence = text[..at + c.len_utf8()].trim_end_matches(['.', '。']).trim_end();
            return if sentence.is_empty() { text } else { sentence };
        }
    }
    text
}

/// The text, cut behind a word to at most `most_chars` characters with `...` at its end if it is longer. A first word
/// that is too long is cut.
pub(crate) fn shorten(text: &str, most_chars: usize) -> String {
    if text.chars().nth(most_chars).is_none() {
        return text.to_owned();
    }
    let kept = most_chars.saturating_sub(3);
    // One character more, which may be the space behind a word that just fits.
    let words = first_chars(text, kept + 1).rsplit_once(char::is_whitespace).map(|(words, _)| words.trim_end());
    match words {
        Some(words) if !words.is_empty() => format!("{words}..."),
        _ => format!("{}...", first_chars(text, kept)),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/words.rs"]
mod tests;
