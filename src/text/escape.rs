//! Escapes texts for XML, JSON, YAML, messages and rows of a listing. The result is borrowed if nothing changes. Decides which
//! characters are invisible, and which of them an emoji or a script needs, depending on the characters beside them. The
//! ranges are those of Unicode 16, which are the same in 17.
//!
//! A language model reads invisible characters as well as visible ones, so those that no sequence needs could be a
//! hidden message. Therefore only these are needed: one selector directly after a character that takes one,
//! [`MOST_VARIANTS`] ideographic selectors in a text, one joiner between two characters that join, and the tags of
//! three flags.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `<` and `>` alone are escaped.
pub(crate) fn angles(text: &str) -> Cow<'_, str> {
    escaped(text, &['<', '>'])
}

/// XML text: `&`, `<` and `>` are escaped.
pub(crate) fn xml_text(text: &str) -> Cow<'_, str> {
    escaped(text, &['&', '<', '>'])
}

/// An XML attribute in double quotes: `"` is escaped too.
pub(crate) fn xml_attribute(text: &str) -> Cow<'_, str> {
    escaped(text, &['&', '<', '>', '"'])
}

/// XML with all five escapes, including `'` (rule 11.9, daycare).
pub(crate) fn xml_all_five(text: &str) -> Cow<'_, str> {
    escaped(text, &['&', '<', '>', '"', '\''])
}

/// A text on one line for display, such as a key or a path: control characters, line ends, and characters that are
/// invisible or change the direction of the text are shown as `\u{…}` (rule 7.7). Invisible characters that an
/// emoji or a script needs are not changed. Neither is a `\u{…}` in the text.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    replaced(text, is_shown_by_number, |c, out| {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    })
}

/// Reverses [`visible`]: replaces every `\u{…}` that `visible` writes by its character.
pub(crate) fn reveal(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, opening) in text.match_indices("\\u{") {
        let number = at + opening.len();
        if let Some((c, length)) = shown_by_number(&text[number..]) {
            out.push_str(&text[copied..at]);
            out.push(c);
            copied = number + length;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The text without invisible characters, and without control characters other than tab and newline, except those that
/// an emoji or a script needs (rule 6.18); and whether it was changed. Characters that end a line in Unicode become
/// newlines, so that all lines are seen by whoever splits the text at newlines.
pub(crate) fn unhidden(text: &str) -> (Cow<'_, str>, bool) {
    let is_replaced = |c: char| hides(c) || (c.is_control() && !matches!(c, '\t' | '\n')) || is_line_end(c);
    if is_plain(text) {
        return (Cow::Borrowed(text), false);
    }
    let clean = replaced(text, is_replaced, |c, out| {
        if is_line_end(c) {
            out.push('\n');
        }
    });
    // The length may be the same, as a line end may be replaced by a newline of the same length.
    let changed = matches!(clean, Cow::Owned(_));
    (clean, changed)
}

/// The text without white space at its ends, and with one space in place of every run of control characters, line ends and
/// invisible characters, except those that an emoji or a script needs.
pub(crate) fn spaced(text: &str) -> String {
    let mut end_of_run = None;
    let spaced = replaced(
        text,
        |c| hides(c) || c.is_control() || is_line_end(c),
        |_, out| {
            if end_of_run != Some(out.len()) {
                out.push(' ');
                end_of_run = Some(out.len());
            }
        },
    );
    spaced.trim().to_owned()
}

/// The invisible characters of a text, except those that an emoji or a script needs, with their offsets.
pub(crate) fn hidden_characters(text: &str) -> Vec<(usize, char)> {
    let (mut found, mut removed) = (Vec::new(), 0);
    replaced(text, hides, |c, out| {
        found.push((out.len() + removed, c));
        removed += c.len_utf8();
    });
    found
}

/// A text on one line, without what [`unhidden`] removes and with single spaces, such as a name.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    // Nearly all names are plain.
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    match unhidden(text).0 {
        Cow::Borrowed(clean) => fold(clean),
        Cow::Owned(clean) => Cow::Owned(fold(&clean).into_owned()),
    }
}

/// Whether a character other than the newline ends a line or a paragraph: VT, FF, NEL, U+2028 and U+2029. A carriage
/// return does not; it belongs to the newline after it.
pub(crate) fn is_line_end(c: char) -> bool {
    matches!(c, '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text on one line: trimmed, with one space in place of every run of white space.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    if is_plain(trimmed) && !has_pair(trimmed, b' ') {
        return Cow::Borrowed(trimmed);
    }
    let mut after_space = false;
    let folded = trimmed.chars().all(|c| {
        let fine = !c.is_whitespace() || (c == ' ' && !after_space);
        after_space = c.is_whitespace();
        fine
    });
    if folded {
        return Cow::Borrowed(trimmed);
    }
    Cow::Owned(trimmed.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The text as a double-quoted YAML scalar on one line, without invisible characters.
pub(crate) fn quote_yaml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        // Writing to a `String` cannot fail.
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            // YAML counts the last two characters as unprintable too.
            _ if !is_shown_by_number(c) && !matches!(c, '\u{fffe}' | '\u{ffff}') => write!(out, "{c}"),
            '\0'..='\u{ff}' => write!(out, "\\x{:02x}", u32::from(c)),
            '\u{100}'..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(c)),
            _ => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push('"');
    out
}

/// The text as the inside of a JSON string. All characters are escaped that [`visible`] shows by number, not only those
/// that JSON requires, so that they are neither obeyed nor overlooked by whoever reads the JSON. The value is the same.
pub(crate) fn json_inside(text: &str) -> Cow<'_, str> {
    let is_mark = |c: char| matches!(c, '"' | '\\');
    // The loop has no branch, so that the compiler can compare many bytes at once.
    let is_odd = |byte: u8| !matches!(byte, b' '..=b'~') | (byte == b'"') | (byte == b'\\');
    if text.bytes().fold(0, |odd, byte| odd | u8::from(is_odd(byte))) == 0 {
        return Cow::Borrowed(text);
    }
    replaced(
        text,
        |c| is_mark(c) || is_shown_by_number(c),
        |c, out| {
            // Writing to a `String` cannot fail.
            let _ = match c {
                '\n' => write!(out, "\\n"),
                '\r' => write!(out, "\\r"),
                '\t' => write!(out, "\\t"),
                '"' | '\\' => write!(out, "\\{c}"),
                _ => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}")),
            };
        },
    )
}

