//! The JSON fields `task` and `ran`: the outcome of a fork, and of the commands of an invocation.

use crate::host::{CommandOutput, Task};
use crate::text::json::{Fields, Json};

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
        let row = |one: &CommandOutput| {
            let file = one.file.as_ref().map(|file| file.to_string_lossy().into_owned());
            Fields::default()
                .text("command", &one.command)
                .all_of(one.output.to_json())
                .some_text("file", file.as_deref())
                .done()
        };
        Json::List(commands.iter().map(row).collect())
    }
}
