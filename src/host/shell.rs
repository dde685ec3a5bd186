//! In: a [`Pending`]. Out: what its commands printed, one after another. Arguments reach a command as words and
//! variables of its shell, never as its text, so none can make it another command (decisions 35).
//! Absent: sending what comes of it, which [`Pending::resume`] gives.

use super::capture::{ScriptOutput, run_telling};
use super::environment::environment;
use super::error::HostError;
use super::limits::{CancelToken, Limits};
use super::output_file::Output;
use super::private_copy::PrivateCopy;
use super::process::{self, Outputs, Process};
use super::programs::Programs;
use crate::answers::invoke::Pending;
use crate::dialect::CommandRule;
use crate::fs::OsFs;
use crate::model::error::Error;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a [`Pending`] that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandOutput {
    /// The command, as written.
    pub command: String,
    /// What it printed, and how it ended. Its standard error is part of the output, in the order of time.
    pub ran: ScriptOutput,
    /// The file that holds the output, where it is too long for the text. It is left to the reader of the text, in a
    /// folder for temporary files that only the user can enter.
    pub file: Option<PathBuf>,
    text: String,
}

impl CommandOutput {
    /// What stands for the command in the text: its output without its last newline, and `[output cut]` where it printed
    /// more than was kept. Of an output that is too long for the text, the beginning and the file that holds all of it.
    pub fn text(&self) -> String {
        self.text.clone()
    }

    /// What was run, and the file that holds a long output, with its length.
    fn new(command: &str, ran: ScriptOutput, rule: &CommandRule, file: Option<(PathBuf, usize)>) -> CommandOutput {
        let mut text = told(&ran.output);
        if let Some((file, bytes)) = &file {
            let shown = rule.preview_chars;
            text = text.chars().take(shown).collect();
            let file = visible_path(file);
            text.push_str(&format!("\n[the first {shown} characters of the output; all {bytes} bytes are in {file}]"));
        } else if ran.is_cut {
            text.push_str(if text.is_empty() { "[output cut]" } else { "\n[output cut]" });
        }
        CommandOutput { command: command.to_owned(), ran, file: file.map(|(file, _)| file), text }
    }
}