pub(crate) fn has_pair(text: &str, twice: u8) -> bool {
    let bytes = text.as_bytes();
    let Some((_, next)) = bytes.split_first() else { return false };
    bytes.iter().zip(next).fold(0, |found, (a, b)| found | u8::from((*a == twice) & (*b == twice))) != 0
}

/// Whether the text is printable ASCII. The loop has no branch, so that the compiler can compare many bytes at once.
fn is_plain(text: &str) -> bool {
    text.bytes().fold(0, |odd, byte| odd | u8::from(!matches!(byte, b' '..=b'~'))) == 0
}

fn is_shown_by_number(c: char) -> bool {
    c.is_control() || hides(c) || is_line_end(c)
}

/// Reads the `a}` of a `\u{a}` that [`visible`] may have written: the character, and the number of bytes read.
fn shown_by_number(text: &str) -> Option<(char, usize)> {
    let length = text.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    let (digits, after) = text.split_at(length);
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    (after.starts_with('}') && is_shown_by_number(c)).then_some((c, length + 1))
}

fn escaped<'t>(text: &'t str, special: &[char]) -> Cow<'t, str> {
    // Very few texts contain any of them. The loop has no branch, so that the compiler can compare many bytes at once.
    let is_mark = |byte: u8| (byte == b'&') | (byte == b'<') | (byte == b'>') | (byte == b'"') | (byte == b'\'');
    if text.bytes().fold(0, |found, byte| found | u8::from(is_mark(byte))) == 0 {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| is_mark(*byte)) {
        let mark = char::from(byte);
        if special.contains(&mark) {
            out.push_str(&text[copied..at]);
            out.push_str(match mark {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                _ => "&apos;",
            });
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Applies a function that borrows unchanged texts to a text that may be owned.
pub(crate) fn mapped<'t>(text: Cow<'t, str>, map: impl for<'a> Fn(&'a str) -> Cow<'a, str>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => map(text),
        Cow::Owned(text) => match map(&text) {
            // A borrowed result may be a part of the text.
            Cow::Borrowed(same) if same.len() == text.len() => Cow::Owned(text),
            other => Cow::Owned(other.into_owned()),
        },
    }
}

