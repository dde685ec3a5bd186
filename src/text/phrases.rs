//! In: many phrases, then a text. Out: which of them stand in it, in one pass over the text. Letter case does not
//! count, a run of white space is one blank, and a word is only found whole.
//! Absent: normal forms, stems, and regular expressions.

use crate::gather::Gather;
use crate::map::HashMap;
use crate::text::automaton::{Automaton, ROOT};
use crate::text::lower::small;

/// How many other words a `*` of a question stands for at most: `list all of your skills`.
const MAX_GAP_WORDS: usize = 4;

/// A set of phrases, as one automaton over words.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    words: HashMap<String, u32>,
    automaton: Automaton,
}

impl Phrases {
    /// Adds a phrase: its number, the same for the same phrase in another spelling; none for one without content.
    pub(crate) fn add(&mut self, phrase: &str) -> Option<u32> {
        let mut node = ROOT;
        each_token(phrase.trim(), &mut |token| {
            let word = match self.words.get(token) {
                Some(word) => *word,
                None => {
                    let word = self.words.len() as u32;
                    self.words.insert(token.to_owned(), word);
                    word
                }
            };
            node = self.automaton.add(node, word);
        });
        (node != ROOT).then_some(node)
    }

    /// Makes the set ready, after the last phrase.
    pub(crate) fn link(&mut self) {
        self.automaton.link();
    }

    /// Calls with the numbers of the phrases that stand in the text, each once. Other numbers may come too.
    pub(crate) fn find(&self, text: &str, hit: &mut dyn FnMut(u32)) {
        let mut reader = self.automaton.reader();
        each_token(text, &mut |token| reader.read(self.words.get(token).copied(), hit));
    }
}

/// The words of a text, and where its sentences end.
#[derive(Debug)]
pub(crate) struct Words(Vec<Option<String>>);

impl Words {
    pub(crate) fn of(text: &str) -> Words {
        let mut words: Vec<Option<String>> = Vec::new();
        for line in text.lines() {
            each_token(line, &mut |token| {
                if token.starts_with(is_word) {
                    words.push(Some(token.to_owned()));
                } else if matches!(token, "." | "!" | "?" | ";" | "。" | "！" | "？") {
                    words.push(None);
                }
            });
            words.push(None);
        }
        Words(words)
    }

    /// Whether a sentence holds the question: its words in a row, `*` for up to four others.
    pub(crate) fn ask(&self, question: &str) -> bool {
        // The places at which the next word may stand.
        let mut open = vec![true; self.0.len() + 1];
        for part in question.split_whitespace() {
            let before = std::iter::once(&None).chain(&self.0);
            if part == "*" {
                let mut left: Option<usize> = None;
                for (place, word) in open.iter_mut().zip(before) {
                    left = if word.is_some() { left.and_then(|left| left.checked_sub(1)) } else { None };
                    if *place {
                        left = Some(MAX_GAP_WORDS);
                    }
                    *place = left.is_some();
                }
            } else {
                let was = std::iter::once(false).chain(open);
                open = was.zip(before).map(|(was, word)| was && word.as_deref() == Some(part)).gather();
            }
        }
        open.contains(&true)
    }
}

/// Cuts a text where a phrase may begin or end: words; all other characters by themselves; runs of white space as
/// one blank. In lower case.
fn each_token(text: &str, out: &mut dyn FnMut(&str)) {
    let mut token = String::new();
    // What may still be joined to the token.
    let mut kind = Kind::Alone;
    for c in text.chars() {
        let next = sort(c);
        let joined = match next {
            Kind::Nothing => continue,
            Kind::Mark => !token.is_empty() && kind != Kind::Blank,
            Kind::Word | Kind::Blank => next == kind,
            Kind::Alone => false,
        };
        if !joined {
            if !token.is_empty() {
                out(&token);
            }
            token.clear();
            kind = next;
        } else if next == Kind::Blank {
            continue;
        }
        match next {
            Kind::Blank => token.push(' '),
            // One letter, whatever its place in a word.
            _ => token.extend(small(c).map(|c| if c == 'ς' { 'σ' } else { c })),
        }
    }
    if !token.is_empty() {
        out(&token);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Part of a word.
    Word,
    /// By itself: a sign, or a letter of a script that does not set words apart by blanks.
    Alone,
    /// Belongs to what stands before it.
    Mark,
    Blank,
    /// Not seen by a reader.
    Nothing,
}

fn sort(c: char) -> Kind {
    match c {
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => Kind::Nothing,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' => Kind::Mark,
        '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}' | '\u{fe20}'..='\u{fe2f}' => Kind::Mark,
        _ if c.is_whitespace() => Kind::Blank,
        _ if is_word(c) && !is_unspaced(c) => Kind::Word,
        _ => Kind::Alone,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Letters of scripts whose words are not set apart by blanks, or carry particles: Thai, Lao, Burmese, Khmer,
/// Chinese, Japanese, Korean.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}' | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
#[path = "../../tests/unit/phrases.rs"]
mod tests;
