//! Translates a body (rule 27.3). It is read by the rule of one dialect into plain text and placeholders, and these are
//! written so that the other dialect reads the same. Commands that the target does not run are listed, and nothing becomes
//! a command that is none in the source.

use super::{Loss, Original};
use crate::dialect::{
    AppendArguments, Dialect, FieldRole, LastPlace, MissingArgument, NamedVariable, Permitted, Substitution, Variable,
};
use crate::loading::substitute::find_commands;
use crate::loading::substitute::{
    ALL, MAX_NAME_BYTES, braced, digits, is_canonical, is_escaped, is_of_name, is_of_word, number,
};
use crate::text::escape::visible;
use crate::text::list::quoted;

const MAX_NAMED: usize = 3;

enum Part<'t> {
    Plain(String),
    /// A placeholder, and how it is written.
    Placeholder(Placeholder<'t>, &'t str),
}

#[derive(Clone, Copy)]
enum Placeholder<'t> {
    All,
    /// An argument by its index, as `$ARGUMENTS[N]`.
    Index,
    /// An argument by the number of its place; its index. `None` for a number that no argument has.
    Number(Option<usize>),
    /// A number below that of the first argument, which is removed like one whose argument is not given.
    Removed,
    /// An argument by its name; its index.
    Named(usize),
    Variable(&'t str, Variable),
}

/// How a dialect reads a body. A dialect that replaces nothing has no rule.
#[derive(Clone, Copy)]
struct Reader<'d> {
    rule: Option<&'d Substitution>,
    /// Whether the rule counts only for a body that a command gives, and not if a model loads the skill.
    is_for_commands: bool,
    names: &'d [String],
}

impl<'d> Reader<'d> {
    fn new(dialect: &'d Dialect, names: &'d [String]) -> Reader<'d> {
        let in_command = || dialect.commands.as_ref().and_then(|commands| commands.substitution.as_ref());
        let loaded = dialect.load.substitution.as_ref();
        let rule = loaded.or_else(in_command);
        let is_for_commands = loaded.is_none() && rule.is_some();
        Reader {
            rule,
            is_for_commands,
            names: if rule.is_some_and(|rule| rule.named_arguments == Permitted::Yes) { names } else { &[] },
        }
    }

    fn runs_commands(&self) -> bool {
        self.rule.is_some_and(|rule| rule.commands.is_some())
    }

    /// Whether a body stays as written if there are no arguments, backslashes included.
    fn keeps_without_arguments(&self) -> bool {
        self.rule.is_some_and(|rule| rule.without_arguments == Permitted::No)
    }

    /// The placeholder whose `$` precedes this text, and the number of its bytes in the text.
    fn placeholder<'t>(&self, after: &'t str) -> Option<(Placeholder<'t>, usize)> {
        let rule = self.rule?;
        if let Some(rest) = after.strip_prefix(ALL) {
            let index = rest.strip_prefix('[').map_or("", digits);
            let is_index = is_canonical(index) && rest.get(1 + index.len()..).is_some_and(|end| end.starts_with(']'));
            return Some(match is_index {
                true => (Placeholder::Index, ALL.len() + index.len() + 2),
                false => (Placeholder::All, ALL.len()),
            });
        }
        let digits = digits(after);
        if !digits.is_empty() {
            let index = is_canonical(digits).then(|| number(digits).checked_sub(rule.first_number));
            let placeholder = match (index, rule.missing) {
                (Some(None), MissingArgument::Removed) => Placeholder::Removed,
                (index, _) => Placeholder::Number(index.flatten()),
            };
            return Some((placeholder, digits.len()));
        }
        if let Some(name) = braced(after) {
            let variable = rule.variables.iter().find(|known| known.name == name)?.is;
            return Some((Placeholder::Variable(name, variable), name.len() + 2));
        }
        self.named(after).map(|(place, len)| (Placeholder::Named(place), len))
    }

    /// The index of the argument with the longest name that the text begins with, and the length of the name.
    fn named(&self, after: &str) -> Option<(usize, usize)> {
        let is_name = |name: &str| name.len() <= MAX_NAME_BYTES && !name.is_empty() && name.chars().all(is_of_name);
        let begins = |name: &str| {
            let rest = after.strip_prefix(name);
            rest.is_some_and(|rest| !rest.starts_with(is_of_word))
        };
        let found = self.names.iter().enumerate().filter(|(_, name)| is_name(name) && begins(name));
        found.rev().max_by_key(|(_, name)| name.len()).map(|(place, name)| (place, name.len()))
    }

    /// Calls `take` with each placeholder in a text: the text before it, and how it is written. Returns the text after the
    /// last one.
    fn each<'t>(&self, text: &'t str, mut take: impl FnMut(&'t str, Placeholder<'t>, &'t str)) -> &'t str {
        let (mut rest, mut searched) = (text, 0);
        while let Some(found) = rest.get(searched..).and_then(|ahead| ahead.find('$')) {
            let at = searched + found;
            let (before, from_sign) = rest.split_at(at);
            searched = at + 1;
            if let Some((placeholder, len)) = from_sign.get(1..).and_then(|after| self.placeholder(after)) {
                let (written, after) = from_sign.split_at(1 + len);
                take(before, placeholder, written);
                (rest, searched) = (after, 0);
            }
        }
        rest
    }

    /// Reads a body into its parts. Of an escaped placeholder the backslash is not a part of the text; all of them are
    /// added to `escaped`.
    fn parts<'t>(&self, body: &'t str, escaped: &mut Seen) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let rest = self.each(body, |before, placeholder, written| {
            plain.push_str(before);
            if is_escaped(before) && !matches!(placeholder, Placeholder::Variable(..)) {
                escaped.add(&format!("\\{written}"));
                plain.pop();
                plain.push_str(written);
            } else if matches!(placeholder, Placeholder::Number(None)) {
                plain.push_str(written);
            } else {
                parts.push(Part::Plain(std::mem::take(&mut plain)));
                parts.push(Part::Placeholder(placeholder, written));
            }
        });
        plain.push_str(rest);
        parts.push(Part::Plain(plain));
        parts
    }
}

