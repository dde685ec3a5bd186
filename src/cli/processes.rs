//! What starts processes: scripts of skills, their toolsets, the commands in their texts, and agents for forks.

pub(crate) mod execute;
mod run;
mod toolset;

pub(crate) use execute::Ran;
pub(crate) use run::RunArgs;
pub(crate) use toolset::ToolsetArgs;

use crate::reply::Failure;
use signal_hook::consts::signal::*;
use skilltree::host::CancelToken;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) use signal_hook::low_level::signal_name;
pub(crate) use skilltree::host::guard;

/// The signals that end a program. Other systems than Unix have no others.
#[cfg(unix)]
const SIGNALS: &[i32] = &[SIGINT, SIGTERM, SIGHUP, SIGQUIT];
#[cfg(not(unix))]
const SIGNALS: &[i32] = &[SIGINT, SIGTERM];

/// A token that is cancelled by these signals. They no longer end this program, which then reports what happened. Call it
/// only once.
pub(crate) fn cancel_on_signal() -> Result<CancelToken, Failure> {
    let told = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        signal_hook::flag::register(*signal, Arc::clone(&told)).map_err(|error| {
            Failure::error("no-signals", format!("signal handlers could not be installed: {error}"))
        })?;
    }
    Ok(CancelToken::from(told))
}
