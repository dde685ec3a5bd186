//! Which programs this machine has.

use std::process::{Command, Stdio};

/// Whether this machine has a program that answers to `--version`.
pub(crate) fn has(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}
