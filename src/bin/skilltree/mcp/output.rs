//! In: messages for the client. Out: each as a line on standard output, one after the other; how much waits there,
//! and whether anybody reads. Absent: what a message says.

use serde::Serialize;
use std::io::{Error, ErrorKind};
use std::sync::Arc;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};

/// How many bytes may wait to be written before no more is asked for.
const MAX_WAITING_BYTES: usize = 67_108_864;

/// What a line costs besides its bytes, while it and those who wait for it are in memory.
const LINE_BYTES: usize = 2_048;

/// The lines that wait, and the way to them.
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
    /// Whether a line could not be written.
    is_closed: bool,
}

impl Output {
    pub(super) fn new(writer: impl AsyncWrite + Unpin + Send + 'static) -> Output {
        let (lines, taken) = mpsc::unbounded_channel();
        let waiting = Arc::new(watch::Sender::new(Waiting::default()));
        tokio::spawn(write(writer, taken, Arc::clone(&waiting)));
        Output { lines, waiting }
    }

    /// Puts a message after the others. It is on its way now, whoever waits; the answer comes when it is written.
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

    /// Waits until there is room for more. False when nobody reads any longer.
    pub(super) async fn has_room(&self) -> bool {
        let mut waiting = self.waiting.subscribe();
        let room = waiting.wait_for(|waiting| waiting.is_closed || waiting.bytes <= MAX_WAITING_BYTES).await;
        room.is_ok_and(|waiting| !waiting.is_closed)
    }

    /// Waits until all is written, or nobody reads.
    pub(super) async fn written(&self) {
        // The sender is ours, so the only error there could be is none.
        let _ = self.waiting.subscribe().wait_for(|waiting| waiting.is_closed || waiting.bytes == 0).await;
    }

    /// Waits until nobody reads any longer, which is seen when something is written.
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
    Error::new(ErrorKind::BrokenPipe, "nobody reads the output")
}
