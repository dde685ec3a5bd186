//! Passes the tasks of skills ([`Fork`]) to another agent, and reports their state. A program with its own agent implements
//! [`SubagentHost`]; [`CommandAgent`] runs a command of the user for each task.
//!
//! The number of concurrent tasks is not limited here. An agent is informed of the tools and permissions that it may use;
//! enforcing them is up to the agent.

use super::capture::{CancelToken, Limits, ProcessOutput, capture};
use super::error::HostError;
use super::process::{self, Outputs, Process};
use super::programs::Programs;
use crate::fs::{OsFs, locked};
use crate::loading::invoke::Fork;
use crate::model::error::Error;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// An agent that carries forks out.
///
/// An agent acts on the text of its task, so the fork of an untrusted skill is refused like its scripts. What the agent may
/// use was decided when the fork was made: it has no permission that the caller does not have (rule 16.6).
pub trait SubagentHost {
    /// Starts a task without waiting for it.
    ///
    /// # Errors
    /// Returns the errors of [`Fork::trusted`], and an error if the agent cannot start the task.
    fn submit(&self, fork: Fork) -> Result<TaskId, HostError>;

    /// The current state of a task.
    ///
    /// # Errors
    /// Returns [`HostError::NoTask`] if this host has no task of this id.
    fn state(&self, id: &TaskId) -> Result<Task, HostError> {
        self.wait(id, Some(Duration::ZERO))
    }

    /// Waits until a task has ended, for at most `at_most`, and returns its state then.
    ///
    /// # Errors
    /// Returns the errors of [`SubagentHost::state`].
    fn wait(&self, id: &TaskId, at_most: Option<Duration>) -> Result<Task, HostError>;

    /// Cancels a task and waits until it has ended. A task that has ended already does not change.
    ///
    /// # Errors
    /// Returns the errors of [`SubagentHost::state`].
    fn stop(&self, id: &TaskId) -> Result<Task, HostError>;
}

/// The id of a task, unique on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskId(String);

impl TaskId {
    /// An id that a host has made, which must be unique on this machine.
    pub fn new(text: impl Into<String>) -> TaskId {
        TaskId(text.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn unique() -> TaskId {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // A clock that is set before 1970 also yields a number that changes, which is all that is needed.
        let since_epoch = match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => after,
            Err(before) => before.duration(),
        };
        TaskId(format!("{:x}-{:x}-{count}", since_epoch.as_micros(), std::process::id()))
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A task of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// The key of its skill.
    pub key: String,
    /// Its state when it was asked for.
    pub state: TaskState,
}

impl Task {
    /// A task with these values.
    pub fn new(id: TaskId, key: impl Into<String>, state: TaskState) -> Task {
        Task { id, key: key.into(), state }
    }
}

/// The state of a task, with the agent's output once it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskState {
    /// The agent is working on it.
    Running,
    /// The agent succeeded. The output is its answer.
    Done(ProcessOutput),
    /// The agent failed, or was ended because it printed too much.
    Failed(ProcessOutput),
    /// The agent was ended at its time limit.
    TimedOut(ProcessOutput),
    /// The task was cancelled.
    Stopped(ProcessOutput),
}

impl TaskState {
    /// The name of the state: `running`, `done`, `failed`, `timed-out` or `stopped`.
    pub fn as_str(&self) -> &'static str {
        match self {
            TaskState::Running => "running",
            TaskState::Done(_) => "done",
            TaskState::Failed(_) => "failed",
            TaskState::TimedOut(_) => "timed-out",
            TaskState::Stopped(_) => "stopped",
        }
    }

    /// The agent's output, if the task has ended.
    pub fn output(&self) -> Option<&ProcessOutput> {
        match self {
            TaskState::Running => None,
            TaskState::Done(ran) | TaskState::Failed(ran) | TaskState::TimedOut(ran) | TaskState::Stopped(ran) => {
                Some(ran)
            }
        }
    }

    fn of(ran: ProcessOutput) -> TaskState {
        match &ran {
            ProcessOutput { is_stopped: true, .. } => TaskState::Stopped(ran),
            ProcessOutput { timed_out: true, .. } => TaskState::TimedOut(ran),
            ProcessOutput { code: 0, .. } => TaskState::Done(ran),
            _ => TaskState::Failed(ran),
        }
    }
}

type OnEnd = Arc<dyn Fn(&Task) + Send + Sync>;

/// An agent that runs a command of the user for each task, such as `claude -p`.
///
/// The command runs in the project's folder with the user's whole environment. It reads the task from its standard input,
/// and its output is the answer. The variable [`CommandAgent::VARIABLE`] contains the [`Fork::terms`], which the command is trusted
/// to keep.
///
/// Dropping the agent ends its tasks.
pub struct CommandAgent {
    disk: OsFs,
    program: PathBuf,
    args: Vec<String>,
    dir: PathBuf,
    limits: Limits,
    stop: CancelToken,
    tasks: Mutex<HashMap<TaskId, Arc<SharedTask>>>,
    on_end: Option<OnEnd>,
}

/// A task, shared between the agent and the thread that waits for its process.
struct SharedTask {
    id: TaskId,
    key: String,
    stop: CancelToken,
    state: Mutex<TaskState>,
    ended: Condvar,
}

impl CommandAgent {
    /// The environment variable in which the command finds the [`Fork::terms`] as JSON.
    pub const VARIABLE: &str = "SKILLTREE_FORK";

