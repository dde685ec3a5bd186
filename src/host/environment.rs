//! In: the names of variables that a skill may see. Out: the whole environment of its process: these, what every
//! program needs, and what keeps a runtime from writing into a skill's folder or asking the network for news.
//! Absent: anything else that this process knows, such as the user's keys.

use std::ffi::OsString;

/// What every program needs.
const NEEDED: &[&str] = &["PATH", "HOME", "LANG", "TMPDIR"];

/// What a process cannot live without on Windows, besides.
const NEEDED_ON_WINDOWS: &[&str] =
    &["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"];

/// What every process is told. A file that Python leaves beside a script would be a change of the skill.
const TOLD: &[(&str, &str)] = &[("PYTHONDONTWRITEBYTECODE", "1"), ("DENO_NO_UPDATE_CHECK", "1")];

/// The environment of a process that may see these variables, where they are set. To be given to one that has none.
pub(super) fn environment(names: &[String]) -> Vec<(OsString, OsString)> {
    let told = TOLD.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let on_windows = NEEDED_ON_WINDOWS.iter().filter(|_| cfg!(windows));
    let seen = NEEDED.iter().chain(on_windows).copied().chain(names.iter().map(String::as_str));
    told.chain(seen.filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)))).collect()
}
