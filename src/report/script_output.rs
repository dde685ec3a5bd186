//! The JSON of what a process printed and how it ended.

use crate::host::ScriptOutput;
use crate::text::json::Json;

/// `run`: what a script or an agent printed, as text, and how it ended. Bytes that are no UTF-8 are `\u{fffd}`.
pub fn script_output(ran: &ScriptOutput) -> Json {
    let text = |bytes: &[u8]| Json::from(String::from_utf8_lossy(bytes).into_owned());
    Json::map([
        ("code", Json::Number(ran.code.to_string())),
        ("output", text(&ran.output)),
        ("errors", text(&ran.errors)),
        ("cut", Json::Bool(ran.is_cut)),
        ("seconds", Json::Number(format!("{:.3}", ran.time.as_secs_f64()))),
        ("timed_out", Json::Bool(ran.timed_out)),
        ("flooded", Json::Bool(ran.flooded)),
    ])
}
