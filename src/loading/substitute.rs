//! Inserts the arguments of a call and the variables into the body of a skill, and finds the commands in the body.
//!
//! The body is read once from left to right, and inserted text is not read again (rule 13.1). Commands are found in the
//! body as written, so no argument can add one (rule 13.7). Nothing is run.

pub(crate) mod commands;
mod words;

#[cfg(test)]
use words::split_words;
pub(crate) use words::{Words, words_of};

use crate::dialect::{AppendArguments, LastPlace, MissingArgument, Permitted, Substitution};
use crate::offer::fill::fill_unescaped;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The most bytes of an argument's name. No real name is longer, and the limit keeps the search for names linear.
pub(crate) const MAX_NAME_BYTES: usize = 128;

/// The most bytes that are inserted. Many placeholders and long arguments could otherwise exhaust the memory.
const MAX_INSERTED_BYTES: usize = 16_777_216;

/// The placeholder of all arguments, after the `$`.
pub(crate) const ALL: &str = "ARGUMENTS";

/// A body with arguments and variables inserted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Substituted {
    pub(crate) text: String,
    /// The commands in `text`.
    pub(crate) commands: Vec<EmbeddedCommand>,
    /// Whether the limit was reached, so that some placeholders were not replaced.
    pub(crate) is_cut: bool,
    /// The byte of `text` at which the arguments begin that were appended; its end if none were.
    pub(crate) appended_at: usize,
    /// Whether a quote in the arguments is not closed, and a placeholder stands for a part of them.
    pub(crate) is_unclosed: bool,
}

impl Substituted {
    /// A body in which nothing is replaced.
    pub(crate) fn unchanged(text: String) -> Substituted {
        Substituted { appended_at: text.len(), text, ..Substituted::default() }
    }
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
    let found = if rule.commands.is_some() { commands::find(body) } else { Vec::new() };
    if args.is_empty() && rule.without_arguments == Permitted::No {
        return Substituted { commands: found, ..Substituted::unchanged(body.to_owned()) };
    }
    let Words { words, is_unclosed } = words_of(rule.words, args);
    let names = indices_by_name(rule, names);
    let mut given = Given { rule, args, words: &words, names: &names, variable, rest: None };
    given.rest = rest(&given, body);
    let mut pass = Pass::new(&given);
    let (mut commands, mut from) = (Vec::with_capacity(found.len()), 0);
    // The commands are substituted only to learn which arguments they use.
    let mut in_commands = Pass::new(&given);
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
    let is_unclosed = is_unclosed && (pass.uses_any || in_commands.uses_any);
    let (mut text, is_cut) = (pass.out, pass.is_cut);
    let appended_at = text.len();
    if !args.is_empty() && !is_used {
        let mut appended = String::new();
        fill_unescaped(&rule.appended, &[("args", args)], &mut appended);
        text.push_str(if text.is_empty() { appended.trim_start_matches('\n') } else { &appended });
    }
    Substituted { text, commands, is_cut, appended_at, is_unclosed }
}

/// Whether a body has commands that the host has to run first.
pub(crate) fn has_commands(rule: &Substitution, body: &str) -> bool {
    rule.commands.is_some() && !commands::find(body).is_empty()
}

/// The highest number of a body, and the arguments that take its place, if it takes all that follow.
fn rest(given: &Given<'_>, body: &str) -> Option<(usize, String)> {
    let highest = match given.rule.last_place {
        LastPlace::Word => return None,
        LastPlace::Rest => given.highest_number(body)?,
    };
    let words = given.words.get(highest.checked_sub(given.rule.first_number)?..)?;
    (!words.is_empty()).then(|| (highest, words.join(" ")))
}

/// What stands in the text instead of a command, if the settings of the client ban commands.
const BANNED: &str = "[shell command execution disabled by policy]";

/// The text with a note in place of each of its commands.
pub(crate) fn without_commands(text: &str, commands: &[EmbeddedCommand]) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for EmbeddedCommand { at, .. } in commands {
        out.push_str(slice(text, from..at.start));
        out.push_str(BANNED);
        from = at.end;
    }
    out.push_str(slice(text, from..text.len()));
    out
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
    for (place, name) in names.iter().enumerate().filter(|_| rule.named_arguments == Permitted::Yes) {
        if name.len() <= MAX_NAME_BYTES && name.chars().all(is_of_name) {
            places.entry(name.as_str()).or_insert(place);
        }
    }
    places
}

pub(crate) fn is_of_name(c: char) -> bool {
    c == '-' || is_of_word(c)
}

