//! The messages on standard input and output, for rmcp. This module handles what rmcp does not: it answers invalid
//! lines, ignores messages before the session begins, which would otherwise end it, and reports the end of the input
//! and a closed output at once. While the output queue is full, no further lines are read. While too many requests
//! are waiting, further requests are refused, but all other messages are read.

use super::convert::{complete_result, shown, unknown_method};
use super::engine::Engine;
use super::tools::READ;
use rmcp::model::{ErrorCode, ErrorData, GetExtensions, JsonRpcMessage, NumberOrString, ProtocolVersion, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, stdio_pipes};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{Error, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

/// Maximum size of a message, larger than any that the server needs.
const MAX_LINE_BYTES: usize = 4_194_304;

/// The error code of requests that are refused because too many are waiting, from the range that JSON-RPC reserves
/// for servers.
const BUSY: ErrorCode = ErrorCode(-32_000);

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
    /// reads, or the server is told to end.
    async fn read(&mut self) -> Read {
        let (output, engine) = (self.output.clone(), Arc::clone(&self.engine));
        let next = async {
            match output.has_room().await {
                true => self.read_line().await,
                false => Read::End,
            }
        };
        tokio::select! {
            read = next => read,
            () = output.wait_until_closed() => Read::End,
            () = engine.wait_until_closed() => Read::End,
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
        drop(self.output.put(&refusal.answer(), None));
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = std::io::Error;

    fn send(
        &mut self,
        mut message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let mut id = None;
        match &mut message {
            JsonRpcMessage::Response(response) => {
                complete_result(&mut response.result);
                id = Some(response.id.clone());
            }
            JsonRpcMessage::Error(error) if error.error.code == ErrorCode::METHOD_NOT_FOUND => {
                error.error.message = unknown_method(&error.error.message).into();
            }
            _ => {}
        }
        self.output.put(&message, id)
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

const MAX_REQUESTS: usize = 256;

/// Maximum total size of the waiting requests in KiB. A parsed request takes several times as much memory.
const MAX_KIB: u32 = 8_192;

/// How long a request over the limit waits.
const PATIENCE: Duration = Duration::from_millis(250);

/// Counts a request as waiting until it is dropped.
#[derive(Clone)]
struct Permit {
    _permits: Arc<[OwnedSemaphorePermit; 2]>,
}

/// The limits, and how much of them is used.
struct Admission {
    requests: Arc<Semaphore>,
    kib: Arc<Semaphore>,
    /// Whether a request was refused and half of the limit is not free again yet; until then, requests over the limit
    /// are refused at once.
    is_full: bool,
}

impl Admission {
    pub(super) fn new() -> Admission {
        let (requests, kib) = (Arc::new(Semaphore::new(MAX_REQUESTS)), Arc::new(Semaphore::new(MAX_KIB as usize)));
        Admission { requests, kib, is_full: false }
    }

    /// Until when a new request may wait; `None` if it may not.
    fn deadline(&mut self) -> Option<Instant> {
        self.is_full &= self.requests.available_permits() < MAX_REQUESTS / 2;
        (!self.is_full).then(|| Instant::now() + PATIENCE)
    }

    /// A permit for a request of this size; `None` if there is none before the deadline. Safe to cancel.
    pub(super) async fn take(&mut self, bytes: usize, deadline: Option<Instant>) -> Option<Permit> {
        let (requests, all) = (Arc::clone(&self.requests), Arc::clone(&self.kib));
        let kib = u32::try_from(bytes.div_ceil(1_024)).map_or(MAX_KIB, |kib| kib.min(MAX_KIB));
        let permits = match deadline {
            // Without a timer, as many requests may have to be refused.
            None => requests.try_acquire_owned().ok().zip(all.try_acquire_many_owned(kib).ok()),
            Some(deadline) => {
                let both = async { (requests.acquire_owned().await.ok()).zip(all.acquire_many_owned(kib).await.ok()) };
                timeout_at(deadline, both).await.ok().flatten()
            }
        };
        self.is_full |= permits.is_none();
        permits.map(|(request, kib)| Permit { _permits: Arc::new([request, kib]) })
    }
}

/// The error response to a line that is not a valid message.
pub(super) struct Refusal {
    error: ErrorData,
    id: Option<RequestId>,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode, message: String, id: Option<RequestId>) -> Refusal {
        Refusal { error: ErrorData::new(code, message, None), id }
    }

    /// The response. JSON-RPC requires the id `null` if that of the request is unknown; rmcp would omit it.
    pub(super) fn answer(self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id.map(NumberOrString::into_json_value), "error": self.error})
    }
}

/// Parses the message on a line. Lines that need no response are `None`: blank lines, unknown notifications, and
/// invalid responses.
pub(super) fn message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        // The error does not quote the line.
        let message = format!("expected a JSON-RPC 2.0 message on one line: {error}");
        Refusal::new(ErrorCode::PARSE_ERROR, message, id_within(line))
    })?;
    let id = match value.get("id") {
        None => None,
        Some(Value::String(id)) => Some(Some(NumberOrString::String(id.as_str().into()))),
        Some(id) => Some(id.as_i64().map(NumberOrString::Number)),
    };
    let method = value.get("method").and_then(Value::as_str);
    let is_ours = value.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    let refused = |code, message: &str| Err(Refusal::new(code, message.to_owned(), id.clone().flatten()));
    match (method, &id) {
        (Some(_), Some(None)) => {
            return refused(ErrorCode::INVALID_REQUEST, "the id of a request must be a string or a 64-bit integer");
        }
        (Some(method), Some(_)) if is_ours && has_wrong_cursor(method, &value) => {
            return refused(ErrorCode::INVALID_PARAMS, &expected_parameters(method));
        }
        // rmcp would begin a session, whatever the request says of its revision.
        (Some(method @ "initialize"), Some(_)) if is_ours && !is_of_a_session(&value) => {
            return refused(ErrorCode::METHOD_NOT_FOUND, &unknown_method(method));
        }
        _ => {}
    }
    let request = method.filter(|_| id.is_some() && is_ours);
    match (serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line), request) {
        // rmcp ignores the id of a request whose parameters it cannot parse, and takes it for a notification.
        (Ok(JsonRpcMessage::Notification(_)) | Err(_), Some(method)) => {
            refused(ErrorCode::INVALID_PARAMS, &expected_parameters(method))
        }
        (Ok(message), _) => Ok(Some(message)),
        (Err(_), _) if method.is_some() && id.is_none() => Ok(None),
        // Responses to responses could go on for ever.
        (Err(_), _) if method.is_none() && (value.get("result").is_some() || value.get("error").is_some()) => Ok(None),
        (Err(_), _) => refused(
            ErrorCode::INVALID_REQUEST,
            "expected a JSON-RPC 2.0 request, notification or response, one per line",
        ),
    }
}

