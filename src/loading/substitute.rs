//! Inserts the arguments of a call and the variables into the body of a skill, and finds the commands in the body.
//!
//! The body is read once from left to right, and inserted text is not read again (rule 13.1). Commands are found in the
//! body as written, so no argument can add one (rule 13.7). Nothing is run.

use crate::dialect::{AppendArguments, ArgumentWords, LastPlace, MissingArgument, Permitted, Substitution};
use crate::offer::fill::{between, fill_unescaped};
use std::borrow::Cow;
use std::collections::HashMap;
use std::iter;
use std::ops::Range;

/// The most bytes of an argument's name. No real name is longer, and the limit keeps the search for names linear.
pub(crate) const MAX_NAME_BYTES: usize = 128;

/// The most bytes that are inserted. Many placeholders and long arguments could otherwise exhaust the memory.
const MAX_INSERTED_BYTES: usize = 16_777_216;

/// The placeholder of all arguments, after the `$`.
pub(crate) const ALL: &str = "ARGUMENTS";

/// What stands in the text instead of a command, if the settings of the client ban commands.
const BANNED: &str = "[shell command execution disabled by policy]";

/// The lines around a command of several lines.
const OPEN: &str = "```!";
const CLOSE: &str = "```";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Substituted {
    pub(crate) text: String,
    pub(crate) commands: Vec<EmbeddedCommand>,
    /// Whether the limit was reached, so that some placeholders were not replaced.
    pub(crate) is_incomplete: bool,
    /// The byte of `text` at which the arguments begin that were appended; its end if none were.
    pub(crate) appended_at: usize,
    /// Whether a quote in the arguments is not closed, and a placeholder stands for a part of them.
    pub(crate) is_unclosed: bool,
}

impl Substituted {
    pub(crate) fn unchanged(text: String) -> Substituted {
        Substituted { appended_at: text.len(), text, ..Substituted::default() }
    }

    /// Puts a note in place of each command.
    pub(crate) fn ban_commands(&mut self) {
        // What was appended stands behind all commands.
        let appended = self.text.len() - self.appended_at;
        let commands = std::mem::take(&mut self.commands);
        self.text = between(&self.text, commands.into_iter().map(|command| command.at)).join(BANNED);
        self.appended_at = self.text.len() - appended;
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
    let found = if rule.commands.is_some() { find_commands(body) } else { Vec::new() };
    if args.is_empty() && rule.without_arguments == Permitted::No {
        return Substituted { commands: found, ..Substituted::unchanged(body.to_owned()) };
    }
    let Words { words, is_unclosed } = words_of(rule.words, args);
    let mut given = Given { rule, args, words: &words, names: HashMap::new(), variable, rest: None };
    if rule.named_arguments == Permitted::Yes {
        for (index, name) in names.iter().enumerate() {
            if name.len() <= MAX_NAME_BYTES && name.chars().all(is_of_name) {
                given.names.entry(name).or_insert(index);
            }
        }
    }
    given.rest = given.rest(body);
    let mut pass = Pass::new(&given);
    let mut commands = Vec::with_capacity(found.len());
    // The commands are substituted only to learn which arguments they use.
    let mut in_commands = Pass::new(&given);
    let pieces = between(body, found.iter().map(|command| command.at.clone()));
    let mut found = found.into_iter();
    for piece in pieces {
        pass.substitute(piece);
        if let Some(EmbeddedCommand { at, command }) = found.next() {
            in_commands.substitute(&command);
            in_commands.out.clear();
            let start = pass.out.len();
            pass.out.push_str(body.get(at).unwrap_or_default());
            commands.push(EmbeddedCommand { at: start..pass.out.len(), command });
        }
    }
    let uses_any = pass.uses_any || in_commands.uses_any;
    let is_used = match rule.append {
        AppendArguments::UnlessBare => pass.uses_all || in_commands.uses_all,
        AppendArguments::UnlessAny => uses_any,
    };
    let (mut text, is_incomplete) = (pass.out, pass.is_incomplete);
    let appended_at = text.len();
    if !args.is_empty() && !is_used {
        let mut appended = String::new();
        fill_unescaped(&rule.appended, &[("args", args)], &mut appended);
        text.push_str(if text.is_empty() { appended.trim_start_matches('\n') } else { &appended });
    }
    Substituted { text, commands, is_incomplete, appended_at, is_unclosed: is_unclosed && uses_any }
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

struct Found<'t> {
    placeholder: Placeholder<'t>,
    /// The text before its `$`.
    before: &'t str,
    /// What follows the `$`, as it is written.
    written: &'t str,
    after: &'t str,
}

struct Given<'g> {
    rule: &'g Substitution,
    args: &'g str,
    words: &'g [String],
    /// The index of each named argument. If two have the same name, the first counts.
    names: HashMap<&'g str, usize>,
    variable: &'g dyn Fn(&str) -> Option<String>,
    /// The number that stands for several arguments, and these.
    rest: Option<(usize, String)>,
}

