//! Processes on systems other than Unix, with a thread for each pipe. On Windows a process is in a job object of its own,
//! which ends with all descendants in it when the job is closed: by us, or by Windows when this program has ended in any way.
//! On other systems only the process itself is ended; processes that it has started keep running, and the threads of their
//! pipes with them.

use super::{Outputs, Status, Stream, Want};
use std::ffi::OsStr;
use std::io::{self, Read, Write};
#[cfg(windows)]
use std::os::windows::io::AsRawHandle;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
#[cfg(windows)]
use win32job::{ExtendedLimitInfo, Job};

const CHUNK_BYTES: usize = 65_536;

/// How many chunks are queued before the process has to wait.
const CHUNKS: usize = 4;

pub(super) struct Child {
    child: std::process::Child,
    /// Sends to the thread that writes to standard input.
    input: Option<SyncSender<Vec<u8>>>,
    from: Receiver<(Stream, Vec<u8>)>,
    is_open: bool,
    /// Closed to end all processes in it.
    #[cfg(windows)]
    job: Option<Job>,
}

pub(super) fn guard() {}

pub(super) fn command(program: &OsStr) -> Command {
    Command::new(program)
}

impl Child {
    pub(super) fn start(mut command: Command, has_input: bool, outputs: Outputs) -> io::Result<Child> {
        command.stdin(if has_input { Stdio::piped() } else { Stdio::null() });
        #[cfg(windows)]
        let job = job()?;
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        // What the process starts before this line runs is outside of the job. The loader of Windows has not yet left the
        // program's own libraries by then.
        #[cfg(windows)]
        if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
            // A process that could not be ended with its descendants is not left running.
            child.kill()?;
            return Err(io::Error::other(error));
        }
        let (to, from) = sync_channel(CHUNKS);
        if let Some(output) = child.stdout.take() {
            read(output, Stream::Output, to.clone());
        }
        if let Some(errors) = child.stderr.take() {
            let stream = match outputs {
                Outputs::Separate => Stream::Errors,
                // The order of reading is nearly the order of printing.
                Outputs::Joined => Stream::Output,
            };
            read(errors, stream, to);
        }
        let input = child.stdin.take().map(write);
        Ok(Child {
            child,
            input,
            from,
            is_open: true,
            #[cfg(windows)]
            job: Some(job),
        })
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

    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    pub(super) fn kill_all(&mut self) {
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        // It fails if the process has ended already.
        let _ = self.child.kill();
        #[cfg(windows)]
        drop(self.job.take());
    }

    pub(super) fn reap(&mut self) -> Status {
        self.child.wait().ok()
    }
}

/// A job object whose processes end when it is closed.
#[cfg(windows)]
fn job() -> io::Result<Job> {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    Job::create_with_limit_info(&limits).map_err(io::Error::other)
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
