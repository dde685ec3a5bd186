//! In: the names of variables that a skill may see. Out: the whole environment of its process: these, and what every
//! program needs. Absent: anything else that this process knows, such as the user's keys.

use std::ffi::{OsStr, OsString};

/// What every program needs.
const NEEDED: &[&str] = &["PATH", "HOME", "LANG", "TMPDIR"];

/// What a process cannot live without on Windows, besides.
const NEEDED_ON_WINDOWS: &[&str] =
    &["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"];

/// The environment of a process that may see these variables, where they are set. To be given to one that has none.
pub(super) fn environment(names: &[String]) -> Vec<(OsString, OsString)> {
    let on_windows = NEEDED_ON_WINDOWS.iter().filter(|_| cfg!(windows));
    let seen = NEEDED.iter().chain(on_windows).copied().chain(names.iter().map(String::as_str));
    let value = |name| match std::env::var_os(name) {
        Some(path) if name == "PATH" => absolute(&path),
        value => value,
    };
    seen.filter_map(|name| Some((OsString::from(name), value(name)?))).collect()
}

/// A PATH without its relative folders, as in [`Programs`](super::programs::Programs): what they name depends on the
/// working directory, which may be a project's. None where no other are left, as an empty PATH names that directory.
fn absolute(path: &OsStr) -> Option<OsString> {
    let dirs = std::env::split_paths(path).filter(|dir| dir.is_absolute());
    std::env::join_paths(dirs).ok().filter(|path| !path.is_empty())
}