/// The text with every character replaced for which `hit` is true, except invisible ones that a sequence needs; `write`
/// writes the replacement. What is needed depends on what was written before, so that replacing is idempotent. The
/// result is borrowed if nothing was replaced.
fn replaced(text: &str, hit: impl Fn(char) -> bool, mut write: impl FnMut(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(&hit) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut variants, mut changed) = (0, false);
    let mut rest = text;
    while let Some(at) = rest.find(&hit) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let needed = needed(&out, from, &mut variants);
        out.push_str(needed);
        (_, rest) = from.split_at(needed.len());
        if needed.is_empty() {
            let mut chars = rest.chars();
            chars.next().into_iter().for_each(|c| write(c, &mut out));
            rest = chars.as_str();
            changed = true;
        }
    }
    out.push_str(rest);
    if changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// Whether a character is invisible: the 4174 with the property `Default_Ignorable_Code_Point`
/// (DerivedCoreProperties.txt of the standard), including unassigned and reserved ones, and the three annotation
/// characters, which are not shown either.
pub(crate) fn hides(c: char) -> bool {
    matches!(c,
        '\u{ad}'                        // soft hyphen
        | '\u{34f}'                     // combining grapheme joiner
        | '\u{61c}'                     // Arabic letter mark
        | '\u{115f}'..='\u{1160}'       // Hangul fillers
        | '\u{17b4}'..='\u{17b5}'       // Khmer inherent vowels
        | '\u{180b}'..='\u{180f}'       // Mongolian variation selectors and vowel separator
        | '\u{200b}'..='\u{200f}'       // zero-width space, joiners, direction marks
        | '\u{202a}'..='\u{202e}'       // embeddings and overrides
        | '\u{2060}'..='\u{206f}'       // word joiner, invisible operators, isolates, deprecated ones
        | '\u{3164}'                    // Hangul filler
        | '\u{fe00}'..='\u{fe0f}'       // variation selectors
        | '\u{feff}'                    // byte order mark
        | '\u{ffa0}'                    // halfwidth Hangul filler
        | '\u{fff0}'..='\u{fffb}'       // reserved, interlinear annotation
        | '\u{1bca0}'..='\u{1bca3}'     // shorthand format controls
        | '\u{1d173}'..='\u{1d17a}'     // musical beams and slurs
        | '\u{e0000}'..='\u{e0fff}'     // tags, ideographic variation selectors, reserved
    )
}

/// The most ideographic variation selectors of one text that count as needed. A name has one or two of them, and each
/// could carry a byte of a hidden message.
const MOST_VARIANTS: usize = 16;

/// The tags after a black flag that make it the flag of England, Scotland or Wales. No other such flags are recommended
/// for general interchange, and arbitrary tags could spell a hidden message.
const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// The invisible characters at the beginning of `text` that change how the characters beside them look; mostly
/// none. `before` is the text before them, as far as it was kept, and `variants` how many ideographic
/// selectors were kept in it.
fn needed<'t>(before: &str, text: &'t str, variants: &mut usize) -> &'t str {
    let (Some(last), Some(c)) = (before.chars().next_back(), text.chars().next()) else { return "" };
    if last == '\u{1f3f4}' {
        if let Some(tags) = FLAGS.iter().find(|tags| text.starts_with(**tags)) {
            return text.split_at(tags.len()).0;
        }
    }
    let (this, after) = text.split_at(c.len_utf8());
    let next_is = |is_it: fn(char) -> bool| after.chars().next().is_some_and(is_it);
    let joined = || (joins(last) || is_mongolian_selector(last)) && next_is(joins);
    let is_needed = match c {
        '\u{fe0e}' | '\u{fe0f}' => match last {
            // Keycaps.
            '#' | '*' | '0'..='9' => after.starts_with('\u{20e3}'),
            _ => takes_emoji_selector(last),
        },
        '\u{200c}' => joined(),
        '\u{200d}' => joined() || (ends_in_pictograph(before) && next_is(is_pictograph)),
        '\u{180e}' => (is_mongolian(last) || is_mongolian_selector(last)) && next_is(is_mongolian),
        _ if is_mongolian_selector(c) => is_mongolian(last),
        _ if is_variant(c) => {
            let is_ideograph = matches!(last,
                '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
                | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}');
            is_ideograph && *variants < MOST_VARIANTS
        }
        _ => false,
    };
    *variants += usize::from(is_needed && is_variant(c));
    if is_needed { this } else { "" }
}

