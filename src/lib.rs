//! The engine for Agent Skills.
#![warn(missing_docs)]

mod pack;
mod path;
mod text;

pub use path::{FsPath, PathError};
