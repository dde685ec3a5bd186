//! In: a skill, a script of it and what the script is given. Out: what the script printed, and its exit code.
//! Whatever keeps it from being run is "could not answer", as its own codes must be told from ours.
//! Absent: what may be run (the library's `script`), how it is run (`run_script`).

use crate::reply::{Exit, Failure, Reply, Screen};
use crate::run::noted;
use crate::setup::Setup;
use crate::stop;
use skilltree::{Caller, Catalog, Error, Limits, Ran, Skill, answer, run_script};
use std::time::Duration;

/// What is to be run.
pub(crate) struct Ask<'a> {
    pub(crate) key: &'a str,
    /// The script's name, then its arguments.
    pub(crate) words: &'a [String],
    pub(crate) time: Duration,
}

/// Runs it.
pub(crate) fn answer(setup: &Setup, catalog: &Catalog, ask: &Ask<'_>, json: bool, screen: Screen) -> Reply {
    match ran(setup, catalog, ask) {
        Ok((limits, ran)) => reply(&limits, ran, json, screen),
        Err(failure) => failure.unanswered().reply(json),
    }
}

fn ran(setup: &Setup, catalog: &Catalog, ask: &Ask<'_>) -> Result<(Limits, Ran), Failure> {
    let world = setup.world();
    let skill = meant(setup, catalog, ask.key)?;
    let (name, args) = ask.words.split_first().map_or(("", ask.words), |(name, args)| (name, args));
    let plan = skilltree::script(&world, catalog, skill, name, args)?;
    let limits = Limits::default().with_time(ask.time);
    let ran = run_script(&setup.fs, &plan, &limits, &stop::on_signal()?)?;
    Ok((limits, ran))
}

/// The skill as the user finds it. One that only the model is shown tells the model to run its scripts, and the
/// model's shell is the user's.
pub(crate) fn meant<'c>(setup: &Setup, catalog: &'c Catalog, key: &str) -> Result<&'c Skill, Failure> {
    let found = catalog.locate(&setup.world(), key, Caller::User).or_else(|error| match error {
        Error::NotForUser { .. } => catalog.locate(&setup.world(), key, Caller::Model).map_err(|_| error),
        error => Err(error),
    });
    found.map_err(|error| setup.not_there(catalog, key, error))
}

fn reply(limits: &Limits, ran: Ran, json: bool, screen: Screen) -> Reply {
    let mut err = String::new();
    if ran.is_cut {
        err.push_str(&noted(&format!(
            "the script printed more than {} bytes; the rest was dropped",
            limits.output_bytes
        )));
    }
    if ran.timed_out {
        let seconds = limits.time.as_secs_f64();
        err.push_str(&noted(&format!("the script was ended after {seconds} s; `--timeout` gives it more")));
    }
    let exit = Exit::Code(ran.code);
    if json {
        return Reply::json(&answer::ran(&ran)).err(&err).exit(exit);
    }
    Reply::new(screen.bytes(ran.output)).errors(ran.errors).err(&err).exit(exit)
}
