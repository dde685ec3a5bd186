//! The session: reads messages in order, answers requests, and ends as the protocol says. A message is JSON behind a
//! header with its length. One that is not valid JSON is reported and the next one is read; only a broken header ends the
//! session.

use super::documents::{Document, Documents, Encoding, path_of_uri};
use super::workspace::Workspace;
use super::{complete, findings, hover, markdown, rename, symbols};
use crate::args::GlobalOptions;
use crate::reply::Exit;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeActionKind, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, TextDocumentSyncKind, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use skilltree::CheckRequest;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};

/// Why a request has no answer.
#[derive(Debug)]
pub(super) struct Refusal {
    code: ErrorCode,
    message: String,
}

impl Refusal {
    fn new(code: ErrorCode, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }

    /// The request is valid, and what it asks for cannot be done.
    pub(super) fn failed(message: impl Into<String>) -> Refusal {
        Refusal::new(ErrorCode::RequestFailed, message)
    }
}

/// How far the session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    ShutDown,
}

pub(super) struct Server {
    options: GlobalOptions,
    request: CheckRequest,
    phase: Phase,
    pub(super) client: Client,
    /// `None` before the session has begun.
    pub(super) workspace: Option<Workspace>,
    pub(super) documents: Documents,
    /// Whether the client still reads.
    is_read: bool,
}

impl Server {
    pub(super) fn new(options: &GlobalOptions, request: CheckRequest) -> Server {
        Server {
            options: options.clone(),
            request,
            phase: Phase::Waiting,
            client: Client::default(),
            workspace: None,
            documents: Documents::default(),
            is_read: true,
        }
    }

    /// Serves until the client says `exit` or its messages end. Success if it has said `shutdown` before.
    pub(super) fn run(&mut self) -> Exit {
        let incoming = incoming();
        let mut queue = Queue { incoming, waiting: VecDeque::new() };
        let mut arrived = Vec::new();
        while self.is_read {
            for id in queue.fill(mem::take(&mut arrived)) {
                let refusal = Refusal::new(ErrorCode::RequestCanceled, "the client has cancelled the request");
                self.respond(id, Err(refusal));
            }
            let next = match queue.waiting.pop_front() {
                Some(next) => {
                    // Findings are sent before the session ends, even if all messages have come at once.
                    if matches!(&next, Incoming::Message(message) if matches!(method(message), Some("shutdown" | "exit")))
                    {
                        findings::publish(self);
                    }
                    next
                }
                None => {
                    // Several changes in a row are checked once.
                    findings::publish(self);
                    match queue.incoming.recv() {
                        Ok(messages) => {
                            arrived = messages;
                            continue;
                        }
                        Err(_) => break,
                    }
                }
            };
            match next {
                Incoming::Invalid(why) => self.sent(write_invalid(ErrorCode::ParseError, &why)),
                Incoming::Message(message) if method(&message) == Some("exit") && message.get("id").is_none() => break,
                Incoming::Message(message) => self.guarded(message),
            }
        }
        if self.phase == Phase::ShutDown { Exit::Success } else { Exit::Negative }
    }

    /// Handles a message. A fault of this program while it does is the answer to a request, and the session goes on.
    fn guarded(&mut self, message: Value) {
        let id = message.get("id").filter(|_| method(&message).is_some()).cloned();
        if catch_unwind(AssertUnwindSafe(|| self.message(message))).is_err() {
            if let Some(id) = id.and_then(|id| serde_json::from_value(id).ok()) {
                self.respond(id, Err(Refusal::new(ErrorCode::InternalError, "the server has failed")));
            }
        }
    }

