//! Runs a script of a skill: carries out a [`ScriptPlan`], which has decided that the script may be run.
//!
//! The script runs without a shell, in the skill's folder, with empty standard input and few environment variables. At
//! its limits it is ended together with its descendants.

use super::capture::{CancelToken, Limits, ProcessOutput, capture};
use super::error::HostError;
use super::mode_of;
use super::private_copy::PrivateCopy;
use super::process::{Outputs, Process, isolated_command};
use super::programs::Programs;
use super::runtime::{self, NO_UPDATES, RuntimeKind, runtime};
use crate::fs::{Fs, OsFs};
use crate::loading::script::{Interpreter, ScriptPlan, in_copy};
use crate::model::error::Error;
use crate::text::escape::visible;
use std::path::{Path, PathBuf};
use std::process::Command;

impl ScriptPlan {
    /// Runs a script that was planned over the same disk, and waits until it ends. If the skill's contents are pinned, the
    /// script runs in a private copy with these contents.
    ///
    /// # Errors
    /// Returns [`HostError::ProgramMissing`] if no program for it is installed, [`HostError::NotStarted`],
    /// [`HostError::Refused`] if its file is gone, a symlink leads elsewhere now or the skill's contents are not the approved
    /// ones, [`HostError::NotCopied`], and [`HostError::Stopped`] if the run was cancelled before it began. A script that is
    /// cancelled while it runs is no error: the output so far is returned.
    pub fn run(&self, disk: &OsFs, limits: &Limits, stop: &CancelToken) -> Result<ProcessOutput, HostError> {
        if stop.is_stopped() {
            return Err(HostError::Stopped);
        }
        if let Some(pinned) = &self.expected_contents {
            let copy = PrivateCopy::of(disk, &self.key, pinned)?;
            let plan = copy.with_world(|world| in_copy(world, &copy.skill, self))?;
            return start_and_capture(&OsFs::new(), &plan, Some(&copy), limits, stop);
        }
        // A symlink may have changed since the script was planned.
        if disk.canonical(&self.file).map_err(Error::from)? != self.file {
            return Err(Error::OutsideScripts { key: self.key.clone(), asked: visible(&self.name).into_owned() }.into());
        }
        start_and_capture(disk, self, None, limits, stop)
    }
}

fn start_and_capture(
    disk: &OsFs,
    plan: &ScriptPlan,
    copy: Option<&PrivateCopy>,
    limits: &Limits,
    stop: &CancelToken,
) -> Result<ProcessOutput, HostError> {
    let file = disk.for_programs(&plan.file).map_err(Error::from)?;
    let dir = disk.for_programs(&plan.dir).map_err(Error::from)?;
    let (program, mut command) = command(plan, &file, &dir, &Programs::of_environment())?;
    copy.inspect(|copy| copy.set_source_variable(&mut command));
    command.args(&plan.args).current_dir(&dir);

    let not_started = |error| {
        let mut not_started = HostError::not_started(program.as_os_str(), &error);
        let mode = std::fs::metadata(&file).ok().as_ref().and_then(mode_of);
        let lacks_mode = plan.interpreter == Interpreter::Itself && mode.is_some_and(|mode| mode & 0o111 == 0);
        if let (HostError::NotStarted { reason, .. }, true) = (&mut not_started, lacks_mode) {
            reason.push_str("; make it executable with `chmod +x`");
        }
        not_started
    };
    let process = Process::start(command, false, Outputs::Separate).map_err(not_started)?;
    Ok(capture(process, &[], limits, stop))
}

/// The program that runs the script, and the command that starts it, without the script's own arguments.
fn command(plan: &ScriptPlan, file: &Path, dir: &Path, programs: &Programs) -> Result<(PathBuf, Command), HostError> {
    let name = visible(&plan.name);
    let with_environment = |program: &Path| isolated_command(program, &plan.variables);
    let (program, mut command) = match &plan.interpreter {
        Interpreter::Itself => return Ok((file.to_owned(), with_environment(file))),
        Interpreter::Line { program, arguments } => {
            let missing = || HostError::ProgramMissing {
                what: name.clone().into_owned(),
                wanted: vec![visible(program).into_owned()],
                found: None,
            };
            let program = shebang_program(program, programs).ok_or_else(missing)?;
            let mut command = with_environment(&program);
            command.args(runtime::shebang_arguments(&program, arguments, file, dir));
            (program, command)
        }
        Interpreter::Language(language) => {
            let runtime = runtime(*language, &name, programs)?;
            if runtime.kind == RuntimeKind::Batch {
                return Ok((file.to_owned(), with_environment(file)));
            }
            let mut command = with_environment(&runtime.program);
            if runtime.kind == RuntimeKind::Deno {
                command.env(NO_UPDATES.0, NO_UPDATES.1);
            }
            command.args(runtime.arguments).args(runtime::options(runtime.kind, file, dir, &[]));
            (runtime.program, command)
        }
    };
    command.arg(file);
    Ok((program, command))
}

/// The program of a `#!` line. On systems other than Unix its path does not exist, and it is looked up by its name.
fn shebang_program(program: &str, programs: &Programs) -> Option<PathBuf> {
    let found = programs.find(program);
    if cfg!(unix) { found } else { found.or_else(|| programs.find(program.rsplit('/').next()?)) }
}
