//! Executes an invocation: runs its commands and passes a fork to the agent, as far as the user allows. The result is
//! the text for the conversation, or the reason why nothing was run.

use super::engine::Engine;
use super::results::{failed, loaded};
use super::server::Context;
use crate::hints::{complete_invocation, host_error_message};
use crate::invoke::{given, resumed};
use crate::output::FOR_A_SUBAGENT;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use skilltree::host::{CancelToken, CommandAgent, CommandOutput, HostError, Limits, Task, TaskState};
use skilltree::{Invocation, Json, Pending, visible};
use std::sync::Arc;

/// The result of an invocation.
pub(super) enum Execution {
    /// The text for the conversation, everything known about it as JSON, and the key of the skill if the text is its
    /// instructions.
    Done { text: String, known: Json, key: Option<String> },
    /// The reason why there is no text.
    Refused { code: String, message: String },
}

impl Execution {
    pub(super) fn result(self) -> CallToolResult {
        match self {
            Execution::Done { text, known, .. } => loaded(&text, known),
            Execution::Refused { code, message } => failed(&code, &message),
        }
    }

    /// The result of a call that starts a task, where the load tool answers with the task's id and status: `spawned` if no
    /// agent has carried it out, so that the model is handed the task as well.
    pub(super) fn result_of_a_task(self, spawned: &Json) -> CallToolResult {
        let Execution::Done { text, known, .. } = self else { return self.result() };
        let Some(task) = known.get("task") else {
            let mut result = loaded(&spawned.to_string(), with_all(known, spawned));
            result.content.push(ContentBlock::text(text));
            return result;
        };
        let field = |name: &str| task.get(name).cloned().unwrap_or(Json::Null);
        let answer =
            Json::map([("taskId", field("id")), ("status", field("status")), ("result", Json::from(text.as_str()))]);
        loaded(&answer.to_string(), with_all(known, &answer))
    }
}

/// A JSON object with the fields of another one.
fn with_all(known: Json, other: &Json) -> Json {
    let Json::Map(fields) = other else { return known };
    fields.iter().fold(known, |known, (name, value)| known.with(name, Some(value.clone())))
}

impl From<HostError> for Execution {
    fn from(error: HostError) -> Execution {
        Execution::Refused { code: error.code().to_owned(), message: host_error_message(&error) }
    }
}

/// Executes an invocation.
pub(super) async fn execute(
    engine: &Arc<Engine>,
    invocation: Invocation,
    context: &Context,
) -> Result<Execution, ErrorData> {
    let has_agent = engine.ask.agent_command.is_some();
    let to_run = match &invocation {
        Invocation::Pending(pending) => {
            if let Some(refused) = refusal(engine, pending) {
                return Ok(refused);
            }
            true
        }
        Invocation::Fork(fork) if has_agent => {
            if let Err(error) = fork.trusted() {
                return Ok(HostError::Refused(error.clone()).into());
            }
            true
        }
        _ => false,
    };
    if !to_run {
        return Ok(without_agent(engine, &invocation, None));
    }
    engine.run_cancellable(context.ct.cancelled(), move |engine, stop| run(engine, invocation, stop)).await
}

/// The reason why the commands of a skill must not run, if there is one.
fn refusal(engine: &Engine, pending: &Pending) -> Option<Execution> {
    if let Err(error) = pending.trusted() {
        return Some(HostError::Refused(error.clone()).into());
    }
    (!engine.ask.allow_run).then(|| {
        let message = format!(
            "the skill `{}` needs commands to run before it is read, and this server does not run commands; start it \
                 with `--allow-run` to allow them",
            visible(&pending.key)
        );
        Execution::Refused { code: "run-not-allowed".to_owned(), message }
    })
}

fn run(engine: &Engine, invocation: Invocation, stop: &CancelToken) -> Execution {
    let execution = match invocation {
        Invocation::Pending(pending) => {
            let limits = engine.with_timeout(Limits::of_commands(&pending));
            resumed(&engine.setup, pending, &limits, stop).map(|(next, ran)| (next, Some(ran)))
        }
        invocation => Ok((invocation, None)),
    };
    match (execution, &engine.ask.agent_command) {
        (Err(error), _) => error.into(),
        (Ok((Invocation::Fork(fork), ran)), Some(command)) => {
            let known = details(engine, &Invocation::Fork(fork.clone()), ran.as_deref());
            let (setup, limits) = (&engine.setup, engine.agent_limits());
            CommandAgent::new(&setup.fs, command, &setup.project, limits, stop)
                .and_then(|agent| given(&agent, fork))
                .map_or_else(Execution::from, |task| agent_answer(engine, &task, known))
        }
        (Ok((invocation, ran)), _) => without_agent(engine, &invocation, ran.as_deref()),
    }
}

/// The result of a task that an agent has finished.
fn agent_answer(engine: &Engine, task: &Task, known: Json) -> Execution {
    let known = known.with("task", Some(task.to_json()));
    let Some(ran) = task.state.output() else { return HostError::Stopped.into() };
    let errors = String::from_utf8_lossy(&ran.errors);
    let wrong = match &task.state {
        TaskState::Done(_) => {
            return Execution::Done { text: String::from_utf8_lossy(&ran.output).into_owned(), known, key: None };
        }
        TaskState::TimedOut(_) => {
            format!("the agent was stopped after {} s", engine.agent_limits().time.as_secs())
        }
        TaskState::Stopped(_) => return HostError::Stopped.into(),
        TaskState::Failed(ran) if ran.flooded => {
            format!("the agent printed more than {} bytes and was stopped", engine.agent_limits().flood_bytes())
        }
        _ => format!("the agent failed with exit code {}", ran.code),
    };
    let message = if errors.trim().is_empty() { wrong } else { format!("{wrong}: {}", errors.trim()) };
    Execution::Refused { code: format!("agent-{}", task.state.as_str()), message }
}

/// The text of an invocation of which nothing is left to run here.
fn without_agent(engine: &Engine, invocation: &Invocation, ran: Option<&[CommandOutput]>) -> Execution {
    let known = details(engine, invocation, ran);
    let (text, key) = match invocation {
        Invocation::Inline(message) => (message.text.clone(), Some(message.key.clone())),
        Invocation::Fork(fork) => (format!("{FOR_A_SUBAGENT}\n\n{}", fork.text), None),
        _ => {
            let message = "this kind of invocation has no text".to_owned();
            return Execution::Refused { code: "not-supported".to_owned(), message };
        }
    };
    Execution::Done { text, known, key }
}

fn details(engine: &Engine, invocation: &Invocation, ran: Option<&[CommandOutput]>) -> Json {
    Invocation::line_json(&engine.setup.fs, Some(&complete_invocation(invocation.clone())), "")
        .with("ran", ran.map(CommandOutput::all_to_json))
}
