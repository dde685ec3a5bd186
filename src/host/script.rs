//! In: a [`ScriptPlan`]. Out: [`Ran`], what the script printed and how it ended. It runs without a shell between, in
//! the skill's folder, with nothing to read, in an environment of a few variables, and ends at its limits with all
//! that it started. Absent: whether it may run; that is the plan's.

use super::environment::environment;
use super::error::HostError;
use super::limits::{Limits, Stop};
use super::process::{Pause, Process, Stream, Want, exit_code};
use super::program::Programs;
use super::runtime::runtime;
use crate::error::Error;
use crate::fs::{Fs, OsFs};
use crate::script::{Interpreter, ScriptPlan};
use crate::text::escape::visible;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// What `timeout` exits with, and shells know.
const TIMED_OUT: i32 = 124;

/// What became of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// What it exited with: 128 and the signal's number where a signal ended it, 124 where the time did.
    pub code: i32,
    /// What it printed, as far as it was kept.
    pub output: Vec<u8>,
    /// What it printed to its standard error, as far as it was kept.
    pub errors: Vec<u8>,
    /// Whether it printed more than was kept of both together.
    pub is_cut: bool,
    /// How long it ran.
    pub time: Duration,
    /// Whether it was ended as its time was over.
    pub timed_out: bool,
}

/// Runs a script that was planned over the same disk, and waits for its end.
///
/// # Errors
/// [`HostError::ProgramMissing`] where nothing here runs it; [`HostError::NotStarted`]; [`HostError::Refused`] where
/// its file has gone, or a link leads elsewhere now; [`HostError::Stopped`] when it was told to stop.
pub fn run_script(disk: &OsFs, plan: &ScriptPlan, limits: &Limits, stop: &Stop) -> Result<Ran, HostError> {
    if stop.is_stopped() {
        return Err(HostError::Stopped);
    }
    // A plan may be old.
    if disk.canonical(&plan.file).map_err(Error::from)? != plan.file {
        return Err(Error::Outside { key: plan.key.clone(), asked: visible(&plan.name).into_owned() }.into());
    }
    let file = disk.host(&plan.file).map_err(Error::from)?;
    let mut command = command(plan, &file, &Programs::of_environment())?;
    command.args(&plan.args).env_clear().envs(environment(&plan.variables));
    command.current_dir(disk.host(&plan.dir).map_err(Error::from)?);
    let program = command.get_program().to_string_lossy().into_owned();

    let begun = Instant::now();
    let mut process = Process::start(command, false).map_err(|error| HostError::NotStarted {
        program: visible(&program).into_owned(),
        reason: error.to_string(),
    })?;
    let mut ran = Ran {
        code: TIMED_OUT,
        output: Vec::new(),
        errors: Vec::new(),
        is_cut: false,
        time: Duration::ZERO,
        timed_out: false,
    };
    let mut take = |stream, bytes: &[u8]| {
        let room = limits.output_bytes.saturating_sub(ran.output.len() + ran.errors.len());
        ran.is_cut |= room < bytes.len();
        let to = match stream {
            Stream::Output => &mut ran.output,
            Stream::Errors => &mut ran.errors,
        };
        to.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        Want::More
    };
    match process.pump(&mut [].as_slice(), limits.end(begun), stop, &mut take) {
        Pause::Ended(status) => ran.code = exit_code(status),
        Pause::Late | Pause::Enough => {
            process.end(&mut take);
            ran.timed_out = true;
        }
        Pause::Stopped => {
            process.end(&mut take);
            return Err(HostError::Stopped);
        }
    }
    ran.time = begun.elapsed();
    Ok(ran)
}

/// The program, the words before the file, and the file.
fn command(plan: &ScriptPlan, file: &Path, programs: &Programs) -> Result<Command, HostError> {
    let name = visible(&plan.name);
    let mut command = match &plan.interpreter {
        Interpreter::Itself => return Ok(Command::new(file)),
        Interpreter::Line { program, arguments } => {
            let missing = || HostError::ProgramMissing {
                what: name.clone().into_owned(),
                wanted: vec![visible(program).into_owned()],
            };
            let mut command = Command::new(named(program, programs).ok_or_else(missing)?);
            command.args(arguments);
            command
        }
        Interpreter::Language(language) => {
            let runtime = runtime(*language, &name, programs)?;
            let mut command = Command::new(runtime.program);
            command.args(runtime.before);
            command
        }
    };
    command.arg(file);
    Ok(command)
}

/// The program of a `#!` line. Where there are no such paths, its name alone counts.
fn named(program: &str, programs: &Programs) -> Option<std::path::PathBuf> {
    let found = programs.find(program);
    if cfg!(unix) { found } else { found.or_else(|| programs.find(program.rsplit('/').next()?)) }
}
