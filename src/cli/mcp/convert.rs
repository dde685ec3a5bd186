//! Converts between the JSON and errors of the library and the types of rmcp: the arguments and results of tools, and
//! pages of lists.

use crate::hints::error_message;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, Implementation, JsonObject, MetaObject, PaginatedRequestParams, ResultType,
    ServerResult,
};
use serde_json::{Value, json};
use skilltree::{Error, Json, visible};
use std::ops::RangeInclusive;

/// Maximum length of a message, which may quote what a client sent.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// Maximum length of what is quoted of a client's message.
const MAX_SHOWN_CHARS: usize = 100;

/// Converts JSON to the type of serde_json.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        // A number that is too large for serde_json stays as it is written; no frontmatter that is served has one.
        Json::Number(text) => text.parse().map_or_else(|_| Value::String(text.clone()), Value::Number),
        Json::Text(text) => Value::String(text.clone()),
        Json::List(items) => items.iter().map(value).collect(),
        Json::Map(fields) => fields.iter().map(|(key, field)| (key.clone(), value(field))).collect(),
    }
}

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

/// What the server says that it is.
pub(super) fn server_info() -> Implementation {
    Implementation::new("skilltree", env!("CARGO_PKG_VERSION")).with_title("Agent Skills")
}

/// The metadata field of a result with the server's name and version.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Adds what rmcp omits: the server's name to the results of the revisions without a handshake, which alone have a
/// type here; and the fields that the Skills extension requires in each of its results, also to those of older
/// revisions, which clients of the extension use as well.
pub(super) fn complete_result(result: &mut ServerResult) {
    let (result_type, meta, is_of_skills) = match result {
        ServerResult::CallToolResult(result) => (&mut result.result_type, &mut result.meta, false),
        ServerResult::CompleteResult(result) => (&mut result.result_type, &mut result.meta, false),
        ServerResult::GetPromptResult(result) => (&mut result.result_type, &mut result.meta, false),
        ServerResult::ListPromptsResult(result) => (&mut result.result_type, &mut result.meta, false),
        ServerResult::ListResourceTemplatesResult(result) => (&mut result.result_type, &mut result.meta, false),
        ServerResult::ListToolsResult(result) => (&mut result.result_type, &mut result.meta, false),
        ServerResult::ListSkillsResult(result) => (&mut result.result_type, &mut result.meta, true),
        ServerResult::GetSkillResult(result) => (&mut result.result_type, &mut result.meta, true),
        ServerResult::ReadResourceResult(result) => (&mut result.result_type, &mut result.meta, true),
        // The result of `resources/list` and of `resources/directory/read`.
        ServerResult::ListResourcesResult(result) => (&mut result.result_type, &mut result.meta, true),
        _ => return,
    };
    if result_type.is_some() {
        meta.get_or_insert_default().0.insert(SERVER_INFO.to_owned(), json!(server_info()));
    }
    if is_of_skills {
        result_type.get_or_insert(ResultType::COMPLETE);
        result.fill_missing_cache_hints();
    }
}

/// The message for a method that there is not. That of rmcp is the bare name.
pub(super) fn unknown_method(method: &str) -> String {
    format!("unknown method `{}`", shown(method))
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

/// The largest integer that every client can represent.
pub(super) const MAX_WHOLE: u64 = 9_007_199_254_740_991;

/// The arguments of a call, validated against the schema.
pub(super) struct Arguments<'a>(pub(super) &'a JsonObject);