/// Things of one kind that are lost, each named once.
#[derive(Default)]
struct Seen(Vec<String>);

impl Seen {
    fn add(&mut self, what: &str) {
        let what = visible(what);
        if !self.0.iter().any(|seen| *seen == what) {
            self.0.push(what.into_owned());
        }
    }

    /// Adds a loss whose reason begins with the names of these things.
    fn report(&self, lost: &mut Vec<Loss>, reason: &str) {
        let named = self.0.get(..MAX_NAMED).unwrap_or(&self.0);
        if !named.is_empty() {
            let more = if named.len() < self.0.len() { " and others" } else { "" };
            lost.push(Loss::new("body", format!("{}{more}: {reason}", quoted(named, ", "))));
        }
    }
}

#[derive(Default)]
struct Losses {
    not_replaced: Seen,
    no_variable: Seen,
    replaced: Seen,
    by_index: Seen,
    rest: Seen,
    missing: Seen,
    elsewhere: Seen,
}

pub(super) fn translate(original: &Original<'_>, lost: &mut Vec<Loss>) -> String {
    let names = &original.own.run().arguments;
    let (from, to) = (Reader::new(original.from, names), Reader::new(original.to, names));
    let mut losses = Losses::default();
    let mut body = String::with_capacity(original.body.len());
    if from.rule.is_none() && to.rule.is_none() {
        return original.body.to_owned();
    }
    let mut escaped = Seen::default();
    let parts = from.parts(original.body, &mut escaped);
    if from.is_for_commands != to.is_for_commands && from.rule.is_some() && to.rule.is_some() {
        losses.elsewhere = escaped;
    } else if from.keeps_without_arguments() != to.keeps_without_arguments() {
        losses.missing = escaped;
    }
    let plan = Plan::new(&parts, from, to);
    for part in &parts {
        match part {
            Part::Plain(text) => escape(to, from.rule.is_none(), text, &mut body, &mut losses),
            Part::Placeholder(placeholder, written) => {
                plan.write(*placeholder, written, original, &mut body, &mut losses);
            }
        }
    }
    if from.is_for_commands && to.rule.is_none() {
        // A model gets the body as it is written, backslashes included.
        original.body.clone_into(&mut body);
    }
    let name = &original.to.name;
    let elsewhere = match to.is_for_commands {
        true => "in commands, and not if a model loads the skill",
        false => "also if a model loads the skill",
    };
    let from_name = &original.from.name;
    for (seen, reason) in [
        (&losses.not_replaced, format!("`{name}` replaces no such placeholders, so the text stays as written")),
        (&losses.no_variable, format!("`{name}` has no variable with this meaning, so it stays as written")),
        (&losses.replaced, format!("`{name}` replaces it, although it is plain text in `{from_name}`")),
        (&losses.by_index, format!("`{name}` has no names for arguments, so the argument is named by its index")),
        (&losses.elsewhere, format!("`{name}` replaces it {elsewhere}")),
        (&losses.rest, format!("`{name}` replaces it by one argument, without those after it")),
        (&losses.missing, format!("`{name}` shows it differently if there is no argument for it")),
    ] {
        seen.report(lost, &reason);
    }
    report_appended(from, to, &parts, name, lost);
    commands(from, to, original, body, lost)
}

