//! In: a language, and where programs are looked up. Out: the [`Runtime`] on this machine that runs it: the first
//! of a table that is there. None of them asks a question or fetches what is not here already.
//! Absent: what is run, and what it may see.

use super::environment::environment;
use super::error::HostError;
use super::limits::CancelToken;
use super::process::{Outputs, Pause, Process, Stream, Want, command};
use super::programs::Programs;
use crate::answers::script::Language;
use crate::text::escape::visible;
use crate::text::words::cut;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a program may take to say its version: it is asked once, and answers in milliseconds.
const VERSION_TIME: Duration = Duration::from_secs(5);

/// How many bytes of that answer are kept.
const MAX_VERSION_BYTES: usize = 256;

/// How many characters of it stand in a message.
const MAX_SHOWN_CHARS: usize = 20;

/// A program that runs files of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runtime {
    /// The program's file.
    pub(super) program: PathBuf,
    pub(super) kind: RuntimeKind,
    /// The words before the file.
    pub(super) before: &'static [&'static str],
}

/// Which program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuntimeKind {
    Bun,
    Deno,
    Node,
    Python,
    Shell,
}

/// Keeps Python from leaving files beside a script, which would be a change of the skill.
pub(super) const NO_BYTECODE: &str = "-B";

/// Keeps bun from fetching packages that are not there.
pub(super) const NO_INSTALL: &str = "--no-install";

/// Keeps deno from asking the network for a newer one.
pub(super) const NO_UPDATES: (&str, &str) = ("DENO_NO_UPDATE_CHECK", "1");

/// One that would do.
struct Candidate {
    name: &'static str,
    kind: RuntimeKind,
    before: &'static [&'static str],
}

const fn candidate(name: &'static str, kind: RuntimeKind, before: &'static [&'static str]) -> Candidate {
    Candidate { name, kind, before }
}

const PYTHON: &[Candidate] = &[
    candidate("python3", RuntimeKind::Python, &[NO_BYTECODE]),
    candidate("python", RuntimeKind::Python, &[NO_BYTECODE]),
];
const SHELL: &[Candidate] = &[candidate("bash", RuntimeKind::Shell, &[]), candidate("sh", RuntimeKind::Shell, &[])];
const BUN: Candidate = candidate("bun", RuntimeKind::Bun, &["run", NO_INSTALL]);
const DENO: Candidate =
    candidate("deno", RuntimeKind::Deno, &["run", "--quiet", "--allow-all", "--no-prompt", "--cached-only"]);
// What authors of JavaScript have, first.
const JAVASCRIPT: &[Candidate] = &[candidate("node", RuntimeKind::Node, &[]), BUN, DENO];
// The last as it has to be asked for its version; that it runs TypeScript is a warning at each start.
const TYPESCRIPT: &[Candidate] =
    &[BUN, DENO, candidate("node", RuntimeKind::Node, &["--disable-warning=ExperimentalWarning"])];

/// What runs this language; `what` is what needs it, for the error.
///
/// # Errors
/// [`HostError::ProgramMissing`] with all that would do.
pub(super) fn runtime(language: Language, what: &str, programs: &Programs) -> Result<Runtime, HostError> {
    let candidates = match language {
        Language::Python => PYTHON,
        Language::Shell => SHELL,
        Language::JavaScript => JAVASCRIPT,
        Language::TypeScript => TYPESCRIPT,
    };
    let is_asked = |kind: RuntimeKind| language == Language::TypeScript && kind == RuntimeKind::Node;
    let mut found = None;
    for &Candidate { name, kind, before } in candidates {
        let Some(program) = programs.find(name) else { continue };
        let version = if is_asked(kind) { version(&program) } else { String::new() };
        if !is_asked(kind) || runs_typescript(&version) {
            return Ok(Runtime { program, kind, before });
        }
        let shown = version.lines().next().map(|line| cut(line, MAX_SHOWN_CHARS)).unwrap_or_default();
        found = Some(visible(&format!("{name} {shown}")).trim().to_owned());
    }
    let wanted = |one: &Candidate| if is_asked(one.kind) { "node >= 22.18".to_owned() } else { one.name.to_owned() };
    Err(HostError::ProgramMissing { what: what.to_owned(), wanted: candidates.iter().map(wanted).collect(), found })
}

/// What a program says to `--version`; nothing where it says nothing in time.
fn version(program: &Path) -> String {
    let mut command = command(program);
    command.arg("--version").env_clear().envs(environment(&[]));
    // What stands in PATH may choose the program by files of the working directory, which may be a project's.
    command.current_dir(program.parent().unwrap_or(program));
    let Ok(mut process) = Process::start(command, false, Outputs::Apart) else { return String::new() };
    let mut said = Vec::new();
    let mut take = |stream, bytes: &[u8]| {
        let room = MAX_VERSION_BYTES.saturating_sub(said.len());
        if stream == Stream::Output {
            said.extend(bytes.iter().take(room));
        }
        Want::More
    };
    match process.pump(&mut [].as_slice(), Instant::now() + VERSION_TIME, &CancelToken::new(), &mut take) {
        Pause::Ended(status) if status.success() => String::from_utf8_lossy(&said).into_owned(),
        Pause::Ended(_) | Pause::Enough | Pause::Late | Pause::Stopped => String::new(),
    }
}

/// Whether a node of this version runs TypeScript unaided: from 22.18, and from 23.6 on.
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
