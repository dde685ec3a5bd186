//! In: the wish to be stopped by the user: Ctrl-C, Ctrl-\, or being told to end or that the terminal has gone. Out:
//! a [`CancelToken`] for what runs. Absent: ending this program, which goes on to say what became of it.

use crate::reply::Failure;
use signal_hook::consts::signal::*;
use skilltree::host::CancelToken;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The signals. Elsewhere than on Unix there are no others.
#[cfg(unix)]
const SIGNALS: &[i32] = &[SIGINT, SIGTERM, SIGHUP, SIGQUIT];
#[cfg(not(unix))]
const SIGNALS: &[i32] = &[SIGINT, SIGTERM];

/// A stop that those signals set from now on, where they would have ended this program. To be asked for once.
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

/// Has the exit codes of children kept. Whoever started this program may have had the signal of their end ignored,
/// which is inherited, and then the system drops them.
#[cfg(unix)]
pub(crate) fn keep_child_exit_codes() {
    // A signal that is handled is not ignored; nobody asks for the flag. Refused, all is as it was.
    let _ = signal_hook::flag::register(SIGCHLD, Arc::default());
}

#[cfg(not(unix))]
pub(crate) fn keep_child_exit_codes() {}
