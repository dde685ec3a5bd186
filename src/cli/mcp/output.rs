//! A queue of messages for standard output, one per line. It knows how much is queued and whether the client still
//! reads.

use serde::Serialize;
use std::io::{Error, ErrorKind};
use std::sync::Arc;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};

/// How many bytes may be queued before further work waits.
const MAX_WAITING_BYTES: usize = 67_108_864;

/// The memory that a queued line needs besides its bytes.
const LINE_BYTES: usize = 2_048;

/// A handle of the queue.
#[derive(Clone)]
pub(super) struct Output {
    lines: mpsc::UnboundedSender<Line>,
    waiting: Arc<watch::Sender<Waiting>>,
}

struct Line {
    bytes: Vec<u8>,
    is_written: oneshot::Sender<()>,
}

#[derive(Default)]
struct Waiting {
    bytes: usize,
    /// Whether writing a line has failed.
    is_closed: bool,
}

impl Output {
    pub(super) fn new(writer: impl AsyncWrite + Unpin + Send + 'static) -> Output {
        let (lines, taken) = mpsc::unbounded_channel();
        let waiting = Arc::new(watch::Sender::new(Waiting::default()));
        tokio::spawn(write(writer, taken, Arc::clone(&waiting)));
        Output { lines, waiting }
    }

    /// Appends a message at once. The returned future completes when it is written.
    pub(super) fn put<M: Serialize>(&self, message: &M) -> impl Future<Output = Result<(), Error>> + Send + use<M> {
        let (is_written, written) = oneshot::channel();
        let put = serde_json::to_vec(message).map_err(Error::from).and_then(|mut bytes| {
            bytes.push(b'\n');
            self.waiting.send_modify(|waiting| waiting.bytes += bytes.len() + LINE_BYTES);
            self.lines.send(Line { bytes, is_written }).map_err(|_| closed())
        });
        async move {
            put?;
            written.await.map_err(|_| closed())
        }
    }

    /// Waits until there is room for more. Returns false if the client no longer reads.
    pub(super) async fn has_room(&self) -> bool {
        let mut waiting = self.waiting.subscribe();
        let room = waiting.wait_for(|waiting| waiting.is_closed || waiting.bytes <= MAX_WAITING_BYTES).await;
        room.is_ok_and(|waiting| !waiting.is_closed)
    }

    /// Waits until everything is written, or the client no longer reads.
    pub(super) async fn written(&self) {
        // `self` owns the sender, so this cannot fail.
        let _ = self.waiting.subscribe().wait_for(|waiting| waiting.is_closed || waiting.bytes == 0).await;
    }

    /// Waits until the client no longer reads, which is noticed when something is written.
    pub(super) async fn wait_until_closed(&self) {
        let _ = self.waiting.subscribe().wait_for(|waiting| waiting.is_closed).await;
    }
}

async fn write(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::UnboundedReceiver<Line>,
    waiting: Arc<watch::Sender<Waiting>>,
) {
    while let Some(Line { bytes, is_written }) = lines.recv().await {
        let written = async {
            writer.write_all(&bytes).await?;
            writer.flush().await
        };
        let is_closed = written.await.is_err();
        waiting.send_modify(|waiting| {
            waiting.bytes -= bytes.len() + LINE_BYTES;
            waiting.is_closed |= is_closed;
        });
        if is_closed {
            return;
        }
        let _ = is_written.send(());
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::BrokenPipe, "the output is not read")
}
