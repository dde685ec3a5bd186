//! Makes the results of tools: text for the model, and what else is known for the host.

use super::convert;
use crate::hints::error_message;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::Value;
use skilltree::{Error, Json};

/// The metadata field of a result with everything else that is known about a loaded skill, for hosts.
const ANSWER: &str = "skilltree/answer";

/// A result with text for the model, and metadata for the host. Several clients pass structured content to the model
/// instead of the text, so there is none.
pub(super) fn loaded(text: &str, known: Json) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    let rest = match known {
        Json::Map(fields) => Json::Map(fields.into_iter().filter(|(name, _)| name != "text").collect()),
        other => other,
    };
    result.meta = Some(MetaObject(JsonObject::from_iter([(ANSWER.to_owned(), convert::value(&rest))])));
    result
}

/// Adds to the metadata for the host what a user sees of the call.
pub(super) fn with_view(mut result: CallToolResult, view: Option<String>) -> CallToolResult {
    let Some(view) = view else { return result };
    let meta = result.meta.get_or_insert_with(|| MetaObject(JsonObject::new()));
    let answer = meta.0.entry(ANSWER).or_insert_with(|| Value::Object(JsonObject::new()));
    if let Value::Object(fields) = answer {
        fields.insert("view".to_owned(), Value::String(view));
    }
    result
}

/// A result with text, and with structured content.
pub(super) fn result(text: &str, known: &Json) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(convert::value(known));
    result
}

/// The result of a call that the library refuses.
pub(super) fn refused(error: &Error) -> CallToolResult {
    failed_near(error.code(), &error_message(error), error.near())
}

/// An error result that the model can read.
pub(super) fn failed(code: &str, message: &str) -> CallToolResult {
    failed_near(code, message, &[])
}

/// An error result that the model can read, with the names that may have been meant.
fn failed_near(code: &str, message: &str, near: &[String]) -> CallToolResult {
    let message = convert::brief(message);
    let error = Json::map([("code", Json::from(code)), ("message", Json::from(message.as_str()))]);
    let error = error.with("near", Some(near).filter(|near| !near.is_empty()));
    let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
    result.structured_content = Some(convert::value(&Json::map([("error", error)])));
    result
}