struct Pass<'p> {
    given: &'p Given<'p>,
    /// Whether a placeholder of all arguments was replaced.
    uses_all: bool,
    /// Whether a placeholder of any argument was replaced.
    uses_any: bool,
    remaining_bytes: usize,
    is_incomplete: bool,
    out: String,
}

impl<'p> Pass<'p> {
    fn new(given: &'p Given<'p>) -> Pass<'p> {
        let (remaining_bytes, out) = (MAX_INSERTED_BYTES, String::new());
        Pass { given, uses_all: false, uses_any: false, remaining_bytes, is_incomplete: false, out }
    }

    /// Appends a text with its placeholders replaced. One without a value stays as written.
    fn substitute(&mut self, text: &str) {
        let mut rest = text;
        while let Some(Found { placeholder, before, written, after }) = self.given.next(rest) {
            rest = after;
            let is_variable = matches!(placeholder, Placeholder::Variable(_));
            let is_escaped = is_escaped(before) && !is_variable;
            self.out.push_str(before.strip_suffix('\\').filter(|_| is_escaped).unwrap_or(before));
            let value = if is_escaped { None } else { self.given.value(&placeholder) };
            let remaining = value.as_ref().and_then(|value| self.remaining_bytes.checked_sub(value.len()));
            self.is_incomplete |= value.is_some() && remaining.is_none();
            let (Some(value), Some(remaining)) = (value, remaining) else {
                self.out.push('$');
                self.out.push_str(written);
                continue;
            };
            self.out.push_str(&value);
            self.remaining_bytes = remaining;
            self.uses_all |= matches!(placeholder, Placeholder::All);
            self.uses_any |= !is_variable;
        }
        self.out.push_str(rest);
    }
}

impl<'g> Given<'g> {
    /// The highest number of a body, and the arguments that take its place, if it takes all that follow.
    fn rest(&self, body: &str) -> Option<(usize, String)> {
        if self.rule.last_place == LastPlace::Word {
            return None;
        }
        let found = iter::successors(self.next(body), |found| self.next(found.after));
        let numbers = found.filter(|found| !is_escaped(found.before)).filter_map(|found| match found.placeholder {
            Placeholder::Number(number) => number,
            _ => None,
        });
        let highest = numbers.max()?;
        let words = self.words.get(highest.checked_sub(self.rule.first_number)?..)?;
        (!words.is_empty()).then(|| (highest, words.join(" ")))
    }

