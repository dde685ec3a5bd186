//! For those who write skills. Each file has one question:
//!
//! - `new_skill`: what are the files of a new skill?
//! - `fix`: what do the checked files look like when they are mended?
//! - `convert`: what is the skill like for another skill system, and what does it lose?
//! - `outline`: where are the parts of a SKILL.md, for editors?
//! - `overlap`: which skills may a model confuse?

pub(crate) mod convert;
pub(crate) mod fix;
pub(crate) mod new_skill;
pub(crate) mod outline;
pub(crate) mod overlap;

pub use convert::{Conversion, Loss, convert};
pub use fix::{FixRequest, FixScope, FixedFile, fix};
pub use new_skill::{NewFolder, NewSkill, NewSkillRequest, new_skill};
pub use outline::{Outline, OutlineField, files_beside, outline, references};
pub use overlap::{Overlap, overlap};
