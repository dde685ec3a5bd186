//! Keeps a runtime from taking settings of folders above a skill. A runtime looks for its settings in the folder that
//! it starts in and in every folder above that one, and such settings can put another module in the place of one that
//! a script imports. An approval covers the files in the skill's folder and none above, so only settings in there
//! count.

use super::runtime::RuntimeKind;
#[cfg(feature = "scripts")]
use super::runtime::{NO_BYTECODE, NO_INSTALL};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const TSCONFIG: &[&str] = &["tsconfig.json", "jsconfig.json"];

/// A file that is always there and holds nothing, as bun complains about one that is not there.
const NOTHING: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// What a runtime is told about settings before it is told to run `file` of the skill in the folder `dir`. It takes
/// the place of nothing that `given` says already: the words of the `#!` line, which an approval covers.
pub(super) fn options(kind: RuntimeKind, file: &Path, dir: &Path, given: &[String]) -> Vec<OsString> {
    match kind {
        RuntimeKind::Bun => bun(file, dir, given),
        RuntimeKind::Deno => deno(file, dir, given),
        // node takes no settings of folders above but `package.json`, which no option of it keeps out. Python and the
        // shells take none.
        RuntimeKind::Node | RuntimeKind::Python | RuntimeKind::Shell => Vec::new(),
    }
}

/// The words of a `#!` line, with those that keep settings and packages out where its program is a runtime.
#[cfg(feature = "scripts")]
pub(super) fn shebang_arguments(program: &Path, words: &[String], file: &Path, dir: &Path) -> Vec<OsString> {
    let name = program.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let first = words.first().map(String::as_str).unwrap_or_default();
    let (at, more) = match name.as_str() {
        "bun" => {
            let is_fetching_settled = is_given(words, &["--install", "--no-install", "-i"]);
            let no_install = (!is_fetching_settled).then(|| OsString::from(NO_INSTALL));
            (0, no_install.into_iter().chain(options(RuntimeKind::Bun, file, dir, words)).collect())
        }
        // Its options stand behind the command. Other commands have other options.
        "deno" if ["run", "serve", "test", "bench"].contains(&first) => {
            (1, options(RuntimeKind::Deno, file, dir, words))
        }
        "deno" if first.is_empty() || first.starts_with('-') => (0, options(RuntimeKind::Deno, file, dir, words)),
        name if name.starts_with("python") => (0, vec![OsString::from(NO_BYTECODE)]),
        _ => (0, Vec::new()),
    };
    let mut line: Vec<OsString> = words.iter().map(OsString::from).collect();
    line.splice(at..at, more);
    line
}

fn bun(file: &Path, dir: &Path, given: &[String]) -> Vec<OsString> {
    let has_own = TSCONFIG.iter().any(|name| dir.join(name).is_file());
    if has_own || is_given(given, &["--tsconfig-override"]) {
        // For bun, a file in the skill's own folder hides those above. One that is named by the option counts for
        // `paths` alone, so the own file is better left to be found.
        return Vec::new();
    }
    let nearest = nearest(TSCONFIG, file, dir).unwrap_or_else(|| PathBuf::from(NOTHING));
    vec![option("--tsconfig-override", &nearest)]
}

fn deno(file: &Path, dir: &Path, given: &[String]) -> Vec<OsString> {
    let mut options = Vec::new();
    // `--config` with the skill's own file would not do: a `deno.json` above may claim the skill's folder as a part of
    // its workspace, and then counts too.
    if !is_given(given, &["--config", "-c", "--no-config"]) {
        options.push(OsString::from("--no-config"));
        if let Some(own) = nearest(&["deno.json"], file, dir).filter(|_| !is_given(given, &["--import-map"])) {
            options.push(option("--import-map", &own));
        }
        // Without its configuration, deno has to be told that the packages of the skill's `package.json` lie beside it.
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

/// The first of these files that is there, from the folder of a file up to the skill's.
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

#[cfg(all(test, feature = "scripts"))]
#[path = "../../tests/unit/runtime_options.rs"]
mod tests;
