//! Parses a line of the input. A line that is not a valid message becomes an error response, with the id of the
//! request if it can be found.

use super::methods;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, NumberOrString, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::{Value, json};

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
        (Some(method), Some(_)) if is_ours && methods::has_wrong_cursor(method, &value) => {
            return refused(ErrorCode::INVALID_PARAMS, &methods::expected(method));
        }
        _ => {}
    }
    let request = method.filter(|_| id.is_some() && is_ours);
    match (serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line), request) {
        // rmcp ignores the id of a request whose parameters it cannot parse, and takes it for a notification.
        (Ok(JsonRpcMessage::Notification(_)) | Err(_), Some(method)) => {
            refused(ErrorCode::INVALID_PARAMS, &methods::expected(method))
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
