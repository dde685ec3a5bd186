//! What became of files and skills. Each file has one question:
//!
//! - `why`: why is a file not used as a skill?
//! - `check`: what is wrong with these files?
//! - `beyond`: which skills lie where discovery does not look?

pub(crate) mod beyond;
pub(crate) mod check;
pub(crate) mod why;

pub use beyond::Beyond;
