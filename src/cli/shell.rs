//! Quotes words for the shells into which people paste commands.

use skilltree::visible;
use std::borrow::Cow;

/// A shell that commands are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shell {
    /// `sh` and its relatives.
    Posix,
    /// PowerShell, which people have on Windows.
    PowerShell,
}

impl Shell {
    /// The shell that people use on this system.
    pub(crate) fn of_system() -> Shell {
        if cfg!(windows) { Shell::PowerShell } else { Shell::Posix }
    }

    /// A text as one word. The result contains no invisible characters and no backticks, as commands are shown in
    /// backticks.
    pub(crate) fn word(self, text: &str) -> String {
        let plain = match self {
            Shell::Posix => "_-./:@%+=,",
            // A comma separates the items of a list, and `@` begins an expression.
            Shell::PowerShell => r"_-./\:%+=",
        };
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || plain.contains(c) || (c.is_alphanumeric() && !c.is_ascii());
        if !text.is_empty() && text.chars().all(is_plain) {
            return text.to_owned();
        }
        match self {
            Shell::Posix if text.chars().all(is_shown) => format!("'{}'", text.replace('\'', r"'\''")),
            Shell::Posix => posix_escaped(text),
            Shell::PowerShell => power_shell_quoted(text),
        }
    }
}

/// Whether a character can stand in quotes as it is.
fn is_shown(c: char) -> bool {
    c != '`' && matches!(visible(c.encode_utf8(&mut [0; 4])), Cow::Borrowed(_))
}

fn posix_escaped(text: &str) -> String {
    let mut format = String::new();
    for c in text.chars() {
        match c {
            '%' => format.push_str("%%"),
            '\\' => format.push_str(r"\\"),
            // `printf` would take a leading hyphen for an option.
            '-' if !format.is_empty() => format.push(c),
            c if c != '\'' && c != '-' && is_shown(c) => format.push(c),
            c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| format.push_str(&format!("\\{byte:03o}"))),
        }
    }
    format!("\"$(printf '{format}')\"")
}

/// Single quotes, and for what cannot stand in them an expression that joins the parts.
fn power_shell_quoted(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            // PowerShell takes these for an apostrophe too.
            '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => shown.extend([c, c]),
            c if is_shown(c) => shown.push(c),
            c => {
                if !shown.is_empty() {
                    parts.push(format!("'{}'", std::mem::take(&mut shown)));
                }
                parts.push(format!("[char]::ConvertFromUtf32(0x{:x})", u32::from(c)));
            }
        }
    }
    if parts.is_empty() || !shown.is_empty() {
        parts.push(format!("'{shown}'"));
    }
    match parts.as_slice() {
        [quoted] if quoted.starts_with('\'') => quoted.clone(),
        parts => format!("({})", parts.join(" + ")),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/shell.rs"]
mod tests;
