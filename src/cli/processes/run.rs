//! The command `run`: runs a script of a skill and exits with its exit code, or with 124 if a limit stopped it. If the
//! script is not run, the exit code is 2, as many scripts that fail exit with 1.

use super::{cancel_on_signal, signal_name};
use crate::answer::{Answer, Runner, note_line};
use crate::args::seconds;
use crate::completion::keys;
use crate::hints;
use crate::reply::{Exit, Failure, Reply, Screen};
use crate::setup::Setup;
use crate::suggested::command;
use clap_complete::engine::ArgValueCompleter;
use skilltree::host::{HostError, Limits, ProcessOutput};
use skilltree::{Caller, Catalog, Error, Fs, Skill, visible};
use std::time::Duration;

/// The arguments of `run`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "skilltree run [OPTIONS] <KEY> <SCRIPT> [ARG]...",
    after_help = "The script's standard input is empty. Its output is printed when it has finished.\nThe exit \
         code is that of the script, 124 if a limit of time or output stopped it, and 2 if it was not run.\nEverything \
         after SCRIPT is passed to the script: put options of skilltree before it.\n\nExamples:\n  skilltree run pdf \
         fill.py form.pdf --flat\n  skilltree run --timeout 300 --json pdf fill.py"
)]
pub(crate) struct RunArgs {
    /// Maximum running time in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    timeout: Duration,
    /// Key of the skill
    #[arg(add = ArgValueCompleter::new(keys))]
    key: String,
    /// Path of the script below `scripts/`, followed by its arguments
    #[arg(value_name = "SCRIPT", required = true, trailing_var_arg = true)]
    words: Vec<String>,
}

impl Runner<'_> {
    pub(crate) fn run_script(self, ask: &RunArgs) -> Answer {
        let (setup, catalog) = self.discover()?;
        Ok(match ran(&setup, &catalog, ask) {
            Ok((limits, ran)) => reply(&limits, ran, self.json, self.screen),
            Err(failure) => failure.into_error().reply(self.json),
        })
    }
}

fn ran(setup: &Setup, catalog: &Catalog, ask: &RunArgs) -> Result<(Limits, ProcessOutput), Failure> {
    let world = setup.world();
    let skill = meant(setup, catalog, &ask.key)?;
    let Some((name, args)) = ask.words.split_first() else {
        return Err(Failure::error("usage", "no script was given"));
    };
    let plan = skilltree::loading::ScriptPlan::of(&world, catalog, skill, name, args);
    let plan = plan.map_err(|mut error| {
        if let Error::Untrusted { key, .. } | Error::ApprovalVoid { key, .. } = &mut error {
            hints::operand(catalog, skill).clone_into(key);
        }
        error
    })?;
    let limits = Limits::default().with_time(ask.timeout);
    if let Some(archive) = setup.archive_of(&skill.path) {
        let archive = setup.fs.display(&archive).into_owned();
        let why = format!("the skill is in the archive `{}`, from which nothing is run", visible(&archive));
        return Err(
            Failure::negative("in-archive", why).with_help(format!("{} unpacks it", command(&["unpack"], &[&archive])))
        );
    }
    let ran = plan.run(&setup.fs, &limits, &cancel_on_signal()?)?;
    Ok((limits, ran))
}

/// The skill that the user names. One that only the model may load is accepted as well: it tells the model to run its
/// scripts, and the model's shell is the user's.
pub(crate) fn meant<'c>(setup: &Setup, catalog: &'c Catalog, key: &str) -> Result<&'c Skill, Failure> {
    let found = catalog.locate(&setup.world(), key, Caller::User).or_else(|error| match error {
        Error::NotForUser { .. } => catalog.locate(&setup.world(), key, Caller::Model).map_err(|_| error),
        error => Err(error),
    });
    found.map_err(|error| setup.lookup_failure(catalog, key, error))
}

fn reply(limits: &Limits, ran: ProcessOutput, json: bool, screen: Screen) -> Reply {
    let mut err = String::new();
    if ran.flooded {
        let most = limits.flood_bytes();
        err.push_str(&note_line(&format!("the script printed more than {most} bytes and was stopped")));
    } else if ran.is_cut {
        err.push_str(&note_line(&format!(
            "the script printed more than {} bytes; the rest was discarded",
            limits.output_bytes
        )));
    }
    if ran.timed_out {
        let seconds = limits.time.as_secs_f64();
        err.push_str(&note_line(&format!("the script was stopped after {seconds} s; `--timeout` allows more")));
    }
    if let Some(signal) = ran.signal {
        let name = signal_name(signal).map(|name| format!(" ({name})")).unwrap_or_default();
        err.push_str(&note_line(&format!("the script was killed by signal {signal}{name}")));
    }
    let failure = ran.is_stopped.then(|| Failure::from(HostError::Stopped));
    let exit = failure.as_ref().map_or(Exit::Child(ran.code), Failure::exit);
    err.push_str(&failure.as_ref().map(Failure::to_stderr).unwrap_or_default());
    if json {
        let known = ran.to_json();
        let known = failure.map_or(known.clone(), |failure| failure.add_to_json(known));
        return Reply::json(&known).with_stderr(&err).with_exit(exit);
    }
    Reply::new(screen.bytes_output(ran.output)).with_child_stderr(ran.errors).with_stderr(&err).with_exit(exit)
}
