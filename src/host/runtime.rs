//! Chooses the program that runs a language on this machine, a [`Runtime`]: the first of a table that is in PATH. All of
//! them are started so that they neither prompt nor download anything.

use super::environment::environment;
use super::error::HostError;
use super::limits::CancelToken;
use super::process::{Outputs, Pause, Process, Stream, Want, command};
use super::programs::Programs;
use crate::loading::script::Language;
use crate::text::escape::visible;
use crate::text::words::cut;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time limit of `--version`, which usually takes milliseconds.
const VERSION_TIME: Duration = Duration::from_secs(5);

/// How many bytes of the output of `--version` are read.
const MAX_VERSION_BYTES: usize = 256;

/// How many characters of the version are shown in a message.
const MAX_SHOWN_CHARS: usize = 20;

/// A program that runs the files of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runtime {
    /// The program's file.
    pub(super) program: PathBuf,
    pub(super) kind: RuntimeKind,
    /// The arguments before the file.
    pub(super) arguments: &'static [&'static str],
}

/// A known runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuntimeKind {
    Bun,
    Deno,
    Node,
    PowerShell,
    Python,
    Shell,
    /// The command interpreter of Windows, which is not named: the file is started like a program, so that the standard
    /// library quotes its arguments in the one way that the interpreter cannot take for commands.
    Batch,
}

/// Keeps Python from writing `__pycache__` beside a script, which would change the skill's contents.
pub(super) const NO_BYTECODE: &str = "-B";

/// Keeps bun from downloading missing packages.
pub(super) const NO_INSTALL: &str = "--no-install";

/// Keeps deno from looking for a newer version in the network.
pub(super) const NO_UPDATES: (&str, &str) = ("DENO_NO_UPDATE_CHECK", "1");

/// A program that runs a language.
struct Candidate {
    name: &'static str,
    kind: RuntimeKind,
    arguments: &'static [&'static str],
}

const fn candidate(name: &'static str, kind: RuntimeKind, arguments: &'static [&'static str]) -> Candidate {
    Candidate { name, kind, arguments }
}

const PYTHON: &[Candidate] = &[
    candidate("python3", RuntimeKind::Python, &[NO_BYTECODE]),
    candidate("python", RuntimeKind::Python, &[NO_BYTECODE]),
];
const SHELL: &[Candidate] = &[candidate("bash", RuntimeKind::Shell, &[]), candidate("sh", RuntimeKind::Shell, &[])];
/// A machine that does not let scripts run lets the user say otherwise for one process.
const POWERSHELL_ARGUMENTS: &[&str] =
    &["-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"];
const POWERSHELL: &[Candidate] = &[
    candidate("pwsh", RuntimeKind::PowerShell, POWERSHELL_ARGUMENTS),
    candidate("powershell", RuntimeKind::PowerShell, POWERSHELL_ARGUMENTS),
];
const BATCH: &[Candidate] = &[candidate("cmd.exe", RuntimeKind::Batch, &[])];
const BUN: Candidate = candidate("bun", RuntimeKind::Bun, &["run", NO_INSTALL]);
const DENO: Candidate =
    candidate("deno", RuntimeKind::Deno, &["run", "--quiet", "--allow-all", "--no-prompt", "--cached-only"]);
// node comes first, as authors of JavaScript most likely use it.
const JAVASCRIPT: &[Candidate] = &[candidate("node", RuntimeKind::Node, &[]), BUN, DENO];
// node comes last, as only some versions run TypeScript. They print a warning about it unless it is disabled.
const TYPESCRIPT: &[Candidate] =
    &[BUN, DENO, candidate("node", RuntimeKind::Node, &["--disable-warning=ExperimentalWarning"])];

/// The program that runs this language. `what` needs it and is named in the error.
///
/// # Errors
/// Returns [`HostError::ProgramMissing`] with all candidates.
pub(super) fn runtime(language: Language, what: &str, programs: &Programs) -> Result<Runtime, HostError> {
    let candidates = match language {
        Language::Python => PYTHON,
        Language::Shell => SHELL,
        Language::JavaScript => JAVASCRIPT,
        Language::TypeScript => TYPESCRIPT,
        Language::Batch => BATCH,
        Language::PowerShell => POWERSHELL,
    };
    let needs_version = |kind: RuntimeKind| language == Language::TypeScript && kind == RuntimeKind::Node;
    let mut found = None;
    for &Candidate { name, kind, arguments } in candidates {
        // Where Linux runs within Windows, PATH has a `cmd.exe` that knows no paths of Linux.
        let is_foreign = kind == RuntimeKind::Batch && !cfg!(windows);
        let Some(program) = programs.find(name).filter(|_| !is_foreign) else { continue };
        if !needs_version(kind) {
            return Ok(Runtime { program, kind, arguments });
        }
        let version = version(&program);
        if version.as_deref().is_some_and(runs_typescript) {
            return Ok(Runtime { program, kind, arguments });
        }
        let shown =
            version.as_deref().and_then(|version| version.lines().next()).map(|line| cut(line, MAX_SHOWN_CHARS));
        found = Some(match shown {
            Some(shown) => visible(&format!("{name} {shown}")).trim().to_owned(),
            None => name.to_owned(),
        });
    }
    let wanted = |candidate: &Candidate| match needs_version(candidate.kind) {
        true => "node >= 22.18".to_owned(),
        false => candidate.name.to_owned(),
    };
    Err(HostError::ProgramMissing { what: what.to_owned(), wanted: candidates.iter().map(wanted).collect(), found })
}

/// The output of `PROGRAM --version`; `None` if that fails or takes too long.
fn version(program: &Path) -> Option<String> {
    let mut command = command(program);
    command.arg("--version").env_clear().envs(environment(&[]));
    // A version manager in PATH may choose the program by files of the working directory, which may be an untrusted
    // project.
    command.current_dir(program.parent()?);
    let mut process = Process::start(command, false, Outputs::Separate).ok()?;
    let mut printed = Vec::new();
    let mut take = |stream, bytes: &[u8]| {
        let free = MAX_VERSION_BYTES.saturating_sub(printed.len());
        if stream == Stream::Output {
            printed.extend(bytes.iter().take(free));
        }
        Want::More
    };
    match process.pump(&mut [].as_slice(), Instant::now() + VERSION_TIME, &CancelToken::new(), &mut take) {
        Pause::Ended(status) if status.is_none_or(|status| status.success()) => {
            Some(String::from_utf8_lossy(&printed).into_owned())
        }
        Pause::Ended(_) | Pause::Enough | Pause::Late | Pause::Stopped => None,
    }
}

/// Whether this version of node runs TypeScript without further options: from 22.18 and from 23.6 on.
fn runs_typescript(version: &str) -> bool {
    let mut parts = version.trim().trim_start_matches('v').split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(22), Some(minor)) => minor >= 18,
        (Some(23), Some(minor)) => minor >= 6,
        (Some(major), Some(_)) => major > 23,
        _ => false,
    }
}

#[cfg(all(test, unix))]
#[path = "../../tests/unit/runtime.rs"]
mod tests;
