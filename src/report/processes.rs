//! The JSON of what processes printed and how they ended: scripts, agents, commands and toolsets.

use crate::diagnostic::Diagnostic;
use crate::fs::Fs;
use crate::host::{CommandOutput, HostError, ProcessOutput, RegisteredTool, Task, ToolResult};
use crate::text::json::{Fields, Json};

impl ProcessOutput {
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

impl Task {
    /// `task`: what has become of a fork.
    pub fn to_json(&self) -> Json {
        let mut fields = Fields::default();
        fields.text("id", self.id.as_str()).text("status", self.state.as_str());
        if let Some(said) = self.state.output() {
            fields.all_of(said.to_json());
        }
        fields.done()
    }

    /// What the load tool answers to a call once its task has ended: `taskId`, `status`, and what the agent said as `result`.
    pub fn result_json(&self) -> Json {
        let said = self.state.output().map(|said| Json::from(String::from_utf8_lossy(&said.output).into_owned()));
        super::task_answer(self.id.as_str(), self.state.as_str()).with("result", said)
    }
}

impl CommandOutput {
    /// `ran`: the commands that were run, in order.
    pub fn all_to_json(commands: &[CommandOutput]) -> Json {
        Json::list(commands, |one| {
            let file = one.file.as_ref().map(|file| file.to_string_lossy().into_owned());
            Fields::default()
                .text("command", &one.command)
                .all_of(one.output.to_json())
                .some_text("file", file.as_deref())
                .done()
        })
    }
}

impl RegisteredTool {
    /// `toolset list`.
    pub fn all_to_json(fs: &dyn Fs, tools: &[RegisteredTool], found: &[Diagnostic]) -> Json {
        let tools = Json::list(tools, |tool| {
            Json::map([
                ("name", Json::from(tool.name.as_str())),
                ("description", Json::from(tool.description.as_str())),
                ("input_schema", tool.input_schema.clone()),
                ("toolset", Json::from(tool.toolset.as_str())),
                ("key", Json::from(tool.key.as_str())),
            ])
        });
        Json::map([("tools", tools), ("findings", Diagnostic::all_to_json(fs, found))])
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
