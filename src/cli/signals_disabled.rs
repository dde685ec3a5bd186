//! Signals where the program can neither receive them nor start processes, as in WebAssembly: a command that would start
//! one fails before it does.

use crate::reply::{Failure, HOW_TO_INSTALL_ALL};
use skilltree::host::CancelToken;

/// Fails, and says which program can start processes.
pub(crate) fn cancel_on_signal() -> Result<CancelToken, Failure> {
    let message = "this program runs in WebAssembly, and cannot start processes".to_owned();
    Err(Failure::error("no-processes", message).with_help(HOW_TO_INSTALL_ALL.to_owned()))
}

pub(crate) fn prepare() {}

pub(crate) fn name(_: i32) -> Option<&'static str> {
    None
}
