//! Chooses the program that runs a language on this machine, a [`Runtime`]: the first of a table that is in PATH. All of
//! them are started so that they neither prompt nor download anything, and use no configuration files above the skill's
//! folder.
//!
//! A runtime looks for its configuration in the folder that it starts in and in all parents, and such a file can replace
//! a module that a script imports. An approval covers the files in the skill's folder only, so only the configuration in
//! that folder may be used.

use super::capture::CancelToken;
use super::error::HostError;
use super::process::{Outputs, Pause, Process, Stream, Want, isolated_command};
use super::programs::Programs;
use crate::loading::script::Language;
use crate::text::escape::visible;
use crate::text::words::cut;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time limit of `--version`, which usually takes milliseconds.
const VERSION_TIME: Duration = Duration::from_secs(5);

const MAX_VERSION_BYTES: usize = 256;

const MAX_SHOWN_CHARS: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runtime {
    pub(super) program: PathBuf,
    pub(super) kind: RuntimeKind,
    pub(super) arguments: &'static [&'static str],
}

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
const NO_BYTECODE: &str = "-B";

/// Keeps bun from downloading missing packages.
pub(super) const NO_INSTALL: &str = "--no-install";

/// Keeps deno from looking for a newer version in the network.
pub(super) const NO_UPDATES: (&str, &str) = ("DENO_NO_UPDATE_CHECK", "1");

