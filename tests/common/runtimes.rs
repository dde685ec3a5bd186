//! The runtimes that a few tests drive, in the folder that `SKILLTREE_RUNTIMES` names.

use super::skip::skip;
use std::path::{Path, PathBuf};

/// A file of the folder, such as a schema; otherwise as [`runtime`].
#[track_caller]
pub(crate) fn installed(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("SKILLTREE_RUNTIMES").filter(|folder| !folder.is_empty()) else {
        skip(format_args!("SKILLTREE_RUNTIMES names no folder with `{name}`"));
        return None;
    };
    let file = Path::new(&folder).join(name);
    assert!(file.exists(), "SKILLTREE_RUNTIMES has no `{}`", file.display());
    Some(file)
}

/// The program `bun`, `deno`, `node`, `python` or another of the folder. None, and a word about it, where no folder
/// is named; where one is, a program that it has not is a failure.
#[track_caller]
pub(crate) fn runtime(name: &str) -> Option<PathBuf> {
    let bin = if name == "python" { "python/bin" } else { "node_modules/.bin" };
    installed(&format!("{bin}/{name}"))
}
