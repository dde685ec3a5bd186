//! The program of a starter: waits until its guard is ready, and then executes the program that the guard is for.

use super::{EXECUTE, receive_with};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::net::{SendFlags, send};
use rustix::stdio::stdin;
use std::env::ArgsOs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio, exit};

/// The exit code if the program could not be executed, as shells have it.
const NOT_EXECUTED: i32 = 127;

/// The lowest number of a file descriptor that is none of the three standard ones.
const FIRST_FREE_FD: i32 = 3;

/// Waits for the message to execute the program, and becomes the program. Exits if that fails.
pub(super) fn run(mut words: ArgsOs) -> ! {
    // The program's standard input takes the place of the socket, so the socket needs another number.
    if let (Some(program), Ok(socket)) = (words.next(), fcntl_dupfd_cloexec(stdin(), FIRST_FREE_FD)) {
        let error = match receive_with(&socket, EXECUTE) {
            Ok(input) => Command::new(program).args(words).stdin(input.map_or_else(Stdio::null, Stdio::from)).exec(),
            Err(error) => io::Error::from(error),
        };
        let number = error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
        // If this fails, nobody waits for the result any more.
        let _ = send(&socket, &number.to_le_bytes(), SendFlags::NOSIGNAL);
    }
    exit(NOT_EXECUTED)
}
