//! Lower case of all languages. The WASM module uses a table of its own, which has one row for each alphabet and so is
//! smaller than that of the standard library, which has one entry for each letter: by 9 844 bytes (4 510 zipped).

#[cfg(any(test, target_family = "wasm"))]
mod table;

/// The text in lower case. A capital sigma at the end of a word becomes a final sigma.
pub(crate) fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut all = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            'Σ' if ends_word(text, at) => all.push('ς'),
            _ => all.extend(small(c)),
        }
    }
    all
}

/// Whether there is a letter before the sigma at this offset, and none behind it.
fn ends_word(text: &str, at: usize) -> bool {
    let (before, rest) = text.split_at(at);
    let before = before.chars().rev().find(|c| !is_ignored(*c));
    let behind = rest.chars().skip(1).find(|c| !is_ignored(*c));
    before.is_some_and(char::is_alphabetic) && !behind.is_some_and(char::is_alphabetic)
}

/// Whether a character neither ends a word nor is a letter of it: points, apostrophes, accents, and some Greek signs.
fn is_ignored(c: char) -> bool {
    let is_sign = matches!(c, '\'' | '.' | ':' | '^' | '`' | '¨' | '\u{ad}' | '¯' | '´' | '·' | '¸' | '‘' | '’');
    is_sign
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{374}' | '\u{375}' | '\u{37a}' | '\u{384}' | '\u{385}' | '\u{387}')
}

/// The character in lower case, which may be two characters.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn small(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase()
}

#[cfg(target_family = "wasm")]
pub(crate) use table::small;

#[cfg(test)]
#[path = "../../tests/unit/lower.rs"]
mod tests;
