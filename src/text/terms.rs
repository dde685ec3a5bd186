//! How a text becomes the terms of a full-text index: [`each_word`] splits it into words in lower case, and [`stem`] folds
//! the endings of English words, so that `generates`, `generated` and `generating` are one term.
//!
//! A word is a run of letters and digits. If it has parts (`pdfForms`, `utf8`, `pdf-forms`), these are words, and so is the
//! whole run without marks between (`pdfforms`), by which `e-mail` finds `email`. Chinese, Japanese and Korean letters, which
//! are written without spaces or with long endings, become pairs of letters.

mod stem;

use crate::text::lower::lower;
use std::ops::Range;

pub(crate) use stem::stem;

/// The longest word of which the whole is kept, in bytes. Longer runs are encoded data, which nobody searches for.
const LONGEST_WORD: usize = 64;
/// The most parts of a run that is a word as a whole too.
const MOST_JOINED: usize = 3;

/// Words that say nothing about what a text is about, or by which people ask for something; sorted.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "being", "both", "but", "by", "can", "could", "did", "do", "does", "doing", "don", "each", "etc", "for", "from",
    "get", "give", "had", "has", "have", "having", "he", "help", "her", "here", "him", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "know", "let", "like", "ll", "looking", "may", "me", "might", "more", "most",
    "my", "need", "no", "nor", "not", "of", "on", "or", "other", "our", "out", "over", "own", "please", "re", "s",
    "same", "she", "should", "so", "some", "such", "t", "tell", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "too", "up", "us", "use", "used", "using", "ve", "very", "want",
    "was", "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you",
    "your",
];

pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Calls the function with each word of a text in lower case, and where it is in the text. A word with parts comes after its
/// parts.
pub(crate) fn each_word(text: &str, each: &mut dyn FnMut(&str, Range<usize>)) {
    let mut end = 0;
    while let Some(gap) = text[end..].find(is_letter) {
        let start = end + gap;
        let rest = &text[start..];
        // Most words are in lower case and before a space or a comma: one look at each letter is enough for them.
        let small = rest.bytes().take_while(u8::is_ascii_lowercase).count();
        let ends_run = |byte: &u8| byte.is_ascii() && !is_letter(char::from(*byte)) && !is_joiner(char::from(*byte));
        if small <= LONGEST_WORD && rest.as_bytes().get(small).is_none_or(ends_run) {
            end = start + small;
            each(&rest[..small], start..end);
            continue;
        }
        end = start + first_run(rest);
        split_run(text, start..end, each);
    }
}

/// How many bytes the run of letters and marks between them has with which a text begins.
fn first_run(text: &str) -> usize {
    let mut end = 0;
    loop {
        end += text[end..].bytes().take_while(u8::is_ascii_alphanumeric).count();
        let mut chars = text[end..].chars();
        match chars.next() {
            Some(c) if is_letter(c) || (is_joiner(c) && chars.next().is_some_and(is_letter)) => end += c.len_utf8(),
            _ => return end,
        }
    }
}

/// Whether a character may be inside a word: a letter, a digit or an accent. ASCII is judged first, as most texts are ASCII.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && (c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}')))
}

/// Whether a mark between two letters makes one word with parts of them.
fn is_joiner(c: char) -> bool {
    matches!(c, '-' | '_' | '.') || is_apostrophe(c)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Calls the function with a word in lower case, which most words are already.
fn each_lower(word: &str, at: Range<usize>, each: &mut dyn FnMut(&str, Range<usize>)) {
    let is_lower = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if is_lower { each(word, at) } else { each(&lower(word), at) }
}

fn split_run(text: &str, run: Range<usize>, each: &mut dyn FnMut(&str, Range<usize>)) {
    let letters = &text[run.clone()];
    // Most runs are one word, of which only the first letter may be a capital.
    let mut bytes = letters.bytes();
    let is_plain =
        bytes.next().is_some_and(|first| first.is_ascii_alphabetic()) && bytes.all(|b| b.is_ascii_lowercase());
    if is_plain {
        if letters.len() <= LONGEST_WORD {
            each_lower(letters, run, each);
        }
        return;
    }
    let mut parts = 0;
    let mut may_join = letters.len() <= LONGEST_WORD;
    let mut start = run.start;
    while start < run.end {
        let rest = &text[start..run.end];
        let end = start + first_part(rest);
        let part = &text[start..end];
        if part.starts_with(is_cjk) {
            each_pair(part, start, each);
            may_join = false;
        } else if !part.is_empty() && part.len() <= LONGEST_WORD {
            each_lower(part, start..end, each);
        }
        parts += usize::from(!part.is_empty());
        // Behind a joiner, or at the next part.
        start = end + text[end..run.end].chars().next().filter(|c| is_joiner(*c)).map_or(0, char::len_utf8);
    }
    if may_join && (2..=MOST_JOINED).contains(&parts) && !letters.contains(is_apostrophe) {
        let word: String = letters.chars().filter(|c| !is_joiner(*c)).collect();
        each_lower(&word, run, each);
    }
}

/// Each pair of letters of a part, or its only letter.
fn each_pair(part: &str, start: usize, each: &mut dyn FnMut(&str, Range<usize>)) {
    let ends = part.char_indices().map(|(at, c)| (at, at + c.len_utf8()));
    let seconds = ends.clone().skip(1).map(|(_, end)| end);
    let mut is_alone = true;
    for ((first, _), end) in ends.zip(seconds) {
        each(&part[first..end], start + first..start + end);
        is_alone = false;
    }
    if is_alone {
        each(part, start..start + part.len());
    }
}

/// How many bytes the first part of a run has, none if a joiner is first: digits, a word that begins with a capital (`pdfForms`, `PDFForms`), or letters
/// of Chinese, Japanese and Korean.
fn first_part(run: &str) -> usize {
    let mut chars = run.char_indices().peekable();
    let Some((_, mut before)) = chars.next().filter(|(_, c)| !is_joiner(*c)) else { return 0 };
    while let Some((at, c)) = chars.next() {
        let is_other_kind = before.is_numeric() != c.is_numeric() || is_cjk(before) != is_cjk(c);
        let begins_word = c.is_uppercase()
            && (before.is_lowercase()
                || (before.is_uppercase() && chars.peek().is_some_and(|(_, c)| c.is_lowercase())));
        if is_other_kind || begins_word || is_joiner(c) {
            return at;
        }
        before = c;
    }
    run.len()
}

/// Whether a character is a Chinese, Japanese or Korean letter: Han, Hiragana, Katakana, Hangul.
fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}'
        | '\u{3031}'..='\u{3035}' | '\u{3038}'..='\u{303c}' | '\u{3041}'..='\u{30ff}' | '\u{3130}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
#[path = "../../tests/unit/terms.rs"]
mod tests;
