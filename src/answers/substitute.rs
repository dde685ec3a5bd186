//! Inserts the arguments of a call and the variables into the body of a skill, and finds the commands in the body.
//!
//! The body is read once from left to right, and inserted text is not read again (rule 13.1). Commands are found in the
//! body as written, so no argument can add one (rule 13.7). Nothing is run.

mod commands;
mod words;

pub(crate) use words::split_words;

use crate::dialect::{AppendArguments, Substitution};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The most bytes of an argument's name. No real name is longer, and the limit keeps the search for names linear.
const MAX_NAME_BYTES: usize = 128;

/// The most bytes that are inserted. Many placeholders and long arguments could otherwise exhaust the memory.
const MAX_INSERTED_BYTES: usize = 16_777_216;

/// The placeholder of all arguments, after the `$`.
const ALL: &str = "ARGUMENTS";

/// A body with arguments and variables inserted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Substituted {
    pub(crate) text: String,
    /// The commands in `text`.
    pub(crate) commands: Vec<EmbeddedCommand>,
    /// Whether the limit was reached, so that some placeholders were not replaced.
    pub(crate) is_cut: bool,
}

/// A command in a body, as written. The host runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EmbeddedCommand {
    /// The bytes of the text that the command's output replaces.
    pub(crate) at: Range<usize>,
    pub(crate) command: String,
}

