//! Signals that would end or mislead this program.

/// Makes the exit codes of child processes available: the parent process may have ignored SIGCHLD; ignored signals are
/// inherited, and the system then discards the exit codes.
///
/// Turns the signal for a file over the limit of the user (`ulimit -f`) into an error of the write, after which temporary
/// files are removed and the reason is reported.
pub(crate) fn prepare() {
    // A signal with a handler is neither ignored nor ends the program; child processes have no handler. The flags
    // themselves are unused. If this fails, nothing changes.
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGCHLD, signal_hook::consts::SIGXFSZ] {
        let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
    }
}
