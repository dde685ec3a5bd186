//! Decides which characters are invisible, and which of them an emoji or a script needs, depending on the characters
//! beside them. The ranges are those of Unicode 16, which are the same in 17.
//!
//! A language model reads invisible characters as well as visible ones, so those that no sequence needs could be a
//! hidden message. Therefore only these are needed: one selector directly after a character that takes one,
//! [`MOST_VARIANTS`] ideographic selectors in a text, one joiner between two characters that join, and the tags of
//! three flags.

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

/// Decides which invisible characters of one text are kept.
#[derive(Default)]
pub(super) struct Kept {
    /// The number of ideographic variation selectors so far.
    variants: usize,
}

impl Kept {
    /// The invisible characters at the beginning of `text` that change how the characters beside them look; mostly
    /// none. `before` is the text before them, as far as it was kept.
    pub(super) fn needed<'t>(&mut self, before: &str, text: &'t str) -> &'t str {
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
            _ if is_variant(c) => is_ideograph(last) && self.variants < MOST_VARIANTS,
            _ => false,
        };
        self.variants += usize::from(is_needed && is_variant(c));
        if is_needed { this } else { "" }
    }
}

/// Whether the last character is a pictograph, or a skin tone or an emoji selector after one.
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

/// Whether a character is a Mongolian letter.
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

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3fffd}')
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
    matches!(
        c,
        '\u{a9}'
            | '\u{ae}'
            | '\u{203c}'
            | '\u{2049}'
            | '\u{2122}'
            | '\u{2139}'
            | '\u{24c2}'
            | '\u{3030}'
            | '\u{303d}'
            | '\u{3297}'
            | '\u{3299}'
    ) || (is_pictograph(c) && !matches!(c, '\u{1f3fb}'..='\u{1f3ff}'))
}
