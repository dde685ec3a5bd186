//! What the program says without a command: which clients are here, what each of them sees, uses and loses, and one next
//! step.

use crate::answer::{Answer, Runner};
use crate::dialects::Dialects;
use crate::hints::command_touching;
use crate::matrix::{compared, each_once, unread};
use crate::output::findings;
use crate::output::no_skills::no_skills_after_search;
use crate::output::print::wrapped;
use crate::output::style::{self, FAINT, HEAD, KEY, paint};
use crate::output::table::table;
use crate::output::text::{count, cut_path, folded};
use crate::reply::{Output, Reply};
use crate::setup::Setup;
use crate::suggested::{command, command_at};
use anstyle::Style;
use skilltree::author::{Foremost, MatrixRow, Overview};
use skilltree::dialect::NAMES;
use skilltree::fs::CachedFs;
use skilltree::model::ParsedFrontmatters;
use skilltree::{Catalog, Fs, FsPath, Severity, dialect, visible};
use std::mem::ManuallyDrop;

impl Runner<'_> {
    pub(crate) fn overview(self) -> Answer {
        let setup = Setup::new(self.options)?;
        // As for `matrix`, to give the memory back would take longer than the answer.
        let cached = ManuallyDrop::new(CachedFs::new(setup.files()));
        let parsed = ManuallyDrop::new(ParsedFrontmatters::default());
        let world = || setup.world_of(&*cached).with_parsed(&parsed);
        let all: Vec<_> = NAMES.iter().filter_map(|name| dialect(name)).collect();
        let mut dialects = Overview::clients(&world(), &all);
        let of_commands = Dialects::new(self.options).named(self.options.dialect.as_deref())?.dialect;
        let is_client = dialects.contains(&of_commands);
        if !is_client {
            dialects.insert(0, of_commands);
        }
        let (matrix, catalogs) = compared(&world, &dialects, self.progress, &Catalog::clone);
        let mut found = Overview::of(&matrix, &catalogs);
        let sees_none = found.clients.iter().all(|client| client.seen == 0);
        if sees_none && found.nested.is_empty() {
            found.nested = compared(&world, &all, self.progress, &|_| ()).0.nested;
        }
        let is_empty = sees_none && found.nested.is_empty();
        // The dialect of the other commands is worth a line if it sees something, or is all that there is.
        if !is_client && found.clients.len() > 1 && found.clients.first().is_some_and(|client| client.seen == 0) {
            found.clients.remove(0);
            // That it sees no file is no difference between the others.
            let differs =
                |row: &&MatrixRow| row.cells.windows(2).skip(1).any(|two| matches!(two, [a, b] if a.state != b.state));
            found.different = matrix.rows.iter().filter(differs).count();
        }
        if self.json {
            return Ok(Reply::json(&found.to_json(&setup.fs)));
        }
        if is_empty {
            return Ok(Reply::new(Output::Styled(nothing(&setup, &catalogs, &found))));
        }
        let text = overview(&setup, &found, &next(&setup, &found), self.screen.width);
        let unread = each_once(catalogs.iter().flat_map(unread).collect());
        let unread = findings::unread(setup.files(), &unread);
        Ok(Reply::new(Output::Styled(text)).with_stderr(&unread))
    }
}

/// What is said where there are no skills at all: where the dialect of the other commands looks, and how to make one.
fn nothing(setup: &Setup, catalogs: &[Catalog], found: &Overview) -> String {
    let clients: Vec<String> = found.clients.iter().map(|client| format!("`{}`", client.dialect)).collect();
    let clients = format!("No client has skills yet: {}\n\n", clients.join(", "));
    let catalog = catalogs.iter().find(|catalog| catalog.dialect().name() == setup.dialect.name());
    let own = catalog.map(|catalog| no_skills_after_search(setup, catalog)).unwrap_or_default();
    format!("{}{own}", if found.clients.len() > 1 { clients } else { String::new() })
}

/// The next step: a command, and what it does.
fn next(setup: &Setup, found: &Overview) -> (String, &'static str) {
    let of = |dialect: &str, words: &[&str]| {
        let is_usual = dialect == setup.dialect.name();
        match is_usual {
            true => command(words, &[]),
            false => command_at(|options| options.dialect = Some(dialect.to_owned()), words, &[]),
        }
    };
    // Of equal ones, `max_by_key` takes the last.
    let worst = found.clients.iter().rev().filter(|client| client.lost > 0).max_by_key(|client| client.lost);
    let foremost = found.foremost.first().and_then(|first| first.dialects.first());
    let names: Vec<&str> = found.clients.iter().map(|client| client.dialect.as_str()).collect();
    let first = names.first().copied().unwrap_or_default();
    match (worst, foremost, found.nested.first()) {
        (Some(client), ..) => (of(&client.dialect, &["check"]), "explains why each skill is lost, and how to fix it"),
        (None, Some(dialect), _) => (of(dialect, &["check"]), "shows every finding with its line"),
        (None, None, Some(folder)) => {
            // They may be all that there is of a client.
            let sees_none = found.clients.iter().all(|client| client.seen == 0);
            let words: &[&str] = if sees_none { &["matrix", "--dialects", "all"] } else { &["matrix"] };
            (command_touching(setup, folder, words, &[]), "shows the skills that apply to the files of that folder")
        }
        (None, None, None) if found.different > 0 => {
            let differ = command(&["matrix", "--diff", "--dialects", &names.join(",")], &[]);
            (differ, "shows the skills that these clients treat differently")
        }
        (None, None, None) => (of(first, &["list"]), "lists the skills"),
    }
}