    /// Creates an agent from a command line, which is split into words as a POSIX shell does. The program is looked up in
    /// PATH unless it is an absolute path, and started without a shell. `limits` apply to each task, usually
    /// [`Limits::of_agent`].
    ///
    /// # Errors
    /// Returns [`HostError::BadCommand`] for a command line with an unclosed quote, without a program or with a relative
    /// path to one; [`HostError::ProgramMissing`] if the program does not exist; and [`HostError::Refused`] if the path of
    /// the project is not valid on this machine.
    pub fn new(
        disk: &OsFs,
        command: &str,
        project: &FsPath,
        limits: Limits,
        stop: &CancelToken,
    ) -> Result<CommandAgent, HostError> {
        let bad = |reason| HostError::BadCommand { command: visible(command).into_owned(), reason };
        let words = shlex::split(command);
        let words = words.ok_or_else(|| bad("it ends in a backslash or within quotes; close the quotes"))?;
        let mut args = words.into_iter();
        let name = args.next().filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| bad("it does not name a program; write a program and its arguments"))?;
        let found = Programs::of_environment().find(&name);
        if found.is_none() && name.contains(['/', std::path::MAIN_SEPARATOR]) && !PathBuf::from(&name).is_absolute() {
            return Err(bad("its program is a relative path; use a name in PATH or an absolute path"));
        }
        let program = found.ok_or_else(|| HostError::ProgramMissing {
            what: visible(command).into_owned(),
            wanted: vec![visible(&name).into_owned()],
            found: None,
        })?;
        let dir = disk.for_programs(project).map_err(Error::from)?.into_owned();
        let (stop, tasks) = (stop.part(), Mutex::default());
        Ok(CommandAgent { disk: disk.clone(), program, args: args.collect(), dir, limits, stop, tasks, on_end: None })
    }

    /// Calls `on_end` with each task that ends, on a separate thread for each.
    #[must_use]
    pub fn on_task_end(mut self, on_end: impl Fn(&Task) + Send + Sync + 'static) -> CommandAgent {
        self.on_end = Some(Arc::new(on_end));
        self
    }

    /// Cancels a task if it is running, and forgets it. Until then its output is kept in memory.
    pub fn forget(&self, id: &TaskId) {
        let task = locked(&self.tasks).remove(id);
        if let Some(task) = task {
            task.stop.stop();
            task.wait(None);
        }
    }

    fn task(&self, id: &TaskId) -> Result<Arc<SharedTask>, HostError> {
        locked(&self.tasks).get(id).cloned().ok_or_else(|| HostError::NoTask { id: visible(&id.0).into_owned() })
    }
}

impl SubagentHost for CommandAgent {
    fn submit(&self, fork: Fork) -> Result<TaskId, HostError> {
        fork.trusted().map_err(Error::clone)?;
        if self.stop.is_stopped() {
            return Err(HostError::Stopped);
        }
        let not_started = |error| HostError::not_started(self.program.as_os_str(), &error);
        let mut command = process::command(&self.program);
        command.args(&self.args).current_dir(&self.dir).env(CommandAgent::VARIABLE, fork.terms(&self.disk).to_string());
        let process = Process::start(command, true, Outputs::Separate).map_err(not_started)?;
        let task = Arc::new(SharedTask {
            id: TaskId::unique(),
            key: fork.key,
            stop: self.stop.part(),
            state: Mutex::new(TaskState::Running),
            ended: Condvar::new(),
        });
        let (shared, text, limits, on_end) = (Arc::clone(&task), fork.text, self.limits, self.on_end.clone());
        let work = move || {
            let state = TaskState::of(capture(process, text.as_bytes(), &limits, &shared.stop));
            let ended = Task::new(shared.id.clone(), shared.key.as_str(), state.clone());
            *locked(&shared.state) = state;
            shared.ended.notify_all();
            if let Some(on_end) = on_end {
                on_end(&ended);
            }
        };
        let id = task.id.clone();
        // The task is inserted before it can end, so that `on_end` can ask for it.
        locked(&self.tasks).insert(id.clone(), task);
        match std::thread::Builder::new().spawn(work) {
            Ok(_) => Ok(id),
            // Dropping `work` has ended the process.
            Err(error) => {
                locked(&self.tasks).remove(&id);
                Err(not_started(error))
            }
        }
    }

    fn wait(&self, id: &TaskId, at_most: Option<Duration>) -> Result<Task, HostError> {
        Ok(self.task(id)?.wait(at_most))
    }

    fn stop(&self, id: &TaskId) -> Result<Task, HostError> {
        let task = self.task(id)?;
        task.stop.stop();
        Ok(task.wait(None))
    }
}

impl SharedTask {
    fn wait(&self, at_most: Option<Duration>) -> Task {
        // A deadline that overflows `Instant` is never reached.
        let until = at_most.and_then(|time| Instant::now().checked_add(time));
        let mut state = locked(&self.state);
        while *state == TaskState::Running {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => break,
                Some(left) => self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.ended.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        Task::new(self.id.clone(), self.key.as_str(), state.clone())
    }
}

impl Drop for CommandAgent {
    fn drop(&mut self) {
        self.stop.stop();
        for task in locked(&self.tasks).values() {
            task.wait(None);
        }
    }
}
