//! In: the text of the arguments. Out: the words that a shell would split it into (decisions 33): quotes and
//! backslashes join, a quote without its partner is a character. Absent: expansion of any kind.

/// The words of a text.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text;
    // Once a double quote has no partner no later one is looked for, so that the whole stays linear.
    let mut may_pair = true;
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
            '"' if may_pair => match quoted(after, word) {
                Some(behind) => rest = behind,
                None => {
                    may_pair = false;
                    word.push('"');
                }
            },
            c => word.push(c),
        }
    }
    words.extend(word);
    words
}

/// Adds what stands before the closing quote to the word; what follows it. None, and nothing added, without one.
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
