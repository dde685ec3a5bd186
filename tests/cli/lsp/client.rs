//! A client over pipes: sends requests, keeps notifications, and applies edits to the texts that it has open.

use crate::program::Place;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long a message may take on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: i32,
    pub(super) texts: BTreeMap<String, String>,
}

impl Client {
    /// A client that has not begun the session.
    pub(super) fn silent(place: &Place, words: &[&str]) -> Client {
        let mut command = place.command(&[&["lsp"], words].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        Client { input: child.stdin.take(), child, messages, next: 0, texts: BTreeMap::new() }
    }

    /// A client that can do what most editors can.
    pub(super) fn new(place: &Place, words: &[&str]) -> Client {
        let edits = json!({"documentChanges": true, "resourceOperations": ["create", "rename", "delete"]});
        Client::able(place, words, json!({"workspace": {"workspaceEdit": edits}})).0
    }

    /// A client with these capabilities, and the answer to `initialize`.
    pub(super) fn able(place: &Place, words: &[&str], capabilities: Value) -> (Client, Value) {
        let mut client = Client::silent(place, words);
        let root = uri(place, "/project");
        let folders = json!([{"uri": root, "name": "project"}]);
        let answer = client.request(
            "initialize",
            json!({
                "processId": null, "rootUri": root, "workspaceFolders": folders, "capabilities": capabilities,
            }),
        );
        client.notify("initialized", json!({}));
        (client, answer)
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.raw(&framed(message));
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The whole answer to a request.
    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.answer(&json!(self.next))
    }

    /// The answer to the request with this id.
    #[track_caller]
    pub(super) fn answer(&mut self, id: &Value) -> Value {
        self.until(|message| message.get("id") == Some(id) && message.get("method").is_none())
    }

    /// The result of a request.
    #[track_caller]
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        answer.get("result").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
    }

    /// The next message that is wanted; others are passed over.
    #[track_caller]
    pub(super) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let next = self.messages.recv_timeout(PATIENCE).expect("a message in time");
            if is_wanted(&next) {
                return next;
            }
        }
    }

    /// All messages that are still to come.
    pub(super) fn rest(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.messages.recv_timeout(PATIENCE).ok()).collect()
    }

    pub(super) fn open(&mut self, uri: &str, text: &str) {
        self.texts.insert(uri.to_owned(), text.to_owned());
        let document = json!({"uri": uri, "languageId": "markdown", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub(super) fn change(&mut self, uri: &str, version: i32, changes: &Value) {
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    /// Replaces the whole text.
    pub(super) fn replace(&mut self, uri: &str, version: i32, text: &str) {
        self.texts.insert(uri.to_owned(), text.to_owned());
        self.change(uri, version, &json!([{"text": text}]));
    }

    /// The next findings about a document.
    #[track_caller]
    pub(super) fn findings(&mut self, uri: &str) -> Vec<Value> {
        let is_it =
            |message: &Value| message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri;
        self.until(is_it)["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// Applies the edits of a document to the text that is open, and returns it. Positions count UTF-16.
    #[track_caller]
    pub(super) fn apply(&mut self, uri: &str, edits: &Value) -> String {
        let text = self.texts.get_mut(uri).expect("it is open");
        *text = applied(text, edits.as_array().expect("a list"));
        text.clone()
    }

    /// Ends the session; the exit code.
    pub(super) fn end(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.ended()
    }

    /// Closes the input; the exit code.
    pub(super) fn ended(&mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().expect("the process is ours").code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn framed(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|read| *read != 0)?;
        match line.trim_end().split_once(": ") {
            Some((_, value)) => length = value.parse().expect("a length"),
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).expect("JSON"))
}

/// The address of a file of the place.
pub(super) fn uri(place: &Place, path: &str) -> String {
    format!("file://{}", place.named(path))
}

/// The offset in a text of a position that counts UTF-16.
pub(super) fn offset(text: &str, position: &Value) -> usize {
    let (line, character) =
        (position["line"].as_u64().expect("a line"), position["character"].as_u64().expect("a column"));
    let start: usize = text.split_inclusive('\n').take(usize::try_from(line).expect("small")).map(str::len).sum();
    let mut units = 0;
    let before = text[start..].chars().take_while(|c| {
        let is_before = units < character;
        units += c.len_utf16() as u64;
        is_before
    });
    start + before.map(char::len_utf8).sum::<usize>()
}

/// A text with edits that do not overlap.
pub(super) fn applied(text: &str, edits: &[Value]) -> String {
    let span = |edit: &Value| (offset(text, &edit["range"]["start"]), offset(text, &edit["range"]["end"]));
    let mut edits: Vec<&Value> = edits.iter().collect();
    edits.sort_by_key(|edit| span(edit));
    let mut text_so_far = text.to_owned();
    for edit in edits.into_iter().rev() {
        let (start, end) = span(edit);
        text_so_far.replace_range(start..end, edit["newText"].as_str().expect("a text"));
    }
    text_so_far
}

/// A part of a text in a document, as the position of its first character.
pub(super) fn position(text: &str, part: &str) -> Value {
    let at = text.find(part).unwrap_or_else(|| panic!("`{part}` is in the text"));
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    json!({"line": line, "character": text[start..at].encode_utf16().count()})
}
