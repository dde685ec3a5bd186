//! For those who write skills, and compare what several skill systems do with them. Each file has one question:
//!
//! - `new_skill`: what are the files of a new skill?
//! - `field`: which fields does a dialect read, and what may be written in them?
//! - `fix`: what do the checked files look like when they are mended?
//! - `convert`: what is the skill like for another skill system, and what does it lose?
//! - `outline`: where are the parts of a SKILL.md, for editors?
//! - `matrix`: what becomes of each file in several dialects?
//! - `overview`: which clients are here, and what does each of them see, use and lose?
//! - `elsewhere`: in which other dialects is there a skill of this name?
//! - `overlap`: which skills may a model confuse?

pub(crate) mod convert;
pub(crate) mod elsewhere;
pub(crate) mod field;
pub(crate) mod fix;
pub(crate) mod matrix;
pub(crate) mod new_skill;
pub(crate) mod outline;
pub(crate) mod overlap;
pub(crate) mod overview;

pub use crate::dialect::fields::FieldRole;
pub use convert::{Conversion, Loss};
pub use elsewhere::Elsewhere;
pub use field::FieldValue;
pub use fix::{FixRequest, FixScope, FixedFile};
pub use matrix::{CellState, Matrix, MatrixCell, MatrixColumn, MatrixRow, MatrixTable};
pub use new_skill::{NewFolder, NewSkill, NewSkillRequest};
pub use outline::{Outline, OutlineField};
pub use overlap::Overlap;
pub use overview::{ClientOverview, Foremost, Overview};