    fn message(&mut self, mut message: Value) {
        let params = message.get_mut("params").map(Value::take).unwrap_or_default();
        match (method(&message), message.get("id")) {
            (Some(method), None) => self.notification(method, params),
            (Some(method), Some(id)) => match serde_json::from_value::<RequestId>(id.clone()) {
                Ok(id) => {
                    let answer = self.request(method, params);
                    self.respond(id, answer);
                }
                Err(_) => {
                    let why = "expected a text or a number of 32 bits as the id of a request";
                    self.sent(write_invalid(ErrorCode::InvalidRequest, why));
                }
            },
            // The answer to a request of ours, of which there is none that needs one.
            (None, Some(_)) if message.get("result").is_some() || message.get("error").is_some() => {}
            (None, _) => {
                self.sent(write_invalid(ErrorCode::InvalidRequest, "expected an object with a `method`"));
            }
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        let refused = |code, why: &str| Err(Refusal::new(code, why));
        match (self.phase, method) {
            (Phase::Waiting, "initialize") => return self.initialize(&params),
            (Phase::Waiting, _) => return refused(ErrorCode::ServerNotInitialized, "the session has not begun"),
            (Phase::Running, "initialize") => {
                return refused(ErrorCode::InvalidRequest, "the session has begun already");
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                return Ok(Value::Null);
            }
            (Phase::Running, _) => {}
            (Phase::ShutDown, _) => return refused(ErrorCode::InvalidRequest, "the session has been shut down"),
        }
        findings::discover(self);
        match method {
            "textDocument/codeAction" => answer(params, |params| findings::actions(self, &params)),
            "textDocument/completion" => answer(params, |params| complete::complete(self, &params)),
            "textDocument/hover" => answer(params, |params| hover::hover(self, &params)),
            "textDocument/documentLink" => answer(params, |params| markdown::links(self, &params)),
            "textDocument/prepareRename" => answer(params, |params| rename::prepare(self, &params)),
            "textDocument/rename" => answer(params, |params| rename::rename(self, &params)),
            "workspace/willRenameFiles" => answer(params, |params| rename::folders_renamed(self, &params)),
            "textDocument/documentSymbol" => answer(params, |params| symbols::of_document(self, &params)),
            "workspace/symbol" => answer(params, |params| symbols::of_workspace(self, &params)),
            _ => Err(Refusal::new(ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
        }
    }

    /// Begins the session. The parameters are read as far as they are understood: a client may be newer than this.
    fn initialize(&mut self, params: &Value) -> Result<Value, Refusal> {
        if !params.is_object() {
            return Err(Refusal::new(ErrorCode::InvalidParams, "expected an object as parameters"));
        }
        let folder = folder(params).and_then(path_of_uri).filter(|_| self.options.project.is_none());
        let workspace = Workspace::new(&self.options, folder, self.request);
        let workspace = workspace.map_err(|failure| Refusal::failed(failure.message()))?;
        self.workspace = Some(workspace);
        self.client = Client::new(params);
        self.documents.encoding = Encoding::negotiated(&encodings(params));
        self.phase = Phase::Running;
        Ok(initialize_result(self.documents.encoding))
    }

    fn notification(&mut self, method: &str, params: Value) {
        if self.phase != Phase::Running {
            return;
        }
        let handled = match method {
            "initialized" => {
                self.watch_files();
                Ok(())
            }
            "textDocument/didOpen" => read(params).map(|params: DidOpenTextDocumentParams| {
                let document = params.text_document;
                self.documents.open(document.uri.clone(), document.version, document.text);
                self.put(&document.uri);
                self.documents.forget_discovery();
            }),
            "textDocument/didChange" => read(params).map(|params: DidChangeTextDocumentParams| {
                let document = params.text_document;
                self.documents.change(&document.uri, document.version, params.content_changes);
                self.put(&document.uri);
            }),
            "textDocument/didSave" => read(params).map(|_: DidSaveTextDocumentParams| self.files_changed()),
            "textDocument/didClose" => {
                read(params).map(|params: DidCloseTextDocumentParams| self.close(&params.text_document.uri))
            }
            "workspace/didChangeWatchedFiles" => {
                self.files_changed();
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(why) = handled {
            let message = format!("`{method}` was ignored: {}", why.message);
            self.notify("window/logMessage", json!({"type": 2, "message": message}));
        }
    }

    /// Puts the text of a document in place of its file.
    fn put(&mut self, uri: &Uri) {
        let document = self.documents.get(uri);
        if let (Some(workspace), Some(Document { path: Some(path), opened, text, .. })) =
            (&mut self.workspace, document)
        {
            workspace.put(path, *opened, text.as_str());
        }
    }

    /// The findings of a document are taken back when it is closed.
    fn close(&mut self, uri: &Uri) {
        let Some(document) = self.documents.open.remove(uri.as_str()) else { return };
        let Some(workspace) = self.workspace.as_mut().filter(|_| document.path.is_some()) else { return };
        workspace.remove(document.opened);
        self.documents.forget_discovery();
        self.notify("textDocument/publishDiagnostics", json!({"uri": uri, "diagnostics": []}));
    }

    fn files_changed(&mut self) {
        if let Some(workspace) = &mut self.workspace {
            workspace.files_changed();
        }
        self.documents.forget_discovery();
    }

    /// Asks the client to report changes of files that decide about skills.
    fn watch_files(&mut self) {
        if !self.client.watches_files {
            return;
        }
        // Skills and commands, whose names are not case-sensitive everywhere, and settings.
        let globs = ["**/*.[mM][dD]", "**/*.json", "**/*.jsonc", "**/*.toml", "**/*.yaml"];
        let watchers: Vec<Value> = globs.iter().map(|glob| json!({"globPattern": glob})).collect();
        let registration = json!({
            "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": {"watchers": watchers},
        });
        let params = json!({"registrations": [registration]});
        let id = RequestId::from("watch-files".to_owned());
        self.send(&Message::Request(Request { id, method: "client/registerCapability".to_owned(), params }));
    }

    /// The workspace, and the open document at an address.
    pub(super) fn open(&self, uri: &Uri) -> Result<(&Workspace, &Document), Refusal> {
        let document = self.documents.get(uri);
        let document = document.ok_or_else(|| Refusal::failed(format!("`{}` is not open", uri.as_str())))?;
        Ok((self.workspace()?, document))
    }

    pub(super) fn workspace_mut(&mut self) -> Result<&mut Workspace, Refusal> {
        self.workspace.as_mut().ok_or_else(|| Refusal::failed("the session has not begun"))
    }

    pub(super) fn workspace(&self) -> Result<&Workspace, Refusal> {
        self.workspace.as_ref().ok_or_else(|| Refusal::failed("the session has not begun"))
    }

    pub(super) fn notify(&mut self, method: &str, params: impl serde::Serialize) {
        match serde_json::to_value(params) {
            Ok(params) => self.send(&Message::Notification(Notification { method: method.to_owned(), params })),
            Err(error) => debug_assert!(false, "{method}: {error}"),
        }
    }

    fn respond(&mut self, id: RequestId, answer: Result<Value, Refusal>) {
        let response = match answer {
            Ok(result) => Response { id, response_result: Ok(result) },
            Err(Refusal { code, message }) => Response::new_err(id, code as i32, message),
        };
        self.send(&Message::Response(response));
    }

    fn send(&mut self, message: &Message) {
        self.sent(message.write(&mut io::stdout().lock()));
    }

    /// Notes that nobody reads any more.
    fn sent(&mut self, sent: io::Result<()>) {
        self.is_read &= sent.is_ok();
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    serde_json::from_value(params).map_err(|error| Refusal::new(ErrorCode::InvalidParams, error.to_string()))
}

/// Answers a request with these parameters.
fn answer<P: DeserializeOwned, R: serde::Serialize>(
    params: Value,
    answer: impl FnOnce(P) -> Result<R, Refusal>,
) -> Result<Value, Refusal> {
    serde_json::to_value(answer(read(params)?)?)
        .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))
}

fn method(message: &Value) -> Option<&str> {
    message.get("method")?.as_str()
}

/// The messages that have arrived and are not answered yet.
struct Queue {
    incoming: Receiver<Vec<Incoming>>,
    waiting: VecDeque<Incoming>,
}

impl Queue {
    /// Takes these messages, and what has arrived in the meantime. The ids of requests that the client no longer wants are
    /// returned.
    fn fill(&mut self, arrived: Vec<Incoming>) -> Vec<RequestId> {
        let mut cancelled = Vec::new();
        for next in arrived.into_iter().chain(self.incoming.try_iter().flatten()) {
            match &next {
                Incoming::Message(message) if method(message) == Some("$/cancelRequest") => {
                    let wanted = message.pointer("/params/id");
                    let is_it = |waiting: &Incoming| {
                        matches!(waiting, Incoming::Message(request)
                            if wanted.is_some() && request.get("id") == wanted && method(request).is_some())
                    };
                    if let Some(request) = self.waiting.iter().position(is_it) {
                        self.waiting.remove(request);
                        cancelled.extend(wanted.cloned().and_then(|id| serde_json::from_value(id).ok()));
                    }
                }
                _ => self.waiting.push_back(next),
            }
        }
        cancelled
    }
}

/// What the client can do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    /// It reports changes of files that it is asked to watch.
    watches_files: bool,
    /// It carries out renames of files among the edits of documents.
    pub(super) renames_files: bool,
}

impl Client {
    pub(super) fn new(params: &Value) -> Client {
        let is = |pointer: &str| params.pointer(pointer).and_then(Value::as_bool) == Some(true);
        let operations = params.pointer("/capabilities/workspace/workspaceEdit/resourceOperations");
        let has_rename = |operations: &Value| {
            operations.as_array().is_some_and(|names| names.iter().any(|name| name.as_str() == Some("rename")))
        };
        Client {
            watches_files: is("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration"),
            // Not every client that does so names `documentChanges` too, of which the operations are a part.
            renames_files: operations.is_some_and(has_rename),
        }
    }
}

/// The address of the folder that is open in the editor; of several, that of the first.
pub(super) fn folder(params: &Value) -> Option<&str> {
    let first = params.pointer("/workspaceFolders/0/uri");
    first.or_else(|| params.get("rootUri")).and_then(Value::as_str)
}

/// The units of columns that the client offers.
fn encodings(params: &Value) -> Vec<&str> {
    let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
    offered.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn initialize_result(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding.kind(),
            "textDocumentSync": {"openClose": true, "change": TextDocumentSyncKind::INCREMENTAL, "save": true},
            "codeActionProvider": {"codeActionKinds": [CodeActionKind::QUICKFIX, CodeActionKind::SOURCE_FIX_ALL]},
            "completionProvider": {"triggerCharacters": [" ", ":", "/", "(", "`", "[", "-"]},
            "hoverProvider": true,
            "documentLinkProvider": {"resolveProvider": false},
            "renameProvider": {"prepareProvider": true},
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "workspace": {
                "fileOperations": {
                    "willRename": {"filters": [{"scheme": "file", "pattern": {"glob": "**", "matches": "folder"}}]},
                },
            },
        },
        "serverInfo": {"name": "skilltree", "version": env!("CARGO_PKG_VERSION")},
    })
}

const MAX_HEADER_BYTES: u64 = 4_096;

/// Maximum length of a message in bytes. A SKILL.md of the greatest length fits hundreds of times.
const MAX_MESSAGE_BYTES: u64 = 1 << 28;

/// What arrives on standard input.
enum Incoming {
    Message(Value),
    /// A message that is too long or not valid JSON, and why.
    Invalid(String),
}

/// Bytes of standard input that are read at once: the documents that an editor opens as it starts.
const READ_BYTES: usize = 1 << 20;

/// Reads standard input on a thread of its own until it ends or a header is broken, and closes the channel then. Messages
/// that arrive together are sent together, so that documents which are opened together are checked once, however the
/// threads take turns.
fn incoming() -> Receiver<Vec<Incoming>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut input = BufReader::with_capacity(READ_BYTES, io::stdin());
        let mut together = Vec::new();
        while let Ok(Some(incoming)) = read_message(&mut input) {
            together.push(incoming);
            if input.buffer().is_empty() && sender.send(mem::take(&mut together)).is_err() {
                return;
            }
        }
        // What was complete before a broken message. Nobody listens any more if this fails.
        let _ = sender.send(together);
    });
    receiver
}

