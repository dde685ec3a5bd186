//! Runs what an invocation asks for: the commands in the text of a skill, and the agent that a fork is passed to.

use super::cancel_on_signal;
use crate::answer::note_line;
use crate::invoke::ExecuteArgs;
use crate::reply::{Failure, Reply, Screen};
use crate::setup::Setup;
use skilltree::host::{
    CancelToken, CommandAgent, CommandOutput, HostError, Limits, ProcessOutput, SubagentHost, Task, TaskState,
};
use skilltree::{Fork, Invocation, Json, Pending, visible};

/// What has been run for an invocation.
#[derive(Default)]
pub(crate) struct Ran {
    /// The commands in the skill's text; `None` if they were not to be run.
    commands: Option<Vec<CommandOutput>>,
    /// What the agent was given, if it was started.
    task: Option<Task>,
}

impl Ran {
    /// Runs the pending commands, and passes a fork to the agent. `note` notes the result of the commands in the session.
    pub(crate) fn carry_out(
        &mut self,
        invocation: &mut Invocation,
        setup: &Setup,
        ask: &ExecuteArgs,
        note: &dyn Fn(&Pending, Invocation) -> Result<Invocation, Failure>,
    ) -> Result<(), Failure> {
        let stop = cancel_on_signal()?;
        let next = match &*invocation {
            Invocation::Pending(pending) => pending.next(),
            decided => decided,
        };
        // If the agent is missing, the commands are not run either.
        let agent = match next {
            Invocation::Fork(fork) => {
                fork.trusted().map_err(skilltree::Error::clone)?;
                Some(agent(setup, ask, &stop)?)
            }
            _ => None,
        };
        if let Invocation::Pending(pending) = invocation {
            let (next, ran) = resumed(setup, pending.clone(), &within(Limits::of_commands(pending), ask), &stop)?;
            let next = note(pending, next)?;
            (*invocation, self.commands) = (next, Some(ran));
        }
        if let (Invocation::Fork(fork), Some(agent)) = (&*invocation, agent) {
            let task = given(&agent, fork.clone())?;
            let failed = failed(&task.state);
            self.task = Some(task);
            return failed.map_or(Ok(()), Err);
        }
        Ok(())
    }

    pub(crate) fn has_task(&self) -> bool {
        self.task.is_some()
    }

    /// What each command printed.
    pub(crate) fn outputs(&self) -> Vec<String> {
        self.commands.iter().flatten().map(CommandOutput::text).collect()
    }

    /// The notes that output of a command was discarded; the message itself mentions it as well.
    pub(crate) fn notes(&self) -> String {
        let cut = self.commands.iter().flatten().filter(|one| one.output.is_cut && one.file.is_none());
        cut.map(|one| note_line(&format!("the command `{}` {}", visible(&one.command), too_much()))).collect()
    }

    /// What the agent printed; `None` if there is no answer of one.
    pub(crate) fn answer_of_agent(&self, screen: Screen) -> Option<Reply> {
        let ran = self.task.as_ref()?.state.output()?;
        let is_cut = ran.is_cut && !ran.flooded;
        let note = if is_cut { note_line(&format!("the agent {}", too_much())) } else { String::new() };
        Some(
            Reply::new(screen.bytes_output(ran.output.clone()))
                .with_child_stderr(ran.errors.clone())
                .with_stderr(&note),
        )
    }

    /// What a load tool returns for the task.
    pub(crate) fn result_of_task(&self) -> Option<Json> {
        self.task.as_ref().map(Task::result_json)
    }

    /// Adds `ran` and `task`.
    pub(crate) fn add_to_json(&self, known: Json) -> Json {
        known
            .with("ran", self.commands.as_deref().map(CommandOutput::all_to_json))
            .with("task", self.task.as_ref().map(Task::to_json))
    }
}

fn too_much() -> String {
    format!("printed more than {} bytes; the rest was discarded", Limits::default().output_bytes)
}

fn too_long(ran: &ProcessOutput) -> String {
    format!("was stopped after {:.1} s; `--timeout` allows more", ran.time.as_secs_f64())
}

/// Runs the pending commands of a skill and inserts their output.
pub(crate) fn resumed(
    setup: &Setup,
    pending: Pending,
    limits: &Limits,
    stop: &CancelToken,
) -> Result<(Invocation, Vec<CommandOutput>), HostError> {
    let ran = pending.run(&setup.fs, &setup.project, limits, stop)?;
    let texts: Vec<String> = ran.iter().map(CommandOutput::text).collect();
    Ok((pending.resume(&texts), ran))
}

/// Passes a task to an agent and waits until it has finished.
pub(crate) fn given(agent: &CommandAgent, fork: Fork) -> Result<skilltree::host::Task, HostError> {
    let id = agent.submit(fork)?;
    agent.wait(&id, None)
}

fn agent(setup: &Setup, ask: &ExecuteArgs, stop: &CancelToken) -> Result<CommandAgent, Failure> {
    let Some(command) = &ask.agent_command else {
        let why = "this is a task for a separate agent; name one with `--agent-command COMMAND`";
        return Err(Failure::error("no-agent", why));
    };
    Ok(CommandAgent::new(&setup.fs, command, &setup.project, within(Limits::of_agent(), ask), stop)?)
}

fn within(limits: Limits, ask: &ExecuteArgs) -> Limits {
    ask.timeout.map_or(limits, |time| limits.with_time(time))
}

fn failed(state: &TaskState) -> Option<Failure> {
    match state {
        TaskState::Failed(ran) if ran.flooded => {
            let most = Limits::of_agent().flood_bytes();
            Some(Failure::negative("agent-failed", format!("the agent printed more than {most} bytes and was stopped")))
        }
        TaskState::Failed(ran) => {
            Some(Failure::negative("agent-failed", format!("the agent failed with exit code {}", ran.code)))
        }
        TaskState::TimedOut(ran) => Some(Failure::negative("agent-timed-out", format!("the agent {}", too_long(ran)))),
        TaskState::Stopped(_) => Some(HostError::Stopped.into()),
        _ => None,
    }
}