/// Lists that arguments are appended to the body in one of the dialects only.
fn report_appended(from: Reader<'_>, to: Reader<'_>, parts: &[Part<'_>], name: &str, lost: &mut Vec<Loss>) {
    let append = |reader: Reader<'_>| reader.rule.map(|rule| rule.append);
    let (Some(before), Some(after)) = (append(from), append(to)) else { return };
    let has = |is_it: fn(&Placeholder<'_>) -> bool| {
        parts.iter().any(|part| matches!(part, Part::Placeholder(placeholder, _) if is_it(placeholder)))
    };
    let has_bare = has(|placeholder| matches!(placeholder, Placeholder::All));
    let has_other = has(|placeholder| !matches!(placeholder, Placeholder::All | Placeholder::Variable(..)));
    if before != after && has_other && !has_bare {
        let reason = match after {
            AppendArguments::UnlessBare => format!("`{name}` also appends all arguments, as there is no `${ALL}`"),
            AppendArguments::UnlessAny => format!("`{name}` does not append all arguments, as there are placeholders"),
        };
        lost.push(Loss::new("body", reason));
    }
}

struct Plan<'d> {
    from: Reader<'d>,
    to: Reader<'d>,
    /// Whether numbers are written as indices, because the target would replace the highest one by all the rest.
    as_index: bool,
    highest: Option<usize>,
}

