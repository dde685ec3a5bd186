//! The doors through which plans are carried out on the real machine. Each takes an owned plan that the core made,
//! and says what became of it. Absent: any decision; what is to be done stands in the plan.

mod apply;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod copy;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod environment;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod error;
mod held;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod limits;
#[cfg(feature = "forks")]
mod output;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod process;
mod program;
#[cfg(any(feature = "scripts", feature = "forks"))]
mod ran;
#[cfg(any(feature = "scripts", feature = "toolsets"))]
mod runtime;
#[cfg(feature = "scripts")]
mod script;
#[cfg(any(feature = "scripts", feature = "toolsets"))]
mod settings;
#[cfg(feature = "forks")]
mod shell;
#[cfg(feature = "forks")]
mod subagent;
#[cfg(feature = "toolsets")]
mod toolset;
#[cfg(feature = "archive")]
mod unpack;
mod write;

pub use apply::{Applied, apply};
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
pub use error::HostError;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
pub use limits::{CancelToken, Limits};
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
pub use process::guard;
pub use program::Programs;
#[cfg(any(feature = "scripts", feature = "forks"))]
pub use ran::ScriptOutput;
#[cfg(feature = "scripts")]
pub use script::run_script;
#[cfg(feature = "forks")]
pub use shell::{CommandOutput, run_commands};
#[cfg(feature = "forks")]
pub use subagent::{CommandAgent, FORK_VARIABLE, SubagentHost, Task, TaskId, TaskState};
#[cfg(feature = "toolsets")]
pub use toolset::{RegisteredTool, ToolRegistry, ToolResult, ToolSpec, Toolset};
#[cfg(feature = "archive")]
pub use unpack::{Overwrite, UnpackError, Unpacked, unpack};
pub use write::{WriteError, rewrite, write};
