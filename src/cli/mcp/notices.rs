//! A queue of text for standard error, written by a thread of its own, so that a client that never reads it blocks
//! nothing. At most [`MAX_WAITING_BYTES`] and one more text are queued. Further texts are dropped, and their number
//! is reported.

use super::engine::locked;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How many bytes are queued before further texts are dropped.
const MAX_WAITING_BYTES: usize = 1_048_576;

/// The queue and the thread that writes it.
pub(super) struct Notices {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    texts: VecDeque<String>,
    bytes: usize,
    /// How many findings were dropped since the last text was written.
    dropped: usize,
    is_writing: bool,
}

impl Notices {
    /// Creates a queue for standard error.
    pub(super) fn new() -> Notices {
        Notices::to(|| {
            // A separate handle, as a blocked write would hold the lock of the standard one.
            let choice = anstream::AutoStream::choice(&io::stderr());
            own_stderr().map(|file| anstream::AutoStream::new(file, choice))
        })
    }

    /// Creates a queue for a writer that is opened on the thread.
    fn to<W: Write>(open: impl FnOnce() -> io::Result<W> + Send + 'static) -> Notices {
        let notices = Notices { shared: Arc::default() };
        let shared = Arc::clone(&notices.shared);
        // Without a thread nothing is printed, and the server works nevertheless.
        let _ = thread::Builder::new().name("notices".to_owned()).spawn(move || shared.write(open()));
        notices
    }

    /// Appends styled text with one finding per line.
    pub(super) fn push(&self, text: String) {
        if text.is_empty() {
            return;
        }
        let mut queue = locked(&self.shared.queue);
        if MAX_WAITING_BYTES <= queue.bytes {
            queue.dropped += text.lines().count();
            return;
        }
        queue.push_dropped();
        queue.push(text);
        self.shared.changed.notify_all();
    }

    /// Waits until everything is written, for a limited time. Returns whether it is.
    pub(super) fn flush(&self, at_most: Duration) -> bool {
        let is_pending = |queue: &mut Queue| queue.is_writing || !queue.texts.is_empty() || queue.dropped != 0;
        let waited = self.shared.changed.wait_timeout_while(locked(&self.shared.queue), at_most, is_pending);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Shared {
    /// Writes the queue until the process ends.
    fn write(&self, mut to: io::Result<impl Write>) {
        loop {
            let mut queue = locked(&self.queue);
            queue.is_writing = false;
            self.changed.notify_all();
            let text = loop {
                if queue.texts.is_empty() {
                    queue.push_dropped();
                }
                if let Some(text) = queue.pop() {
                    break text;
                }
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            // There is nowhere to report that standard error is closed.
            if let Ok(to) = &mut to {
                let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
            }
        }
    }
}

impl Queue {
    fn push(&mut self, text: String) {
        self.bytes += text.len();
        self.texts.push_back(text);
    }

    /// Appends the number of dropped findings, if there are any.
    fn push_dropped(&mut self) {
        match std::mem::take(&mut self.dropped) {
            0 => {}
            1 => self.push("note: 1 finding was dropped because standard error was not read in time\n".to_owned()),
            many => {
                self.push(format!("note: {many} findings were dropped because standard error was not read in time\n"))
            }
        }
    }

    fn pop(&mut self) -> Option<String> {
        let text = self.texts.pop_front()?;
        self.bytes -= text.len();
        self.is_writing = true;
        Some(text)
    }
}

#[cfg(unix)]
fn own_stderr() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stderr().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn own_stderr() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stderr().as_handle().try_clone_to_owned().map(File::from)
}

#[cfg(not(any(unix, windows)))]
fn own_stderr() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[path = "../../../tests/unit/notices.rs"]
mod tests;
