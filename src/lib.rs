//! The engine for Agent Skills.
#![warn(missing_docs)]

mod fs;
mod path;
mod text;

#[cfg(feature = "os")]
pub use fs::OsFs;
pub use fs::{
    Act, Call, Entry, Fs, FsError, Head, Kind, Look, MemFs, Noted, Outcome, Stamp, Step, StepRule, Visit, Walk,
};
pub use path::{FsPath, PathError};
