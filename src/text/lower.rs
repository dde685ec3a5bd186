//! In: a text or a character. Out: the same in lower case, whatever the language. A WASM module has a table of its own for
//! it, as the standard library's has each letter by itself. Absent: comparison.

#[cfg(any(test, target_family = "wasm"))]
mod table;

/// The text in lower case. A capital sigma that ends a word becomes the sigma of that place.
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

/// Whether a letter stands before this sigma and none behind it.
fn ends_word(text: &str, at: usize) -> bool {
    let (before, rest) = text.split_at(at);
    let before = before.chars().rev().find(|c| !is_passed_over(*c));
    let behind = rest.chars().skip(1).find(|c| !is_passed_over(*c));
    before.is_some_and(char::is_alphabetic) && !behind.is_some_and(char::is_alphabetic)
}

/// Points, apostrophes and accents do not end a word, nor does a sign of Greek by itself.
fn is_passed_over(c: char) -> bool {
    let is_sign = matches!(c, '\'' | '.' | ':' | '^' | '`' | '¨' | '\u{ad}' | '¯' | '´' | '·' | '¸' | '‘' | '’');
    is_sign
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{374}' | '\u{375}' | '\u{37a}' | '\u{384}' | '\u{385}' | '\u{387}')
}

/// The character in lower case, which may be two.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn small(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase()
}

#[cfg(target_family = "wasm")]
pub(crate) use table::small;

#[cfg(test)]
#[path = "../../tests/unit/lower.rs"]
mod tests;
