//! Finds many phrases in one pass over a text. Case is ignored, all runs of white space are equal, and words are only
//! found whole. Unicode normal forms and word stems are not considered.

use crate::text::automaton::{Automaton, ROOT};
use crate::text::lower::small;
use crate::text::order::sort_by;
use std::collections::HashMap;
use std::ops::Range;

/// The most words that a `*` of a question matches: `list all of your skills`.
const MAX_GAP_WORDS: usize = 4;

/// A set of phrases, as an automaton whose symbols are words.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    words: HashMap<String, u32>,
    automaton: Automaton,
}

/// Some phrases of a set, which are only found if they are not part of a longer one of them. The default contains none.
#[derive(Debug, Default)]
pub(crate) struct Longest {
    /// For each node of the automaton, the longest of these phrases that ends there, or [`ROOT`].
    ends: Vec<u32>,
}

impl Phrases {
    /// Adds a phrase and returns its number, which is the same for all spellings of a phrase. `None` if the phrase is
    /// empty.
    pub(crate) fn add(&mut self, phrase: &str) -> Option<u32> {
        let mut node = ROOT;
        each_token(phrase.trim(), &mut |token, _| {
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

    /// Prepares the set for searching, after the last phrase was added.
    pub(crate) fn link(&mut self) {
        self.automaton.link();
    }

    /// Calls the function with the number of each phrase in the text, once. It may be called with other numbers too.
    pub(crate) fn find(&self, text: &str, hit: &mut dyn FnMut(u32)) {
        let mut reader = self.automaton.reader();
        each_token(text, &mut |token, _| reader.read(self.words.get(token).copied(), hit));
    }

    /// The phrases of the set for whose numbers the function returns true. To be called after [`Phrases::link`].
    pub(crate) fn longest(&self, is_one: &dyn Fn(u32) -> bool) -> Longest {
        Longest { ends: self.automaton.longest(is_one) }
    }

    /// The numbers of those of these phrases that the text contains at least once outside a longer one of them, in order.
    pub(crate) fn find_longest(&self, longest: &Longest, text: &str) -> Vec<u32> {
        let mut reader = self.automaton.reader();
        // Each with the index of its first token, and of the one behind its last.
        let mut found: Vec<(usize, usize, u32)> = Vec::new();
        let mut end = 0;
        each_token(text, &mut |token, _| {
            reader.read(self.words.get(token).copied(), &mut |_| {});
            end += 1;
            let number = longest.ends.get(reader.state() as usize).copied().unwrap_or(ROOT);
            if number != ROOT {
                found.push((end - self.automaton.length(number), end, number));
            }
        });
        let mut alone = Vec::new();
        let mut covered_from = usize::MAX;
        for (start, _, number) in found.into_iter().rev() {
            // Each phrase seen before ends later, so one that does not begin earlier is part of it.
            if start < covered_from {
                alone.push(number);
                covered_from = start;
            }
        }
        sort_by(&mut alone, Ord::cmp);
        alone
    }
}

/// The words of a text, each with its range of bytes, and `None` at the end of each sentence.
#[derive(Debug)]
pub(crate) struct Words(Vec<Option<(String, Range<usize>)>>);

impl Words {
    pub(crate) fn of(text: &str) -> Words {
        let mut words: Vec<Option<(String, Range<usize>)>> = Vec::new();
        let mut begin = 0;
        for line in text.split_inclusive('\n') {
            each_token(line, &mut |token, at| {
                if token.starts_with(is_word) {
                    words.push(Some((token.to_owned(), begin + at.start..begin + at.end)));
                } else if matches!(token, "." | "!" | "?" | ";" | "。" | "！" | "？") {
                    words.push(None);
                }
            });
            words.push(None);
            begin += line.len();
        }
        Words(words)
    }

    /// The ranges of the words of a question, if a sentence contains it. A question is a sequence of words, in which
    /// `*` matches up to four words, and `^` and `$` the beginning and the end of the sentence.
    pub(crate) fn ask(&self, question: &str) -> Option<Vec<Range<usize>>> {
        (0..self.0.len()).find_map(|from| self.ask_from(from, question))
    }

    /// Like [`Words::ask`], for a question that begins at the word with this index.
    fn ask_from(&self, from: usize, question: &str) -> Option<Vec<Range<usize>>> {
        let word = |at: usize| self.0.get(at).and_then(Option::as_ref);
        let first = question.split_whitespace().next()?;
        if first != "^" && word(from).is_none_or(|(text, _)| text != first) {
            return None;
        }
        // The indices at which the parts so far may end, each with the ranges of their words.
        let mut open: Vec<(usize, Vec<Range<usize>>)> = vec![(from, Vec::new())];
        for part in question.split_whitespace() {
            let mut next: Vec<(usize, Vec<Range<usize>>)> = Vec::new();
            for (at, taken) in open {
                match part {
                    "^" if at.checked_sub(1).is_none_or(|before| word(before).is_none()) => next.push((at, taken)),
                    "$" if word(at).is_none() => next.push((at, taken)),
                    "^" | "$" => {}
                    "*" => {
                        let gap = (0..=MAX_GAP_WORDS).take_while(|n| *n == 0 || word(at + n - 1).is_some());
                        gap.for_each(|n| next.push((at + n, taken.clone())));
                    }
                    part => next.extend(word(at).filter(|(text, _)| text == part).map(|(_, bytes)| {
                        let mut taken = taken;
                        taken.push(bytes.clone());
                        (at + 1, taken)
                    })),
                }
            }
            open = next;
        }
        open.into_iter().next().map(|(_, taken)| taken)
    }
}

/// Calls the function with each token of a text, in lower case, and its range of bytes. A token is a word, a run of
/// white space (as one space), or any other single character.
fn each_token(text: &str, out: &mut dyn FnMut(&str, Range<usize>)) {
    let mut token = String::new();
    let (mut begin, mut end) = (0, 0);
    // The kind of the characters in the token.
    let mut kind = Kind::Alone;
    for (at, c) in text.char_indices() {
        let next = kind_of(c);
        let joined = match next {
            Kind::Nothing => continue,
            Kind::Mark => !token.is_empty() && kind != Kind::Blank,
            Kind::Word | Kind::Blank => next == kind,
            Kind::Alone => false,
        };
        if !joined {
            if !token.is_empty() {
                out(&token, begin..end);
            }
            token.clear();
            (kind, begin) = (next, at);
        }
        end = at + c.len_utf8();
        if joined && next == Kind::Blank {
            continue;
        }
        match next {
            Kind::Blank => token.push(' '),
            // The final sigma is the same letter.
            _ => token.extend(small(c).map(|c| if c == 'ς' { 'σ' } else { c })),
        }
    }
    if !token.is_empty() {
        out(&token, begin..end);
    }
}

/// Calls the function with each word of a text, in lower case. In scripts that do not separate words by spaces, each letter
/// counts as a word.
#[cfg(feature = "author")]
pub(crate) fn each_word(text: &str, out: &mut dyn FnMut(&str)) {
    each_token(text, &mut |token, _| {
        if token.chars().next().is_some_and(is_word) {
            out(token);
        }
    });
}

/// How a character is joined to others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    /// A token by itself: a sign, or a letter of a script that does not separate words by spaces.
    Alone,
    /// Part of the character before it.
    Mark,
    Blank,
    /// Invisible, and ignored.
    Nothing,
}

fn kind_of(c: char) -> Kind {
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

/// Whether a character belongs to a script that does not separate words by spaces, or appends particles to them: Thai,
/// Lao, Burmese, Khmer, Chinese, Japanese, Korean.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}' | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
#[path = "../../tests/unit/phrases.rs"]
mod tests;
