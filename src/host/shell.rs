//! Runs the commands in a skill's text, one after another. [`Pending::resume`] then inserts their output into the text.
//!
//! The arguments of the call reach a command as positional parameters and variables of its shell. They are never inserted
//! into the command's text, so they cannot change the command (rule 13.8).

use super::capture::{CancelToken, Limits, ProcessOutput, capture_and_observe};
use super::error::HostError;
use super::private_copy::{PrivateCopy, create_private_dir, create_private_file, random_hex};
use super::process::{self, Outputs, Process, UNKNOWN_CODE, environment};
use super::programs::Programs;
use crate::dialect::ShellRule;
use crate::fs::OsFs;
use crate::loading::invoke::Pending;
use crate::model::error::Error;
use crate::offer::fill::fill_unescaped;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The result of one command of a [`Pending`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandOutput {
    /// The command, as written.
    pub command: String,
    /// What the command printed, and how it ended. Standard error is part of the output, in the order of printing.
    pub output: ProcessOutput,
    /// The file with the whole output, if that is too long for the text. It is in a temporary folder that only the user
    /// can enter, and is not removed, as the reader of the text may open it.
    pub file: Option<PathBuf>,
    text: String,
}

impl CommandOutput {
    /// The text that replaces the command: its output without the last newline, followed by `[output cut]` if not all of
    /// it was captured. If the output is too long, its beginning and the path of the file with the whole output.
    pub fn text(&self) -> String {
        self.text.clone()
    }

    /// `file` is the file with the whole output and its size, if the output is too long for the text.
    fn new(command: &str, ran: ProcessOutput, rule: &ShellRule, file: Option<(PathBuf, usize)>) -> CommandOutput {
        let mut text = output_text(&ran.output);
        if let Some((file, bytes)) = &file {
            let shown = rule.preview_chars;
            text = text.chars().take(shown).collect();
            let file = file.to_string_lossy();
            let file = visible(&file);
            text.push_str(&format!("\n[the first {shown} characters of the output; all {bytes} bytes are in {file}]"));
        } else if ran.is_cut {
            text.push_str(if text.is_empty() { "[output cut]" } else { "\n[output cut]" });
        }
        CommandOutput { command: command.to_owned(), output: ran, file: file.map(|(file, _)| file), text }
    }
}

/// How the command failed; `None` if it succeeded. `answering` are the programs whose exit code 1 is not a failure.
fn failure(command: &str, ran: &ProcessOutput, limits: &Limits, answering: &[Cow<'_, str>]) -> Option<String> {
    let how = match ran {
        ProcessOutput { timed_out: true, time, .. } => format!("was stopped after {:.1} s", time.as_secs_f64()),
        ProcessOutput { flooded: true, .. } => {
            format!("printed more than {} bytes and was stopped", limits.flood_bytes())
        }
        ProcessOutput { code: 0, .. } => return None,
        ProcessOutput { code: 1, .. } if answers_by_one(command, answering) => return None,
        ProcessOutput { code: UNKNOWN_CODE, .. } => "ended with an unknown exit code".to_owned(),
        ProcessOutput { code, .. } => format!("failed with exit code {code}"),
    };
    let output = output_text(&ran.output);
    let last = output.lines().last().map(visible);
    Some(last.map_or_else(|| how.clone(), |last| format!("{how}: {last}")))
}

/// The output as text, without its last line ending.
fn output_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.strip_suffix('\n').map_or(&*text, |line| line.strip_suffix('\r').unwrap_or(line));
    line.to_owned()
}

/// Whether the last program of a command is one whose exit code 1 is an answer. Each entry of `answering` is a program,
/// or a program and its subcommand. The command is split at separators and white space, even inside of quotes.
fn answers_by_one(command: &str, answering: &[Cow<'_, str>]) -> bool {
    let Some(last) = command.rsplit(['|', ';', '&', '\n']).find(|part| !part.trim().is_empty()) else { return false };
    let is_assignment = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_variable_name(name));
    let mut words = last.split_whitespace().skip_while(is_assignment);
    let Some(program) = words.next().and_then(|word| word.rsplit('/').next()) else { return false };
    let subcommand = words.find(|word| !word.starts_with('-'));
    answering.iter().any(|known| match known.split_once(' ') {
        Some((known_program, known_subcommand)) => known_program == program && Some(known_subcommand) == subcommand,
        None => *known == program,
    })
}

/// Replaces `$ARGUMENTS[1]` by `${1}`, the positional parameter of the shell. `$1` is one already, or belongs to another
/// program, as in `awk '{print $1}'`.
fn with_positional_parameters(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let mut rest = written;
    while let Some((before, after)) = rest.split_once("$ARGUMENTS[") {
        out.push_str(before);
        let is_number = |index: &str| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
        rest = match after.split_once(']').filter(|(index, _)| is_number(index)) {
            Some((index, after)) => {
                out.push_str(&format!("${{{index}}}"));
                after
            }
            None => {
                out.push_str("$ARGUMENTS[");
                after
            }
        };
    }
    out.push_str(rest);
    out
}

#[derive(Clone, Copy)]
enum ShellKind {
    /// As `sh -c COMMAND WORD…`.
    Posix,
    PowerShell,
}

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
        let pinned = self.trusted().map_err(Error::clone)?;
        // Without a variable for the skill's folder, the commands cannot run anything in it.
        let pinned = pinned.filter(|_| !self.folder_variables.is_empty());
        let copy = pinned.map(|pinned| PrivateCopy::of(disk, &self.key, pinned)).transpose()?;
        let copied = copy.as_ref().map(|copy| in_copy(self, copy));
        let pending = copied.as_ref().unwrap_or(self);
        let (shell, kind) = shell(pending, &Programs::of_environment())?;
        let dir = disk.for_programs(dir).map_err(Error::from)?;
        let environment = environment(&pending.requires_env);
        let answering: &[Cow<'_, str>] = match kind {
            ShellKind::Posix => &pending.rule.exit_one_is_answer,
            ShellKind::PowerShell => &pending.rule.exit_one_is_answer_in_powershell,
        };
        let mut done = Vec::with_capacity(pending.commands.len());
        for written in &pending.commands {
            if stop.is_stopped() {
                return Err(HostError::Stopped);
            }
            let mut command = command(&shell, kind, pending, written, &environment);
            command.current_dir(&dir);
            if let Some(copy) = &copy {
                copy.set_source_variable(&mut command);
            }
            let process = Process::start(command, false, Outputs::Joined)
                .map_err(|error| HostError::not_started(shell.as_os_str(), &error))?;
            let mut output = OutputCollector::new(pending.rule.max_chars);
            let ran = capture_and_observe(process, &[], limits, stop, &mut |bytes| output.add(bytes));
            if ran.is_stopped {
                return Err(HostError::Stopped);
            }
            if let Some(how) = failure(written, &ran, limits, answering) {
                let command = visible(written).into_owned();
                let mut said = String::new();
                fill_unescaped(&pending.rule.failed, &[("command", &command), ("reason", &how)], &mut said);
                return Err(HostError::CommandFailed { command, said });
            }
            let file = output.finish().map_err(|error| HostError::OutputNotStored {
                command: visible(written).into_owned(),
                reason: visible(&error.to_string()).into_owned(),
            })?;
            done.push(CommandOutput::new(written, ran, &pending.rule, file));
        }
        Ok(done)
    }
}