impl<'d> Plan<'d> {
    fn new(parts: &[Part<'_>], from: Reader<'d>, to: Reader<'d>) -> Plan<'d> {
        let last = |reader: Reader<'_>| reader.rule.map(|rule| rule.last_place);
        let index = |part: &Part<'_>| match part {
            Part::Placeholder(Placeholder::Number(index), _) => *index,
            _ => None,
        };
        let as_index = last(from) != Some(LastPlace::Rest) && last(to) == Some(LastPlace::Rest);
        Plan { from, to, as_index, highest: parts.iter().filter_map(index).max() }
    }

    fn write(
        &self,
        placeholder: Placeholder<'_>,
        written: &str,
        original: &Original<'_>,
        out: &mut String,
        losses: &mut Losses,
    ) {
        let (Some(from), Some(to)) = (self.from.rule, self.to.rule) else {
            losses.not_replaced.add(written);
            out.push_str(written);
            return;
        };
        if self.from.is_for_commands != self.to.is_for_commands {
            losses.elsewhere.add(written);
        }
        let by_index = |index: usize| format!("${ALL}[{index}]");
        match placeholder {
            Placeholder::All => {
                if from.without_arguments != to.without_arguments {
                    losses.missing.add(written);
                }
                out.push_str(written);
            }
            Placeholder::Index => {
                self.check_missing(from, to, written, losses);
                out.push_str(written);
            }
            Placeholder::Number(None) => out.push_str(written),
            Placeholder::Number(Some(index)) => {
                self.check_missing(from, to, written, losses);
                let is_rest = self.highest == Some(index) && from.last_place == LastPlace::Rest;
                if is_rest && to.last_place == LastPlace::Word {
                    losses.rest.add(written);
                }
                match (self.as_index, index.checked_add(to.first_number)) {
                    (false, Some(number)) => out.push_str(&format!("${number}")),
                    (true, _) | (false, None) => out.push_str(&by_index(index)),
                }
            }
            Placeholder::Removed
                if matches!(self.to.placeholder(written.trim_start_matches('$')), Some((Placeholder::Removed, _))) =>
            {
                self.check_missing(from, to, written, losses);
                out.push_str(written);
            }
            Placeholder::Removed => {
                losses.not_replaced.add(written);
                escape(self.to, false, written, out, losses);
            }
            Placeholder::Named(index) => {
                let has_names =
                    to.named_arguments == Permitted::Yes && original.to.path_of(&FieldRole::Arguments).is_some();
                if has_names {
                    if from.without_arguments != to.without_arguments {
                        losses.missing.add(written);
                    }
                    out.push_str(written);
                } else {
                    losses.by_index.add(written);
                    out.push_str(&by_index(index));
                }
            }
            Placeholder::Variable(name, meaning) => {
                let is_it =
                    |known: &&NamedVariable| known.is == meaning && (meaning != Variable::Host || known.name == name);
                match to.variables.iter().find(is_it) {
                    Some(known) => out.push_str(&format!("${{{}}}", known.name)),
                    None => {
                        losses.no_variable.add(written);
                        out.push_str(written);
                    }
                }
            }
        }
    }

    /// Notes a placeholder that the two dialects show differently if there is no argument for it.
    fn check_missing(&self, from: &Substitution, to: &Substitution, written: &str, losses: &mut Losses) {
        let shown = |rule: &Substitution| match (rule.missing, rule.without_arguments) {
            (MissingArgument::AsWritten, _) => (true, true),
            (MissingArgument::Removed, without) => (false, without == Permitted::No),
        };
        if shown(from) != shown(to) {
            losses.missing.add(written);
        }
    }
}

/// Writes plain text so that a dialect takes no part of it for a placeholder. `is_new` says that the source has no
/// placeholders at all: a backslash would then be shown where the target has them only in commands.
fn escape(to: Reader<'_>, is_new: bool, text: &str, out: &mut String, losses: &mut Losses) {
    let rest = to.each(text, |before, placeholder, written| {
        out.push_str(before);
        match placeholder {
            // A variable cannot be escaped, and a backslash that precedes a placeholder cannot be shown alone.
            Placeholder::Variable(..) => losses.replaced.add(written),
            _ if is_new && to.is_for_commands => losses.replaced.add(written),
            _ if is_escaped(before) => losses.replaced.add(&format!("\\{written}")),
            Placeholder::Number(None) => {}
            _ => {
                out.push('\\');
                if to.keeps_without_arguments() {
                    losses.missing.add(&format!("\\{written}"));
                }
            }
        }
        out.push_str(written);
    });
    out.push_str(rest);
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Lists commands that the target does not run, and keeps it from running what is no command in the source.
fn commands(from: Reader<'_>, to: Reader<'_>, original: &Original<'_>, body: String, lost: &mut Vec<Loss>) -> String {
    let (from_name, to_name) = (&original.from.name, &original.to.name);
    let mut seen = Seen::default();
    match (from.runs_commands(), to.runs_commands()) {
        (true, false) => {
            find_commands(original.body).iter().for_each(|found| seen.add(first_line(&found.command)));
            seen.report(lost, &format!("`{to_name}` does not run commands in a body, so the text stays as written"));
            body
        }
        (false, true) => {
            let found = find_commands(&body);
            let mut safe = String::with_capacity(body.len() + found.len());
            let mut copied = 0;
            for command in &found {
                seen.add(first_line(&command.command));
                safe.push_str(body.get(copied..command.at.start).unwrap_or_default());
                // In Markdown a backslash before `!` is not shown, and a space before the info string changes nothing.
                let written = body.get(command.at.clone()).unwrap_or_default();
                match written.strip_prefix("```!") {
                    Some(rest) => {
                        safe.push_str("``` !");
                        safe.push_str(rest);
                    }
                    None => {
                        safe.push('\\');
                        safe.push_str(written);
                    }
                }
                copied = command.at.end;
            }
            safe.push_str(body.get(copied..).unwrap_or_default());
            let reason = format!(
                "`{to_name}` would run it, although it is plain text in `{from_name}`, so it is written in a form that \
                 is not run"
            );
            seen.report(lost, &reason);
            safe
        }
        (true, true) | (false, false) => body,
    }
}
