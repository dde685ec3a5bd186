//! The JSON fields `task` and `ran`: the outcome of a fork, and of the commands of an invocation.

use super::script_output;
use crate::host::{CommandOutput, Task};
use crate::text::json::{Fields, Json};

/// `task`: what has become of a fork.
pub fn task(task: &Task) -> Json {
    let mut fields = Fields::default();
    fields.text("id", task.id.as_str()).text("status", task.state.as_str());
    if let Some(said) = task.state.output() {
        fields.all_of(script_output(said));
    }
    fields.done()
}

/// What the load tool answers to a call once its task has ended: `taskId`, `status`, and what the agent said as `result`.
pub fn task_result(task: &Task) -> Json {
    let said = task.state.output().map(|said| Json::from(String::from_utf8_lossy(&said.output).into_owned()));
    super::task_answer(task.id.as_str(), task.state.as_str()).with("result", said)
}

/// `ran`: the commands that were run, in order.
pub fn commands_ran(commands: &[CommandOutput]) -> Json {
    let row = |one: &CommandOutput| {
        let file = one.file.as_ref().map(|file| file.to_string_lossy().into_owned());
        Fields::default()
            .text("command", &one.command)
            .all_of(script_output(&one.output))
            .some_text("file", file.as_deref())
            .done()
    };
    Json::List(commands.iter().map(row).collect())
}