/// The pending commands, with the path of the copy in the variables for the skill's folder.
fn in_copy(pending: &Pending, copy: &PrivateCopy) -> Pending {
    let mut pending = pending.clone();
    let dir = copy.dir().to_string_lossy().into_owned();
    let folder_variables = pending.variables.iter_mut().filter(|(name, _)| pending.folder_variables.contains(name));
    folder_variables.for_each(|(_, value)| value.clone_from(&dir));
    pending
}

/// The shell that the skill names. If it names none, bash or sh, which its author most likely used.
fn shell(pending: &Pending, programs: &Programs) -> Result<(PathBuf, ShellKind), HostError> {
    let (names, kind): (&[&str], ShellKind) = match pending.shell.as_deref() {
        None => (&["bash", "sh"], ShellKind::Posix),
        Some("bash") => (&["bash"], ShellKind::Posix),
        Some("sh") => (&["sh"], ShellKind::Posix),
        Some("powershell") => (&["pwsh", "powershell"], ShellKind::PowerShell),
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

fn command(
    shell: &Path,
    kind: ShellKind,
    pending: &Pending,
    written: &str,
    environment: &[(OsString, OsString)],
) -> Command {
    let mut command = process::command(shell);
    command.env_clear();
    let named = pending.variables.iter().filter(|(name, _)| is_variable_name(name));
    let named: Vec<(String, &str)> = named.map(|(name, value)| (name.clone(), value.as_str())).collect();
    match kind {
        // After `--`, a command that begins with `-` is not read as an option.
        ShellKind::Posix => {
            command.args(["-c", "--", &with_positional_parameters(written)]).args(&pending.words).envs(named);
            // Without any word, `$0` would be the name of the shell.
            command.args(pending.words.is_empty().then_some(""));
        }
        // PowerShell would read words after the command as a part of it.
        ShellKind::PowerShell => {
            let words = pending.words.iter().enumerate().map(|(n, word)| (n.to_string(), word.as_str()));
            let given: Vec<(String, &str)> = named.into_iter().chain(words).collect();
            let mut text: String = given.iter().map(|(name, _)| format!("${{{name}}} = ${{env:{name}}}\n")).collect();
            text.push_str(written);
            command.args(["-NoProfile", "-NonInteractive", "-Command", &text]).envs(given);
        }
    }
    // These are set last, so that no argument can replace PATH.
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command
}

fn is_variable_name(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty()
}

/// The beginning of the name of a folder that holds a long output. A random number follows.
const PREFIX: &str = "skilltree-output-";

const FILE_NAME: &str = "output.txt";

/// The most bytes of a UTF-8 character. An output with more bytes per allowed character is certainly too long.
const MAX_CHAR_BYTES: usize = 4;

/// Collects an output in memory, and moves it to a file once it is certainly too long.
struct OutputCollector {
    max_chars: usize,
    buffer: Vec<u8>,
    file: Option<OutputFile>,
    /// The first error. The output is not collected any further after it.
    error: Option<io::Error>,
    bytes: usize,
}

/// A file in a folder of its own. Dropping it removes both, unless the file is to be kept.
struct OutputFile {
    dir: PathBuf,
    file: File,
    is_persistent: bool,
}

impl OutputCollector {
    /// A collector for a text that takes at most `max_chars` characters of the output.
    fn new(max_chars: usize) -> OutputCollector {
        OutputCollector { max_chars, buffer: Vec::new(), file: None, error: None, bytes: 0 }
    }

    /// Appends output. An error is reported by [`OutputCollector::finish`].
    fn add(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.error.is_some() {
            return;
        }
        let added = match &mut self.file {
            Some(file) => file.file.write_all(bytes),
            None => {
                self.buffer.extend_from_slice(bytes);
                match self.max_chars.saturating_mul(MAX_CHAR_BYTES) < self.buffer.len() {
                    true => self.move_to_file(),
                    false => Ok(()),
                }
            }
        };
        self.error = added.err();
    }

    /// The file and its size in bytes; `None` if the output is short enough for the text.
    fn finish(mut self) -> io::Result<Option<(PathBuf, usize)>> {
        let text = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        if self.file.is_none() && self.max_chars < String::from_utf8_lossy(text).chars().count() {
            self.move_to_file()?;
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        let Some(mut file) = self.file else { return Ok(None) };
        file.is_persistent = true;
        Ok(Some((file.dir.join(FILE_NAME), self.bytes)))
    }

    fn move_to_file(&mut self) -> io::Result<()> {
        let dir = std::env::temp_dir().join(format!("{PREFIX}{}", random_hex()));
        create_private_dir(&dir)?;
        let file = create_private_file(&dir.join(FILE_NAME), false)?;
        let file = self.file.insert(OutputFile { dir, file, is_persistent: false });
        file.file.write_all(&std::mem::take(&mut self.buffer))
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.is_persistent {
            // If this fails, the system removes the folder together with other temporary files.
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}
