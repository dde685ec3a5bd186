//! The command line `skilltree`: parses the arguments, asks the library for one answer, and exits with one exit code.
//! `args` parses the command line, `run` answers the command, and `output` formats answers for people.
//!
//! Answers go to standard output; findings and errors go to standard error. A closed pipe counts as success.

pub(crate) mod approve;
pub(crate) mod args;
pub(crate) mod baseline;
pub(crate) mod check;
pub(crate) mod choices;
pub(crate) mod command_line;
pub(crate) mod config;
pub(crate) mod convert;
pub(crate) mod copies;
pub(crate) mod dialects;
pub(crate) mod exit;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod hints;
pub(crate) mod host;
pub(crate) mod invoke;
#[cfg(feature = "lsp")]
pub(crate) mod lsp;
#[cfg(not(feature = "lsp"))]
#[path = "lsp_disabled.rs"]
pub(crate) mod lsp;
pub(crate) mod matrix;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "mcp_disabled.rs"]
pub(crate) mod mcp;
pub(crate) mod new_skill;
pub(crate) mod output;
pub(crate) mod overlap;
pub(crate) mod overview;
pub(crate) mod own_file;
pub(crate) mod pack;
pub(crate) mod progress;
pub(crate) mod prompt;
pub(crate) mod receipt;
pub(crate) mod replay;
pub(crate) mod reply;
pub(crate) mod run;
pub(crate) mod script;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod setup;
pub(crate) mod shell;
pub(crate) mod signals;
pub(crate) mod states;
pub(crate) mod toolset;
pub(crate) mod undiscovered;
pub(crate) mod user_skills;
pub(crate) mod why;

use reply::{Reply, Screen};
use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    skilltree::host::guard();
    signals::keep_child_exit_codes();
    signals::report_large_files();
    let words: Vec<OsString> = std::env::args_os().collect();
    let early = args::EarlyOptions::of(&words);
    let (reply, color) = match args::parse(&words, early.color) {
        Ok((mut options, command)) => {
            let usual = || dialects::usual().or_else(|| config::chosen_dialect(&options));
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
                match command_line::with_absolute_paths(&options) {
                    Ok(absolute) => options = absolute,
                    Err(failure) => return ExitCode::from(failure.reply(early.json).send(early.color).code()),
                }
            }
            command_line::set_options(&options);
            let color = options.color.unwrap_or(early.color);
            (run::run(&options, command, Screen::of_stdout()), color)
        }
        Err(error) => (Reply::from_usage(&error, early.json), early.color),
    };
    ExitCode::from(reply.send(color).code())
}
