//! Work on catalogs in memory, each piece with one input that grows by ten while all else stays: by how much does the
//! work grow? Held where `valgrind` can count instructions: at most [`MOST`] times as many. Without `--quick` the
//! times are printed too, for a hundred times as much. Discovery is not counted but where it is the piece.
//! `--only TEXT`: the pieces whose names hold it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench says what it measured")]

#[path = "../common/mod.rs"]
mod common;
mod counted;
mod grown;
mod programs;
#[path = "growth/rows.rs"]
mod rows;
#[path = "growth/scene.rs"]
mod scene;
#[path = "growth/work.rs"]
mod work;

use common::TempDir;
use counted::{counted, instructions};
use grown::MOST;
use programs::has;
use rows::{ROWS, Row};
use scene::Stock;
use std::process::exit;
use std::time::{Duration, Instant};

/// A piece that takes longer at one size is not tried at ten times that.
const PATIENCE: Duration = Duration::from_secs(2);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let only = after(&words, "--only").map_or("", String::as_str);
    if let Some(size) = after(&words, "--probe").and_then(|size| size.parse().ok()) {
        probe(only, size);
        return;
    }
    let quick = words.iter().any(|word| word == "--quick");
    if !quick {
        times(only, &[1_000, 10_000, 100_000]);
    }
    let sizes = if quick { [100, 1_000] } else { [300, 3_000] };
    if !has("valgrind") {
        println!("skipped: no valgrind, so no growth is held");
    } else if !counts(only, sizes) {
        exit(1);
    }
}

fn after<'w>(words: &'w [String], option: &str) -> Option<&'w String> {
    words.get(words.iter().position(|word| word == option)? + 1)
}

/// The pieces whose names hold this.
fn rows(only: &str) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.what.contains(only))
}

/// Does every piece once at this size.
fn probe(only: &str, size: usize) {
    let mut stock = Stock::new(size);
    for Row { what, make } in rows(only) {
        let mut work = make(&mut stock);
        assert!(counted(&mut *work) > 0, "{what} has no answer");
    }
}

/// Prints by how much the instructions of each piece grow; whether all stay in bounds.
fn counts(only: &str, sizes: [usize; 2]) -> bool {
    let folder = TempDir::new("growth");
    let of = |size: usize| instructions(&["--only", only, "--probe", &size.to_string()], folder.path());
    let [Some(small), Some(large)] = sizes.map(of) else { return false };
    assert_eq!([small.len(), large.len()], [rows(only).count(); 2], "every piece is counted");
    grown::head(sizes);
    let mut is_held = true;
    for ((row, small), large) in rows(only).zip(small).zip(large) {
        is_held &= grown::holds(row.what, small, large);
    }
    if !is_held {
        eprintln!("for {} times the input, some take more than {MOST} times the instructions", sizes[1] / sizes[0]);
    }
    is_held
}

/// Prints the least time of three of each piece, what is made when first asked for left out, and by how much they grow from one size to the next.
fn times(only: &str, sizes: &[usize]) {
    println!("{:<44} {}", "ms", sizes.iter().map(|size| format!("{size:>12} growth")).collect::<String>());
    let mut lines: Vec<(String, Option<Duration>)> =
        rows(only).map(|row| (format!("{:<44} ", row.what), Some(Duration::ZERO))).collect();
    for size in sizes {
        let mut stock = Stock::new(*size);
        for (Row { make, .. }, (line, before)) in rows(only).zip(&mut lines) {
            let Some(last) = before.filter(|before| *before < PATIENCE) else { continue };
            let mut work = make(&mut stock);
            let mut turn = || {
                let begun = Instant::now();
                (counted(&mut *work), begun.elapsed())
            };
            let (answer, mut time) = turn();
            if answer == 0 {
                // what one file may hold is at its bound
                *before = None;
                continue;
            }
            if time < PATIENCE {
                time = (0..2).map(|_| turn().1).fold(time, Duration::min);
            }
            let growth = if last.is_zero() { 0.0 } else { time.as_secs_f64() / last.as_secs_f64() };
            line.push_str(&format!("{:>12.2} {growth:>6.1}", time.as_secs_f64() * 1000.0));
            *before = Some(time);
        }
    }
    for (line, _) in lines {
        println!("{line}");
    }
}
