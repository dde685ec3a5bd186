//! In: a character and those beside it. Out: whether it hides from a reader, and whether a joiner is needed there.
//! Tables of Unicode 16. Variation selectors and the number signs of Arabic are seen, and so not among them.

/// Format characters (category Cf) that show nothing, or turn the direction of what follows.
pub(super) fn hides(c: char) -> bool {
    matches!(c,
        '\u{ad}'                        // soft hyphen
        | '\u{61c}'                     // Arabic letter mark
        | '\u{180e}'                    // Mongolian vowel separator
        | '\u{200b}'..='\u{200f}'       // zero-width space, joiners, direction marks
        | '\u{202a}'..='\u{202e}'       // embeddings and overrides
        | '\u{2060}'..='\u{206f}'       // word joiner, invisible operators, isolates, deprecated ones
        | '\u{feff}'                    // byte order mark
        | '\u{fff9}'..='\u{fffb}'       // interlinear annotation
        | '\u{1bca0}'..='\u{1bca3}'     // shorthand format controls
        | '\u{1d173}'..='\u{1d17a}'     // musical beams and slurs
        | '\u{e0000}'..='\u{e007f}'     // tags
    )
}

/// What stands before the next character, of those that were kept: so that a text cleaned twice is the
/// text cleaned once.
#[derive(Default)]
pub(super) struct Neighbours {
    last: Option<char>,
    /// The last is a pictograph, or a variation selector or skin tone after one.
    pictograph: bool,
}

impl Neighbours {
    pub(super) fn push(&mut self, c: char) {
        self.last = Some(c);
        if !matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}') {
            self.pictograph = is_pictograph(c);
        }
    }

    /// Whether a joiner `c` changes how the characters on both sides of it look.
    pub(super) fn need(&self, c: char, next: Option<char>) -> bool {
        let (Some(last), Some(next)) = (self.last, next) else {
            return false;
        };
        match c {
            '\u{200c}' => joins(last) && joins(next),
            '\u{200d}' => (joins(last) && joins(next)) || (self.pictograph && is_pictograph(next)),
            '\u{180e}' => is_mongolian(last) && is_mongolian(next),
            _ => false,
        }
    }
}

/// A letter or mark of a script whose letters change with a joiner between them.
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
    matches!(c, '\u{1807}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{1820}'..='\u{18aa}')
}

/// What may be part of an emoji sequence, by block: a joiner between two others of these does no harm.
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
