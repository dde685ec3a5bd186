//! In: standard input and output. Out: the messages on them, for the protocol's kit. A line that is no message is
//! answered here, as the kit has no place for it; what a client says before its session has begun is passed over,
//! where the kit would end it; the end of the input, and that nobody reads, is told at once. While too much waits to
//! be written, no further line is read; while too many requests wait for an answer, further ones are refused, and
//! all else is read on. Absent: what a message means.

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

/// How many bytes a message has at most: more than any of ours needs.
const MAX_LINE_BYTES: usize = 4_194_304;

/// The code of the error that refuses a request while too many wait, of those that JSON-RPC leaves to servers.
const BUSY: ErrorCode = ErrorCode(-32_000);

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
    admission: Admission,
    /// A request that was read and has no turn yet.
    next: Option<Next>,
}

/// A request on its way in.
struct Next {
    message: RxJsonRpcMessage<RoleServer>,
    /// How many bytes its line has.
    bytes: usize,
    /// Until when it may wait for a turn, if at all.
    deadline: Option<Instant>,
}

/// The messages of this process's own streams, and the one of them that is written to. Until `has_begun`, all but
/// requests is passed over.
pub(super) fn stdio(engine: Arc<Engine>, has_begun: Arc<AtomicBool>) -> (Stdio, Output) {
    let (read, write) = stdio_pipes();
    let output = Output::new(write);
    let input = BufReader::new(read);
    let (line, admission) = (Vec::new(), Admission::new());
    let stdio =
        Stdio { input, output: output.clone(), line, is_too_long: false, engine, has_begun, admission, next: None };
    (stdio, output)
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
            () = output.wait_until_closed() => Read::End,
        }
    }

    /// The request that was read, with a turn that it holds until it is done with. GlobalOptions there is none in time, it is
    /// refused.
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
