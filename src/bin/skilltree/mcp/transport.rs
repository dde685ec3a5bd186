//! In: standard input and output. Out: the messages on them, for the protocol's kit. A line that is no message is
//! answered here, as the kit has no place for it; what a client says before its session has begun is passed over,
//! where the kit would end it; the end of the input, and that nobody reads, is told at once. While too much waits to
//! be written, no further line is read. Absent: what a message means.

use super::engine::Engine;
use super::lines::{Refusal, message};
use super::output::Output;
use super::wire;
use rmcp::model::{ErrorCode, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, stdio_pipes};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncBufReadExt, BufReader};

/// How many bytes a message has at most: more than any of ours needs.
const MAX_LINE_BYTES: usize = 4_194_304;

/// The two streams as messages.
pub(super) struct Stdio {
    input: BufReader<StdioReader>,
    output: Output,
    /// What was read of a line that is not at its end yet.
    line: Vec<u8>,
    /// Whether that line is too long, so that the rest of it is passed over.
    is_too_long: bool,
    engine: Arc<Engine>,
    has_begun: Arc<AtomicBool>,
}

/// The messages of this process's own streams, and the one of them that is written to. Until `has_begun`, all but
/// requests is passed over.
pub(super) fn stdio(engine: Arc<Engine>, has_begun: Arc<AtomicBool>) -> (Stdio, Output) {
    let (read, write) = stdio_pipes();
    let output = Output::new(write);
    let input = BufReader::new(read);
    (Stdio { input, output: output.clone(), line: Vec::new(), is_too_long: false, engine, has_begun }, output)
}

/// What stands in the input.
enum Read {
    Line(Vec<u8>),
    TooLong,
    End,
}

impl Stdio {
    /// The next line; the last one may be without a line feed. Nothing is lost where this is given up half way: what
    /// was read stays in `self`.
    async fn read_line(&mut self) -> Read {
        loop {
            let available = match self.input.fill_buf().await {
                Ok(available) if !available.is_empty() => available,
                Ok(_) | Err(_) if self.line.is_empty() && !self.is_too_long => return Read::End,
                Ok(_) | Err(_) => return self.line(),
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            self.is_too_long |= MAX_LINE_BYTES < self.line.len() + taken;
            if !self.is_too_long {
                self.line.extend_from_slice(available.get(..taken).unwrap_or_default());
            }
            self.input.consume(taken);
            if end.is_some() {
                return self.line();
            }
        }
    }

    /// The line that was read, at its end.
    fn line(&mut self) -> Read {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) { Read::TooLong } else { Read::Line(line) }
    }

    /// The next line, when there is room for an answer. The end where nobody would read it.
    async fn read(&mut self) -> Read {
        let output = self.output.clone();
        if !output.has_room().await {
            return Read::End;
        }
        tokio::select! {
            read = self.read_line() => read,
            () = output.closed() => Read::End,
        }
    }

    /// Answers what the kit never sees.
    fn refuse(&self, refusal: Refusal) {
        // It is on its way, and who does not read cannot be told.
        drop(self.output.put(&refusal.answer()));
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = std::io::Error;

    fn send(
        &mut self,
        mut message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &mut message {
            wire::complete(&mut response.result);
        }
        self.output.put(&message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = match self.read().await {
                Read::Line(line) => line,
                Read::TooLong => {
                    let message = format!("a message has at most {MAX_LINE_BYTES} bytes; a longer one was passed over");
                    self.refuse(Refusal::new(ErrorCode::INVALID_REQUEST, message, None));
                    continue;
                }
                Read::End => {
                    // What still runs for this client would keep the session open.
                    self.engine.close();
                    return None;
                }
            };
            let message = match message(&line) {
                Ok(Some(message)) => message,
                Ok(None) => continue,
                Err(refusal) => {
                    self.refuse(refusal);
                    continue;
                }
            };
            let is_request = matches!(message, RxJsonRpcMessage::<RoleServer>::Request(_));
            if is_request || self.has_begun.load(Ordering::Relaxed) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.written().await;
        Ok(())
    }
}