/// Reads one message; `None` at the end of the input.
fn read_message(input: &mut dyn BufRead) -> io::Result<Option<Incoming>> {
    let broken = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8(line).map_err(|_| broken("the header is not UTF-8"))?;
        let line = line.strip_suffix('\n').ok_or_else(|| broken("the header does not end"))?.trim_end_matches('\r');
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| broken("the header has no colon"))?;
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            length = Some(value.trim().parse::<u64>().map_err(|_| broken("the length is not a number"))?);
        }
    }
    let length = length.ok_or_else(|| broken("the header has no length"))?;
    let mut body = input.take(length);
    if MAX_MESSAGE_BYTES < length {
        io::copy(&mut body, &mut io::sink())?;
        return Ok(Some(Incoming::Invalid(format!("expected at most {MAX_MESSAGE_BYTES} bytes, got {length}"))));
    }
    let mut bytes = Vec::new();
    if (body.read_to_end(&mut bytes)? as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Invalid(error.to_string()),
    }))
}

/// Answers what has no usable id.
fn write_invalid(code: ErrorCode, why: &str) -> io::Result<()> {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code as i32, "message": why}}).to_string();
    let mut output = io::stdout().lock();
    write!(output, "Content-Length: {}\r\n\r\n{error}", error.len())?;
    output.flush()
}