/// The width of lines, where the terminal is not narrower.
const WIDTH: usize = 80;

/// How many folders below the project are named.
const MAX_NESTED: usize = 5;

const INDENT: &str = "  ";

/// The clients, the folders below the project, the findings that matter, and the next step: a command and what it does.
fn overview(setup: &Setup, found: &Overview, next: &(String, &str), screen: Option<usize>) -> String {
    let width = screen.map_or(WIDTH, |screen| screen.min(WIDTH));
    let styles = [KEY, Style::new(), Style::new(), Style::new()];
    let row = |client: &skilltree::author::ClientOverview| {
        let numbers = [client.seen, client.used, client.lost].map(|number| number.to_string());
        [folded(&client.dialect).into_owned()].into_iter().chain(numbers).collect()
    };
    let rows: Vec<Vec<String>> = found.clients.iter().map(row).collect();
    let mut out = table(&styles, Some(&["CLIENT", "SEEN", "USED", "LOST"]), &rows, screen);
    out.push_str(&nested(setup, &found.nested, width));
    out.push_str(&foremost(setup, found, width));
    let (command, effect) = next;
    out.push_str(&format!("\n{} {command}\n{INDENT}{effect}\n", paint(HEAD, "Next:")));
    out
}

fn nested(setup: &Setup, folders: &[FsPath], width: usize) -> String {
    if folders.is_empty() {
        return String::new();
    }
    let count = match folders.len() {
        1 => "1 folder of the project has".to_owned(),
        many => format!("{many} folders of the project have"),
    };
    let head = format!("{count} skills that count only while a file there is being worked on (`--touch`):");
    let mut out = format!("\n{}\n", wrapped(&head, width));
    for folder in folders.iter().take(MAX_NESTED) {
        out.push_str(&format!("{INDENT}{}\n", cut_path(&place(setup, folder), width - INDENT.len())));
    }
    if folders.len() > MAX_NESTED {
        out.push_str(&format!("{INDENT}… and {} more\n", folders.len() - MAX_NESTED));
    }
    out
}

fn foremost(setup: &Setup, found: &Overview, width: usize) -> String {
    let parts = [(Severity::Error, found.errors), (Severity::Warning, found.warnings)];
    let parts = parts.iter().filter(|(_, number)| *number > 0);
    let parts: Vec<String> =
        parts.map(|(severity, number)| paint(style::of(*severity), &count(*number, severity.as_str()))).collect();
    if parts.is_empty() {
        return String::new();
    }
    let shown: usize = found.foremost.iter().map(|one| one.more + 1).sum();
    let rest = if shown == found.errors + found.warnings { "" } else { "; the most important" };
    let mut out = format!("\n{}{rest}:\n", parts.join(", "));
    for Foremost { finding, dialects, more, .. } in &found.foremost {
        let path = place(setup, &finding.path);
        let line = finding.at.map(|at| format!(":{}", at.line)).unwrap_or_default();
        out.push_str(&format!("{INDENT}{}\n", cut_path(&format!("{path}{line}"), width - INDENT.len())));
        let of = dialects.join(", ");
        let others = if *more == 0 { String::new() } else { format!("; {more} more of this kind") };
        let text = format!("{INDENT}{INDENT}{} ({of}{others})", folded(&finding.message));
        out.push_str(&paint(FAINT, &wrapped(&text, width)));
        out.push('\n');
    }
    out
}

/// A path as it is shown: from the working directory, or from the home directory.
fn place(setup: &Setup, path: &FsPath) -> String {
    let home = setup.places.home.as_ref().filter(|home| **home != setup.project);
    let below_home = home.and_then(|home| path.relative_to(home)).filter(|below| !below.is_empty());
    let below = setup.below_working_directory(path);
    match (below, below_home) {
        (Some(below), _) if !below.is_empty() => visible(below).into_owned(),
        (_, Some(below)) => format!("~/{}", visible(below)),
        _ => visible(&setup.fs.display(path)).into_owned(),
    }
}