/// A program that may run a language: its name, its kind, and the arguments before the file.
type Candidate = (&'static str, RuntimeKind, &'static [&'static str]);

const PYTHON: &[Candidate] =
    &[("python3", RuntimeKind::Python, &[NO_BYTECODE]), ("python", RuntimeKind::Python, &[NO_BYTECODE])];
const SHELL: &[Candidate] = &[("bash", RuntimeKind::Shell, &[]), ("sh", RuntimeKind::Shell, &[])];
/// A machine that does not let scripts run lets the user say otherwise for one process.
const POWERSHELL_ARGUMENTS: &[&str] =
    &["-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"];
const POWERSHELL: &[Candidate] = &[
    ("pwsh", RuntimeKind::PowerShell, POWERSHELL_ARGUMENTS),
    ("powershell", RuntimeKind::PowerShell, POWERSHELL_ARGUMENTS),
];
const BATCH: &[Candidate] = &[("cmd.exe", RuntimeKind::Batch, &[])];
const BUN: Candidate = ("bun", RuntimeKind::Bun, &["run", NO_INSTALL]);
const DENO: Candidate = ("deno", RuntimeKind::Deno, &["run", "--quiet", "--allow-all", "--no-prompt", "--cached-only"]);
// node comes first, as authors of JavaScript most likely use it.
const JAVASCRIPT: &[Candidate] = &[("node", RuntimeKind::Node, &[]), BUN, DENO];
// node comes last, as only some versions run TypeScript. They print a warning about it unless it is disabled.
const TYPESCRIPT: &[Candidate] = &[BUN, DENO, ("node", RuntimeKind::Node, &["--disable-warning=ExperimentalWarning"])];

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
    for &(name, kind, arguments) in candidates {
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
    let wanted = |(name, kind, _): &Candidate| if needs_version(*kind) { "node >= 22.18" } else { name }.to_owned();
    Err(HostError::ProgramMissing { what: what.to_owned(), wanted: candidates.iter().map(wanted).collect(), found })
}

/// The output of `PROGRAM --version`; `None` if that fails or takes too long.
fn version(program: &Path) -> Option<String> {
    let mut command = isolated_command(program, &[]);
    command.arg("--version");
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

const TSCONFIG: &[&str] = &["tsconfig.json", "jsconfig.json"];

/// An empty file that always exists, as bun reports an error for a missing one.
const NOTHING: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// The options of a runtime that is to run `file` of the skill in the folder `dir`. `given` are the arguments of the `#!`
/// line. They are covered by the approval, so an option that they set already is left out.
pub(super) fn options(kind: RuntimeKind, file: &Path, dir: &Path, given: &[String]) -> Vec<OsString> {
    match kind {
        RuntimeKind::Bun => bun(file, dir, given),
        RuntimeKind::Deno => deno(file, dir, given),
        // The only file that node reads above is `package.json`, and no option prevents it. Python and the shells read
        // no configuration, and the profile of PowerShell is left out for all its scripts.
        RuntimeKind::Node | RuntimeKind::PowerShell | RuntimeKind::Python | RuntimeKind::Shell | RuntimeKind::Batch => {
            Vec::new()
        }
    }
}

/// The arguments of a `#!` line, and the options that keep out configuration and packages if its program is a runtime.
pub(super) fn shebang_arguments(program: &Path, words: &[String], file: &Path, dir: &Path) -> Vec<OsString> {
    let name = program.file_stem().map(|name| name.to_string_lossy().into_owned());
    let first = words.first().map(String::as_str);
    let (at, more) = match name.as_deref() {
        Some("bun") => {
            let is_install_given = is_given(words, &["--install", "--no-install", "-i"]);
            let no_install = (!is_install_given).then(|| OsString::from(NO_INSTALL));
            (0, no_install.into_iter().chain(options(RuntimeKind::Bun, file, dir, words)).collect())
        }
        // Deno's options follow the subcommand. The other subcommands have other options.
        Some("deno") => {
            let at = usize::from(matches!(first, Some("run" | "serve" | "test" | "bench")));
            let is_other = at == 0 && first.is_some_and(|first| !first.is_empty() && !first.starts_with('-'));
            (at, if is_other { Vec::new() } else { options(RuntimeKind::Deno, file, dir, words) })
        }
        Some(name) if name.starts_with("python") => (0, vec![OsString::from(NO_BYTECODE)]),
        Some(_) | None => (0, Vec::new()),
    };
    let mut line: Vec<OsString> = words.iter().map(OsString::from).collect();
    line.splice(at..at, more);
    line
}

fn bun(file: &Path, dir: &Path, given: &[String]) -> Vec<OsString> {
    let has_own = TSCONFIG.iter().any(|name| dir.join(name).is_file());
    if has_own || is_given(given, &["--tsconfig-override"]) {
        // For bun, a file in the skill's folder hides those above. If it is named by the option, bun uses only its
        // `paths`, so bun is left to find it.
        return Vec::new();
    }
    let nearest = nearest(TSCONFIG, file, dir).unwrap_or_else(|| PathBuf::from(NOTHING));
    vec![option("--tsconfig-override", &nearest)]
}

fn deno(file: &Path, dir: &Path, given: &[String]) -> Vec<OsString> {
    let mut options = Vec::new();
    // `--config` with the skill's own file is not enough: a `deno.json` above may declare the skill's folder as a member
    // of its workspace, and is then used as well.
    if !is_given(given, &["--config", "-c", "--no-config"]) {
        options.push(OsString::from("--no-config"));
        if let Some(own) = nearest(&["deno.json"], file, dir).filter(|_| !is_given(given, &["--import-map"])) {
            options.push(option("--import-map", &own));
        }
        // Without its configuration, deno does not look for the packages of the skill's `package.json` beside that file.
        if nearest(&["package.json"], file, dir).is_some() && !is_given(given, &["--node-modules-dir"]) {
            options.push(OsString::from("--node-modules-dir=manual"));
        }
    }
    if !is_given(given, &["--lock", "--no-lock"]) {
        let own = nearest(&["deno.lock"], file, dir);
        options.push(own.map_or_else(|| OsString::from("--no-lock"), |own| option("--lock", &own)));
    }
    options
}

/// The first of these files that exists, from the folder of `file` up to the skill's folder.
fn nearest(names: &[&str], file: &Path, dir: &Path) -> Option<PathBuf> {
    let folders = file.ancestors().skip(1).take_while(|folder| folder.starts_with(dir));
    folders.flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|found| found.is_file())
}

fn is_given(given: &[String], options: &[&str]) -> bool {
    given.iter().any(|word| options.contains(&word.split('=').next().unwrap_or_default()))
}

fn option(name: &str, value: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push("=");
    option.push(value);
    option
}

#[cfg(all(test, unix))]
#[path = "../../tests/unit/runtime.rs"]
mod tests;

#[cfg(test)]
#[path = "../../tests/unit/runtime_options.rs"]
mod option_tests;
