//! Formats the overview for people, in lines that fit 80 columns.

use super::style::{self, FAINT, HEAD, KEY, paint};
use super::table::table;
use super::text::{count, cut_path, folded};
use super::wrap::wrapped;
use crate::setup::Setup;
use anstyle::Style;
use skilltree::author::{Foremost, Overview};
use skilltree::{Fs, FsPath, Severity, visible};

/// The width of lines, where the terminal is not narrower.
const WIDTH: usize = 80;

/// How many folders below the project are named.
const MAX_NESTED: usize = 5;

const INDENT: &str = "  ";

/// The clients, the folders below the project, the findings that matter, and the next step: a command and what it does.
pub(crate) fn overview(setup: &Setup, found: &Overview, next: &(String, &str), screen: Option<usize>) -> String {
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
