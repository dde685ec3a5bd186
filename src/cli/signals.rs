//! Signals: Ctrl-C and the like stop what is running, but not this program, which then reports what happened.

use crate::reply::Failure;
use signal_hook::consts::signal::*;
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
            Failure::error(
                "no-signals",
                format!(
                    "signal handlers could not be installed: \
                 {error}"
                ),
            )
        })?;
    }
    Ok(CancelToken::from(told))
}

/// Makes the exit codes of child processes available. The parent process may have ignored SIGCHLD; ignored signals
/// are inherited, and the system then discards the exit codes.
#[cfg(unix)]
pub(crate) fn keep_child_exit_codes() {
    // A signal with a handler is not ignored; the flag itself is unused. If this fails, nothing changes.
    let _ = signal_hook::flag::register(SIGCHLD, Arc::default());
}

#[cfg(not(unix))]
pub(crate) fn keep_child_exit_codes() {}

/// Turns the signal for a file over the limit of the user (`ulimit -f`) into an error of the write, after which temporary
/// files are removed and the reason is reported.
#[cfg(unix)]
pub(crate) fn report_large_files() {
    // As above: a signal with a handler does not end the program. Child processes have no handler.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

#[cfg(not(unix))]
pub(crate) fn report_large_files() {}
