//! Splits the arguments of a call into words.

use crate::dialect::ArgumentWords;

/// The arguments of a call as words.
pub(crate) struct Words {
    pub(crate) words: Vec<String>,
    /// Whether a quote is not closed.
    pub(crate) is_unclosed: bool,
}

/// Splits a text into words by this rule. In a shell's words an unclosed quote is an ordinary character.
pub(crate) fn words_of(rule: ArgumentWords, text: &str) -> Words {
    match rule {
        ArgumentWords::Shell => Words { words: split_words(text), is_unclosed: false },
        ArgumentWords::Quoted => split_quoted(text),
    }
}

/// Splits a text by white space outside of quotes. An unclosed quote reaches to the end.
fn split_quoted(text: &str) -> Words {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '"') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, '\'') if word.is_none() => {
                word = Some(String::new());
                quote = Some(c);
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Words { words, is_unclosed: quote.is_some() }
}

/// Splits a text into words as a shell does, by white space outside of quotes (rule 13.2). Unlike in a shell, an
/// unclosed quote is an ordinary character, as a user may type an apostrophe. Nothing is expanded.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text;
    // After one unclosed double quote there is no search for others, so that the time stays linear.
    let mut may_close = true;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        rest = after;
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\\' => {
                let next = after.chars().next();
                word.push(next.unwrap_or('\\'));
                rest = after.get(next.map_or(0, char::len_utf8)..).unwrap_or("");
            }
            '\'' => match after.split_once('\'') {
                Some((inside, behind)) => {
                    word.push_str(inside);
                    rest = behind;
                }
                None => word.push('\''),
            },
            '"' if may_close => match quoted(after, word) {
                Some(behind) => rest = behind,
                None => {
                    may_close = false;
                    word.push('"');
                }
            },
            c => word.push(c),
        }
    }
    words.extend(word);
    words
}

/// Appends the text before the closing quote to the word, and returns the text after it. Appends nothing and returns `None`
/// if there is no closing quote.
fn quoted<'t>(text: &'t str, word: &mut String) -> Option<&'t str> {
    let mut inside = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                word.push_str(&inside);
                return text.get(at + 1..);
            }
            '\\' => match chars.next_if(|(_, next)| matches!(next, '"' | '\\' | '$' | '`')) {
                Some((_, next)) => inside.push(next),
                None => inside.push('\\'),
            },
            c => inside.push(c),
        }
    }
    None
}
