//! In: a line of the input. Out: the message in it, or the answer to what is none, with the id of the request where
//! one can be made out. Absent: how lines come and go, and what a message means.

use super::methods;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, NumberOrString, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::{Value, json};

/// Why a line is no message.
pub(super) struct Refusal {
    error: ErrorData,
    id: Option<RequestId>,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode, message: String, id: Option<RequestId>) -> Refusal {
        Refusal { error: ErrorData::new(code, message, None), id }
    }

    /// The answer. Its id is null where the request's is not known, as JSON-RPC wants it; the kit would leave it out.
    pub(super) fn answer(self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id.map(NumberOrString::into_json_value), "error": self.error})
    }
}

/// The message in a line. None for what nobody waits for: a blank line, a notification that is not known, a response
/// that is none.
pub(super) fn message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        // What stands in the line is not repeated.
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
    match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
        // With an id it is a request, of which the kit knows nothing but the method.
        Ok(JsonRpcMessage::Notification(_)) | Err(_) if method.is_some() && id.is_some() && is_ours => {
            refused(ErrorCode::INVALID_PARAMS, &methods::expected(method.unwrap_or_default()))
        }
        Ok(message) => Ok(Some(message)),
        Err(_) if method.is_some() && id.is_none() => Ok(None),
        // An answer to an answer could be answered likewise, for ever.
        Err(_) if method.is_none() && (value.get("result").is_some() || value.get("error").is_some()) => Ok(None),
        Err(_) => refused(
            ErrorCode::INVALID_REQUEST,
            "expected a JSON-RPC 2.0 request, notification or response, one per line",
        ),
    }
}

/// The value of `id` at the top of what looks like an object, though it is no JSON, or none that can be read: half a
/// surrogate, a number beyond all bounds, a nesting too deep, bytes that are no UTF-8.
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

/// The id that a text begins with.
fn id_of(text: &[u8]) -> Option<RequestId> {
    if text.first() == Some(&b'"') {
        let id: String = serde_json::from_slice(text.get(..string_end(text, 1)?)?).ok()?;
        return Some(NumberOrString::String(id.into()));
    }
    let end = text.iter().position(|byte| matches!(byte, b',' | b'}' | b' ' | b'\t' | b'\r'))?;
    serde_json::from_slice(text.get(..end)?).ok().map(NumberOrString::Number)
}

/// GlobalOptions a text in quotes ends, its closing quote included.
fn string_end(line: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match line.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
