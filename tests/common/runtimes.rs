//! The runtimes that a few tests drive, in the folder that `SKILLTREE_RUNTIMES` names.

use super::skip::skip;
use std::path::{Path, PathBuf};

/// The program `bun`, `deno`, `node`, `python` or another of the folder. None, and a word about it, where no folder
/// is named; where one is, a program that it has not is a failure.
#[track_caller]
pub(crate) fn runtime(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("SKILLTREE_RUNTIMES").filter(|folder| !folder.is_empty()) else {
        skip(format_args!("SKILLTREE_RUNTIMES names no folder with `{name}`"));
        return None;
    };
    let bin = if name == "python" { "python/bin" } else { "node_modules/.bin" };
    let program = Path::new(&folder).join(bin).join(name);
    assert!(program.exists(), "SKILLTREE_RUNTIMES has no `{}`", program.display());
    Some(program)
}