fn ends_in_pictograph(text: &str) -> bool {
    let is_modifier = |c: &char| matches!(*c, '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
    // A pictograph has at most one tone and one selector.
    let mut last = text.chars().rev().take(3).skip_while(is_modifier);
    last.next().is_some_and(is_pictograph)
}

/// Whether a character is a letter or mark of a script whose letters change if there is a joiner between them.
fn joins(c: char) -> bool {
    let script = matches!(c,
        '\u{600}'..='\u{77f}'           // Arabic, Syriac
        | '\u{7c0}'..='\u{7ff}'         // N'Ko
        | '\u{840}'..='\u{dff}'         // Mandaic, Arabic, the scripts of India, Sinhala
        | '\u{f00}'..='\u{109f}'        // Tibetan, Myanmar
        | '\u{1700}'..='\u{18af}'       // Philippine scripts, Khmer, Mongolian
        | '\u{1900}'..='\u{194f}'       // Limbu
        | '\u{1a20}'..='\u{1aaf}'       // Tai Tham
        | '\u{1b00}'..='\u{1c4f}'       // Balinese, Sundanese, Batak, Lepcha
        | '\u{1cd0}'..='\u{1cff}'       // Vedic marks
        | '\u{a800}'..='\u{a8ff}'       // Syloti Nagri, Phags-pa, Saurashtra, Devanagari
        | '\u{a930}'..='\u{a95f}'       // Rejang
        | '\u{a980}'..='\u{aa7f}'       // Javanese, Cham, Myanmar
        | '\u{aae0}'..='\u{aaff}'       // Meetei Mayek
        | '\u{abc0}'..='\u{abff}'       // Meetei Mayek
        | '\u{fb50}'..='\u{fdff}'       // Arabic forms
        | '\u{fe70}'..='\u{fefe}'       // Arabic forms
        | '\u{10ac0}'..='\u{10aff}'     // Manichaean
        | '\u{10b80}'..='\u{10baf}'     // Psalter Pahlavi
        | '\u{10d00}'..='\u{10d3f}'     // Hanifi Rohingya
        | '\u{10ec0}'..='\u{10fdf}'     // Arabic, Sogdian, Chorasmian
        | '\u{11000}'..='\u{11fff}'     // Brahmi and its descendants
        | '\u{1e900}'..='\u{1e95f}'     // Adlam
    );
    script && !c.is_numeric() && !hides(c)
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1807}' | '\u{1820}'..='\u{18aa}')
}

/// Whether a character selects another form of the Mongolian letter before it.
fn is_mongolian_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}')
}

/// Whether a character selects another form of the ideograph before it: the selectors of compatibility ideographs, and
/// the purely ideographic ones.
fn is_variant(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a character may be part of an emoji sequence. Whole blocks are included, as a joiner between two characters
/// that are not emoji does no harm.
fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{2190}'..='\u{21ff}'         // arrows
        | '\u{2300}'..='\u{23ff}'       // technical
        | '\u{25a0}'..='\u{27bf}'       // shapes, symbols, dingbats
        | '\u{2900}'..='\u{297f}'       // arrows
        | '\u{2b00}'..='\u{2bff}'       // arrows and shapes
        | '\u{1f000}'..='\u{1faff}'     // emoji
    )
}

/// Whether a character may be followed by the selector for text or emoji (emoji-variation-sequences.txt of the
/// standard), except those of keycaps. Pictographs are included by block; a skin tone takes none.
fn takes_emoji_selector(c: char) -> bool {
    matches!(c, '©' | '®' | '‼' | '⁉' | '™' | 'ℹ' | 'Ⓜ' | '〰' | '〽' | '㊗' | '㊙')
        || (is_pictograph(c) && !matches!(c, '\u{1f3fb}'..='\u{1f3ff}'))
}

#[cfg(test)]
#[path = "../../tests/unit/escape.rs"]
mod tests;
