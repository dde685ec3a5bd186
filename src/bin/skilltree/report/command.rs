//! In: where this command looked, and the words of another. Out: that command, which looks at the same places.
//! Absent: what to suggest.

use crate::args::Where;
use skilltree::visible;

/// The command as it is typed into a shell. With a control character in a word it can only be read.
pub(crate) fn command_line(place: &Where, words: &[&str]) -> String {
    let mut line: Vec<String> = same_places(place).iter().map(|word| quoted(word)).collect();
    line.extend(words.iter().map(|word| quoted(word)));
    visible(&line.join(" ")).into_owned()
}

/// A word that the shell takes as it stands, in quotes where it needs them.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The words that look at the same places again.
pub(crate) fn same_places(place: &Where) -> Vec<String> {
    let single = [
        ("dialect", &place.dialect),
        ("project", &place.project),
        ("home", &place.home),
        ("bundled", &place.bundled),
        ("config", &place.config),
        ("user", &place.user),
        ("active", &place.active),
        ("mount", &place.mount),
    ];
    let many = [
        ("register", &place.register),
        ("root", &place.root),
        ("enable", &place.enable),
        ("disable", &place.disable),
        ("permission", &place.permission),
        ("reserved", &place.reserved),
    ];
    let mut words = vec!["skilltree".to_owned()];
    words.extend(single.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("--{name}={value}"))));
    words.extend(many.iter().flat_map(|(name, values)| values.iter().map(move |value| format!("--{name}={value}"))));
    words.extend(
        [("only-roots", place.only_roots), ("trust", place.trust), ("follow-links-out", place.follow_links_out)]
            .iter()
            .filter(|(_, on)| *on)
            .map(|(name, _)| format!("--{name}")),
    );
    words
}