impl<'a> Arguments<'a> {
    pub(super) fn only(&self, names: &[&str]) -> Result<(), Error> {
        let other = self.0.keys().find(|key| !names.contains(&key.as_str()));
        other.map_or(Ok(()), |other| Err(Error::unknown_argument(other, names)))
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, Error> {
        let text = self.0.get(name).and_then(Value::as_str);
        text.ok_or_else(|| Error::BadArguments(format!("expected a string for the argument `{name}`")))
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Error> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
        let texts = value.as_array().map(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        let wrong = || Error::BadArguments(format!("expected an array of strings for the argument `{name}`"));
        texts.flatten().ok_or_else(wrong)
    }

    pub(super) fn number(&self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, Error> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        // Some clients have no integers and send 5 as 5.0.
        let is_whole = |number: &f64| (0.0..=MAX_WHOLE as f64).contains(number) && number.fract() == 0.0;
        let number = value.as_u64().or_else(|| value.as_f64().filter(is_whole).map(|number| number as u64));
        let wrong = || {
            let (least, most, came) = (range.start(), range.end(), shown(&value.to_string()));
            let message = format!("expected an integer from {least} to {most} for the argument `{name}`, got {came}");
            Error::BadArguments(message)
        };
        number.filter(|number| range.contains(number)).map(Some).ok_or_else(wrong)
    }
}

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
    result.meta = Some(MetaObject(JsonObject::from_iter([(ANSWER.to_owned(), value(&rest))])));
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
    result.structured_content = Some(value(known));
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
    let message = brief(message);
    let error = Json::map([("code", Json::from(code)), ("message", Json::from(message.as_str()))]);
    let error = error.with("near", Some(near).filter(|near| !near.is_empty()));
    let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
    result.structured_content = Some(value(&Json::map([("error", error)])));
    result
}

/// Separates the list and the key in a cursor; neither contains it.
const MARK: char = '\n';

/// The cursor of what follows an item.
pub(super) fn cursor_after(list: &str, key: &str) -> String {
    encoded(&format!("{list}{MARK}{key}"))
}

/// The page after the cursor, of at most `most` items, and the next cursor.
pub(super) fn page<'i, T>(
    list: &str,
    items: &'i [T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
    most: usize,
) -> Result<(&'i [T], Option<String>), ErrorData> {
    let from = match cursor {
        None => 0,
        Some(cursor) => {
            let last = place_in(list, cursor)?;
            items.partition_point(|item| key(item) <= last.as_str())
        }
    };
    let (page, last) = cut_page(&items[from..], most);
    Ok((page, last.map(|last| cursor_after(list, key(last)))))
}

/// Like [`page`], for a list in any order without equal keys. The cursor also contains the position of the next item,
/// which counts if the last item of the page is gone.
pub(super) fn page_in_order<'i, T>(
    list: &str,
    items: &'i [T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
    most: usize,
) -> Result<(&'i [T], Option<String>), ErrorData> {
    let from = match cursor {
        None => 0,
        Some(cursor) => {
            let place = place_in(list, cursor)?;
            let (at, last) = place.split_once(MARK).ok_or_else(|| bad(cursor))?;
            let at: usize = at.parse().map_err(|_| bad(cursor))?;
            items.iter().position(|item| key(item) == last).map_or(at, |last| last + 1).min(items.len())
        }
    };
    let (page, last) = cut_page(&items[from..], most);
    let next = last.map(|last| encoded(&format!("{list}{MARK}{}{MARK}{}", from + page.len(), key(last))));
    Ok((page, next))
}

/// The first items, and the last of them if more follow.
fn cut_page<T>(items: &[T], most: usize) -> (&[T], Option<&T>) {
    let (page, rest) = items.split_at(most.min(items.len()));
    (page, page.last().filter(|_| !rest.is_empty()))
}

/// What a cursor of this list has behind its name.
fn place_in(list: &str, cursor: &str) -> Result<String, ErrorData> {
    let text = decoded(cursor);
    let place = text.as_deref().and_then(|text| text.split_once(MARK)).filter(|(of, _)| *of == list);
    place.map(|(_, place)| place.to_owned()).ok_or_else(|| bad(cursor))
}

/// Rejects any cursor, for a list that has only one page.
pub(super) fn no_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(cursor) => Err(bad(&cursor)),
    }
}

fn bad(cursor: &str) -> ErrorData {
    ErrorData::invalid_params(
        format!("`{}` is not a cursor of this list; start again without one", shown(cursor)),
        None,
    )
}

fn encoded(key: &str) -> String {
    key.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn decoded(cursor: &str) -> Option<String> {
    let digits = cursor.as_bytes();
    if digits.is_empty() || digits.len() % 2 != 0 {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let bytes: Option<Vec<u8>> =
        digits.chunks_exact(2).map(|pair| Some(value(*pair.first()?)? << 4 | value(*pair.last()?)?)).collect();
    String::from_utf8(bytes?).ok()
}
