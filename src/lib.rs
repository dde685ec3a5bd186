//! The engine for Agent Skills.
#![warn(missing_docs)]

mod path;
mod text;

pub use path::{FsPath, PathError};
