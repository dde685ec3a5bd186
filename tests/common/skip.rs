//! Tests that cannot run where something is missing say so.

use std::io::Write;
use std::panic::Location;
use std::path::PathBuf;

/// The folder of real data that a variable names; `None`, and a line about it, where it names none.
#[track_caller]
pub(crate) fn real_data(variable: &str, what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).filter(|folder| !folder.is_empty());
    if folder.is_none() {
        skip(format_args!("{variable} names no {what}"));
    }
    folder.map(PathBuf::from)
}

/// Prints that the test does nothing, and why. The line is written past the capture of the harness, so that it is seen
/// and counted although the test passes.
#[track_caller]
pub(crate) fn skip(reason: impl std::fmt::Display) {
    let thread = std::thread::current();
    // Where there are no threads for tests, the place of the call has to do.
    let name = match thread.name() {
        Some(name) if name != "main" => name.to_owned(),
        _ => Location::caller().file().to_owned(),
    };
    // Nobody reads the line if standard error is closed.
    let _ = std::io::stderr().write_all(format!("skipped: {name}: {reason}\n").as_bytes());
}