    /// What a placeholder is replaced by; `None` if it stays as written.
    fn value(&self, placeholder: &Placeholder<'_>) -> Option<Cow<'_, str>> {
        let (index, is_named) = match *placeholder {
            Placeholder::All => return Some(Cow::Borrowed(self.args)),
            Placeholder::Variable(name) => return (self.variable)(name).map(Cow::Owned),
            Placeholder::Number(number) => {
                let number = number?;
                if let Some((_, rest)) = self.rest.as_ref().filter(|(highest, _)| *highest == number) {
                    return Some(Cow::Borrowed(rest));
                }
                (number.checked_sub(self.rule.first_number), false)
            }
            Placeholder::Index(index) => (Some(index), false),
            Placeholder::Named(index) => (Some(index), true),
        };
        let word = index.and_then(|index| self.words.get(index)).map(|word| Cow::Borrowed(word.as_str()));
        let is_removed = is_named || self.rule.missing == MissingArgument::Removed;
        if is_removed { Some(word.unwrap_or_default()) } else { word }
    }

    /// The next placeholder of a text.
    fn next<'t>(&self, text: &'t str) -> Option<Found<'t>> {
        let mut from = 0;
        loop {
            let at = from + text.get(from..)?.find('$')?;
            from = at + 1;
            let after = text.get(from..)?;
            if let Some((placeholder, len)) = self.placeholder(after) {
                let (written, after) = after.split_at(len);
                return Some(Found { placeholder, before: text.get(..at)?, written, after });
            }
        }
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

pub(crate) fn is_of_name(c: char) -> bool {
    c == '-' || is_of_word(c)
}

pub(crate) fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

pub(crate) struct Words {
    pub(crate) words: Vec<String>,
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

/// Splits a text into words as a shell does, by white space outside of quotes (rule 13.4). Unlike in a shell, an
/// unclosed quote is an ordinary character, as a user may type an apostrophe. Nothing is expanded.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    // After one unclosed double quote there is no search for others, so that the time stays linear.
    let mut may_close = true;
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\\' => word.push(chars.next().unwrap_or('\\')),
            '\'' => match chars.as_str().split_once('\'') {
                Some((inside, behind)) => {
                    word.push_str(inside);
                    chars = behind.chars();
                }
                None => word.push('\''),
            },
            '"' if may_close => match quoted(chars.as_str()) {
                Some((inside, behind)) => {
                    word.push_str(&inside);
                    chars = behind.chars();
                }
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

/// What is before the closing double quote, and the text after it; `None` if there is no closing quote.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut inside = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Some((inside, chars.as_str())),
            '\\' if chars.as_str().starts_with(['"', '\\', '$', '`']) => inside.extend(chars.next()),
            c => inside.push(c),
        }
    }
    None
}

/// The commands in the body of a skill, in order (rule 13.7): `` !`command` `` at the start of a line or after white space,
/// and the lines between ` ```! ` and the next ` ``` `. Its lines end with LF.
pub(crate) fn find_commands(body: &str) -> Vec<EmbeddedCommand> {
    let mut commands = Vec::new();
    let mut at = 0;
    // After one fence without an end there is no search for others, so that the time stays linear.
    let mut may_close = true;
    while let Some(line) = body.get(at..).and_then(|rest| rest.split_inclusive('\n').next()) {
        if may_close && line.trim() == OPEN {
            if let Some((command, next)) = fenced(body, at, line) {
                commands.extend(command);
                at = next;
                continue;
            }
            may_close = false;
        }
        inline(line, at, &mut commands);
        at += line.len();
    }
    commands
}

/// The command of the fence that starts with this line (`None` if it is blank), and the byte after the fence. Returns
/// `None` if the fence has no end.
fn fenced(body: &str, at: usize, line: &str) -> Option<(Option<EmbeddedCommand>, usize)> {
    let start = at + (line.len() - line.trim_start().len());
    let inside = at + line.len();
    let mut end = inside;
    for line in body.get(inside..)?.split_inclusive('\n') {
        if line.trim() == CLOSE {
            let command = body.get(inside..end)?;
            let command = command.strip_suffix('\n').unwrap_or(command);
            let found = EmbeddedCommand { at: start..end + line.trim_end().len(), command: command.to_owned() };
            return Some(((!command.trim().is_empty()).then_some(found), end + line.len()));
        }
        end += line.len();
    }
    None
}

/// Finds the commands in a line, which starts at this byte of the body.
fn inline(line: &str, start: usize, commands: &mut Vec<EmbeddedCommand>) {
    let mut from = 0;
    while let Some(found) = line.get(from..).and_then(|rest| rest.find("!`")) {
        let at = from + found;
        from = at + 2;
        let stands_apart =
            line.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        if !stands_apart {
            continue;
        }
        let Some((command, _)) = line.get(from..).and_then(|rest| rest.split_once('`')) else { return };
        if !command.trim().is_empty() {
            from += command.len() + 1;
            commands.push(EmbeddedCommand { at: start + at..start + from, command: command.to_owned() });
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/substitute.rs"]
mod tests;
