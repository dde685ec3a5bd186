//! In: standard input and output. Out: the messages on them, for the protocol's kit. A request that is none is
//! answered here, as the kit has no place for it; what a client says before its session has begun is passed over,
//! where the kit would end it; the end of the input is told at once. Absent: what a message means.

use super::engine::Engine;
use super::wire::shown;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, NumberOrString, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncBufReadExt, BufReader, Empty};

/// How many bytes a message has at most: more than any of ours needs.
const MAX_LINE_BYTES: usize = 4_194_304;

/// The two streams as messages.
pub(super) struct Stdio {
    input: BufReader<StdioReader>,
    output: AsyncRwTransport<RoleServer, Empty, StdioWriter>,
    /// What was read of a line that is not at its end yet.
    line: Vec<u8>,
    /// Whether that line is too long, so that the rest of it is passed over.
    is_too_long: bool,
    engine: Arc<Engine>,
    has_begun: Arc<AtomicBool>,
}

/// The messages of this process's own streams. Until `has_begun`, all but requests is passed over.
pub(super) fn stdio(engine: Arc<Engine>, has_begun: Arc<AtomicBool>) -> Stdio {
    let (read, write) = stdio_pipes();
    Stdio {
        input: BufReader::new(read),
        output: AsyncRwTransport::new_server(tokio::io::empty(), write),
        line: Vec::new(),
        is_too_long: false,
        engine,
        has_begun,
    }
}

/// What stands in the input.
enum Read {
    Line(Vec<u8>),
    TooLong,
    End,
}

impl Stdio {
    /// The next line. Nothing is lost where this is given up half way: what was read stays in `self`.
    async fn read_line(&mut self) -> Read {
        loop {
            let available = match self.input.fill_buf().await {
                Ok(available) if !available.is_empty() => available,
                Ok(_) | Err(_) => return Read::End,
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            self.is_too_long |= MAX_LINE_BYTES < self.line.len() + taken;
            if !self.is_too_long {
                self.line.extend_from_slice(available.get(..taken).unwrap_or_default());
            }
            self.input.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return if std::mem::take(&mut self.is_too_long) { Read::TooLong } else { Read::Line(line) };
            }
        }
    }

    /// Answers what the kit never sees.
    fn refuse(&mut self, refusal: Refusal) {
        let error = ErrorData::new(refusal.code, refusal.message, None);
        // Who does not read cannot be told.
        tokio::spawn(self.output.send(JsonRpcMessage::error(error, refusal.id)));
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = match self.read_line().await {
                Read::Line(line) => line,
                Read::TooLong => {
                    let message = format!("a message has at most {MAX_LINE_BYTES} bytes; a longer one was passed over");
                    self.refuse(Refusal { code: ErrorCode::INVALID_REQUEST, message, id: None });
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
        self.output.close().await
    }
}

/// Why a line is no message.
struct Refusal {
    code: ErrorCode,
    message: String,
    id: Option<RequestId>,
}

/// The message in a line. None for what nobody waits for: a blank line, a notification that is not known. What is no
/// JSON is passed over too: an answer to it could be answered likewise, for ever.
fn message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let Ok(value) = serde_json::from_slice::<Value>(line) else { return Ok(None) };
    let id = match value.get("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(Some(NumberOrString::String(id.as_str().into()))),
        Some(id) => Some(id.as_i64().map(NumberOrString::Number)),
    };
    let is_ours = value.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    match (value.get("method").and_then(Value::as_str), id) {
        (Some(_), None) => Ok(None),
        (Some(method), Some(id @ Some(_))) if is_ours => {
            let message = format!("the parameters are not what `{}` takes", shown(method));
            Err(Refusal { code: ErrorCode::INVALID_PARAMS, message, id })
        }
        (_, id) => {
            let message = "expected a request, a notification or a response of JSON-RPC 2.0, one a line".to_owned();
            Err(Refusal { code: ErrorCode::INVALID_REQUEST, message, id: id.flatten() })
        }
    }
}