pub(crate) fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// What may follow a `$`.
enum Placeholder<'t> {
    /// All arguments.
    All,
    /// An argument by its index, from 0.
    Index(usize),
    /// An argument by its number; `None` for a number with a leading zero, which stands for no argument.
    Number(Option<usize>),
    /// An argument by its name, with its index.
    Named(usize),
    /// A variable.
    Variable(&'t str),
}

/// What placeholders stand for.
struct Given<'g> {
    rule: &'g Substitution,
    args: &'g str,
    words: &'g [String],
    names: &'g HashMap<&'g str, usize>,
    variable: &'g dyn Fn(&str) -> Option<String>,
    /// The number that stands for several arguments, and these.
    rest: Option<(usize, String)>,
}

/// One reading of a text from left to right.
struct Pass<'p> {
    given: &'p Given<'p>,
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
    fn new(given: &'p Given<'p>) -> Pass<'p> {
        Pass {
            given,
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
            let Some((placeholder, len)) = self.given.placeholder(after) else {
                self.out.push_str(before);
                self.out.push('$');
                continue;
            };
            let (written, behind) = after.split_at(len);
            rest = behind;
            if is_escaped(before) && !matches!(placeholder, Placeholder::Variable(_)) {
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
        let given = self.given;
        let value = match placeholder {
            Placeholder::All => Some(Cow::Borrowed(given.args)),
            Placeholder::Index(index) => given.argument(Some(*index)),
            Placeholder::Number(number) => number.and_then(|number| given.numbered(number)),
            Placeholder::Named(place) => Some(given.word(*place).unwrap_or_default()),
            Placeholder::Variable(name) => (given.variable)(name).map(Cow::Owned),
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
}

impl Given<'_> {
    fn word(&self, index: usize) -> Option<Cow<'_, str>> {
        self.words.get(index).map(|word| Cow::Borrowed(word.as_str()))
    }

    /// What a placeholder of this index is replaced by; `None` if it stays as written.
    fn argument(&self, index: Option<usize>) -> Option<Cow<'_, str>> {
        let word = index.and_then(|index| self.word(index));
        match self.rule.missing {
            MissingArgument::AsWritten => word,
            MissingArgument::Removed => Some(word.unwrap_or_default()),
        }
    }

    /// What a placeholder of this number is replaced by; `None` if it stays as written.
    fn numbered(&self, number: usize) -> Option<Cow<'_, str>> {
        match &self.rest {
            Some((highest, rest)) if *highest == number => Some(Cow::Borrowed(rest)),
            Some(_) | None => self.argument(number.checked_sub(self.rule.first_number)),
        }
    }

    /// The highest number of a text.
    fn highest_number(&self, text: &str) -> Option<usize> {
        let mut highest = None;
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            rest = after;
            let Some((placeholder, len)) = self.placeholder(after) else { continue };
            rest = after.get(len..).unwrap_or("");
            match placeholder {
                Placeholder::Number(number) if !is_escaped(before) => highest = highest.max(number),
                _ => {}
            }
        }
        highest
    }

    /// The placeholder whose `$` precedes this text, and the number of its bytes in the text.
    fn placeholder<'t>(&self, after: &'t str) -> Option<(Placeholder<'t>, usize)> {
        if let Some(rest) = after.strip_prefix(ALL) {
            let digits = rest.strip_prefix('[').map_or("", digits);
            let is_index = is_canonical(digits) && rest.get(1 + digits.len()..).is_some_and(|end| end.starts_with(']'));
            return Some(match is_index {
                true => (Placeholder::Index(number(digits)), ALL.len() + digits.len() + 2),
                false => (Placeholder::All, ALL.len()),
            });
        }
        let digits = digits(after);
        if !digits.is_empty() {
            return Some((Placeholder::Number(is_canonical(digits).then(|| number(digits))), digits.len()));
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
pub(crate) fn digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// The number that digits stand for; a number beyond all arguments for one that is too large.
pub(crate) fn number(digits: &str) -> usize {
    digits.parse().unwrap_or(usize::MAX)
}

/// Whether the `$` after this text is escaped: `\$1` means `$1`; in `\\$1` the backslash itself is escaped. A variable
/// cannot be escaped.
pub(crate) fn is_escaped(before: &str) -> bool {
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// Whether digits have no leading zero: `$00` and `$05.00` are not arguments (rule 13.2).
pub(crate) fn is_canonical(digits: &str) -> bool {
    digits == "0" || !digits.is_empty() && !digits.starts_with('0')
}

/// The name of a text that begins with `{NAME}`.
pub(crate) fn braced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let end = inside.find(|c: char| c != '_' && !c.is_ascii_alphanumeric())?;
    let (name, rest) = inside.split_at(end);
    (!name.is_empty() && rest.starts_with('}')).then_some(name)
}

#[cfg(test)]
#[path = "../../tests/unit/substitute.rs"]
mod tests;
