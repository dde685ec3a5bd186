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
pub use capture::{CancelToken, Limits, ScriptOutput};
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

#[cfg(feature = "author")]
use crate::author::{Conversion, NewSkill};
use crate::discovery::state::FileWrite;
#[cfg(feature = "archive")]
use crate::fs::ArchiveFs;
#[cfg(feature = "author")]
use crate::fs::Fs;
use crate::fs::OsFs;
#[cfg(feature = "processes")]
use crate::loading::invoke::Pending;
#[cfg(feature = "processes")]
use crate::loading::script::ScriptPlan;
use crate::package::activate::CopyPlan;
use crate::path::FsPath;

impl CopyPlan {
    /// Carries out a plan that was made over the same disk.
    ///
    /// The root is opened once, and everything is written to that folder, whatever takes its place meanwhile. No symlink in
    /// [`CopyPlan::no_links_in`] is followed to it.
    pub fn apply(&self, disk: &OsFs) -> Applied {
        apply::apply(disk, self)
    }
}

#[cfg(feature = "processes")]
impl Pending {
    /// Runs the commands one after another in the folder `dir`, usually the project's. Each command has its own `limits`,
    /// usually [`Limits::of_commands`].
    ///
    /// The first command that fails ends the run, as a text with a missing output would be misleading. The exit code 1 of a
    /// program in the list `exit_one_is_answer` of the dialect is not a failure. If the skill's contents are pinned, the
    /// variables with the path of its folder have the path of a private copy with these contents.
    ///
    /// # Errors
    /// Returns the errors of [`Pending::trusted`]; [`HostError::NotCopied`]; [`HostError::CommandFailed`];
    /// [`HostError::UnknownShell`], [`HostError::ProgramMissing`] or [`HostError::NotStarted`] for the shell;
    /// [`HostError::OutputNotStored`]; and [`HostError::Stopped`].
    pub fn run(
        &self,
        disk: &OsFs,
        dir: &FsPath,
        limits: &Limits,
        stop: &CancelToken,
    ) -> Result<Vec<CommandOutput>, HostError> {
        shell::run_commands(disk, self, dir, limits, stop)
    }
}

#[cfg(feature = "processes")]
impl ScriptPlan {
    /// Runs a script that was planned over the same disk, and waits until it ends. If the skill's contents are pinned, the
    /// script runs in a private copy with these contents.
    ///
    /// # Errors
    /// Returns [`HostError::ProgramMissing`] if no program for it is installed, [`HostError::NotStarted`],
    /// [`HostError::Refused`] if its file is gone, a symlink leads elsewhere now or the skill's contents are not the approved
    /// ones, [`HostError::NotCopied`], and [`HostError::Stopped`] if the run was cancelled before it began. A script that is
    /// cancelled while it runs is no error: the output so far is returned.
    pub fn run(&self, disk: &OsFs, limits: &Limits, stop: &CancelToken) -> Result<ScriptOutput, HostError> {
        script::run_script(disk, self, limits, stop)
    }
}

#[cfg(feature = "archive")]
impl Unpacked {
    /// Unpacks a skill's archive into a new folder in `into`.
    ///
    /// If the archive contains a single folder that is not hidden and nothing else, that is the new folder. Otherwise the
    /// new folder has the name `else_name` and everything in the archive. Empty folders are not created.
    ///
    /// `into` is opened once, and everything is written to that folder, whatever takes its place meanwhile. Symlinks in its
    /// path are followed, except those in `no_links_in`: see [`Places::no_links_in`](crate::Places).
    ///
    /// # Errors
    /// Returns an [`UnpackError`]. Then nothing has changed, except that `into` may have been created.
    pub fn write(
        disk: &OsFs,
        archive: &ArchiveFs,
        into: &FsPath,
        else_name: &str,
        over: Overwrite,
        no_links_in: Option<&FsPath>,
    ) -> Result<Unpacked, UnpackError> {
        unpack::unpack(disk, archive, into, else_name, over, no_links_in)
    }
}

impl FileWrite {
    /// Writes a file that was planned over the same disk, and creates its folders. If another process has locked the folder,
    /// this waits for at most 10 seconds.
    ///
    /// # Errors
    /// Returns [`WriteError::Changed`] if the file is no longer the one that the plan replaces ([`FileWrite::rewrite`] plans again
    /// then), [`WriteError::Locked`], [`WriteError::Symlink`], or [`WriteError::Failed`].
    pub fn write(&self, disk: &OsFs) -> Result<(), WriteError> {
        write::write(disk, self)
    }

    /// Renames a file in its folder. `file` is a path without symlinks, and one that is on the way is refused.
    ///
    /// # Errors
    /// Returns [`WriteError::Failed`] if a file of the new name exists, and the errors of [`FileWrite::write`].
    pub fn rename(disk: &OsFs, file: &FsPath, name: &str) -> Result<(), WriteError> {
        write::rename(disk, file, name)
    }

    /// Plans a change of a file and writes it. If another process changes the file in between, the change is planned again
    /// while this process holds the lock. Returns the plan that was written, or `None` if `plan` returned `None`.
    ///
    /// # Errors
    /// Returns the errors of `plan` and of [`FileWrite::write`].
    pub fn rewrite<E: From<WriteError>>(
        disk: &OsFs,
        plan: impl FnMut() -> Result<Option<FileWrite>, E>,
    ) -> Result<Option<FileWrite>, E> {
        write::rewrite(disk, plan)
    }
}

#[cfg(feature = "author")]
impl Conversion {
    /// Writes a converted skill into a new folder in `into`, which is created if it does not exist, and returns the path of
    /// the new folder. The other files of the skill are read from `fs`, over which it was converted.
    ///
    /// `into` is opened once, and everything is written to that folder, whatever takes its place meanwhile. Symlinks in its
    /// path are followed, except those in `no_links_in`: see [`Places::no_links_in`](crate::Places).
    ///
    /// # Errors
    /// Returns a [`NewFolderError`]. Then nothing has changed, except that `into` may have been created.
    pub fn write(
        &self,
        fs: &dyn Fs,
        disk: &OsFs,
        into: &FsPath,
        no_links_in: Option<&FsPath>,
    ) -> Result<FsPath, NewFolderError> {
        new_folder::write_converted(fs, disk, self, into, no_links_in)
    }
}

#[cfg(feature = "author")]
impl NewSkill {
    /// Writes a new skill into a new folder in `into`, which is created if it does not exist, and returns the path of the new
    /// folder. Symlinks are treated as by [`Conversion::write`].
    ///
    /// # Errors
    /// Returns a [`NewFolderError`]. Then nothing has changed, except that `into` may have been created.
    pub fn write(&self, disk: &OsFs, into: &FsPath, no_links_in: Option<&FsPath>) -> Result<FsPath, NewFolderError> {
        new_folder::write_new_skill(disk, self, into, no_links_in)
    }
}

/// The mode of a file; `None` on systems without modes.
#[cfg(unix)]
fn mode_of(file: &std::fs::Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::mode(file))
}

#[cfg(not(unix))]
fn mode_of(_: &std::fs::Metadata) -> Option<u32> {
    None
}
