//! In: a body and the arguments of a call. Out: the body with all filled in, in one pass from left to right:
//! nothing that was inserted is scanned again (decisions 33); and where commands stand in it, found in the body as
//! written, so that no argument makes one (decisions 35). Pure: nothing is run.

mod commands;
mod words;

pub(crate) use words::words;

use crate::dialect::{Append, Substitution};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// How many bytes the name of an argument may have: more bounds no real name, and keeps the pass linear.
const NAME_BYTES: usize = 128;

/// How much is put in at most: a body of nothing but placeholders times long arguments would fill any memory.
const MOST_INSERTED_BYTES: usize = 16_777_216;

/// The word that stands for all arguments.
const ALL: &str = "ARGUMENTS";

/// A body with all filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filled {
    pub(crate) text: String,
    pub(crate) marks: Vec<Mark>,
    /// Whether there was too much to put in, so that some placeholders stay as written.
    pub(crate) is_cut: bool,
}

/// A command for the host to run, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The bytes that what it prints takes the place of.
    pub(crate) at: Range<usize>,
    pub(crate) command: String,
}

/// Fills in a body. `names` are those of the arguments; `variable` is the value of `${NAME}`. Commands stay as
/// written: a placeholder in one is the host's to fill in, and counts as one of the body all the same.
pub(crate) fn substitute(
    rule: &Substitution,
    body: &str,
    args: &str,
    names: &[String],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Filled {
    let args = if args.trim().is_empty() { "" } else { args };
    let words = words(args);
    let names = by_name(rule, names);
    let mut pass = Pass::new(args, &words, &names, variable);
    let found = if rule.commands.is_some() { commands::find(body) } else { Vec::new() };
    let (mut marks, mut from) = (Vec::with_capacity(found.len()), 0);
    let mut inside = Pass::new(args, &words, &names, variable);
    for Mark { at, command } in found {
        inside.fill(&command);
        inside.out.clear();
        pass.fill(body.get(from..at.start).unwrap_or(""));
        let start = pass.out.len();
        pass.out.push_str(body.get(at.clone()).unwrap_or(""));
        marks.push(Mark { at: start..pass.out.len(), command });
        from = at.end;
    }
    pass.fill(body.get(from..).unwrap_or(""));
    let is_told = match rule.append {
        Append::UnlessBare => pass.all_stood || inside.all_stood,
        Append::UnlessAny => pass.any_stood || inside.any_stood,
    };
    let (mut text, is_cut) = (pass.out, pass.is_cut);
    if !args.is_empty() && !is_told {
        text.push_str(if text.is_empty() { "" } else { "\n\n" });
        text.push_str("ARGUMENTS: ");
        text.push_str(args);
    }
    Filled { text, marks, is_cut }
}

/// Fills in the variables of a text, and nothing else.
pub(crate) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
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

/// The place of each named argument; of two of one name the first.
fn by_name<'n>(rule: &Substitution, names: &'n [String]) -> HashMap<&'n str, usize> {
    let mut places = HashMap::new();
    for (place, name) in names.iter().enumerate().filter(|_| rule.names) {
        if name.len() <= NAME_BYTES && name.chars().all(is_of_name) {
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

/// What may stand behind a `$`, with its length.
enum Placeholder<'t> {
    /// All arguments.
    All,
    /// One by its number; none for a number beyond all counting, or with a zero before it.
    Index(Option<usize>),
    /// One by its name.
    Named(usize),
    /// A variable.
    Variable(&'t str),
}

struct Pass<'p> {
    args: &'p str,
    words: &'p [String],
    names: &'p HashMap<&'p str, usize>,
    variable: &'p dyn Fn(&str) -> Option<String>,
    /// Whether all arguments have been put in somewhere.
    all_stood: bool,
    /// Whether any argument has.
    any_stood: bool,
    room: usize,
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
            all_stood: false,
            any_stood: false,
            room: MOST_INSERTED_BYTES,
            is_cut: false,
            out: String::new(),
        }
    }

    fn fill(&mut self, text: &str) {
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
            // `\$1` is a `$`; in `\\$1` the backslash is itself escaped. A variable has no escape.
            let backslashes = before.len() - before.trim_end_matches('\\').len();
            if backslashes % 2 == 1 && !matches!(placeholder, Placeholder::Variable(_)) {
                self.out.push_str(before.strip_suffix('\\').unwrap_or(before));
                self.out.push('$');
                self.out.push_str(written);
                continue;
            }
            self.out.push_str(before);
            self.put(&placeholder, written);
        }
        self.out.push_str(rest);
    }

    /// Puts in what a placeholder stands for; what stands for nothing stays as written.
    fn put(&mut self, placeholder: &Placeholder<'_>, written: &str) {
        let word = |at: usize| self.words.get(at).map(|word| Cow::Borrowed(word.as_str()));
        let value = match placeholder {
            Placeholder::All => Some(Cow::Borrowed(self.args)),
            Placeholder::Index(index) => index.and_then(word),
            Placeholder::Named(place) => Some(word(*place).unwrap_or_default()),
            Placeholder::Variable(name) => (self.variable)(name).map(Cow::Owned),
        };
        let room = value.as_ref().and_then(|value| self.room.checked_sub(value.len()));
        self.is_cut |= value.is_some() && room.is_none();
        let (Some(value), Some(room)) = (value, room) else {
            self.out.push('$');
            self.out.push_str(written);
            return;
        };
        self.out.push_str(&value);
        self.room = room;
        self.all_stood |= matches!(placeholder, Placeholder::All);
        self.any_stood |= !matches!(placeholder, Placeholder::Variable(_));
    }

    /// The placeholder whose `$` stands before this text, and how many bytes of the text belong to it.
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
        let end = after.char_indices().find(|(at, c)| NAME_BYTES < *at || !is_of_name(*c)).map(|(at, _)| at);
        let mut name = after.get(..end.unwrap_or(after.len()))?;
        loop {
            let follows = after.get(name.len()..)?.chars().next();
            if let Some(place) = self.names.get(name).filter(|_| !follows.is_some_and(is_of_word)) {
                return Some((name, *place));
            }
            // A shorter name can only end where a hyphen follows.
            name = name.get(..name.rfind('-')?)?;
        }
    }
}

/// The digits that a text begins with.
fn digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// Whether digits are a number as it is written: `$00` and `$05.00` name no argument (observed 3.6).
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
