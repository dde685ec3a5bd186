//! Whole processes of the binary, turn by turn with `true`, which does nothing, and with this program as one that does no
//! more than begin, or walk and read: time, and the peak of memory where there is a `/usr/bin/time` that tells it. `--quick`:
//! small trees and few turns. Nothing is asserted but the answers, and how the work of the language server grows.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench says what it measured")]

#[path = "../common/mod.rs"]
mod common;
mod floor;
mod forest;
mod grown;
mod programs;
mod server_growth;
mod turns;

use common::TempDir;
use floor::floor;
use forest::{Forest, burdened, grow};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio, exit};
use turns::{Work, millis, take};

const SEED: u64 = 7;
const BINARY: &str = env!("CARGO_BIN_EXE_skilltree");

/// The most memory that a listing of many skills should take, in MB.
const LISTING_PEAK: f64 = 25.0;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--begin"] => return println!("begun"),
        ["--floor", root] => return println!("{}", floor(Path::new(root))),
        _ => {}
    }
    let quick = words.iter().any(|word| word == "--quick");
    match run(quick).and_then(|()| server_growth::holds(BINARY, if quick { [20, 200] } else { [100, 1_000] })) {
        Ok(true) => {}
        Ok(false) => {
            eprintln!("for ten times the documents, the language server takes too many instructions");
            exit(1);
        }
        Err(error) => {
            eprintln!("a tree could not be made: {error}");
            exit(1);
        }
    }
}

fn run(quick: bool) -> io::Result<()> {
    let (few, hundred, files, many, turns) =
        if quick { (10, 100, 1_000, 500, 5) } else { (10, 100, 50_000, 10_000, 21) };
    let (few, hundred) = (grow(few, SEED)?, grow(hundred, SEED)?);
    let (beside, many) = (burdened(files, SEED)?, grow(many, SEED)?);
    let key = many.one.parent().and_then(|dir| dir.file_name()).unwrap_or_default().to_string_lossy().into_owned();
    turns::head();
    let row = |what, words, forest, goal| Row { what, words, forest, goal, peak: None };
    // A listing of many skills is to take little more than the walk, in whatever form.
    let listing = |what, words| Row { peak: Some(LISTING_PEAK), ..row(what, words, &many, Some(Goal::Times(1.3))) };
    let why = ["why", &key];
    let load = ["load", &key];
    let rows = [
        row("list, 10", &["list"], &few, Some(Goal::Overwrite(3.0))),
        row("list, 100", &["list"], &hundred, Some(Goal::Times(3.5))),
        row("list, 2 by node_modules", &["list"], &beside, Some(Goal::Within(5.0))),
        listing("list, many", &["list"]),
        listing("list --json, many", &["list", "--json"]),
        listing("tree --json, many", &["tree", "--json"]),
        listing("why, many", &why),
        row("check, many", &["check"], &many, Some(Goal::TimesRow("list, many", 1.6))),
        row("matrix, many", &["matrix"], &many, Some(Goal::Times(4.0))),
        row("prompt, many", &["prompt"], &many, None),
        row("load, many", &load, &many, None),
    ];
    measure(&rows, turns);
    peaks(&rows);
    Ok(())
}

/// One command on one tree.
struct Row<'a> {
    what: &'a str,
    words: &'a [&'a str],
    forest: &'a Forest,
    goal: Option<Goal>,
    /// The most memory that it should take, in MB.
    peak: Option<f64>,
}

/// The most that it should take.
#[derive(Clone, Copy)]
enum Goal {
    /// As many times what `true` takes.
    Times(f64),
    /// As many times what the row of this name takes, which is further up.
    TimesRow(&'static str, f64),
    /// As many milliseconds more than `true`.
    Overwrite(f64),
    /// As many milliseconds.
    Within(f64),
}

impl Row<'_> {
    fn run(&self, command: &mut Command) -> usize {
        command.args(["--only-roots", "--root"]).arg(self.forest.root()).args(self.words);
        let said = command.current_dir(self.forest.root()).stdin(Stdio::null()).output();
        said.map_or(0, |said| if said.status.success() { said.stdout.len() } else { 0 })
    }
}

fn measure(rows: &[Row<'_>], turns: usize) {
    let nothing = || usize::from(Command::new("true").output().is_ok_and(|said| said.status.success()));
    let itself = |words: &[&OsStr]| {
        let said = std::env::current_exe().and_then(|program| Command::new(program).args(words).output());
        said.map_or(0, |said| said.stdout.len())
    };
    let mut work = vec![Work::new("true", nothing), Work::new("no more than begin", || itself(&["--begin".as_ref()]))];
    // Where each row is among the work.
    let mut at = Vec::new();
    for row in rows {
        if let Some(Goal::Times(_)) = row.goal {
            let root = row.forest.root().as_os_str();
            work.push(Work::new("the floor of the next", move || itself(&["--floor".as_ref(), root])));
        }
        at.push(work.len());
        let one = Work::new(row.what, || row.run(&mut Command::new(BINARY)));
        let base = |name| rows.iter().zip(&at).find(|(row, _)| row.what == name).map_or(0, |(_, at)| *at);
        work.push(match row.goal {
            Some(Goal::Times(times)) => one.goal(times),
            Some(Goal::TimesRow(name, times)) => one.over(base(name)).goal(times),
            Some(Goal::Overwrite(_) | Goal::Within(_)) | None => one,
        });
    }
    let medians = take("process", turns, &mut work);
    for (row, median) in rows.iter().zip(at.iter().map(|at| medians[*at])) {
        match row.goal {
            Some(Goal::Overwrite(most)) => {
                println!("{}: {:.1} ms more than `true`; goal {most}", row.what, millis(median) - millis(medians[0]));
            }
            Some(Goal::Within(most)) => println!("{}: {:.1} ms; goal {most}", row.what, millis(median)),
            Some(Goal::Times(_) | Goal::TimesRow(..)) | None => {}
        }
    }
}

/// The peak of memory of each, in MB.
fn peaks(rows: &[Row<'_>]) {
    let folder = TempDir::new("peaks");
    let told = folder.path().join("peak");
    for row in rows {
        let mut command = Command::new("/usr/bin/time");
        command.args(["-f", "%M", "-o"]).arg(&told).arg(BINARY);
        let is_run = row.run(&mut command) > 0;
        let text = std::fs::read_to_string(&told).unwrap_or_default();
        match text.trim().parse::<f64>() {
            Ok(peak) if is_run => {
                let goal = row.peak.map_or(String::new(), |goal| format!("; goal {goal}"));
                println!("{:<24} {:>8.1} MB at the peak{goal}", row.what, peak / 1024.0);
            }
            _ => {
                println!("skipped: no `/usr/bin/time` that tells the peak of memory");
                return;
            }
        }
    }
}
