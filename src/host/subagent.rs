//! In: a [`Fork`]. Out: a task at an agent of the host's, which is asked after, waited for and stopped by its id.
//! One agent is here: a command of the user's, a process for each task. Absent: which command (the user says), how
//! many at once, and holding an agent to what it may use: it is told, and a host that can enforce it does.

use super::capture::{ScriptOutput, run};
use super::error::HostError;
use super::limits::{CancelToken, Limits};
use super::process::{self, Outputs, Process};
use super::programs::Programs;
use crate::answers::invoke::Fork;
use crate::answers::substitute::words;
use crate::fs::OsFs;
use crate::model::error::Error;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The environment variable that tells a [`CommandAgent`]'s command the [`Fork::terms`], as one JSON document.
pub const FORK_VARIABLE: &str = "SKILLTREE_FORK";

/// What carries forks out.
///
/// An agent acts by the text of its task, so the fork of a skill that is not trusted is refused, as its scripts are. What
/// an agent may use was settled where the fork was made: permissions are only ones that the caller holds (decisions 34).
pub trait SubagentHost {
    /// Begins a task, and does not wait for it.
    ///
    /// # Errors
    /// As [`Fork::trusted`], and where no agent can take it.
    fn submit(&self, fork: Fork) -> Result<TaskId, HostError>;

    /// A task as it is now, without waiting.
    ///
    /// # Errors
    /// [`HostError::NoTask`] for an id that is not of this host.
    fn ask(&self, id: &TaskId) -> Result<Task, HostError> {
        self.wait(id, Some(Duration::ZERO))
    }

    /// A task when it has ended, or as it is after so much time.
    ///
    /// # Errors
    /// As [`SubagentHost::ask`].
    fn wait(&self, id: &TaskId, at_most: Option<Duration>) -> Result<Task, HostError>;

    /// Ends a task, and waits until it has ended. One that has ended already stays as it is.
    ///
    /// # Errors
    /// As [`SubagentHost::ask`].
    fn stop(&self, id: &TaskId) -> Result<Task, HostError>;
}

/// What a task is called by. No two tasks of a machine have the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskId(String);

impl TaskId {
    /// An id of a host's own making.
    pub fn new(text: impl Into<String>) -> TaskId {
        TaskId(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn unique() -> TaskId {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        TaskId(format!("{:x}-{:x}-{count}", since.as_micros(), std::process::id()))
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A task at an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// The key of its skill.
    pub key: String,
    /// What has become of it.
    pub state: TaskState,
}

impl Task {
    /// A task, as a host tells of it.
    pub fn new(id: TaskId, key: impl Into<String>, state: TaskState) -> Task {
        Task { id, key: key.into(), state }
    }
}

/// What has become of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskState {
    /// The agent works.
    Running,
    /// The agent has done it, and this is what it says.
    Done(ScriptOutput),
    /// The agent says that it failed, or was ended as it printed too much.
    Failed(ScriptOutput),
    /// The agent was ended at its limit of time.
    TimedOut(ScriptOutput),
    /// The task was told to stop.
    Stopped(ScriptOutput),
}

impl TaskState {
    /// Its name: `running`, `done`, `failed`, `timed-out` or `stopped`.
    pub fn as_str(&self) -> &'static str {
        match self {
            TaskState::Running => "running",
            TaskState::Done(_) => "done",
            TaskState::Failed(_) => "failed",
            TaskState::TimedOut(_) => "timed-out",
            TaskState::Stopped(_) => "stopped",
        }
    }

    /// What the agent said, when it has ended.
    pub fn ran(&self) -> Option<&ScriptOutput> {
        match self {
            TaskState::Running => None,
            TaskState::Done(ran) | TaskState::Failed(ran) | TaskState::TimedOut(ran) | TaskState::Stopped(ran) => {
                Some(ran)
            }
        }
    }

    fn of(ran: ScriptOutput) -> TaskState {
        match &ran {
            ScriptOutput { is_stopped: true, .. } => TaskState::Stopped(ran),
            ScriptOutput { timed_out: true, .. } => TaskState::TimedOut(ran),
            ScriptOutput { code: 0, .. } => TaskState::Done(ran),
            _ => TaskState::Failed(ran),
        }
    }
}

type Told = Arc<dyn Fn(&Task) + Send + Sync>;

/// A command of the user's as an agent: `claude -p`. Each task is a process of its own in the project's folder, with
/// the user's whole environment. It reads the task on its standard input; what it prints is its answer. The
/// [`Fork::terms`] stand in the variable [`FORK_VARIABLE`]: a command is told what it may use, and keeps to it by
/// itself.
///
/// When this is dropped, its tasks are ended.
pub struct CommandAgent {
    disk: OsFs,
    program: PathBuf,
    args: Vec<String>,
    dir: PathBuf,
    limits: Limits,
    stop: CancelToken,
    tasks: Mutex<HashMap<TaskId, Arc<Kept>>>,
    told: Option<Told>,
}

/// A task that is known.
struct Kept {
    id: TaskId,
    key: String,
    stop: CancelToken,
    state: Mutex<TaskState>,
    ended: Condvar,
}

impl CommandAgent {
    /// An agent by its command line, split into words as a shell splits them; no shell stands between. Its program is
    /// looked up in PATH, or named by an absolute path. [`Limits::of_agent`] are the usual limits for each task.
    ///
    /// # Errors
    /// [`HostError::BadCommand`] for a command line without a program, or with a relative path to one;
    /// [`HostError::ProgramMissing`] where there is no such program; [`HostError::Refused`] for a folder that this
    /// machine cannot have.
    pub fn new(
        disk: &OsFs,
        command: &str,
        project: &FsPath,
        limits: Limits,
        stop: &CancelToken,
    ) -> Result<CommandAgent, HostError> {
        let bad = |reason| HostError::BadCommand { command: visible(command).into_owned(), reason };
        let mut args = words(command).into_iter();
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
        let dir = disk.host(project).map_err(Error::from)?.into_owned();
        let (stop, tasks) = (stop.part(), Mutex::default());
        Ok(CommandAgent { disk: disk.clone(), program, args: args.collect(), dir, limits, stop, tasks, told: None })
    }

