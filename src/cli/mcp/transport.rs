//! The messages on standard input and output, for rmcp. This module handles what rmcp does not: it answers invalid
//! lines, ignores messages before the session begins, which would otherwise end it, and reports the end of the input
//! and a closed output at once. While the output queue is full, no further lines are read. While too many requests
//! are waiting, further requests are refused, but all other messages are read.

use super::admission::{Admission, MAX_REQUESTS};
use super::convert;
use super::engine::Engine;
use super::output::Output;
use super::parse::{Refusal, message};
use rmcp::model::{ErrorCode, GetExtensions, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, stdio_pipes};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::Instant;

/// Maximum size of a message, larger than any that the server needs.
const MAX_LINE_BYTES: usize = 4_194_304;

/// The error code of requests that are refused because too many are waiting, from the range that JSON-RPC reserves
/// for servers.
const BUSY: ErrorCode = ErrorCode(-32_000);

/// The transport for rmcp.
pub(super) struct Stdio {
    input: BufReader<StdioReader>,
    output: Output,
    /// The beginning of a line that has not been read completely.
    line: Vec<u8>,
    /// Whether that line is too long, so that the rest of it is skipped.
    is_too_long: bool,
    engine: Arc<Engine>,
    has_begun: Arc<AtomicBool>,
    admission: Admission,
    /// A request that was read and waits for admission.
    next: Option<Next>,
}

/// A request that waits for admission.
struct Next {
    message: RxJsonRpcMessage<RoleServer>,
    /// The length of its line in bytes.
    bytes: usize,
    /// Until when it may wait; `None` if it may not.
    deadline: Option<Instant>,
}

/// The transport for the streams of this process, and its output queue. Until `has_begun`, everything but requests is
/// ignored.
pub(super) fn stdio(engine: Arc<Engine>, has_begun: Arc<AtomicBool>) -> (Stdio, Output) {
    let (read, write) = stdio_pipes();
    let output = Output::new(write);
    let input = BufReader::new(read);
    let (line, admission) = (Vec::new(), Admission::new());
    let stdio =
        Stdio { input, output: output.clone(), line, is_too_long: false, engine, has_begun, admission, next: None };
    (stdio, output)
}

/// What was read from the input.
enum Read {
    Line(Vec<u8>),
    TooLong,
    End,
}

impl Stdio {
    /// Reads the next line; the last one may lack a line feed. Safe to cancel, as a partial line is stored in `self`.
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
                self.line.extend_from_slice(available.split_at(taken).0);
            }
            self.input.consume(taken);
            if end.is_some() {
                return self.line();
            }
        }
    }

    /// Takes the line that has been read completely.
    fn line(&mut self) -> Read {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) { Read::TooLong } else { Read::Line(line) }
    }

    /// Waits until there is room for an answer, and reads the next line. Returns the end if the client no longer
    /// reads.
    async fn read(&mut self) -> Read {
        let output = self.output.clone();
        if !output.has_room().await {
            return Read::End;
        }
        tokio::select! {
            read = self.read_line() => read,
            () = output.wait_until_closed() => Read::End,
        }
    }

    /// The next request, with a permit that it holds until it is answered. If there is no permit in time, the request
    /// is refused.
    async fn admitted(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let Next { bytes, deadline, .. } = self.next.as_ref()?;
        let turn = self.admission.take(*bytes, *deadline).await;
        let JsonRpcMessage::Request(mut request) = self.next.take()?.message else { return None };
        match turn {
            Some(turn) => {
                request.request.extensions_mut().insert(turn);
                Some(JsonRpcMessage::Request(request))
            }
            None => {
                let message = format!(
                    "the server is busy: {MAX_REQUESTS} requests, or a few large ones, are waiting; wait for an \
                         answer before the next request"
                );
                self.refuse(Refusal::new(BUSY, message, Some(request.id)));
                None
            }
        }
    }

    /// Answers a line that rmcp never sees.
    fn refuse(&self, refusal: Refusal) {
        // Do not wait until it is written; a client that does not read cannot be notified.
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
            convert::complete(&mut response.result);
        }
        self.output.put(&message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.next.is_some() {
                match self.admitted().await {
                    Some(request) => return Some(request),
                    None => continue,
                }
            }
            let line = match self.read().await {
                Read::Line(line) => line,
                Read::TooLong => {
                    let message = format!("a message has at most {MAX_LINE_BYTES} bytes; a longer one was skipped");
                    self.refuse(Refusal::new(ErrorCode::INVALID_REQUEST, message, None));
                    continue;
                }
                Read::End => {
                    // Otherwise running requests of this client would keep the session open.
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
            if matches!(message, RxJsonRpcMessage::<RoleServer>::Request(_)) {
                let deadline = self.admission.deadline();
                self.next = Some(Next { message, bytes: line.len(), deadline });
            } else if self.has_begun.load(Ordering::Relaxed) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.written().await;
        Ok(())
    }
}