/// The top-level `id` of an object that serde_json cannot parse because of half a surrogate pair, a number out of
/// range, deep nesting, or bytes that are not UTF-8.
fn id_within(line: &[u8]) -> Option<RequestId> {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = line.get(at) {
        at += 1;
        match byte {
            _ if depth == 0 && *byte != b'{' => return None,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let begin = at - 1;
                at = string_end(line, at)?;
                let after = line.get(at..)?.trim_ascii_start();
                if depth == 1 && line.get(begin..at) == Some(b"\"id\"") && after.first() == Some(&b':') {
                    return id_of(after.get(1..)?.trim_ascii_start());
                }
            }
            _ => {}
        }
    }
    None
}

/// Parses the id at the beginning of a text.
fn id_of(text: &[u8]) -> Option<RequestId> {
    if text.first() == Some(&b'"') {
        let id: String = serde_json::from_slice(text.get(..string_end(text, 1)?)?).ok()?;
        return Some(NumberOrString::String(id.into()));
    }
    let end = text.iter().position(|byte| matches!(byte, b',' | b'}' | b' ' | b'\t' | b'\r'))?;
    serde_json::from_slice(text.get(..end)?).ok().map(NumberOrString::Number)
}

/// The position after the closing quote of a string.
fn string_end(line: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match line.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Each method with a description of its parameters.
const METHODS: &[(&str, &str)] = &[
    ("completion/complete", "`ref` and `argument`"),
    ("initialize", "`protocolVersion`, `capabilities` and `clientInfo`"),
    ("prompts/get", "`name`, a string, and optionally `arguments`, an object"),
    ("prompts/list", LIST),
    ("resources/directory/read", "`uri`, a string, and optionally `cursor`, a string from an earlier answer"),
    ("resources/list", LIST),
    ("resources/read", "`uri`, a string"),
    ("resources/templates/list", LIST),
    ("server/discover", "nothing but `_meta`"),
    ("skills/get", "`uri`, a string"),
    ("skills/list", LIST),
    ("subscriptions/listen", "`notifications`, an object"),
    ("tools/call", "`name`, a string, and optionally `arguments`, an object"),
    ("tools/list", LIST),
];

const LIST: &str = "only `cursor`, a string from an earlier answer";

pub(super) fn is_known_method(method: &str) -> bool {
    METHODS.iter().any(|(known, _)| *known == method)
}

pub(super) fn expected_parameters(method: &str) -> String {
    let takes = METHODS.iter().find(|(known, _)| *known == method).map_or("an object", |(_, takes)| *takes);
    format!("invalid parameters for `{}`: expected {takes}", shown(method))
}

/// Whether a request for a list has a cursor that is not a string. rmcp would ignore such a cursor.
fn has_wrong_cursor(method: &str, request: &Value) -> bool {
    let takes_cursor = METHODS.iter().any(|(known, takes)| *known == method && takes.contains("`cursor`"));
    let cursor = request.get("params").and_then(|params| params.get("cursor"));
    takes_cursor && cursor.is_some_and(|cursor| !cursor.is_string() && !cursor.is_null())
}

/// Whether a request says nothing of its revision, as that of a session does, or names one that has sessions.
fn is_of_a_session(request: &Value) -> bool {
    let meta = request.pointer("/params/_meta");
    let revision = meta.and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
    revision.and_then(Value::as_str).is_none_or(|revision| revision < ProtocolVersion::NO_INITIALIZE.as_str())
}

/// Maximum size of an answer. The SDKs for JavaScript end the connection at 10 MiB, with what they have read of the
/// next message.
const MAX_ANSWER_BYTES: usize = 10_000_000;

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

    /// Appends a message at once, or an error if it is the answer to a request of this id and too large. The returned
    /// future completes when it is written.
    pub(super) fn put<M: Serialize>(
        &self,
        message: &M,
        id: Option<RequestId>,
    ) -> impl Future<Output = Result<(), Error>> + Send + use<M> {
        let (is_written, written) = oneshot::channel();
        let put = serde_json::to_vec(message).and_then(|bytes| match id {
            Some(id) if MAX_ANSWER_BYTES < bytes.len() => serde_json::to_vec(&too_large(bytes.len(), id)),
            _ => Ok(bytes),
        });
        let put = put.map_err(Error::from).and_then(|mut bytes| {
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

fn too_large(bytes: usize, id: RequestId) -> Value {
    let message = format!(
        "the answer has {bytes} bytes, expected at most {MAX_ANSWER_BYTES}, because clients end the connection at a \
             larger one; the tool `{READ}` returns a text file in parts"
    );
    Refusal::new(ErrorCode::INTERNAL_ERROR, message, Some(id)).answer()
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
