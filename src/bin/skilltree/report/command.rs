//! In: where this command looked, and the words of another. Out: that command, which looks at the same places.
//! Absent: what to suggest.

use super::stub;
use crate::args::Where;
use skilltree::visible;

/// The command as it is typed into a shell, but for `--trust`, which is for the user to give each time. With a control
/// character in a word it can only be read.
pub(crate) fn command_line(place: &Where, words: &[&str]) -> String {
    let mut line = vec!["skilltree".to_owned()];
    line.extend(words.iter().map(|word| quoted(word)));
    for option in stub::command(place).iter().skip(1).filter(|option| *option != "--trust") {
        match option.split_once('=') {
            // Of a separate word that begins with a hyphen it is not clear whether it is a value.
            Some((name, value)) if !value.starts_with('-') => line.extend([name.to_owned(), quoted(value)]),
            _ => line.push(quoted(option)),
        }
    }
    visible(&line.join(" ")).into_owned()
}

/// A word as the shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
