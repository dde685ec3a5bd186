//! Signals: Ctrl-C and the like stop what is running, but not this program, which then reports what happened.

use crate::reply::Failure;
use signal_hook::consts::signal::*;
use signal_hook::low_level::signal_name;
use skilltree::host::CancelToken;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The signals that stop what is running. Other systems than Unix have no others.
#[cfg(unix)]
const SIGNALS: &[i32] = &[SIGINT, SIGTERM, SIGHUP, SIGQUIT];
#[cfg(not(unix))]
const SIGNALS: &[i32] = &[SIGINT, SIGTERM];

/// A token that is cancelled by these signals, which no longer end this program. Call it only once.
pub(crate) fn cancel_on_signal() -> Result<CancelToken, Failure> {
    let told = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        signal_hook::flag::register(*signal, Arc::clone(&told)).map_err(|error| {
            Failure::error("no-signals", format!("signal handlers could not be installed: {error}"))
        })?;
    }
    Ok(CancelToken::from(told))
}

/// Makes the exit codes of child processes available: the parent process may have ignored SIGCHLD; ignored signals are
/// inherited, and the system then discards the exit codes.
///
/// Turns the signal for a file over the limit of the user (`ulimit -f`) into an error of the write, after which temporary
/// files are removed and the reason is reported.
pub(crate) fn prepare() {
    // A signal with a handler is neither ignored nor ends the program; child processes have no handler. The flags
    // themselves are unused. If this fails, nothing changes.
    #[cfg(unix)]
    for signal in [SIGCHLD, SIGXFSZ] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
}

/// The name of a signal, such as `SIGTERM`.
pub(crate) fn name(signal: i32) -> Option<&'static str> {
    signal_name(signal)
}
