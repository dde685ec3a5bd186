//! Progress where there are no threads that could show it, as in WebAssembly: nothing is shown.

use crate::args::Command;

pub(crate) struct Progress;

impl Progress {
    pub(crate) fn of(_: &Command, _json: bool, _quiet: bool) -> Progress {
        Progress
    }

    pub(crate) fn set_total(&self, _: usize) {}

    pub(crate) fn advance(&self) {}
}
