//! Command-line options that keep a runtime from using configuration files above the skill's folder.
//!
//! A runtime looks for its configuration in the folder that it starts in and in all parents, and such a file can replace
//! a module that a script imports. An approval covers the files in the skill's folder only, so only the configuration in
//! that folder may be used.

use super::runtime::RuntimeKind;
use super::runtime::{NO_BYTECODE, NO_INSTALL};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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
        Some("deno") => match first {
            Some("run" | "serve" | "test" | "bench") => (1, options(RuntimeKind::Deno, file, dir, words)),
            None => (0, options(RuntimeKind::Deno, file, dir, words)),
            Some(first) if first.is_empty() || first.starts_with('-') => {
                (0, options(RuntimeKind::Deno, file, dir, words))
            }
            Some(_) => (0, Vec::new()),
        },
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

#[cfg(test)]
#[path = "../../tests/unit/runtime_options.rs"]
mod tests;
