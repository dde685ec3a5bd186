//! The methods that the server implements, and the parameters that they take.

use super::convert::shown;
use serde_json::Value;

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

/// Whether the server implements the method.
pub(super) fn is_known(method: &str) -> bool {
    METHODS.iter().any(|(known, _)| *known == method)
}

/// The error message for invalid parameters of a method.
pub(super) fn expected(method: &str) -> String {
    let takes = METHODS.iter().find(|(known, _)| *known == method).map_or("an object", |(_, takes)| *takes);
    format!("invalid parameters for `{}`: expected {takes}", shown(method))
}

/// Whether a request for a list has a cursor that is not a string. rmcp would ignore such a cursor.
pub(super) fn has_wrong_cursor(method: &str, request: &Value) -> bool {
    let takes_cursor = METHODS.iter().any(|(known, takes)| *known == method && takes.contains("`cursor`"));
    let cursor = request.get("params").and_then(|params| params.get("cursor"));
    takes_cursor && cursor.is_some_and(|cursor| !cursor.is_string() && !cursor.is_null())
}
