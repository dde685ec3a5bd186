//! The exit codes of the program.

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The question was answered: 0.
    Success,
    /// The answer is no, for example "not found" or "refused": 1.
    Negative,
    /// The question could not be answered: 2.
    Error,
    /// The user stopped the command: 130, as shells report Ctrl-C.
    Stopped,
    /// The exit code of a script that was run.
    Child(i32),
}

impl Exit {
    /// The exit code as a byte. Some systems have exit codes above 255; these become 1.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Negative => 1,
            Exit::Error => 2,
            Exit::Stopped => 130,
            Exit::Child(code) => u8::try_from(code).unwrap_or(1),
        }
    }
}
