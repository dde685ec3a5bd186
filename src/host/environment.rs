//! The environment variables of the processes that run for a skill: those that the skill requires and those that every
//! program needs. Nothing else is passed on, such as the user's API keys.

use std::ffi::{OsStr, OsString};

/// The variables that every program needs.
const NEEDED: &[&str] = &["PATH", "HOME", "LANG", "TMPDIR"];

/// The variables that programs need on Windows besides.
const NEEDED_ON_WINDOWS: &[&str] =
    &["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"];

/// The whole environment of a process that may see the variables `names`, as far as they are set.
pub(super) fn environment(names: &[String]) -> Vec<(OsString, OsString)> {
    let on_windows = NEEDED_ON_WINDOWS.iter().filter(|_| cfg!(windows));
    let visible = NEEDED.iter().chain(on_windows).copied().chain(names.iter().map(String::as_str));
    let value = |name| match std::env::var_os(name) {
        Some(path) if name == "PATH" => without_relative_dirs(&path),
        value => value,
    };
    visible.filter_map(|name| Some((OsString::from(name), value(name)?))).collect()
}

/// A PATH without its relative folders, for the reason that [`Programs::new`](super::programs::Programs::new) gives.
/// Returns `None` if no folder is left, as an empty PATH means the working directory.
fn without_relative_dirs(path: &OsStr) -> Option<OsString> {
    let dirs = std::env::split_paths(path).filter(|dir| dir.is_absolute());
    std::env::join_paths(dirs).ok().filter(|path| !path.is_empty())
}
