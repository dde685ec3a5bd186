//! A language server on standard input and output, for editors: findings while a SKILL.md is being written, corrections,
//! completion, and what the skill will be to the model. It is synchronous: one thread reads messages, and one answers
//! them in order. Nothing here writes a file; every change is an edit that the client carries out.
//!
//! `server` is the session, `workspace` what is known of the disk and the open documents, and each other module answers
//! one kind of request.

mod complete;
mod documents;
mod findings;
mod hover;
mod markdown;
mod rename;
mod server;
mod symbols;
mod workspace;

use crate::args::GlobalOptions;
use crate::reply::{Failure, Output, Reply};
use server::Server;
use skilltree::CheckRequest;

/// What the server checks.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LspArgs {
    /// Also report unknown fields, names that are not ASCII, metadata and lists of tools that other readers reject, and what a
    /// reviewer of the files may overlook
    #[arg(long)]
    pub(crate) strict: bool,
    /// Accepted and ignored: editors pass it to every server, and standard input and output are always used
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

pub(crate) fn serve(options: &GlobalOptions, ask: LspArgs) -> Result<Reply, Failure> {
    let exit = Server::new(options, CheckRequest { strict: ask.strict }).run();
    Ok(Reply::new(Output::Exact(String::new())).with_exit(exit))
}
