//! The JSON of what a process printed and how it ended.

use crate::host::ScriptOutput;
use crate::text::json::Json;

impl ScriptOutput {
    /// `run`: what a script or an agent printed, as text, and how it ended. Bytes that are no UTF-8 are `\u{fffd}`.
    pub fn to_json(&self) -> Json {
        let text = |bytes: &[u8]| Json::from(String::from_utf8_lossy(bytes).into_owned());
        Json::map([
            ("code", Json::Number(self.code.to_string())),
            ("output", text(&self.output)),
            ("errors", text(&self.errors)),
            ("cut", Json::Bool(self.is_cut)),
            ("seconds", Json::Number(format!("{:.3}", self.time.as_secs_f64()))),
            ("timed_out", Json::Bool(self.timed_out)),
            ("flooded", Json::Bool(self.flooded)),
        ])
    }
}