/// Inserts arguments and variables into a body. `names` are the names of the arguments, and `variable` returns the value of
/// `${NAME}`. Commands stay as written, as the host passes the arguments to them; but their placeholders count as use of
/// the arguments.
pub(crate) fn substitute(
    rule: &Substitution,
    body: &str,
    args: &str,
    names: &[String],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Substituted {
    let args = if args.trim().is_empty() { "" } else { args };
    let words = split_words(args);
    let names = indices_by_name(rule, names);
    let mut pass = Pass::new(args, &words, &names, variable);
    let found = if rule.commands.is_some() { commands::find(body) } else { Vec::new() };
    let (mut commands, mut from) = (Vec::with_capacity(found.len()), 0);
    // The commands are substituted only to learn which arguments they use.
    let mut in_commands = Pass::new(args, &words, &names, variable);
    for EmbeddedCommand { at, command } in found {
        in_commands.substitute(&command);
        in_commands.out.clear();
        pass.substitute(slice(body, from..at.start));
        let start = pass.out.len();
        pass.out.push_str(slice(body, at.clone()));
        commands.push(EmbeddedCommand { at: start..pass.out.len(), command });
        from = at.end;
    }
    pass.substitute(slice(body, from..body.len()));
    let is_used = match rule.append {
        AppendArguments::UnlessBare => pass.uses_all || in_commands.uses_all,
        AppendArguments::UnlessAny => pass.uses_any || in_commands.uses_any,
    };
    let (mut text, is_cut) = (pass.out, pass.is_cut);
    if !args.is_empty() && !is_used {
        text.push_str(if text.is_empty() { "" } else { "\n\n" });
        text.push_str("ARGUMENTS: ");
        text.push_str(args);
    }
    Substituted { text, commands, is_cut }
}

/// A part of a text. The range comes from a search in the same text.
fn slice(text: &str, range: Range<usize>) -> &str {
    debug_assert!(text.get(range.clone()).is_some(), "{range:?} is not in the text");
    text.get(range).unwrap_or("")
}

/// Replaces the variables of a text and nothing else.
pub(crate) fn expand_variables(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        match braced(after).and_then(|name| Some((name, variable(name)?))) {
            Some((name, value)) => {
                out.push_str(&value);
                rest = after.get(name.len() + 2..).unwrap_or("");
            }
            None => {
                out.push('$');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The index of each named argument. If two have the same name, the first counts.
fn indices_by_name<'n>(rule: &Substitution, names: &'n [String]) -> HashMap<&'n str, usize> {
    let mut places = HashMap::new();
    for (place, name) in names.iter().enumerate().filter(|_| rule.named_arguments) {
        if name.len() <= MAX_NAME_BYTES && name.chars().all(is_of_name) {
            places.entry(name.as_str()).or_insert(place);
        }
    }
    places
}

fn is_of_name(c: char) -> bool {
    c == '-' || is_of_word(c)
}

fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// What may follow a `$`.
enum Placeholder<'t> {
    /// All arguments.
    All,
    /// An argument by its index; `None` for a number that is too large or has a leading zero.
    Index(Option<usize>),
    /// An argument by its name, with its index.
    Named(usize),
    /// A variable.
    Variable(&'t str),
}

/// One reading of a text from left to right.
struct Pass<'p> {
    args: &'p str,
    words: &'p [String],
    names: &'p HashMap<&'p str, usize>,
    variable: &'p dyn Fn(&str) -> Option<String>,
    /// Whether a placeholder of all arguments was replaced.
    uses_all: bool,
    /// Whether a placeholder of any argument was replaced.
    uses_any: bool,
    /// How many more bytes may be inserted.
    remaining_bytes: usize,
    is_cut: bool,
    out: String,
}

impl<'p> Pass<'p> {
    fn new(
        args: &'p str,
        words: &'p [String],
        names: &'p HashMap<&'p str, usize>,
        variable: &'p dyn Fn(&str) -> Option<String>,
    ) -> Pass<'p> {
        Pass {
            args,
            words,
            names,
            variable,
            uses_all: false,
            uses_any: false,
            remaining_bytes: MAX_INSERTED_BYTES,
            is_cut: false,
            out: String::new(),
        }
    }

    /// Appends a text with its placeholders replaced.
    fn substitute(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            rest = after;
            let Some((placeholder, len)) = self.placeholder(after) else {
                self.out.push_str(before);
                self.out.push('$');
                continue;
            };
            let (written, behind) = after.split_at(len);
            rest = behind;
            // `\$1` means `$1`; in `\\$1` the backslash itself is escaped. A variable cannot be escaped.
            let backslashes = before.len() - before.trim_end_matches('\\').len();
            if backslashes % 2 == 1 && !matches!(placeholder, Placeholder::Variable(_)) {
                self.out.push_str(before.strip_suffix('\\').unwrap_or(before));
                self.out.push('$');
                self.out.push_str(written);
                continue;
            }
            self.out.push_str(before);
            self.replace(&placeholder, written);
        }
        self.out.push_str(rest);
    }

    /// Appends the value of a placeholder. One without a value stays as written.
    fn replace(&mut self, placeholder: &Placeholder<'_>, written: &str) {
        let word = |at: usize| self.words.get(at).map(|word| Cow::Borrowed(word.as_str()));
        let value = match placeholder {
            Placeholder::All => Some(Cow::Borrowed(self.args)),
            Placeholder::Index(index) => index.and_then(word),
            Placeholder::Named(place) => Some(word(*place).unwrap_or_default()),
            Placeholder::Variable(name) => (self.variable)(name).map(Cow::Owned),
        };
        let remaining = value.as_ref().and_then(|value| self.remaining_bytes.checked_sub(value.len()));
        self.is_cut |= value.is_some() && remaining.is_none();
        let (Some(value), Some(remaining)) = (value, remaining) else {
            self.out.push('$');
            self.out.push_str(written);
            return;
        };
        self.out.push_str(&value);
        self.remaining_bytes = remaining;
        self.uses_all |= matches!(placeholder, Placeholder::All);
        self.uses_any |= !matches!(placeholder, Placeholder::Variable(_));
    }

    /// The placeholder whose `$` precedes this text, and the number of its bytes in the text.
    fn placeholder<'t>(&self, after: &'t str) -> Option<(Placeholder<'t>, usize)> {
        if let Some(rest) = after.strip_prefix(ALL) {
            let digits = rest.strip_prefix('[').map_or("", digits);
            let is_index = is_canonical(digits) && rest.get(1 + digits.len()..).is_some_and(|end| end.starts_with(']'));
            return Some(match is_index {
                true => (Placeholder::Index(digits.parse().ok()), ALL.len() + digits.len() + 2),
                false => (Placeholder::All, ALL.len()),
            });
        }
        let number = digits(after);
        if !number.is_empty() {
            let index = number.parse().ok().filter(|_| is_canonical(number));
            return Some((Placeholder::Index(index), number.len()));
        }
        if let Some(name) = braced(after) {
            return Some((Placeholder::Variable(name), name.len() + 2));
        }
        let (name, place) = self.named(after)?;
        Some((Placeholder::Named(place), name.len()))
    }

    /// The longest name of an argument that the text begins with, if no letter or digit follows.
    fn named<'t>(&self, after: &'t str) -> Option<(&'t str, usize)> {
        if self.names.is_empty() {
            return None;
        }
        let end = after.char_indices().find(|(at, c)| MAX_NAME_BYTES < *at || !is_of_name(*c)).map(|(at, _)| at);
        let mut name = after.get(..end.unwrap_or(after.len()))?;
        loop {
            let follows = after.get(name.len()..)?.chars().next();
            if let Some(place) = self.names.get(name).filter(|_| !follows.is_some_and(is_of_word)) {
                return Some((name, *place));
            }
            // Only a hyphen can follow a shorter name.
            name = name.get(..name.rfind('-')?)?;
        }
    }
}

/// The digits at the start of a text.
fn digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// Whether digits have no leading zero: `$00` and `$05.00` are not arguments (rule 13.2).
fn is_canonical(digits: &str) -> bool {
    digits == "0" || !digits.is_empty() && !digits.starts_with('0')
}

/// The name of a text that begins with `{NAME}`.
fn braced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let end = inside.find(|c: char| c != '_' && !c.is_ascii_alphanumeric())?;
    let (name, rest) = inside.split_at(end);
    (!name.is_empty() && rest.starts_with('}')).then_some(name)
}

#[cfg(test)]
#[path = "../../tests/unit/substitute.rs"]
mod tests;
