//! Notices to somebody who reads none of them for a while.

use super::{MAX_WAITING_BYTES, Notices};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Takes each write to the other end, and goes on when it is told to.
struct Gate {
    writes: Sender<Vec<u8>>,
    turns: Receiver<()>,
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let closed = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.writes.send(bytes.to_vec()).map_err(closed)?;
        self.turns.recv().map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_was_dropped_is_counted() {
    let (writes, written) = channel();
    let (turn, turns) = channel();
    let notices = Notices::to(move || Ok(Gate { writes, turns }));
    let next = || String::from_utf8(written.recv().expect("a text")).expect("UTF-8");
    notices.push("first\n".to_owned());
    assert_eq!(next(), "first\n");
    assert!(!notices.flush(Duration::ZERO), "the first text is not written yet");
    let large = format!("{}\n", "x".repeat(MAX_WAITING_BYTES));
    notices.push(large.clone());
    notices.push("second\nthird\n".to_owned());
    notices.push("fourth\n".to_owned());
    for _ in 0..3 {
        turn.send(()).expect("the thread waits");
    }
    assert_eq!(next(), large);
    assert_eq!(next(), "note: 3 findings were dropped because standard error was not read in time\n");
    notices.push("fifth\n".to_owned());
    turn.send(()).expect("the thread waits");
    assert_eq!(next(), "fifth\n");
}
