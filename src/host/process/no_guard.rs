//! The interface of `guard` on Unix systems other than Linux, where no process can adopt the orphans of another. No
//! [`Guarded`] process exists there.

use super::super::Status;
use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command};

pub(super) fn guard() {}

pub(super) fn command(_: &OsStr) -> Option<Command> {
    None
}

pub(super) fn is_guarded(_: &Command) -> bool {
    false
}

/// A process under a guard. There is none.
pub(super) enum Guarded {}

impl Guarded {
    pub(super) fn start(_: Command, _: bool) -> io::Result<(Guarded, Option<ChildStdin>)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        match *self {}
    }

    pub(super) fn report_fd(&self) -> Option<BorrowedFd<'_>> {
        match *self {}
    }

    pub(super) fn has_ended(&mut self) -> bool {
        match *self {}
    }

    pub(super) fn terminate(&mut self) {
        match *self {}
    }

    pub(super) fn kill(&mut self) {
        match *self {}
    }

    pub(super) fn reap(&mut self) -> Status {
        match *self {}
    }
}
