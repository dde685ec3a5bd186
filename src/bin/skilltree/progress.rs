//! Shows on a terminal that a command is still at work, from one second on. It is gone when the command has finished.

use crate::args::Command;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long a command works before this is shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);
/// How often it moves.
const TICK: Duration = Duration::from_millis(100);

/// Shows that a command is at work, until it is dropped.
pub(crate) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Begins for a command, if there is somebody who sees it.
    pub(crate) fn of(command: &Command, json: bool, quiet: bool) -> Progress {
        match told(command).filter(|_| is_shown(io::stderr().is_terminal(), json, quiet)) {
            Some(told) => Progress::begin(told, SHOWN_AFTER, ProgressDrawTarget::stderr),
            None => Progress(None),
        }
    }

    fn begin(
        told: &'static str,
        after: Duration,
        target: impl FnOnce() -> ProgressDrawTarget + Send + 'static,
    ) -> Progress {
        let (end, ended) = mpsc::channel();
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
            bar.set_message(told);
            bar.tick();
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        };
        // Without a thread nothing is shown.
        Progress(thread::Builder::new().spawn(show).ok().map(|thread| (end, thread)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
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
        Command::Matrix(_) => Some("comparing dialects"),
        Command::Overlap(_) => Some("comparing skills"),
        Command::Check(_) => Some("checking skills"),
        Command::Approve(_) => Some("reading the skill's files"),
        Command::Pack(_) | Command::Unpack(_) | Command::Convert(_) | Command::Sync { .. } => Some("copying files"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::{InMemoryTerm, TermLike};

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
        let (shown, target) = (term.clone(), term.clone());
        let progress = Progress::begin("reading skills", Duration::ZERO, || {
            ProgressDrawTarget::term_like_with_hz(Box::new(target), 255)
        });
        while !shown.contents().contains("reading skills") {
            std::thread::yield_now();
        }
        drop(progress);
        assert_eq!(term.contents(), "");
        assert_eq!(term.width(), 40);
    }

    #[test]
    fn a_command_that_is_done_soon_shows_nothing() {
        let term = InMemoryTerm::new(5, 40);
        let target = term.clone();
        drop(Progress::begin("reading skills", Duration::MAX, || {
            ProgressDrawTarget::term_like_with_hz(Box::new(target), 255)
        }));
        assert_eq!(term.contents(), "");
    }
}
