//! Processes where there are no groups that could be ended together: a thread for each pipe, and the process alone
//! is ended. What it has started lives on; its pipes are left to their threads then.

use super::{Outputs, Stream, Want};
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// How much is read at once.
const CHUNK_BYTES: usize = 65_536;

/// How many chunks wait for us before the process does.
const CHUNKS: usize = 4;

pub(super) struct Child {
    child: std::process::Child,
    /// To the thread that writes.
    input: Option<SyncSender<Vec<u8>>>,
    from: Receiver<(Stream, Vec<u8>)>,
    is_open: bool,
}

/// There are no guards here.
pub(super) fn guard() {}

pub(super) fn command(program: &OsStr) -> Command {
    Command::new(program)
}

impl Child {
    pub(super) fn start(mut command: Command, input: bool, outputs: Outputs) -> io::Result<Child> {
        command.stdin(if input { Stdio::piped() } else { Stdio::null() });
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (to, from) = sync_channel(CHUNKS);
        if let Some(output) = child.stdout.take() {
            read(output, Stream::Output, to.clone());
        }
        if let Some(errors) = child.stderr.take() {
            let stream = match outputs {
                Outputs::Apart => Stream::Errors,
                // In the order in which it is read, which is nearly that in which it was printed.
                #[cfg(feature = "forks")]
                Outputs::Joined => Stream::Output,
            };
            read(errors, stream, to);
        }
        let input = child.stdin.take().map(write);
        Ok(Child { child, input, from, is_open: true })
    }

    pub(super) fn exchange(
        &mut self,
        input: &mut &[u8],
        at_most: Duration,
        take: &mut dyn FnMut(Stream, &[u8]) -> Want,
    ) -> Want {
        if !input.is_empty() {
            let sent = self.input.as_ref().is_none_or(|to| to.try_send(input.to_vec()).is_ok());
            if sent {
                *input = &[];
            }
        }
        match self.from.recv_timeout(at_most) {
            Ok((stream, bytes)) => take(stream, &bytes),
            Err(RecvTimeoutError::Timeout) => Want::More,
            Err(RecvTimeoutError::Disconnected) => {
                self.is_open = false;
                thread::sleep(at_most);
                Want::More
            }
        }
    }

    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    pub(super) fn ask_to_end(&mut self) {
        self.kill();
    }

    pub(super) fn kill_all(&mut self) {
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        // Gone already is as good.
        let _ = self.child.kill();
    }

    pub(super) fn reap(&mut self) -> ExitStatus {
        self.child.wait().unwrap_or_default()
    }
}

fn read(mut pipe: impl Read + Send + 'static, stream: Stream, to: SyncSender<(Stream, Vec<u8>)>) {
    thread::spawn(move || {
        let mut chunk = vec![0; CHUNK_BYTES];
        while let Ok(bytes @ 1..) = pipe.read(&mut chunk) {
            if to.send((stream, chunk.get(..bytes).unwrap_or_default().to_vec())).is_err() {
                return;
            }
        }
    });
}

fn write(mut pipe: ChildStdin) -> SyncSender<Vec<u8>> {
    let (to, from) = sync_channel::<Vec<u8>>(1);
    thread::spawn(move || {
        for bytes in from {
            if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
                return;
            }
        }
    });
    to
}

pub(super) fn signal(_: ExitStatus) -> Option<i32> {
    None
}
