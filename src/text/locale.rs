//! The order of names in a language, as JavaScript's `localeCompare` and most other programs know it, for the characters
//! that names are made of. Letters of the blocks Latin-1 Supplement and Latin Extended-A stand beside those that they are made of;
//! other characters beyond ASCII come last, in the order of Unicode.

use super::lower::lower;
use std::cmp::Ordering;

/// The signs in their order, which is that of the default table of Unicode's collation in its adaptation by CLDR.
const SIGNS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// The letters that those from U+00C0 to U+017F are made of, in lower case; `.` for one that is made of none.
const BASES: &[u8; 192] =
    b"aaaaaa.ceeeeiiiidnooooo.ouuuuy..aaaaaa.ceeeeiiiidnooooo.ouuuuy.yaaaaaaccccccccddddeeeeeeeeeegggggggghhhh\
    iiiiiiiii...jjkk.llllllllllnnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzzs";

/// Compares two texts: white space comes before signs, these before digits, and these before letters, in whatever case. Of
/// two texts that differ only by accents, that without one at the first difference comes first; and of two that differ only by
/// case, that with the lower-case letter.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (folded_a, folded_b) = (lower(a), lower(b));
    let by_letters = folded_a.chars().map(weight).cmp(folded_b.chars().map(weight));
    by_letters.then_with(|| folded_a.cmp(&folded_b)).then_with(|| b.cmp(a))
}

fn weight(c: char) -> (u8, usize) {
    match c {
        _ if c.is_whitespace() => (0, c as usize),
        _ if c.is_ascii_digit() => (2, c as usize),
        // Punctuation, arrows and other signs, and pictures.
        '\u{2000}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}' => (1, c as usize),
        _ => SIGNS.find(c).map_or((3, base(c) as usize), |place| (1, place)),
    }
}

fn base(c: char) -> char {
    let place = (c as usize).checked_sub(0xC0).and_then(|at| BASES.get(at));
    place.filter(|base| **base != b'.').map_or(c, |base| char::from(*base))
}

#[cfg(test)]
#[path = "../../tests/unit/locale.rs"]
mod tests;
