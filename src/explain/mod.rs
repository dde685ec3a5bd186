//! What became of files and skills. Each file has one question:
//!
//! - `why`: why is a file not used as a skill?
//! - `check`: what is wrong with these files?
//! - `matrix`: what becomes of each file in several dialects? `matrix/rule` names the rules that decide.
//! - `overview`: which clients are here, and what does each of them see, use and lose?
//! - `elsewhere`: in which other dialects is there a skill of this name?
//! - `beyond`: which skills lie where discovery does not look?

pub(crate) mod beyond;
pub(crate) mod check;
pub(crate) mod elsewhere;
pub(crate) mod matrix;
pub(crate) mod overview;
pub(crate) mod why;

pub use beyond::{Beyond, beyond};
pub use check::{CheckRequest, check, check_seen, check_sources};
pub use elsewhere::{Elsewhere, elsewhere};
pub use matrix::{Cell, CellState, Matrix, MatrixColumn, MatrixRow, MatrixTable, matrix};
pub use overview::{ClientOverview, Foremost, Overview, clients_here, overview};
pub use why::{Outcome, Why, roots, unseen, unseen_above_project, why};
