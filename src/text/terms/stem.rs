//! Folds the endings of English words by the first rules of the paper "An algorithm for suffix stripping" (1980): a fixed sequence of steps, each of which replaces the longest ending that it knows if enough of the word is left.
//! Its last rules are left out, by which `excel` and `excellence`, or `custom` and `customize`, would be one word.
//!
//! What is left is measured by how often a run of vowels is followed by a run of consonants in it: `tr` has 0, `trouble` 1,
//! `private` 2. A stem is not always a word (`generat` for `generation`), which does not matter, as only stems are compared.

use std::borrow::Cow;

const SHORTEST: usize = 3;

/// Endings and what takes their place, if the word before them measures at least 1; the longest ending counts.
const DOUBLE_ENDINGS: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("fulli", "ful"),
    ("lessli", "less"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

/// The stem of a word in lower case. A word with other letters than `a` to `z` is its own stem.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < SHORTEST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let mut stem = word.to_owned();
    plural(&mut stem);
    past_and_progress(&mut stem);
    // `happy` and `happily`, but not `by`, `say` and `day`.
    if stem.len() > 2 && stem.ends_with('y') && !is_vowel(stem.as_bytes(), stem.len() - 2) {
        replace(&mut stem, 1, "i");
    }
    replace_longest(&mut stem, DOUBLE_ENDINGS);
    adverb(&mut stem);
    silent_letters(&mut stem);
    Cow::Owned(stem)
}

/// `forms`, `classes`, `queries`; not `gas`, `this`, `status`.
fn plural(word: &mut String) {
    if word.ends_with("sses") {
        replace(word, 2, "");
    } else if word.ends_with("ies") || word.ends_with("ied") {
        // `ties` and `tie`, but `cries` and `cry`.
        let letters = if word.len() > 4 { 2 } else { 1 };
        replace(word, letters, "");
    } else if word.ends_with('s')
        && !word.ends_with("us")
        && !word.ends_with("ss")
        && has_vowel(&word[..word.len() - 2])
    {
        replace(word, 1, "");
    }
}

/// `agreed`, `planned`, `filing`; not `feed`, `sing`.
fn past_and_progress(word: &mut String) {
    if let Some(before) = word.strip_suffix("eed") {
        if measure(before) > 0 {
            replace(word, 1, "");
        }
        return;
    }
    let Some(ending) = ["ed", "ing", "edly", "ingly"].into_iter().find(|ending| word.ends_with(ending)) else { return };
    if !has_vowel(&word[..word.len() - ending.len()]) {
        return;
    }
    replace(word, ending.len(), "");
    if ["at", "bl", "iz"].iter().any(|end| word.ends_with(end)) {
        word.push('e');
    } else if ends_double(word) && !word.ends_with(['l', 's', 'z']) {
        replace(word, 1, "");
    } else if measure(word) == 1 && ends_short(word) {
        word.push('e');
    }
}

/// `quickly` and `friendly`; not `only`, `early` and `apply`.
fn adverb(word: &mut String) {
    const SHORTEST: usize = 4;
    if let Some(before) = word.strip_suffix("li") {
        if before.ends_with(['c', 'd', 'e', 'g', 'h', 'k', 'm', 'n', 'r', 't']) && before.len() >= SHORTEST {
            replace(word, 2, "");
        }
    }
}

fn replace_longest(word: &mut String, endings: &[(&str, &str)]) {
    let known = endings.iter().filter(|(ending, _)| ends_with(word, ending));
    let Some((ending, instead)) = known.max_by_key(|(ending, _)| ending.len()) else { return };
    if measure(&word[..word.len() - ending.len()]) > 0 {
        replace(word, ending.len(), instead);
    }
}

/// The `e` of `file` stays, that of `generate` goes; of two `l` at the end of a long word, one goes.
fn silent_letters(word: &mut String) {
    if let Some(before) = word.strip_suffix('e') {
        let measured = measure(before);
        if measured > 1 || (measured == 1 && !ends_short(before)) {
            replace(word, 1, "");
        }
    } else if word.ends_with("ll") && measure(&word[..word.len() - 1]) > 1 {
        replace(word, 1, "");
    }
}

/// Whether a word has an ending. The last letter is compared first, as that rules out most endings.
fn ends_with(word: &str, ending: &str) -> bool {
    word.bytes().last() == ending.bytes().last() && word.ends_with(ending)
}

fn replace(word: &mut String, letters: usize, instead: &str) {
    word.truncate(word.len() - letters);
    word.push_str(instead);
}

/// Whether the letter there is a vowel. A `y` is one behind a consonant.
fn is_vowel(letters: &[u8], at: usize) -> bool {
    match letters.get(at) {
        Some(b'a' | b'e' | b'i' | b'o' | b'u') => true,
        // Two `y` in a row are a vowel and a consonant, and so on, as each is judged by the one before it.
        Some(b'y') => {
            let run = letters[..at].iter().rev().take_while(|letter| **letter == b'y').count();
            let before = at.checked_sub(run + 1).and_then(|before| letters.get(before));
            let is_first_vowel = before.is_some_and(|letter| !matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u'));
            is_first_vowel == (run % 2 == 0)
        }
        _ => false,
    }
}

fn has_vowel(text: &str) -> bool {
    (0..text.len()).any(|at| is_vowel(text.as_bytes(), at))
}

/// How often a run of vowels is followed by a run of consonants.
fn measure(text: &str) -> usize {
    let vowels = (0..text.len()).map(|at| is_vowel(text.as_bytes(), at));
    let (mut before, mut count) = (false, 0);
    for is_vowel in vowels {
        count += usize::from(before && !is_vowel);
        before = is_vowel;
    }
    count
}

fn ends_double(text: &str) -> bool {
    let mut last = text.bytes().rev();
    let (Some(last), Some(before)) = (last.next(), last.next()) else { return false };
    last == before && !is_vowel(text.as_bytes(), text.len() - 1)
}

/// Whether a text ends in consonant, vowel, consonant, the last of which is no `w`, `x` or `y`: as `fil` and `hop` do.
fn ends_short(text: &str) -> bool {
    let (letters, len) = (text.as_bytes(), text.len());
    len >= 3
        && !is_vowel(letters, len - 1)
        && is_vowel(letters, len - 2)
        && !is_vowel(letters, len - 3)
        && !text.ends_with(['w', 'x', 'y'])
}
