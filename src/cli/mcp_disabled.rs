//! The command `mcp` of a program built without the server: it reports how to install one with it.

use crate::args::GlobalOptions;
use crate::reply::{Failure, HOW_TO_INSTALL_ALL, Reply};

/// The arguments of `mcp`, which are ignored.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct McpArgs {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _options: Vec<String>,
}

/// Fails, and names the command that installs a program with the server.
pub(crate) fn serve(_: &GlobalOptions, _: McpArgs) -> Result<Reply, Failure> {
    let message = "this program was built without the server".to_owned();
    Err(Failure::error("no-server", message).with_help(HOW_TO_INSTALL_ALL.to_owned()))
}
