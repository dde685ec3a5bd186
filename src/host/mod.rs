//! Carries plans out on the real machine: writes files, makes copies, runs scripts, commands, agents and toolsets.
//!
//! Every function takes a plan that the core made and reports what happened. It decides nothing: what is to be done is
//! in the plan.
//!
//! - `write`, `apply`, `unpack`, `new_folder`: write a planned file, make the copies of an activation, unpack an archive,
//!   write a converted or new skill. They use `dir_handle`, which keeps the folders that are written to open.
//! - `script`, `shell`, `subagent`, `toolset`: run a skill's scripts, the commands in its text, its tasks for another
//!   agent, and its tools. They use `process` (starting and ending processes), `capture` (collecting output within
//!   limits), `private_copy` (what runs of a skill that was approved by its contents), `environment` and `limits`.
//! - `programs`, `runtime`, `runtime_options`: find a program in PATH, choose a language's runtime, and keep it from
//!   reading configuration outside of the skill.

mod apply;
#[cfg(any(feature = "scripts", feature = "forks"))]
mod capture;
mod dir_handle;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod environment;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod error;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod limits;
mod new_folder;
#[cfg(feature = "forks")]
mod output_file;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod private_copy;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
mod process;
mod programs;
#[cfg(any(feature = "scripts", feature = "toolsets"))]
mod runtime;
#[cfg(any(feature = "scripts", feature = "toolsets"))]
mod runtime_options;
#[cfg(feature = "scripts")]
mod script;
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
#[cfg(any(feature = "scripts", feature = "forks"))]
pub use capture::ScriptOutput;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
pub use error::HostError;
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
pub use limits::{CancelToken, Limits};
pub use new_folder::{NewFolderError, write_converted, write_new_skill};
#[cfg(any(feature = "scripts", feature = "toolsets", feature = "forks"))]
pub use process::guard;
pub use programs::Programs;
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
pub use write::{WriteError, rename, rewrite, write};
