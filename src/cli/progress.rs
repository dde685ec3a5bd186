//! Shows the progress of a command on a terminal after one second. It is removed when the command has finished.

use crate::args::Command;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long a command works before this is shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);
/// How often it moves.
const TICK: Duration = Duration::from_millis(100);

/// Shows that a command is at work, until it is dropped.
pub(crate) struct Progress {
    count: Arc<Count>,
    shown: Option<(Sender<()>, JoinHandle<()>)>,
}

/// How many items are done, and of how many; none if the items are not known.
#[derive(Default)]
struct Count {
    done: AtomicUsize,
    total: AtomicUsize,
}

impl Progress {
    /// Begins for a command, if there is somebody who sees it.
    pub(crate) fn of(command: &Command, json: bool, quiet: bool) -> Progress {
        match told(command).filter(|_| is_shown(io::stderr().is_terminal(), json, quiet)) {
            Some(told) => Progress::begin(told, SHOWN_AFTER, ProgressDrawTarget::stderr),
            None => Progress { count: Arc::default(), shown: None },
        }
    }

    /// Sets the number of items of the command.
    pub(crate) fn set_total(&self, total: usize) {
        self.count.total.store(total, Relaxed);
    }

    /// Counts an item as done.
    pub(crate) fn advance(&self) {
        self.count.done.fetch_add(1, Relaxed);
    }

    fn begin(
        told: &'static str,
        after: Duration,
        target: impl FnOnce() -> ProgressDrawTarget + Send + 'static,
    ) -> Progress {
        let (end, ended) = mpsc::channel();
        let count = Arc::new(Count::default());
        let counted = Arc::clone(&count);
        let message = move || match counted.total.load(Relaxed) {
            0 => told.to_owned(),
            total => format!("{told}, {} of {total}", counted.done.load(Relaxed)),
        };
        let show = move || {
            if ended.recv_timeout(after) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, target());
            // The template is known to be valid.
            bar.set_style(
                ProgressStyle::with_template("{spinner} {msg} ({elapsed})")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            bar.set_message(message());
            bar.tick();
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(message());
                bar.tick();
            }
            bar.finish_and_clear();
        };
        // Without a thread nothing is shown.
        Progress { count, shown: thread::Builder::new().spawn(show).ok().map(|thread| (end, thread)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.shown.take() {
            drop(end);
            // A panic there has no effect on the answer.
            let _ = thread.join();
        }
    }
}

/// Whether somebody sees it: not if standard error is a file or a pipe, nor with `--json` or `--quiet`.
fn is_shown(is_terminal: bool, json: bool, quiet: bool) -> bool {
    is_terminal && !json && !quiet
}

/// What a command does; `None` for those that run until they are stopped, that wait for others, or that print while they
/// work.
fn told(command: &Command) -> Option<&'static str> {
    match command {
        Command::List
        | Command::Tree
        | Command::Prompt { .. }
        | Command::Load { .. }
        | Command::Tool { .. }
        | Command::Complete { .. }
        | Command::Match { .. }
        | Command::Why { .. }
        | Command::State { .. }
        | Command::Replay(_) => Some("reading skills"),
        Command::Search(ask) if ask.queries.is_none() => Some("searching skills"),
        Command::Overview => Some("comparing clients"),
        Command::Diff(_) => Some("comparing trees"),
        Command::Matrix(_) => Some("comparing dialects"),
        Command::Overlap(_) => Some("comparing skills"),
        Command::Check(_) => Some("checking skills"),
        Command::Verify(_) | Command::Lock(_) => Some("comparing files"),
        Command::Approve(_) => Some("reading the skill's files"),
        Command::Pack(_) | Command::Unpack(_) | Command::Convert(_) | Command::Sync { .. } => Some("copying files"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::{InMemoryTerm, TermLike};

    fn begun(term: &InMemoryTerm, told: &'static str, after: Duration) -> Progress {
        let target = term.clone();
        Progress::begin(told, after, || ProgressDrawTarget::term_like_with_hz(Box::new(target), 255))
    }

    #[test]
    fn who_sees_it() {
        let cases = [
            ((true, false, false), true),
            ((false, false, false), false),
            ((true, true, false), false),
            ((true, false, true), false),
        ];
        for ((is_terminal, json, quiet), expected) in cases {
            assert_eq!(is_shown(is_terminal, json, quiet), expected, "{is_terminal} {json} {quiet}");
        }
        assert_eq!(told(&Command::List), Some("reading skills"));
        assert_eq!(told(&Command::Version), None);
    }

    #[test]
    fn it_is_gone_at_the_end() {
        let term = InMemoryTerm::new(5, 40);
        let progress = begun(&term, "reading skills", Duration::ZERO);
        while !term.contents().contains("reading skills") {
            std::thread::yield_now();
        }
        drop(progress);
        assert_eq!(term.contents(), "");
        assert_eq!(term.width(), 40);
    }

    #[test]
    fn known_items_are_counted() {
        let term = InMemoryTerm::new(5, 60);
        let progress = begun(&term, "comparing dialects", Duration::ZERO);
        progress.set_total(13);
        progress.advance();
        progress.advance();
        while !term.contents().contains("comparing dialects, 2 of 13 (") {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_command_that_is_done_soon_shows_nothing() {
        let term = InMemoryTerm::new(5, 40);
        drop(begun(&term, "reading skills", Duration::MAX));
        assert_eq!(term.contents(), "");
    }
}
