//! Carries plans out on the real machine: writes files, makes copies, runs scripts, commands, agents and toolsets.
//!
//! Plans that the core made are carried out by their methods here, which report what happened. What is to be done is in the
//! plan; only how this machine does it is decided here. `Places::from_env`, `Programs` and `guard` ask or prepare the
//! machine.
//!
//! - `write`, `apply`, `unpack`, `new_folder`: write a planned file, make the copies of a plan, unpack an archive,
//!   write a converted or new skill. They use `dir_handle`, which keeps the folders that are written to open.
//! - `script`, `shell`, `subagent`, `toolset`: run a skill's scripts, the commands in its text, its tasks for another
//!   agent, and its tools. They use `process` (starting and ending processes), `capture` (collecting output within
//!   limits), `private_copy` (what runs of a skill that was approved by its contents).
//! - `places`: where skills are searched on this machine.
//! - `programs`, `runtime`: find a program in PATH, choose a language's runtime, and keep it from reading configuration
//!   outside of the skill.

mod apply;
#[cfg(feature = "processes")]
mod capture;
mod dir_handle;
#[cfg(feature = "processes")]
mod error;
#[cfg(feature = "author")]
mod new_folder;
mod places;
#[cfg(feature = "processes")]
mod private_copy;
#[cfg(feature = "processes")]
mod process;
mod programs;
#[cfg(feature = "processes")]
mod runtime;
#[cfg(feature = "processes")]
mod script;
#[cfg(feature = "processes")]
mod shell;
#[cfg(feature = "processes")]
mod subagent;
#[cfg(feature = "processes")]
mod toolset;
#[cfg(feature = "archive")]
mod unpack;
mod write;

pub use apply::Applied;
#[cfg(feature = "processes")]
pub use capture::{CancelToken, Limits, ProcessOutput};
#[cfg(feature = "processes")]
pub use error::HostError;
#[cfg(feature = "author")]
pub use new_folder::NewFolderError;
#[cfg(feature = "processes")]
pub use process::guard;
pub use programs::Programs;
#[cfg(feature = "processes")]
pub use shell::CommandOutput;
#[cfg(feature = "processes")]
pub use subagent::{CommandAgent, SubagentHost, Task, TaskId, TaskState};
#[cfg(feature = "processes")]
pub use toolset::{RegisteredTool, ToolRegistry, ToolResult, ToolSpec, Toolset};
#[cfg(feature = "archive")]
pub use unpack::{Overwrite, UnpackError, Unpacked};
pub use write::WriteError;

use std::ffi::OsStr;
use std::path::PathBuf;

/// The absolute folders of a PATH. Relative ones would name programs of the working directory, which may be an untrusted
/// project.
fn folders_of(path: &OsStr) -> Vec<PathBuf> {
    #[cfg(not(target_family = "wasm"))]
    let all = std::env::split_paths(path);
    // std cannot split them on WASI, where they are as on Unix.
    #[cfg(target_family = "wasm")]
    let all = path
        .as_encoded_bytes()
        .split(|byte| *byte == b':')
        .filter_map(|dir| std::str::from_utf8(dir).ok())
        .map(PathBuf::from);
    all.filter(|dir| dir.is_absolute()).collect()
}

/// The mode of a file; `None` on systems without modes.
#[cfg(unix)]
fn mode_of(file: &std::fs::Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::mode(file))
}

#[cfg(all(not(unix), feature = "processes"))]
fn mode_of(_: &std::fs::Metadata) -> Option<u32> {
    None
}
