//! The JSON of toolsets and of what their tools answer.

use crate::diagnostic::Diagnostic;
use crate::fs::Fs;
use crate::host::{HostError, RegisteredTool, ToolResult};
use crate::text::json::Json;

impl RegisteredTool {
    /// `toolset list`.
    pub fn all_to_json(fs: &dyn Fs, tools: &[RegisteredTool], found: &[Diagnostic]) -> Json {
        let tools = tools.iter().map(|tool| {
            Json::map([
                ("name", Json::from(tool.name.as_str())),
                ("description", Json::from(tool.description.as_str())),
                ("input_schema", tool.input_schema.clone()),
                ("toolset", Json::from(tool.toolset.as_str())),
                ("key", Json::from(tool.key.as_str())),
            ])
        });
        Json::map([("tools", Json::List(tools.collect())), ("findings", Diagnostic::all_to_json(fs, found))])
    }
}

impl ToolResult {
    /// `toolset call`: `ok`, and the result or the error.
    pub fn answer_json(answer: Result<&ToolResult, &HostError>) -> Json {
        match answer {
            Ok(result) => {
                let told = Json::map::<&str>([]).with("title", result.title.as_deref());
                let told = told.with("metadata", result.metadata.clone()).with("output", Some(result.output.as_str()));
                Json::map([("ok", Json::Bool(true)), ("result", told)])
            }
            Err(error) => {
                let error = Json::map([("code", Json::from(error.code())), ("message", Json::from(error.to_string()))]);
                Json::map([("ok", Json::Bool(false)), ("error", error)])
            }
        }
    }
}