fn visible_path(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// Why nothing may be made of what was run, if so.
fn failure(command: &str, ran: &ScriptOutput, limits: &Limits, answering: &[Cow<'_, str>]) -> Option<String> {
    let how = match ran {
        ScriptOutput { timed_out: true, time, .. } => format!("was stopped after {:.1} s", time.as_secs_f64()),
        ScriptOutput { flooded: true, .. } => {
            format!("printed more than {} bytes and was stopped", limits.flood_bytes())
        }
        ScriptOutput { code: 0, .. } => return None,
        ScriptOutput { code: 1, .. } if answers_by_one(command, answering) => return None,
        ScriptOutput { code, .. } => format!("failed with exit code {code}"),
    };
    let output = told(&ran.output);
    let last = output.lines().last().map(visible);
    Some(last.map_or_else(|| how.clone(), |last| format!("{how}: {last}")))
}

fn told(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.strip_suffix('\n').map_or(&*text, |line| line.strip_suffix('\r').unwrap_or(line));
    line.to_owned()
}

/// Whether the last program of a command is one of these, whose 1 is an answer. Read by words: what stands in quotes
/// counts too.
fn answers_by_one(command: &str, answering: &[Cow<'_, str>]) -> bool {
    let last = command.rsplit(['|', ';', '&', '\n']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let is_setting = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
    let mut words = last.split_whitespace().skip_while(is_setting);
    let program = words.next().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    let own_command = words.find(|word| !word.starts_with('-')).unwrap_or_default();
    answering.iter().any(|known| match known.split_once(' ') {
        Some(pair) => pair == (program, own_command),
        None => *known == program,
    })
}

/// A command in which `$ARGUMENTS[1]` is `${1}`, which a shell takes for the word. `$1` is its own already, and may be
/// another program's, as in `awk '{print $1}'`.
fn with_places(written: &str) -> String {
    let mut parts = written.split("$ARGUMENTS[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let place = part.split_once(']').filter(|(place, _)| !place.is_empty());
        match place.filter(|(place, _)| place.bytes().all(|byte| byte.is_ascii_digit())) {
            Some((place, behind)) => out.push_str(&format!("${{{place}}}{behind}")),
            None => out.push_str(&format!("$ARGUMENTS[{part}")),
        }
    }
    out
}

/// How a shell takes a command.
#[derive(Clone, Copy)]
enum Kind {
    /// As `sh -c COMMAND WORD…`.
    Posix,
    PowerShell,
}

/// Runs the commands one after another in a folder, for most hosts the project's. Each gets the limits by itself. The
/// first that fails ends it all: a message made of what is missing would mislead. The exit code 1 of a program that
/// answers so in the dialect ([`CommandRule::answers_by_one`]) is no failure. [`Limits::of_commands`] are the usual limits. Where the skill's contents are pinned, the variables that name its
/// folder name a private copy with these contents.
///
/// # Errors
/// As [`Pending::trusted`]; [`HostError::NotCopied`], [`HostError::CommandFailed`], [`HostError::UnknownShell`],
/// [`HostError::ProgramMissing`] and [`HostError::NotStarted`] for its shell, [`HostError::NotKept`],
/// [`HostError::Stopped`].
pub fn run_commands(
    disk: &OsFs,
    pending: &Pending,
    dir: &FsPath,
    limits: &Limits,
    stop: &CancelToken,
) -> Result<Vec<CommandOutput>, HostError> {
    let pinned = pending.trusted()?;
    // A dialect that has no variable for the skill's folder gives commands no way into it.
    let pinned = pinned.filter(|_| !pending.folder_variables.is_empty());
    let copy = pinned.map(|pinned| PrivateCopy::of(disk, &pending.key, pinned)).transpose()?;
    let copied = copy.as_ref().map(|copy| in_copy(pending, copy)).transpose()?;
    let pending = copied.as_ref().unwrap_or(pending);
    let (shell, kind) = shell(pending, &Programs::of_environment())?;
    let dir = disk.host(dir).map_err(Error::from)?;
    let seen = environment(&pending.requires_env);
    let answering: &[Cow<'_, str>] = match kind {
        Kind::Posix => &pending.rule.answers_by_one,
        Kind::PowerShell => &pending.rule.answers_by_one_in_powershell,
    };
    let mut done = Vec::with_capacity(pending.commands.len());
    for written in &pending.commands {
        if stop.is_stopped() {
            return Err(HostError::Stopped);
        }
        let mut command = command(&shell, kind, pending, written, &seen);
        command.current_dir(&dir);
        if let Some(copy) = &copy {
            copy.name_source(&mut command);
        }
        let process = Process::start(command, false, Outputs::Joined)
            .map_err(|error| HostError::not_started(shell.as_os_str(), &error))?;
        let mut output = Output::new(pending.rule.max_chars);
        let ran = run_telling(process, &[], limits, stop, &mut |bytes| output.take(bytes));
        if ran.is_stopped {
            return Err(HostError::Stopped);
        }
        if let Some(how) = failure(written, &ran, limits, answering) {
            return Err(HostError::CommandFailed { command: visible(written).into_owned(), how });
        }
        let file = output.finish().map_err(|error| HostError::NotKept {
            command: visible(written).into_owned(),
            reason: visible(&error.to_string()).into_owned(),
        })?;
        done.push(CommandOutput::new(written, ran, &pending.rule, file));
    }
    Ok(done)
}

/// The same with the copy in the variables that name the skill's folder.
fn in_copy(pending: &Pending, copy: &PrivateCopy) -> Result<Pending, HostError> {
    let mut pending = pending.clone();
    let dir = copy.dir()?.to_string_lossy().into_owned();
    let named = pending.variables.iter_mut().filter(|(name, _)| pending.folder_variables.contains(name));
    named.for_each(|(_, value)| value.clone_from(&dir));
    Ok(pending)
}

/// The shell that a skill names; where it names none, what its author most likely has.
fn shell(pending: &Pending, programs: &Programs) -> Result<(PathBuf, Kind), HostError> {
    let (names, kind): (&[&str], Kind) = match pending.shell.as_deref() {
        None => (&["bash", "sh"], Kind::Posix),
        Some("bash") => (&["bash"], Kind::Posix),
        Some("sh") => (&["sh"], Kind::Posix),
        Some("powershell") => (&["pwsh", "powershell"], Kind::PowerShell),
        Some(other) => {
            return Err(HostError::UnknownShell {
                key: visible(&pending.key).into_owned(),
                shell: visible(other).into_owned(),
            });
        }
    };
    let missing = || HostError::ProgramMissing {
        what: visible(&pending.key).into_owned(),
        wanted: names.iter().map(|name| (*name).to_owned()).collect(),
        found: None,
    };
    names.iter().find_map(|name| programs.find(name)).map(|file| (file, kind)).ok_or_else(missing)
}

fn command(shell: &Path, kind: Kind, pending: &Pending, written: &str, seen: &[(OsString, OsString)]) -> Command {
    let mut command = process::command(shell);
    command.env_clear();
    let named = pending.variables.iter().filter(|(name, _)| is_variable(name));
    let named: Vec<(String, &str)> = named.map(|(name, value)| (name.clone(), value.as_str())).collect();
    match kind {
        // What begins with `-` is the command all the same, and no option before the words.
        Kind::Posix => {
            command.args(["-c", "--", &with_places(written)]).args(&pending.words).envs(named);
            // Without a word `$0` is the name of the shell.
            command.args(pending.words.is_empty().then_some(""));
        }
        // It takes no words behind a command; all that follows would be read as a part of it.
        Kind::PowerShell => {
            let words = pending.words.iter().enumerate().map(|(n, word)| (n.to_string(), word.as_str()));
            let given: Vec<(String, &str)> = named.into_iter().chain(words).collect();
            let mut text: String = given.iter().map(|(name, _)| format!("${{{name}}} = ${{env:{name}}}\n")).collect();
            text.push_str(written);
            command.args(["-NoProfile", "-NonInteractive", "-Command", &text]).envs(given);
        }
    }
    // What every program needs is set last: no argument's name takes its place.
    command.envs(seen.iter().map(|(name, value)| (name, value)));
    command
}

/// Whether a shell can name it.
fn is_variable(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty()
}
