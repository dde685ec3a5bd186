//! The command line `skilltree`: parses the arguments, asks the library for one answer, and exits with one exit code.
//! `args` parses the command line, `answer` answers the command, and `output` formats answers for people.
//!
//! Answers go to standard output; errors, and findings that are not the answer itself, go to standard error. A closed pipe counts as success.

#[cfg_attr(feature = "mcp", allow(dead_code, reason = "a program with all features lacks nothing"))]
mod absent;
mod answer;
mod approve;
#[cfg(feature = "archives")]
mod archives;
mod args;
mod baseline;
mod check;
mod completion;
mod dialects;
mod diff;
mod explain;
mod facts;
mod git;
mod hints;
mod host;
mod index;
mod installed;
mod invoke;
mod lock;
#[cfg(feature = "lsp")]
mod lsp;
mod man;
mod matrix;
#[cfg(feature = "mcp")]
mod mcp;
mod new_skill;
mod output;
mod overlap;
mod overview;
mod own_file;
mod percent;
mod policy;
#[cfg(all(feature = "processes", not(target_family = "wasm")))]
mod processes;
#[cfg(not(target_family = "wasm"))]
mod progress;
#[cfg(target_family = "wasm")]
#[path = "progress_disabled.rs"]
mod progress;
mod receipt;
mod replay;
mod reply;
mod search;
mod session;
mod setup;
#[cfg(not(target_family = "wasm"))]
mod signals;
mod state;
mod suggested;
mod sync;
mod tree_fs;
#[cfg(feature = "signatures")]
mod trust;
#[cfg(not(feature = "signatures"))]
#[path = "trust_disabled.rs"]
mod trust;
mod verify;
mod why;

#[cfg(not(feature = "archives"))]
use absent::archives;
#[cfg(not(feature = "lsp"))]
use absent::lsp;
#[cfg(not(feature = "mcp"))]
use absent::mcp;
#[cfg(any(not(feature = "processes"), target_family = "wasm"))]
use absent::processes;
use reply::{Reply, Screen};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with the arguments of the process, and returns its exit code.
pub fn main() -> ExitCode {
    // Programs for WASI start in `/`; the host's variable names the working directory.
    #[cfg(target_family = "wasm")]
    let _ = std::env::var_os("PWD").map(std::env::set_current_dir);
    completion::answer_script();
    processes::guard();
    #[cfg(not(target_family = "wasm"))]
    signals::prepare();
    let words: Vec<OsString> = std::env::args_os().collect();
    let early = args::EarlyOptions::of(&words);
    let (reply, color) = match args::parse(&words, early.color) {
        Ok((mut options, command)) => {
            let usual = || dialects::usual().or_else(|| setup::chosen_dialect(&options));
            // A receipt has its own dialect.
            if !matches!(command, args::Command::Replay(_)) {
                options.dialect = options.dialect.clone().or_else(usual);
            }
            if matches!(command, args::Command::Mcp(_) | args::Command::Lsp(_)) {
                // Users paste what a server prints into a shell whose working directory differs from the server's. An
                // editor tells the language server its folder.
                if matches!(command, args::Command::Mcp(_)) {
                    options.project = options.project.or_else(|| Some(".".to_owned()));
                }
                match suggested::with_absolute_paths(&options) {
                    Ok(absolute) => options = absolute,
                    Err(failure) => return ExitCode::from(failure.reply(early.json).send(early.color).code()),
                }
            }
            suggested::set_options(&options);
            let color = options.color.unwrap_or(early.color);
            (answer::run(&options, command, Screen::of_stdout()), color)
        }
        Err(error) => (Reply::from_usage(&error, early.json), early.color),
    };
    ExitCode::from(reply.send(color).code())
}
