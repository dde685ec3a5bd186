//! The command line `skilltree`, a thin door over the library: arguments in; one answer, one exit code out.
//! Answers go to standard output, findings and errors to standard error. A broken pipe is success.
//! Absent: everything else; `args` reads the command, `run` answers it, `report` shows it to people.

mod approve;
mod args;
mod copies;
mod host;
mod invoke;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "no_server.rs"]
mod mcp;
mod own;
mod pack;
mod reply;
mod report;
mod run;
mod script;
mod setup;
mod states;
mod stop;
mod suggest;
mod toolset;
mod unseen;

use reply::{Reply, Screen};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    skilltree::guard();
    stop::keep_exit_codes();
    let words: Vec<OsString> = std::env::args_os().collect();
    let early = args::Early::of(&words);
    let (reply, color) = match args::parse(&words, early.color) {
        Ok((mut place, command)) => {
            place.dialect = place.dialect.or_else(setup::usual_dialect);
            match command {
                args::Command::Mcp(_) => suggest::looking_from_elsewhere(&place),
                _ => suggest::looking_at(&place),
            }
            let color = place.color.unwrap_or(early.color);
            (run::run(&place, command, Screen::of_stdout()), color)
        }
        Err(error) => (Reply::from_usage(&error, early.json), early.color),
    };
    ExitCode::from(reply.send(color).code())
}
