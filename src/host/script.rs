//! In: a [`ScriptPlan`]. Out: [`ScriptOutput`], what the script printed and how it ended. It runs without a shell between, in
//! the skill's folder, with nothing to read, in an environment of a few variables, and ends at its limits with all
//! that it started. Absent: whether it may run; that is the plan's.

use super::capture::{ScriptOutput, run};
use super::environment::environment;
use super::error::HostError;
use super::limits::{CancelToken, Limits};
use super::private_copy::PrivateCopy;
use super::process::{self, Outputs, Process};
use super::programs::Programs;
use super::runtime::{NO_UPDATES, RuntimeKind, runtime};
use super::runtime_options;
use crate::answers::script::{Interpreter, ScriptPlan, in_copy};
use crate::fs::{Fs, OsFs};
use crate::model::error::Error;
use crate::text::escape::visible;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a script that was planned over the same disk, and waits for its end. Of a skill whose contents are pinned a
/// private copy is run, which has these contents.
///
/// # Errors
/// [`HostError::ProgramMissing`] where nothing here runs it; [`HostError::NotStarted`]; [`HostError::Refused`] where
/// its file has gone, a link leads elsewhere now, or its skill is not what was approved; [`HostError::NotCopied`];
/// [`HostError::Stopped`] when it was told to stop before it began.
/// Once it runs, what it printed until it was stopped is an answer.
pub fn run_script(
    disk: &OsFs,
    plan: &ScriptPlan,
    limits: &Limits,
    stop: &CancelToken,
) -> Result<ScriptOutput, HostError> {
    if stop.is_stopped() {
        return Err(HostError::Stopped);
    }
    if let Some(pinned) = &plan.pinned {
        let copy = PrivateCopy::of(disk, &plan.key, pinned)?;
        let plan = copy.ask(|world| in_copy(world, copy.skill(), plan))?;
        return run_at(&OsFs::new(), &plan, Some(&copy), limits, stop);
    }
    // A plan may be old.
    if disk.canonical(&plan.file).map_err(Error::from)? != plan.file {
        return Err(Error::Outside { key: plan.key.clone(), asked: visible(&plan.name).into_owned() }.into());
    }
    run_at(disk, plan, None, limits, stop)
}

/// Runs it where the plan says.
fn run_at(
    disk: &OsFs,
    plan: &ScriptPlan,
    copy: Option<&PrivateCopy>,
    limits: &Limits,
    stop: &CancelToken,
) -> Result<ScriptOutput, HostError> {
    let file = disk.host(&plan.file).map_err(Error::from)?;
    let dir = disk.host(&plan.dir).map_err(Error::from)?;
    let (program, mut command) = command(plan, &file, &dir, &Programs::of_environment())?;
    copy.inspect(|copy| copy.name_source(&mut command));
    command.args(&plan.args).current_dir(&dir);

    let not_started = |error| {
        let mut why = HostError::not_started(program.as_os_str(), &error);
        let is_flat = plan.interpreter == Interpreter::Itself && lacks_execution(&file);
        if let (HostError::NotStarted { reason, .. }, true) = (&mut why, is_flat) {
            reason.push_str("; make it executable with `chmod +x`");
        }
        why
    };
    let process = Process::start(command, false, Outputs::Apart).map_err(not_started)?;
    Ok(run(process, &[], limits, stop))
}

/// The program, and the command that starts it with the words before the file, and the file.
fn command(plan: &ScriptPlan, file: &Path, dir: &Path, programs: &Programs) -> Result<(PathBuf, Command), HostError> {
    let name = visible(&plan.name);
    let alone = |program: &Path| {
        let mut command = process::command(program);
        command.env_clear().envs(environment(&plan.variables));
        command
    };
    let (program, mut command) = match &plan.interpreter {
        Interpreter::Itself => return Ok((file.to_owned(), alone(file))),
        Interpreter::Line { program, arguments } => {
            let missing = || HostError::ProgramMissing {
                what: name.clone().into_owned(),
                wanted: vec![visible(program).into_owned()],
                found: None,
            };
            let program = named(program, programs).ok_or_else(missing)?;
            let mut command = alone(&program);
            command.args(runtime_options::shebang_arguments(&program, arguments, file, dir));
            (program, command)
        }
        Interpreter::Language(language) => {
            let runtime = runtime(*language, &name, programs)?;
            let mut command = alone(&runtime.program);
            if runtime.kind == RuntimeKind::Deno {
                command.env(NO_UPDATES.0, NO_UPDATES.1);
            }
            command.args(runtime.before).args(runtime_options::options(runtime.kind, file, dir, &[]));
            (runtime.program, command)
        }
    };
    command.arg(file);
    Ok((program, command))
}

/// The program of a `#!` line. Where there are no such paths, its name alone counts.
fn named(program: &str, programs: &Programs) -> Option<PathBuf> {
    let found = programs.find(program);
    if cfg!(unix) { found } else { found.or_else(|| programs.find(program.rsplit('/').next()?)) }
}

/// Whether a program is there that nobody may execute.
#[cfg(unix)]
fn lacks_execution(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 == 0)
}

#[cfg(not(unix))]
fn lacks_execution(_: &Path) -> bool {
    false
}
