//! Helps the parser with a tab directly behind the colon of a key, which YAML allows before a scalar and yaml-rust2
//! refuses. The parser reads a space there instead; nothing else depends on which of the two it is.

/// What yaml-rust2 says about such a tab.
pub(super) const REFUSED: &str = "':' must be followed by a valid YAML whitespace";

/// The offsets of the tabs behind colons. A tab before a `- ` stays, as YAML does not allow a list there.
pub(super) fn after_colons(text: &str) -> Vec<usize> {
    let is_found = |(colon, _): &(usize, &str)| {
        let value = text[colon + 1..].trim_start_matches([' ', '\t']);
        !value.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    text.match_indices(":\t").filter(is_found).map(|(colon, _)| colon + 1).collect()
}

/// The text with a space in place of each of these tabs.
pub(super) fn with_spaces(text: &str, tabs: &[usize]) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut copied = 0;
    for &tab in tabs {
        spaced.push_str(&text[copied..tab]);
        spaced.push(' ');
        copied = tab + 1;
    }
    spaced.push_str(&text[copied..]);
    spaced
}
