//! In: the library's JSON, and why there is no answer. Out: the same for the protocol's kit, and back.

use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde_json::{Number, Value};
use skilltree::Json;

/// A value as the kit has it. Its depth is bounded where it was read.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        // What the kit cannot count with stays as it was written.
        Json::Number(text) => text.parse::<Number>().map_or_else(|_| Value::String(text.clone()), Value::Number),
        Json::Text(text) => Value::String(text.clone()),
        Json::List(items) => Value::Array(items.iter().map(value).collect()),
        Json::Map(_) => Value::Object(object(json)),
    }
}

/// A map as the kit has it; empty for what is no map.
pub(super) fn object(json: &Json) -> JsonObject {
    match json {
        Json::Map(fields) => fields.iter().map(|(key, field)| (key.clone(), value(field))).collect(),
        _ => JsonObject::new(),
    }
}

/// Why a request has no answer, where there is no other place to say it.
pub(super) fn error(code: &str, message: String) -> ErrorData {
    let data = value(&Json::map([("code", Json::from(code))]));
    ErrorData::invalid_params(message, Some(data))
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