    /// The same, and each task is told of as it ends, on a thread of its own.
    #[must_use]
    pub fn telling(mut self, told: impl Fn(&Task) + Send + Sync + 'static) -> CommandAgent {
        self.told = Some(Arc::new(told));
        self
    }

    /// Drops what is known of a task, and ends it if it runs. Until then the answer of each is kept.
    pub fn forget(&self, id: &TaskId) {
        let kept = locked(&self.tasks).remove(id);
        if let Some(kept) = kept {
            kept.stop.stop();
            kept.wait(None);
        }
    }

    fn kept(&self, id: &TaskId) -> Result<Arc<Kept>, HostError> {
        locked(&self.tasks).get(id).cloned().ok_or_else(|| HostError::NoTask { id: visible(&id.0).into_owned() })
    }
}

impl SubagentHost for CommandAgent {
    fn submit(&self, fork: Fork) -> Result<TaskId, HostError> {
        fork.trusted()?;
        if self.stop.is_stopped() {
            return Err(HostError::Stopped);
        }
        let not_started = |error| HostError::not_started(self.program.as_os_str(), &error);
        let mut command = process::command(&self.program);
        command.args(&self.args).current_dir(&self.dir).env(FORK_VARIABLE, fork.terms(&self.disk).to_string());
        let process = Process::start(command, true, Outputs::Apart).map_err(not_started)?;
        let kept = Arc::new(Kept {
            id: TaskId::unique(),
            key: fork.key,
            stop: self.stop.part(),
            state: Mutex::new(TaskState::Running),
            ended: Condvar::new(),
        });
        let (task, text, limits, told) = (Arc::clone(&kept), fork.text, self.limits, self.told.clone());
        let work = move || {
            let state = TaskState::of(run(process, text.as_bytes(), &limits, &task.stop));
            let ended = Task::new(task.id.clone(), task.key.as_str(), state.clone());
            *locked(&task.state) = state;
            task.ended.notify_all();
            if let Some(told) = told {
                told(&ended);
            }
        };
        let id = kept.id.clone();
        // Known before it can end, so that who is told of its end may ask.
        locked(&self.tasks).insert(id.clone(), kept);
        match std::thread::Builder::new().spawn(work) {
            Ok(_) => Ok(id),
            // A thread that cannot be had drops the process, and so ends it.
            Err(error) => {
                locked(&self.tasks).remove(&id);
                Err(not_started(error))
            }
        }
    }

    fn wait(&self, id: &TaskId, at_most: Option<Duration>) -> Result<Task, HostError> {
        Ok(self.kept(id)?.wait(at_most))
    }

    fn stop(&self, id: &TaskId) -> Result<Task, HostError> {
        let kept = self.kept(id)?;
        kept.stop.stop();
        Ok(kept.wait(None))
    }
}

impl Kept {
    fn wait(&self, at_most: Option<Duration>) -> Task {
        // A time beyond the clock is as good as none.
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
        for kept in locked(&self.tasks).values() {
            kept.wait(None);
        }
    }
}

/// What a lock holds is whole at any time, so one that a panic has passed is as good as any.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
