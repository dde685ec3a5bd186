//! Converts JSON and errors of the library to the types of rmcp.

use rmcp::ErrorData;
use rmcp::model::{JsonObject, ResultType, ServerResult};
use serde_json::Value;
use skilltree::{Json, visible};

/// Maximum length of a message, which may quote what a client sent.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// Maximum length of what is quoted of a client's message.
const MAX_SHOWN_CHARS: usize = 100;

/// Converts JSON to the type of serde_json.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        // A number that is too large for serde_json stays as it is written.
        Json::Number(text) => text.parse().map_or_else(|_| Value::String(text.clone()), Value::Number),
        Json::Text(text) => Value::String(text.clone()),
        Json::List(items) => items.iter().map(value).collect(),
        Json::Map(fields) => fields.iter().map(|(key, field)| (key.clone(), value(field))).collect(),
    }
}

/// Converts a JSON object; `None` for any other value.
pub(super) fn object(json: &Json) -> Option<JsonObject> {
    match value(json) {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Converts a JSON value to a type of rmcp.
pub(super) fn typed<T: serde::de::DeserializeOwned>(json: &Json) -> Result<T, ErrorData> {
    serde_json::from_value(value(json)).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Adds the fields that the Skills extension requires in each of its results. rmcp omits them in sessions of older
/// revisions, which clients of the extension use as well.
pub(super) fn complete(result: &mut ServerResult) {
    let result_type = match result {
        ServerResult::ListSkillsResult(result) => &mut result.result_type,
        ServerResult::GetSkillResult(result) => &mut result.result_type,
        ServerResult::ReadResourceResult(result) => &mut result.result_type,
        // The result of `resources/list` and of `resources/directory/read`.
        ServerResult::ListResourcesResult(result) => &mut result.result_type,
        _ => return,
    };
    result_type.get_or_insert(ResultType::COMPLETE);
    result.fill_missing_cache_hints();
}

/// Shortens a long message.
pub(super) fn brief(message: &str) -> String {
    cut(message, MAX_MESSAGE_CHARS)
}

/// Escapes and shortens what a client sent.
pub(super) fn shown(text: &str) -> String {
    cut(&visible(text), MAX_SHOWN_CHARS)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.split_at(end).0),
        None => text.to_owned(),
    }
}

/// The error response to a request.
pub(super) fn error(code: &str, message: &str) -> ErrorData {
    let data = value(&Json::map([("code", Json::from(code))]));
    ErrorData::invalid_params(brief(message), Some(data))
}

/// Bytes in base64 (RFC 4648, section 4).
pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |n: usize| u32::from(three.get(n).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for n in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * n) & 63) as usize];
            out.push(if n <= three.len() { char::from(digit) } else { '=' });
        }
    }
    out
}
