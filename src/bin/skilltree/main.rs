//! The command line `skilltree`, a thin door over the library: arguments in; one answer, one exit code out.
//! Answers go to standard output, findings and errors to standard error. A broken pipe is success.
//! Absent: everything else; `args` reads the command, `run` answers it, `output` shows it to people.

pub(crate) mod approve;
pub(crate) mod args;
pub(crate) mod copies;
pub(crate) mod explain;
pub(crate) mod host;
pub(crate) mod invoke;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "no_server.rs"]
pub(crate) mod mcp;
pub(crate) mod output;
pub(crate) mod own;
pub(crate) mod pack;
pub(crate) mod reply;
pub(crate) mod run;
pub(crate) mod script;
pub(crate) mod setup;
pub(crate) mod states;
pub(crate) mod stop;
pub(crate) mod suggest;
pub(crate) mod toolset;
pub(crate) mod unseen;

use reply::{Reply, Screen};
use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    skilltree::host::guard();
    stop::keep_exit_codes();
    let words: Vec<OsString> = std::env::args_os().collect();
    let early = args::Early::of(&words);
    let (reply, color) = match args::parse(&words, early.color) {
        Ok((mut place, command)) => {
            place.dialect = place.dialect.or_else(setup::usual_dialect);
            if matches!(command, args::Command::Mcp(_)) {
                // What a server says is read in another shell than the one that it was started from.
                place.project = place.project.or_else(|| Some(".".to_owned()));
                place = suggest::absolute(&place);
            }
            suggest::looking_at(&place);
            let color = place.color.unwrap_or(early.color);
            (run::run(&place, command, Screen::of_stdout()), color)
        }
        Err(error) => (Reply::from_usage(&error, early.json), early.color),
    };
    ExitCode::from(reply.send(color).code())
}
